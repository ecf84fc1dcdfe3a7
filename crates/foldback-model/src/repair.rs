//! Mends what is broken in a history, and says what it did.
//!
//! Only breakage that makes a request invalid whatever the provider: a result without its call, a
//! call without its result. A valid history comes back as it was.

use crate::{CallGraph, Message, Part, Role, ToolResult};

/// One thing that [`repair`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repair {
    /// Index of the message in the history as it was given.
    pub message: usize,
    /// The id of the call concerned.
    pub call_id: String,
    /// What was done.
    pub kind: RepairKind,
}

/// What [`repair`] did about one call or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RepairKind {
    /// A result without its call, or a second result of a call, was taken out.
    DroppedOrphan,
    /// A call without a result was answered by a short error.
    AnsweredDangling,
}

const NO_RESULT: &str = "No result was recorded for this call: it was interrupted.";

/// Takes orphans out and answers dangling calls; calls that are still `pending` are left alone.
///
/// The answer to a dangling call stands directly behind the results that the calling message does
/// have, so that every provider finds it where it looks.
///
/// ```
/// use foldback_model::{CallGraph, Message, Part, Role, ToolCall, repair};
///
/// let call = Part::ToolCall(ToolCall::new("c1", "ls", "{}"));
/// let mut history = vec![Message::new(Role::Assistant, vec![call]), Message::user("go on")];
/// assert_eq!(repair(&mut history, &[]).len(), 1);
/// assert!(CallGraph::new(&history, &[]).dangling().is_empty());
/// assert_eq!(history.len(), 3);
/// assert!(repair(&mut history, &[]).is_empty());
/// ```
pub fn repair(messages: &mut Vec<Message>, pending: &[String]) -> Vec<Repair> {
    let graph = CallGraph::new(messages, pending);
    if graph.orphans().is_empty() && graph.dangling().is_empty() {
        return Vec::new();
    }
    let mut done = Vec::new();
    let old = std::mem::take(messages);
    // The answers owed by the newest calling message, waiting for the end of its results.
    let mut owed: Vec<ToolResult> = Vec::new();
    for (index, mut message) in old.into_iter().enumerate() {
        drop_orphans(&graph, index, &mut message, &mut done);
        if message.parts().is_empty() {
            continue;
        }
        if message.results().next().is_none() {
            settle(messages, &mut owed);
        } else if message.role == Role::User && !owed.is_empty() {
            let mut parts: Vec<Part> = owed.drain(..).map(Part::ToolResult).collect();
            parts.extend(message.parts().iter().cloned());
            message.set_parts(parts);
        }
        for site in graph.dangling().iter().filter(|site| site.message == index) {
            let mut result = ToolResult::new(&site.id, NO_RESULT).failed();
            result.name = message.calls().find(|call| call.id == site.id).map(|call| call.name.clone());
            owed.push(result);
            done.push(Repair {
                message: index,
                call_id: site.id.clone(),
                kind: RepairKind::AnsweredDangling,
            });
        }
        messages.push(message);
    }
    settle(messages, &mut owed);
    done
}

fn settle(messages: &mut Vec<Message>, owed: &mut Vec<ToolResult>) {
    messages.extend(owed.drain(..).map(Message::tool));
}

fn drop_orphans(graph: &CallGraph, index: usize, message: &mut Message, done: &mut Vec<Repair>) {
    let orphans: Vec<&str> =
        graph.orphans().iter().filter(|site| site.message == index).map(|site| site.id.as_str()).collect();
    if orphans.is_empty() {
        return;
    }
    let mut left = orphans.clone();
    let mut parts = message.parts().to_vec();
    // The last results of an id are the surplus ones.
    for position in (0..parts.len()).rev() {
        let Part::ToolResult(result) = &parts[position] else { continue };
        if let Some(found) = left.iter().position(|id| *id == result.call_id) {
            left.swap_remove(found);
            parts.remove(position);
        }
    }
    message.set_parts(parts);
    done.extend(orphans.into_iter().map(|id| Repair {
        message: index,
        call_id: id.to_owned(),
        kind: RepairKind::DroppedOrphan,
    }));
}
