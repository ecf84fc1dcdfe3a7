//! Events of the first version: an `action` that somebody took, or an `observation` of what came of it.

use foldback_model::{Media, MediaSource, Message, Part, Role, ToolCall, ToolResult, WireFormat};

use super::Event;
use super::completion::reply;
use super::drafts::Drafts;
use super::view::{id_of, id_text};
use crate::codec::{decode_block, decode_tools};
use crate::json::{self, Object, quote};
use crate::log::whole::text_part;

/// Observations that no model sees. What a recall found is put into the next prompt in words that the
/// event does not hold.
const NOISE: [&str; 5] = ["agent_state_changed", "null", "recall", "condense", "loop_recovery"];
/// Actions that say nothing to the model.
const SILENT: [&str; 7] = [
    "change_agent_state",
    "null",
    "recall",
    "condensation",
    "condensation_request",
    "loop_recovery",
    "pause",
];
/// What an action holds about itself and not for its tool.
const OWN_ARGUMENTS: [&str; 4] = ["thought", "confirmation_state", "security_risk", "hidden"];

pub(super) fn take(event: &Event<'_>, drafts: &mut Drafts) {
    let object = &event.object;
    if let Some(action) = object.text("action") {
        take_action(&action, event, drafts);
    } else if let Some(observation) =
        object.text("observation").filter(|kind| !NOISE.contains(&kind.as_str()))
    {
        take_observation(&observation, event, drafts);
    }
}

fn take_action(action: &str, event: &Event<'_>, drafts: &mut Drafts) {
    let object = &event.object;
    let args = object.object("args");
    let arg = |key: &str| args.as_ref().and_then(|args| args.text(key));
    let is_user = object.text("source").as_deref() == Some("user");
    match action {
        "system" => {
            drafts.head().system = arg("content");
            let tools = args.as_ref().and_then(|args| args.list("tools"));
            drafts.head().tools = decode_tools(&tools.unwrap_or_default());
        }
        "message" => {
            let role = if is_user { Role::User } else { Role::Assistant };
            let mut message = Message::new(role, said(text_part(arg("content")), args.as_ref()));
            message.meta.id = id_of(object);
            drafts.add(message, event);
        }
        _ if SILENT.contains(&action) => {}
        "run" if is_user => {
            let text = format!("Command run by the user:\n{}", arg("command").unwrap_or_default());
            drafts.inject(vec![Part::Text(text)], event);
        }
        _ if is_user => {}
        _ => match metadata(object) {
            Some((response, message)) => {
                let message = if action == "finish" {
                    finished(message, object, arg("final_thought"))
                } else {
                    message
                };
                drafts.reply(response, message, event);
            }
            None => own_action(action, event, args.as_ref(), drafts),
        },
    }
}

/// The reply that an action or an observation is of, with the id that all of them share.
fn metadata(event: &Object<'_>) -> Option<(Option<String>, Message)> {
    let metadata = event.object("tool_call_metadata")?;
    let response = metadata.object("model_response")?;
    Some((response.text("id"), reply(&response)?))
}

/// The call that ends a session is never answered: the model is shown what it said instead.
fn finished(mut message: Message, event: &Object<'_>, last: Option<String>) -> Message {
    let id = event.object("tool_call_metadata").and_then(|metadata| metadata.text("tool_call_id"));
    let is_end = |part: &Part| matches!(part, Part::ToolCall(call) if Some(&call.id) == id.as_ref());
    let mut parts: Vec<Part> = message.parts().iter().filter(|part| !is_end(part)).cloned().collect();
    if message.text().trim().is_empty() {
        parts.extend(text_part(last));
    }
    message.set_parts(parts);
    message
}

/// An action of an agent whose model has no calls of its own.
fn own_action(action: &str, event: &Event<'_>, args: Option<&Object<'_>>, drafts: &mut Drafts) {
    let arg = |key: &str| args.and_then(|args| args.text(key));
    let mut parts = Vec::from_iter(text_part(arg("thought")));
    if action == "finish" {
        parts.extend(text_part(arg("final_thought")));
    } else if let Some((id, name)) = own_call(action, &event.object) {
        let members = args.map(|args| args.members().collect::<Vec<_>>()).unwrap_or_default();
        let arguments: Vec<String> = members
            .into_iter()
            .filter(|(name, value)| !OWN_ARGUMENTS.contains(name) && *value != "null")
            .map(|(name, value)| format!("{}:{}", quote(name), json::compact(value)))
            .collect();
        parts.push(Part::ToolCall(ToolCall::new(id, name, format!("{{{}}}", arguments.join(",")))));
    }
    drafts.reply(None, Message::new(Role::Assistant, parts), event);
}

/// The id and the name of the call that an action stands for: those that the model gave it, if the
/// rest of its reply was not kept.
fn own_call(action: &str, event: &Object<'_>) -> Option<(String, String)> {
    let metadata = event.object("tool_call_metadata");
    let stated = |key: &str| metadata.as_ref().and_then(|metadata| metadata.text(key));
    let id = stated("tool_call_id").or_else(|| Some(call_id(&id_of(event)?)))?;
    Some((id, stated("function_name").unwrap_or_else(|| action.to_owned())))
}

/// The id of a call that the model did not make as such.
fn call_id(event: &str) -> String {
    format!("event_{event}")
}

fn take_observation(observation: &str, event: &Event<'_>, drafts: &mut Drafts) {
    let object = &event.object;
    let extras = object.object("extras");
    let content = said(text_part(Some(observed(observation, object, extras.as_ref()))), extras.as_ref());
    let is_error = matches!(observation, "error" | "user_rejected");
    let metadata = object.object("tool_call_metadata");
    let stated = metadata.as_ref().and_then(|metadata| metadata.text("tool_call_id"));
    let caused = object.get("cause").map(|cause| call_id(&id_text(cause))).filter(|id| drafts.has_call(id));
    let Some(id) = stated.or(caused) else {
        return drafts.inject(content, event);
    };
    let mut result = ToolResult::new(id, "");
    result.name = metadata.and_then(|metadata| metadata.text("function_name"));
    result.content = content;
    result.is_error = is_error;
    drafts.answer(result, event);
}

/// What the model is told: of a command, with what the shell's state adds around the output.
fn observed(observation: &str, event: &Object<'_>, extras: Option<&Object<'_>>) -> String {
    let content = event.text("content").unwrap_or_default();
    let metadata = extras.filter(|_| observation == "run").and_then(|extras| extras.object("metadata"));
    let around = |key: &str| metadata.as_ref().and_then(|metadata| metadata.text(key)).unwrap_or_default();
    format!("{}{content}{}", around("prefix"), around("suffix"))
}

/// A text, and the pictures beside it.
fn said(text: Option<Part>, beside: Option<&Object<'_>>) -> Vec<Part> {
    let urls = beside.and_then(|beside| beside.list("image_urls")).unwrap_or_default();
    text.into_iter().chain(urls.into_iter().map(picture)).collect()
}

/// A picture by its address, which may hold it.
pub(super) fn picture(url: &str) -> Part {
    match decode_block(WireFormat::OpenAiChat, &format!(r#"{{"type":"image_url","image_url":{url}}}"#)) {
        Part::Image(image) => Part::Image(image),
        _ => Part::Image(Media::new(None, MediaSource::Url(json::string(url).unwrap_or_default()))),
    }
}
