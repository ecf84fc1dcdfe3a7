//! How do the time and the memory of a plan grow with the log?
//!
//! A real Claude Code session is repeated, with fresh ids and chained to one conversation, until it has
//! 1, 10 and 100 MB. Each size is read, estimated and planned in a process of its own. The figures to
//! look at are the ratios: time per megabyte against the smallest log, and peak memory against the
//! size of the log.

mod material;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use foldback::compact::Request;
use foldback::prelude::*;
use foldback::wire::{ReadOptions, read};
use material::{peak_memory, repeated_log, report};

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
        let bytes = repeated_log(&path, SESSION, megabytes << 20);
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
