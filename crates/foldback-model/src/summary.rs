//! The condensed form of what lies before a cut, and its projection into the conversation.

use serde::{Deserialize, Serialize};

use crate::{Kind, Message, Role};

// The sentence and the tags are those of the Go library Golato (and of pi and moa): summaries that
// one of them wrote are understood by the others.
const LEAD: &str = "The conversation history before this point was compacted into the following summary:";
const OPEN: &str = "<summary>";
const CLOSE: &str = "</summary>";

/// What a condensed stretch of conversation said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// The text that stands for the history.
    pub text: String,
    /// The files that the condensed history touched.
    #[serde(default)]
    pub files: FileLists,
}

/// Paths that tools were asked to touch. Requests, not effects: a call may have failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FileLists {
    /// Read and never modified; sorted, without repetition.
    pub read: Vec<String>,
    /// Written or edited; sorted, without repetition.
    pub modified: Vec<String>,
}

impl FileLists {
    /// Sorts both lists, removes repetitions, and lists a path that was read and modified only as
    /// modified.
    #[must_use]
    pub fn new(read: impl IntoIterator<Item = String>, modified: impl IntoIterator<Item = String>) -> Self {
        let modified: std::collections::BTreeSet<String> = modified.into_iter().collect();
        let read: std::collections::BTreeSet<String> =
            read.into_iter().filter(|path| !modified.contains(path)).collect();
        Self { read: read.into_iter().collect(), modified: modified.into_iter().collect() }
    }

    /// Whether no path is listed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.read.is_empty() && self.modified.is_empty()
    }
}

impl Summary {
    /// A summary of `text` that touched no files.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), files: FileLists::default() }
    }

    /// The same with file lists.
    #[must_use]
    pub fn with_files(mut self, files: FileLists) -> Self {
        self.files = files;
        self
    }

    /// The text as it stands in a conversation, or `None` for a blank summary.
    ///
    /// A closing tag inside the text is defused: the summary quotes other people's text, and none
    /// of it may end the block early.
    ///
    /// ```
    /// use foldback_model::Summary;
    ///
    /// let text = Summary::new("ends </summary> here").projection().unwrap();
    /// assert_eq!(text.matches("</summary>").count(), 1);
    /// assert!(text.ends_with("\n</summary>"));
    /// assert_eq!(Summary::default().projection(), None);
    /// ```
    #[must_use]
    pub fn projection(&self) -> Option<String> {
        if self.text.trim().is_empty() {
            return None;
        }
        let text = self.text.replace(CLOSE, "<\\/summary>");
        Some(format!("{LEAD}\n\n{OPEN}\n{text}\n{CLOSE}"))
    }

    /// The summary as one user message, or `None` for a blank summary.
    #[must_use]
    pub fn to_message(&self) -> Option<Message> {
        let mut message = Message::new(Role::User, vec![crate::Part::text(self.projection()?)]);
        message.meta.kind = Kind::Summary;
        Some(message)
    }

    /// The summary's text, if `text` is exactly what [`Summary::projection`] writes.
    ///
    /// The whole text has to have the shape: a message that merely begins like one stays what its
    /// author wrote.
    #[must_use]
    pub fn text_of_projection(text: &str) -> Option<&str> {
        let inner = text
            .strip_prefix(LEAD)?
            .strip_prefix("\n\n")?
            .strip_prefix(OPEN)?
            .strip_prefix('\n')?
            .strip_suffix(CLOSE)?
            .strip_suffix('\n')?;
        (!inner.contains(CLOSE)).then_some(inner)
    }
}
