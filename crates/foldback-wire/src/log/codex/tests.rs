use foldback_model::{Kind, Pin, Role, TokenCount};

use crate::log::tests::{read_as, sketch};
use crate::{Document, Format};

fn record(kind: &str, payload: &str) -> String {
    format!(r#"{{"timestamp":"t","type":"{kind}","payload":{payload}}}"#)
}

fn item(payload: &str) -> String {
    record("response_item", payload)
}

fn said(role: &str, text: &str) -> String {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    format!(r#"{{"type":"message","role":"{role}","content":[{{"type":"{kind}","text":"{text}"}}]}}"#)
}

fn call(id: &str) -> String {
    format!(r#"{{"type":"function_call","name":"sh","arguments":"{{}}","call_id":"{id}"}}"#)
}

fn output(id: &str) -> String {
    format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"ok"}}"#)
}

fn tokens(input: u64, cached: u64, output: u64) -> String {
    let total = input.saturating_add(output);
    record(
        "event_msg",
        &format!(
            r#"{{"type":"token_count","info":{{"last_token_usage":{{"input_tokens":{input},"cached_input_tokens":{cached},"output_tokens":{output},"reasoning_output_tokens":2,"total_tokens":{total}}}}}}}"#
        ),
    )
}

fn read(lines: &[String]) -> Document {
    read_as(Format::Codex, &lines.join("\n"), |_| {}).unwrap()
}

#[test]
fn items_are_what_the_model_saw() {
    let reasoning = r#"{"type":"reasoning","summary":[],"encrypted_content":"zz"}"#;
    let document = read(&[
        record("session_meta", r#"{"id":"s","base_instructions":{"text":"Be brief."}}"#),
        record("turn_context", r#"{"model":"gpt-5"}"#),
        item(&said("user", "<environment_context>x</environment_context>")),
        item(&said("user", "go")),
        item(reasoning),
        item(&call("c1")),
        item(&output("c1")),
        tokens(100, 60, 7),
        item(r#"{"type":"ghost_snapshot","ghost_commit":{}}"#),
        item(&said("assistant", "done")),
    ]);
    assert_eq!(
        sketch(&document)[1..],
        ["user:go", "assistant:", "assistant:>c1", "tool:<c1", "assistant:done"]
    );
    assert_eq!(document.context.system.as_deref(), Some("Be brief."));
    let messages = &document.context.messages;
    let kinds: Vec<Kind> = messages[..2].iter().map(|message| message.kind()).collect();
    assert_eq!(kinds, [Kind::Injected, Kind::Plain]);
    assert_eq!(messages[0].meta.pin, None, "what the surroundings were is no instruction");
    let bound: Vec<bool> = messages.iter().map(|message| message.meta.binds_next).collect();
    assert_eq!(bound, [false, false, true, false, false, false]);
    let usage = messages[3].meta.usage.unwrap();
    assert_eq!((usage.input, usage.prompt()), (Some(TokenCount::new(40)), Some(TokenCount::new(100))));
    assert_eq!(messages[3].meta.model.as_deref(), Some("gpt-5"));
    assert_eq!(messages[4].meta.usage, None);
}

#[test]
fn usage_beyond_all_numbers_is_no_overflow() {
    let reply = item(&said("assistant", "x"));
    let bare = record(
        "event_msg",
        r#"{"type":"token_count","info":{"last_token_usage":{"input_tokens":18446744073709551615,"output_tokens":1}}}"#,
    );
    for usage in [tokens(u64::MAX, u64::MAX, u64::MAX), bare] {
        let document = read(&[reply.clone(), usage]);
        let usage = document.context.messages[0].meta.usage.unwrap();
        let cached = usage.cached_input.is_some();
        assert_eq!(usage.input, Some(TokenCount::new(if cached { 0 } else { u64::MAX })));
    }
}

#[test]
fn private_members_are_left_out_and_the_others_keep_their_bytes() {
    let payload = r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"\u00e9"}],"x": 1.50,"metadata":{"turn_id":"t"},"internal_chat_message_metadata_passthrough":{}}"#;
    let document = read(&[item(payload)]);
    let expected =
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"\u00e9"}],"x":1.50}"#;
    assert_eq!(&*document.context.messages[0].raw().unwrap().json, expected);
}

fn two_windows() -> Vec<String> {
    let history =
        [said("developer", "rules"), said("user", "go"), said("user", "So far: all read.")].join(",");
    vec![
        item(&said("developer", "rules")),
        item(&said("user", "go")),
        item(&call("c1")),
        item(&output("c1")),
        tokens(900, 0, 50),
        record(
            "compacted",
            &format!(r#"{{"message":"So far: all read.","replacement_history":[{history}]}}"#),
        ),
        tokens(0, 0, 80),
        item(&said("assistant", "done")),
    ]
}

#[test]
fn a_compaction_replaces_the_history() {
    let document = read(&two_windows());
    assert_eq!(sketch(&document), ["developer:rules", "user:go", "user:So far: all read.", "assistant:done"]);
    let kinds: Vec<Kind> = document.context.messages.iter().map(|message| message.kind()).collect();
    assert_eq!(kinds, [Kind::Plain, Kind::Plain, Kind::Summary, Kind::Plain]);
    let boundary = &document.boundaries[0];
    assert_eq!((boundary.index, boundary.kind.as_str()), (0, "compacted"));
    assert_eq!((boundary.tokens_before, boundary.tokens_after), (Some(950), Some(80)));
    assert_eq!(document.context.messages[3].meta.epoch, 1);
    assert_eq!(document.context.messages[3].meta.usage, None);
}

#[test]
fn the_whole_rollout_replaces_nothing() {
    let document = read_as(Format::Codex, &two_windows().join("\n"), |options| options.whole = true).unwrap();
    assert_eq!(
        sketch(&document),
        ["developer:rules", "user:go", "assistant:>c1", "tool:<c1", "assistant:done"]
    );
    assert_eq!(document.boundaries[0].index, 4);
}

#[test]
fn a_compaction_without_a_history_keeps_what_the_user_said() {
    let document = read(&[
        item(&said("user", "go")),
        item(&call("c1")),
        item(&output("c1")),
        record("compacted", r#"{"message":"the \"gist\""}"#),
        item(&said("assistant", "done")),
        record("compacted", r#"{"message":"more"}"#),
    ]);
    assert_eq!(sketch(&document), ["user:go", "user:more"]);
    assert_eq!(document.context.messages[1].kind(), Kind::Summary);
    assert_eq!(document.boundaries.len(), 2);
}

#[test]
fn an_aborted_turn_is_told_by_the_program() {
    let document = read(&[
        item(&said("user", "go")),
        item(&call("c1")),
        item(&output("c1")),
        item(&said("user", "<turn_aborted> on purpose </turn_aborted>")),
        record("event_msg", r#"{"type":"turn_aborted","reason":"interrupted"}"#),
    ]);
    let last = document.context.messages.last().unwrap();
    assert_eq!((last.role, last.kind(), last.starts_turn()), (Role::User, Kind::Injected, false));
}

#[test]
fn turns_that_were_taken_back_are_gone() {
    let document = read(&[
        item(&said("user", "one")),
        item(&said("assistant", "first")),
        item(&said("user", "two")),
        item(&said("assistant", "second")),
        record("event_msg", r#"{"type":"thread_rolled_back","num_turns":1}"#),
        item(&said("user", "three")),
    ]);
    assert_eq!(sketch(&document), ["user:one", "assistant:first", "user:three"]);
}

#[test]
fn the_oldest_form_has_bare_items() {
    let document = read(&[
        r#"{"id":"s","timestamp":"t","instructions":"Be brief.","git":{}}"#.to_owned(),
        r#"{"record_type":"state"}"#.to_owned(),
        said("user", "go"),
        call("c1"),
        output("c1"),
        said("assistant", "done"),
    ]);
    assert_eq!(sketch(&document), ["user:go", "assistant:>c1", "tool:<c1", "assistant:done"]);
    assert_eq!(document.context.system.as_deref(), Some("Be brief."));
    assert_eq!(document.context.messages[0].meta.source.unwrap().line, Some(3));
}

#[test]
fn a_damaged_line_is_skipped_on_request() {
    let text = [item(&said("user", "go")), "{\"timestamp\":".to_owned(), item(&said("assistant", "done"))]
        .join("\n");
    assert_eq!(read_as(Format::Codex, &text, |_| {}).unwrap_err().line, Some(2));
    let document = read_as(Format::Codex, &text, |options| options.lenient = true).unwrap();
    assert_eq!((document.skipped_lines, sketch(&document).len()), (1, 2));
}

#[test]
fn the_rules_of_the_project_are_pinned() {
    let document =
        read(&[item(&said("user", "# AGENTS.md instructions for /p: use tabs.")), item(&said("user", "go"))]);
    let pins: Vec<Option<Pin>> = document.context.messages.iter().map(|message| message.meta.pin).collect();
    assert_eq!(pins, [Some(Pin::Prefix), None]);
}
