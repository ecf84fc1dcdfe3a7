//! A failure as the person at the terminal, or the program behind `--json`, gets to see it.

use std::io;
use std::path::Path;

use foldback::wire::ReadError;
use serde::Serialize;

use crate::{output, text};

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

    /// A file that cannot be opened or read.
    pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Self {
        Self::io("read", path, error, "a file that can be read")
    }

    /// A file that cannot be made or written.
    pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Self {
        let special = std::fs::metadata(path).is_ok_and(|old| !old.is_file() && !old.is_dir());
        let expected =
            if special { "a file that can be written to" } else { "a folder that can be written to" };
        Self::io("write", path, error, expected)
    }

    fn io(doing: &str, path: &Path, error: &io::Error, expected: &str) -> Self {
        let is_folder = error.kind() == io::ErrorKind::IsADirectory;
        let expected = if is_folder { "a file, not a folder" } else { expected };
        let failure = Self::new("io", format!("cannot {doing}: {}", plain(error)));
        failure.about(path.display().to_string(), expected)
    }

    /// A file that says nothing.
    pub(crate) fn blank(path: &Path, expected: &str) -> Self {
        let failure = Self::new("empty", "the file is blank".to_owned());
        failure.about(path.display().to_string(), expected)
    }

    /// A file of text whose bytes are none, from the byte `offset` on.
    pub(crate) fn encoding(path: &Path, offset: usize) -> Self {
        let mut failure = Self::new("encoding", "the bytes are not UTF-8".to_owned());
        failure.0.offset = Some(offset);
        failure.about(path.display().to_string(), "text in UTF-8")
    }

    fn about(mut self, file: String, expected: &str) -> Self {
        self.0.file = Some(file);
        self.0.expected = Some(expected.to_owned());
        self
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
            let line = serde_json::to_string(&object).unwrap_or_else(|_| self.0.message.clone());
            output::tell(&(line + "\n"));
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
        output::tell(&(text::harmless(&text) + "\n"));
    }
}

/// The system's words, without the names of files that are ours alone.
fn plain(error: &io::Error) -> String {
    match error.raw_os_error() {
        None if error.kind() != io::ErrorKind::Other => error.kind().to_string(),
        _ => error.to_string(),
    }
}
