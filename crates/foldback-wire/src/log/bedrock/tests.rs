use foldback_model::{MediaSource, Part, WireFormat};
use serde_json::Value;

use crate::log::tests::{read_as, sketch};
use crate::{Document, Format, ReadErrorKind, check};

fn read(text: &str) -> Document {
    read_as(Format::Bedrock, text, |_| {}).unwrap()
}

/// The parts of one user message with the block `block`.
fn parts(block: &str) -> Vec<Part> {
    let text = format!(r#"[{{"role":"user","content":[{block}]}}]"#);
    read(&text).context.messages[0].parts().to_vec()
}

const REQUEST: &str = r#"{
    "modelId": "m", "system": [{"text": "be good"}, {"cachePoint": {"type": "default"}}, {"text": "and short"}],
    "inferenceConfig": {"maxTokens": 300},
    "toolConfig": {"tools": [{"toolSpec": {"name": "ls", "description": "lists",
        "inputSchema": {"json": {"type": "object"}}}}, {"cachePoint": {"type": "default"}}]},
    "messages": [
        {"role": "user", "content": [{"text": "go"}, {"cachePoint": {"type": "default"}}]},
        {"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}},
            {"reasoningContent": {"redactedContent": "c2VhbGVk"}},
            {"text": "so"},
            {"toolUse": {"toolUseId": "a", "name": "ls", "input": {"n": 1.50}}},
            {"toolUse": {"toolUseId": "b", "name": "ls", "input": {}}}]},
        {"role": "user", "content": [
            {"toolResult": {"toolUseId": "a", "content": [{"text": "x"}, {"json": {"k": [1, 2]}}]}},
            {"toolResult": {"toolUseId": "b", "content": [{"text": "no"}], "status": "error"}}]}
    ]}"#;

#[test]
fn a_request_is_read_with_its_head() {
    let document = read(REQUEST);
    assert_eq!(sketch(&document), ["user:go", "assistant:so>a>b", "user:<a<b"]);
    let context = &document.context;
    assert_eq!(context.system.as_deref(), Some("be good\n\nand short"));
    assert_eq!(context.model.as_deref(), Some("m"));
    assert_eq!(
        (context.tools[0].name.as_str(), context.tools[0].schema.as_str()),
        ("ls", r#"{"type":"object"}"#)
    );
    assert_eq!(context.tools.len(), 1);
    let [Part::Thinking(open), Part::Thinking(sealed), _, Part::ToolCall(call), _] =
        context.messages[1].parts()
    else {
        panic!("{:?}", context.messages[1])
    };
    assert_eq!((open.text.as_str(), open.signature.as_deref()), ("hm", Some("sig")));
    assert!(sealed.sealed);
    assert_eq!(call.arguments, r#"{"n":1.50}"#);
    let results: Vec<(String, bool)> =
        context.messages[2].results().map(|result| (result.text(), result.is_error)).collect();
    assert_eq!(results, [("x\n{\"k\":[1,2]}".to_owned(), false), ("no".to_owned(), true)]);
    let marks: Vec<bool> = context.messages.iter().map(|message| message.meta.cache_marker).collect();
    assert_eq!(marks, [true, false, false]);
    let sources: Vec<_> = context.messages.iter().filter_map(|message| message.meta.source).collect();
    assert_eq!(
        sources.iter().map(|source| (source.index, source.line)).collect::<Vec<_>>(),
        [(0, None), (1, None), (2, None)]
    );
}

#[test]
fn it_is_written_as_a_valid_request_of_anthropic() {
    let document = read(REQUEST);
    let written = document.write(&document.context);
    let request: Value = serde_json::from_str(&written.json).unwrap();
    assert_eq!(request["max_tokens"], 300);
    assert_eq!(request["system"], "be good\n\nand short");
    assert_eq!(request["messages"][1]["content"][1]["type"], "tool_use");
    assert_eq!(request["messages"][2]["content"][1]["is_error"], true);
    let lost: Vec<&str> = written.lost.iter().map(|lost| lost.what.as_str()).collect();
    assert_eq!(lost, ["reasoning", "reasoning"]);
    let again = crate::read(written.json.as_bytes(), &crate::ReadOptions::default()).unwrap();
    assert_eq!(again.format, Format::Wire(WireFormat::Anthropic));
    assert_eq!(check(WireFormat::Anthropic, &again.context.messages), []);
}

#[test]
fn bytes_in_any_notation_become_base64() {
    for bytes in
        [r#""AQID""#, r#"{"type": "Buffer", "data": [1, 2, 3]}"#, "[1, 2, 3]", r#"{"0": 1, "1": 2, "2": 3}"#]
    {
        let parts = parts(&format!(r#"{{"image": {{"format": "png", "source": {{"bytes": {bytes}}}}}}}"#));
        let [Part::Image(media)] = parts.as_slice() else { panic!("{bytes}: {parts:?}") };
        assert_eq!(media.source, MediaSource::Base64("AQID".to_owned()), "{bytes}");
        assert_eq!(media.media_type.as_deref(), Some("image/png"));
    }
    let parts = parts(r#"{"image": {"format": "png", "source": {"bytes": [1, 256]}}}"#);
    assert!(matches!(parts.as_slice(), [Part::Opaque(_)]), "256 is no byte: {parts:?}");
}

#[test]
fn documents_and_what_only_amazon_can_fetch() {
    let parts1 = parts(r#"{"document": {"format": "pdf", "name": "n", "source": {"bytes": "AQID"}}}"#);
    let [Part::Document(media)] = parts1.as_slice() else { panic!("{parts1:?}") };
    assert_eq!((media.media_type.as_deref(), media.name.as_deref()), (Some("application/pdf"), Some("n")));
    let text = r#"[{"role":"user","content":[{"image":{"format":"png","source":{"s3Location":{"uri":"s3://a/b"}}}}]}]"#;
    let document = read(text);
    let written = document.write(&document.context);
    assert!(written.json.contains("[image]") && !written.json.contains("s3:"), "{}", written.json);
    assert_eq!(written.lost.len(), 1);
}

#[test]
fn blocks_that_are_not_known_are_carried() {
    let parts = parts(
        r#"{"video": {"format": "mp4"}}, {"guardContent": {"text": {"text": "careful"}}}, {"later": {"a": "b"}}, 3"#,
    );
    let [Part::Opaque(video), Part::Text(guarded), Part::Opaque(later), Part::Opaque(number)] =
        parts.as_slice()
    else {
        panic!("{parts:?}")
    };
    assert_eq!((video.kind.as_str(), guarded.as_str(), later.text.as_str()), ("video", "careful", "b"));
    assert_eq!(&*number.json, "3");
}

#[test]
fn what_has_another_shape_is_placed() {
    let check = |text: &str, line: usize, message: &str| {
        let error = read_as(Format::Bedrock, text, |_| {}).unwrap_err();
        assert_eq!((error.kind, error.line), (ReadErrorKind::Shape, Some(line)), "{error}");
        assert!(error.message.contains(message), "{error}");
    };
    check("{\"messages\": [\n{\"role\": \"user\", \"content\": \"hi\"}]}", 2, "`messages[0].content`");
    check("[{\"role\": \"user\", \"content\": []},\n\n{\"role\": \"tool\"}]", 3, "unknown role `tool`");
    check("[{\"content\": []}]", 1, "without a role");
    let error = read_as(Format::Bedrock, "[{\"role\": ", |_| {}).unwrap_err();
    assert_eq!(error.kind, ReadErrorKind::Syntax);
}
