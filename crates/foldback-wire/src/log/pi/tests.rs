use foldback_model::{Kind, Part, Role, StopReason, Summary, TokenCount};

use crate::log::tests::{read_as, sketch};
use crate::{Document, Format};

fn message(head: &str, message: &str) -> String {
    format!(r#"{{"type":"message",{head}"message":{message}}}"#)
}

fn user(head: &str, text: &str) -> String {
    message(head, &format!(r#"{{"role":"user","content":[{{"type":"text","text":"{text}"}}]}}"#))
}

fn reply(head: &str, blocks: &str, stop: &str) -> String {
    let usage = r#"{"input":5,"output":7,"cacheRead":11,"cacheWrite":0}"#;
    message(
        head,
        &format!(
            r#"{{"role":"assistant","content":[{blocks}],"model":"m","usage":{usage},"stopReason":"{stop}"}}"#
        ),
    )
}

fn text(text: &str) -> String {
    format!(r#"{{"type":"text","text":"{text}"}}"#)
}

fn at(id: &str, parent: &str) -> String {
    if parent.is_empty() {
        format!(r#""id":"{id}","parentId":null,"#)
    } else {
        format!(r#""id":"{id}","parentId":"{parent}","#)
    }
}

const HEAD: &str = r#"{"type":"session","id":"s","modelId":"m0"}"#;

fn read(lines: &[String]) -> Document {
    read_as(Format::Pi, &lines.join("\n"), |_| {}).unwrap()
}

#[test]
fn every_kind_of_message_is_read() {
    let call = r#"{"type":"toolCall","id":"c1","name":"read","arguments":{"path": "a"}}"#;
    let thinking = r#"{"type":"thinking","thinking":"hm","thinkingSignature":"sig"}"#;
    let result = r#"{"role":"toolResult","toolCallId":"c1","toolName":"read","isError":true,"content":[{"type":"text","text":"no"},{"type":"image","data":"aGk=","mimeType":"image/png"}]}"#;
    let ran = r#"{"role":"bashExecution","command":"ls","output":"a.txt","exitCode":1}"#;
    let document = read(&[
        HEAD.to_owned(),
        user("", "go"),
        reply("", &format!("{thinking},{call}"), "toolUse"),
        message("", result),
        message("", ran),
        reply("", "", "aborted"),
        reply("", &text("done"), "stop"),
    ]);
    let messages = &document.context.messages;
    assert_eq!(messages.len(), 5, "an empty reply was never sent");
    let Part::Thinking(thinking) = &messages[1].parts()[0] else { panic!("{:?}", messages[1]) };
    assert_eq!((thinking.text.as_str(), thinking.signature.as_deref()), ("hm", Some("sig")));
    assert_eq!(messages[1].calls().next().unwrap().arguments, r#"{"path": "a"}"#);
    assert_eq!(messages[1].meta.stop, Some(StopReason::ToolUse));
    assert_eq!(messages[1].meta.usage.unwrap().prompt(), Some(TokenCount::new(16)));
    let result = messages[2].results().next().unwrap();
    assert_eq!((result.name.as_deref(), result.is_error, result.content.len()), (Some("read"), true, 2));
    assert_eq!(messages[2].role, Role::Tool);
    assert_eq!(messages[3].text(), "Ran `ls`\n```\na.txt\n```\n\nCommand exited with code 1");
    assert_eq!(messages[3].kind(), Kind::Injected);
    assert_eq!(document.context.model.as_deref(), Some("m"));
    assert!(messages.iter().all(|message| message.raw().is_none()));
}

fn list() -> Vec<String> {
    vec![
        HEAD.to_owned(),
        user("", "one"),
        reply("", &text("first"), "stop"),
        user("", "two"),
        r#"{"type":"compaction","summary":"the gist","firstKeptEntryIndex":3,"tokensBefore":900}"#.to_owned(),
        reply("", &text("second"), "stop"),
    ]
}

#[test]
fn a_compaction_of_the_list_form_counts_the_entries_of_the_file() {
    let document = read(&list());
    let summary = Summary::new("the gist").projection().unwrap();
    assert_eq!(sketch(&document), [format!("user:{summary}"), "user:two".into(), "assistant:second".into()]);
    let messages = &document.context.messages;
    assert_eq!(messages[0].meta.kind, Kind::Summary);
    let epochs: Vec<u32> = messages.iter().map(|message| message.meta.epoch).collect();
    assert_eq!(epochs, [1, 0, 1]);
    assert_eq!((document.boundaries[0].index, document.boundaries[0].tokens_before), (2, Some(900)));
    assert_eq!(messages[1].meta.source.unwrap().line, Some(4));
}

#[test]
fn the_whole_session_keeps_all() {
    let document = read_as(Format::Pi, &list().join("\n"), |options| options.whole = true).unwrap();
    assert_eq!(sketch(&document), ["user:one", "assistant:first", "user:two", "assistant:second"]);
    assert_eq!(document.boundaries[0].index, 3);
}

#[test]
fn the_tree_form_follows_parents_and_compactions() {
    let compaction = |id: &str, parent: &str, summary: &str, kept: &str| {
        format!(
            r#"{{"type":"compaction",{}"summary":"{summary}","firstKeptEntryId":"{kept}","tokensBefore":9}}"#,
            at(id, parent)
        )
    };
    let document = read(&[
        HEAD.to_owned(),
        user(&at("1", ""), "one"),
        reply(&at("2", "1"), &text("first"), "stop"),
        user(&at("3", "2"), "wrong"),
        user(&at("4", "2"), "right"),
        compaction("5", "4", "old", "2"),
        reply(&at("6", "5"), &text("second"), "stop"),
        compaction("7", "6", "new", "4"),
        user(&at("8", "7"), "three"),
    ]);
    let summary = Summary::new("new").projection().unwrap();
    assert_eq!(
        sketch(&document),
        [format!("user:{summary}"), "user:right".into(), "assistant:second".into(), "user:three".into()]
    );
    let indices: Vec<usize> = document.boundaries.iter().map(|boundary| boundary.index).collect();
    assert_eq!(indices, [2, 3]);
}

#[test]
fn what_extensions_and_branches_say_starts_no_turn() {
    let document = read(&[
        HEAD.to_owned(),
        user(&at("1", ""), "one"),
        format!(
            r#"{{"type":"custom_message",{}"customType":"x","content":"note","display":true}}"#,
            at("2", "1")
        ),
        format!(r#"{{"type":"branch_summary",{}"fromId":"9","summary":"tried"}}"#, at("3", "2")),
        format!(r#"{{"type":"custom",{}"customType":"x","data":{{}}}}"#, at("4", "3")),
        user(&at("5", "4"), "two"),
    ]);
    let kinds: Vec<Kind> = document.context.messages.iter().map(|message| message.kind()).collect();
    assert_eq!(kinds, [Kind::Plain, Kind::Injected, Kind::Injected, Kind::Plain]);
}

#[test]
fn a_damaged_line_counts_among_the_entries() {
    let mut log = list();
    log[2] = r#"{"type":"message","message":{"role""#.to_owned();
    let text = log.join("\n");
    assert_eq!(read_as(Format::Pi, &text, |_| {}).unwrap_err().line, Some(3));
    let document = read_as(Format::Pi, &text, |options| options.lenient = true).unwrap();
    assert_eq!(document.skipped_lines, 1);
    assert_eq!(sketch(&document)[1..], ["user:two", "assistant:second"]);
}
