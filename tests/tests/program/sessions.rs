//! Every real session of the fixtures goes through the main job, or is refused with a reason.

use std::path::{Path, PathBuf};

use foldback_tests::{fixture, foldback};
use serde_json::Value;
use serde_json::value::RawValue;

/// Files that are no conversation, and what the refusal has to name.
const REFUSED: &[(&str, &str)] = &[
    // An evaluation's result: sixty sessions in one file, each in a member of its record.
    ("openai-chat/tau-airline-first60-sessions.json", "traj"),
    // An observability export: the request stands inside as text.
    ("gemini-contents/langfuse-google-gemini-2025-08-01.trace.json", "trace"),
];

/// Files of which nothing can be condensed when about 2,000 tokens of the end are kept, and why.
const NO_REDUCTION: &[(&str, &str)] = &[
    // Less than 2,000 tokens: everything is within what is to be kept.
    ("openai-chat/docker-agent-multi-agent-reload.json", "small"),
    ("openai-chat/lingua-image-chat-completions.json", "small"),
    ("openai-chat/lingua-parallel-calls-chat-completions.json", "small"),
    ("openai-chat/lingua-reasoning-chat-completions.json", "small"),
    ("openai-chat/pydantic-deepseek-thinking-parallel.json", "small"),
    ("openai-responses/lingua-image-responses.json", "small"),
    ("openai-responses/lingua-parallel-calls-responses.json", "small"),
    ("openai-responses/pydantic-compaction-first-item.json", "small"),
    ("openai-responses/pydantic-interleaved-calls.json", "small"),
    ("openai-responses/pydantic-mcp-server-tool.json", "small"),
    ("anthropic-messages/lingua-image-anthropic.json", "small"),
    ("anthropic-messages/lingua-parallel-calls-anthropic.json", "small"),
    ("anthropic-messages/lingua-reasoning-anthropic.json", "small"),
    ("anthropic-messages/pydantic-in-flight-server-tool.json", "small"),
    ("anthropic-messages/pydantic-mid-conversation-system.json", "small"),
    ("anthropic-messages/pydantic-tool-search-handoff.json", "small"),
    ("gemini-contents/lingua-image-google.json", "small"),
    ("gemini-contents/lingua-parallel-calls-google.json", "small"),
    ("gemini-contents/pydantic-deferred-11-contents.json", "small"),
    ("gemini-contents/pydantic-parallel-tool-calls.json", "small"),
    ("openai-responses/pydantic-compact-stateful.json", "small"),
    ("gemini-contents/pydantic-image-tool-return.json", "small"),
    ("claude-code/ideas-v2.1.42-progress-hooks.jsonl", "small"),
    ("claude-code/vscode-compact-boundary-98b76fb9.jsonl", "small"),
    ("codex-rollout/agent-sessions-v0.146-event-coverage.jsonl", "small"),
    ("pi/agent-sessions-pi-v3-small.jsonl", "small"),
    ("bedrock-converse/lingua-image-bedrock.json", "small"),
    ("bedrock-converse/lingua-parallel-calls-bedrock.json", "small"),
    ("bedrock-converse/lingua-reasoning-bedrock.json", "small"),
    ("bedrock-converse/pydantic-structured-output.json", "small"),
    ("langchain/langgraph-four-messages.json", "small"),
    // Its system text and tools, which stay, are most of it.
    ("openhands/llm-log-claude-sonnet-4-fncall.json", "small"),
    // The system text and the project's rules are most of it and stay; one short request could go.
    ("codex-rollout/tool-written-0.171-turn-aborted.jsonl", "instructions"),
    // One long reply is all but the whole conversation: the question before it is shorter than any
    // summary, and the reply itself is within what is to be kept, since it reaches the number.
    ("gemini-contents/lingua-reasoning-google.json", "one reply"),
    ("openai-responses/lingua-reasoning-responses.json", "one reply"),
    // Logs without a single message.
    ("claude-code/episodic-only-snapshots-and-summary.jsonl", "empty"),
    ("codex-rollout/codex_050_legacy.jsonl", "empty"),
    ("codex-rollout/codex_053_rate_limit.jsonl", "empty"),
];

/// The folders of the fixtures, and the wire format that their files are written in.
const FOLDERS: &[(&str, &str)] = &[
    ("openai-chat", "openai_chat"),
    ("openai-responses", "openai_responses"),
    ("anthropic-messages", "anthropic"),
    ("gemini-contents", "gemini"),
    ("claude-code", "anthropic"),
    ("codex-rollout", "openai_responses"),
    ("pi", "anthropic"),
    ("openhands", "openai_chat"),
    ("swe-agent", "openai_chat"),
    ("bedrock-converse", "anthropic"),
    ("langchain", "openai_chat"),
];

/// Enough of a long answer to see what it says.
fn start(text: &str) -> String {
    text.chars().take(400).collect()
}

struct Run {
    code: i32,
    out: String,
    err: String,
}

impl Run {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in {}", self.out))
    }
}

fn run(args: &[&str], file: &Path) -> Run {
    let output = foldback().args(args).arg(file).output().expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
    Run { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

fn files(folder: &str) -> Vec<(String, PathBuf)> {
    let mut files: Vec<(String, PathBuf)> = std::fs::read_dir(fixture("transcripts").join(folder))
        .expect("the folder is there")
        .map(|entry| entry.expect("the folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension != "md"))
        .map(|path| (format!("{folder}/{}", path.file_name().unwrap_or_default().display()), path))
        .collect();
    files.sort();
    files
}

fn listed<'a>(list: &'a [(&str, &'a str)], name: &str) -> Option<&'a str> {
    list.iter().find(|(listed, _)| *listed == name).map(|(_, why)| *why)
}

fn check_folder(folder: &str, wire: &str) {
    let mut seen = 0;
    for (name, path) in files(folder) {
        seen += 1;
        let inspected = run(&["inspect", "--json"], &path);
        if let Some(word) = listed(REFUSED, &name) {
            assert_eq!(inspected.code, 2, "{name}: {}", inspected.out);
            assert!(inspected.err.contains(word), "{name}: {}", inspected.err);
            continue;
        }
        assert_eq!(inspected.code, 0, "{name}: {}", inspected.err);
        check_inspect(&name, &inspected.json());
        check_count(&name, &inspected.json(), &run(&["count", "--json"], &path));
        check_main_job(&name, &path, wire);
    }
    assert!(seen > 0, "no fixtures in {folder}");
}

fn check_inspect(name: &str, answer: &Value) {
    let tokens = &answer["tokens"];
    let sum: u64 = tokens["by_source"].as_object().expect("bands").values().filter_map(Value::as_u64).sum();
    assert_eq!(Some(sum), tokens["total"].as_u64(), "{name}: the sources do not add up");
}

fn check_count(name: &str, inspected: &Value, counted: &Run) {
    assert_eq!(counted.code, 0, "{name}: {}", counted.err);
    let answer = counted.json();
    let messages = answer["messages"].as_array().expect("a list");
    assert_eq!(inspected["messages"].as_u64(), Some(messages.len() as u64), "{name}");
    let sum: u64 = messages.iter().filter_map(|message| message["tokens"].as_u64()).sum();
    let rest = answer["system"].as_u64().expect("a number") + answer["tools"].as_u64().expect("a number");
    assert_eq!(answer["total"].as_u64(), Some(sum + rest), "{name}");
}

fn check_main_job(name: &str, path: &Path, wire: &str) {
    let options = ["--keep-recent", "2000", "--force", "--json"];
    let plan = run(&[&["plan"], &options[..]].concat(), path);
    let compact = run(&[&["compact"], &options[..]].concat(), path);
    let record = compact.json();
    if let Some(why) = listed(NO_REDUCTION, name) {
        // Where everything is within what is kept, the plan knows; that a summary would be longer than
        // what it replaces shows only when it is written.
        assert_eq!(plan.code, i32::from(why != "one reply"), "{name}: {}", plan.out);
        assert_eq!(compact.code, 1, "{name}: {}", start(&compact.out));
        assert_eq!(record["action"], "no_reduction", "{name}");
        return;
    }
    assert_eq!((plan.code, compact.code), (0, 0), "{name}: {} {}", plan.out, start(&compact.out));
    assert_eq!(record["action"], "compact", "{name}");
    assert!(record["tokens_after"].as_u64() < record["tokens_before"].as_u64(), "{name}");
    assert!(!record["summary"].as_str().expect("a text").trim().is_empty(), "{name}");
    assert_eq!(plan.json()["cut"]["first_kept"], record["first_kept"], "{name}: plan and compact differ");
    check_validity(name, path, wire, &record);
    check_kept(name, path, &record);
}

/// What was valid before is valid after.
fn check_validity(name: &str, path: &Path, wire: &str, record: &Value) {
    let before = run(&["check", "--json"], path);
    let after = foldback()
        .args(["check", "--json", "--format", wire])
        .write_stdin(record["conversation"].to_string())
        .output()
        .expect("the program runs");
    let after: Value = serde_json::from_slice(&after.stdout).expect("an answer");
    if before.json()["valid"] == true {
        assert_eq!(after["valid"], true, "{name}: {}", after["findings"]);
    }
}

/// The list of messages of a request, whatever its format.
fn list(request: &Value) -> &Vec<Value> {
    ["messages", "input", "contents"]
        .iter()
        .find_map(|key| request[*key].as_array())
        .or(request.as_array())
        .expect("a request has a list of messages")
}

/// The content blocks of a message, a bare text as a block of its own.
fn blocks(message: &Value) -> Vec<Value> {
    match message.get("content").or(message.get("parts")) {
        Some(Value::Array(blocks)) => blocks.clone(),
        Some(content) => vec![serde_json::json!({ "type": "text", "text": content })],
        None => vec![message.clone()],
    }
}

/// The kept messages are the tail of the input: block by block, since the first one may share its
/// message with the summary.
fn check_kept(name: &str, path: &Path, record: &Value) {
    let whole = run(&["convert", "--json"], path).json()["conversation"].clone();
    let mut before: Vec<Value> = list(&whole).iter().flat_map(blocks).collect();
    let after: Vec<Value> = list(&record["conversation"]).iter().flat_map(blocks).collect();
    let is_summary = |block: &Value| block.to_string().contains("was compacted into the following summary");
    let place = after.iter().position(is_summary).unwrap_or_else(|| panic!("{name}: no summary"));
    let mut tail = after[place + 1..].to_vec();
    // What was mended in the kept messages is listed, and is not of the input.
    let mended = record["dropped"].as_array().map_or(0, Vec::len);
    tail.retain(|block| before.contains(block));
    assert!(tail.len() + mended + place + 1 >= after.len(), "{name}: blocks that the input does not have");
    // Reasoning whose signature is dead goes, and the record says of which messages.
    let thinks = |block: &Value| block["type"].as_str().is_some_and(|kind| kind.ends_with("thinking"));
    if record["dead_reasoning"].as_array().is_some_and(|dead| !dead.is_empty()) {
        before.retain(|block| !thinks(block) || tail.contains(block));
    }
    assert!(before.ends_with(&tail), "{name}: the kept messages are not the tail of the input");
}

#[test]
fn openai_chat_sessions() {
    check_folder(FOLDERS[0].0, FOLDERS[0].1);
}

#[test]
fn openai_responses_sessions() {
    check_folder(FOLDERS[1].0, FOLDERS[1].1);
}

#[test]
fn anthropic_sessions() {
    check_folder(FOLDERS[2].0, FOLDERS[2].1);
}

#[test]
fn gemini_sessions() {
    check_folder(FOLDERS[3].0, FOLDERS[3].1);
}

#[test]
fn claude_code_sessions() {
    check_folder(FOLDERS[4].0, FOLDERS[4].1);
}

#[test]
fn codex_sessions() {
    check_folder(FOLDERS[5].0, FOLDERS[5].1);
}

#[test]
fn pi_sessions() {
    check_folder(FOLDERS[6].0, FOLDERS[6].1);
}

#[test]
fn openhands_sessions() {
    check_folder(FOLDERS[7].0, FOLDERS[7].1);
}

#[test]
fn swe_agent_sessions() {
    check_folder(FOLDERS[8].0, FOLDERS[8].1);
}

#[test]
fn bedrock_sessions() {
    check_folder(FOLDERS[9].0, FOLDERS[9].1);
}

#[test]
fn langchain_sessions() {
    check_folder(FOLDERS[10].0, FOLDERS[10].1);
}

#[test]
fn the_lists_name_only_files_that_are_there() {
    for (name, _) in REFUSED.iter().chain(NO_REDUCTION) {
        assert!(fixture("transcripts").join(name).is_file(), "{name}");
    }
}

/// Byte for byte, not only as JSON values: the elements of the written list are pieces of the input.
#[test]
fn kept_messages_of_a_wire_are_pieces_of_the_input() {
    let mut checked = 0;
    for (folder, _) in &FOLDERS[..4] {
        for (name, path) in files(folder) {
            let input = std::fs::read_to_string(&path).expect("the fixture can be read");
            let compact = run(&["compact", "--keep-recent", "2000", "--force"], &path);
            if compact.code != 0 {
                continue;
            }
            let elements = elements(&compact.out);
            for kept in elements.iter().filter(|element| !element.contains("compacted into the following")) {
                assert!(input.contains(kept), "{name}: {kept}");
                checked += 1;
            }
        }
    }
    assert!(checked > 50, "only {checked} messages were compared");
}

/// The elements of the list of messages, as they stand in the text.
fn elements(request: &str) -> Vec<&str> {
    #[derive(serde::Deserialize)]
    struct Request<'a> {
        #[serde(borrow, alias = "input", alias = "contents")]
        messages: Vec<&'a RawValue>,
    }
    let list: Vec<&RawValue> = match serde_json::from_str(request) {
        Ok(bare) => bare,
        Err(_) => serde_json::from_str::<Request<'_>>(request).expect("a request").messages,
    };
    list.into_iter().map(RawValue::get).collect()
}
