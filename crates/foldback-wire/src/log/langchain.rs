//! Messages of LangChain and LangGraph: a JSON list, or an object with `messages` (the dump of a
//! state).
//!
//! A message is written in three ways: flat, with its `type` among its fields; with the fields in
//! `data`; or as a constructor call (`"lc": 1`), whose `id` ends with the class and whose `kwargs`
//! are the fields. All three may stand in one list.

mod content;
#[cfg(test)]
mod tests;

use foldback_model::{Message, Part, Role, ToolCall, ToolResult, WireFormat};

use super::Log;
use super::report::{stop, usage};
use super::whole::{bare, misshapen, text_part, unknown, whole};
use crate::ReadError;
use crate::codec::{ShapeError, decode_message};
use crate::json::{self, Object};
use content::{content, reasoning_text};

const EXPECTED: &str = "a list of messages with a `type` (human, ai, system, tool), or an object with \
                        `messages`";

pub(super) fn read(text: &str) -> Result<Log, ReadError> {
    let whole = whole(text)?;
    let list = match Object::parse(whole) {
        Some(state) => state.get("messages"),
        None => Some(whole),
    };
    let elements = list.and_then(json::list).ok_or_else(|| unknown("LangChain", EXPECTED))?;
    let mut messages: Vec<Message> = Vec::new();
    for (index, element) in elements.into_iter().enumerate() {
        match read_element(element).map_err(|error| misshapen(text, element, "messages", index, error))? {
            Element::Message(message) => messages.push(*message),
            // A state applies these when it takes them in; a bare list may still hold them.
            Element::Remove(id) if id == REMOVE_ALL => messages.clear(),
            Element::Remove(id) => messages.retain(|message| message.meta.id.as_ref() != Some(&id)),
        }
    }
    let mut log = Log::default();
    for message in messages {
        if message.meta.model.is_some() {
            log.context.model.clone_from(&message.meta.model);
        }
        log.push(message, None, 0);
    }
    Ok(log)
}

/// The id by which LangGraph removes all that came before.
const REMOVE_ALL: &str = "__remove_all__";

enum Element {
    Message(Box<Message>),
    Remove(String),
}

fn read_element(json: &str) -> Result<Element, ShapeError> {
    let object = Object::parse(json).ok_or_else(|| ShapeError::new("", "no object", "a message object"))?;
    let Some((kind, fields)) = fields(object) else {
        // A state takes messages of OpenAI too.
        return decode_message(WireFormat::OpenAiChat, json).map(bare).map(Box::new).map(Element::Message);
    };
    let kind = match kind.as_str() {
        "chat" => fields.text("role").unwrap_or_default(),
        kind => kind.to_owned(),
    };
    let role = match kind.as_str() {
        "human" | "user" => Role::User,
        "ai" | "assistant" => return Ok(Element::Message(Box::new(reply(&fields)?))),
        "system" if is_developer(&fields) => Role::Developer,
        "system" => Role::System,
        "developer" => Role::Developer,
        "tool" | "function" => return Ok(Element::Message(Box::new(tool(&fields)?))),
        "remove" => return Ok(Element::Remove(fields.text("id").unwrap_or_default())),
        other => {
            return Err(ShapeError::new(
                "type",
                format!("an unknown type `{other}`"),
                "human, ai, system, developer, tool, function or remove",
            ));
        }
    };
    let mut message = Message::new(role, content(&fields)?);
    message.meta.id = fields.text("id");
    Ok(Element::Message(Box::new(message)))
}

/// What kind of message it is, and its fields; `None` for one that is not LangChain's.
fn fields(object: Object<'_>) -> Option<(String, Object<'_>)> {
    if object.has("lc") {
        let class = object.list("id")?.last().and_then(|name| json::string(name))?;
        return Some((kind_of_class(&class), object.object("kwargs")?));
    }
    let kind = object.text("type")?;
    Some((kind_of_class(&kind), object.object("data").unwrap_or(object)))
}

/// `HumanMessage`, `HumanMessageChunk` and `human` are the same.
fn kind_of_class(class: &str) -> String {
    let class = class.strip_suffix("Chunk").unwrap_or(class);
    class.strip_suffix("Message").unwrap_or(class).to_ascii_lowercase()
}

fn is_developer(fields: &Object<'_>) -> bool {
    fields.object("additional_kwargs").and_then(|more| more.text("__openai_role__")).as_deref()
        == Some("developer")
}

fn tool(fields: &Object<'_>) -> Result<Message, ShapeError> {
    // The older form answers by the function's name.
    let id = fields.text("tool_call_id").or_else(|| fields.text("name")).unwrap_or_default();
    let mut result = ToolResult::new(id, "");
    result.content = content(fields)?;
    result.name = fields.text("name");
    result.is_error = fields.text("status").as_deref() == Some("error");
    let mut message = Message::tool(result);
    message.meta.id = fields.text("id");
    Ok(message)
}

fn reply(fields: &Object<'_>) -> Result<Message, ShapeError> {
    let mut parts = content(fields)?;
    let more = fields.object("additional_kwargs");
    let thinks = parts.iter().any(|part| matches!(part, Part::Thinking(_)));
    if let Some(thinking) = more.as_ref().filter(|_| !thinks).and_then(reasoning_text) {
        parts.insert(0, thinking);
    }
    parts.extend(more.as_ref().and_then(|more| text_part(more.text("refusal"))));
    add_calls(calls(fields, more.as_ref()), &mut parts);
    let mut message = Message::new(Role::Assistant, parts);
    message.meta.id = fields.text("id");
    let response = fields.object("response_metadata");
    let stated = |keys: &[&str]| -> Option<String> {
        let response = response.as_ref()?;
        keys.iter().find_map(|key| response.text(key))
    };
    message.meta.model = stated(&["model_name", "model", "model_id"]);
    message.meta.stop = stated(&["finish_reason", "stop_reason", "stopReason", "done_reason"])
        .and_then(|reason| stop(&reason));
    message.meta.usage = fields.object("usage_metadata").and_then(usage).or_else(|| {
        let response = response.as_ref()?;
        usage(response.object("token_usage").or_else(|| response.object("usage"))?)
    });
    Ok(message)
}

/// The calls that stand beside the content: those that LangChain parsed, those that it could not
/// parse, or else those of the provider.
fn calls(fields: &Object<'_>, more: Option<&Object<'_>>) -> Vec<ToolCall> {
    let mut calls: Vec<ToolCall> = Vec::new();
    for key in ["tool_calls", "invalid_tool_calls"] {
        calls.extend(fields.list(key).unwrap_or_default().into_iter().filter_map(call));
    }
    let Some(more) = more.filter(|_| calls.is_empty()) else { return calls };
    calls.extend(more.list("tool_calls").unwrap_or_default().into_iter().filter_map(call));
    if let Some(function) = more.object("function_call") {
        let name = function.text("name").unwrap_or_default();
        calls.push(ToolCall::new(&name, &name, function.text("arguments").unwrap_or_default()));
    }
    calls
}

fn call(json: &str) -> Option<ToolCall> {
    let object = Object::parse(json)?;
    let id = object.text("id").unwrap_or_default();
    let body = object.object("function").unwrap_or(object);
    let arguments = body.get_any(&["args", "arguments"]).unwrap_or("{}");
    let arguments = json::string(arguments).unwrap_or_else(|| json::compact(arguments));
    Some(ToolCall::new(id, body.text("name").unwrap_or_default(), arguments))
}

/// Adds the calls. Of one that the content holds as a block, only the arguments are taken: those of
/// a block may be a piece of a stream.
fn add_calls(calls: Vec<ToolCall>, parts: &mut Vec<Part>) {
    for call in calls {
        let same = parts.iter_mut().find_map(|part| match part {
            Part::ToolCall(known) if !call.id.is_empty() && known.id == call.id => Some(known),
            _ => None,
        });
        match same {
            Some(known) => known.arguments = call.arguments,
            None => parts.push(Part::ToolCall(call)),
        }
    }
}
