//! What does reading cost, next to parsing the same file into plain values?
//!
//! Files are made of real sessions, repeated with fresh ids. Each is read by `foldback_wire::read` and
//! parsed into `serde_json::Value` (a log line by line, all values kept), every time in a process of
//! its own: both take the same file into memory first, and memory is the peak of the process. The two
//! take turns; a ratio is of one turn, and the median of all turns counts. The goal is a ratio of at
//! most 2.0 in time and 1.5 in memory for the logs and Chat requests; the other rows are for
//! information.

mod material;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use foldback::model::WireFormat;
use foldback::wire::{Document, ReadOptions, read};
use foldback_tests::fixture;
use material::{peak_memory, repeated_log, report};
use serde_json::{Value, json};

/// The session of a coding agent that is repeated, in every format.
const SESSION: &str = "transcripts/claude-code/deep-manifest-134k-context.jsonl";
/// How often each side is measured.
const TURNS: usize = 5;
/// Name the file and the side in the process that measures.
const FILE: &str = "FOLDBACK_BENCH_FILE";
const SIDE: &str = "FOLDBACK_BENCH_SIDE";

/// A kind of file, as the table calls it.
struct Row {
    name: &'static str,
    megabytes: usize,
    is_goal: bool,
    make: fn(&Path, usize),
}

const ROWS: [Row; 8] = [
    Row { name: "claude_code", megabytes: 10, is_goal: true, make: log },
    Row { name: "claude_code", megabytes: 100, is_goal: true, make: log },
    Row { name: "openai_chat", megabytes: 10, is_goal: true, make: chat },
    Row { name: "openai_chat", megabytes: 100, is_goal: true, make: chat },
    Row { name: "openai_chat, pretty", megabytes: 10, is_goal: false, make: pretty_chat },
    Row { name: "anthropic", megabytes: 10, is_goal: false, make: anthropic },
    Row { name: "gemini", megabytes: 10, is_goal: false, make: gemini },
    Row { name: "openai_responses", megabytes: 10, is_goal: false, make: responses },
];

fn main() {
    if let Some(path) = std::env::var_os(FILE) {
        let side = std::env::var(SIDE).expect("the side is named");
        measure(Path::new(&path), &side);
        return;
    }
    let folder = tempfile::tempdir().expect("a folder for the files");
    let mut table = format!(
        "{:<20} {:>6} {:>9} {:>9} {:>7} {:>10} {:>8} {:>7}  goal\n",
        "file", "MB", "read s", "value s", "ratio", "read/file", "value", "ratio"
    );
    for row in ROWS {
        let path = folder.path().join(row.name.replace(", ", "-"));
        (row.make)(&path, row.megabytes << 20);
        let turns: Vec<[Figures; 2]> =
            (0..TURNS).map(|_| [figures(&path, "read"), figures(&path, "value")]).collect();
        let time = median(turns.iter().map(|[read, value]| read.seconds / value.seconds));
        let memory = median(turns.iter().map(|[read, value]| read.memory / value.memory));
        let of =
            |side: usize, figure: fn(&Figures) -> f64| median(turns.iter().map(|turn| figure(&turn[side])));
        let bytes = size(&path);
        let goal = match (row.is_goal, time <= 2.0 && memory <= 1.5) {
            (false, _) => "",
            (true, true) => "met",
            (true, false) => "MISSED",
        };
        writeln!(
            table,
            "{:<20} {:>6.1} {:>9.3} {:>9.3} {time:>7.2} {:>10.2} {:>8.2} {memory:>7.2}  {goal}",
            row.name,
            bytes / f64::from(1 << 20),
            of(0, |figures| figures.seconds),
            of(1, |figures| figures.seconds),
            of(0, |figures| figures.memory) / bytes,
            of(1, |figures| figures.memory) / bytes,
        )
        .expect("writing to memory");
        std::fs::remove_file(&path).expect("the file can go");
    }
    report(table.trim_end());
}

/// What one process measured.
struct Figures {
    seconds: f64,
    /// Bytes at the peak.
    memory: f64,
}

/// Measures one side in a process of its own.
fn figures(path: &Path, side: &str) -> Figures {
    let program = std::env::current_exe().expect("this program has a file");
    let output =
        Command::new(program).env(FILE, path).env(SIDE, side).output().expect("the measuring process runs");
    let line = String::from_utf8(output.stdout).expect("the measuring process writes text");
    let figures: Vec<f64> = line.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    let [seconds, memory] = figures[..] else {
        panic!("unexpected figures: {line}{}", String::from_utf8_lossy(&output.stderr))
    };
    Figures { seconds, memory }
}

fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

#[expect(clippy::cast_precision_loss, reason = "files are far smaller than 2^53 bytes")]
fn size(path: &Path) -> f64 {
    std::fs::metadata(path).expect("the file is there").len() as f64
}

/// Reads or parses the file, and prints the seconds that it took and the peak memory.
fn measure(path: &Path, side: &str) {
    let bytes = std::fs::read(path).expect("the file is there");
    let start = Instant::now();
    let seconds = if side == "read" {
        let document = read(&bytes, &ReadOptions::default()).expect("the file is in order");
        let seconds = start.elapsed();
        assert!(document.context.messages.len() > 100);
        seconds
    } else {
        let text = std::str::from_utf8(&bytes).expect("the file is UTF-8");
        let is_log = path.ends_with("claude_code");
        let pieces: Vec<&str> = if is_log { text.lines().collect() } else { vec![text] };
        let values: Vec<Value> =
            pieces.into_iter().map(|piece| serde_json::from_str(piece).expect("a value")).collect();
        let seconds = start.elapsed();
        assert!(is_log || values.len() == 1);
        seconds
    };
    report(&format!("{} {}", seconds.as_secs_f64(), peak_memory()));
}

fn log(path: &Path, bytes: usize) {
    repeated_log(path, SESSION, bytes);
}

/// The coding session, and whole sessions of a booking service.
fn chat(path: &Path, bytes: usize) {
    write(path, &chat_request(bytes).to_string());
}

fn pretty_chat(path: &Path, bytes: usize) {
    write(path, &serde_json::to_string_pretty(&chat_request(bytes)).expect("values are written"));
}

fn chat_request(bytes: usize) -> Value {
    let sessions = parsed(&fixture("transcripts/openai-chat/tau-airline-first60-sessions.json"));
    let mut messages: Vec<Value> = elements(&coding_session(WireFormat::OpenAiChat), "messages");
    messages.extend(
        sessions.as_array().expect("a list of sessions").iter().flat_map(|one| elements(one, "traj")),
    );
    request("messages", &messages, bytes)
}

fn anthropic(path: &Path, bytes: usize) {
    let messages = elements(&coding_session(WireFormat::Anthropic), "messages");
    write(path, &request("messages", &messages, bytes).to_string());
}

fn gemini(path: &Path, bytes: usize) {
    let contents = elements(&coding_session(WireFormat::Gemini), "contents");
    write(path, &request("contents", &contents, bytes).to_string());
}

/// The coding session, and a request of the Codex CLI.
fn responses(path: &Path, bytes: usize) {
    let mut items = elements(&coding_session(WireFormat::OpenAiResponses), "input");
    let codex = parsed(&fixture("transcripts/openai-responses/codex-trace-codex-trace.json"));
    items.extend(elements(&codex, "input"));
    write(path, &request("input", &items, bytes).to_string());
}

fn coding_session(wire: WireFormat) -> Value {
    let bytes = std::fs::read(fixture(SESSION)).expect("the fixture is there");
    let document: Document = read(&bytes, &ReadOptions::default()).expect("the fixture is in order");
    serde_json::from_str(&document.convert(&document.context, wire).json).expect("a request is JSON")
}

fn parsed(path: &PathBuf) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("the fixture is there")).expect("the fixture is JSON")
}

fn elements(holder: &Value, key: &str) -> Vec<Value> {
    holder[key].as_array().expect("a list of messages").clone()
}

/// A request of at least `bytes` bytes: `elements` over and over, each time with ids of its own.
fn request(key: &str, elements: &[Value], bytes: usize) -> Value {
    let mut list = Vec::new();
    let mut length = 0;
    for round in 0.. {
        if length >= bytes {
            break;
        }
        for element in elements {
            let mut element = element.clone();
            refresh(&mut element, round);
            length += element.to_string().len() + 1;
            list.push(element);
        }
    }
    json!({"model": "a-model", key: list, "temperature": 0})
}

/// Gives all ids inside `value` an ending.
fn refresh(value: &mut Value, round: usize) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let is_id = matches!(name.as_str(), "id" | "call_id" | "tool_call_id" | "tool_use_id");
                match value {
                    Value::String(id) if is_id => *id = format!("{id}-{round}"),
                    value => refresh(value, round),
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| refresh(element, round)),
        _ => {}
    }
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("there is room for the file");
}
