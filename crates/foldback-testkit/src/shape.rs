//! What a generated conversation may contain, and what it comes as.

use std::ops::RangeInclusive;

use foldback_model::{CallGraph, Message, WireFormat};

/// Bounds on generated conversations.
///
/// The default is a few turns with everything that occurs in the field. [`Shape::of`] keeps to what
/// one provider accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shape {
    /// Number of turns.
    pub turns: RangeInclusive<usize>,
    /// Most replies of the model in a turn.
    pub max_replies: usize,
    /// Most calls in one reply.
    pub max_calls: usize,
    /// Whether the conversation may end with calls that are still running.
    pub may_be_pending: bool,
    /// The provider whose rules on order, adjacency and content hold; without one, all that is
    /// coherent goes: results behind a steering message, injected messages, replies in a row.
    pub wire: Option<WireFormat>,
}

impl Default for Shape {
    fn default() -> Self {
        Self { turns: 0..=6, max_replies: 4, max_calls: 3, may_be_pending: false, wire: None }
    }
}

impl Shape {
    /// Conversations that may be sent in `wire`: the roles, the place of results and the absence of
    /// empty content are as the provider demands. There is at least one turn.
    #[must_use]
    pub fn of(wire: WireFormat) -> Self {
        Self { turns: 1..=6, wire: Some(wire), ..Self::default() }
    }

    /// The same with another number of turns.
    #[must_use]
    pub fn with_turns(mut self, turns: RangeInclusive<usize>) -> Self {
        self.turns = turns;
        self
    }

    /// The same, where the last reply's calls may still be running.
    #[must_use]
    pub fn or_pending(mut self) -> Self {
        self.may_be_pending = true;
        self
    }
}

/// A generated conversation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct History {
    /// The messages. Each has an id, `m` and its index.
    pub messages: Vec<Message>,
    /// Ids of the calls that are still running; empty unless [`Shape::may_be_pending`].
    pub pending: Vec<String>,
}

impl History {
    pub(crate) fn new(mut messages: Vec<Message>, pending: Vec<String>) -> Self {
        for (index, message) in messages.iter_mut().enumerate() {
            message.meta.id = Some(format!("m{index}"));
        }
        Self { messages, pending }
    }

    /// The calls of the conversation and what answers them.
    #[must_use]
    pub fn graph(&self) -> CallGraph {
        CallGraph::new(&self.messages, &self.pending)
    }
}
