use foldback_model::{Context, Message, Part, Summary, ToolResult, WireFormat};

use crate::{Document, Format, ReadErrorKind, ReadOptions, Written, read};

const CHAT: &str = r#"{
  "temperature": 0.5,
  "messages": [
    {"role": "system",  "content": "s"},
    {"role": "user", "content": "look", "x-unknown": {"a": [1.0, 2e3]}},
    {"role": "assistant", "content": null, "tool_calls": [
      {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{ }"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
    {"role": "assistant", "content": "one \u00e9 file"}
  ],
  "model": "m"
}
"#;

const ANTHROPIC: &str = r#"{"model": "stub", "max_tokens": 512,
 "system": [{"type": "text", "text": "You are brief."}, {"type": "text", "text": "Metric only."}],
 "tools": [{"name": "weigh", "input_schema": {"type": "object"}}],
 "messages": [
  {"role": "user", "content": [{"type": "text", "text": "Weigh 1 and 2."}]},
  {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "sig"},
   {"type": "text", "text": "Weighing."},
   {"type": "tool_use", "id": "q1", "name": "weigh", "input": {"crate": 1}},
   {"type": "tool_use", "id": "q2", "name": "weigh", "input": {"crate": 2}}]},
  {"role": "user", "content": [{"type": "text", "text": "BEFORE"},
   {"type": "tool_result", "tool_use_id": "q1", "content": "12 kg"},
   {"type": "text", "text": "BETWEEN"},
   {"type": "tool_result", "tool_use_id": "q2", "content": [{"type": "text", "text": "timeout"}], "is_error": true},
   {"type": "text", "text": "AFTER"}]},
  {"role": "assistant", "content": [{"type": "text", "text": "12 kg."}]}]}"#;

const RESPONSES: &str = r#"{"instructions": "s", "input": [
 {"role": "user", "content": "go"},
 {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "z"},
 {"type": "custom_tool_call", "call_id": "c1", "name": "patch", "input": "*** Begin"},
 {"type": "custom_tool_call_output", "call_id": "c1", "output": "done"},
 {"type": "function_call", "call_id": "c2", "name": "f", "arguments": "{}"},
 {"type": "function_call_output", "call_id": "c2", "output": "two"},
 {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ok"}]}]}"#;

const GEMINI: &str = r#"{"systemInstruction": {"parts": [{"text": "s"}]}, "contents": [
 {"role": "user", "parts": [{"text": "go"}]},
 {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"n": 1}}, "thoughtSignature": "sig"},
  {"functionCall": {"name": "f", "args": {"n": 2}}}]},
 {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"result": "one"}}},
  {"functionResponse": {"name": "f", "response": {"result": "two"}}}]},
 {"role": "model", "parts": [{"text": "done"}]}]}"#;

const SAMPLES: [(WireFormat, &str); 4] = [
    (WireFormat::OpenAiChat, CHAT),
    (WireFormat::Anthropic, ANTHROPIC),
    (WireFormat::OpenAiResponses, RESPONSES),
    (WireFormat::Gemini, GEMINI),
];

fn open(text: &str) -> Document {
    read(text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn convert(text: &str, to: WireFormat) -> Written {
    let document = open(text);
    document.convert(&document.context, to)
}

fn check_same(text: &str) {
    let document = open(text);
    let written = document.write(&document.context);
    assert_eq!(written.json, text);
    assert_eq!((written.joined.len(), written.lost.len()), (0, 0));
    assert!(written.sources.iter().copied().eq(0..document.context.messages.len()));
}

#[test]
fn what_was_not_touched_leaves_as_it_came() {
    for (wire, text) in SAMPLES {
        check_same(text);
        assert_eq!(open(text).format, Format::Wire(wire));
    }
    check_same("\u{FEFF}{\"messages\": [{\"role\": \"user\", \"content\": \"hi\"}]}\n");
    check_same(r#"[ {"role": "user", "content": "hi"} , {"role": "user", "content": "hi"} ]"#);
    check_same(r#"{"messages": [ ], "model": "m"}"#);
    check_same(r#"{"input": "bare text"}"#);
    check_same(r#"{"contents": "bare text"}"#);
    check_same(r#"{"contents": {"role": "user", "parts": [{"text": "one"}]}}"#);
    check_same(r#"{"messages": [], "messages": [{"role": "user", "content": "the last one counts"}]}"#);
}

#[test]
fn what_stands_around_the_list_is_read() {
    for (_, text) in SAMPLES {
        let document = open(text);
        let is_chat = document.format == Format::Wire(WireFormat::OpenAiChat);
        assert_eq!(document.context.system.is_none(), is_chat);
    }
    let context = open(ANTHROPIC).context;
    assert_eq!(context.system.as_deref(), Some("You are brief.\n\nMetric only."));
    assert_eq!(context.model.as_deref(), Some("stub"));
    assert_eq!((&*context.tools[0].name, &*context.tools[0].schema), ("weigh", r#"{"type":"object"}"#));
}

#[test]
fn a_shorter_list_keeps_its_elements_and_their_surroundings() {
    let document = open(CHAT);
    let mut context = document.context.clone();
    context.messages.drain(1..4);
    let written = document.write(&context);
    let expected = r#"{
  "temperature": 0.5,
  "messages": [
    {"role": "system",  "content": "s"},
    {"role": "assistant", "content": "one \u00e9 file"}
  ],
  "model": "m"
}
"#;
    assert_eq!(written.json, expected);
    context.messages.clear();
    assert!(document.write(&context).json.contains(r#""messages": [],"#));
}

#[test]
fn a_summary_shares_the_message_of_the_user_behind_it() {
    let document = open(ANTHROPIC);
    let mut context = Context::new(document.context.messages[2..].to_vec());
    context.summary = Some(Summary::new("we began"));
    let written = document.write(&context);
    assert_eq!((written.joined.as_slice(), written.sources.as_slice()), ([1].as_slice(), [0, 2].as_slice()));
    let again = open(&written.json);
    let first: Vec<&Part> = again.context.messages[0].parts().iter().collect();
    assert!(
        matches!(first[..2], [Part::ToolResult(_), Part::ToolResult(_)]),
        "results come first: {first:?}"
    );
    assert!(written.json.contains(r#"{"type": "tool_result", "tool_use_id": "q1", "content": "12 kg"}"#));
}

/// The roles of a list with what stands in each element, in the words of the format.
fn sketch(json: &str, wire: WireFormat) -> Vec<String> {
    let document = open_as(json, wire);
    let word = |message: &Message| {
        let mut word = message.role.as_str().to_owned();
        for part in message.parts() {
            word.push_str(&match part {
                Part::Text(text) => format!(" {text}"),
                Part::ToolCall(call) => format!(" >{}", call.id),
                Part::ToolResult(result) => format!(" <{}:{}", result.call_id, result.text()),
                other => format!(" {other:?}"),
            });
        }
        word
    };
    document.context.messages.iter().map(word).collect()
}

#[test]
fn text_beside_results_comes_behind_them_in_order() {
    let chat = convert(ANTHROPIC, WireFormat::OpenAiChat);
    assert_eq!(
        sketch(&chat.json, WireFormat::OpenAiChat),
        [
            "system You are brief.\n\nMetric only.",
            "user Weigh 1 and 2.",
            "assistant Weighing. >q1 >q2",
            "tool <q1:12 kg",
            "tool <q2:Error: timeout",
            "user BEFORE BETWEEN AFTER",
            "assistant 12 kg.",
        ]
    );
    assert_eq!(chat.sources, [0, 1, 2, 2, 2, 3]);
    assert_eq!((chat.lost[0].index, &*chat.lost[0].what), (1, "reasoning"));
    assert!(chat.json.contains(r#""max_completion_tokens":512"#));

    let responses = convert(ANTHROPIC, WireFormat::OpenAiResponses);
    assert_eq!(
        sketch(&responses.json, WireFormat::OpenAiResponses)[2..],
        [
            "assistant >q1",
            "assistant >q2",
            "tool <q1:12 kg",
            "tool <q2:Error: timeout",
            "user BEFORE BETWEEN AFTER",
            "assistant 12 kg.",
        ]
    );

    let gemini = convert(ANTHROPIC, WireFormat::Gemini);
    assert_eq!(
        sketch(&gemini.json, WireFormat::Gemini)[1..],
        [
            "assistant Weighing. >q1 >q2",
            "user <q1:{\"result\":\"12 kg\"} <q2:{\"error\":\"timeout\"} BEFORE BETWEEN AFTER",
            "assistant 12 kg.",
        ]
    );
    assert!(gemini.json.contains(r#""name":"weigh","response":{"error":"timeout"}"#));
    assert!(gemini.joined.is_empty(), "all of it came from one message");
}

#[test]
fn steps_stay_steps() {
    for to in [WireFormat::OpenAiChat, WireFormat::Anthropic, WireFormat::Gemini] {
        let written = convert(RESPONSES, to);
        let words = sketch(&written.json, to);
        let calls = words.iter().filter(|word| word.contains('>')).count();
        assert_eq!(calls, 2, "{words:?}");
        assert_eq!(written.lost.len(), 1, "the reasoning");
    }
    let words = sketch(&convert(RESPONSES, WireFormat::Anthropic).json, WireFormat::Anthropic);
    assert_eq!(
        words,
        ["user go", "assistant >c1", "user <c1:done", "assistant >c2", "user <c2:two", "assistant ok"]
    );
}

#[test]
fn every_format_becomes_every_other() {
    for (from, text) in SAMPLES {
        for to in WireFormat::ALL {
            let written = convert(text, to);
            assert_eq!(written.json == text, from == to);
            let messages = &open_as(&written.json, to).context.messages;
            if from != to {
                assert_eq!(crate::check(to, messages), [], "{from:?} to {to:?}: {}", written.json);
            }
            assert_eq!(written.sources.len() + usize::from(has_system_first(&written.json)), messages.len());
        }
    }
}

fn open_as(json: &str, wire: WireFormat) -> Document {
    let options = ReadOptions { format: Some(Format::Wire(wire)), ..ReadOptions::default() };
    read(json.as_bytes(), &options).unwrap()
}

/// Whether a conversion put the system text in front of the list.
fn has_system_first(json: &str) -> bool {
    json.contains(r#"[{"role":"system""#)
}

#[test]
fn made_up_ids_are_not_written() {
    let document = open(GEMINI);
    let mut context = document.context.clone();
    for message in &mut context.messages {
        // Without its JSON, a message is written from its parts.
        message.set_parts(message.parts().to_vec());
    }
    let written = document.write(&context);
    assert!(!written.json.contains("gemini-"), "{}", written.json);
    assert!(written.json.contains(r#""thoughtSignature":"sig""#), "a signature goes back to its provider");
    assert_eq!(sketch(&written.json, WireFormat::Gemini), sketch(GEMINI, WireFormat::Gemini));
}

/// Writes `text` with the results of all messages replaced by `cut`.
fn with_results_cut(text: &str) -> String {
    let document = open(text);
    let mut context = document.context.clone();
    for message in &mut context.messages {
        if message.results().next().is_some() {
            let cut = |part: &Part| match part {
                Part::ToolResult(result) => Part::ToolResult(ToolResult::new(&result.call_id, "cut")),
                other => other.clone(),
            };
            message.set_parts(message.parts().iter().map(cut).collect());
        }
    }
    document.write(&context).json
}

#[test]
fn a_changed_result_stays_of_the_kind_of_its_call() {
    let written = with_results_cut(RESPONSES);
    assert!(
        written.contains(r#"{"type":"custom_tool_call_output","call_id":"c1","output":"cut"}"#),
        "{written}"
    );
    assert!(
        written.contains(r#"{"type":"function_call_output","call_id":"c2","output":"cut"}"#),
        "{written}"
    );
    let older = r#"[{"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "long"}]"#;
    assert!(with_results_cut(older).contains(r#"{"role":"function","name":"f","content":"cut"}"#));
}

#[test]
fn a_changed_message_keeps_what_its_provider_knows() {
    let text = r#"{"system": "s", "messages": [{"role": "assistant", "content": [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "server_tool_use", "id": "x", "name": "n", "input": {}},
        {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]}"#;
    let document = open(text);
    let mut context = document.context.clone();
    let parts = context.messages[0].parts()[..3].to_vec();
    context.messages[0].set_parts(parts);
    let written = document.write(&context);
    let expected = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig"},{"type": "server_tool_use", "id": "x", "name": "n", "input": {}},{"type":"text","text":"a"}]}"#;
    assert!(written.json.contains(expected), "{}", written.json);
    assert_eq!(written.lost, []);
}

#[test]
fn a_block_without_a_kind_stays_in_its_message() {
    let item = r#"{"type":"message","role":"assistant","content":[7,{"type":"message"},{"a":1}]}"#;
    let document = open_as(&format!("[{item}]"), WireFormat::OpenAiResponses);
    let mut touched = document.context.clone();
    let parts = touched.messages[0].parts().to_vec();
    touched.messages[0].set_parts(parts);
    assert_eq!(document.write(&touched).json, format!("[{item}]"));
}

#[test]
fn instructions_in_the_list_join_the_system_text() {
    let text = r#"[{"role": "system", "content": "one"}, {"role": "user", "content": "hi"},
        {"role": "developer", "content": "two"}, {"role": "user", "content": "ho"}]"#;
    let written = convert(text, WireFormat::Anthropic);
    assert!(written.json.starts_with(r#"{"system":"one\n\ntwo","#), "{}", written.json);
    assert_eq!(sketch(&written.json, WireFormat::Anthropic), ["user hi ho"]);
    assert_eq!((written.sources, written.joined), (vec![1], vec![3]));
}

#[test]
fn a_message_of_blank_text_is_left_out() {
    let text = r#"[{"role": "user", "content": " "}, {"role": "user", "content": [{"type": "audio_of_tomorrow"}]},
        {"role": "user", "content": "hi"}]"#;
    let written = convert(text, WireFormat::Anthropic);
    assert_eq!(sketch(&written.json, WireFormat::Anthropic), ["user hi"]);
    let lost: Vec<(usize, &str)> = written.lost.iter().map(|lost| (lost.index, &*lost.what)).collect();
    assert_eq!(lost, [(1, "a block of the kind `audio_of_tomorrow`")]);
}

#[test]
fn no_truncation_panics() {
    for (wire, text) in SAMPLES {
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            for format in [None, Some(Format::Wire(wire))] {
                let options = ReadOptions { format, ..ReadOptions::default() };
                let error = match read(&text.as_bytes()[..end], &options) {
                    Ok(_) if text[end..].trim().is_empty() => continue,
                    Ok(_) => panic!("{}", &text[..end]),
                    Err(error) => error,
                };
                let is_empty = end == 0 && error.kind == ReadErrorKind::Empty;
                let is_placed = error.kind == ReadErrorKind::Syntax && error.line.is_some();
                assert!(is_empty || is_placed, "{error}: {}", &text[..end]);
            }
        }
    }
}

#[test]
fn a_bad_shape_is_placed() {
    let error =
        read(b"{\"messages\": [\n {\"role\": \"user\", \"content\": \"a\"},\n 5]}", &ReadOptions::default());
    let error = error.unwrap_err();
    assert_eq!((error.kind, error.line, error.column), (ReadErrorKind::Shape, Some(3), Some(2)), "{error}");
    assert!(error.message.contains("messages[1]"), "{error}");
    let error = read(b"{\"a\": \"\xff\"}", &ReadOptions::default()).unwrap_err();
    assert_eq!((error.kind, error.offset), (ReadErrorKind::Encoding, Some(7)));
    let error = read(b" \n", &ReadOptions::default()).unwrap_err();
    assert_eq!(error.kind, ReadErrorKind::Empty);
}
