//! How do the time and the memory of a plan grow with the log?
//!
//! A real Claude Code session is repeated, with fresh ids and chained to one conversation, until it has
//! 1, 10 and 100 MB. Each size is read, estimated and planned in a process of its own. The figures to
//! look at are the ratios: time per megabyte against the smallest log, and peak memory against the
//! size of the log.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use foldback::compact::Request;
use foldback::prelude::*;
use foldback::wire::{ReadOptions, read};
use foldback_tests::fixture;
use serde_json::Value;

/// The session that is repeated.
const SESSION: &str = "transcripts/claude-code/worktrees-v2.1.114-attachments.jsonl";
const MEGABYTES: [usize; 3] = [1, 10, 100];
/// Names the log in the process that measures it.
const LOG: &str = "FOLDBACK_BENCH_LOG";

fn main() {
    if let Some(path) = std::env::var_os(LOG) {
        measure(Path::new(&path));
        return;
    }
    let folder = tempfile::tempdir().expect("a folder for the logs");
    let program = std::env::current_exe().expect("this program has a file");
    let mut table =
        String::from("    log MB   messages   seconds   seconds/MB   against 1 MB   memory/log\n");
    let mut first = None;
    for megabytes in MEGABYTES {
        let path = folder.path().join(format!("{megabytes}.jsonl"));
        let bytes = repeated(&path, megabytes << 20);
        let output = Command::new(&program).env(LOG, &path).output().expect("the measuring process runs");
        let line = String::from_utf8(output.stdout).expect("the measuring process writes text");
        let figures: Vec<f64> = line.split_whitespace().map(|word| word.parse().expect("a number")).collect();
        let [messages, seconds, memory] = figures[..] else { panic!("unexpected figures: {line}") };
        #[expect(clippy::cast_precision_loss, reason = "logs are far smaller than 2^53 bytes")]
        let (bytes, mib) = (bytes as f64, bytes as f64 / f64::from(1 << 20));
        let rate = seconds / mib;
        let first = *first.get_or_insert(rate);
        writeln!(
            table,
            "{mib:>10.1} {messages:>10} {seconds:>9.3} {rate:>12.4} {:>14.2} {:>12.2}",
            rate / first,
            memory / bytes
        )
        .expect("writing to memory");
    }
    report(&table);
}

#[expect(clippy::print_stdout, reason = "a bench answers on standard output")]
fn report(text: &str) {
    println!("{text}");
}

/// Reads, estimates and plans, and prints the number of messages, the seconds and the peak memory.
fn measure(path: &Path) {
    let start = Instant::now();
    let bytes = std::fs::read(path).expect("the log is there");
    let document = read(&bytes, &ReadOptions::default()).expect("the log is in order");
    let estimator = Heuristic::default();
    let compactor =
        Compactor::new(Config::new(Keep::tokens(TokenCount::new(20_000)))).expect("it is in order");
    let request = Request::new(&document.context, &estimator).require_reduction();
    let plan = compactor.plan(&request).expect("the log is a valid request").expect("most of it can go");
    let seconds = start.elapsed().as_secs_f64();
    assert!(plan.first_kept > 0);
    report(&format!("{} {seconds} {}", document.context.messages.len(), peak_memory()));
}

/// The peak of this process's memory in bytes, where the system tells it; else zero.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap_or_default() * 1024
}

/// Writes the session over and over, each time with ids of its own and continuing the time before;
/// gives the number of bytes.
fn repeated(path: &Path, bytes: usize) -> usize {
    let session = std::fs::read_to_string(fixture(SESSION)).expect("the fixture is there");
    let lines: Vec<&str> = session.lines().collect();
    let mut log = String::new();
    let mut last: Option<String> = None;
    for round in 0.. {
        for line in &lines {
            let mut record: Value = serde_json::from_str(line).expect("a record");
            let fresh = |value: &mut Value| {
                if let Some(id) = value.as_str() {
                    *value = format!("{id}-{round}").into();
                }
            };
            ["uuid", "parentUuid", "messageId", "leafUuid"].iter().for_each(|key| fresh(&mut record[*key]));
            if record["message"].is_object() {
                fresh(&mut record["message"]["id"]);
                if let Some(blocks) = record["message"]["content"].as_array_mut() {
                    for block in blocks {
                        let keys = if block["type"] == "tool_use" { "id" } else { "tool_use_id" };
                        fresh(&mut block[keys]);
                    }
                }
            }
            // The first record of a round goes on where the last round ended.
            if round > 0 && record["uuid"].is_string() && record["parentUuid"].is_null() {
                record["parentUuid"] = last.clone().into();
            }
            if matches!(record["type"].as_str(), Some("user" | "assistant")) {
                last = record["uuid"].as_str().map(str::to_owned);
            }
            log.push_str(&record.to_string());
            log.push('\n');
        }
        if log.len() >= bytes {
            break;
        }
    }
    std::fs::write(path, &log).expect("there is room for the log");
    log.len()
}
