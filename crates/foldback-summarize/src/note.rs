//! A fixed note in place of a summary.

use async_trait::async_trait;

use crate::{SummarizeError, SummarizeErrorKind, Summarizer, SummaryReply, SummaryRequest};

/// Answers every request with the same note. The previous summary is kept in front of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteSummarizer {
    note: String,
}

impl NoteSummarizer {
    /// Answers with `note`.
    #[must_use]
    pub fn new(note: impl Into<String>) -> Self {
        Self { note: note.into() }
    }

    /// The note, behind the previous summary if there is one that does not end with it already.
    ///
    /// # Errors
    ///
    /// [`SummarizeErrorKind::Empty`] for a blank note without a previous summary.
    pub fn digest(&self, request: &SummaryRequest<'_>) -> Result<SummaryReply, SummarizeError> {
        let note = self.note.trim();
        let previous = request.previous.map_or("", |previous| previous.text.trim());
        let text = match (previous.is_empty(), previous.ends_with(note)) {
            (true, _) => note.to_owned(),
            (false, true) => previous.to_owned(),
            (false, false) => format!("{previous}\n\n{note}"),
        };
        if text.is_empty() {
            return Err(SummarizeError::new(SummarizeErrorKind::Empty, "the note is blank"));
        }
        Ok(SummaryReply::new(text))
    }
}

impl Default for NoteSummarizer {
    /// Says that earlier conversation was left out.
    fn default() -> Self {
        Self::new("Earlier conversation was left out to stay within the context window.")
    }
}

#[async_trait]
impl Summarizer for NoteSummarizer {
    async fn summarize(&self, request: &SummaryRequest<'_>) -> Result<SummaryReply, SummarizeError> {
        self.digest(request)
    }
}

#[cfg(test)]
mod tests {
    use foldback_model::{Message, Summary};

    use super::*;
    use crate::SummaryKind;

    #[test]
    fn a_note_follows_the_previous_summary_once() {
        let message = Message::user("hello");
        let summarizer = NoteSummarizer::new("Older messages are gone.");
        let request = SummaryRequest::new(SummaryKind::History, vec![&message]);
        assert_eq!(summarizer.digest(&request).unwrap().text, "Older messages are gone.");
        let previous = Summary::new("We began.");
        let again = summarizer.digest(&request.clone().with_previous(&previous)).unwrap().text;
        assert_eq!(again, "We began.\n\nOlder messages are gone.");
        let previous = Summary::new(again.clone());
        assert_eq!(summarizer.digest(&request.with_previous(&previous)).unwrap().text, again);
    }

    #[test]
    fn a_blank_note_is_an_error() {
        let message = Message::user("hello");
        let request = SummaryRequest::new(SummaryKind::History, vec![&message]);
        let err = NoteSummarizer::new(" ").digest(&request).unwrap_err();
        assert_eq!(err.kind(), SummarizeErrorKind::Empty);
    }
}
