//! Converse requests of Amazon Bedrock: one JSON object, or its list of messages alone.
//!
//! A block is an object with one member, whose name says what it is. The bytes of pictures and
//! documents are base64 text, or what the languages' own JSON makes of a byte array.

mod block;
#[cfg(test)]
mod tests;

use foldback_model::{Message, Role, ToolDefinition};

use super::Log;
use super::whole::{misshapen, unknown, whole};
use crate::ReadError;
use crate::codec::ShapeError;
use crate::json::{self, Object};
use block::block;

const EXPECTED: &str = "an object with `messages`, or a list of messages, whose content is a list of blocks";

pub(super) fn read(text: &str) -> Result<Log, ReadError> {
    let whole = whole(text)?;
    let request = Object::parse(whole);
    let list = match &request {
        Some(request) => request.get("messages"),
        None => Some(whole),
    };
    let elements = list.and_then(json::list).ok_or_else(|| unknown("Bedrock", EXPECTED))?;
    let mut log = Log::default();
    for (index, element) in elements.into_iter().enumerate() {
        let message = message(element).map_err(|error| misshapen(text, element, "messages", index, error))?;
        log.push(message, None, 0);
    }
    if let Some(request) = &request {
        read_head(request, &mut log);
    }
    Ok(log)
}

fn message(json: &str) -> Result<Message, ShapeError> {
    let expected = "user or assistant";
    let object = Object::parse(json).ok_or_else(|| ShapeError::new("", "no object", "a message object"))?;
    let role = match object.text("role").as_deref() {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some(other) => return Err(ShapeError::new("role", format!("an unknown role `{other}`"), expected)),
        None => return Err(ShapeError::new("role", "a message without a role", expected)),
    };
    let blocks = match object.get("content") {
        None => Vec::new(),
        Some(content) => json::list(content)
            .ok_or_else(|| ShapeError::new("content", "content of another kind", "a list of blocks"))?,
    };
    let mut message = Message::new(role, blocks.iter().filter_map(|json| block(json)).collect());
    message.meta.cache_marker = blocks.iter().any(|json| is_cache_point(json));
    Ok(message)
}

fn is_cache_point(json: &str) -> bool {
    Object::parse(json).is_some_and(|block| block.has("cachePoint"))
}

/// What the request says besides its messages.
fn read_head(request: &Object<'_>, log: &mut Log) {
    let system = request.list("system").unwrap_or_default();
    let texts: Vec<String> = system
        .into_iter()
        .filter_map(|block| Object::parse(block)?.text("text"))
        .filter(|text| !text.is_empty())
        .collect();
    log.context.system = (!texts.is_empty()).then(|| texts.join("\n\n"));
    log.context.model = request.text("modelId");
    let tools = request.object("toolConfig").and_then(|config| config.list("tools")).unwrap_or_default();
    log.context.tools = tools.into_iter().filter_map(tool).collect();
    log.max_tokens = request
        .object("inferenceConfig")
        .and_then(|config| config.get("maxTokens"))
        .filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        .map(str::to_owned);
}

/// The tool that an element of `toolConfig.tools` defines; some only mark a place for the cache.
fn tool(json: &str) -> Option<ToolDefinition> {
    let spec = Object::parse(json)?.object("toolSpec")?;
    let schema = spec
        .object("inputSchema")
        .and_then(|schema| schema.get("json"))
        .map_or("{}".to_owned(), json::compact);
    Some(ToolDefinition::new(spec.text("name")?, spec.text("description").unwrap_or_default(), schema))
}
