//! Messages in the making: calls of one reply stand in several events, with results between them.

use std::collections::BTreeMap;

use foldback_model::{Kind, Message, Part, Role, Summary as Projection, ToolResult};

use super::Event;
use super::view::Summary;
use crate::document::Boundary;
use crate::log::Log;

#[derive(Default)]
pub(super) struct Drafts {
    drafts: Vec<Draft>,
    /// The draft of each reply, by the provider's id of it.
    replies: BTreeMap<String, usize>,
    /// The draft that makes each call.
    calls: BTreeMap<String, usize>,
    head: Head,
}

/// What stands outside the list of messages.
#[derive(Default)]
pub(super) struct Head {
    pub(super) system: Option<String>,
    pub(super) tools: Vec<foldback_model::ToolDefinition>,
}

/// A message, and the results that answer its calls.
struct Draft {
    message: Message,
    line: Option<usize>,
    epoch: u32,
    results: Vec<Placed>,
}

struct Placed {
    message: Message,
    line: Option<usize>,
    epoch: u32,
}

impl Drafts {
    pub(super) fn head(&mut self) -> &mut Head {
        &mut self.head
    }

    pub(super) fn summary(&mut self, summary: Summary) {
        let Some(mut message) = Projection::new(summary.text).to_message() else { return };
        message.meta.id = summary.id;
        self.drafts.push(Draft { message, line: summary.line, epoch: summary.epoch, results: Vec::new() });
    }

    /// Adds a message of its own; nothing, if it says nothing.
    pub(super) fn add(&mut self, message: Message, event: &Event<'_>) {
        if !message.parts().is_empty() {
            let (line, epoch) = (event.line, event.epoch);
            self.drafts.push(Draft { message, line, epoch, results: Vec::new() });
        }
    }

    /// Adds what the host says to the model without a person having written it.
    pub(super) fn inject(&mut self, parts: Vec<Part>, event: &Event<'_>) {
        let mut message = Message::new(Role::User, parts);
        message.meta.kind = Kind::Injected;
        self.add(message, event);
    }

    /// Adds a reply, or the further calls of one that began before.
    pub(super) fn reply(&mut self, reply: Option<String>, message: Message, event: &Event<'_>) {
        let known = reply.as_ref().and_then(|reply| self.replies.get(reply).copied());
        let at = known.unwrap_or(self.drafts.len());
        let new: Vec<String> = message
            .calls()
            .map(|call| call.id.clone())
            .filter(|id| known.is_none() || self.calls.get(id) != Some(&at))
            .collect();
        match known {
            Some(at) => {
                let draft = &mut self.drafts[at].message;
                let mut parts = draft.parts().to_vec();
                let is_new = |part: &&Part| matches!(part, Part::ToolCall(call) if new.contains(&call.id));
                parts.extend(message.parts().iter().filter(is_new).cloned());
                draft.set_parts(parts);
            }
            None if message.parts().is_empty() => return,
            None => self.add(message, event),
        }
        self.calls.extend(new.into_iter().map(|id| (id, at)));
        self.replies.extend(reply.map(|reply| (reply, at)));
    }

    /// Whether a call of this id was made.
    pub(super) fn has_call(&self, id: &str) -> bool {
        self.calls.contains_key(id)
    }

    /// Puts a result behind the reply that made its call.
    pub(super) fn answer(&mut self, result: ToolResult, event: &Event<'_>) {
        let caller = self.calls.get(&result.call_id).copied();
        let (line, epoch) = (event.line, event.epoch);
        let message = Message::tool(result);
        match caller {
            Some(at) => self.drafts[at].results.push(Placed { message, line, epoch }),
            None => self.drafts.push(Draft { message, line, epoch, results: Vec::new() }),
        }
    }

    /// The log of all messages, with a boundary for each of `compactions`, which come after so many
    /// others.
    pub(super) fn write(self, compactions: Vec<u32>) -> Log {
        let mut log = Log::default();
        (log.context.system, log.context.tools) = (self.head.system, self.head.tools);
        for draft in self.drafts {
            if draft.message.meta.model.is_some() {
                log.context.model.clone_from(&draft.message.meta.model);
            }
            log.push(draft.message, draft.line, draft.epoch);
            for result in draft.results {
                log.push(result.message, result.line, result.epoch);
            }
        }
        for epoch in compactions {
            let is_after =
                |message: &Message| message.meta.epoch > epoch && message.meta.kind != Kind::Summary;
            let messages = &log.context.messages;
            let index = messages.iter().position(is_after).unwrap_or(messages.len());
            let kind = "condensation".to_owned();
            log.boundaries.push(Boundary { index, kind, tokens_before: None, tokens_after: None });
        }
        log
    }
}
