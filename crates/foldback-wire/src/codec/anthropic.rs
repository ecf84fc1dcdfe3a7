//! Anthropic Messages.

use foldback_model::{
    Context, Media, MediaSource, Message, Opaque, Part, Role, Thinking, ToolCall, ToolResult,
};

use super::media::{DOCUMENT_MARK, IMAGE_MARK, mark_of};
use super::{Encoder, Frame, ShapeError};
use crate::json::{self, Object, quote};
use crate::scan;

pub(super) fn decode(object: &Object<'_>) -> Result<Message, ShapeError> {
    let role = match object.word("role").as_deref() {
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
        Some(content) => decode_content(content, 0).ok_or_else(|| {
            ShapeError::new("content", "content of another kind", "a text or a list of blocks")
        })?,
    };
    let mut message = Message::new(role, parts);
    message.meta.id = object.text("id");
    message.meta.cache_marker = object.get("content").is_some_and(|content| has_cache_marker(content, 0));
    Ok(message)
}

/// Whether a block of `content`, which stands `depth` blocks deep, has a marker. It is looked for where
/// [`decode_content`] finds blocks and no deeper, since each level is read anew.
fn has_cache_marker(content: &str, depth: usize) -> bool {
    let in_block = |block: Object<'_>| {
        let inner = block.get("content").filter(|_| depth < MAX_DEPTH);
        block.has("cache_control") || inner.is_some_and(|inner| has_cache_marker(inner, depth + 1))
    };
    // The text is searched first, since hardly any message has a marker.
    content.contains("\"cache_control\"")
        && scan::list(content).unwrap_or_default().into_iter().filter_map(scan::object).any(in_block)
}

/// A result holds documents, and a document holds texts.
const MAX_DEPTH: usize = 2;

/// Content that stands `depth` blocks deep. A result holds documents and a document holds texts; what is
/// nested deeper is no content that the API knows, and is carried as it came.
fn decode_content(content: &str, depth: usize) -> Option<Vec<Part>> {
    if let Some(text) = json::string(content) {
        return Some(if text.is_empty() { Vec::new() } else { vec![Part::Text(text)] });
    }
    Some(scan::list(content)?.into_iter().map(|block| decode_block(block, depth)).collect())
}

pub(super) fn decode_block(block: &str, depth: usize) -> Part {
    let Some(object) = scan::object(block) else { return opaque("", block) };
    let kind = object.word("type").unwrap_or_default();
    let known = match kind.as_ref() {
        "text" => object.text("text").map(Part::Text),
        "image" => object.object("source").and_then(|source| media(&source)).map(Part::Image),
        "document" if depth < MAX_DEPTH => document(&object),
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
            object.get("input").map_or_else(|| "{}".to_owned(), json::compact),
        ))),
        "tool_result" if depth == 0 => Some(decode_result(&object)),
        _ => None,
    };
    known.unwrap_or_else(|| opaque(&kind, block))
}

fn decode_result(object: &Object<'_>) -> Part {
    let mut result = ToolResult::new(object.text("tool_use_id").unwrap_or_default(), "");
    result.content = object.get("content").and_then(|content| decode_content(content, 1)).unwrap_or_default();
    result.is_error = object.flag("is_error");
    Part::ToolResult(result)
}

fn media(source: &Object<'_>) -> Option<Media> {
    let content = match source.word("type")?.as_ref() {
        "base64" => MediaSource::Base64(source.text("data")?),
        "url" => MediaSource::Url(source.text("url")?),
        "file" => MediaSource::FileId(source.text("file_id")?),
        "text" => MediaSource::Text(source.text("data")?),
        "content" => {
            let parts = decode_content(source.get("content")?, 2)?;
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
    let parts = decode_content(system, 2).unwrap_or_default();
    let texts: Vec<&str> = parts.iter().filter_map(Part::as_text).collect();
    texts.join("\n\n")
}

pub(super) fn frame(context: &Context, max_tokens: Option<&str>) -> Frame {
    let mut frame = Frame::default();
    frame.before.extend(max_tokens.map(|limit| ("max_tokens", limit.to_owned())));
    frame.before.extend(context.system.as_deref().map(|system| ("system", quote(system))));
    frame
}

pub(super) fn encode(message: &Message, encoder: &mut Encoder<'_>) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut rest = Vec::new();
    let keeps_thinking = encoder.own && message.parts().iter().all(is_replayable);
    for part in message.parts() {
        match part {
            // Results stand at the front of the message.
            Part::ToolResult(result) => blocks.push(encode_result(result, encoder)),
            Part::Thinking(thinking) if keeps_thinking => rest.push(thinking_block(thinking)),
            Part::Image(_) | Part::Document(_) if message.role == Role::Assistant => {
                encoder.lose("content that a model cannot say here");
                rest.push(text_block(mark_of(part)));
            }
            other => rest.extend(encode_block(other, encoder)),
        }
    }
    blocks.append(&mut rest);
    if blocks.is_empty() {
        return Vec::new();
    }
    let role = match message.role {
        Role::Assistant => "assistant",
        Role::System | Role::Developer => "system",
        _ => "user",
    };
    let content = match message.parts() {
        [Part::Text(text)] => quote(text),
        _ => format!("[{}]", blocks.join(",")),
    };
    vec![format!(r#"{{"role":"{role}","content":{content}}}"#)]
}

/// Whether the provider takes reasoning back as we would write it. Of sealed reasoning nothing tells
/// whether it was redacted or only not shown, and all blocks of a message have to go together.
fn is_replayable(part: &Part) -> bool {
    match part {
        Part::Thinking(thinking) => thinking.signature.is_some() && !thinking.sealed,
        _ => true,
    }
}

fn thinking_block(thinking: &Thinking) -> String {
    let signature = quote(thinking.signature.as_deref().unwrap_or_default());
    format!(r#"{{"type":"thinking","thinking":{},"signature":{signature}}}"#, quote(&thinking.text))
}

fn encode_block(part: &Part, encoder: &mut Encoder<'_>) -> Option<String> {
    match part {
        Part::Text(text) if text.trim().is_empty() => None,
        Part::Text(text) => Some(text_block(text)),
        Part::Image(media) => Some(encode_media("image", media, IMAGE_MARK, encoder)),
        Part::Document(media) => Some(encode_media("document", media, DOCUMENT_MARK, encoder)),
        Part::ToolCall(call) => Some(format!(
            r#"{{"type":"tool_use","id":{},"name":{},"input":{}}}"#,
            quote(&valid_id(&call.id)),
            quote(&call.name),
            json::object_of(&call.arguments)
        )),
        Part::Thinking(_) => {
            encoder.lose("reasoning");
            None
        }
        Part::Opaque(opaque) => encoder.opaque(opaque),
        _ => None,
    }
}

/// Whether the API takes `id`: letters, digits, `_` and `-`.
pub(crate) fn is_valid_id(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Anthropic takes only letters, digits, `_` and `-` in an id. Two ids that differ only in what is
/// replaced would be one, so the replacement tells them apart.
fn valid_id(id: &str) -> String {
    if is_valid_id(id) {
        return id.to_owned();
    }
    let is_valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
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

fn encode_result(result: &ToolResult, encoder: &mut Encoder<'_>) -> String {
    let blocks: Vec<String> =
        result.content.iter().filter_map(|part| encode_in_result(part, encoder)).collect();
    let content = match (result.content.as_slice(), blocks.is_empty()) {
        ([Part::Text(text)], _) => format!(r#","content":{}"#, quote(text)),
        (_, true) => String::new(),
        (_, false) => format!(r#","content":[{}]"#, blocks.join(",")),
    };
    let error = if result.is_error { r#","is_error":true"# } else { "" };
    format!(r#"{{"type":"tool_result","tool_use_id":{}{content}{error}}}"#, quote(&valid_id(&result.call_id)))
}

/// Of a block that only another provider knows, a result keeps what can be read.
fn encode_in_result(part: &Part, encoder: &mut Encoder<'_>) -> Option<String> {
    match part {
        Part::Opaque(opaque) if !encoder.own && !opaque.text.trim().is_empty() => {
            Some(text_block(&opaque.text))
        }
        other => encode_block(other, encoder),
    }
}

fn text_block(text: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, quote(text))
}

fn encode_media(kind: &str, media: &Media, mark: &str, encoder: &mut Encoder<'_>) -> String {
    let default_type = if kind == "image" { "image/png" } else { "application/pdf" };
    let media_type = media.media_type.as_deref().unwrap_or(default_type);
    let is_taken = kind == "image" || media_type == "application/pdf";
    let source = match &media.source {
        MediaSource::Base64(data) if is_taken => {
            format!(r#"{{"type":"base64","media_type":{},"data":{}}}"#, quote(media_type), quote(data))
        }
        MediaSource::Url(url) if is_taken => format!(r#"{{"type":"url","url":{}}}"#, quote(url)),
        MediaSource::FileId(id) if encoder.own => format!(r#"{{"type":"file","file_id":{}}}"#, quote(id)),
        MediaSource::Text(text) => {
            format!(r#"{{"type":"text","media_type":"text/plain","data":{}}}"#, quote(text))
        }
        _ => {
            encoder.lose(format!("content of the kind {kind} that the provider cannot get at"));
            return text_block(mark);
        }
    };
    let title = media.name.as_ref().filter(|_| kind == "document");
    let title = title.map_or_else(String::new, |title| format!(r#","title":{}"#, quote(title)));
    format!(r#"{{"type":"{kind}","source":{source}{title}}}"#)
}

#[cfg(test)]
mod nesting {
    use foldback_model::{Part, WireFormat};

    use crate::codec::decode_message;

    #[test]
    fn blocks_nested_without_end_are_carried_and_not_followed() {
        let depth = 100_000;
        let open = r#"{"type":"tool_result","tool_use_id":"x","content":["#.repeat(depth);
        let json = format!(r#"{{"role":"user","content":[{open}{}]}}"#, "]}".repeat(depth));
        let message = decode_message(WireFormat::Anthropic, &json).expect("a message");
        let result = message.results().next().expect("a result");
        assert!(matches!(result.content.as_slice(), [Part::Opaque(_)]));
    }
}
