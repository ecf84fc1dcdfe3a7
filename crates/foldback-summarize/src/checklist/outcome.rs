//! How a tool call ended, judged by its result.

use std::sync::LazyLock;

use foldback_model::ToolResult;
use regex::Regex;
use serde::Deserialize;

use crate::text::{one_line, pattern, redact, window};

/// How a call ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) failed: bool,
    pub(super) exit_code: Option<i64>,
    /// The line of the result that says most, cleaned; empty when none does.
    pub(super) line: String,
}

impl Outcome {
    /// As it stands behind an arrow.
    pub(super) fn text(&self) -> String {
        match (self.failed, self.exit_code, self.line.as_str()) {
            (false, _, "") => "ok".to_owned(),
            (false, _, line) => format!("ok: {line}"),
            (true, Some(code), "") if code != 0 => format!("exit code {code}"),
            (true, Some(code), line) if code != 0 => format!("exit code {code}: {line}"),
            (true, _, "") => "failed".to_owned(),
            (true, _, line) => format!("failed: {line}"),
        }
    }
}

const LINE_CHARS: usize = 160;

// Said by shells, compilers and test runners when they fail, whatever their status.
static FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?m)^\s*(?:error(?:\[\w+\])?: |Error: |ERROR(?-u:\b)|fatal: |FAILED\b|npm ERR!|npm error |Traceback \(most recent call last\)|E   |\S*(?:Error|Exception): |thread '.*panicked at|panic: |test result: FAILED|.*(?-u:\b)[1-9]\d* (?:tests? )?failed(?-u:\b)|.*: command not found|.*: (?:No such file or directory|Permission denied|cannot access)(?-u:\b)|make: \*\*\*|.*\bTS\d+: )",
    )
});
// Anywhere in a line, for want of better.
static HINT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i-u)\b(?:error|failed|failure|exception|denied|not found|invalid|cannot|refused|timed out|timeout|missing)\b",
    )
});

/// The outcome of a command line.
pub(super) fn of_command(result: &ToolResult) -> Outcome {
    let text = result.text();
    let seen = window(&text);
    let unpacked = unpack(&seen);
    let (exit_code, output) = match &unpacked {
        Some(packed) => (packed.metadata.exit_code, packed.output.as_str()),
        None => (stated_exit_code(&seen), body_of(&seen)),
    };
    let bad_code = exit_code.is_some_and(|code| code != 0);
    let failed = result.is_error
        || was_stopped(output)
        || bad_code
        || (exit_code.is_none() && says_failure_at_ends(output))
        || says_failure_at_end(output);
    let line = if failed { failing_line(output) } else { telling_line(output) };
    Outcome { failed, exit_code, line: clean(&line) }
}

/// The outcome of any other call: only what a tool says of itself counts, since what it returns may
/// well be about errors.
pub(super) fn of_call(result: &ToolResult) -> Outcome {
    static SAYS_SO: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r#"^\s*(?:\[?(?i-u:error)\b\s*[:\]]|<tool_use_error>|\{\s*"(?:error|errors)"\s*:\s*["{\[])"#)
    });
    let text = result.text();
    let seen = window(&text);
    let failed = result.is_error || SAYS_SO.is_match(&seen) || was_stopped(&seen);
    let line = if failed { failing_line(&seen) } else { short_answer(&seen) };
    Outcome { failed, exit_code: None, line: clean(&line) }
}

/// The `git commit`s that a result reports: branch, hash and subject.
pub(super) fn commits(text: &str) -> Vec<(String, String, String)> {
    static COMMIT: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?m)^\[(\S+)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)$"));
    let part = |found: &regex::Captures<'_>, at| found.get(at).map_or("", |part| part.as_str()).to_owned();
    COMMIT
        .captures_iter(&window(text))
        .map(|found| (part(&found, 1), part(&found, 2), part(&found, 3)))
        .collect()
}

/// How some hosts pack a command's output.
#[derive(Deserialize)]
struct Packed {
    output: String,
    metadata: PackedStatus,
}

#[derive(Deserialize)]
struct PackedStatus {
    exit_code: Option<i64>,
}

fn unpack(text: &str) -> Option<Packed> {
    text.starts_with("{\"").then(|| serde_json::from_str(text).ok()).flatten()
}

/// The status that a host puts in front of or behind the output.
fn stated_exit_code(text: &str) -> Option<i64> {
    static CODE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\W{0,2}(?i-u:(?:process|command|the command|\(?exit)\b[a-z ]{0,40}?(?:code|status)?[:=]?)\s*(-?\d{1,10})\W{0,3}$",
        )
    });
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let near_ends = lines().take(6).chain(lines().rev().take(2));
    near_ends
        .filter(|line| line.len() < 80)
        .find_map(|line| CODE.captures(line)?.get(1)?.as_str().parse().ok())
}

/// Behind the header of a host that puts one in front of the output.
fn body_of(text: &str) -> &str {
    match text.find("\nOutput:\n") {
        Some(at) if at < 400 => &text[at + "\nOutput:\n".len()..],
        _ => text,
    }
}

/// Whether a person stopped the call, as Codex CLI and Claude Code put it.
fn was_stopped(output: &str) -> bool {
    let output = output.trim_start();
    output.starts_with("aborted by user") || output.starts_with("[Request interrupted by user")
}

/// Whether the first or last lines are those of a failure.
fn says_failure_at_ends(output: &str) -> bool {
    let lines = || output.lines().filter(|line| !line.trim().is_empty());
    lines().take(2).any(|line| FAILURE.is_match(line)) || says_failure_at_end(output)
}

fn says_failure_at_end(output: &str) -> bool {
    static VERDICT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?m)^\s*(?:error: could not compile|error: test failed|test result: FAILED|make: \*\*\*|npm ERR!|fatal: |=+ .*(?-u:\b)[1-9]\d* failed(?-u:\b)|Tests?:? .*(?-u:\b)[1-9]\d* failed(?-u:\b)|\S*(?:Error|Exception): )",
        )
    });
    output.lines().rev().filter(|line| !line.trim().is_empty()).take(3).any(|line| VERDICT.is_match(line))
}

fn failing_line(output: &str) -> String {
    static RAISED: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^\s*(?:E\s+)?\w[\w.]*(?:Error|Exception|Exit|Interrupt)\b"));
    let meaningful =
        || output.lines().filter(|line| !line.trim().is_empty() && stated_exit_code(line).is_none());
    let first = meaningful().find(|line| FAILURE.is_match(line));
    // What was raised stands at the end of a Python trace.
    if first.is_some_and(|line| line.contains("Traceback (most recent"))
        && let Some(raised) = output.lines().rev().find(|line| RAISED.is_match(line))
    {
        return raised.to_owned();
    }
    let found =
        first.or_else(|| meaningful().find(|line| HINT.is_match(line))).or_else(|| meaningful().next_back());
    let line = found.unwrap_or("").trim();
    line.trim_start_matches("<tool_use_error>").trim_end_matches("</tool_use_error>").to_owned()
}

/// The verdict in a successful output, or the output itself where it is one short line.
fn telling_line(output: &str) -> String {
    static VERDICT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)(?-u:\b)\d+ (?:tests? )?(?:passed|passing|warnings?)(?-u:\b)|test result: ok|all (?:checks|tests) passed|^\s*finished(?-u:\b)|successfully|(?-u:\b)no issues(?-u:\b)|(?-u:\b)up to date(?-u:\b)|nothing to commit|^\s*ok\s+\S+\s+[\d.]+s",
        )
    });
    match output.lines().rev().find(|line| line.len() < 400 && VERDICT.is_match(line)) {
        Some(line) => line.trim().trim_matches(['=', ' ']).to_owned(),
        None => short_answer(output),
    }
}

fn short_answer(output: &str) -> String {
    let output = output.trim();
    let one_short_line = !output.contains('\n') && output.chars().take(101).count() <= 100;
    if one_short_line && !output.starts_with(['{', '[']) { output.to_owned() } else { String::new() }
}

fn clean(line: &str) -> String {
    one_line(&redact(line), LINE_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> String {
        of_command(&ToolResult::new("c", text)).text()
    }

    #[test]
    fn the_shapes_of_hosts_are_understood() {
        assert_eq!(
            command("Exit code 127\n/bin/bash: line 1: pytest: command not found"),
            "exit code 127: /bin/bash: line 1: pytest: command not found"
        );
        assert_eq!(
            command("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nerror: bad"),
            "exit code 1: error: bad"
        );
        assert_eq!(
            command(r#"{"output":"fine\nerror: x\n","metadata":{"exit_code":2,"duration_seconds":0.1}}"#),
            "exit code 2: error: x"
        );
        assert_eq!(command("output\n[The command completed with exit code 0.]"), "ok");
        assert_eq!(command("a\nb\n\nCommand exited with code 3"), "exit code 3: b");
    }

    #[test]
    fn without_a_status_the_text_decides() {
        assert_eq!(command("==== 68 passed in 1.2s ===="), "ok: 68 passed in 1.2s");
        assert_eq!(
            command("running\ntest result: FAILED. 1 passed; 2 failed"),
            "failed: test result: FAILED. 1 passed; 2 failed"
        );
        assert_eq!(
            command("Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'x'"),
            "failed: KeyError: 'x'"
        );
        assert_eq!(command("README mentions error handling\nand more\nlines"), "ok");
        assert_eq!(command(""), "ok");
        assert_eq!(command("0 failed, 3 passed"), "ok: 0 failed, 3 passed");
    }

    #[test]
    fn other_tools_fail_only_by_their_own_word() {
        let call = |text: &str| of_call(&ToolResult::new("c", text)).text();
        assert_eq!(call("Error: payment does not add up"), "failed: Error: payment does not add up");
        assert_eq!(call("a file that says\nerror: x"), "ok");
        assert_eq!(call("23553.0"), "ok: 23553.0");
        assert_eq!(of_call(&ToolResult::new("c", "no").failed()).text(), "failed: no");
    }
}
