//! OpenAI Chat Completions, and the many servers compatible with it.

use foldback_model::{
    Context, Media, MediaSource, Message, Opaque, Part, Role, Thinking, ToolCall, ToolResult,
};

use super::media::{DOCUMENT_MARK, IMAGE_MARK, from_url, mark_of, to_url};
use super::{Encoder, Frame, ShapeError};
use crate::json::{self, Object, quote};
use crate::scan;

pub(super) fn decode(object: &Object<'_>) -> Result<Message, ShapeError> {
    let role = object.word("role").ok_or_else(|| {
        ShapeError::new("role", "a message without a role", "system, developer, user, assistant or tool")
    })?;
    let role = match role.as_ref() {
        "system" => Role::System,
        "developer" => Role::Developer,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        other => {
            return Err(ShapeError::new(
                "role",
                format!("an unknown role `{other}`"),
                "system, developer, user, assistant or tool",
            ));
        }
    };
    let content = content(object)?;
    if role == Role::Tool {
        // The older form answers the one call of the message before by the function's name.
        let id = object.text("tool_call_id").or_else(|| object.text("name")).unwrap_or_default();
        let mut result = ToolResult::new(id, "");
        result.name = object.text("name");
        result.content = content;
        return Ok(Message::new(role, vec![Part::ToolResult(result)]));
    }
    let mut parts = Vec::new();
    let reasoning = object.text("reasoning_content").or_else(|| object.text("reasoning"));
    if let Some(text) = reasoning.filter(|text| !text.is_empty()) {
        parts.push(Part::Thinking(Thinking::new(text)));
    }
    parts.extend(content);
    parts.extend(object.text("refusal").filter(|text| !text.is_empty()).map(Part::Text));
    for (position, call) in object.list("tool_calls").unwrap_or_default().into_iter().enumerate() {
        parts.push(decode_call(call, position)?);
    }
    if let Some(call) = object.object("function_call") {
        let name = call.text("name").unwrap_or_default();
        parts.push(Part::ToolCall(ToolCall::new(&name, &name, call.text("arguments").unwrap_or_default())));
    }
    // Most messages have one part, and a growing list has room for four.
    parts.shrink_to_fit();
    let mut message = Message::new(role, parts);
    message.meta.id = object.text("id");
    message.meta.cache_marker = object.has("cache_control")
        || object
            .get("content")
            .is_some_and(|content| content.starts_with('[') && content.contains("\"cache_control\""));
    Ok(message)
}

fn content(object: &Object<'_>) -> Result<Vec<Part>, ShapeError> {
    let Some(content) = object.get("content") else { return Ok(Vec::new()) };
    if let Some(text) = json::string(content) {
        return Ok(if text.is_empty() { Vec::new() } else { vec![Part::Text(text)] });
    }
    let parts = scan::list(content).ok_or_else(|| {
        ShapeError::new("content", "content of another kind", "a text, a list of parts or null")
    })?;
    Ok(parts.into_iter().map(decode_part).collect())
}

pub(super) fn decode_part(part: &str) -> Part {
    let Some(object) = scan::object(part) else {
        return json::string(part).map_or_else(|| opaque("", part), Part::Text);
    };
    let kind = object.word("type").unwrap_or_default();
    let known = match kind.as_ref() {
        "text" => object.text("text").map(Part::Text),
        "refusal" => object.text("refusal").map(Part::Text),
        "image_url" => image(&object),
        "input_audio" => object.object("input_audio").and_then(|audio| {
            let format = audio.text("format").unwrap_or_default();
            let media = Media::new(Some(format!("audio/{format}")), MediaSource::Base64(audio.text("data")?));
            Some(Part::Document(media))
        }),
        "file" => object.object("file").and_then(|file| document(&file)),
        _ => None,
    };
    known.unwrap_or_else(|| opaque(&kind, part))
}

fn image(object: &Object<'_>) -> Option<Part> {
    let value = object.get("image_url")?;
    let detail = scan::object(value).and_then(|image| image.text("detail"));
    let url = json::string(value).or_else(|| scan::object(value)?.text("url"))?;
    let mut media = from_url(&url);
    media.low_detail = detail.as_deref() == Some("low");
    Some(Part::Image(media))
}

fn document(file: &Object<'_>) -> Option<Part> {
    let mut media = match file.text("file_data") {
        Some(data) => from_url(&data),
        None => Media::new(None, MediaSource::FileId(file.text("file_id")?)),
    };
    media.name = file.text("filename");
    Some(Part::Document(media))
}

fn decode_call(call: &str, position: usize) -> Result<Part, ShapeError> {
    let path = format!("tool_calls[{position}]");
    let object = scan::object(call)
        .ok_or_else(|| ShapeError::new(&path, "no object", "an object with id and function"))?;
    let Some(body) = object.object("function").or_else(|| object.object("custom")) else {
        return decode_unknown_call(call, &object).ok_or_else(|| {
            ShapeError::new(&path, "a call without `function`", "an object with `function` or `custom`")
        });
    };
    let arguments = body.get_any(&["arguments", "input"]).unwrap_or("\"\"");
    let arguments = json::string(arguments).unwrap_or_else(|| json::compact(arguments));
    let mut call = ToolCall::new(
        object.text("id").unwrap_or_default(),
        body.text("name").unwrap_or_default(),
        arguments,
    );
    // Gemini behind a compatible server.
    call.signature = object
        .object("extra_content")
        .and_then(|extra| extra.object("google"))
        .and_then(|google| google.text("thought_signature"));
    Ok(Part::ToolCall(call))
}

/// A call of a kind that is not known: it is answered by its id like any other.
fn decode_unknown_call(call: &str, object: &Object<'_>) -> Option<Part> {
    let kind = object.text("type").filter(|kind| !matches!(kind.as_str(), "function" | "custom"))?;
    Some(match object.text("id") {
        Some(id) => Part::ToolCall(ToolCall::new(id, kind, json::compact(call))),
        None => opaque(&kind, call),
    })
}

fn opaque(kind: &str, part: &str) -> Part {
    Part::Opaque(Opaque::new(kind, json::readable(part), part))
}

pub(super) fn frame(context: &Context, max_tokens: Option<&str>) -> Frame {
    let mut frame = Frame::default();
    frame.before.extend(max_tokens.map(|limit| ("max_completion_tokens", limit.to_owned())));
    let system = |text: &String| format!(r#"{{"role":"system","content":{}}}"#, quote(text));
    frame.first.extend(context.system.as_ref().map(system));
    frame
}

pub(super) fn encode(message: &Message, encoder: &mut Encoder<'_>) -> Vec<String> {
    let mut elements = Vec::new();
    let mut content = Vec::new();
    let mut calls = Vec::new();
    let mut reasoning = Vec::new();
    for (position, part) in message.parts().iter().enumerate() {
        match part {
            Part::ToolResult(result) => elements.push(encode_result(result, position, encoder)),
            Part::Text(text) if text.trim().is_empty() => {}
            Part::Text(text) => content.push(text_part(text)),
            Part::Image(_) | Part::Document(_) if message.role == Role::Assistant => {
                encoder.lose("content that a model cannot say here");
                content.push(text_part(mark_of(part)));
            }
            Part::Image(media) => content.push(encode_image(media, encoder)),
            Part::Document(media) => content.push(encode_document(media, encoder)),
            Part::ToolCall(call) => calls.push(encode_call(call)),
            Part::Thinking(thinking) if encoder.own => reasoning.push(thinking.text.as_str()),
            Part::Thinking(_) => encoder.lose("reasoning"),
            Part::Opaque(opaque) => content.extend(encoder.opaque(opaque)),
            _ => {}
        }
    }
    if content.is_empty() && calls.is_empty() {
        return elements;
    }
    let role = if message.role == Role::Tool { "user" } else { message.role.as_str() };
    let content = match (content.as_slice(), only_text(message)) {
        ([], _) => "null".to_owned(),
        // One text is written as such: every server takes that form.
        ([_], Some(text)) => quote(text),
        (parts, _) => format!("[{}]", parts.join(",")),
    };
    let mut members = vec![format!(r#""role":"{role}","content":{content}"#)];
    if !reasoning.is_empty() {
        members.push(format!(r#""reasoning_content":{}"#, quote(&reasoning.join("\n"))));
    }
    if !calls.is_empty() {
        members.push(format!(r#""tool_calls":[{}]"#, calls.join(",")));
    }
    elements.push(format!("{{{}}}", members.join(",")));
    elements
}

/// The one text of a message, if it is all that the message shows.
fn only_text(message: &Message) -> Option<&str> {
    let mut texts = message.parts().iter().filter_map(Part::as_text).filter(|text| !text.trim().is_empty());
    let text = texts.next()?;
    let shows_more = |part: &Part| matches!(part, Part::Image(_) | Part::Document(_) | Part::Opaque(_));
    (texts.next().is_none() && !message.parts().iter().any(shows_more)).then_some(text)
}

fn text_part(text: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, quote(text))
}

fn encode_call(call: &ToolCall) -> String {
    format!(
        r#"{{"id":{},"type":"function","function":{{"name":{},"arguments":{}}}}}"#,
        quote(&call.id),
        quote(&call.name),
        quote(&call.arguments)
    )
}

fn encode_result(result: &ToolResult, position: usize, encoder: &mut Encoder<'_>) -> String {
    let text = quote(&result_text(result, encoder));
    // The older form pairs by the function's name.
    if encoder.partner(position) == Some("function_call") {
        return format!(r#"{{"role":"function","name":{},"content":{text}}}"#, quote(&result.call_id));
    }
    format!(r#"{{"role":"tool","tool_call_id":{},"content":{text}}}"#, quote(&result.call_id))
}

/// A result as one text, for formats whose results are texts. A failure can still be told from it.
pub(super) fn result_text(result: &ToolResult, encoder: &mut Encoder<'_>) -> String {
    let text = plain_text(result, encoder);
    let says_so = text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("error"));
    if result.is_error && !says_so { format!("Error: {text}") } else { text }
}

/// What can be read of a result; a mark stands for what cannot.
pub(super) fn plain_text(result: &ToolResult, encoder: &mut Encoder<'_>) -> String {
    let mut pieces: Vec<&str> = Vec::new();
    for part in &result.content {
        match part {
            Part::Text(text) => pieces.push(text),
            Part::Image(_) => {
                encoder.lose("an image in a tool result");
                pieces.push(IMAGE_MARK);
            }
            Part::Document(media) => match &media.source {
                MediaSource::Text(text) => pieces.push(text),
                _ => {
                    encoder.lose("a document in a tool result");
                    pieces.push(DOCUMENT_MARK);
                }
            },
            Part::Opaque(opaque) if opaque.text.is_empty() => {
                encoder.lose(format!("a block of the kind `{}` in a tool result", opaque.kind));
            }
            Part::Opaque(opaque) => pieces.push(&opaque.text),
            _ => {}
        }
    }
    pieces.join("\n")
}

fn encode_image(media: &Media, encoder: &mut Encoder<'_>) -> String {
    let Some(url) = to_url(media, "image/png") else {
        encoder.lose("an image that only its provider has");
        return text_part(IMAGE_MARK);
    };
    let detail = if media.low_detail { r#","detail":"low""# } else { "" };
    format!(r#"{{"type":"image_url","image_url":{{"url":{}{detail}}}}}"#, quote(&url))
}

fn encode_document(media: &Media, encoder: &mut Encoder<'_>) -> String {
    let name = media.name.as_deref().unwrap_or("document");
    let audio = media.media_type.as_deref().and_then(|media_type| media_type.strip_prefix("audio/"));
    match (&media.source, audio) {
        (MediaSource::Text(text), _) => text_part(text),
        (MediaSource::Base64(data), Some(format)) => format!(
            r#"{{"type":"input_audio","input_audio":{{"data":{},"format":{}}}}}"#,
            quote(data),
            quote(format)
        ),
        (MediaSource::Base64(_), None) => {
            let data = to_url(media, "application/pdf").unwrap_or_default();
            format!(r#"{{"type":"file","file":{{"filename":{},"file_data":{}}}}}"#, quote(name), quote(&data))
        }
        (MediaSource::FileId(id), _) if encoder.own => {
            format!(r#"{{"type":"file","file":{{"file_id":{}}}}}"#, quote(id))
        }
        _ => {
            encoder.lose("a document that only its provider has");
            text_part(DOCUMENT_MARK)
        }
    }
}
