//! Where the kept part of a conversation begins.

use foldback_model::TokenCount;
use serde::{Deserialize, Serialize};

use crate::Outline;

/// Where the kept suffix starts. Never a bare index: nothing to cut and everything to cut are not
/// numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a cut is nowhere, somewhere or behind everything")]
pub enum Cut {
    /// Nothing is condensed.
    None,
    /// Messages from this index on are kept.
    At(usize),
    /// Everything that may be condensed is.
    All,
}

/// How much of the end of a conversation is kept as it is.
///
/// With several limits set, the longest suffix that one of them asks for is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Keep {
    /// At least so many tokens: the message that reaches the number is kept too, unless it is the first
    /// one that may go.
    pub tokens: Option<TokenCount>,
    /// The last so many turns, whole.
    pub turns: Option<usize>,
}

impl Keep {
    /// Keeps the suffix that reaches `tokens`; with zero, nothing.
    #[must_use]
    pub fn tokens(tokens: TokenCount) -> Self {
        Self { tokens: Some(tokens), turns: None }
    }

    /// Keeps the last `turns` turns.
    #[must_use]
    pub fn turns(turns: usize) -> Self {
        Self { tokens: None, turns: Some(turns) }
    }

    /// Where the kept suffix starts, as an index up to the number of entries; `None` where the whole
    /// conversation is within the limits, or cannot be cut behind its start.
    ///
    /// `room` is how many tokens the suffix may have at most, if that is known: a suffix is not made
    /// longer than asked when it would not fit then.
    pub(crate) fn first_kept(self, outline: &Outline, room: Option<TokenCount>) -> Option<usize> {
        let by_tokens = self.tokens.map(|tokens| suffix_by_tokens(outline, tokens, room));
        let by_turns = self.turns.map(|turns| suffix_by_turns(outline, turns));
        let first = match (by_tokens, by_turns) {
            (None, None) => suffix_by_tokens(outline, TokenCount::ZERO, room),
            (Some(one), None) | (None, Some(one)) => one,
            // `None` keeps everything, the longest suffix of all.
            (Some(a), Some(b)) => a.zip(b).map(|(a, b)| a.min(b)),
        };
        first.filter(|&index| index > 0)
    }
}

fn suffix_by_tokens(outline: &Outline, keep: TokenCount, room: Option<TokenCount>) -> Option<usize> {
    let n = outline.entries().len();
    let mut sum = TokenCount::ZERO;
    let mut crossing = n;
    while sum < keep {
        crossing = crossing.checked_sub(1)?;
        sum += outline.entries()[crossing].tokens;
    }
    // Where the message that reaches the number is the first one that may go, keeping it would leave
    // nothing to condense. Messages in front of that one stay in any case and are not what was meant.
    let first_to_go = outline.entries().iter().position(|entry| !entry.stays()).unwrap_or(n);
    if crossing < first_to_go {
        return None;
    }
    let crossing = if crossing == first_to_go && crossing < n { crossing + 1 } else { crossing };
    let forward = (crossing..=n).find(|&index| outline.may_cut_at(index));
    if let Some(index) = forward
        && (index < n || keep == TokenCount::ZERO)
    {
        return Some(index);
    }
    // One exchange is larger than what was to be kept. Keeping it whole is richer than keeping
    // nothing, as long as it fits.
    let backward = (0..crossing.min(n)).rev().find(|&index| outline.may_cut_at(index))?;
    let size: TokenCount = outline.entries()[backward..].iter().map(|entry| entry.tokens).sum();
    match forward {
        Some(index) if backward == 0 || room.is_some_and(|room| size > room) => Some(index),
        _ => Some(backward),
    }
}

fn suffix_by_turns(outline: &Outline, turns: usize) -> Option<usize> {
    let n = outline.entries().len();
    let starts: Vec<usize> = (0..n).filter(|&index| outline.entries()[index].turn_start).collect();
    let start = match turns {
        0 => n,
        turns => starts.len().checked_sub(turns).map(|position| starts[position])?,
    };
    // An exchange may reach into the next turn when a person steers in the middle of it.
    (0..=start).rev().find(|&index| outline.may_cut_at(index))
}
