use foldback_model::{Media, MediaSource, Message, Part, Role, Thinking, ToolCall, ToolResult, WireFormat};

use super::{decode_message, link};

const CHAT: WireFormat = WireFormat::OpenAiChat;
const RESPONSES: WireFormat = WireFormat::OpenAiResponses;
const ANTHROPIC: WireFormat = WireFormat::Anthropic;
const GEMINI: WireFormat = WireFormat::Gemini;

fn decode(wire: WireFormat, json: &str) -> Message {
    let message = decode_message(wire, json).unwrap();
    let raw = message.raw().unwrap();
    assert_eq!((raw.wire, &*raw.json), (wire, json));
    message
}

fn linked(wire: WireFormat, elements: &[&str]) -> Vec<Message> {
    let mut messages: Vec<Message> = elements.iter().map(|json| decode(wire, json)).collect();
    link(wire, &mut messages);
    for (message, json) in messages.iter().zip(elements) {
        assert_eq!(&*message.raw().unwrap().json, *json, "linking keeps the JSON");
    }
    messages
}

fn check(wire: WireFormat, json: &str, role: Role, parts: &[Part]) {
    let message = decode(wire, json);
    assert_eq!((message.role, message.parts()), (role, parts), "{json}");
}

fn check_opaque(wire: WireFormat, json: &str, kind: &str, text: &str) {
    match decode(wire, json).parts() {
        [Part::Opaque(opaque)] => assert_eq!((&*opaque.kind, &*opaque.text), (kind, text), "{json}"),
        parts => panic!("{json}: {parts:?}"),
    }
}

fn check_error(wire: WireFormat, json: &str, path: &str) {
    let error = decode_message(wire, json).unwrap_err();
    assert_eq!(error.path, path, "{json}: {error:?}");
}

fn text(text: &str) -> Part {
    Part::text(text)
}

fn call(id: &str, name: &str, arguments: &str) -> Part {
    Part::ToolCall(ToolCall::new(id, name, arguments))
}

fn result(id: &str, name: Option<&str>, content: &[Part]) -> Part {
    let mut result = ToolResult::new(id, "");
    result.name = name.map(str::to_owned);
    result.content = content.to_vec();
    Part::ToolResult(result)
}

fn png() -> Media {
    Media::new(Some("image/png".to_owned()), MediaSource::Base64("AAAA".to_owned()))
}

#[test]
fn chat_messages() {
    check(CHAT, r#"{"role": "developer", "content": "s"}"#, Role::Developer, &[text("s")]);
    check(CHAT, r#"{"role": "assistant", "content": null}"#, Role::Assistant, &[]);
    check(
        CHAT,
        r#"{"role": "user", "content": [{"type": "text", "text": "a"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]}"#,
        Role::User,
        &[text("a"), Part::Image(png())],
    );
    check(
        CHAT,
        r#"{"role": "assistant", "reasoning_content": "hm", "content": "a", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"n\": 1}"}},
            {"id": "c2", "type": "custom", "custom": {"name": "g", "input": "free text"}}]}"#,
        Role::Assistant,
        &[
            Part::Thinking(Thinking::new("hm")),
            text("a"),
            call("c1", "f", r#"{"n": 1}"#),
            call("c2", "g", "free text"),
        ],
    );
    check(
        CHAT,
        r#"{"role": "tool", "tool_call_id": "c1", "content": "ok"}"#,
        Role::Tool,
        &[result("c1", None, &[text("ok")])],
    );
    check_opaque(CHAT, r#"{"role": "user", "content": [{"type": "video", "words": "w"}]}"#, "video", "w");
}

#[test]
fn the_older_calls_of_chat_pair_by_name() {
    let messages = linked(
        CHAT,
        &[
            r#"{"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}}"#,
            r#"{"role": "function", "name": "f", "content": "ok"}"#,
        ],
    );
    assert_eq!(messages[0].parts(), [call("f", "f", "{}")]);
    assert_eq!(messages[1].parts(), [result("f", Some("f"), &[text("ok")])]);
}

#[test]
fn responses_items() {
    check(RESPONSES, r#"{"role": "user", "content": "hi"}"#, Role::User, &[text("hi")]);
    check(
        RESPONSES,
        r#"{"type": "message", "role": "assistant", "id": "m", "content": [{"type": "output_text", "text": "a"},
            {"type": "refusal", "refusal": "no"}]}"#,
        Role::Assistant,
        &[text("a"), text("no")],
    );
    check(
        RESPONSES,
        r#"{"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": "{}"}"#,
        Role::Assistant,
        &[call("c", "f", "{}")],
    );
    check(
        RESPONSES,
        r#"{"type": "local_shell_call", "call_id": "c", "action": {"command": ["ls"]}}"#,
        Role::Assistant,
        &[call("c", "local_shell", r#"{"command":["ls"]}"#)],
    );
    check(
        RESPONSES,
        r#"{"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "ok"},
            {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]}"#,
        Role::Tool,
        &[result("c", None, &[text("ok"), Part::Image(png())])],
    );
    check(
        RESPONSES,
        r#"{"type": "shell_call_output", "call_id": "c", "output": [{"stdout": "out", "stderr": ""}]}"#,
        Role::Tool,
        &[result("c", None, &[text("out")])],
    );
    check(
        RESPONSES,
        r#"{"type": "computer_call_output", "call_id": "c",
            "output": {"type": "computer_screenshot", "image_url": "data:image/png;base64,AAAA"}}"#,
        Role::Tool,
        &[result("c", None, &[Part::Image(png())])],
    );
}

#[test]
fn what_the_server_ran_itself_is_opaque() {
    check_opaque(
        RESPONSES,
        r#"{"type": "web_search_call", "action": {"query": "q"}}"#,
        "web_search_call",
        "q",
    );
    for kind in ["tool_search_call", "tool_search_output"] {
        let item = format!(r#"{{"type": "{kind}", "call_id": "c", "execution": "server", "id": "x"}}"#);
        check_opaque(RESPONSES, &item, kind, "server");
    }
    check_opaque(RESPONSES, r#"{"type": "compaction", "encrypted_content": "zzz"}"#, "compaction", "");
    check_opaque(RESPONSES, r#"{"type": "something_new", "words": "w"}"#, "something_new", "w");
}

#[test]
fn reasoning_is_readable_or_sealed() {
    let sealed =
        decode(RESPONSES, r#"{"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "z"}"#);
    assert_eq!(sealed.parts(), [Part::Thinking(Thinking::sealed("z"))]);
    assert_eq!(sealed.meta.id.as_deref(), Some("rs"));
    let shown = r#"{"type": "reasoning", "summary": [{"type": "summary_text", "text": "a"}],
        "content": [{"type": "reasoning_text", "text": "b"}]}"#;
    check(RESPONSES, shown, Role::Assistant, &[Part::Thinking(Thinking::new("a\nb"))]);
}

#[test]
fn items_of_one_reply_are_bound() {
    let messages = linked(
        RESPONSES,
        &[
            r#"{"role": "user", "content": "hi"}"#,
            r#"{"type": "reasoning", "summary": []}"#,
            r#"{"type": "web_search_call"}"#,
            r#"{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}"#,
            r#"{"type": "function_call_output", "call_id": "c", "output": "ok"}"#,
            r#"{"role": "assistant", "content": "done"}"#,
        ],
    );
    let bound: Vec<bool> = messages.iter().map(|message| message.meta.binds_next).collect();
    assert_eq!(bound, [false, true, true, false, false, false]);
}

#[test]
fn anthropic_messages() {
    check(ANTHROPIC, r#"{"role": "user", "content": "hi"}"#, Role::User, &[text("hi")]);
    check(ANTHROPIC, r#"{"role": "system", "content": "s"}"#, Role::System, &[text("s")]);
    check(
        ANTHROPIC,
        r#"{"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "redacted_thinking", "data": "d"},
            {"type": "tool_use", "id": "t", "name": "f", "input": { "n": 1 }}]}"#,
        Role::Assistant,
        &[
            Part::Thinking(Thinking::new("hm").signed("s")),
            Part::Thinking(Thinking::sealed("d")),
            call("t", "f", r#"{"n":1}"#),
        ],
    );
    let mut failed = ToolResult::new("t", "bad").failed();
    failed.content.push(Part::Image(png()));
    check(
        ANTHROPIC,
        r#"{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": [
            {"type": "text", "text": "bad"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}]},
            {"type": "tool_result", "tool_use_id": "u"}, {"type": "text", "text": "so"}]}"#,
        Role::User,
        &[Part::ToolResult(failed), result("u", None, &[]), text("so")],
    );
    check_opaque(
        ANTHROPIC,
        r#"{"role": "assistant", "content": [{"type": "server_tool_use", "id": "x", "input": {"query": "q"}}]}"#,
        "server_tool_use",
        "q",
    );
}

#[test]
fn documents_of_anthropic() {
    let document = |source: &str| {
        let json = format!(
            r#"{{"role": "user", "content": [{{"type": "document", "title": "t", "source": {source}}}]}}"#
        );
        match decode(ANTHROPIC, &json).parts() {
            [Part::Document(media)] if media.name.as_deref() == Some("t") => media.source.clone(),
            parts => panic!("{parts:?}"),
        }
    };
    let plain = MediaSource::Text("a".to_owned());
    assert_eq!(document(r#"{"type": "text", "media_type": "text/plain", "data": "a"}"#), plain);
    assert_eq!(document(r#"{"type": "content", "content": [{"type": "text", "text": "a"}]}"#), plain);
    assert_eq!(document(r#"{"type": "file", "file_id": "f"}"#), MediaSource::FileId("f".to_owned()));
    assert_eq!(document(r#"{"type": "url", "url": "u"}"#), MediaSource::Url("u".to_owned()));
}

#[test]
fn cache_markers_are_found_wherever_they_may_stand() {
    let marked = |content: &str| {
        decode(ANTHROPIC, &format!(r#"{{"role": "user", "content": {content}}}"#)).meta.cache_marker
    };
    assert!(marked(r#"[{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]"#));
    let nested = r#"[{"type": "tool_result", "tool_use_id": "t", "content": [
        {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]}]"#;
    assert!(marked(nested));
    assert!(!marked(r#"[{"type": "tool_use", "id": "t", "name": "f", "input": {"cache_control": {}}}]"#));
    assert!(!marked(r#""a \"cache_control\" word""#));
    // Deeper than any block of the API: neither the stack nor the time may grow with the depth.
    let (front, back) = (r#"[{"content": "#.repeat(100_000), "}]".repeat(100_000));
    assert!(!marked(&format!(r#"{front}[{{"cache_control": {{}}}}]{back}"#)));
}

#[test]
fn gemini_contents() {
    let mut signed = ToolCall::new("x", "f", r#"{"n":1}"#);
    signed.signature = Some("sig".to_owned());
    check(
        GEMINI,
        r#"{"role": "model", "parts": [{"text": "hm", "thought": true, "thoughtSignature": "s"}, {"text": "a"},
            {"functionCall": {"id": "x", "name": "f", "args": {"n": 1}}, "thoughtSignature": "sig"},
            {"function_call": {"id": "y", "name": "g"}}]}"#,
        Role::Assistant,
        &[
            Part::Thinking(Thinking::new("hm").signed("s")),
            text("a"),
            Part::ToolCall(signed),
            call("y", "g", "{}"),
        ],
    );
    check(
        GEMINI,
        r#"{"parts": [{"inline_data": {"mime_type": "image/png", "data": "AAAA"}},
            {"functionResponse": {"id": "x", "name": "f", "response": { "result": "ok" }}}]}"#,
        Role::User,
        &[Part::Image(png()), result("x", Some("f"), &[text(r#"{"result":"ok"}"#)])],
    );
    check_opaque(
        GEMINI,
        r#"{"role": "model", "parts": [{"executableCode": {"code": "1+1"}}]}"#,
        "executableCode",
        "1+1",
    );
}

#[test]
fn gemini_pairs_by_name_and_count() {
    let calls = r#"{"role": "model", "parts": [{"functionCall": {"name": "f"}}, {"functionCall": {"name": "g"}},
        {"functionCall": {"name": "f"}}]}"#;
    let answers = r#"{"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}},
        {"functionResponse": {"name": "f", "response": {"error": "x"}}},
        {"functionResponse": {"name": "h", "response": {"error": null}}}]}"#;
    let messages = linked(GEMINI, &[calls, answers, calls]);
    let ids = |message: &Message| message.calls().map(|call| call.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&messages[0]), ["gemini-0-0", "gemini-0-1", "gemini-0-2"]);
    assert_eq!(ids(&messages[2]), ["gemini-2-0", "gemini-2-1", "gemini-2-2"]);
    let answered: Vec<(&str, bool)> =
        messages[1].results().map(|result| (&*result.call_id, result.is_error)).collect();
    assert_eq!(answered, [("gemini-0-0", false), ("gemini-0-2", true), ("gemini-orphan-1-2", false)]);
}

#[test]
fn the_wrong_shape_is_named() {
    for wire in WireFormat::ALL {
        check_error(wire, "[]", "");
        check_error(wire, r#"{"role": "wizard"}"#, "role");
    }
    check_error(CHAT, r#"{"content": "x"}"#, "role");
    check_error(CHAT, r#"{"role": "user", "content": 5}"#, "content");
    check_error(CHAT, r#"{"role": "assistant", "tool_calls": [{"id": "c"}]}"#, "tool_calls[0]");
    check_error(ANTHROPIC, r#"{"role": "user", "content": {}}"#, "content");
    check_error(RESPONSES, r#"{"role": "user", "content": {}}"#, "content");
    check_error(GEMINI, r#"{"parts": 5}"#, "parts");
}

#[test]
fn a_call_of_an_unknown_kind_is_a_call() {
    let json =
        r#"{"role":"assistant","tool_calls":[{"id":"1","type":"x_call","x":{"a":1}},{"type":"x_block"}]}"#;
    let message = decode_message(WireFormat::OpenAiChat, json).unwrap();
    let calls: Vec<(&str, &str)> =
        message.calls().map(|call| (call.id.as_str(), call.name.as_str())).collect();
    assert_eq!(calls, [("1", "x_call")]);
    assert!(matches!(&message.parts()[1], Part::Opaque(block) if block.kind == "x_block"));
    for broken in [r#"{"id":"1","type":"function"}"#, r#"{"id":"1"}"#] {
        let json = format!(r#"{{"role":"assistant","tool_calls":[{broken}]}}"#);
        assert!(decode_message(WireFormat::OpenAiChat, &json).is_err(), "{broken}");
    }
}
