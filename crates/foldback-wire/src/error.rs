//! What can be wrong with a file that is to be read.

use std::fmt;

/// A file cannot be read: what is wrong, where, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadError {
    /// What is wrong.
    pub kind: ReadErrorKind,
    /// The line, from 1, where it is known.
    pub line: Option<usize>,
    /// The column in bytes, from 1, where it is known.
    pub column: Option<usize>,
    /// The byte offset in the file, from 0, where it is known.
    pub offset: Option<usize>,
    /// What would have been right.
    pub expected: String,
    /// What was found, as a sentence without a full stop.
    pub message: String,
}

/// The classes of [`ReadError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// There is nothing in the file.
    Empty,
    /// The bytes are not UTF-8.
    Encoding,
    /// The text is not JSON, or ends in the middle of it.
    Syntax,
    /// It is JSON of a kind that no reader understands.
    UnknownFormat,
    /// It is of the format, but a field does not have the shape that the format gives it.
    Shape,
}

impl ReadErrorKind {
    /// The name used in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Encoding => "encoding",
            Self::Syntax => "syntax",
            Self::UnknownFormat => "unknown_format",
            Self::Shape => "shape",
        }
    }
}

impl ReadError {
    pub(crate) fn new(kind: ReadErrorKind, message: impl Into<String>, expected: impl Into<String>) -> Self {
        Self {
            kind,
            line: None,
            column: None,
            offset: None,
            expected: expected.into(),
            message: message.into(),
        }
    }

    pub(crate) fn at_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    pub(crate) fn at_column(mut self, column: usize) -> Self {
        self.column = Some(column);
        self
    }

    pub(crate) fn at_offset(mut self, offset: usize) -> Self {
        self.offset = Some(offset);
        self
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}")?;
            if let Some(column) = self.column {
                write!(f, ", column {column}")?;
            }
            f.write_str(": ")?;
        } else if let Some(offset) = self.offset {
            write!(f, "byte {offset}: ")?;
        }
        write!(f, "{}; expected {}", self.message, self.expected)
    }
}

impl std::error::Error for ReadError {}
