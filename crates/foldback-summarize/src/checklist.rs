//! A summary that needs no model.

mod commands;
mod cues;
mod done;
mod facts;
mod fit;
mod gather;
mod items;
mod material;
mod outcome;
mod previous;
mod program;
mod records;
mod sections;
mod shapes;
#[cfg(test)]
mod tests;
mod troubles;

use std::fmt;

use async_trait::async_trait;
use foldback_model::TokenCount;
use foldback_tokens::{Heuristic, TokenCounter};

use crate::text::{REDACTED, redact};
use crate::{SummarizeError, SummarizeErrorKind, Summarizer, SummaryReply, SummaryRequest};

// About one page: enough for the goal, the constraints and the state of a day's work, and under one
// in a hundred of a common window.
const DEFAULT_BUDGET: TokenCount = TokenCount::new(1500);

/// Lists what a reader needs to go on: what was asked for, in the asker's words; constraints; what
/// was done; commands and their outcome; errors and whether they were resolved; decisions;
/// identifiers with their latest value; what is open.
///
/// It asks no model, and the same request gives the same text. It selects and quotes, and it
/// understands nothing: rules such as "a sentence with *must* states a constraint" are for English,
/// while requests, commands, errors and identifiers are found whatever the language.
///
/// The text is markdown: a heading for each kind of thing and one line for each thing. Everything
/// quoted is data: it stands on one line, cannot close or open a block, and is free of control
/// characters and of recognisable secrets, whose number is noted. Its own earlier text, given as
/// [`SummaryRequest::previous`], is merged line by line, so a chain of summaries neither loses facts
/// nor grows; other text is quoted under "Earlier".
///
/// The result keeps to the budget of the request (1500 tokens if it has none), and its last line says
/// what was left out. Below about sixty tokens it gives the shortest useful form instead.
///
/// ```
/// use foldback_model::Message;
/// use foldback_summarize::{ChecklistSummarizer, SummaryKind, SummaryRequest};
///
/// let messages = [Message::user("Port the parser to Rust. Never touch the C API."), Message::assistant("It is ported.")];
/// let request = SummaryRequest::new(SummaryKind::History, messages.iter().collect());
/// let reply = ChecklistSummarizer::default().digest(&request)?;
/// assert!(reply.text.contains("Never touch the C API."));
/// # Ok::<(), foldback_summarize::SummarizeError>(())
/// ```
pub struct ChecklistSummarizer {
    counter: Box<dyn TokenCounter + Send + Sync>,
}

impl ChecklistSummarizer {
    /// Measures its text with `counter`.
    #[must_use]
    pub fn new(counter: Box<dyn TokenCounter + Send + Sync>) -> Self {
        Self { counter }
    }

    /// The summary of `request`, without waiting for anything.
    ///
    /// # Errors
    ///
    /// [`SummarizeErrorKind::Empty`] when there is no message and no previous summary;
    /// [`SummarizeErrorKind::Failed`] when the counter fails.
    pub fn digest(&self, request: &SummaryRequest<'_>) -> Result<SummaryReply, SummarizeError> {
        let material = gather::gather(request);
        let sections = sections::build(material, request.kind);
        if sections.iter().all(|section| section.items.is_empty()) {
            return nothing_listed(request);
        }
        let budget = request.budget.unwrap_or(DEFAULT_BUDGET);
        let text = fit::fit(sections, budget, request.focus.unwrap_or(""), self.counter.as_ref()).map_err(
            |err| {
                SummarizeError::new(SummarizeErrorKind::Failed, "the summary could not be measured")
                    .with_source(err)
            },
        )?;
        // Once more over the whole: what an earlier summary or a tool's name brought in goes too.
        let mut reply = SummaryReply::new(redact(&text));
        let n_redacted = reply.text.matches(REDACTED).count();
        if n_redacted > 0 {
            reply.notes.push(format!("{n_redacted} secrets were redacted."));
        }
        Ok(reply)
    }
}

/// What is said of messages that hold nothing to list: text of the host, sealed reasoning, blanks. An
/// error would keep the conversation from ever getting smaller.
fn nothing_listed(request: &SummaryRequest<'_>) -> Result<SummaryReply, SummarizeError> {
    match request.messages.len() {
        0 => Err(SummarizeError::new(SummarizeErrorKind::Empty, "there is nothing to summarize")),
        1 => Ok(SummaryReply::new("One message held nothing that a person or the model said.")),
        n => Ok(SummaryReply::new(format!("{n} messages held nothing that a person or the model said."))),
    }
}

impl Default for ChecklistSummarizer {
    fn default() -> Self {
        Self::new(Box::new(Heuristic::default()))
    }
}

impl fmt::Debug for ChecklistSummarizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChecklistSummarizer").finish_non_exhaustive()
    }
}

#[async_trait]
impl Summarizer for ChecklistSummarizer {
    async fn summarize(&self, request: &SummaryRequest<'_>) -> Result<SummaryReply, SummarizeError> {
        self.digest(request)
    }
}
