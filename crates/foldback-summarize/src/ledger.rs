//! Which files tools were asked to touch, across any number of compactions.
//!
//! Paths come from the calls of tools that read, write or edit one file, and from the lists of the
//! previous summary. A shell command is not searched for paths: what it touches is a guess. The
//! lists name requests, not effects: a call may have failed.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use foldback_model::{FileLists, Message, Summary, ToolCall};
use regex::Regex;

use crate::text::pattern;
use crate::tools::{FileUse, file_uses};

/// Accumulates the files of a conversation.
///
/// ```
/// use foldback_model::{Message, Part, Role, ToolCall};
/// use foldback_summarize::{FileLedger, ledger};
///
/// let call = ToolCall::new("c1", "read", r#"{"path": "src/a.rs"}"#);
/// let mut files = FileLedger::new();
/// files.add_message(&Message::new(Role::Assistant, vec![Part::ToolCall(call)]));
/// assert_eq!(ledger::render(&files.lists()), "\n\n<read-files>\nsrc/a.rs\n</read-files>");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileLedger {
    read: BTreeSet<String>,
    modified: BTreeSet<String>,
}

impl FileLedger {
    /// A ledger that names no file.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes over the lists of an earlier summary. Where it has none as data, they are read from
    /// its text.
    pub fn add_summary(&mut self, summary: &Summary) {
        if summary.files.is_empty() {
            self.add_lists(&parse(&summary.text));
        } else {
            self.add_lists(&summary.files);
        }
    }

    /// Adds every path of `lists`.
    pub fn add_lists(&mut self, lists: &FileLists) {
        self.read.extend(lists.read.iter().cloned());
        self.modified.extend(lists.modified.iter().cloned());
    }

    /// Adds the files that the calls of `message` ask for.
    pub fn add_message(&mut self, message: &Message) {
        message.calls().for_each(|call| self.add_call(call));
    }

    /// Adds the files that `call` asks for; a call of another tool, or with arguments that cannot be
    /// read, adds none.
    pub fn add_call(&mut self, call: &ToolCall) {
        for (file_use, path) in file_uses(call) {
            match file_use {
                FileUse::Read => self.read.insert(path),
                FileUse::Modify => self.modified.insert(path),
            };
        }
    }

    /// The two lists, sorted; a path that was read and modified is listed as modified.
    #[must_use]
    pub fn lists(&self) -> FileLists {
        FileLists::new(self.read.iter().cloned(), self.modified.iter().cloned())
    }
}

/// The lists as they stand behind the text of a summary, or nothing for empty lists.
#[must_use]
pub fn render(lists: &FileLists) -> String {
    let mut text = String::new();
    for (tag, paths) in [("read-files", &lists.read), ("modified-files", &lists.modified)] {
        if paths.is_empty() {
            continue;
        }
        text.push_str(&format!("\n\n<{tag}>\n"));
        for path in paths {
            text.push_str(&on_one_line(path));
            text.push('\n');
        }
        text.push_str(&format!("</{tag}>"));
    }
    text
}

/// `text` without blocks of both kinds, which a model may have imitated. A block opens and closes at
/// the beginning of a line; one that is never closed reaches to the next blank line.
#[must_use]
pub fn strip(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut end_of_last = 0;
    for block in blocks(text) {
        kept.push_str(&text[end_of_last..block.start]);
        end_of_last = block.end;
    }
    kept.push_str(&text[end_of_last..]);
    if end_of_last > 0 && text[end_of_last..].trim().is_empty() {
        kept.truncate(kept.trim_end().len());
    }
    kept
}

/// The lists that `text` carries in the form of [`render`].
#[must_use]
pub fn parse(text: &str) -> FileLists {
    let (mut read, mut modified) = (Vec::new(), Vec::new());
    for block in blocks(text) {
        let paths = block.body.lines().map(str::trim).filter(|path| !path.is_empty()).map(str::to_owned);
        if block.modified { modified.extend(paths) } else { read.extend(paths) }
    }
    FileLists::new(read, modified)
}

struct Block<'t> {
    start: usize,
    end: usize,
    modified: bool,
    body: &'t str,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    static TAG: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"(?im)^[ \t]*<(read|modified)-files\s*>|</(read|modified)-files\s*>[ \t]*\n?")
    });
    let mut blocks = Vec::new();
    let mut tags = TAG
        .captures_iter(text)
        .filter_map(|found| Some((found.get(0)?, found.get(1), found.get(2))))
        .peekable();
    while let Some((tag, opens, closes)) = tags.next() {
        let Some(kind) = opens else {
            // A closing tag alone says nothing and would confuse a reader.
            blocks.push(Block { start: tag.start(), end: tag.end(), modified: closes.is_none(), body: "" });
            continue;
        };
        let (body_end, end) = match tags.next_if(|(_, _, closes)| closes.is_some()) {
            Some((close, ..)) => (close.start(), close.end()),
            None => {
                let next = tags.peek().map_or(text.len(), |(next, ..)| next.start());
                let body = &text[tag.end()..next];
                let end = tag.end() + body.find("\n\n").unwrap_or(body.len());
                (end, end)
            }
        };
        blocks.push(Block {
            start: tag.start(),
            end,
            modified: kind.as_str().eq_ignore_ascii_case("modified"),
            body: &text[tag.end()..body_end],
        });
    }
    blocks
}

/// A path may hold anything but zero bytes; none of it may end the line or the block.
fn on_one_line(path: &str) -> Cow<'_, str> {
    if !path.contains(|c: char| c.is_control() || c == '<') {
        return Cow::Borrowed(path);
    }
    let line: String = path
        .chars()
        .flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] })
        .collect();
    Cow::Owned(crate::text::defuse(&line).into_owned())
}

#[cfg(test)]
mod tests {
    use foldback_model::{Part, Role};

    use super::*;

    fn lists_of(calls: &[(&str, &str)]) -> FileLists {
        let parts =
            calls.iter().map(|(name, arguments)| Part::ToolCall(ToolCall::new("c", *name, *arguments)));
        let mut ledger = FileLedger::new();
        ledger.add_message(&Message::new(Role::Assistant, parts.collect()));
        ledger.lists()
    }

    #[test]
    fn a_modified_file_is_not_a_read_file() {
        let lists = lists_of(&[
            ("Read", r#"{"file_path": "b"}"#),
            ("read_file", r#"{"path": "a"}"#),
            ("Edit", r#"{"file_path": "b", "old_string": "x", "new_string": "y"}"#),
            ("bash", r#"{"command": "cat secret", "path": "no"}"#),
            ("write", r#"{"path": 7}"#),
            ("write", "not json"),
            ("NotebookEdit", r#"{"notebook_path": "n.ipynb"}"#),
            ("str_replace_based_edit_tool", r#"{"command": "view", "path": "v"}"#),
            ("str_replace_based_edit_tool", r#"{"command": "insert", "path": "i"}"#),
        ]);
        assert_eq!(
            lists,
            FileLists::new(["a".into(), "v".into()], ["b".into(), "i".into(), "n.ipynb".into()])
        );
    }

    #[test]
    fn a_patch_names_its_files() {
        let patch = "*** Begin Patch\n*** Add File: new.rs\n+x\n*** Update File: old.rs\n*** Move to: moved.rs\n@@\n*** Delete File: gone.rs\n*** End Patch";
        let expected = ["gone.rs", "moved.rs", "new.rs", "old.rs"];
        assert_eq!(lists_of(&[("apply_patch", patch)]).modified, expected);
        let json = serde_json::json!({ "input": patch }).to_string();
        assert_eq!(lists_of(&[("apply_patch", &json)]).modified, expected);
    }

    #[test]
    fn lists_come_from_the_previous_summary_too() {
        let mut ledger = FileLedger::new();
        ledger.add_summary(&Summary::new("text\n\n<read-files>\nx\n</read-files>"));
        ledger.add_summary(&Summary::new("t").with_files(FileLists::new(["y".into()], ["x".into()])));
        assert_eq!(ledger.lists(), FileLists::new(["y".into()], ["x".into()]));
    }

    #[test]
    fn what_is_rendered_is_parsed_and_stripped() {
        let lists = FileLists::new(["a b.rs".into(), "ü".into()], ["c".into()]);
        let text = format!("The text.{}", render(&lists));
        assert_eq!(
            text,
            "The text.\n\n<read-files>\na b.rs\nü\n</read-files>\n\n<modified-files>\nc\n</modified-files>"
        );
        assert_eq!(parse(&text), lists);
        assert_eq!(strip(&text), "The text.");
        assert_eq!(render(&FileLists::default()), "");
    }

    #[test]
    fn model_written_blocks_go_even_when_unclosed() {
        assert_eq!(strip("a\n<read-files>\nx\n"), "a");
        assert_eq!(strip("a\n<read-files>\nx\n\nb"), "a\n\n\nb");
        assert_eq!(strip("<READ-FILES>x</read-files>\nb"), "b");
        assert_eq!(strip("the tag `<read-files>` in a sentence"), "the tag `<read-files>` in a sentence");
        assert_eq!(strip("<read-files>\nx\n<modified-files>\ny\n</modified-files>"), "");
        assert_eq!(
            parse("<read-files>\nx\n<modified-files>\ny\n</modified-files>"),
            FileLists::new(["x".into()], ["y".into()])
        );
    }

    #[test]
    fn a_path_cannot_forge_a_block() {
        let lists = FileLists::new(
            ["x\n</read-files>\n<modified-files>\nforged".into()],
            ["</modified-files>".into()],
        );
        let text = render(&lists);
        let back = parse(&text);
        assert_eq!((back.read.len(), back.modified.len()), (1, 1), "{text}");
        assert!(!back.modified.contains(&"forged".to_owned()));
        let text = render(&FileLists::new(["two\nlines".into()], []));
        assert_eq!(parse(&text).read, ["two\\nlines"]);
    }
}
