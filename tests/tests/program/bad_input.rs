//! Bad input is the normal case: a clear error, exit code 2, nothing written.

use std::io::Write;
use std::path::Path;

use foldback_tests::{fixture, foldback};
use serde_json::Value;

/// Runs `compact` on a file of `bytes` and gives the error object.
fn refusal(bytes: &[u8]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("input.json");
    std::fs::write(&input, bytes).expect("a file");
    let output = folder.path().join("output.json");
    let run = foldback()
        .args(["compact", "--json", "--force", "-o"])
        .arg(&output)
        .arg(&input)
        .output()
        .expect("the program runs");
    assert_eq!(run.status.code(), Some(2), "{}", String::from_utf8_lossy(&run.stderr));
    assert!(run.stdout.is_empty(), "something was written to standard output");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "a file was left behind");
    let error: Value = serde_json::from_slice(&run.stderr).expect("one JSON object");
    let error = error["error"].clone();
    assert!(error["file"].as_str().expect("a file").ends_with("input.json"), "{error}");
    assert!(!error["message"].as_str().expect("a message").is_empty());
    error
}

fn expects_something(error: &Value) {
    assert!(error["expected"].as_str().is_some_and(|expected| !expected.is_empty()), "{error}");
}

#[test]
fn an_empty_file() {
    for bytes in [&b""[..], b"  \n\n", b"\xef\xbb\xbf"] {
        let error = refusal(bytes);
        assert_eq!(error["kind"], "empty");
        expects_something(&error);
    }
}

#[test]
fn truncated_json_at_every_place() {
    let whole = std::fs::read(fixture("transcripts/openai-chat/lingua-parallel-calls-chat-completions.json"))
        .expect("the fixture is there");
    let whole = whole.trim_ascii_end();
    for end in (1..whole.len()).step_by(97) {
        let error = refusal(&whole[..end]);
        assert_eq!(error["kind"], "syntax", "cut at {end}: {error}");
        assert!(error["line"].is_u64(), "cut at {end}: {error}");
        expects_something(&error);
    }
}

#[test]
fn json_of_another_kind() {
    for text in ["{}", "[]", "3", "\"text\"", "null", r#"{"a": 1}"#, "[1, 2]", r#"{"messages": 3}"#, "[[]]"] {
        let error = refusal(text.as_bytes());
        assert!(matches!(error["kind"].as_str(), Some("unknown_format" | "shape")), "{text}: {error}");
        expects_something(&error);
    }
}

#[test]
fn no_json_at_all() {
    let error = refusal(b"# a heading\n\nand some prose\n");
    assert_eq!(error["kind"], "syntax");
    assert_eq!((error["line"].as_u64(), error["column"].as_u64()), (Some(1), Some(1)), "{error}");
    expects_something(&error);
}

#[test]
fn invalid_utf8() {
    let error = refusal(b"{\"messages\": [{\"role\": \"user\", \"content\": \"\xff\"}]}");
    assert_eq!(error["kind"], "encoding");
    assert_eq!(error["offset"], 43, "{error}");
    expects_something(&error);
}

#[test]
fn much_without_a_line_break() {
    let mut bytes = vec![b'x'; 200 << 20];
    assert_eq!(refusal(&bytes)["kind"], "syntax");
    bytes[..2].copy_from_slice(b"[\"");
    assert_eq!(refusal(&bytes)["kind"], "syntax");
}

/// A log of three messages with a damaged line in the middle.
fn damaged_log() -> Vec<u8> {
    let log = std::fs::read_to_string(fixture("transcripts/claude-code/vscode-30530d66-parallel.jsonl"))
        .expect("the fixture is there");
    let mut lines: Vec<&str> = log.lines().collect();
    let damaged = &lines[9][..lines[9].len() / 2];
    lines[9] = damaged;
    lines.join("\n").into_bytes()
}

#[test]
fn a_log_with_a_damaged_line() {
    let error = refusal(&damaged_log());
    assert_eq!((error["kind"].as_str(), error["line"].as_u64()), (Some("syntax"), Some(10)), "{error}");
    assert!(error.to_string().contains("lenient"), "{error}");

    for command in ["inspect", "count", "plan", "check", "compact", "convert"] {
        let run = |options: &[&str]| {
            let mut foldback = foldback();
            foldback.args([command, "--lenient"]).args(options).write_stdin(damaged_log());
            foldback.output().expect("the program runs")
        };
        let answer: Value = serde_json::from_slice(&run(&["--json"]).stdout).expect("an answer");
        assert_eq!(answer["skipped_lines"], 1, "{command}");
        let page = run(&[]);
        // Where the conversation goes to standard output, what is told about it does not.
        let page = if matches!(command, "compact" | "convert") { page.stderr } else { page.stdout };
        let page = String::from_utf8(page).expect("UTF-8");
        assert_eq!(page.matches("skipped 1 damaged line\n").count(), 1, "{command}: {page}");
    }
    let run = foldback()
        .args(["count", "--json", "--lenient", "--compare", "moa,pi"])
        .write_stdin(damaged_log())
        .output()
        .expect("the program runs");
    let answer: Value = serde_json::from_slice(&run.stdout).expect("an answer");
    assert_eq!(answer["skipped_lines"], 1);
}

#[test]
fn a_path_that_does_not_exist() {
    let run =
        foldback().args(["inspect", "--json", "/nowhere/at/all.json"]).output().expect("the program runs");
    assert_eq!(run.status.code(), Some(2));
    let error: Value = serde_json::from_slice(&run.stderr).expect("one JSON object");
    assert_eq!(
        (&error["error"]["kind"], &error["error"]["file"]),
        (&"io".into(), &"/nowhere/at/all.json".into())
    );
    assert_eq!(error["error"]["expected"], "a file that can be read");
}

#[test]
fn a_folder_in_place_of_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let session = fixture("transcripts/openai-chat/tau-airline-task2-trial1.json");
    let (folder, session) = (folder.path().to_str().expect("a path"), session.to_str().expect("a path"));
    for options in [
        &["inspect", folder][..],
        &["convert", "-o", folder, session],
        &["count", "--tools", folder, session],
        &["count", "--summary", folder, session],
    ] {
        let error = failure(options);
        assert_eq!((&error["kind"], &error["file"]), (&"io".into(), &folder.into()), "{error}");
        assert_eq!(error["expected"], "a file, not a folder", "{error}");
    }
}

/// Runs the program with `--json` and gives the error object.
fn failure(options: &[&str]) -> Value {
    let run = foldback().args(options).arg("--json").output().expect("the program runs");
    assert_eq!(run.status.code(), Some(2), "{options:?}: {}", String::from_utf8_lossy(&run.stdout));
    let error: Value = serde_json::from_slice(&run.stderr).expect("one JSON object");
    error["error"].clone()
}

#[test]
fn a_file_of_tools_that_is_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let tools = folder.path().join("tools.json");
    let session = fixture("transcripts/openai-chat/tau-airline-task2-trial1.json");
    for (bytes, kind, line, column) in [
        (&b"[\n  {]"[..], "syntax", Some(2), Some(4)),
        (b"[{\"name\": \"a\"}", "syntax", Some(1), Some(14)),
        (b"\n{\"tools\": []}", "shape", Some(2), Some(1)),
        (b"[{\"name\": \"a\"},\n 7]", "shape", Some(2), Some(2)),
        (b"", "empty", None, None),
        (b"[\"\xff\"]", "encoding", None, None),
    ] {
        std::fs::write(&tools, bytes).expect("a file");
        let tools = tools.to_str().expect("a path");
        let error = failure(&["plan", "--tools", tools, session.to_str().expect("a path")]);
        assert_eq!((&error["kind"], &error["file"]), (&kind.into(), &tools.into()), "{error}");
        assert_eq!((error["line"].as_u64(), error["column"].as_u64()), (line, column), "{error}");
        match kind {
            "encoding" => {
                assert_eq!((&error["offset"], &error["expected"]), (&2.into(), &"text in UTF-8".into()))
            }
            _ => assert_eq!(error["expected"], "a JSON list of tool definitions", "{error}"),
        }
    }
}

#[test]
fn a_blank_summary_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let summary = folder.path().join("summary.txt");
    let session = fixture("transcripts/openai-chat/tau-airline-task2-trial1.json");
    for text in ["", " \n\n"] {
        std::fs::write(&summary, text).expect("a file");
        let summary = summary.to_str().expect("a path");
        let error = failure(&["compact", "--summary", summary, session.to_str().expect("a path")]);
        assert_eq!((&error["kind"], &error["file"]), (&"empty".into(), &summary.into()), "{error}");
        expects_something(&error);
    }
}

/// Whoever may do everything may write into a read-only folder too, so the folder is one in which
/// nobody can create files.
#[test]
fn an_output_folder_that_cannot_be_written() {
    let session = fixture("transcripts/openai-chat/tau-airline-task2-trial1.json");
    for output in ["/proc/self/out.json", "/nowhere/out.json"] {
        if !Path::new("/proc/self").exists() {
            continue;
        }
        let run = foldback()
            .args(["compact", "--force", "--keep-recent", "2000", "--json", "-o", output])
            .arg(&session)
            .output()
            .expect("the program runs");
        assert_eq!(run.status.code(), Some(2), "{output}");
        let error: Value = serde_json::from_slice(&run.stderr).expect("one JSON object");
        assert_eq!(error["error"]["file"], output);
        assert_eq!(error["error"]["expected"], "a folder that can be written to");
    }
}

#[test]
fn options_that_make_no_sense_are_all_reported_at_once() {
    let run = foldback()
        .args(["plan", "--json", "--window", "10", "--reserve", "20", "--ratio", "0", "-"])
        .write_stdin("[]")
        .output()
        .expect("the program runs");
    assert_eq!(run.status.code(), Some(2));
    let error: Value = serde_json::from_slice(&run.stderr).expect("one JSON object");
    let message = error["error"]["message"].as_str().expect("a message");
    assert!(message.contains("window") && message.contains("ratio"), "{message}");
}

#[test]
fn an_unknown_option_is_a_failure_like_any_other() {
    let run = foldback().args(["plan", "--json", "--no-such-option"]).output().expect("the program runs");
    assert_eq!(run.status.code(), Some(2));
    let error: Value = serde_json::from_slice(&run.stderr).expect("one JSON object");
    assert_eq!(error["error"]["kind"], "usage");
}

#[test]
fn an_unknown_estimator_is_refused_with_the_known_names() {
    for options in [["count", "--estimator", "abacus"], ["count", "--compare", "pi,abacus"]] {
        let error = failure(&options);
        assert_eq!(error["kind"], "usage");
        let message = error["message"].as_str().expect("a message");
        for name in ["abacus", "heuristic", "docker_agent", "moa", "pi", "gg"] {
            assert!(message.contains(name), "{name}: {message}");
        }
    }
}

#[test]
fn a_pin_that_is_not_there_is_refused() {
    let run = foldback()
        .args(["plan", "--pin", "99", "-"])
        .write_stdin(r#"[{"role": "user", "content": "hi"}]"#)
        .output()
        .expect("the program runs");
    assert_eq!(run.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&run.stderr).contains("99"));
}

#[test]
fn a_closed_standard_output_is_no_panic() {
    let mut child = std::process::Command::new(foldback_tests::program())
        .args(["inspect", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program runs");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(br#"[{"role": "user", "content": "hi"}]"#).expect("the program reads");
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
}
