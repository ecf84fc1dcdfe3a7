//! Files are replaced in one step or not at all.

#[cfg(unix)]
use std::path::Path;
#[cfg(unix)]
use std::process::{Command, Stdio};

use foldback_tests::{fixture, foldback};
use serde_json::Value;

const SESSION: &str = "transcripts/openai-chat/tau-airline-task2-trial1.json";

#[test]
fn a_file_can_be_compacted_in_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("session.json");
    std::fs::copy(fixture(SESSION), &path).expect("a copy");
    let before = std::fs::read_to_string(&path).expect("a file");
    let run = foldback()
        .args(["compact", "--force", "--keep-recent", "2000", "--json", "-o"])
        .args([&path, &path])
        .output()
        .expect("the program runs");
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    let record: Value = serde_json::from_slice(&run.stdout).expect("a record");
    assert!(record.get("conversation").is_none(), "the conversation is in the file");
    let after = std::fs::read_to_string(&path).expect("a file");
    assert!(after.len() < before.len());
    let _: Value = serde_json::from_str(&after).expect("JSON");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "a file was left behind");
}

#[test]
fn what_cannot_be_had_leaves_the_output_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().join("out.json");
    std::fs::write(&output, "precious").expect("a file");
    let run = foldback()
        .args(["compact", "--force", "--keep-recent", "9000000", "-o"])
        .arg(&output)
        .arg(fixture(SESSION))
        .output()
        .expect("the program runs");
    assert_eq!(run.status.code(), Some(1));
    assert_eq!(std::fs::read_to_string(&output).expect("a file"), "precious");
}

#[test]
fn a_no_op_gives_the_input_back_byte_for_byte() {
    for file in [SESSION, "transcripts/anthropic-messages/lingua-parallel-calls-anthropic.json"] {
        let input = std::fs::read_to_string(fixture(file)).expect("the fixture is there");
        let run = foldback().args(["compact"]).arg(fixture(file)).output().expect("the program runs");
        assert_eq!(run.status.code(), Some(0));
        let output = String::from_utf8(run.stdout).expect("UTF-8");
        assert_eq!(output.strip_suffix('\n'), Some(input.as_str()), "{file}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("target.json");
    let link = folder.path().join("link.json");
    std::fs::write(&target, "old").expect("a file");
    std::os::unix::fs::symlink(&target, &link).expect("a link");
    let run = foldback().args(["compact", "-o"]).arg(&link).arg(fixture(SESSION)).output().expect("it runs");
    assert_eq!(run.status.code(), Some(0));
    assert!(link.is_symlink());
    assert_ne!(std::fs::read_to_string(&target).expect("a file"), "old");
}

/// What is neither a file nor a folder is written into. A pipe stands for devices too.
#[cfg(unix)]
#[test]
fn a_pipe_stays_a_pipe() {
    use std::os::unix::fs::FileTypeExt;
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    for command in ["compact", "convert"] {
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::read_to_string(pipe)
        });
        let run =
            foldback().args([command, "-o"]).arg(&pipe).arg(fixture(SESSION)).output().expect("it runs");
        assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
        let kind = std::fs::symlink_metadata(&pipe).expect("the pipe is there").file_type();
        assert!(kind.is_fifo(), "{command} replaced the pipe");
        let text = reader.join().expect("a reader").expect("a text");
        assert_eq!(text, std::fs::read_to_string(fixture(SESSION)).expect("a file"), "{command}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "a file was left behind");
}

#[cfg(unix)]
#[test]
fn a_new_file_gets_the_mode_of_new_files_and_an_old_one_keeps_its_own() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let mode = |path: &Path| std::fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    let write = |path: &Path| {
        let run = foldback().args(["convert", "-o"]).arg(path).arg(fixture(SESSION)).output();
        assert_eq!(run.expect("it runs").status.code(), Some(0));
    };
    let (usual, new, old) =
        (folder.path().join("usual"), folder.path().join("new"), folder.path().join("old"));
    std::fs::write(&usual, "").expect("a file");
    write(&new);
    assert_eq!(mode(&new), mode(&usual));
    std::fs::write(&old, "").expect("a file");
    std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o640)).expect("a mode");
    write(&old);
    assert_eq!(mode(&old), 0o640);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_program_with_130_and_leaves_nothing() {
    use std::io::Write;
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = Command::new(foldback_tests::program())
        .args(["convert", "-o"])
        .arg(folder.path().join("out.json"))
        .stdin(Stdio::piped())
        .spawn()
        .expect("the program runs");
    // More than a pipe holds: once all is written the program is reading, its handler in place.
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(&vec![b' '; 4 << 20]).expect("the program reads");
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(kill.success());
    assert_eq!(child.wait().expect("the program ends").code(), Some(130));
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

/// A summary and tools from other files are measured; where nothing is condensed they go nowhere.
#[test]
fn what_other_files_add_is_not_in_a_no_op() {
    let folder = tempfile::tempdir().expect("a folder");
    let (summary, tools) = (folder.path().join("summary.txt"), folder.path().join("tools.json"));
    std::fs::write(&summary, "The depot has two floors.").expect("a file");
    std::fs::write(&tools, r#"[{"name": "open_gate", "input_schema": {"type": "object"}}]"#).expect("a file");
    let run = |arguments: &[&str], file: &str| {
        let mut command = foldback();
        command.args(arguments).arg("--summary").arg(&summary).arg("--tools").arg(&tools);
        let run = command.arg(fixture(file)).output().expect("the program runs");
        (run.status.code(), String::from_utf8(run.stdout).expect("UTF-8"))
    };
    let input = std::fs::read_to_string(fixture(SESSION)).expect("the fixture is there");
    let (code, output) = run(&["compact"], SESSION);
    assert_eq!((code, output.strip_suffix('\n')), (Some(0), Some(input.as_str())));

    let log = "transcripts/claude-code/vscode-30530d66-parallel.jsonl";
    let (code, output) = run(&["compact"], log);
    assert_eq!(code, Some(0));
    assert!(!output.contains("two floors") && !output.contains("open_gate"));

    // What cannot be had goes nowhere without `--json`, and comes back as it was with it.
    let impossible = ["compact", "--force", "--keep-recent", "9000000"];
    assert_eq!(run(&impossible, SESSION), (Some(1), String::new()));
    let (code, output) = run(&[&impossible[..], &["--json"]].concat(), SESSION);
    let answer: Value = serde_json::from_str(&output).expect("an answer");
    assert_eq!((code, &answer["action"]), (Some(1), &"no_reduction".into()));
    let before: Value = serde_json::from_str(&input).expect("JSON");
    assert_eq!(answer["conversation"], before);

    // What is condensed goes with the summary, and still without the tools.
    let (code, output) = run(&["compact", "--force", "--keep-recent", "2000"], log);
    assert_eq!(code, Some(0));
    assert!(output.contains("two floors") && !output.contains("open_gate"));
}

#[test]
fn a_log_is_not_written_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    std::fs::copy(fixture("transcripts/claude-code/vscode-30530d66-parallel.jsonl"), &path).expect("a copy");
    let before = std::fs::read(&path).expect("a file");
    for command in ["compact", "convert"] {
        let run = foldback().args([command, "-o"]).args([&path, &path]).output().expect("it runs");
        assert_eq!(run.status.code(), Some(2), "{command}");
        assert!(String::from_utf8_lossy(&run.stderr).contains("name another output"), "{command}");
        assert_eq!(std::fs::read(&path).expect("a file"), before, "{command}");
    }
}

/// What goes to standard output does not depend on somebody listening to the remarks.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_error_loses_nothing() {
    let full =
        std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device that is always full");
    let run = std::process::Command::new(foldback_tests::program())
        .args(["compact", "--force", "--keep-recent", "2000"])
        .arg(fixture(SESSION))
        .stderr(full)
        .output()
        .expect("the program runs");
    assert_eq!(run.status.code(), Some(0));
    let _: Value = serde_json::from_slice(&run.stdout).expect("the conversation");
}
