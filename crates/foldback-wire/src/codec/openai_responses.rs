//! OpenAI Responses: one item is one message.

use foldback_model::{
    Context, Media, MediaSource, Message, Opaque, Part, Role, Thinking, ToolCall, ToolResult,
};

use super::media::{DOCUMENT_MARK, IMAGE_MARK, from_url, mark_of, to_url};
use super::openai_chat::{plain_text, result_text};
use super::{Encoder, Frame, ShapeError};
use crate::json::{self, Object, quote};
use crate::scan;

pub(super) fn decode(object: &Object<'_>, item: &str) -> Result<Message, ShapeError> {
    let kind = object.word("type").unwrap_or("message".into());
    let mut message = match kind.as_ref() {
        "message" => decode_message(object)?,
        "reasoning" => Message::new(Role::Assistant, vec![Part::Thinking(reasoning(object))]),
        _ => match object.text("call_id").filter(|_| !is_run_by_server(object)) {
            Some(id) if kind.ends_with("_output") => Message::tool(decode_output(&id, object)),
            Some(id) if kind.ends_with("_call") => {
                Message::new(Role::Assistant, vec![Part::ToolCall(decode_call(&kind, id, object))])
            }
            _ => server_item(&kind, item),
        },
    };
    message.meta.id = object.text("id");
    Ok(message)
}

/// What the server runs itself waits for nobody.
fn is_run_by_server(object: &Object<'_>) -> bool {
    object.word("execution").as_deref() == Some("server")
}

fn decode_message(object: &Object<'_>) -> Result<Message, ShapeError> {
    let role = match object.word("role").as_deref() {
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
    Some(scan::list(content)?.into_iter().map(decode_part).collect())
}

fn decode_part(part: &str) -> Part {
    let Some(object) = scan::object(part) else { return opaque("", part) };
    let kind = object.word("type").unwrap_or_default();
    let known = match kind.as_ref() {
        "input_text" | "output_text" | "text" | "summary_text" | "reasoning_text" => {
            object.text("text").map(Part::Text)
        }
        "refusal" => object.text("refusal").map(Part::Text),
        "input_image" | "computer_screenshot" => image(&object).map(Part::Image),
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
fn decode_call(kind: &str, id: String, object: &Object<'_>) -> ToolCall {
    let name = object.text("name").unwrap_or_else(|| kind.trim_end_matches("_call").to_owned());
    let arguments = object.get_any(&["arguments", "input", "action", "operation"]).unwrap_or("{}");
    ToolCall::new(id, name, json::string(arguments).unwrap_or_else(|| json::compact(arguments)))
}

fn decode_output(id: &str, object: &Object<'_>) -> ToolResult {
    let mut result = ToolResult::new(id, "");
    result.content = match object.get_any(&["output", "tools"]) {
        None => Vec::new(),
        Some(output) => match (json::string(output), scan::list(output)) {
            (Some(text), _) => vec![Part::Text(text)],
            (None, Some(parts)) => parts.into_iter().map(decode_output_part).collect(),
            (None, None) => vec![decode_output_part(output)],
        },
    };
    result.is_error = object.word("status").as_deref() == Some("failed");
    result
}

/// A part of a message, or what else an output may be: data without a type is its own text.
fn decode_output_part(part: &str) -> Part {
    match scan::object(part) {
        Some(object) if object.has("type") => decode_part(part),
        Some(object) if object.has("stdout") || object.has("stderr") => Part::Text(json::readable(part)),
        _ => Part::Text(json::compact(part)),
    }
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

pub(super) fn frame(context: &Context, max_tokens: Option<&str>) -> Frame {
    let mut frame = Frame::default();
    frame.before.extend(max_tokens.map(|limit| ("max_output_tokens", limit.to_owned())));
    frame.before.extend(context.system.as_deref().map(|system| ("instructions", quote(system))));
    frame
}

pub(super) fn encode(message: &Message, encoder: &mut Encoder<'_>) -> Vec<String> {
    let mut items = Vec::new();
    let mut content = Vec::new();
    let mut calls = Vec::new();
    let text_type = if message.role == Role::Assistant { "output_text" } else { "input_text" };
    let text_part = |text: &str| format!(r#"{{"type":"{text_type}","text":{}}}"#, quote(text));
    for (position, part) in message.parts().iter().enumerate() {
        match part {
            Part::ToolResult(result) => items.push(encode_result(result, position, encoder)),
            Part::Text(text) if text.trim().is_empty() => {}
            Part::Text(text) => content.push(text_part(text)),
            Part::Image(_) | Part::Document(_) if message.role == Role::Assistant => {
                encoder.lose("content that a model cannot say here");
                content.push(text_part(mark_of(part)));
            }
            Part::Image(media) => content.push(encode_image(media, encoder)),
            Part::Document(media) => content.push(encode_document(media, encoder)),
            Part::ToolCall(call) => calls.push(encode_call(call, position, encoder)),
            // A reasoning item is whole or not there at all: who changed it made it another one.
            Part::Thinking(_) => encoder.lose("reasoning"),
            // What the model's server did is an item, anything else a block inside the message.
            Part::Opaque(opaque) if message.role == Role::Assistant && is_item(opaque) => {
                calls.extend(encoder.opaque(opaque));
            }
            Part::Opaque(opaque) => content.extend(encoder.opaque(opaque)),
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

/// Whether a block can stand in the list by itself: one without a kind would be read as a message.
fn is_item(opaque: &Opaque) -> bool {
    !matches!(opaque.kind.as_str(), "" | "message")
}

/// A call, of the kind that its output has: the provider pairs them by both kind and id.
fn encode_call(call: &ToolCall, position: usize, encoder: &Encoder<'_>) -> String {
    let (kind, key) = match encoder.partner(position) {
        Some("custom_tool_call_output") => ("custom_tool_call", "input"),
        _ => ("function_call", "arguments"),
    };
    format!(
        r#"{{"type":"{kind}","call_id":{},"name":{},"{key}":{}}}"#,
        quote(&call.id),
        quote(&call.name),
        quote(&call.arguments)
    )
}

/// A result, of the kind that its call has.
fn encode_result(result: &ToolResult, position: usize, encoder: &mut Encoder<'_>) -> String {
    let id = quote(&result.call_id);
    let partner = encoder.partner(position).unwrap_or_default().to_owned();
    let text = |encoder: &mut Encoder<'_>| quote(&result_text(result, encoder));
    match partner.as_str() {
        "local_shell_call" => {
            format!(r#"{{"type":"local_shell_call_output","call_id":{id},"output":{}}}"#, text(encoder))
        }
        "apply_patch_call" => {
            let status = if result.is_error { "failed" } else { "completed" };
            let output = quote(&plain_text(result, encoder));
            format!(
                r#"{{"type":"apply_patch_call_output","call_id":{id},"status":"{status}","output":{output}}}"#
            )
        }
        "shell_call" => {
            let outcome = format!(r#"{{"type":"exit","exit_code":{}}}"#, u8::from(result.is_error));
            let output = quote(&plain_text(result, encoder));
            format!(
                r#"{{"type":"shell_call_output","call_id":{id},"output":[{{"stdout":{output},"stderr":"","outcome":{outcome}}}]}}"#
            )
        }
        _ => {
            let kind = if partner == "custom_tool_call" { "custom_tool_call" } else { "function_call" };
            let output = output(result, encoder);
            format!(r#"{{"type":"{kind}_output","call_id":{id},"output":{output}}}"#)
        }
    }
}

/// One text, or a list of parts where there is more than text.
fn output(result: &ToolResult, encoder: &mut Encoder<'_>) -> String {
    let is_media = |part: &Part| match part {
        Part::Image(_) => true,
        Part::Document(media) => !matches!(media.source, MediaSource::Text(_)),
        _ => false,
    };
    if !result.content.iter().any(is_media) {
        return quote(&result_text(result, encoder));
    }
    let mut parts = Vec::new();
    if result.is_error {
        parts.push(input_text("Error:"));
    }
    for part in &result.content {
        match part {
            Part::Text(text) if text.is_empty() => {}
            Part::Text(text) => parts.push(input_text(text)),
            Part::Image(media) => parts.push(encode_image(media, encoder)),
            Part::Document(media) => parts.push(encode_document(media, encoder)),
            Part::Opaque(opaque) => parts.extend(encoder.opaque(opaque)),
            _ => {}
        }
    }
    format!("[{}]", parts.join(","))
}

fn input_text(text: &str) -> String {
    format!(r#"{{"type":"input_text","text":{}}}"#, quote(text))
}

fn encode_image(media: &Media, encoder: &mut Encoder<'_>) -> String {
    let detail = if media.low_detail { "low" } else { "auto" };
    let source = match (&media.source, to_url(media, "image/png")) {
        (_, Some(url)) => format!(r#""image_url":{}"#, quote(&url)),
        (MediaSource::FileId(id), None) if encoder.own => format!(r#""file_id":{}"#, quote(id)),
        _ => {
            encoder.lose("an image that only its provider has");
            return input_text(IMAGE_MARK);
        }
    };
    format!(r#"{{"type":"input_image",{source},"detail":"{detail}"}}"#)
}

fn encode_document(media: &Media, encoder: &mut Encoder<'_>) -> String {
    let name = media.name.as_deref().unwrap_or("document");
    let is_audio = media.media_type.as_deref().is_some_and(|media_type| media_type.starts_with("audio/"));
    match &media.source {
        MediaSource::Text(text) => input_text(text),
        MediaSource::Url(url) => format!(r#"{{"type":"input_file","file_url":{}}}"#, quote(url)),
        MediaSource::Base64(_) if !is_audio => {
            let data = to_url(media, "application/pdf").unwrap_or_default();
            format!(r#"{{"type":"input_file","filename":{},"file_data":{}}}"#, quote(name), quote(&data))
        }
        MediaSource::FileId(id) if encoder.own => {
            format!(r#"{{"type":"input_file","file_id":{}}}"#, quote(id))
        }
        _ => {
            encoder.lose("a document that the provider cannot get at");
            input_text(DOCUMENT_MARK)
        }
    }
}
