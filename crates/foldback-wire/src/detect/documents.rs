//! Tells the documents of other programs by their members.

use crate::Format;
use crate::json::Object;
use crate::log::openhands;
use crate::scan;
use crate::signs::ListSigns;

/// A document of a program that keeps more than a request, or messages of its own.
pub(super) fn of_document(document: &Object<'_>) -> Option<Format> {
    let has = |key: &str| document.has(key);
    let any = |key: &str, is: fn(&Object<'_>) -> bool| {
        let mut elements = document.get(key).and_then(scan::elements).into_iter().flatten();
        elements.any(|element| scan::object(element).is_some_and(|element| is(&element)))
    };
    let lists = ["history", "trajectory", "events"];
    if lists.iter().any(|key| any(key, openhands::is_event)) {
        return Some(Format::OpenHands);
    }
    let is_run = ["trajectory", "info", "environment"].iter().any(|key| has(key));
    if (is_run && any("history", is_entry)) || any("trajectory", is_step) {
        return Some(Format::SweAgent);
    }
    let messages = document.get("messages")?;
    let response = document.object("response");
    let is_completion = response.is_some_and(|response| response.has("choices"))
        && ["kwargs", "context_window", "latency_sec", "cost"].iter().any(|key| has(key));
    if is_completion {
        return Some(Format::OpenHands);
    }
    let is_mini = document.text("trajectory_format").is_some_and(|name| name.starts_with("mini-swe-agent"))
        || document.object("info").is_some_and(|info| info.has("exit_status") || info.has("mini_version"));
    if is_mini {
        return Some(Format::SweAgent);
    }
    ListSigns::until(messages, ListSigns::tells_document)?.of_document()
}

/// A message of SWE-agent's history.
fn is_entry(entry: &Object<'_>) -> bool {
    let own = ["agent", "message_type", "thought", "action", "is_demo", "tool_call_ids"];
    entry.has("role") && own.iter().any(|key| entry.has(key))
}

/// A step of SWE-agent's trajectory.
fn is_step(step: &Object<'_>) -> bool {
    step.has("observation") && ["response", "thought"].iter().any(|key| step.has(key))
}
