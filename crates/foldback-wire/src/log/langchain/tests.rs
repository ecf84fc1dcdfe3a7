use foldback_model::{MediaSource, Part, Role, StopReason, TokenCount, WireFormat};
use serde_json::Value;

use crate::log::tests::{read_as, sketch};
use crate::{Document, Format, ReadErrorKind, check};

fn read(text: &str) -> Document {
    read_as(Format::LangChain, text, |_| {}).unwrap()
}

const FLAT: &str = r#"[
    {"type": "system", "content": "be good"},
    {"type": "human", "content": "go", "id": "h1"},
    {"type": "ai", "content": "", "id": "run-1", "tool_calls": [
        {"name": "ls", "args": {"n": 1.50}, "id": "a", "type": "tool_call"},
        {"name": "ls", "args": {}, "id": "b"}],
     "invalid_tool_calls": [{"name": "ls", "args": "{\"n\": ", "id": "c", "error": "bad"}],
     "additional_kwargs": {"reasoning_content": "hm", "tool_calls": [
        {"id": "a", "function": {"name": "ls", "arguments": "{}"}, "type": "function"}]},
     "response_metadata": {"model_name": "gpt-x", "finish_reason": "tool_calls"},
     "usage_metadata": {"input_tokens": 10, "output_tokens": 2, "input_token_details": {"cache_read": 4}}},
    {"type": "tool", "content": "x", "tool_call_id": "a", "name": "ls", "status": "success"},
    {"type": "tool", "content": [{"type": "text", "text": "no"}], "tool_call_id": "b", "status": "error"},
    {"type": "tool", "content": "bad", "tool_call_id": "c"},
    {"type": "AIMessageChunk", "content": "done", "response_metadata": {"token_usage": {"prompt_tokens": 9}}}
]"#;

#[test]
fn flat_messages() {
    let document = read(FLAT);
    assert_eq!(
        sketch(&document),
        ["system:be good", "user:go", "assistant:>a>b>c", "tool:<a", "tool:<b", "tool:<c", "assistant:done"]
    );
    let reply = &document.context.messages[2];
    assert!(matches!(&reply.parts()[0], Part::Thinking(thinking) if thinking.text == "hm"));
    let arguments: Vec<&str> = reply.calls().map(|call| call.arguments.as_str()).collect();
    assert_eq!(arguments, [r#"{"n":1.50}"#, "{}", "{\"n\": "]);
    assert_eq!((reply.meta.id.as_deref(), reply.meta.stop), (Some("run-1"), Some(StopReason::ToolUse)));
    let usage = reply.meta.usage.unwrap();
    assert_eq!((usage.input, usage.cached_input), (Some(TokenCount::new(6)), Some(TokenCount::new(4))));
    assert_eq!(usage.cache_write, None);
    assert_eq!(document.context.model.as_deref(), Some("gpt-x"));
    assert!(document.context.messages[4].results().all(|result| result.is_error));
    assert_eq!(document.context.messages[6].meta.usage.unwrap().input, Some(TokenCount::new(9)));
}

#[test]
fn a_conversation_is_written_as_a_valid_request_of_chat() {
    let document = read(FLAT);
    let written = document.write(&document.context);
    let request: Value = serde_json::from_str(&written.json).unwrap();
    assert_eq!(request["messages"][2]["tool_calls"][1]["id"], "b");
    assert_eq!(request["messages"][4]["content"], "Error: no");
    assert_eq!(written.lost.iter().map(|lost| lost.what.as_str()).collect::<Vec<_>>(), ["reasoning"]);
    let again = crate::read(written.json.as_bytes(), &crate::ReadOptions::default()).unwrap();
    assert_eq!(again.format, Format::Wire(WireFormat::OpenAiChat));
    assert_eq!(check(WireFormat::OpenAiChat, &again.context.messages), []);
}

#[test]
fn the_other_ways_to_write_a_message_say_the_same() {
    let data = read(
        r#"{"messages": [{"type": "human", "data": {"content": "go", "type": "human", "id": "h"}},
            {"type": "ai", "data": {"content": "yes", "tool_calls": [{"name": "f", "args": {}, "id": "a"}]}}],
            "other": 1}"#,
    );
    let constructors = read(
        r#"[{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"],
             "kwargs": {"content": "go", "id": "h"}},
            {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", "AIMessageChunk"],
             "kwargs": {"content": "yes", "tool_calls": [{"name": "f", "args": {}, "id": "a"}]}}]"#,
    );
    assert_eq!(sketch(&data), ["user:go", "assistant:yes>a"]);
    assert_eq!(sketch(&constructors), sketch(&data));
    assert_eq!(constructors.context.messages[0].meta.id.as_deref(), Some("h"));
}

#[test]
fn a_call_that_is_a_block_too_is_one_call() {
    let document = read(
        r#"[{"type": "ai", "content": [
              {"type": "thinking", "thinking": "hm", "signature": "s"},
              {"type": "text", "text": "so"},
              {"type": "tool_use", "id": "a", "name": "ls", "input": {}, "partial_json": "{\"n\": 1}"},
              {"type": "tool_call", "id": "b", "name": "ls", "args": {"k": 2}}],
             "tool_calls": [{"name": "ls", "args": {"n": 1}, "id": "a"}, {"name": "ls", "args": {"k": 2}, "id": "b"}]}]"#,
    );
    assert_eq!(sketch(&document), ["assistant:so>a>b"]);
    let arguments: Vec<&str> =
        document.context.messages[0].calls().map(|call| call.arguments.as_str()).collect();
    assert_eq!(arguments, [r#"{"n":1}"#, r#"{"k":2}"#]);
}

#[test]
fn blocks_of_every_style() {
    let document = read(
        r#"[{"type": "human", "content": ["bare",
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AQID"}},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AQID"}},
            {"type": "image", "source_type": "base64", "mime_type": "image/png", "data": "AQID"},
            {"type": "image", "base64": "AQID", "mime_type": "image/png"},
            {"type": "image", "url": "https://x/y.png"},
            {"type": "file", "file_id": "f"},
            {"type": "reasoning", "reasoning": "hm"},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "sum"}]},
            {"type": "reasoning_content", "reasoning_content": {"text": "t", "signature": "s"}},
            {"type": "non_standard", "value": {"x": "y"}}, {"type": "text"}]}]"#,
    );
    let parts = document.context.messages[0].parts();
    let base64 = MediaSource::Base64("AQID".to_owned());
    for part in &parts[1..5] {
        assert!(matches!(part, Part::Image(media) if media.source == base64), "{part:?}");
    }
    assert!(
        matches!(&parts[5], Part::Image(media) if media.source == MediaSource::Url("https://x/y.png".into()))
    );
    assert!(matches!(&parts[6], Part::Document(media) if media.source == MediaSource::FileId("f".into())));
    let thoughts: Vec<&str> = parts[7..10]
        .iter()
        .filter_map(|part| match part {
            Part::Thinking(thinking) => Some(thinking.text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(thoughts, ["hm", "sum", "t"]);
    assert!(matches!(&parts[10..], [Part::Opaque(_), Part::Opaque(_)]), "{:?}", &parts[10..]);
}

#[test]
fn older_calls_and_roles() {
    let document = read(
        r#"[{"type": "system", "content": "s", "additional_kwargs": {"__openai_role__": "developer"}},
            {"type": "chat", "role": "user", "content": "go"},
            {"role": "user", "content": "of OpenAI"},
            {"type": "ai", "content": "", "additional_kwargs": {"function_call": {"name": "f", "arguments": "{}"}}},
            {"type": "function", "name": "f", "content": "ok"},
            {"type": "ai", "content": "", "additional_kwargs": {"tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "g", "arguments": "{\"x\":1}"}}]}}]"#,
    );
    assert_eq!(
        sketch(&document),
        ["developer:s", "user:go", "user:of OpenAI", "assistant:>f", "tool:<f", "assistant:>a"]
    );
    assert_eq!(document.context.messages[0].role, Role::Developer);
    assert!(document.context.messages[2].raw().is_none());
}

#[test]
fn removed_messages_are_gone() {
    let document = read(
        r#"[{"type": "human", "content": "one", "id": "1"}, {"type": "human", "content": "two", "id": "2"},
            {"type": "remove", "content": "", "id": "1"}]"#,
    );
    assert_eq!(sketch(&document), ["user:two"]);
    let document = read(
        r#"[{"type": "human", "content": "one", "id": "1"}, {"type": "remove", "id": "__remove_all__"},
            {"type": "human", "content": "three"}]"#,
    );
    assert_eq!(sketch(&document), ["user:three"]);
}

#[test]
fn what_has_another_shape_is_placed() {
    let check = |text: &str, line: usize, message: &str| {
        let error = read_as(Format::LangChain, text, |_| {}).unwrap_err();
        assert_eq!((error.kind, error.line), (ReadErrorKind::Shape, Some(line)), "{error}");
        assert!(error.message.contains(message), "{error}");
    };
    check("[{\"type\": \"human\", \"content\": \"hi\"},\n {\"type\": \"martian\"}]", 2, "`messages[1].type`");
    check("{\"messages\": [\n{\"type\": \"ai\", \"content\": 3}]}", 2, "`messages[0].content`");
    check("[3]", 1, "no object");
}
