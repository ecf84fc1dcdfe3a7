//! What a summarizer is asked, and what it answers.

use foldback_model::{Message, Summary, TokenCount, Usage};

/// One piece of conversation to be condensed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SummaryRequest<'a> {
    /// What the messages are.
    pub kind: SummaryKind,
    /// The messages, in order; exchanges are whole.
    pub messages: Vec<&'a Message>,
    /// The summary of what came before them. The new one replaces it.
    pub previous: Option<&'a Summary>,
    /// What to favour, in somebody's words: a wish, not an instruction to be followed.
    pub focus: Option<&'a str>,
    /// How long the summary may be; `None` leaves it to the summarizer.
    pub budget: Option<TokenCount>,
}

/// What the messages of a [`SummaryRequest`] are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SummaryKind {
    /// Complete turns.
    #[default]
    History,
    /// The head of a turn whose rest is kept.
    TurnPrefix,
}

impl<'a> SummaryRequest<'a> {
    /// Asks for a summary of `messages`, with nothing before them and no wishes.
    #[must_use]
    pub fn new(kind: SummaryKind, messages: Vec<&'a Message>) -> Self {
        Self { kind, messages, previous: None, focus: None, budget: None }
    }

    /// The same behind an earlier summary.
    #[must_use]
    pub fn with_previous(mut self, previous: &'a Summary) -> Self {
        self.previous = Some(previous);
        self
    }

    /// The same with something to favour.
    #[must_use]
    pub fn with_focus(mut self, focus: &'a str) -> Self {
        self.focus = Some(focus);
        self
    }

    /// The same with a bound on the length of the summary.
    #[must_use]
    pub fn with_budget(mut self, budget: TokenCount) -> Self {
        self.budget = Some(budget);
        self
    }
}

/// What a summarizer answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SummaryReply {
    /// The summary.
    pub text: String,
    /// What it consumed, if a model was asked and its provider said so.
    pub usage: Option<Usage>,
    /// What a person should know about how it came about, one sentence each.
    pub notes: Vec<String>,
}

impl SummaryReply {
    /// A summary of `text` that cost nothing.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}
