//! OpenAI Responses: one item is one message.

use foldback_model::{
    Context, Media, MediaSource, Message, Opaque, Part, Role, Thinking, ToolCall, ToolResult,
};

use super::media::{DOCUMENT_MARK, IMAGE_MARK, from_url, to_url};
use super::openai_chat::result_text;
use super::{Frame, ShapeError};
use crate::json::{self, Object, quote};

pub(super) fn decode(object: &Object<'_>, item: &str) -> Result<Message, ShapeError> {
    let kind = object.text("type").unwrap_or_else(|| "message".to_owned());
    let mut message = match kind.as_str() {
        "message" => decode_message(object)?,
        "reasoning" => Message::new(Role::Assistant, vec![Part::Thinking(reasoning(object))]),
        _ if kind.ends_with("_call_output") || kind.ends_with("_output") => match object.text("call_id") {
            Some(id) => Message::tool(output(&id, object)),
            None => server_item(&kind, item),
        },
        _ => match object.text("call_id").filter(|_| is_call(&kind, object)) {
            Some(id) => Message::new(Role::Assistant, vec![Part::ToolCall(call(&kind, id, object))]),
            None => server_item(&kind, item),
        },
    };
    message.meta.id = object.text("id");
    Ok(message)
}

/// Whether the item waits for an output. What the server runs itself carries its outcome.
fn is_call(kind: &str, object: &Object<'_>) -> bool {
    kind.ends_with("_call") && object.text("execution").as_deref() != Some("server")
}

fn decode_message(object: &Object<'_>) -> Result<Message, ShapeError> {
    let role = match object.text("role").as_deref() {
        Some("system") => Role::System,
        Some("developer") => Role::Developer,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some(other) => {
            return Err(ShapeError::new(
                "role",
                format!("an unknown role `{other}`"),
                "system, developer, user or assistant",
            ));
        }
        None => {
            return Err(ShapeError::new(
                "",
                "an item with neither `type` nor `role`",
                "an item of the Responses API",
            ));
        }
    };
    let parts = match object.get("content") {
        None => Vec::new(),
        Some(content) => decode_content(content).ok_or_else(|| {
            ShapeError::new("content", "content of another kind", "a text or a list of parts")
        })?,
    };
    Ok(Message::new(role, parts))
}

fn decode_content(content: &str) -> Option<Vec<Part>> {
    if let Some(text) = json::string(content) {
        return Some(if text.is_empty() { Vec::new() } else { vec![Part::Text(text)] });
    }
    Some(json::list(content)?.into_iter().map(decode_part).collect())
}

fn decode_part(part: &str) -> Part {
    let Some(object) = Object::parse(part) else { return opaque("", part) };
    let kind = object.text("type").unwrap_or_default();
    let known = match kind.as_str() {
        "input_text" | "output_text" | "text" | "summary_text" => object.text("text").map(Part::Text),
        "refusal" => object.text("refusal").map(Part::Text),
        "input_image" => image(&object).map(Part::Image),
        "input_file" => document(&object).map(Part::Document),
        _ => None,
    };
    known.unwrap_or_else(|| opaque(&kind, part))
}

fn image(object: &Object<'_>) -> Option<Media> {
    let mut media = match object.text("image_url") {
        Some(url) => from_url(&url),
        None => Media::new(None, MediaSource::FileId(object.text("file_id")?)),
    };
    media.low_detail = object.text("detail").as_deref() == Some("low");
    Some(media)
}

fn document(object: &Object<'_>) -> Option<Media> {
    let mut media = match (object.text("file_data"), object.text("file_url")) {
        (Some(data), _) => from_url(&data),
        (None, Some(url)) => Media::new(None, MediaSource::Url(url)),
        (None, None) => Media::new(None, MediaSource::FileId(object.text("file_id")?)),
    };
    media.name = object.text("filename");
    Some(media)
}

fn reasoning(object: &Object<'_>) -> Thinking {
    let texts = |key| {
        let parts = object.get(key).and_then(decode_content).unwrap_or_default();
        parts.iter().filter_map(Part::as_text).map(str::to_owned).collect::<Vec<_>>()
    };
    let mut pieces = texts("summary");
    pieces.extend(texts("content"));
    let mut thinking = Thinking::new(pieces.join("\n"));
    thinking.signature = object.text("encrypted_content");
    thinking.sealed = thinking.text.is_empty();
    thinking
}

/// A call of any kind: its id is `call_id`; `id` is the item's own.
fn call(kind: &str, id: String, object: &Object<'_>) -> ToolCall {
    let name = object.text("name").unwrap_or_else(|| kind.trim_end_matches("_call").to_owned());
    let arguments = object.get_any(&["arguments", "input", "action", "operation"]).unwrap_or("{}");
    ToolCall::new(id, name, json::string(arguments).unwrap_or_else(|| arguments.to_owned()))
}

fn output(id: &str, object: &Object<'_>) -> ToolResult {
    let mut result = ToolResult::new(id, "");
    result.content = match object.get_any(&["output", "tools"]) {
        None => Vec::new(),
        Some(output) => decode_content(output).unwrap_or_else(|| match Object::parse(output) {
            Some(part) if part.has("type") => vec![decode_part(output)],
            _ => vec![Part::Text(output.to_owned())],
        }),
    };
    result.is_error = object.text("status").as_deref() == Some("failed");
    result
}

/// An item that the server makes and answers itself.
fn server_item(kind: &str, item: &str) -> Message {
    Message::new(Role::Assistant, vec![opaque(kind, item)])
}

fn opaque(kind: &str, json: &str) -> Part {
    Part::Opaque(Opaque::new(kind, json::readable(json), json))
}

/// Binds the items of one reply: reasoning is refused without what follows it, and a call without the
/// reasoning before it.
pub(super) fn bind(messages: &mut [Message]) {
    for index in 1..messages.len() {
        let one_reply =
            messages[index - 1].role == Role::Assistant && messages[index].role == Role::Assistant;
        messages[index - 1].meta.binds_next = one_reply;
    }
}

pub(super) fn frame(context: &Context) -> Frame {
    let mut frame = Frame::default();
    if let Some(system) = &context.system {
        frame.before.push(("instructions", quote(system)));
    }
    let tools: Vec<String> = context
        .tools
        .iter()
        .map(|tool| {
            format!(
                r#"{{"type":"function","name":{},"description":{},"parameters":{}}}"#,
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
    let mut items: Vec<String> = message.results().map(|result| encode_result(result, lost)).collect();
    let mut content = Vec::new();
    let mut calls = Vec::new();
    let text_type = if message.role == Role::Assistant { "output_text" } else { "input_text" };
    for part in message.parts() {
        match part {
            Part::Text(text) if text.trim().is_empty() => {}
            Part::Text(text) => content.push(format!(r#"{{"type":"{text_type}","text":{}}}"#, quote(text))),
            Part::Image(media) => content.push(encode_image(media, text_type, lost)),
            Part::Document(media) => content.push(encode_document(media, text_type, lost)),
            Part::ToolCall(call) => calls.push(format!(
                r#"{{"type":"function_call","call_id":{},"name":{},"arguments":{}}}"#,
                quote(&call.id),
                quote(&call.name),
                quote(&call.arguments)
            )),
            Part::Thinking(_) => lost("reasoning".to_owned()),
            Part::Opaque(opaque) => lost(format!("a block of the kind `{}`", opaque.kind)),
            _ => {}
        }
    }
    if !content.is_empty() {
        let role = if message.role == Role::Tool { "user" } else { message.role.as_str() };
        items.push(format!(r#"{{"type":"message","role":"{role}","content":[{}]}}"#, content.join(",")));
    }
    items.extend(calls);
    items
}

fn encode_result(result: &ToolResult, lost: &mut dyn FnMut(String)) -> String {
    let has_media = result.content.iter().any(|part| matches!(part, Part::Image(_) | Part::Document(_)));
    let output = if has_media {
        let parts: Vec<String> = result
            .content
            .iter()
            .filter_map(|part| match part {
                Part::Text(text) => Some(format!(r#"{{"type":"input_text","text":{}}}"#, quote(text))),
                Part::Image(media) => Some(encode_image(media, "input_text", lost)),
                Part::Document(media) => Some(encode_document(media, "input_text", lost)),
                _ => None,
            })
            .collect();
        format!("[{}]", parts.join(","))
    } else {
        quote(&result_text(result, lost))
    };
    format!(r#"{{"type":"function_call_output","call_id":{},"output":{output}}}"#, quote(&result.call_id))
}

fn mark(text_type: &str, mark: &str) -> String {
    format!(r#"{{"type":"{text_type}","text":"{mark}"}}"#)
}

fn encode_image(media: &Media, text_type: &str, lost: &mut dyn FnMut(String)) -> String {
    let Some(url) = to_url(media, "image/png").filter(|_| text_type == "input_text") else {
        lost("an image".to_owned());
        return mark(text_type, IMAGE_MARK);
    };
    let detail = if media.low_detail { "low" } else { "auto" };
    format!(r#"{{"type":"input_image","image_url":{},"detail":"{detail}"}}"#, quote(&url))
}

fn encode_document(media: &Media, text_type: &str, lost: &mut dyn FnMut(String)) -> String {
    let name = media.name.as_deref().unwrap_or("document");
    match &media.source {
        MediaSource::Text(text) => format!(r#"{{"type":"{text_type}","text":{}}}"#, quote(text)),
        MediaSource::Url(url) if text_type == "input_text" => {
            format!(r#"{{"type":"input_file","file_url":{}}}"#, quote(url))
        }
        MediaSource::Base64(_) if text_type == "input_text" => {
            let data = to_url(media, "application/pdf").unwrap_or_default();
            format!(r#"{{"type":"input_file","filename":{},"file_data":{}}}"#, quote(name), quote(&data))
        }
        _ => {
            lost("a document".to_owned());
            mark(text_type, DOCUMENT_MARK)
        }
    }
}
