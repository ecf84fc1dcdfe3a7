//! Sessions of pi.
//!
//! The first version is a list of entries; later ones are a tree, and the conversation is the way
//! from the last entry back to the root. A compaction keeps the entries from a stated one on and
//! puts a summary in front of them.

mod message;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use foldback_model::{Message, Part, Summary};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Log;
use super::lines::{Damage, Line, Text, lines, tokens, unknown};
use crate::ReadError;
use crate::document::{Boundary, ReadOptions};
use message::{content, injected, said};

pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Log, ReadError> {
    let mut damage = Damage::new(options.lenient);
    let entries = entries(text, &mut damage)?;
    let path = path(&entries);
    let mut log = write(&path, options.whole, &mut damage)?;
    log.skipped_lines = damage.skipped;
    Ok(log)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    parent_id: Option<Text<'a>>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    summary: Option<Text<'a>>,
    #[serde(borrow)]
    first_kept_entry_id: Option<Text<'a>>,
    #[serde(default, deserialize_with = "tokens")]
    first_kept_entry_index: Option<u64>,
    #[serde(default, deserialize_with = "tokens")]
    tokens_before: Option<u64>,
    #[serde(borrow)]
    model_id: Option<Text<'a>>,
}

struct Entry<'a> {
    line: Line<'a>,
    /// Its place among the entries of the file, the head of the session included.
    position: u64,
    record: Record<'a>,
}

impl Entry<'_> {
    fn kind(&self) -> &str {
        self.record.kind.as_ref().map_or("", Text::as_str)
    }
}

fn entries<'a>(text: &'a str, damage: &mut Damage) -> Result<Vec<Entry<'a>>, ReadError> {
    const KINDS: [&str; 6] =
        ["session", "message", "compaction", "model_change", "thinking_level_change", "branch_summary"];
    let mut entries = Vec::new();
    let mut known = false;
    for (position, line) in (0..).zip(lines(text)) {
        let Some(record) = damage.parse::<Record<'_>>(line)? else { continue };
        let entry = Entry { line, position, record };
        known |= KINDS.contains(&entry.kind());
        entries.push(entry);
    }
    if !known {
        return Err(unknown("pi", "lines of type session, message or compaction"));
    }
    Ok(entries)
}

/// The entries of the conversation, in order.
fn path<'e, 'a>(entries: &'e [Entry<'a>]) -> Vec<&'e Entry<'a>> {
    let in_tree = |entry: &Entry<'_>| entry.kind() != "session" && entry.record.id.is_some();
    if !entries.iter().any(in_tree) {
        return entries.iter().collect();
    }
    let mut by_id: BTreeMap<&str, usize> = BTreeMap::new();
    let mut before = Vec::with_capacity(entries.len());
    let mut latest = None;
    for (index, entry) in entries.iter().enumerate() {
        before.push(latest);
        if let (true, Some(id)) = (in_tree(entry), &entry.record.id) {
            by_id.entry(id.as_str()).or_insert(index);
            latest = Some(index);
        }
    }
    let mut path = Vec::new();
    let mut seen = vec![false; entries.len()];
    let mut next = latest;
    while let Some(index) = next {
        if std::mem::replace(&mut seen[index], true) {
            break;
        }
        path.push(&entries[index]);
        // A parent that is not in the file is taken for the entry before.
        next = entries[index]
            .record
            .parent_id
            .as_ref()
            .and_then(|parent| by_id.get(parent.as_str()).copied().or(before[index]));
    }
    // The head of the session names the model and stands outside the tree.
    path.extend(entries.iter().filter(|entry| entry.kind() == "session").take(1));
    path.reverse();
    path
}

fn write(path: &[&Entry<'_>], whole: bool, damage: &mut Damage) -> Result<Log, ReadError> {
    let mut log = Log::default();
    let latest = path.iter().rposition(|entry| entry.kind() == "compaction").filter(|_| !whole);
    let first_kept = latest.map_or(0, |at| first_kept(&path[..at], &path[at].record));
    if let Some(at) = latest {
        let summary = path[at].record.summary.as_ref().map_or("", Text::as_str);
        if let Some(mut message) = Summary::new(summary).to_message() {
            message.meta.id = path[at].record.id.as_ref().map(|id| id.as_str().to_owned());
            let epoch = path[..=at].iter().filter(|entry| entry.kind() == "compaction").count();
            log.push(message, path[at].line.number, u32::try_from(epoch).unwrap_or(u32::MAX));
        }
    }
    let mut epoch = 0;
    for (place, entry) in path.iter().enumerate() {
        if let Some(model) = &entry.record.model_id {
            log.context.model = Some(model.as_str().to_owned());
        }
        if entry.kind() == "compaction" {
            epoch += 1;
            log.boundaries.push(Boundary {
                index: if place < first_kept { 0 } else { log.context.messages.len() },
                kind: "compaction".to_owned(),
                tokens_before: entry.record.tokens_before,
                tokens_after: None,
            });
        } else if place >= first_kept
            && let Some(message) = message(entry, damage)?
        {
            if message.meta.model.is_some() {
                log.context.model.clone_from(&message.meta.model);
            }
            log.push(message, entry.line.number, epoch);
        }
    }
    Ok(log)
}

/// Where in `before`, the path up to a compaction, the kept entries begin; its end if none is kept.
fn first_kept(before: &[&Entry<'_>], compaction: &Record<'_>) -> usize {
    let is_first =
        |entry: &&Entry<'_>| match (&compaction.first_kept_entry_id, compaction.first_kept_entry_index) {
            (Some(id), _) => entry.kind() != "session" && entry.record.id.as_ref() == Some(id),
            (None, Some(index)) => entry.position >= index,
            (None, None) => false,
        };
    before.iter().position(is_first).unwrap_or(before.len())
}

/// What the model saw of an entry, if anything.
fn message(entry: &Entry<'_>, damage: &mut Damage) -> Result<Option<Message>, ReadError> {
    let record = &entry.record;
    let message = match entry.kind() {
        "message" => match record.message {
            Some(raw) => said(entry.line, raw.get(), damage)?,
            None => None,
        },
        "custom_message" => content(entry.line, record.content, damage)?.map(injected),
        "branch_summary" => record.summary.as_ref().map(|summary| {
            // The sentence is pi's.
            let lead = "The following is a summary of a branch that this conversation came back from:";
            injected(vec![Part::text(format!("{lead}\n\n<summary>\n{}\n</summary>", summary.as_str()))])
        }),
        _ => None,
    };
    Ok(message.filter(|message| !message.parts().is_empty()).map(|mut message| {
        message.meta.id = record.id.as_ref().map(|id| id.as_str().to_owned());
        message
    }))
}
