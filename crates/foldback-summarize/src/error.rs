//! Why no summary came.

use std::error::Error;
use std::fmt;

/// A summarizer's failure: a kind to act on, a sentence to read, and the cause if there is one.
#[derive(Debug)]
pub struct SummarizeError {
    kind: SummarizeErrorKind,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// What a caller can do about a [`SummarizeError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SummarizeErrorKind {
    /// Nothing usable was in the reply, or nothing usable was in the request.
    Empty,
    /// The request exceeds what the summarizer accepts: offer it less.
    InputTooLong,
    /// The summarizer failed.
    Failed,
    /// The caller gave up.
    Cancelled,
}

impl SummarizeError {
    /// An error of `kind`; `message` is lower case and has no full stop.
    #[must_use]
    pub fn new(kind: SummarizeErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// The same with its cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What to do about it.
    #[must_use]
    pub fn kind(&self) -> SummarizeErrorKind {
        self.kind
    }
}

impl fmt::Display for SummarizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for SummarizeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}
