//! What the benches share: files of any size made of real sessions, and what a process needs.

use std::path::Path;

use foldback_tests::fixture;
use serde_json::Value;

/// Writes on standard output: the answer of a bench, or of a process that measures for it.
#[expect(clippy::print_stdout, reason = "a bench answers on standard output")]
pub(crate) fn report(text: &str) {
    println!("{text}");
}

/// The peak of this process's memory in bytes, where the system tells it; else zero.
pub(crate) fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap_or_default() * 1024
}

/// Writes a Claude Code `session`, a fixture, over and over, each time with ids of its own and
/// continuing the time before; gives the number of bytes.
pub(crate) fn repeated_log(path: &Path, session: &str, bytes: usize) -> usize {
    let session = std::fs::read_to_string(fixture(session)).expect("the fixture is there");
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
            ["uuid", "parentUuid", "messageId", "leafUuid"].iter().for_each(|key| {
                if let Some(id) = record.get_mut(*key) {
                    fresh(id);
                }
            });
            if record["message"].is_object() {
                fresh(&mut record["message"]["id"]);
                if let Some(blocks) = record["message"]["content"].as_array_mut() {
                    for block in blocks {
                        let key = if block["type"] == "tool_use" { "id" } else { "tool_use_id" };
                        if let Some(id) = block.get_mut(key) {
                            fresh(id);
                        }
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
