//! Anthropic Messages.

use foldback_model::{
    Context, Media, MediaSource, Message, Opaque, Part, Role, Thinking, ToolCall, ToolResult,
};

use super::media::{DOCUMENT_MARK, IMAGE_MARK};
use super::{Frame, ShapeError};
use crate::json::{self, Object, quote};

pub(super) fn decode(object: &Object<'_>) -> Result<Message, ShapeError> {
    let role = match object.text("role").as_deref() {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("system") => Role::System,
        Some(other) => {
            return Err(ShapeError::new("role", format!("an unknown role `{other}`"), "user or assistant"));
        }
        None => return Err(ShapeError::new("role", "a message without a role", "user or assistant")),
    };
    let parts = match object.get("content") {
        None => Vec::new(),
        Some(content) => decode_content(content).ok_or_else(|| {
            ShapeError::new("content", "content of another kind", "a text or a list of blocks")
        })?,
    };
    let mut message = Message::new(role, parts);
    message.meta.id = object.text("id");
    message.meta.cache_marker = object.get("content").is_some_and(has_cache_marker);
    Ok(message)
}

fn has_cache_marker(content: &str) -> bool {
    // The text is searched first, since hardly any message has a marker.
    content.contains("\"cache_control\"")
        && json::list(content)
            .unwrap_or_default()
            .into_iter()
            .any(|block| Object::parse(block).is_some_and(|block| block.get("cache_control").is_some()))
}

fn decode_content(content: &str) -> Option<Vec<Part>> {
    if let Some(text) = json::string(content) {
        return Some(if text.is_empty() { Vec::new() } else { vec![Part::Text(text)] });
    }
    Some(json::list(content)?.into_iter().map(decode_block).collect())
}

fn decode_block(block: &str) -> Part {
    let Some(object) = Object::parse(block) else { return opaque("", block) };
    let kind = object.text("type").unwrap_or_default();
    let known = match kind.as_str() {
        "text" => object.text("text").map(Part::Text),
        "image" => object.object("source").and_then(|source| media(&source)).map(Part::Image),
        "document" => document(&object),
        "thinking" => {
            let mut thinking = Thinking::new(object.text("thinking").unwrap_or_default());
            thinking.signature = object.text("signature");
            thinking.sealed = thinking.text.is_empty();
            Some(Part::Thinking(thinking))
        }
        "redacted_thinking" => object.text("data").map(|data| Part::Thinking(Thinking::sealed(data))),
        "tool_use" => Some(Part::ToolCall(ToolCall::new(
            object.text("id").unwrap_or_default(),
            object.text("name").unwrap_or_default(),
            object.get("input").unwrap_or("{}"),
        ))),
        "tool_result" => Some(decode_result(&object)),
        _ => None,
    };
    known.unwrap_or_else(|| opaque(&kind, block))
}

fn decode_result(object: &Object<'_>) -> Part {
    let mut result = ToolResult::new(object.text("tool_use_id").unwrap_or_default(), "");
    result.content = object.get("content").and_then(decode_content).unwrap_or_default();
    result.is_error = object.flag("is_error");
    Part::ToolResult(result)
}

fn media(source: &Object<'_>) -> Option<Media> {
    let content = match source.text("type")?.as_str() {
        "base64" => MediaSource::Base64(source.text("data")?),
        "url" => MediaSource::Url(source.text("url")?),
        "file" => MediaSource::FileId(source.text("file_id")?),
        "text" => MediaSource::Text(source.text("data")?),
        "content" => {
            let parts = decode_content(source.get("content")?)?;
            let texts: Vec<&str> = parts.iter().filter_map(Part::as_text).collect();
            MediaSource::Text(texts.join("\n"))
        }
        _ => return None,
    };
    Some(Media::new(source.text("media_type"), content))
}

fn document(object: &Object<'_>) -> Option<Part> {
    let mut media = media(&object.object("source")?)?;
    media.name = object.text("title");
    Some(Part::Document(media))
}

fn opaque(kind: &str, block: &str) -> Part {
    Part::Opaque(Opaque::new(kind, json::readable(block), block))
}

/// The text of `system`, which may be a list of blocks.
pub(super) fn system_text(system: &str) -> String {
    let parts = decode_content(system).unwrap_or_default();
    let texts: Vec<&str> = parts.iter().filter_map(Part::as_text).collect();
    texts.join("\n\n")
}

pub(super) fn frame(context: &Context) -> Frame {
    let mut frame = Frame::default();
    if let Some(system) = &context.system {
        frame.before.push(("system", quote(system)));
    }
    let tools: Vec<String> = context
        .tools
        .iter()
        .map(|tool| {
            format!(
                r#"{{"name":{},"description":{},"input_schema":{}}}"#,
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
    let mut results = Vec::new();
    let mut blocks = Vec::new();
    for part in message.parts() {
        match part {
            Part::ToolResult(result) => results.push(encode_result(result, lost)),
            other => blocks.extend(encode_block(other, lost)),
        }
    }
    // Results stand at the front of the message.
    results.extend(blocks);
    if results.is_empty() {
        return Vec::new();
    }
    let role = if message.role == Role::Assistant { "assistant" } else { "user" };
    let single = match message.parts() {
        [Part::Text(text)] => Some(quote(text)),
        _ => None,
    };
    let content = single.unwrap_or_else(|| format!("[{}]", results.join(",")));
    vec![format!(r#"{{"role":"{role}","content":{content}}}"#)]
}

fn encode_block(part: &Part, lost: &mut dyn FnMut(String)) -> Option<String> {
    match part {
        Part::Text(text) if text.trim().is_empty() => None,
        Part::Text(text) => Some(text_block(text)),
        Part::Image(media) => Some(encode_media("image", media, IMAGE_MARK, lost)),
        Part::Document(media) => Some(encode_media("document", media, DOCUMENT_MARK, lost)),
        Part::ToolCall(call) => {
            // Arguments are an object here; a free-form input is put into one.
            let input = match Object::parse(&call.arguments) {
                Some(_) => call.arguments.clone(),
                None if call.arguments.trim().is_empty() => "{}".to_owned(),
                None => format!(r#"{{"input":{}}}"#, quote(&call.arguments)),
            };
            Some(format!(
                r#"{{"type":"tool_use","id":{},"name":{},"input":{input}}}"#,
                quote(&valid_id(&call.id)),
                quote(&call.name)
            ))
        }
        Part::Thinking(thinking) => encode_thinking(thinking, lost),
        Part::Opaque(opaque) => {
            lost(format!("a block of the kind `{}`", opaque.kind));
            None
        }
        _ => None,
    }
}

/// Anthropic takes only letters, digits, `_` and `-` in an id. Two ids that differ only in what is
/// replaced would be one, so the replacement tells them apart.
fn valid_id(id: &str) -> String {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !id.is_empty() && id.chars().all(is_valid) {
        return id.to_owned();
    }
    let mut valid = String::from("call_");
    for c in id.chars() {
        if is_valid(c) {
            valid.push(c);
        } else {
            valid.push_str(&format!("-{:x}-", u32::from(c)));
        }
    }
    valid
}

/// Only the provider that signed reasoning takes it back; without a signature none does.
fn encode_thinking(_: &Thinking, lost: &mut dyn FnMut(String)) -> Option<String> {
    lost("reasoning".to_owned());
    None
}

fn encode_result(result: &ToolResult, lost: &mut dyn FnMut(String)) -> String {
    let blocks: Vec<String> = result.content.iter().filter_map(|part| encode_block(part, lost)).collect();
    let content = match (result.content.as_slice(), blocks.is_empty()) {
        ([Part::Text(text)], _) => format!(r#","content":{}"#, quote(text)),
        (_, true) => String::new(),
        (_, false) => format!(r#","content":[{}]"#, blocks.join(",")),
    };
    let error = if result.is_error { r#","is_error":true"# } else { "" };
    format!(r#"{{"type":"tool_result","tool_use_id":{}{content}{error}}}"#, quote(&valid_id(&result.call_id)))
}

fn text_block(text: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, quote(text))
}

fn encode_media(kind: &str, media: &Media, mark: &str, lost: &mut dyn FnMut(String)) -> String {
    let default_type = if kind == "image" { "image/png" } else { "application/pdf" };
    let media_type = media.media_type.as_deref().unwrap_or(default_type);
    let source = match &media.source {
        MediaSource::Base64(data) if !media_type.starts_with("audio/") => {
            format!(r#"{{"type":"base64","media_type":{},"data":{}}}"#, quote(media_type), quote(data))
        }
        MediaSource::Url(url) => format!(r#"{{"type":"url","url":{}}}"#, quote(url)),
        MediaSource::Text(text) => {
            format!(r#"{{"type":"text","media_type":"text/plain","data":{}}}"#, quote(text))
        }
        _ => {
            lost(format!("content of the kind {kind} that the provider cannot get at"));
            return text_block(mark);
        }
    };
    format!(r#"{{"type":"{kind}","source":{source}}}"#)
}
