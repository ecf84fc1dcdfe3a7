//! The blocks of a Converse message.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use foldback_model::{Media, MediaSource, Opaque, Part, Thinking, ToolCall, ToolResult};

use crate::json::{self, Object};

/// What a block of a message says; `None` for one that only marks a place for the cache.
pub(super) fn block(json: &str) -> Option<Part> {
    let Some(object) = Object::parse(json) else { return Some(opaque("", json)) };
    let (name, value) = object.members().find(|(_, value)| *value != "null")?;
    let known = match name {
        "cachePoint" => return None,
        "toolUse" => Object::parse(value).map(|call| Part::ToolCall(tool_call(&call))),
        "toolResult" => Object::parse(value).map(|result| Part::ToolResult(tool_result(&result))),
        "reasoningContent" => Object::parse(value).and_then(|content| reasoning(&content)),
        // What the model generated with its sources beside it.
        "citationsContent" => Object::parse(value).and_then(|content| cited(&content)),
        _ => content(name, value),
    };
    Some(known.unwrap_or_else(|| opaque(name, json)))
}

/// What may stand in a message and in a result.
fn content(name: &str, value: &str) -> Option<Part> {
    match name {
        "text" => json::string(value).map(Part::Text),
        "image" => image(&Object::parse(value)?),
        "document" => document(&Object::parse(value)?),
        // A text that a guardrail is to look at is a text for the model.
        "guardContent" => Object::parse(value)?.object("text")?.text("text").map(Part::Text),
        _ => None,
    }
}

fn opaque(name: &str, json: &str) -> Part {
    Part::Opaque(Opaque::new(name, json::readable(json), json))
}

fn tool_call(call: &Object<'_>) -> ToolCall {
    ToolCall::new(
        call.text("toolUseId").unwrap_or_default(),
        call.text("name").unwrap_or_default(),
        call.get("input").map_or_else(|| "{}".to_owned(), json::compact),
    )
}

fn tool_result(object: &Object<'_>) -> ToolResult {
    let mut result = ToolResult::new(object.text("toolUseId").unwrap_or_default(), "");
    result.content = object.list("content").unwrap_or_default().into_iter().filter_map(in_result).collect();
    result.is_error = object.text("status").as_deref() == Some("error");
    result
}

fn in_result(json: &str) -> Option<Part> {
    let Some(object) = Object::parse(json) else { return Some(opaque("", json)) };
    let (name, value) = object.members().find(|(_, value)| *value != "null")?;
    let known = match name {
        // A result that is JSON is read by the model as such.
        "json" => Some(Part::Text(json::compact(value))),
        name => content(name, value),
    };
    Some(known.unwrap_or_else(|| opaque(name, json)))
}

fn reasoning(content: &Object<'_>) -> Option<Part> {
    if let Some(text) = content.object("reasoningText") {
        let mut thinking = Thinking::new(text.text("text").unwrap_or_default());
        thinking.signature = text.text("signature");
        return Some(Part::Thinking(thinking));
    }
    content.get("redactedContent").and_then(bytes).map(|sealed| Part::Thinking(Thinking::sealed(sealed)))
}

fn cited(content: &Object<'_>) -> Option<Part> {
    let texts: Vec<String> =
        content.list("content")?.into_iter().filter_map(|text| Object::parse(text)?.text("text")).collect();
    (!texts.is_empty()).then(|| Part::Text(texts.concat()))
}

fn image(image: &Object<'_>) -> Option<Part> {
    let media_type = image.text("format").map(|format| format!("image/{format}"));
    Some(Part::Image(Media::new(media_type, source(&image.object("source")?)?)))
}

fn document(document: &Object<'_>) -> Option<Part> {
    let media_type = document.text("format").map(|format| media_type(&format).to_owned());
    let mut media = Media::new(media_type, source(&document.object("source")?)?);
    media.name = document.text("name");
    Some(Part::Document(media))
}

fn media_type(format: &str) -> &str {
    match format {
        "pdf" => "application/pdf",
        "csv" => "text/csv",
        "html" => "text/html",
        "txt" => "text/plain",
        "md" => "text/markdown",
        "doc" => "application/msword",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xls" => "application/vnd.ms-excel",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        _ => "application/octet-stream",
    }
}

fn source(source: &Object<'_>) -> Option<MediaSource> {
    if let Some(bytes) = source.get("bytes").and_then(bytes) {
        return Some(MediaSource::Base64(bytes));
    }
    if let Some(text) = source.text("text") {
        return Some(MediaSource::Text(text));
    }
    if let Some(blocks) = source.list("content") {
        let texts: Vec<String> =
            blocks.into_iter().filter_map(|block| Object::parse(block)?.text("text")).collect();
        return Some(MediaSource::Text(texts.join("\n")));
    }
    // Only the account's own requests reach what is stored there: no other provider can.
    source.object("s3Location").and_then(|location| location.text("uri")).map(MediaSource::FileId)
}

/// Bytes as base64: they are text already, or a byte array of JavaScript (Node's `Buffer`, a
/// `Uint8Array` with its indices for names) or of another language (a list).
fn bytes(json: &str) -> Option<String> {
    if let Some(text) = json::string(json) {
        return Some(text);
    }
    let numbers =
        |list: Vec<&str>| -> Option<Vec<u8>> { list.into_iter().map(|number| number.parse().ok()).collect() };
    let bytes = match Object::parse(json) {
        None => numbers(json::list(json)?)?,
        Some(object) => match object.list("data") {
            Some(data) => numbers(data)?,
            None => numbers(object.members().map(|(_, value)| value).collect())?,
        },
    };
    Some(STANDARD.encode(bytes))
}
