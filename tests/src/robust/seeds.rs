//! Small pieces of the recorded conversations, sorted by format.

use std::collections::BTreeSet;
use std::path::Path;

use foldback_wire::Format;
use serde_json::{Map, Value};

use crate::fixture;

/// No piece is longer, in bytes.
const MAX_BYTES: usize = 3 << 10;
/// How many messages or lines stand in a piece.
const WINDOW: usize = 5;
/// The most pieces of one file.
const MAX_PIECES: usize = 24;
/// Strings are cut to this length, in characters: what they say does not matter to a reader.
const MAX_CHARS: usize = 72;
/// Lists beside the messages are cut to this length.
const MAX_LIST: usize = 4;

/// A piece of a recorded conversation.
pub(super) struct Seed {
    pub(super) format: Format,
    pub(super) bytes: Vec<u8>,
}

/// Pieces of every transcript under `tests/fixtures/transcripts/`, in a fixed order.
///
/// # Panics
///
/// If the folder cannot be read.
pub(super) fn seeds() -> Vec<Seed> {
    let mut files = Vec::new();
    collect(&fixture("transcripts"), &mut files);
    files.sort();
    files.iter().flat_map(|path| pieces(path)).collect()
}

fn collect(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// The pieces of one file; none of a file that is no conversation.
fn pieces(path: &Path) -> Vec<Seed> {
    let Ok(text) = std::fs::read_to_string(path) else { return Vec::new() };
    let Ok(format) = foldback_wire::detect(&text) else { return Vec::new() };
    let pieces = match serde_json::from_str::<Value>(&text) {
        Ok(whole) => pieces_of_whole(whole),
        Err(_) => pieces_of_log(&text),
    };
    pieces.into_iter().map(|piece| Seed { format, bytes: piece.into_bytes() }).collect()
}

fn pieces_of_log(text: &str) -> Vec<String> {
    let lines: Vec<Value> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .map(|line| shortened(&line))
        .collect();
    // The head tells what the file is.
    let Some((head, rest)) = lines.split_first() else { return Vec::new() };
    let join = |window: &[&Value]| {
        let lines = [head].into_iter().chain(window.iter().copied());
        lines.map(|line| format!("{line}\n")).collect()
    };
    windows(rest, join)
}

/// Pieces of a file that is one JSON value.
fn pieces_of_whole(mut whole: Value) -> Vec<String> {
    if let Value::Array(elements) = &whole {
        let elements: Vec<Value> = elements.iter().map(shortened).collect();
        return windows(&elements, |window| format!("[{}]", joined(window)));
    }
    let keys = ["messages", "input", "contents", "history", "trajectory"];
    let Some(key) = keys.into_iter().find(|key| whole[key].is_array()) else {
        return vec![shortened(&whole).to_string()];
    };
    let elements = whole[key].take();
    let elements: Vec<Value> = elements.as_array().into_iter().flatten().map(shortened).collect();
    let frame = shortened(&whole);
    windows(&elements, |window| {
        let mut request = frame.clone();
        request[key] = window.iter().copied().cloned().collect();
        // Now and then as a person would store it.
        if window.len() < WINDOW { format!("{request:#}\n") } else { request.to_string() }
    })
}

fn joined(window: &[&Value]) -> String {
    window.iter().map(|element| element.to_string()).collect::<Vec<_>>().join(", ")
}

/// Runs of neighbours, each of which says something of a kind that those before do not.
fn windows(elements: &[Value], join: impl Fn(&[&Value]) -> String) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut pieces = Vec::new();
    for window in elements.chunks(WINDOW) {
        let before = seen.len();
        window.iter().for_each(|element| kinds(element, "", &mut seen));
        if seen.len() == before && !pieces.is_empty() {
            continue;
        }
        let mut window: Vec<&Value> = window.iter().collect();
        let mut piece = join(&window);
        while piece.len() > MAX_BYTES && window.len() > 1 {
            window.pop();
            piece = join(&window);
        }
        if piece.len() <= 2 * MAX_BYTES {
            pieces.push(piece);
        }
        if pieces.len() == MAX_PIECES {
            break;
        }
    }
    pieces
}

/// The members that `value` has, and the kinds that it and what is in it are of.
fn kinds(value: &Value, name: &str, seen: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            seen.insert(name.clone());
            kinds(value, name, seen);
        }),
        Value::Array(elements) => elements.iter().for_each(|element| kinds(element, name, seen)),
        Value::String(text) if matches!(name, "type" | "role" | "subtype") => {
            seen.insert(format!("{name}={text}"));
        }
        _ => {}
    }
}

fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) => text.chars().take(MAX_CHARS).collect::<String>().into(),
        Value::Array(elements) => elements.iter().take(MAX_LIST).map(shortened).collect(),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), shortened(value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use foldback_wire::{ReadOptions, read};

    use super::*;

    #[test]
    fn there_are_small_pieces_of_every_format_with_transcripts_and_they_are_read() {
        let seeds = seeds();
        let formats: BTreeSet<Format> = seeds.iter().map(|seed| seed.format).collect();
        assert_eq!(formats.len(), Format::ALL.len(), "{formats:?}");
        for seed in &seeds {
            let options = ReadOptions::of(seed.format);
            let read = read(&seed.bytes, &options);
            assert!(read.is_ok(), "{}: {:?}", String::from_utf8_lossy(&seed.bytes), read.err());
        }
    }
}
