//! Events of the software-agent-sdk, which name their `kind`.

use foldback_model::{Kind, Message, Part, Role, Summary, Thinking, ToolCall, ToolResult, WireFormat};

use super::Event;
use super::drafts::Drafts;
use super::v0::picture;
use super::view::id_of;
use crate::codec::{decode_block, decode_tools};
use crate::json::{self, Object};
use crate::log::whole::text_part;

/// The kinds that tell a list of events.
pub(super) const KINDS: [&str; 8] = [
    "SystemPromptEvent",
    "MessageEvent",
    "ActionEvent",
    "ObservationEvent",
    "UserRejectObservation",
    "AgentErrorEvent",
    "Condensation",
    "CondensationSummaryEvent",
];

/// Takes what the model sees of an event. Events of other kinds are for the host alone: pauses,
/// changes of state, token counts, errors of the conversation.
pub(super) fn take(event: &Event<'_>, drafts: &mut Drafts) {
    let object = &event.object;
    match object.text("kind").unwrap_or_default().as_str() {
        "SystemPromptEvent" => take_system(object, drafts),
        "MessageEvent" => take_message(event, drafts),
        "ActionEvent" => take_action(event, drafts),
        "ObservationEvent" => {
            let observation = object.object("observation");
            let mut content = observation.as_ref().map(observed).unwrap_or_default();
            content.extend(blocks(object, "extended_content"));
            let is_error = observation.is_some_and(|observation| observation.flag("is_error"));
            answer(content, is_error, event, drafts);
        }
        "UserRejectObservation" => {
            let reason = object.text("rejection_reason").unwrap_or_default();
            answer(vec![Part::Text(format!("Action rejected: {reason}"))], true, event, drafts);
        }
        "AgentErrorEvent" => answer(Vec::from_iter(text_part(object.text("error"))), true, event, drafts),
        "CondensationSummaryEvent" => {
            let summary = object.text("summary").and_then(|summary| Summary::new(summary).to_message());
            if let Some(message) = summary {
                drafts.add(message, event);
            }
        }
        _ => {}
    }
}

fn take_system(object: &Object<'_>, drafts: &mut Drafts) {
    let text = |key: &str| object.object(key).and_then(|text| text.text("text")).or_else(|| object.text(key));
    let texts: Vec<String> = ["system_prompt", "dynamic_context"].into_iter().filter_map(text).collect();
    drafts.head().system = (!texts.is_empty()).then(|| texts.join("\n\n"));
    drafts.head().tools = decode_tools(&object.list("tools").unwrap_or_default());
}

fn take_message(event: &Event<'_>, drafts: &mut Drafts) {
    let object = &event.object;
    let Some(said) = object.object("llm_message") else { return };
    let source = object.text("source").unwrap_or_default();
    let role = match (said.text("role").as_deref(), source.as_str()) {
        (Some("assistant"), _) | (None, "agent") => Role::Assistant,
        (Some("system"), _) => Role::System,
        _ => Role::User,
    };
    let mut parts = thinking(&said);
    parts.extend(blocks(&said, "content"));
    parts.extend(said.list("tool_calls").unwrap_or_default().into_iter().filter_map(call));
    parts.extend(blocks(object, "extended_content"));
    let mut message = Message::new(role, parts);
    message.meta.id = id_of(object);
    if role == Role::User && source == "environment" {
        message.meta.kind = Kind::Injected;
    }
    match role {
        Role::Assistant => drafts.reply(object.text("llm_response_id"), message, event),
        _ => drafts.add(message, event),
    }
}

/// One call of a reply; the first one holds what was said and thought with it.
fn take_action(event: &Event<'_>, drafts: &mut Drafts) {
    let object = &event.object;
    let mut parts = thinking(object);
    parts.extend(blocks(object, "thought"));
    parts.push(object.get("tool_call").and_then(call).unwrap_or_else(|| {
        let arguments = object.get("action").map_or_else(|| "{}".to_owned(), json::compact);
        let id = object.text("tool_call_id").unwrap_or_default();
        Part::ToolCall(ToolCall::new(id, object.text("tool_name").unwrap_or_default(), arguments))
    }));
    let mut message = Message::new(Role::Assistant, parts);
    message.meta.id = object.text("llm_response_id").or_else(|| id_of(object));
    drafts.reply(object.text("llm_response_id"), message, event);
}

/// A call in the SDK's own shape, or in that of Chat Completions.
fn call(json: &str) -> Option<Part> {
    let object = Object::parse(json)?;
    let id = object.text("id").unwrap_or_default();
    let body = object.object("function").unwrap_or(object);
    let arguments = body.get("arguments").unwrap_or("{}");
    let arguments = json::string(arguments).unwrap_or_else(|| json::compact(arguments));
    Some(Part::ToolCall(ToolCall::new(id, body.text("name")?, arguments)))
}

fn thinking(object: &Object<'_>) -> Vec<Part> {
    let blocks = object.list("thinking_blocks").unwrap_or_default();
    let signed: Vec<Part> =
        blocks.into_iter().map(|block| decode_block(WireFormat::Anthropic, block)).collect();
    if !signed.is_empty() {
        return signed;
    }
    let text = object.text("reasoning_content").filter(|text| !text.is_empty());
    text.map(|text| Part::Thinking(Thinking::new(text))).into_iter().collect()
}

/// The texts and pictures of a list of the SDK; a bare text is one.
fn blocks(object: &Object<'_>, key: &str) -> Vec<Part> {
    let Some(value) = object.get(key) else { return Vec::new() };
    if let Some(text) = json::string(value) {
        return Vec::from_iter(text_part(Some(text)));
    }
    let mut parts = Vec::new();
    for block in json::list(value).unwrap_or_default().into_iter().filter_map(Object::parse) {
        match block.list("image_urls") {
            Some(urls) => parts.extend(urls.into_iter().map(picture)),
            None => parts.extend(text_part(block.text("text"))),
        }
    }
    parts
}

/// What the model is told of an observation. Older ones have a field of their own for it.
fn observed(observation: &Object<'_>) -> Vec<Part> {
    if observation.has("content") {
        return blocks(observation, "content");
    }
    let text = ["output", "error", "message"].iter().find_map(|key| observation.text(key));
    Vec::from_iter(text_part(text))
}

fn answer(content: Vec<Part>, is_error: bool, event: &Event<'_>, drafts: &mut Drafts) {
    let object = &event.object;
    let mut result = ToolResult::new(object.text("tool_call_id").unwrap_or_default(), "");
    result.name = object.text("tool_name");
    result.content = content;
    result.is_error = is_error;
    drafts.answer(result, event);
}
