//! Trajectories of SWE-agent and mini-swe-agent: one JSON object.
//!
//! `history` is what was said, in messages close to those of Chat Completions; `trajectory` tells the
//! same by steps, each with what the model said and what came of it. mini-swe-agent has the messages in
//! `messages`. Its older files are a bare list of messages: that is a list of Chat Completions and is
//! taken for one, unless this format is asked for by name.

#[cfg(test)]
mod tests;

use foldback_model::{Kind, Message, Part, Role, ToolResult, WireFormat};

use super::Log;
use super::report::{stop, usage};
use super::whole::{bare, misshapen, unknown, whole};
use crate::ReadError;
use crate::codec::{ShapeError, decode_message};
use crate::json::{self, Object};

const EXPECTED: &str = "an object with `history` or `trajectory`, or mini-swe-agent's with `messages`";

pub(super) fn read(text: &str) -> Result<Log, ReadError> {
    let whole = whole(text)?;
    let file = Object::parse(whole);
    let list = |key: &str| file.as_ref().and_then(|file| file.list(key)).filter(|list| !list.is_empty());
    let (key, entries) = match (&file, list("history"), list("messages")) {
        (None, ..) => ("messages", json::list(whole)),
        (_, Some(history), _) => ("history", Some(history)),
        (_, None, messages) => ("messages", messages),
    };
    let mut log = Log::default();
    log.context.model = file.as_ref().and_then(model);
    match (entries, list("trajectory")) {
        (Some(entries), _) => read_entries(text, key, &entries, &mut log)?,
        (None, Some(steps)) => read_steps(text, &steps, &mut log)?,
        // A run that ended before it began.
        (None, None) if file.as_ref().is_some_and(has_list) => {}
        (None, None) => return Err(unknown("SWE-agent", EXPECTED)),
    }
    Ok(log)
}

fn has_list(file: &Object<'_>) -> bool {
    ["history", "trajectory", "messages"].iter().any(|key| file.list(key).is_some())
}

/// The model that the run was set up with: no message names one.
fn model(file: &Object<'_>) -> Option<String> {
    let of_mini = || {
        let config = file.object("info")?.object("config")?;
        config.object("model")?.text("model_name")
    };
    let of_swe_agent = || {
        // The configuration is an object, or the text of one.
        let config = file.get("replay_config")?;
        let text = json::string(config).unwrap_or_else(|| config.to_owned());
        Object::parse(&text)?.object("agent")?.object("model")?.text("name")
    };
    of_mini().or_else(of_swe_agent)
}

fn read_entries(text: &str, key: &str, entries: &[&str], log: &mut Log) -> Result<(), ReadError> {
    let agent_of = |entry: &str| Object::parse(entry)?.text("agent");
    // Helpers of the agent speak in the same list, and the model does not see what they say.
    let main = entries.iter().find_map(|entry| agent_of(entry));
    let mut has_acted = false;
    for (index, entry) in entries.iter().enumerate() {
        let is_main = agent_of(entry).is_none_or(|agent| Some(agent) == main);
        let message = message(entry).map_err(|error| misshapen(text, entry, key, index, error))?;
        let Some(mut message) = message.filter(|_| is_main) else { continue };
        // Behind an action of the agent stands what came of it, also where it has the role of a user.
        if has_acted && message.role == Role::User && is_observation(entry) {
            message.meta.kind = Kind::Injected;
        }
        has_acted |= message.role == Role::Assistant && message.meta.kind == Kind::Plain;
        log.push(message, None, 0);
    }
    Ok(())
}

/// Whether the entry may be what the environment said. Older files say only of which agent an entry is;
/// in those of mini-swe-agent, which do not say even that, a person may have spoken.
fn is_observation(entry: &str) -> bool {
    let Some(entry) = Object::parse(entry) else { return false };
    match entry.text("message_type") {
        Some(kind) => kind == "observation",
        None => entry.has("agent"),
    }
}

/// What an entry says; `None` for one that the model never saw.
fn message(entry: &str) -> Result<Option<Message>, ShapeError> {
    let object = Object::parse(entry).ok_or_else(|| ShapeError::new("", "no object", "a message object"))?;
    if object.text("role").as_deref() == Some("exit") {
        // mini-swe-agent notes the result of the run so.
        return Ok(None);
    }
    let mut message = bare(decode_message(WireFormat::OpenAiChat, entry)?);
    if let Some(ids) = object.list("tool_call_ids") {
        answer(&mut message, ids.into_iter().filter_map(json::string).collect());
    }
    if object.flag("is_demo") || object.text("message_type").as_deref() == Some("demonstration") {
        message.meta.kind = Kind::Injected;
    }
    if let Some(response) = object.object("extra").and_then(|extra| extra.object("response")) {
        report(&response, &mut message);
    }
    Ok(Some(message))
}

/// Gives the one result of an entry the ids that the entry names. Of several, the first one has the
/// content: the entry says it once for all of them.
fn answer(message: &mut Message, ids: Vec<String>) {
    let content = match message.parts() {
        [Part::ToolResult(result)] => result.content.clone(),
        _ => return,
    };
    let mut content = Some(content);
    let results = ids.into_iter().map(|id| {
        let mut result = ToolResult::new(id, "");
        result.content = content.take().unwrap_or_default();
        Part::ToolResult(result)
    });
    let results: Vec<Part> = results.collect();
    if !results.is_empty() {
        message.set_parts(results);
    }
}

/// What the provider said of the call, which mini-swe-agent keeps.
fn report(response: &Object<'_>, message: &mut Message) {
    message.meta.model = response.text("model");
    message.meta.usage = response.object("usage").and_then(usage);
    let choice = response.list("choices").and_then(|choices| Object::parse(choices.first()?));
    message.meta.stop = choice.and_then(|choice| stop(&choice.text("finish_reason")?));
}

/// Builds the conversation from the steps alone. A step may hold what was sent to the model for it:
/// then the last one holds all that came before.
fn read_steps(text: &str, steps: &[&str], log: &mut Log) -> Result<(), ReadError> {
    let sent = steps.iter().enumerate().rev().find_map(|(index, step)| {
        let query = Object::parse(step)?;
        let query = query.list("query").or_else(|| query.list("messages"));
        query.filter(|query| !query.is_empty()).map(|query| (index, query))
    });
    let first = match sent {
        Some((index, query)) => {
            read_entries(text, &format!("trajectory[{index}].query"), &query, log)?;
            index
        }
        None => 0,
    };
    for (index, step) in steps.iter().enumerate().skip(first) {
        let step = Object::parse(step).ok_or_else(|| {
            misshapen(text, step, "trajectory", index, ShapeError::new("", "no object", "a step object"))
        })?;
        let said = step.text("response").filter(|said| !said.is_empty()).or_else(|| said_in_pieces(&step));
        let observed = step.text("observation").filter(|observed| !observed.is_empty());
        if let Some(said) = said {
            log.push(Message::assistant(said), None, 0);
        }
        if let Some(observed) = observed {
            // The host says what came of the command; nobody has written it.
            let mut message = Message::new(Role::User, vec![Part::Text(observed)]);
            message.meta.kind = Kind::Injected;
            log.push(message, None, 0);
        }
    }
    Ok(())
}

/// What the model said, put together from thought and action.
fn said_in_pieces(step: &Object<'_>) -> Option<String> {
    let pieces: Vec<String> = ["thought", "action"]
        .iter()
        .filter_map(|key| step.text(key))
        .filter(|text| !text.is_empty())
        .collect();
    (!pieces.is_empty()).then(|| pieces.join("\n\n"))
}
