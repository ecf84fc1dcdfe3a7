//! What can go wrong in a compaction.

use std::fmt;

use foldback_model::TokenCount;
use foldback_plan::{Irreducible, TriggerDefect};
use foldback_summarize::SummarizeError;
use foldback_tokens::EstimateError;

/// A compaction that did not take place. Nothing has changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompactError {
    /// The request or the plan is not in order.
    #[error("invalid request: {0}")]
    InvalidRequest(String),
    /// The size of the context could not be estimated.
    #[error("the context could not be estimated")]
    Estimate(#[source] EstimateError),
    /// The summarizer failed.
    #[error("the summarizer failed")]
    Summarization(#[source] SummarizeError),
    /// The summary was blank after trimming and without file lists.
    #[error("the summary is empty")]
    EmptySummary,
    /// Nothing can be condensed.
    #[error("no reduction: {0}")]
    NoReduction(String),
    /// The summary is not smaller than what it would replace.
    #[error("no reduction: the context would have {after} instead of {before}{}", cannot_go(.irreducible.as_ref()))]
    NotSmaller {
        /// The estimate before.
        before: TokenCount,
        /// The estimate after.
        after: TokenCount,
        /// What cannot be condensed, where that alone is larger than the budget.
        irreducible: Option<Irreducible>,
    },
}

fn cannot_go(part: Option<&Irreducible>) -> String {
    part.map(|part| format!("; {} take up {} and cannot be condensed", part.what, part.tokens))
        .unwrap_or_default()
}

impl CompactError {
    /// Whether the request was in order but could not be made smaller.
    #[must_use]
    pub fn is_no_reduction(&self) -> bool {
        matches!(self, Self::NoReduction(_) | Self::NotSmaller { .. })
    }
}

/// What is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigDefect {
    /// The trigger cannot work.
    #[error("`trigger`: {0}")]
    Trigger(TriggerDefect),
    /// A summary of no tokens can say nothing.
    #[error("`summary_tokens` is zero; leave it out, or name how many tokens a summary may have")]
    NoRoomForSummary,
}

/// Every defect of a configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigDefects(pub(crate) Vec<ConfigDefect>);

impl ConfigDefects {
    /// The defects; never empty.
    #[must_use]
    pub fn defects(&self) -> &[ConfigDefect] {
        &self.0
    }
}

impl fmt::Display for ConfigDefects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&all.join("; "))
    }
}

impl std::error::Error for ConfigDefects {}
