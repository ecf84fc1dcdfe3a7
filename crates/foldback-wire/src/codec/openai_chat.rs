//! OpenAI Chat Completions, and the many servers compatible with it.

use foldback_model::{
    Context, Media, MediaSource, Message, Opaque, Part, Role, Thinking, ToolCall, ToolResult,
};

use super::media::{DOCUMENT_MARK, IMAGE_MARK, from_url, to_url};
use super::{Frame, ShapeError};
use crate::json::{self, Object, quote};

pub(super) fn decode(object: &Object<'_>) -> Result<Message, ShapeError> {
    let role = object.text("role").ok_or_else(|| {
        ShapeError::new("role", "a message without a role", "system, developer, user, assistant or tool")
    })?;
    let role = match role.as_str() {
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
    let mut parts = Vec::new();
    if role == Role::Tool {
        // The older form answers the one call of the message before by the function's name.
        let id = object.text("tool_call_id").or_else(|| object.text("name")).unwrap_or_default();
        let mut result = ToolResult::new(id, "");
        result.name = object.text("name");
        result.content = content;
        parts.push(Part::ToolResult(result));
        return Ok(Message::new(role, parts));
    }
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
    let mut message = Message::new(role, parts);
    message.meta.id = object.text("id");
    message.meta.cache_marker = object.has("cache_control")
        || object.list("content").unwrap_or_default().iter().any(|part| part.contains("\"cache_control\""));
    Ok(message)
}

fn content(object: &Object<'_>) -> Result<Vec<Part>, ShapeError> {
    let Some(content) = object.get("content") else { return Ok(Vec::new()) };
    if let Some(text) = json::string(content) {
        return Ok(if text.is_empty() { Vec::new() } else { vec![Part::Text(text)] });
    }
    let parts = json::list(content).ok_or_else(|| {
        ShapeError::new("content", "content of another kind", "a text, a list of parts or null")
    })?;
    Ok(parts.into_iter().map(decode_part).collect())
}

fn decode_part(part: &str) -> Part {
    let Some(object) = Object::parse(part) else {
        return json::string(part).map_or_else(|| opaque("", part), Part::Text);
    };
    let kind = object.text("type").unwrap_or_default();
    let known = match kind.as_str() {
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
    let detail = Object::parse(value).and_then(|image| image.text("detail"));
    let url = json::string(value).or_else(|| Object::parse(value)?.text("url"))?;
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
    let object = Object::parse(call)
        .ok_or_else(|| ShapeError::new(&path, "no object", "an object with id and function"))?;
    let body = object.object("function").or_else(|| object.object("custom")).ok_or_else(|| {
        ShapeError::new(&path, "a call without `function`", "an object with `function` or `custom`")
    })?;
    let arguments = body.get_any(&["arguments", "input"]).unwrap_or("\"\"");
    let arguments = json::string(arguments).unwrap_or_else(|| arguments.to_owned());
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

fn opaque(kind: &str, part: &str) -> Part {
    Part::Opaque(Opaque::new(kind, json::readable(part), part))
}

pub(super) fn frame(context: &Context) -> Frame {
    let mut frame = Frame::default();
    if let Some(system) = &context.system {
        frame.first.push(format!(r#"{{"role":"system","content":{}}}"#, quote(system)));
    }
    let tools: Vec<String> = context
        .tools
        .iter()
        .map(|tool| {
            format!(
                r#"{{"type":"function","function":{{"name":{},"description":{},"parameters":{}}}}}"#,
                quote(&tool.name),
                quote(&tool.description),
                tool.schema
            )
        })
        .collect();
    if !tools.is_empty() {
        frame.after.push(("tools", format!("[{}]", tools.join(","))));
    }
    frame
}

pub(super) fn encode(message: &Message, lost: &mut dyn FnMut(String)) -> Vec<String> {
    let mut elements: Vec<String> = message.results().map(|result| encode_result(result, lost)).collect();
    let mut content = Vec::new();
    let mut calls = Vec::new();
    for part in message.parts() {
        match part {
            Part::Text(text) if text.trim().is_empty() => {}
            Part::Text(text) => content.push(format!(r#"{{"type":"text","text":{}}}"#, quote(text))),
            Part::Image(media) => content.push(encode_image(media, lost)),
            Part::Document(media) => content.push(encode_document(media, lost)),
            Part::ToolCall(call) => calls.push(format!(
                r#"{{"id":{},"type":"function","function":{{"name":{},"arguments":{}}}}}"#,
                quote(&call.id),
                quote(&call.name),
                quote(&call.arguments)
            )),
            Part::Thinking(_) => lost("reasoning".to_owned()),
            Part::Opaque(opaque) => lost(format!("a block of the kind `{}`", opaque.kind)),
            _ => {}
        }
    }
    if content.is_empty() && calls.is_empty() {
        return elements;
    }
    let role = message.role.as_str();
    let role = if message.role == Role::Tool { "user" } else { role };
    let content = match content.as_slice() {
        [] => "null".to_owned(),
        // One text is written as such: every server takes that form.
        [_] if text_only(message).is_some() => quote(&text_only(message).unwrap_or_default()),
        parts => format!("[{}]", parts.join(",")),
    };
    let calls =
        if calls.is_empty() { String::new() } else { format!(r#","tool_calls":[{}]"#, calls.join(",")) };
    elements.push(format!(r#"{{"role":"{role}","content":{content}{calls}}}"#));
    elements
}

/// The one text of a message that has no other content to show.
fn text_only(message: &Message) -> Option<String> {
    let mut shown = message.parts().iter().filter(|part| match part {
        Part::Text(text) => !text.trim().is_empty(),
        Part::Image(_) | Part::Document(_) => true,
        _ => false,
    });
    match (shown.next(), shown.next()) {
        (Some(Part::Text(text)), None) => Some(text.clone()),
        _ => None,
    }
}

fn encode_result(result: &ToolResult, lost: &mut dyn FnMut(String)) -> String {
    let text = result_text(result, lost);
    format!(r#"{{"role":"tool","tool_call_id":{},"content":{}}}"#, quote(&result.call_id), quote(&text))
}

/// A result as one text, for formats whose results are texts. A failure can still be told from it.
pub(super) fn result_text(result: &ToolResult, lost: &mut dyn FnMut(String)) -> String {
    let mut pieces = Vec::new();
    for part in &result.content {
        match part {
            Part::Text(text) => pieces.push(text.clone()),
            Part::Image(_) => {
                lost("an image in a tool result".to_owned());
                pieces.push(IMAGE_MARK.to_owned());
            }
            Part::Document(_) => {
                lost("a document in a tool result".to_owned());
                pieces.push(DOCUMENT_MARK.to_owned());
            }
            Part::Opaque(opaque) if !opaque.text.is_empty() => pieces.push(opaque.text.clone()),
            _ => {}
        }
    }
    let text = pieces.join("\n");
    let says_so = text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("error"));
    if result.is_error && !says_so { format!("Error: {text}") } else { text }
}

fn encode_image(media: &Media, lost: &mut dyn FnMut(String)) -> String {
    let Some(url) = to_url(media, "image/png") else {
        lost("an image that only its provider has".to_owned());
        return format!(r#"{{"type":"text","text":"{IMAGE_MARK}"}}"#);
    };
    let detail = if media.low_detail { r#","detail":"low""# } else { "" };
    format!(r#"{{"type":"image_url","image_url":{{"url":{}{detail}}}}}"#, quote(&url))
}

fn encode_document(media: &Media, lost: &mut dyn FnMut(String)) -> String {
    match &media.source {
        MediaSource::Text(text) => format!(r#"{{"type":"text","text":{}}}"#, quote(text)),
        MediaSource::Base64(_) => {
            let data = to_url(media, "application/pdf").unwrap_or_default();
            let name = media.name.as_deref().unwrap_or("document");
            format!(r#"{{"type":"file","file":{{"filename":{},"file_data":{}}}}}"#, quote(name), quote(&data))
        }
        _ => {
            lost("a document that only its provider has".to_owned());
            format!(r#"{{"type":"text","text":"{DOCUMENT_MARK}"}}"#)
        }
    }
}
