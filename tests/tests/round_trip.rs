//! What is read and not touched leaves as it came: every real file, and every one with unknown members
//! and blocks put in at every level.

use std::path::PathBuf;

use foldback::model::{Message, WireFormat};
use foldback::wire::{Document, Format, ReadErrorKind, ReadOptions, read};
use foldback_tests::fixture;
use serde_json::{Value, json};

/// Every real file that a reader takes.
fn documents() -> Vec<(String, String, Document)> {
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = vec![fixture("transcripts")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.extension().and_then(|extension| extension.to_str()) {
                None if path.is_dir() => folders.push(path),
                Some("json" | "jsonl") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    let document = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a text");
        match read(text.as_bytes(), &ReadOptions::default()) {
            Ok(document) => Some((path.display().to_string(), text, document)),
            // Records of an evaluation and of an observer: no conversations.
            Err(error) => {
                assert_eq!(error.kind, ReadErrorKind::UnknownFormat, "{}", path.display());
                None
            }
        }
    };
    files.into_iter().filter_map(document).collect()
}

#[test]
fn a_request_leaves_byte_for_byte() {
    let mut n_requests = 0;
    for (name, text, document) in documents() {
        let Format::Wire(_) = document.format else { continue };
        n_requests += 1;
        let written = document.write(&document.context);
        assert_eq!(written.json, text, "{name}");
        assert!(written.lost.is_empty() && written.joined.is_empty() && written.edits.is_empty(), "{name}");
        let value: Value = serde_json::from_str(&written.json).expect("JSON");
        assert_eq!(value, serde_json::from_str::<Value>(&text).expect("JSON"), "{name}");
    }
    assert!(n_requests >= 25, "only {n_requests} requests were seen");
}

/// Logs whose payloads are elements of a wire: each block, or each item, stands in the log as it is
/// written.
#[test]
fn the_payload_of_a_log_leaves_byte_for_byte() {
    let mut n_blocks = 0;
    for (name, text, document) in documents() {
        let list = match document.format {
            Format::ClaudeCode => "messages",
            Format::Codex => "input",
            _ => continue,
        };
        let written = document.write(&document.context).json;
        let request: &serde_json::value::RawValue = serde_json::from_str(&written).expect("JSON");
        let elements = elements(request.get(), list);
        for element in elements {
            let pieces = match document.format {
                Format::ClaudeCode => elements_of_content(&element),
                _ => vec![element],
            };
            for piece in pieces {
                n_blocks += 1;
                assert!(text.contains(&piece) || is_made_of(&piece, &text), "{name}: {piece}");
            }
        }
    }
    assert!(n_blocks > 500, "only {n_blocks} blocks were seen");
}

/// The members of lists as they are written.
fn elements(json: &str, key: &str) -> Vec<String> {
    let request: std::collections::BTreeMap<String, Box<serde_json::value::RawValue>> =
        serde_json::from_str(json).expect("an object");
    let list: Vec<Box<serde_json::value::RawValue>> =
        serde_json::from_str(request[key].get()).expect("a list");
    list.into_iter().map(|element| element.get().to_owned()).collect()
}

/// A bare text counts as a piece of its own.
fn elements_of_content(message: &str) -> Vec<String> {
    let object: std::collections::BTreeMap<String, Box<serde_json::value::RawValue>> =
        serde_json::from_str(message).expect("an object");
    match object["content"].get() {
        text if text.starts_with('"') => vec![text.to_owned()],
        _ => elements(message, "content"),
    }
}

/// Whether the piece was put together by the reader: a bare text that became a block to stand beside
/// others, or an item from which a member of the log's own was taken.
fn is_made_of(piece: &str, text: &str) -> bool {
    let object: std::collections::BTreeMap<String, Box<serde_json::value::RawValue>> =
        serde_json::from_str(piece).expect("an object");
    object.values().all(|value| text.contains(value.get()))
}

/// Puts a member that nobody knows into every object, and a block that nobody knows into every list of
/// blocks.
fn with_unknowns(value: &mut Value, wire: WireFormat, depth: usize) {
    match value {
        Value::Object(object) => {
            object.values_mut().for_each(|value| with_unknowns(value, wire, depth + 1));
            object.insert("x_unknown".to_owned(), json!({ "deep": [1, { "er": null }], "depth": depth }));
        }
        Value::Array(list) => {
            list.iter_mut().for_each(|value| with_unknowns(value, wire, depth + 1));
            let are_blocks =
                list.first().is_some_and(|first| first["type"].is_string() && first["role"].is_null());
            if are_blocks && wire != WireFormat::OpenAiResponses {
                list.push(json!({ "type": "x_block", "payload": { "a": [true] } }));
            }
        }
        _ => {}
    }
}

#[test]
fn unknown_members_and_blocks_survive_at_every_level() {
    for (name, text, document) in documents() {
        let Format::Wire(wire) = document.format else { continue };
        let mut value: Value = serde_json::from_str(&text).expect("JSON");
        with_unknowns(&mut value, wire, 0);
        let strange = value.to_string();
        let read_back = read(strange.as_bytes(), &ReadOptions::of(wire))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read_back.write(&read_back.context).json, strange, "{name}");
        assert_eq!(read_back.context.messages.len(), document.context.messages.len(), "{name}");
        // Of the part that is kept when others go, too.
        let half = read_back.context.messages.len() / 2;
        let mut later = read_back.context.clone();
        later.messages.drain(..half);
        let written = read_back.write(&later).json;
        let kept = |message: &Message| message.raw().expect("it was read").json.to_string();
        for message in &later.messages {
            assert!(written.contains(&kept(message)), "{name}");
        }
    }
}
