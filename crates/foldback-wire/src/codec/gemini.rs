//! Gemini contents.
//!
//! Calls and responses pair by count and by name, within one content and the next. Readers give them
//! ids so that the call graph sees the pairs; these ids are never written.

use foldback_model::{
    Context, Media, MediaSource, Message, Opaque, Part, Role, Thinking, ToolCall, ToolResult,
};

use super::media::{DOCUMENT_MARK, IMAGE_MARK};
use super::openai_chat::plain_text;
use super::{Encoder, Frame, ShapeError};
use crate::json::{self, Object, quote};
use crate::scan;

/// Begins every id that a reader made up.
const MADE_UP: &str = "gemini-";

pub(super) fn decode(object: &Object<'_>) -> Result<Message, ShapeError> {
    let role = match object.word("role").as_deref() {
        Some("model") => Role::Assistant,
        Some("user" | "function" | "tool") | None => Role::User,
        Some("system") => Role::System,
        Some(other) => {
            return Err(ShapeError::new("role", format!("an unknown role `{other}`"), "user or model"));
        }
    };
    let parts = match object.get("parts") {
        None => Vec::new(),
        Some(parts) => scan::list(parts)
            .or_else(|| scan::object(parts).map(|_| vec![parts]))
            .ok_or_else(|| ShapeError::new("parts", "parts of another kind", "a list of parts"))?,
    };
    Ok(Message::new(role, parts.into_iter().map(decode_part).collect()))
}

fn decode_part(part: &str) -> Part {
    let Some(object) = scan::object(part) else {
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
    let known = if let Some(data) = object.get_any(&["inlineData", "inline_data"]).and_then(scan::object) {
        let content = data.text("data").map(MediaSource::Base64);
        content.map(|content| media(media_type(&data), content))
    } else if let Some(file) = object.get_any(&["fileData", "file_data"]).and_then(scan::object) {
        let uri = file.get_any(&["fileUri", "file_uri"]).and_then(json::string).map(MediaSource::Url);
        uri.map(|uri| media(media_type(&file), uri))
    } else if let Some(call) = object.get_any(&["functionCall", "function_call"]).and_then(scan::object) {
        let id = call.text("id").unwrap_or_default();
        let name = call.text("name").unwrap_or_default();
        let mut call =
            ToolCall::new(id, name, call.get("args").map_or_else(|| "{}".to_owned(), json::compact));
        call.signature = signature(&object);
        Some(Part::ToolCall(call))
    } else {
        let response = object.get_any(&["functionResponse", "function_response"]).and_then(scan::object);
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
    let body = response.get("response").map_or_else(|| "{}".to_owned(), json::compact);
    let is_error = scan::object(&body).is_some_and(|body| body.get("error").is_some());
    let mut result = ToolResult::new(response.text("id").unwrap_or_default(), body);
    result.name = response.text("name");
    result.is_error = is_error;
    let media = response.list("parts").unwrap_or_default();
    // Pictures and files; a response inside a response is nothing that the API knows.
    let inner = |part: &str| {
        let is_response = scan::object(part)
            .is_some_and(|part| part.has("functionResponse") || part.has("function_response"));
        if is_response { opaque("functionResponse", part) } else { decode_part(part) }
    };
    result.content.extend(media.into_iter().map(inner));
    Part::ToolResult(result)
}

fn opaque(kind: &str, part: &str) -> Part {
    Part::Opaque(Opaque::new(kind, json::readable(part), part))
}

/// Gives ids to calls and responses that have none: a response answers the first unanswered call of
/// its name in the nearest reply with calls.
pub(super) fn pair(messages: &mut [Message]) {
    // Name and id of the calls that wait for a response.
    let mut open: Vec<(String, String)> = Vec::new();
    let mut last_role = None;
    for (index, message) in messages.iter_mut().enumerate() {
        let follows_reply = last_role.replace(message.role) == Some(Role::Assistant);
        let has_calls = message.calls().next().is_some();
        // Contents of the model in a row are one reply, which was streamed in pieces.
        if has_calls && !follows_reply {
            open.clear();
        }
        if !has_calls && message.results().next().is_none() {
            continue;
        }
        let mut parts = message.parts().to_vec();
        for (position, part) in parts.iter_mut().enumerate() {
            match part {
                Part::ToolCall(call) => {
                    if call.id.is_empty() {
                        call.id = format!("{MADE_UP}{index}-{position}");
                    }
                    open.push((call.name.clone(), call.id.clone()));
                }
                Part::ToolResult(result) => answer(result, &mut open, (index, position)),
                _ => {}
            }
        }
        // The ids are ours; what the content says is still what its JSON says.
        let raw = message.raw().cloned();
        message.set_parts(parts);
        if let Some(raw) = raw {
            let message_of_parts = std::mem::replace(message, Message::new(Role::User, Vec::new()));
            *message = message_of_parts.with_raw(raw);
        }
    }
}

fn answer(result: &mut ToolResult, open: &mut Vec<(String, String)>, (index, position): (usize, usize)) {
    let name = result.name.as_deref().unwrap_or_default();
    let answers = |(call, id): &(String, String)| {
        if result.call_id.is_empty() { call == name } else { *id == result.call_id }
    };
    let found = open.iter().position(answers).map(|found| open.remove(found).1);
    if result.call_id.is_empty() {
        result.call_id = found.unwrap_or_else(|| format!("{MADE_UP}orphan-{index}-{position}"));
    }
}

/// The text of `systemInstruction`: a content, a list of parts or a bare text.
pub(super) fn system_text(system: &str) -> String {
    if let Some(text) = json::string(system) {
        return text;
    }
    let parts = scan::object(system).and_then(|content| content.list("parts")).or_else(|| scan::list(system));
    let texts: Vec<String> =
        parts.unwrap_or_default().into_iter().filter_map(|part| scan::object(part)?.text("text")).collect();
    texts.join("\n\n")
}

pub(super) fn frame(context: &Context, max_tokens: Option<&str>) -> Frame {
    let mut frame = Frame::default();
    let system = |text: &String| format!(r#"{{"parts":[{}]}}"#, text_part(text));
    frame.before.extend(context.system.as_ref().map(|text| ("systemInstruction", system(text))));
    let limit = |limit: &str| ("generationConfig", format!(r#"{{"maxOutputTokens":{limit}}}"#));
    frame.after.extend(max_tokens.map(limit));
    frame
}

pub(super) fn encode(message: &Message, encoder: &mut Encoder<'_>) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = Vec::new();
    for part in message.parts() {
        match part {
            // Responses stand at the front of the content.
            Part::ToolResult(result) => parts.push(encode_result(result, encoder)),
            Part::Text(text) if text.trim().is_empty() => {}
            Part::Text(text) => rest.push(text_part(text)),
            Part::Image(media) => rest.push(encode_media(media, "image/png", IMAGE_MARK, encoder)),
            Part::Document(media) => {
                rest.push(encode_media(media, "application/pdf", DOCUMENT_MARK, encoder))
            }
            Part::ToolCall(call) => rest.push(encode_call(call, encoder)),
            Part::Thinking(thinking) if encoder.own => rest.push(encode_thought(thinking)),
            Part::Thinking(_) => encoder.lose("reasoning"),
            Part::Opaque(opaque) => rest.extend(encoder.opaque(opaque)),
            _ => {}
        }
    }
    parts.append(&mut rest);
    if parts.is_empty() {
        return Vec::new();
    }
    let role = if message.role == Role::Assistant { "model" } else { "user" };
    vec![format!(r#"{{"role":"{role}","parts":[{}]}}"#, parts.join(","))]
}

fn id(id: &str) -> String {
    if id.is_empty() || id.starts_with(MADE_UP) { String::new() } else { format!(r#""id":{},"#, quote(id)) }
}

/// A signature beside what it signs; another provider's means nothing here.
fn signed(signature: Option<&String>) -> String {
    signature.map_or_else(String::new, |signature| format!(r#","thoughtSignature":{}"#, quote(signature)))
}

fn encode_call(call: &ToolCall, encoder: &Encoder<'_>) -> String {
    let signature = signed(call.signature.as_ref().filter(|_| encoder.own));
    format!(
        r#"{{"functionCall":{{{}"name":{},"args":{}}}{signature}}}"#,
        id(&call.id),
        quote(&call.name),
        json::object_of(&call.arguments)
    )
}

fn encode_thought(thinking: &Thinking) -> String {
    let signature = signed(thinking.signature.as_ref());
    format!(r#"{{"text":{},"thought":true{signature}}}"#, quote(&thinking.text))
}

fn encode_result(result: &ToolResult, encoder: &mut Encoder<'_>) -> String {
    let name = result.name.as_deref().unwrap_or("unknown");
    let text = plain_text(result, encoder);
    // What came from Gemini is an object already.
    let response = match (Object::parse(&text), result.is_error) {
        (Some(body), true) if body.get("error").is_some() => text,
        (_, true) => format!(r#"{{"error":{}}}"#, quote(&text)),
        (Some(_), false) => text,
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

fn encode_media(media: &Media, default_type: &str, mark: &str, encoder: &mut Encoder<'_>) -> String {
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
            encoder.lose("content that only its provider has");
            text_part(mark)
        }
    }
}
