//! A conversation reduced to what a plan needs to know.

use foldback_model::{CallGraph, Context, Kind, Message, Pin, Role, TokenCount};
use foldback_tokens::ContextEstimate;

/// One message of an [`Outline`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Who speaks.
    pub role: Role,
    /// What the message stands for.
    pub kind: Kind,
    /// How large it is.
    pub tokens: TokenCount,
    /// Whether a turn starts here.
    pub turn_start: bool,
    /// How it is pinned, by itself or because an exchange that it belongs to is.
    pub pin: Option<Pin>,
}

impl Entry {
    /// Whether the message stays whatever the cut: pinned, or a standing instruction.
    #[must_use]
    pub fn stays(&self) -> bool {
        self.pin.is_some() || self.role.is_instruction()
    }
}

/// The sizes of a conversation's messages, and where it may be cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    entries: Vec<Entry>,
    // `legal[i]`: the history may be cut in front of entry `i`. One longer than `entries`.
    legal: Vec<bool>,
    fixed: TokenCount,
    summary: TokenCount,
}

impl Outline {
    /// An outline of `messages` of the sizes `tokens`.
    ///
    /// `pinned` adds to the pins that the messages carry; a pin holds the whole exchange that its
    /// message belongs to. `pending` names calls that are known to be running.
    ///
    /// A size that is missing counts as zero, an index past the end pins nothing.
    #[must_use]
    pub fn of_messages(
        messages: &[Message],
        tokens: &[TokenCount],
        pinned: &[usize],
        pending: &[String],
    ) -> Self {
        let graph = CallGraph::new(messages, pending);
        let mut entries: Vec<Entry> = messages
            .iter()
            .enumerate()
            .map(|(index, message)| Entry {
                role: message.role,
                kind: message.kind(),
                tokens: tokens.get(index).copied().unwrap_or_default(),
                turn_start: message.starts_turn(),
                pin: message.meta.pin,
            })
            .collect();
        for &index in pinned {
            if let Some(entry) = entries.get_mut(index) {
                entry.pin.get_or_insert(Pin::InPlace);
            }
        }
        let legal: Vec<bool> = (0..=entries.len()).map(|index| graph.may_cut_at(index)).collect();
        spread_pins(&mut entries, &legal);
        Self { entries, legal, fixed: TokenCount::ZERO, summary: TokenCount::ZERO }
    }

    /// An outline of a whole context, with the sizes of an estimate of it.
    #[must_use]
    pub fn of_context(
        context: &Context,
        estimate: &ContextEstimate,
        pinned: &[usize],
        pending: &[String],
    ) -> Self {
        let tokens: Vec<TokenCount> = estimate.messages.iter().map(|message| message.tokens).collect();
        let mut outline = Self::of_messages(&context.messages, &tokens, pinned, pending);
        outline.fixed = estimate.system.tokens + estimate.tools.tokens;
        outline.summary = estimate.summary.tokens;
        outline
    }

    /// The messages.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether the history may be cut in front of entry `index`; the end counts as a place.
    #[must_use]
    pub fn may_cut_at(&self, index: usize) -> bool {
        self.legal.get(index).copied().unwrap_or(false)
    }

    /// Tokens of the system text outside the list and of the tools: no compaction frees them.
    #[must_use]
    pub fn fixed(&self) -> TokenCount {
        self.fixed
    }

    /// Tokens of the summary so far.
    #[must_use]
    pub fn summary(&self) -> TokenCount {
        self.summary
    }

    /// The whole context.
    #[must_use]
    pub fn total(&self) -> TokenCount {
        self.fixed + self.summary + self.entries.iter().map(|entry| entry.tokens).sum()
    }

    /// The number of turns.
    #[must_use]
    pub fn n_turns(&self) -> usize {
        self.entries.iter().filter(|entry| entry.turn_start).count()
    }

    /// The place where the turn begins that a cut in front of `index` falls into, or `None` if the
    /// cut falls between turns.
    pub(crate) fn split_turn(&self, index: usize) -> Option<usize> {
        // What the host injects in front of a person's message belongs to that message's turn.
        let next = self.entries[index..].iter().find(|entry| entry.kind != Kind::Injected)?;
        if next.turn_start {
            return None;
        }
        (0..index).rev().find(|&earlier| self.entries[earlier].turn_start)
    }
}

/// A pin holds every message that cannot be parted from the pinned one.
fn spread_pins(entries: &mut [Entry], legal: &[bool]) {
    let mut start = 0;
    for end in 1..=entries.len() {
        if legal[end] || end == entries.len() {
            if let Some(pin) = entries[start..end].iter().find_map(|entry| entry.pin) {
                for entry in &mut entries[start..end] {
                    entry.pin.get_or_insert(pin);
                }
            }
            start = end;
        }
    }
}
