//! What holds for a document, however it was read.

use foldback_model::{CallGraph, CallSite, MediaSource, Message, Part, ToolResult, WireFormat};
use foldback_wire::{Document, ReadOptions, Written, check, read};
use serde_json::value::RawValue;

/// Laws of a document that was read from `bytes`.
///
/// # Panics
///
/// If one is broken.
pub(super) fn sound(document: &Document, bytes: &[u8]) {
    let messages = &document.context.messages;
    let n_lines = bytes.iter().filter(|&&byte| byte == b'\n').count() + 1;
    // A message is an object of its own in the file, and the shortest takes two bytes.
    assert!(messages.len() <= bytes.len() / 2, "{} messages", messages.len());
    for (index, message) in messages.iter().enumerate() {
        // A message knows its place: in the list, and the line in a log.
        let Some(source) = message.meta.source else { panic!("a message without a source") };
        assert_eq!(source.index, index, "sources out of order");
        // Some programs write their logs as one value, or as lines.
        assert!(source.line.is_none() || document.format.is_log(), "lines are for logs");
        assert!(source.line.is_none_or(|line| (1..=n_lines).contains(&line)), "line out of the file");
        // A compaction that a message comes after is one of the log.
        assert!(message.meta.epoch as usize <= document.boundaries.len(), "an epoch without a boundary");
    }
    // A line is skipped once.
    assert!(document.skipped_lines <= n_lines, "{} of {n_lines} lines skipped", document.skipped_lines);
    // A compaction is an object of the file, stands among the messages, and they stand in order.
    assert!(document.boundaries.len() <= bytes.len() / 2, "{} boundaries", document.boundaries.len());
    assert!(document.boundaries.iter().all(|boundary| boundary.index <= messages.len()));
    assert!(document.boundaries.is_sorted_by_key(|boundary| boundary.index), "boundaries out of order");
    held(document, bytes);
    judged(messages);
}

/// Memory: what is held of the content is at most a small multiple of the file.
fn held(document: &Document, bytes: &[u8]) {
    let context = &document.context;
    let parts: usize = context.messages.iter().flat_map(Message::parts).map(weight).sum();
    let raw: usize = context.messages.iter().filter_map(Message::raw).map(|raw| raw.json.len()).sum();
    // Text shrinks when it is decoded; an unknown block is held as JSON and as text; a summary gets a
    // sentence around it, which is three times as long as the shortest line with a summary.
    assert!(parts <= 8 * bytes.len() + 512, "{parts} bytes of parts from {}", bytes.len());
    // JSON that a reader puts together has a frame around it, and one frame a line.
    let frame = if document.format.is_log() { 4 * bytes.len() } else { 0 };
    assert!(raw <= bytes.len() + frame, "{raw} bytes of JSON from {}", bytes.len());
    let system = context.system.as_ref().map_or(0, String::len);
    let tools: usize = context.tools.iter().map(|tool| tool.schema.len() + tool.description.len()).sum();
    assert!(system + tools <= 4 * bytes.len(), "{} bytes of frame", system + tools);
}

fn weight(part: &Part) -> usize {
    match part {
        Part::Text(text) => text.len(),
        Part::Image(media) | Part::Document(media) => match &media.source {
            MediaSource::Base64(text) | MediaSource::Text(text) | MediaSource::Url(text) => text.len(),
            MediaSource::FileId(text) => text.len(),
            _ => 0,
        },
        Part::Thinking(thinking) => thinking.text.len() + thinking.signature.as_ref().map_or(0, String::len),
        Part::ToolCall(call) => call.id.len() + call.name.len() + call.arguments.len(),
        Part::ToolResult(ToolResult { call_id, content, .. }) => {
            call_id.len() + content.iter().map(weight).sum::<usize>()
        }
        Part::Opaque(opaque) => opaque.json.len() + opaque.text.len(),
        _ => 0,
    }
}

/// The call graph and the rules of every provider take what was read, and name places that exist.
fn judged(messages: &[Message]) {
    let graph = CallGraph::new(messages, &[]);
    let sites: Vec<&CallSite> =
        [graph.orphans(), graph.dangling(), graph.pending()].into_iter().flatten().collect();
    assert!(sites.iter().all(|site| site.message < messages.len()), "a site behind the end");
    for exchange in graph.exchanges() {
        assert!(exchange.first <= exchange.last && exchange.last <= messages.len());
        // No exchange is parted.
        assert!((exchange.first + 1..=exchange.last).all(|index| !graph.may_cut_at(index)));
    }
    for wire in WireFormat::ALL {
        let findings = check(wire, messages);
        assert!(
            findings.iter().all(|finding| finding.index < messages.len().max(1)),
            "a finding behind the end"
        );
        assert!(findings.is_sorted_by_key(|finding| finding.index), "findings out of order");
    }
}

/// Reads what was written in `wire` from `n_messages`, or from one more where a summary stands among them.
///
/// # Panics
///
/// If it is not JSON, cannot be read, or its account does not fit.
pub(super) fn read_again(wire: WireFormat, written: &Written, n_messages: usize) -> Document {
    let body = written.json.strip_prefix('\u{FEFF}').unwrap_or(&written.json);
    // What is written is JSON.
    if let Err(error) = serde_json::from_str::<&RawValue>(body) {
        panic!("written text is no JSON: {error}: {body}");
    }
    let options = ReadOptions::of(wire);
    let again = match read(written.json.as_bytes(), &options) {
        Ok(again) => again,
        Err(error) => panic!("{wire:?}, as written, is not read again: {error}: {body}"),
    };
    // The account names a source for each element; only a system text may stand in front of them.
    let extra = again.context.messages.len().checked_sub(written.sources.len());
    assert!(matches!(extra, Some(0 | 1)), "{extra:?} elements without a source: {body}");
    assert!(written.sources.iter().chain(&written.joined).all(|&index| index < n_messages), "no such source");
    assert!(written.lost.iter().all(|lost| lost.index < n_messages.max(1)), "no such loss");
    again
}
