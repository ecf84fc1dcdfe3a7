//! Gemini contents.
//!
//! Calls and responses pair by count and by name, within one content and the next. Readers give them
//! ids so that the call graph sees the pairs; these ids are never written.

use foldback_model::{
    Context, Media, MediaSource, Message, Opaque, Part, Role, Thinking, ToolCall, ToolResult,
};

use super::media::{DOCUMENT_MARK, IMAGE_MARK};
use super::openai_chat::result_text;
use super::{Frame, ShapeError};
use crate::json::{self, Object, quote};

/// Begins every id that a reader made up.
const MADE_UP: &str = "gemini-";

pub(super) fn decode(object: &Object<'_>) -> Result<Message, ShapeError> {
    let role = match object.text("role").as_deref() {
        Some("model") => Role::Assistant,
        Some("user" | "function" | "tool") | None => Role::User,
        Some("system") => Role::System,
        Some(other) => {
            return Err(ShapeError::new("role", format!("an unknown role `{other}`"), "user or model"));
        }
    };
    let parts = match object.get("parts") {
        None => Vec::new(),
        Some(parts) => json::list(parts)
            .or_else(|| Object::parse(parts).map(|_| vec![parts]))
            .ok_or_else(|| ShapeError::new("parts", "parts of another kind", "a list of parts"))?,
    };
    Ok(Message::new(role, parts.into_iter().map(decode_part).collect()))
}

fn decode_part(part: &str) -> Part {
    let Some(object) = Object::parse(part) else {
        return json::string(part).map_or_else(|| opaque("", part), Part::Text);
    };
    if let Some(text) = object.text("text") {
        if object.flag("thought") {
            let mut thinking = Thinking::new(text);
            thinking.signature = signature(&object);
            return Part::Thinking(thinking);
        }
        return Part::Text(text);
    }
    let known = if let Some(data) = object.get_any(&["inlineData", "inline_data"]).and_then(Object::parse) {
        let content = data.text("data").map(MediaSource::Base64);
        content.map(|content| media(media_type(&data), content))
    } else if let Some(file) = object.get_any(&["fileData", "file_data"]).and_then(Object::parse) {
        let uri = file.get_any(&["fileUri", "file_uri"]).and_then(json::string).map(MediaSource::Url);
        uri.map(|uri| media(media_type(&file), uri))
    } else if let Some(call) = object.get_any(&["functionCall", "function_call"]).and_then(Object::parse) {
        let id = call.text("id").unwrap_or_default();
        let name = call.text("name").unwrap_or_default();
        let mut call = ToolCall::new(id, name, call.get("args").unwrap_or("{}"));
        call.signature = signature(&object);
        Some(Part::ToolCall(call))
    } else {
        let response = object.get_any(&["functionResponse", "function_response"]).and_then(Object::parse);
        response.map(|response| decode_response(&response))
    };
    known.unwrap_or_else(|| opaque(object.members().next().map_or("", |(name, _)| name), part))
}

fn signature(object: &Object<'_>) -> Option<String> {
    object.get_any(&["thoughtSignature", "thought_signature"]).and_then(json::string)
}

fn media_type(object: &Object<'_>) -> Option<String> {
    object.get_any(&["mimeType", "mime_type"]).and_then(json::string)
}

fn media(media_type: Option<String>, content: MediaSource) -> Part {
    let is_image = media_type.as_deref().is_some_and(|name| name.starts_with("image/"));
    let media = Media::new(media_type, content);
    if is_image { Part::Image(media) } else { Part::Document(media) }
}

fn decode_response(response: &Object<'_>) -> Part {
    let body = response.get("response").unwrap_or("{}");
    let mut result = ToolResult::new(response.text("id").unwrap_or_default(), body);
    result.name = response.text("name");
    result.is_error = Object::parse(body).is_some_and(|body| body.get("error").is_some());
    let media = response.list("parts").unwrap_or_default();
    result.content.extend(media.into_iter().map(decode_part));
    Part::ToolResult(result)
}

fn opaque(kind: &str, part: &str) -> Part {
    Part::Opaque(Opaque::new(kind, json::readable(part), part))
}

/// Gives ids to calls and responses that have none: a response answers the first unanswered call of
/// its name in the nearest content with calls.
pub(super) fn pair(messages: &mut [Message]) {
    let mut open: Vec<(String, String)> = Vec::new();
    for (index, message) in messages.iter_mut().enumerate() {
        let has_calls = message.calls().next().is_some();
        if has_calls {
            open.clear();
        }
        let mut parts = message.parts().to_vec();
        let mut changed = false;
        for (position, part) in parts.iter_mut().enumerate() {
            match part {
                Part::ToolCall(call) => {
                    if call.id.is_empty() {
                        call.id = format!("{MADE_UP}{index}-{position}");
                        changed = true;
                    }
                    open.push((call.name.clone(), call.id.clone()));
                }
                Part::ToolResult(result) => {
                    let name = result.name.clone().unwrap_or_default();
                    let answers = |(call, id): &(String, String)| {
                        if result.call_id.is_empty() { *call == name } else { *id == result.call_id }
                    };
                    let found = open.iter().position(answers).map(|found| open.remove(found).1);
                    if result.call_id.is_empty() {
                        result.call_id =
                            found.unwrap_or_else(|| format!("{MADE_UP}orphan-{index}-{position}"));
                        changed = true;
                    }
                }
                _ => {}
            }
        }
        if changed {
            // The ids are ours; what the content says is still what its JSON says.
            let raw = message.raw().cloned();
            message.set_parts(parts);
            if let Some(raw) = raw {
                *message = message.clone().with_raw(raw);
            }
        }
    }
}

/// The text of `systemInstruction`: a content, a list of parts or a bare text.
pub(super) fn system_text(system: &str) -> String {
    if let Some(text) = json::string(system) {
        return text;
    }
    let parts =
        Object::parse(system).and_then(|content| content.list("parts")).or_else(|| json::list(system));
    let texts: Vec<String> =
        parts.unwrap_or_default().into_iter().filter_map(|part| Object::parse(part)?.text("text")).collect();
    texts.join("\n\n")
}

pub(super) fn frame(context: &Context) -> Frame {
    let mut frame = Frame::default();
    if let Some(system) = &context.system {
        frame.before.push(("systemInstruction", format!(r#"{{"parts":[{{"text":{}}}]}}"#, quote(system))));
    }
    let tools: Vec<String> = context
        .tools
        .iter()
        .map(|tool| {
            format!(
                r#"{{"name":{},"description":{},"parametersJsonSchema":{}}}"#,
                quote(&tool.name),
                quote(&tool.description),
                tool.schema
            )
        })
        .collect();
    if !tools.is_empty() {
        frame.after.push(("tools", format!(r#"[{{"functionDeclarations":[{}]}}]"#, tools.join(","))));
    }
    frame
}

pub(super) fn encode(message: &Message, lost: &mut dyn FnMut(String)) -> Vec<String> {
    let mut results = Vec::new();
    let mut parts = Vec::new();
    for part in message.parts() {
        match part {
            Part::ToolResult(result) => results.push(encode_result(result, lost)),
            Part::Text(text) if text.trim().is_empty() => {}
            Part::Text(text) => parts.push(text_part(text)),
            Part::Image(media) => parts.push(encode_media(media, "image/png", IMAGE_MARK, lost)),
            Part::Document(media) => parts.push(encode_media(media, "application/pdf", DOCUMENT_MARK, lost)),
            Part::ToolCall(call) => parts.push(encode_call(call)),
            Part::Thinking(_) => lost("reasoning".to_owned()),
            Part::Opaque(opaque) => lost(format!("a part of the kind `{}`", opaque.kind)),
            _ => {}
        }
    }
    results.extend(parts);
    if results.is_empty() {
        return Vec::new();
    }
    let role = if message.role == Role::Assistant { "model" } else { "user" };
    vec![format!(r#"{{"role":"{role}","parts":[{}]}}"#, results.join(","))]
}

fn id(id: &str) -> String {
    if id.is_empty() || id.starts_with(MADE_UP) { String::new() } else { format!(r#""id":{},"#, quote(id)) }
}

fn encode_call(call: &ToolCall) -> String {
    let args = match Object::parse(&call.arguments) {
        Some(_) => call.arguments.clone(),
        None if call.arguments.trim().is_empty() => "{}".to_owned(),
        None => format!(r#"{{"input":{}}}"#, quote(&call.arguments)),
    };
    format!(r#"{{"functionCall":{{{}"name":{},"args":{args}}}}}"#, id(&call.id), quote(&call.name))
}

fn encode_result(result: &ToolResult, lost: &mut dyn FnMut(String)) -> String {
    let name = result.name.as_deref().unwrap_or("unknown");
    let text = result_text(result, lost);
    // What came from Gemini is an object already.
    let response = match (Object::parse(&text), result.is_error) {
        (Some(_), _) => text,
        (None, true) => format!(r#"{{"error":{}}}"#, quote(&text)),
        (None, false) => format!(r#"{{"result":{}}}"#, quote(&text)),
    };
    format!(
        r#"{{"functionResponse":{{{}"name":{},"response":{response}}}}}"#,
        id(&result.call_id),
        quote(name)
    )
}

fn text_part(text: &str) -> String {
    format!(r#"{{"text":{}}}"#, quote(text))
}

fn encode_media(media: &Media, default_type: &str, mark: &str, lost: &mut dyn FnMut(String)) -> String {
    let media_type = quote(media.media_type.as_deref().unwrap_or(default_type));
    match &media.source {
        MediaSource::Base64(data) => {
            format!(r#"{{"inlineData":{{"mimeType":{media_type},"data":{}}}}}"#, quote(data))
        }
        MediaSource::Url(url) => {
            format!(r#"{{"fileData":{{"mimeType":{media_type},"fileUri":{}}}}}"#, quote(url))
        }
        MediaSource::Text(text) => text_part(text),
        _ => {
            lost("content that only its provider has".to_owned());
            text_part(mark)
        }
    }
}
