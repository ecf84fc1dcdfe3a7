//! The decision: whether to compact, what to condense and what to keep.

use std::fmt;
use std::ops::Range;

use foldback_model::{Kind, TokenCount};
use serde::{Deserialize, Serialize};

use crate::{Budget, Cut, Keep, Measure, Outline, Trigger};

/// How a plan is made. [`Trigger::defects`] tells whether the trigger makes sense.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Policy {
    /// When a compaction is due.
    pub trigger: Trigger,
    /// What is kept of the end of the conversation.
    pub keep: Keep,
    /// Whether a compaction is wanted whatever the trigger says (the `RequireReduction` of
    /// Golato).
    pub force: bool,
    /// How many tokens the summary may take. The kept suffix leaves room for it.
    pub summary_allowance: TokenCount,
}

impl Policy {
    /// Keeps `keep`, when the context is above the whole budget.
    #[must_use]
    pub fn new(keep: Keep) -> Self {
        Self {
            trigger: Trigger::above_budget_ratio(1.0),
            keep,
            force: false,
            summary_allowance: TokenCount::ZERO,
        }
    }

    /// The same with another trigger.
    #[must_use]
    pub fn trigger(mut self, trigger: Trigger) -> Self {
        self.trigger = trigger;
        self
    }

    /// The same, whatever the trigger says.
    #[must_use]
    pub fn force(mut self) -> Self {
        self.force = true;
        self
    }

    /// The same with room for a summary.
    #[must_use]
    pub fn summary_allowance(mut self, tokens: TokenCount) -> Self {
        self.summary_allowance = tokens;
        self
    }
}

/// What to condense and what to keep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Plan {
    /// Where the kept suffix starts.
    pub cut: Cut,
    /// The same as an index; the number of messages if everything is condensed.
    pub first_kept: usize,
    /// Whole turns to condense. Messages that stay (see `stays`) are among them and are left out.
    pub summarize: Range<usize>,
    /// The head of the turn that the cut falls into, to be condensed as a part of its own.
    pub turn_prefix: Option<Range<usize>>,
    /// Messages in front of the cut that stay all the same: pinned ones and standing instructions.
    pub stays: Vec<usize>,
    /// Whether the trigger fired; otherwise the plan was demanded.
    pub due: bool,
    /// The context before.
    pub tokens_before: TokenCount,
    /// What is kept: system text, tools, the messages that stay and the suffix; no summary.
    pub tokens_kept: TokenCount,
    /// What the trigger compared with, if it compares sizes.
    pub threshold: Option<TokenCount>,
    /// The usable budget, if the window is known.
    pub budget: Option<TokenCount>,
    /// What no compaction can free, where that alone is larger than the budget: the plan makes the
    /// context smaller, but it will not fit.
    pub irreducible: Option<Irreducible>,
}

impl Plan {
    /// Indices of the messages that are condensed as whole turns.
    pub fn history(&self) -> impl Iterator<Item = usize> {
        self.summarize.clone().filter(|index| self.stays.binary_search(index).is_err())
    }

    /// Indices of the messages that are condensed as the head of a split turn.
    pub fn prefix(&self) -> impl Iterator<Item = usize> {
        let prefix = self.turn_prefix.clone().unwrap_or_default();
        prefix.filter(|index| self.stays.binary_search(index).is_err())
    }
}

/// A part of the context that no compaction can free.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Irreducible {
    /// Which part is the largest: `system and tools`, `pinned messages` or `kept messages`.
    pub what: String,
    /// How large all of it is.
    pub tokens: TokenCount,
}

impl Irreducible {
    /// `what` takes up `tokens`.
    #[must_use]
    pub fn new(what: impl Into<String>, tokens: TokenCount) -> Self {
        Self { what: what.into(), tokens }
    }
}

/// Why nothing is done, or cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The trigger did not fire.
    NotDue {
        /// The size of the context.
        tokens: TokenCount,
        /// What the trigger compares with, if it compares sizes and the window is known.
        threshold: Option<TokenCount>,
    },
    /// There is no message.
    Empty,
    /// What is to be kept is everything.
    AllKept,
    /// In front of the kept suffix stands nothing but what stays: pins, instructions, a summary.
    NothingToCondense,
    /// The conversation cannot be cut behind its start without parting a call from its result.
    Indivisible,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotDue { tokens, threshold: Some(threshold) } if tokens <= threshold => {
                write!(f, "{tokens} are not above the threshold of {threshold}")
            }
            Self::NotDue { tokens, .. } => write!(f, "the trigger does not fire at {tokens}"),
            Self::Empty => f.write_str("there are no messages"),
            Self::AllKept => {
                f.write_str("everything is within what is to be kept; keep less to condense more")
            }
            Self::NothingToCondense => {
                f.write_str("in front of the kept messages stands nothing that may be condensed")
            }
            Self::Indivisible => {
                f.write_str("the conversation cannot be cut without parting a tool call from its result")
            }
        }
    }
}

/// The outcome of planning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Condense according to the plan.
    Compact(Plan),
    /// Nothing is due, or there is nothing to do.
    None(Reason),
    /// A compaction was demanded, and nothing can be condensed.
    NoReduction(Reason),
    /// A compaction is due, but what cannot be freed is larger than the budget by itself: trying
    /// would not help, now or the next time.
    NoProgress(Irreducible),
}

/// Decides what to do about a conversation.
///
/// Without a budget the triggers that need one never fire, so only a forced plan or one with
/// absolute triggers comes about.
#[must_use]
pub fn plan(outline: &Outline, budget: Option<&Budget>, policy: &Policy) -> Decision {
    let tokens = outline.total();
    let threshold = policy.trigger.threshold(budget);
    let measure = Measure::new(tokens, outline.n_turns());
    let due = policy.trigger.fires(measure, budget);
    if !policy.force && !due {
        return Decision::None(Reason::NotDue { tokens, threshold });
    }
    let refuse = |reason| if policy.force { Decision::NoReduction(reason) } else { Decision::None(reason) };

    let usable = budget.map(Budget::usable);
    let irreducible = irreducible(outline, usable);
    if let (false, Some(part)) = (policy.force, &irreducible) {
        return Decision::NoProgress(part.clone());
    }
    if outline.entries().is_empty() {
        return refuse(Reason::Empty);
    }
    let room = usable.and_then(|usable| room(usable, outline, policy.summary_allowance));
    let Some(first_kept) = limited(policy.keep, room).first_kept(outline, room) else {
        let divisible = (1..=outline.entries().len()).any(|index| outline.may_cut_at(index));
        return refuse(if divisible { Reason::AllKept } else { Reason::Indivisible });
    };
    let stays: Vec<usize> = (0..first_kept).filter(|&index| outline.entries()[index].stays()).collect();
    if !has_content(outline, first_kept, &stays) {
        return refuse(Reason::NothingToCondense);
    }
    let stay_tokens: TokenCount = stays.iter().map(|&index| outline.entries()[index].tokens).sum();
    let suffix: TokenCount = outline.entries()[first_kept..].iter().map(|entry| entry.tokens).sum();
    let start = (0..first_kept).find(|index| stays.binary_search(index).is_err()).unwrap_or(first_kept);
    let tokens_kept = outline.fixed() + stay_tokens + suffix;
    // A last exchange that is larger than the budget is kept whole: nothing here may part it.
    let oversized = usable.filter(|&usable| tokens_kept > usable);
    let irreducible = irreducible
        .or(oversized.map(|_| Irreducible { what: "kept messages".to_owned(), tokens: tokens_kept }));
    let split = outline.split_turn(first_kept).filter(|&turn| {
        // Of a turn that is pinned up to the cut, nothing is condensed.
        (turn..first_kept).any(|index| stays.binary_search(&index).is_err())
    });
    let history_end = split.unwrap_or(first_kept);
    Decision::Compact(Plan {
        cut: if first_kept == outline.entries().len() { Cut::All } else { Cut::At(first_kept) },
        first_kept,
        summarize: start.min(history_end)..history_end,
        turn_prefix: split.map(|turn| turn..first_kept),
        stays,
        due,
        tokens_before: tokens,
        tokens_kept,
        threshold,
        budget: usable,
        irreducible,
    })
}

/// What is to be kept, but no more than there is room for.
fn limited(keep: Keep, room: Option<TokenCount>) -> Keep {
    match (keep.tokens, room) {
        (Some(tokens), Some(room)) => Keep { tokens: Some(tokens.min(room)), ..keep },
        _ => keep,
    }
}

/// What a kept suffix may take of the budget. A window in which the summary's allowance does not fit
/// leaves the whole of it; one that what stays fills by itself limits nothing, since nothing would help.
fn room(usable: TokenCount, outline: &Outline, allowance: TokenCount) -> Option<TokenCount> {
    let free = usable.checked_sub(staying(outline)).filter(|&free| free > TokenCount::ZERO)?;
    Some(free.checked_sub(allowance).filter(|&room| room > TokenCount::ZERO).unwrap_or(free))
}

/// Everything that no cut frees.
fn staying(outline: &Outline) -> TokenCount {
    let messages = outline.entries().iter().filter(|entry| entry.stays());
    outline.fixed() + messages.map(|entry| entry.tokens).sum()
}

fn irreducible(outline: &Outline, usable: Option<TokenCount>) -> Option<Irreducible> {
    let tokens = staying(outline);
    if tokens <= usable? || outline.entries().is_empty() {
        return None;
    }
    let pinned: TokenCount =
        outline.entries().iter().filter(|entry| entry.pin.is_some()).map(|entry| entry.tokens).sum();
    let instructions = tokens.saturating_sub(pinned);
    let what = if pinned > instructions { "pinned messages" } else { "system and tools" };
    Some(Irreducible { what: what.to_owned(), tokens })
}

/// Whether something in front of the cut is worth a summary: an earlier summary alone is not.
fn has_content(outline: &Outline, first_kept: usize, stays: &[usize]) -> bool {
    (0..first_kept)
        .any(|index| outline.entries()[index].kind != Kind::Summary && stays.binary_search(&index).is_err())
}
