//! Files are replaced in one step or not at all.

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
