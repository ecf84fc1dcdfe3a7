//! A failure as the person at the terminal, or the program behind `--json`, gets to see it.

use std::path::Path;

use foldback::wire::ReadError;
use serde::Serialize;

/// A failure. Boxed, so that results stay small.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Failure(Box<Report>);

/// What was wrong, where, and what was expected.
#[derive(Debug, Serialize)]
struct Report {
    kind: String,
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<usize>,
    expected: Option<String>,
    message: String,
}

impl Failure {
    fn new(kind: &str, message: String) -> Self {
        Self(Box::new(Report {
            kind: kind.to_owned(),
            file: None,
            line: None,
            column: None,
            offset: None,
            expected: None,
            message,
        }))
    }

    /// The options do not make sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new("usage", message.into())
    }

    /// The options made sense, but not for this conversation.
    pub(crate) fn request(message: impl Into<String>) -> Self {
        Self::new("invalid_request", message.into())
    }

    /// A file that cannot be opened, read or written.
    pub(crate) fn io(doing: &str, path: &Path, error: &std::io::Error) -> Self {
        let mut failure = Self::new("io", format!("cannot {doing}: {error}"));
        failure.0.file = Some(path.display().to_string());
        failure
    }

    /// A file whose content cannot be read.
    pub(crate) fn read(file: String, error: ReadError) -> Self {
        Self(Box::new(Report {
            kind: error.kind.as_str().to_owned(),
            file: Some(file),
            line: error.line,
            column: error.column,
            offset: error.offset,
            expected: Some(error.expected),
            message: error.message,
        }))
    }

    /// Tells about it on standard error.
    pub(crate) fn report(&self, json: bool) {
        if json {
            #[derive(Serialize)]
            struct Object<'a> {
                error: &'a Failure,
            }
            let object = Object { error: self };
            eprintln!("{}", serde_json::to_string(&object).unwrap_or_else(|_| self.0.message.clone()));
            return;
        }
        let mut text = String::from("error: ");
        if let Some(file) = &self.0.file {
            text.push_str(file);
            text.push_str(": ");
        }
        match (self.0.line, self.0.column, self.0.offset) {
            (Some(line), Some(column), _) => text.push_str(&format!("line {line}, column {column}: ")),
            (Some(line), None, _) => text.push_str(&format!("line {line}: ")),
            (None, _, Some(offset)) => text.push_str(&format!("byte {offset}: ")),
            (None, ..) => {}
        }
        text.push_str(&self.0.message);
        if let Some(expected) = &self.0.expected {
            text.push_str("\n  expected: ");
            text.push_str(expected);
        }
        eprintln!("{text}");
    }
}
