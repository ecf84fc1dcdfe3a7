//! Mends what is broken in a history, and says what it did.
//!
//! Only breakage that makes a request invalid whatever the provider: a result without its call, a
//! call without its result. A valid history comes back as it was.

use std::collections::BTreeMap;

use crate::{CallGraph, CallSite, Message, Part, Role, ToolResult};

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

/// What [`repair`] did to a history.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repairs {
    /// Everything that was done, in order; empty for a history that needed nothing.
    pub done: Vec<Repair>,
    /// For each place of the old history, its end included, the same place in the new one.
    pub places: Vec<usize>,
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
/// assert_eq!(repair(&mut history, &[]).done.len(), 1);
/// assert!(CallGraph::new(&history, &[]).dangling().is_empty());
/// assert_eq!(history.len(), 3);
/// assert!(repair(&mut history, &[]).done.is_empty());
/// ```
pub fn repair(messages: &mut Vec<Message>, pending: &[String]) -> Repairs {
    repair_by(&CallGraph::new(messages, pending), messages)
}

/// The same for a conversation in which nothing runs any more: calls at its end are answered too.
pub fn repair_finished(messages: &mut Vec<Message>) -> Repairs {
    repair_by(&CallGraph::finished(messages), messages)
}

fn repair_by(graph: &CallGraph, messages: &mut Vec<Message>) -> Repairs {
    let mut repairs = Repairs { done: Vec::new(), places: (0..=messages.len()).collect() };
    if graph.orphans().is_empty() && graph.dangling().is_empty() {
        return repairs;
    }
    let mut orphans = graph.orphans().iter().peekable();
    let mut dangling = graph.dangling().iter().peekable();
    // The answers owed by the newest calling message, waiting for the end of its results.
    let mut owed: Vec<ToolResult> = Vec::new();
    for (index, mut message) in std::mem::take(messages).into_iter().enumerate() {
        let surplus: Vec<&CallSite> =
            std::iter::from_fn(|| orphans.next_if(|site| site.message == index)).collect();
        let is_used_up = !surplus.is_empty() && {
            drop_results(&surplus, &mut message);
            repairs.note(&surplus, RepairKind::DroppedOrphan);
            message.parts().is_empty()
        };
        if is_used_up {
            repairs.places[index] = messages.len();
            continue;
        }
        if message.results().next().is_none() {
            settle(messages, &mut owed);
        } else if message.role == Role::User && !owed.is_empty() {
            let mut parts: Vec<Part> = owed.drain(..).map(Part::ToolResult).collect();
            parts.extend(message.parts().iter().cloned());
            message.set_parts(parts);
        }
        repairs.places[index] = messages.len();
        let unanswered: Vec<&CallSite> =
            std::iter::from_fn(|| dangling.next_if(|site| site.message == index)).collect();
        for site in &unanswered {
            let mut result = ToolResult::new(&site.id, NO_RESULT).failed();
            result.name = message.calls().find(|call| call.id == site.id).map(|call| call.name.clone());
            owed.push(result);
        }
        repairs.note(&unanswered, RepairKind::AnsweredDangling);
        messages.push(message);
    }
    settle(messages, &mut owed);
    if let Some(end) = repairs.places.last_mut() {
        *end = messages.len();
    }
    repairs
}

impl Repairs {
    fn note(&mut self, sites: &[&CallSite], kind: RepairKind) {
        self.done.extend(sites.iter().map(|site| Repair {
            message: site.message,
            call_id: site.id.clone(),
            kind,
        }));
    }
}

fn settle(messages: &mut Vec<Message>, owed: &mut Vec<ToolResult>) {
    messages.extend(owed.drain(..).map(Message::tool));
}

/// Takes the results of `surplus` out of the message: of several of one id, the last ones.
fn drop_results(surplus: &[&CallSite], message: &mut Message) {
    let mut stay: BTreeMap<String, usize> = BTreeMap::new();
    for result in message.results() {
        *stay.entry(result.call_id.clone()).or_default() += 1;
    }
    for site in surplus {
        if let Some(n) = stay.get_mut(&site.id) {
            *n = n.saturating_sub(1);
        }
    }
    message.retain_parts(|part| match part {
        Part::ToolResult(result) => stay.get_mut(&result.call_id).is_some_and(|n| {
            let stays = *n > 0;
            *n = n.saturating_sub(1);
            stays
        }),
        _ => true,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolCall;

    fn call(id: &str) -> Message {
        Message::new(Role::Assistant, vec![Part::ToolCall(ToolCall::new(id, "f", "{}"))])
    }

    fn roles(messages: &[Message]) -> Vec<Role> {
        messages.iter().map(|message| message.role).collect()
    }

    #[test]
    fn an_empty_message_is_not_ours_to_remove() {
        let empty = Message::new(Role::Assistant, Vec::new());
        let mut history = vec![empty.clone(), call("1"), Message::user("go on"), empty];
        let repairs = repair(&mut history, &[]);
        assert_eq!(
            roles(&history),
            [Role::Assistant, Role::Assistant, Role::Tool, Role::User, Role::Assistant]
        );
        assert_eq!(repairs.places, [0, 1, 3, 4, 5]);
    }

    #[test]
    fn a_message_of_orphans_alone_goes() {
        let mut history =
            vec![Message::user("a"), Message::tool(ToolResult::new("9", "x")), Message::assistant("b")];
        let repairs = repair(&mut history, &[]);
        assert_eq!(roles(&history), [Role::User, Role::Assistant]);
        assert_eq!((repairs.done.len(), repairs.places.as_slice()), (1, &[0, 1, 1, 2][..]));
    }

    #[test]
    fn an_orphan_takes_no_answer_with_it() {
        let orphan = Message::new(Role::User, vec![Part::ToolResult(ToolResult::new("9", "x"))]);
        let mut history = vec![call("1"), orphan, Message::assistant("done")];
        assert_eq!(repair(&mut history, &[]).done.len(), 2);
        assert_eq!(roles(&history), [Role::Assistant, Role::Tool, Role::Assistant]);
        assert!(CallGraph::new(&history, &[]).dangling().is_empty());
    }

    #[test]
    fn calls_at_the_end_of_a_finished_conversation_are_answered() {
        let mut history = vec![Message::user("a"), call("1")];
        assert!(repair(&mut history, &[]).done.is_empty());
        assert_eq!(repair_finished(&mut history).done.len(), 1);
        assert_eq!(roles(&history), [Role::User, Role::Assistant, Role::Tool]);
    }

    #[test]
    fn the_first_of_two_results_is_kept() {
        let results = |text| Part::ToolResult(ToolResult::new("1", text));
        let mut history = vec![call("1"), Message::new(Role::User, vec![results("one"), results("two")])];
        assert_eq!(repair(&mut history, &[]).done.len(), 1);
        assert_eq!(history[1].results().map(ToolResult::text).collect::<Vec<_>>(), ["one"]);
    }
}
