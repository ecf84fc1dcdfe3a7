use foldback_model::{Kind, StopReason, TokenCount, WireFormat};

use crate::log::tests::{read_as, sketch};
use crate::{Document, Format, ReadErrorKind, check};

fn read(text: &str) -> Document {
    read_as(Format::SweAgent, text, |_| {}).unwrap()
}

const HISTORY: &str = r#"{"environment": "main", "info": {}, "trajectory": [{"action": "x"}],
  "replay_config": "{\"agent\":{\"model\":{\"name\":\"m\"}}}",
  "history": [
    {"role": "system", "content": "be good", "agent": "main", "message_type": "system_prompt"},
    {"role": "user", "content": "see here", "agent": "main", "is_demo": true, "message_type": "demonstration"},
    {"role": "user", "content": [{"type": "text", "text": "go"}], "agent": "main", "message_type": "observation"},
    {"role": "assistant", "content": "so", "thought": "so", "action": "ls", "agent": "main",
     "tool_calls": [{"id": "a", "type": "function", "function": {"name": "ls", "arguments": "{}"}}]},
    {"role": "assistant", "content": "aside", "agent": "helper"},
    {"role": "tool", "content": "x", "agent": "main", "tool_call_ids": ["a"], "message_type": "observation"}
  ]}"#;

#[test]
fn a_history() {
    let document = read(HISTORY);
    let expected = ["system:be good", "user:see here", "user:go", "assistant:so>a", "tool:<a"];
    assert_eq!(sketch(&document), expected);
    let kinds: Vec<Kind> = document.context.messages.iter().map(|message| message.kind()).collect();
    assert_eq!(kinds, [Kind::Plain, Kind::Injected, Kind::Plain, Kind::Plain, Kind::Plain]);
    assert_eq!(document.context.messages[4].results().next().unwrap().text(), "x");
    assert_eq!(document.context.model.as_deref(), Some("m"));
    let written = document.write(&document.context);
    let again = crate::read(written.json.as_bytes(), &crate::ReadOptions::default()).unwrap();
    assert_eq!(again.format, Format::Wire(WireFormat::OpenAiChat));
    assert_eq!(sketch(&again), expected);
    assert_eq!(check(WireFormat::OpenAiChat, &again.context.messages), []);
}

#[test]
fn an_entry_that_answers_several_calls_says_it_once() {
    let document = read(
        r#"{"history": [{"role": "tool", "content": "x", "agent": "main", "tool_call_ids": ["a", "b"]}]}"#,
    );
    let texts: Vec<String> = document.context.messages[0].results().map(|result| result.text()).collect();
    assert_eq!(
        (sketch(&document), texts),
        (vec!["tool:<a<b".to_owned()], vec!["x".to_owned(), String::new()])
    );
}

#[test]
fn steps_without_a_history() {
    let steps = r#"{"trajectory": [
        {"action": "ls", "thought": "look", "response": "look\nls", "observation": "x"},
        {"action": "pwd", "thought": "where", "observation": ""}], "info": {}}"#;
    assert_eq!(sketch(&read(steps)), ["assistant:look\nls", "user:x", "assistant:where\n\npwd"]);
    assert_eq!(read(steps).context.messages[1].kind(), Kind::Injected);
    let sent = r#"{"history": [], "trajectory": [
        {"response": "one", "observation": "1", "query": [{"role": "user", "content": "go"}]},
        {"response": "two", "observation": "2", "query": [{"role": "user", "content": "go"},
            {"role": "assistant", "content": "one"}, {"role": "user", "content": "1"}]}]}"#;
    assert_eq!(sketch(&read(sent)), ["user:go", "assistant:one", "user:1", "assistant:two", "user:2"]);
}

#[test]
fn messages_of_mini_swe_agent() {
    let document = read(
        r#"{"trajectory_format": "mini-swe-agent-1.1", "info": {"exit_status": "Submitted",
             "config": {"model": {"model_name": "m"}}},
            "messages": [
              {"role": "user", "content": "go", "extra": {"timestamp": 1}},
              {"role": "assistant", "content": "ls", "extra": {"response": {"model": "m-2",
                 "choices": [{"finish_reason": "length"}], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}}},
              {"role": "exit", "content": "the patch"}]}"#,
    );
    assert_eq!(sketch(&document), ["user:go", "assistant:ls"]);
    let meta = &document.context.messages[1].meta;
    assert_eq!((meta.model.as_deref(), meta.stop), (Some("m-2"), Some(StopReason::Length)));
    assert_eq!(meta.usage.unwrap().input, Some(TokenCount::new(5)));
    assert_eq!(sketch(&read(r#"[{"role": "user", "content": "go"}]"#)), ["user:go"]);
}

#[test]
fn what_has_another_shape_is_placed() {
    let text = "{\"history\": [\n{\"role\": \"user\", \"content\": \"hi\"},\n{\"role\": \"martian\"}]}";
    let error = read_as(Format::SweAgent, text, |_| {}).unwrap_err();
    assert_eq!((error.kind, error.line), (ReadErrorKind::Shape, Some(3)));
    assert!(error.message.contains("`history[1].role`"), "{error}");
    let error = read_as(Format::SweAgent, "{\"trajectory\": [\n3]}", |_| {}).unwrap_err();
    assert_eq!((error.kind, error.line), (ReadErrorKind::Shape, Some(2)));
    assert!(read("{\"history\": [], \"trajectory\": []}").context.messages.is_empty());
}

#[test]
fn what_came_of_an_action_starts_no_turn() {
    let kinds = |history: &str| -> Vec<Kind> {
        let document = read(&format!(r#"{{"history": [{history}]}}"#));
        document.context.messages.iter().map(|message| message.kind()).collect()
    };
    let history = r#"{"role": "user", "content": "demo", "agent": "m", "is_demo": true},
        {"role": "assistant", "content": "demo", "agent": "m", "is_demo": true},
        {"role": "user", "content": "go", "agent": "m"}, {"role": "assistant", "content": "ls", "agent": "m"},
        {"role": "user", "content": "x", "agent": "m"}"#;
    use Kind::{Injected, Plain};
    assert_eq!(kinds(history), [Injected, Injected, Plain, Plain, Injected]);
    assert_eq!(kinds(&history.replace(r#""agent""#, r#""name""#)), [Injected, Injected, Plain, Plain, Plain]);
}
