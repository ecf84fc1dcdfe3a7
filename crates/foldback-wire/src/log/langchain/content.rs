//! Content of LangChain messages: blocks of OpenAI, of Anthropic, and of LangChain itself, in any
//! mixture.

use foldback_model::{Media, MediaSource, Opaque, Part, Thinking, ToolCall, WireFormat};

use crate::codec::{ShapeError, decode_block};
use crate::json::{self, Object};

/// The parts of the content of a message.
pub(super) fn content(fields: &Object<'_>) -> Result<Vec<Part>, ShapeError> {
    let Some(content) = fields.get("content") else { return Ok(Vec::new()) };
    if let Some(text) = json::string(content) {
        return Ok(if text.is_empty() { Vec::new() } else { vec![Part::Text(text)] });
    }
    let blocks = json::list(content)
        .ok_or_else(|| ShapeError::new("content", "content of another kind", "a text or a list of blocks"))?;
    Ok(blocks.into_iter().map(part).collect())
}

/// What a server of open models put beside the content.
pub(super) fn reasoning_text(more: &Object<'_>) -> Option<Part> {
    let text = more.text("reasoning_content").or_else(|| summary(&more.object("reasoning")?));
    text.filter(|text| !text.is_empty()).map(|text| Part::Thinking(Thinking::new(text)))
}

fn part(json: &str) -> Part {
    let Some(object) = Object::parse(json) else {
        return json::string(json).map_or_else(|| opaque("", json), Part::Text);
    };
    let kind = object.text("type").unwrap_or_default();
    let known = match kind.as_str() {
        "text" => object.text("text").map(Part::Text),
        "image_url" | "input_audio" | "refusal" => Some(decode_block(WireFormat::OpenAiChat, json)),
        "file" if object.has("file") => Some(decode_block(WireFormat::OpenAiChat, json)),
        "image" | "document" if object.has("source") => Some(decode_block(WireFormat::Anthropic, json)),
        "thinking" | "redacted_thinking" | "tool_result" => Some(decode_block(WireFormat::Anthropic, json)),
        "image" => media(&object).map(Part::Image),
        "file" | "audio" | "text-plain" => media(&object).map(Part::Document),
        "media" => media(&object).map(|media| {
            let is_image = media.media_type.as_deref().is_some_and(|kind| kind.starts_with("image/"));
            if is_image { Part::Image(media) } else { Part::Document(media) }
        }),
        "reasoning" | "reasoning_content" => reasoning(&object).map(Part::Thinking),
        "tool_use" | "tool_call" | "invalid_tool_call" | "function_call" => {
            Some(Part::ToolCall(call(&object)))
        }
        _ => None,
    };
    known.unwrap_or_else(|| opaque(&kind, json))
}

fn opaque(kind: &str, json: &str) -> Part {
    Part::Opaque(Opaque::new(kind, json::readable(json), json))
}

/// LangChain's own blocks of binary content, which come in two versions.
fn media(object: &Object<'_>) -> Option<Media> {
    let data = object.get_any(&["base64", "data"]).and_then(json::string);
    let is_text = object.text("source_type").as_deref() == Some("text");
    let source = match (object.text("text").or_else(|| data.clone().filter(|_| is_text)), data) {
        (Some(text), _) => MediaSource::Text(text),
        (None, Some(data)) => MediaSource::Base64(data),
        (None, None) => match object.text("url") {
            Some(url) => MediaSource::Url(url),
            None => MediaSource::FileId(object.text("file_id").or_else(|| object.text("id"))?),
        },
    };
    let mut media = Media::new(object.text("mime_type"), source);
    media.name = object.text("title").or_else(|| object.text("filename"));
    Some(media)
}

/// Reasoning of LangChain's own (`reasoning`), of Bedrock (`reasoning_content`) or of the Responses
/// API (`summary`).
fn reasoning(object: &Object<'_>) -> Option<Thinking> {
    let bedrock = object.object("reasoning_content");
    let text = object
        .text("reasoning")
        .or_else(|| bedrock.as_ref()?.text("text"))
        .or_else(|| summary(object))
        .unwrap_or_default();
    let signature = object
        .object("extras")
        .and_then(|extras| extras.text("signature"))
        .or_else(|| bedrock.as_ref()?.text("signature"))
        .or_else(|| object.text("encrypted_content"));
    match (text.is_empty(), signature) {
        (true, None) => None,
        (true, Some(signature)) => Some(Thinking::sealed(signature)),
        (false, Some(signature)) => Some(Thinking::new(text).signed(signature)),
        (false, None) => Some(Thinking::new(text)),
    }
}

fn summary(object: &Object<'_>) -> Option<String> {
    let texts: Vec<String> =
        object.list("summary")?.into_iter().filter_map(|text| Object::parse(text)?.text("text")).collect();
    Some(texts.join("\n"))
}

fn call(object: &Object<'_>) -> ToolCall {
    let arguments = object.get_any(&["args", "input", "arguments"]).unwrap_or("{}");
    let arguments = json::string(arguments).unwrap_or_else(|| json::compact(arguments));
    // The Responses API has an id for the item and one that pairs.
    let id = object.text("call_id").or_else(|| object.text("id")).unwrap_or_default();
    ToolCall::new(id, object.text("name").unwrap_or_default(), arguments)
}
