use foldback_model::{CallGraph, Kind, Role, StopReason, TokenCount, WireFormat};

use crate::log::tests::{read_as, sketch};
use crate::{Document, Format, ReadErrorKind, check};

/// A user line; `content` is JSON.
fn user(uuid: &str, parent: &str, content: &str) -> String {
    line("user", uuid, parent, &format!(r#"{{"role":"user","content":{content}}}"#), "")
}

/// A line of the reply `id` with one block.
fn reply(uuid: &str, parent: &str, id: &str, block: &str) -> String {
    let message = format!(r#"{{"role":"assistant","id":"{id}","model":"m","content":[{block}]}}"#);
    line("assistant", uuid, parent, &message, "")
}

fn line(kind: &str, uuid: &str, parent: &str, message: &str, more: &str) -> String {
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    format!(
        r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":{parent},"isSidechain":false,"message":{message}{more}}}"#
    )
}

fn call(id: &str) -> String {
    format!(r#"{{"type":"tool_use","id":"{id}","name":"ls","input":{{"n": 1.50}}}}"#)
}

fn result(id: &str) -> String {
    format!(r#"[{{"tool_use_id":"{id}","type":"tool_result","content":"ok"}}]"#)
}

fn text(text: &str) -> String {
    format!(r#"{{"type":"text","text":"{text}"}}"#)
}

fn read(lines: &[String]) -> Document {
    read_as(Format::ClaudeCode, &lines.join("\n"), |_| {}).unwrap()
}

#[test]
fn parallel_calls_that_fork_the_tree_are_joined() {
    // The conversation goes on from the result of `c1`; that of `c2` stands on a branch.
    let document = read(&[
        user("u1", "", "\"go\""),
        reply("a1", "u1", "m1", &text("so")),
        reply("a2", "a1", "m1", &call("c1")),
        reply("a3", "a2", "m1", &call("c2")),
        user("r2", "a3", &result("c2")),
        user("r1", "a2", &result("c1")),
        reply("a4", "r1", "m2", &text("done")),
    ]);
    assert_eq!(sketch(&document), ["user:go", "assistant:so>c1>c2", "user:<c2<c1", "assistant:done"]);
    assert!(check(WireFormat::Anthropic, &document.context.messages).is_empty());
    let raw = document.context.messages[1].raw().unwrap();
    assert!(raw.json.contains(&call("c1")), "blocks keep their bytes: {}", raw.json);
    let lines: Vec<usize> =
        document.context.messages.iter().filter_map(|message| message.meta.source?.line).collect();
    assert_eq!(lines, [1, 2, 5, 7]);
}

#[test]
fn results_between_the_lines_of_a_reply_follow_it() {
    let document = read(&[
        user("u1", "", "\"go\""),
        reply("a1", "u1", "m1", &call("c1")),
        user("r1", "a1", &result("c1")),
        reply("a2", "r1", "m1", &call("c2")),
        user("r2", "a2", &result("c2")),
    ]);
    assert_eq!(sketch(&document), ["user:go", "assistant:>c1>c2", "user:<c1<c2"]);
}

#[test]
fn an_edited_prompt_leaves_its_branch_behind() {
    let document = read(&[
        user("u1", "", "\"one\""),
        reply("a1", "u1", "m1", &text("first")),
        user("u2", "a1", "\"wrong\""),
        reply("a2", "u2", "m2", &call("c9")),
        user("r9", "a2", &result("c9")),
        user("u3", "a1", "\"right\""),
        reply("a3", "u3", "m3", &text("second")),
    ]);
    assert_eq!(sketch(&document), ["user:one", "assistant:first", "user:right", "assistant:second"]);
}

#[test]
fn records_of_other_types_are_passed_through_and_gaps_bridged() {
    let document = read(&[
        user("u1", "", "\"one\""),
        r#"{"type":"progress","uuid":"p1","parentUuid":"u1","isSidechain":false}"#.to_owned(),
        r#"{"type":"summary","summary":"a title","leafUuid":"x"}"#.to_owned(),
        reply("a1", "p1", "m1", &text("first")),
        user("u2", "nowhere", "\"two\""),
    ]);
    assert_eq!(sketch(&document), ["user:one", "assistant:first", "user:two"]);
}

#[test]
fn parents_in_a_circle_end() {
    let document = read(&[user("u1", "u2", "\"one\""), user("u2", "u1", "\"two\"")]);
    assert_eq!(sketch(&document), ["user:one", "user:two"]);
}

fn compacted() -> Vec<String> {
    let boundary = concat!(
        r#"{"type":"system","subtype":"compact_boundary","uuid":"b1","parentUuid":null,"logicalParentUuid":"a1","#,
        r#""isSidechain":false,"compactMetadata":{"trigger":"auto","preTokens":155000}}"#
    );
    let summary = r#"{"role":"user","content":"This session is being continued"}"#;
    vec![
        user("u1", "", "\"one\""),
        reply("a1", "u1", "m1", &text("first")),
        boundary.to_owned(),
        line("user", "s1", "b1", summary, r#","isCompactSummary":true,"isVisibleInTranscriptOnly":true"#),
        user("u2", "s1", "\"two\""),
    ]
}

#[test]
fn the_context_begins_behind_the_last_compaction() {
    let document = read(&compacted());
    assert_eq!(sketch(&document), ["user:This session is being continued", "user:two"]);
    assert_eq!(document.context.messages[0].kind(), Kind::Summary);
    assert_eq!(document.context.messages[1].meta.epoch, 1);
    let boundary = &document.boundaries[0];
    assert_eq!((boundary.index, boundary.kind.as_str(), boundary.tokens_before), (0, "auto", Some(155_000)));
}

#[test]
fn the_whole_log_goes_on_through_a_compaction() {
    let document =
        read_as(Format::ClaudeCode, &compacted().join("\n"), |options| options.whole = true).unwrap();
    assert_eq!(document.context.messages.len(), 4);
    assert_eq!(document.boundaries[0].index, 2);
    let epochs: Vec<u32> = document.context.messages.iter().map(|message| message.meta.epoch).collect();
    assert_eq!(epochs, [0, 0, 1, 1]);
}

#[test]
fn subagents_are_left_out_unless_the_log_is_theirs() {
    let aside = |line: String| line.replace("\"isSidechain\":false", "\"isSidechain\":true");
    let log = [
        user("u1", "", "\"one\""),
        aside(user("x1", "", "\"look\"")),
        aside(reply("x2", "x1", "m9", &text("seen"))),
    ];
    assert_eq!(sketch(&read(&log)), ["user:one"]);
    assert_eq!(sketch(&read(&log[1..])), ["user:look", "assistant:seen"]);
}

#[test]
fn usage_and_stop_reason_are_those_of_the_last_line() {
    let usage = |output: u32| {
        format!(
            r#"{{"input_tokens":3,"cache_read_input_tokens":10,"cache_creation_input_tokens":5,"output_tokens":{output}}}"#
        )
    };
    let with = |block: &str, output, stop: &str| {
        format!(
            r#"{{"role":"assistant","id":"m1","model":"m","content":[{block}],"stop_reason":{stop},"usage":{}}}"#,
            usage(output)
        )
    };
    let document = read(&[
        user("u1", "", "\"go\""),
        line("assistant", "a1", "u1", &with(&text("a"), 1, "null"), ""),
        line("assistant", "a2", "a1", &with(&text("b"), 40, "\"max_tokens\""), ""),
    ]);
    let meta = &document.context.messages[1].meta;
    let usage = meta.usage.unwrap();
    assert_eq!((usage.prompt(), usage.output), (Some(TokenCount::new(18)), Some(TokenCount::new(40))));
    assert_eq!((meta.stop, meta.id.as_deref()), (Some(StopReason::Length), Some("m1")));
    assert_eq!(document.context.model.as_deref(), Some("m"));
}

#[test]
fn what_the_program_says_is_no_turn() {
    let harness = [
        "<command-name>/clear</command-name>",
        "<local-command-stdout>x</local-command-stdout>",
        "Caveat: The messages below",
        "[Request interrupted by user]",
    ];
    for said in harness {
        let document = read(&[user("u1", "", &format!("[{}]", text(said)))]);
        assert_eq!(document.context.messages[0].kind(), Kind::Injected, "{said}");
    }
    let mixed = format!("[{},{}]", text("<system-reminder>x</system-reminder>"), text("and now?"));
    assert_eq!(read(&[user("u1", "", &mixed)]).context.messages[0].kind(), Kind::Plain);
    let meta = line("user", "u1", "", r#"{"role":"user","content":"expanded"}"#, r#","isMeta":true"#);
    assert_eq!(read(&[meta]).context.messages[0].kind(), Kind::Injected);
}

#[test]
fn blank_texts_and_failed_calls_of_the_api_are_left_out() {
    let document = read(&[
        user("u1", "", "\"go\""),
        reply("a1", "u1", "m1", &text(r"\n\n")),
        reply("a2", "a1", "m1", &text("yes")),
        line(
            "assistant",
            "e1",
            "a2",
            r#"{"role":"assistant","content":[{"type":"text","text":"API Error"}]}"#,
            r#","isApiErrorMessage":true"#,
        ),
        user("u2", "e1", "\"again\""),
    ]);
    assert_eq!(sketch(&document), ["user:go", "assistant:yes", "user:again"]);
    assert_eq!(document.context.messages[1].parts().len(), 1);
}

#[test]
fn a_damaged_line_in_the_middle_is_an_error_unless_reading_is_lenient() {
    let log = [
        user("u1", "", "\"one\""),
        r#"{"type":"user","uuid" oops"#.to_owned(),
        user("u2", "lost", "\"two\""),
    ];
    let text = log.join("\n");
    let error = read_as(Format::ClaudeCode, &text, |_| {}).unwrap_err();
    assert_eq!((error.kind, error.line, error.column), (ReadErrorKind::Syntax, Some(2), Some(23)));
    let document = read_as(Format::ClaudeCode, &text, |options| options.lenient = true).unwrap();
    assert_eq!(document.skipped_lines, 1);
    assert_eq!(sketch(&document), ["user:one", "user:two"]);
}

#[test]
fn a_last_line_that_was_cut_off_is_damaged() {
    let last = reply("a1", "u1", "m1", &text("yes"));
    let text = format!("{}\n{}", user("u1", "", "\"one\""), &last[..last.len() - 9]);
    let error = read_as(Format::ClaudeCode, &text, |_| {}).unwrap_err();
    assert_eq!((error.kind, error.line), (ReadErrorKind::Syntax, Some(2)));
    assert!(error.message.contains("in the middle"), "{error}");
    let document = read_as(Format::ClaudeCode, &text, |options| options.lenient = true).unwrap();
    assert_eq!((document.skipped_lines, sketch(&document).len()), (1, 1));
}

#[test]
fn a_message_of_another_shape_is_damage() {
    let text = [user("u1", "", "\"one\""), user("u2", "u1", "17")].join("\n");
    let error = read_as(Format::ClaudeCode, &text, |_| {}).unwrap_err();
    assert_eq!((error.kind, error.line), (ReadErrorKind::Shape, Some(2)));
    let document = read_as(Format::ClaudeCode, &text, |options| options.lenient = true).unwrap();
    assert_eq!(document.skipped_lines, 1);
}

#[test]
fn a_log_without_messages_is_empty() {
    let document = read(&[r#"{"type":"summary","summary":"a title","leafUuid":"x"}"#.to_owned()]);
    assert!(document.context.messages.is_empty() && document.boundaries.is_empty());
}

#[test]
fn a_call_that_was_never_answered_stays_so() {
    let document =
        read(&[user("u1", "", "\"go\""), reply("a1", "u1", "m1", &call("c1")), user("u2", "a1", "\"stop\"")]);
    let graph = CallGraph::new(&document.context.messages, &[]);
    assert_eq!(graph.dangling().len(), 1);
    assert_eq!(document.context.messages[2].role, Role::User);
}

fn queued(uuid: &str, parent: &str, prompt: &str, more: &str) -> String {
    format!(
        r#"{{"parentUuid":"{parent}","isSidechain":false,"attachment":{{"type":"queued_command","prompt":{prompt}{more}}},"type":"attachment","uuid":"{uuid}"}}"#
    )
}

#[test]
fn what_was_typed_while_the_model_worked_was_said() {
    let picture = r#"[{"type":"text","text":"like this"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQID"}}]"#;
    let document = read(&[
        user("u1", "", "\"go\""),
        reply("a1", "u1", "m1", &call("c1")),
        user("r1", "a1", &result("c1")),
        queued("q1", "r1", "\"and the tests\"", r#","commandMode":"prompt","origin":{"kind":"human"}"#),
        queued("q2", "q1", picture, r#","commandMode":"prompt""#),
        queued("q3", "q2", "\"<task-notification>done</task-notification>\"", r#","commandMode":"task-notification""#),
        queued("q4", "q3", "\"from a peer\"", r#","commandMode":"prompt","origin":{"kind":"peer"}"#),
        queued("q5", "q4", "\"  \"", ""),
        r#"{"parentUuid":"q5","attachment":{"type":"skill_listing","content":"x"},"type":"attachment","uuid":"x1"}"#.to_owned(),
        reply("a2", "x1", "m2", &text("yes")),
    ]);
    assert_eq!(
        sketch(&document),
        [
            "user:go",
            "assistant:>c1",
            "user:<c1",
            "user:and the tests",
            "user:like this",
            "user:<task-notification>done</task-notification>",
            "user:from a peer",
            "assistant:yes"
        ]
    );
    let kinds: Vec<Kind> = document.context.messages[3..7].iter().map(|message| message.kind()).collect();
    assert_eq!(kinds, [Kind::Plain, Kind::Plain, Kind::Injected, Kind::Injected]);
    assert_eq!(document.context.messages[4].parts().len(), 2);
    assert_eq!(document.context.messages[3].meta.id.as_deref(), Some("q1"));
}

/// A log whose compaction kept `a1` and `u2`, told by `metadata`; what follows names `parent`.
fn kept(metadata: &str, parent: &str) -> Vec<String> {
    let boundary = format!(
        r#"{{"type":"system","subtype":"compact_boundary","uuid":"b1","parentUuid":null,"logicalParentUuid":"u2","isSidechain":false,"compactMetadata":{{"trigger":"auto",{metadata}}}}}"#
    );
    let summary = r#"{"role":"user","content":"in short"}"#;
    vec![
        user("u1", "", "\"one\""),
        reply("a1", "u1", "m1", &text("first")),
        user("u2", "a1", "\"two\""),
        boundary,
        line("user", "s1", "b1", summary, r#","isCompactSummary":true"#),
        reply("a2", parent, "m2", &text("second")),
    ]
}

const SEGMENT: &str = r#""preservedSegment":{"headUuid":"a1","anchorUuid":"s1","tailUuid":"u2"}"#;
const LISTED: &str = r#""preservedMessages":{"anchorUuid":"s1","uuids":["a1","u2"],"allUuids":["a1","u2"]}"#;

#[test]
fn what_a_compaction_kept_stands_behind_its_summary() {
    for metadata in [SEGMENT, LISTED] {
        for parent in ["u2", "s1"] {
            let document = read(&kept(metadata, parent));
            let said = sketch(&document);
            assert_eq!(
                said,
                ["user:in short", "assistant:first", "user:two", "assistant:second"],
                "{parent}"
            );
            let epochs: Vec<u32> =
                document.context.messages.iter().map(|message| message.meta.epoch).collect();
            assert_eq!(epochs, [1, 0, 0, 1], "what was kept is older than the compaction");
            assert_eq!(document.boundaries[0].index, 0);
        }
    }
}

#[test]
fn a_compaction_may_keep_the_beginning() {
    let metadata = r#""preservedSegment":{"headUuid":"u1","anchorUuid":"b1","tailUuid":"a1"}"#;
    let document = read(&kept(metadata, "s1"));
    assert_eq!(sketch(&document), ["user:one", "assistant:first", "user:in short", "assistant:second"]);
}

#[test]
fn the_whole_log_says_once_what_a_compaction_kept() {
    for parent in ["u2", "s1"] {
        let text = kept(SEGMENT, parent).join("\n");
        let document = read_as(Format::ClaudeCode, &text, |options| options.whole = true).unwrap();
        let expected = ["user:one", "assistant:first", "user:two", "user:in short", "assistant:second"];
        assert_eq!(sketch(&document), expected, "{parent}");
        assert_eq!(document.boundaries[0].index, 3);
    }
}

#[test]
fn what_a_compaction_tells_of_records_that_are_not_there_is_passed_over() {
    for segment in [
        r#""preservedSegment":{"headUuid":"lost","anchorUuid":"s1","tailUuid":"u2"}"#,
        r#""preservedSegment":{"headUuid":"a2","anchorUuid":"s1","tailUuid":"u2"}"#,
        r#""preservedMessages":{"anchorUuid":"lost","uuids":["a1"]}"#,
        r#""preservedMessages":{"anchorUuid":"s1","uuids":["lost"]}"#,
    ] {
        assert_eq!(sketch(&read(&kept(segment, "s1"))), ["user:in short", "assistant:second"], "{segment}");
    }
}
