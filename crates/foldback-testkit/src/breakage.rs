//! Ways to break a conversation.

use std::collections::BTreeSet;

use foldback_model::{CallGraph, Message, Part, Role, ToolCall, ToolResult};

/// One thing done to a valid conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Breakage {
    kind: Kind,
    /// Chooses the message, modulo their number.
    at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Messages with results go.
    LoseResults,
    /// A message with calls goes.
    LoseCalls,
    /// A result is there twice.
    RepeatResult,
    /// A result of a call that nobody made.
    InventResult,
    /// The results come before their calls.
    SwapWithNext,
    /// A message without parts.
    Empty,
    /// A message of one blank text.
    Blank,
    /// Two calls of one message share an id.
    RepeatCallId,
    /// A role that does not fit the content.
    WrongRole,
    /// A bond that nothing calls for.
    Bind,
}

impl Breakage {
    /// The breakage that `choice` names, at the message that `at` names.
    pub(crate) fn new(choice: u8, at: usize) -> Self {
        Self { kind: KINDS[usize::from(choice) % KINDS.len()], at }
    }

    fn apply(self, messages: &mut Vec<Message>) {
        let calling = |message: &Message| message.calls().next().is_some();
        let answering = |message: &Message| message.results().next().is_some();
        match self.kind {
            Kind::LoseResults => {
                if let Some(at) = self.pick(messages, answering) {
                    messages.remove(at);
                }
            }
            Kind::LoseCalls => {
                if let Some(at) = self.pick(messages, calling) {
                    messages.remove(at);
                }
            }
            Kind::RepeatResult => {
                if let Some(at) = self.pick(messages, answering) {
                    messages.insert(at + 1, messages[at].clone());
                }
            }
            Kind::InventResult => {
                let at = self.at % (messages.len() + 1);
                messages.insert(at, Message::tool(ToolResult::new("call_of_nobody", "ok")));
            }
            Kind::SwapWithNext => {
                if let Some(at) = self.pick(messages, |message| calling(message) || answering(message))
                    && at + 1 < messages.len()
                {
                    messages.swap(at, at + 1);
                }
            }
            Kind::Empty => self.insert(messages, Vec::new()),
            Kind::Blank => self.insert(messages, vec![Part::text(" \n")]),
            Kind::RepeatCallId => {
                if let Some(at) = self.pick(messages, calling) {
                    let mut parts = messages[at].parts().to_vec();
                    let id = messages[at].calls().next().map(|call| call.id.clone()).unwrap_or_default();
                    parts.push(Part::ToolCall(ToolCall::new(id, "bash", "not json")));
                    messages[at].set_parts(parts);
                }
            }
            Kind::WrongRole => {
                if let Some(at) = self.pick(messages, |message| calling(message) || answering(message)) {
                    messages[at].role = ROLES[self.at % ROLES.len()];
                }
            }
            Kind::Bind => {
                if let Some(at) = self.pick(messages, |_| true) {
                    messages[at].meta.binds_next = true;
                }
            }
        }
    }

    /// One of the messages that `wanted` accepts.
    fn pick(self, messages: &[Message], wanted: impl Fn(&Message) -> bool) -> Option<usize> {
        let fitting: Vec<usize> = (0..messages.len()).filter(|&at| wanted(&messages[at])).collect();
        (!fitting.is_empty()).then(|| fitting[self.at % fitting.len()])
    }

    fn insert(self, messages: &mut Vec<Message>, parts: Vec<Part>) {
        let role = ROLES[self.at % ROLES.len()];
        messages.insert(self.at % (messages.len() + 1), Message::new(role, parts));
    }
}

/// Breaks `messages` in these ways. The result is broken even if they cancel out: then a result of a
/// call that nobody made is added.
pub(crate) fn break_up(mut messages: Vec<Message>, breakages: &[Breakage]) -> Vec<Message> {
    for breakage in breakages {
        breakage.apply(&mut messages);
    }
    if !is_broken(&messages) {
        Breakage { kind: Kind::InventResult, at: messages.len() }.apply(&mut messages);
    }
    messages
}

/// Whether no provider would take `messages`, or their calls and results do not match.
pub(crate) fn is_broken(messages: &[Message]) -> bool {
    let graph = CallGraph::new(messages, &[]);
    !graph.orphans().is_empty() || !graph.dangling().is_empty() || messages.iter().any(is_malformed)
}

fn is_malformed(message: &Message) -> bool {
    let blank = |part: &Part| part.as_text().is_some_and(|text| text.trim().is_empty());
    let mut ids = BTreeSet::new();
    let misplaced = |part: &Part| match part {
        Part::ToolCall(_) => message.role != Role::Assistant,
        Part::ToolResult(_) => !matches!(message.role, Role::User | Role::Tool),
        _ => false,
    };
    message.parts().is_empty()
        || message.parts().iter().any(blank)
        || message.parts().iter().any(misplaced)
        || !message.calls().all(|call| ids.insert(&call.id))
}

const KINDS: [Kind; 10] = [
    Kind::LoseResults,
    Kind::LoseCalls,
    Kind::RepeatResult,
    Kind::InventResult,
    Kind::SwapWithNext,
    Kind::Empty,
    Kind::Blank,
    Kind::RepeatCallId,
    Kind::WrongRole,
    Kind::Bind,
];

const ROLES: [Role; 5] = [Role::User, Role::Assistant, Role::Tool, Role::System, Role::Developer];

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange() -> Vec<Message> {
        vec![
            Message::user("look"),
            Message::new(Role::Assistant, vec![Part::ToolCall(ToolCall::new("1", "ls", "{}"))]),
            Message::tool(ToolResult::new("1", "a.txt")),
            Message::assistant("one file"),
        ]
    }

    #[test]
    fn every_kind_but_a_bond_breaks_an_exchange() {
        assert!(!is_broken(&exchange()));
        for kind in KINDS {
            // A call that lost its result at the very end would still be running; here talk follows.
            let mut messages = exchange();
            Breakage { kind, at: 0 }.apply(&mut messages);
            assert_eq!(is_broken(&messages), kind != Kind::Bind, "{kind:?}");
        }
    }

    #[test]
    fn nothing_to_break_is_broken_all_the_same() {
        assert!(is_broken(&break_up(Vec::new(), &[Breakage::new(0, 3)])));
    }
}
