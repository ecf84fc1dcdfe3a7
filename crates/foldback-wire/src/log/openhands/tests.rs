use foldback_model::{Kind, Part, Role, StopReason, TokenCount, WireFormat};

use crate::log::tests::{read_as, sketch};
use crate::{Document, Format, ReadErrorKind, check};

fn read(text: &str) -> Document {
    read_as(Format::OpenHands, text, |_| {}).unwrap()
}

fn list(events: &[String]) -> String {
    format!("[{}]", events.join(",\n"))
}

/// Metadata of the call `id` of a reply `reply` that made `calls`.
fn metadata(reply: &str, calls: &[&str], id: &str) -> String {
    let calls: Vec<String> = calls
        .iter()
        .map(|id| {
            format!(r#"{{"id":"{id}","type":"function","function":{{"name":"bash","arguments":"{{}}"}}}}"#)
        })
        .collect();
    format!(
        r#""tool_call_metadata":{{"function_name":"bash","tool_call_id":"{id}","total_calls_in_response":{},
        "model_response":{{"id":"{reply}","model":"m","choices":[{{"finish_reason":"tool_calls","message":
        {{"role":"assistant","content":"so","tool_calls":[{}]}}}}],"usage":{{"prompt_tokens":9,"completion_tokens":2}}}}}}"#,
        calls.len(),
        calls.join(",")
    )
}

fn action(id: u32, source: &str, action: &str, args: &str, more: &str) -> String {
    let comma = if more.is_empty() { "" } else { "," };
    format!(r#"{{"id":{id},"source":"{source}","action":"{action}","args":{args}{comma}{more}}}"#)
}

fn observation(id: u32, cause: u32, kind: &str, content: &str, more: &str) -> String {
    let comma = if more.is_empty() { "" } else { "," };
    format!(
        r#"{{"id":{id},"source":"agent","cause":{cause},"observation":"{kind}","content":"{content}","extras":{{}}{comma}{more}}}"#
    )
}

fn says(id: u32, source: &str, text: &str) -> String {
    action(id, source, "message", &format!(r#"{{"content":"{text}","image_urls":[]}}"#), "")
}

#[test]
fn parallel_calls_of_one_reply_are_one_message() {
    let both = ["a", "b"];
    let document = read(&list(&[
        action(0, "agent", "system", r#"{"content":"be good","tools":[]}"#, ""),
        says(1, "user", "go"),
        r#"{"id":2,"source":"environment","observation":"agent_state_changed","content":"","extras":{}}"#
            .to_owned(),
        action(3, "agent", "run", r#"{"command":"ls"}"#, &metadata("r1", &both, "a")),
        observation(4, 3, "run", "x", &metadata("r1", &both, "a")),
        action(5, "agent", "run", r#"{"command":"ls"}"#, &metadata("r1", &both, "b")),
        observation(6, 5, "error", "no", &metadata("r1", &both, "b")),
        observation(7, 1, "null", "", ""),
        says(8, "agent", "done"),
    ]));
    assert_eq!(sketch(&document), ["user:go", "assistant:so>a>b", "tool:<a", "tool:<b", "assistant:done"]);
    let context = &document.context;
    assert_eq!((context.system.as_deref(), context.model.as_deref()), (Some("be good"), Some("m")));
    let reply = &context.messages[1].meta;
    assert_eq!((reply.id.as_deref(), reply.stop), (Some("r1"), Some(StopReason::ToolUse)));
    assert_eq!(reply.usage.unwrap().input, Some(TokenCount::new(9)));
    let failed: Vec<bool> =
        context.messages.iter().flat_map(|message| message.results()).map(|result| result.is_error).collect();
    assert_eq!(failed, [false, true]);
    let indices: Vec<usize> =
        context.messages.iter().filter_map(|message| Some(message.meta.source?.index)).collect();
    assert_eq!(indices, [0, 1, 2, 3, 4]);
    let written = document.write(context);
    let again = crate::read(written.json.as_bytes(), &crate::ReadOptions::default()).unwrap();
    assert_eq!(again.format, Format::Wire(WireFormat::OpenAiChat));
    assert_eq!(check(WireFormat::OpenAiChat, &again.context.messages), []);
}

#[test]
fn actions_without_metadata_become_calls_with_an_id_of_their_own() {
    let document = read(&list(&[
        action(0, "agent", "run", r#"{"command":"ls","thought":"look","blocking":false,"hidden":null}"#, ""),
        r#"{"id":1,"source":"agent","cause":0,"observation":"run","content":"x","extras":{"metadata":{"prefix":"","suffix":"\n[ok]"}}}"#.to_owned(),
        action(2, "agent", "finish", r#"{"final_thought":"bye"}"#, ""),
        action(3, "user", "run", r#"{"command":"pwd"}"#, ""),
        observation(4, 3, "run", "/", ""),
    ]));
    assert_eq!(
        sketch(&document),
        [
            "assistant:look>event_0",
            "tool:<event_0",
            "assistant:bye",
            "user:Command run by the user:\npwd",
            "user:/"
        ]
    );
    let messages = &document.context.messages;
    let call = messages[0].calls().next().unwrap();
    assert_eq!(
        (call.name.as_str(), call.arguments.as_str()),
        ("run", r#"{"command":"ls","blocking":false}"#)
    );
    assert_eq!(messages[1].results().next().unwrap().text(), "x\n[ok]");
    assert!(messages[3..].iter().all(|message| message.kind() == Kind::Injected));
}

#[test]
fn metadata_without_the_reply_still_names_the_call() {
    let metadata =
        r#""tool_call_metadata":{"function_name":"bash","tool_call_id":"t","model_response":null}"#;
    let document = read(&list(&[
        action(0, "agent", "run", r#"{"command":"ls"}"#, metadata),
        observation(1, 0, "run", "x", metadata),
    ]));
    assert_eq!(sketch(&document), ["assistant:>t", "tool:<t"]);
    assert_eq!(document.context.messages[0].calls().next().unwrap().name, "bash");
}

#[test]
fn the_call_that_ends_a_session_is_what_it_says() {
    let finish = metadata("r1", &["f"], "f");
    let document = read(&list(&[
        says(0, "user", "go"),
        action(1, "agent", "finish", r#"{"final_thought":"bye"}"#, &finish),
    ]));
    assert_eq!(sketch(&document), ["user:go", "assistant:so"]);
    let silent = finish.replace(r#""content":"so""#, r#""content":"""#);
    let document = read(&list(&[action(1, "agent", "finish", r#"{"final_thought":"bye"}"#, &silent)]));
    assert_eq!(sketch(&document), ["assistant:bye"]);
}

#[test]
fn pictures_stand_beside_the_text() {
    let args = r#"{"content":"see","image_urls":["data:image/png;base64,AQID","https://x/y.png"]}"#;
    let document = read(&list(&[action(0, "user", "message", args, "")]));
    let parts = document.context.messages[0].parts();
    assert!(matches!(parts, [Part::Text(_), Part::Image(_), Part::Image(_)]), "{parts:?}");
}

#[test]
fn a_condensation_of_the_first_version_names_ids_or_a_range() {
    for forgotten in [
        r#""forgotten_event_ids":[1,2]"#,
        r#""forgotten_event_ids":null,"forgotten_events_start_id":1,"forgotten_events_end_id":2"#,
    ] {
        let text = list(&[
            says(0, "user", "zero"),
            says(1, "agent", "one"),
            says(2, "user", "two"),
            action(
                3,
                "agent",
                "condensation",
                &format!(r#"{{{forgotten},"summary":"in short","summary_offset":1}}"#),
                "",
            ),
            says(4, "agent", "four"),
        ]);
        let document = read(&text);
        let messages = &document.context.messages;
        assert_eq!(messages.len(), 3, "{:?}", sketch(&document));
        assert_eq!(
            messages.iter().map(|message| message.kind()).collect::<Vec<_>>(),
            [Kind::Plain, Kind::Summary, Kind::Plain]
        );
        assert!(messages[1].text().contains("in short"));
        assert_eq!(messages.iter().map(|message| message.meta.epoch).collect::<Vec<_>>(), [0, 1, 1]);
        assert_eq!(document.boundaries.iter().map(|boundary| boundary.index).collect::<Vec<_>>(), [2]);
        let whole = read_as(Format::OpenHands, &text, |options| options.whole = true).unwrap();
        assert_eq!(sketch(&whole), ["user:zero", "assistant:one", "user:two", "assistant:four"]);
        assert_eq!(whole.boundaries[0].index, 3);
    }
}

const V1: [&str; 13] = [
    r#"{"id":"s","kind":"SystemPromptEvent","source":"agent","system_prompt":{"type":"text","text":"be good"},"dynamic_context":{"text":"here"},"tools":[{"type":"function","function":{"name":"bash","description":"d","parameters":{"type":"object"}}}]}"#,
    r#"{"id":"u1","kind":"MessageEvent","source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"go"},{"type":"image","image_urls":["https://x/y.png"]}]},"extended_content":[{"type":"text","text":"skill"}]}"#,
    r#"{"id":"x","kind":"ConversationStateUpdateEvent","source":"environment","key":"k","value":"v"}"#,
    r#"{"id":"a1","kind":"ActionEvent","source":"agent","thought":[{"type":"text","text":"so"}],"reasoning_content":"hm","thinking_blocks":[{"type":"thinking","thinking":"hm","signature":"sig"}],"tool_name":"bash","tool_call_id":"c1","tool_call":{"id":"c1","name":"bash","arguments":"{\"n\": 1}","origin":"completion"},"llm_response_id":"r1","action":{"kind":"A"}}"#,
    r#"{"id":"a2","kind":"ActionEvent","source":"agent","thought":[],"tool_name":"bash","tool_call_id":"c2","tool_call":{"id":"c2","type":"function","function":{"name":"bash","arguments":"{}"}},"llm_response_id":"r1"}"#,
    r#"{"id":"o1","kind":"ObservationEvent","source":"environment","tool_name":"bash","tool_call_id":"c1","action_id":"a1","observation":{"kind":"O","content":[{"type":"text","text":"x"}],"is_error":false},"extended_content":[{"text":"rule"}]}"#,
    r#"{"id":"o2","kind":"ObservationEvent","source":"environment","tool_name":"bash","tool_call_id":"c2","action_id":"a2","observation":{"output":"old"}}"#,
    r#"{"id":"a3","kind":"ActionEvent","source":"agent","thought":[],"tool_name":"bash","tool_call_id":"c3","tool_call":{"id":"c3","name":"bash","arguments":"{}"},"llm_response_id":"r2"}"#,
    r#"{"id":"o3","kind":"UserRejectObservation","source":"environment","tool_name":"bash","tool_call_id":"c3","rejection_reason":"too risky"}"#,
    r#"{"id":"a4","kind":"ActionEvent","source":"agent","thought":[],"tool_name":"bash","tool_call_id":"c4","tool_call":{"id":"c4","name":"bash","arguments":"{}"},"llm_response_id":"r3"}"#,
    r#"{"id":"o4","kind":"AgentErrorEvent","source":"agent","tool_name":"bash","tool_call_id":"c4","error":"broken"}"#,
    r#"{"id":"e1","kind":"MessageEvent","source":"environment","llm_message":{"role":"user","content":[{"type":"text","text":"go on"}]}}"#,
    r#"{"id":"m1","kind":"MessageEvent","source":"agent","llm_message":{"role":"assistant","content":[{"type":"text","text":"done"}]},"llm_response_id":"r4"}"#,
];

#[test]
fn events_of_the_sdk() {
    let document = read(&format!("[{}]", V1.join(",")));
    assert_eq!(
        sketch(&document),
        [
            "user:go\nskill",
            "assistant:so>c1>c2",
            "tool:<c1",
            "tool:<c2",
            "assistant:>c3",
            "tool:<c3",
            "assistant:>c4",
            "tool:<c4",
            "user:go on",
            "assistant:done"
        ]
    );
    let context = &document.context;
    assert_eq!(context.system.as_deref(), Some("be good\n\nhere"));
    assert_eq!(context.tools[0].name, "bash");
    let messages = &context.messages;
    assert!(matches!(&messages[1].parts()[0], Part::Thinking(thinking) if thinking.signature.is_some()));
    let results: Vec<(String, bool)> = messages
        .iter()
        .flat_map(|message| message.results())
        .map(|result| (result.text(), result.is_error))
        .collect();
    let text = |text: &str, failed| (text.to_owned(), failed);
    assert_eq!(
        results,
        [
            text("x\nrule", false),
            text("old", false),
            text("Action rejected: too risky", true),
            text("broken", true)
        ]
    );
    assert_eq!(messages[8].kind(), Kind::Injected);
    assert_eq!(check(WireFormat::OpenAiChat, messages), []);
}

#[test]
fn events_one_a_line_know_their_lines() {
    let document = read(&V1.join("\n"));
    let lines: Vec<usize> =
        document.context.messages.iter().filter_map(|message| message.meta.source?.line).collect();
    assert_eq!(lines, [2, 4, 6, 7, 8, 9, 10, 11, 12, 13]);
    let damaged = format!("{}\n{{\"kind\": oops\n{}", V1[1], V1[12]);
    let error = read_as(Format::OpenHands, &damaged, |_| {}).unwrap_err();
    assert_eq!((error.kind, error.line), (ReadErrorKind::Syntax, Some(2)));
    let document = read_as(Format::OpenHands, &damaged, |options| options.lenient = true).unwrap();
    assert_eq!((document.skipped_lines, sketch(&document).len()), (1, 2));
}

#[test]
fn a_condensation_of_the_sdk_counts_what_the_model_sees() {
    let condensation = |id: &str, forgotten: &str, summary: &str| {
        format!(
            r#"{{"id":"{id}","kind":"Condensation","source":"environment","forgotten_event_ids":[{forgotten}],"summary":"{summary}","summary_offset":2,"llm_response_id":"z"}}"#
        )
    };
    let mut events: Vec<String> = V1.iter().map(|event| (*event).to_owned()).collect();
    events.insert(7, condensation("k1", r#""a1","a2","o1","o2""#, "first"));
    events.insert(10, condensation("k2", r#""k1-summary","a3","o3""#, "second"));
    // An event that only the host sees is not counted.
    events.remove(2);
    let document = read(&list(&events));
    let said = sketch(&document);
    assert_eq!(said[0], "user:go\nskill");
    assert!(said[1].contains("second") && !said.iter().any(|said| said.contains("first")), "{said:?}");
    assert_eq!(said[2..], ["assistant:>c4", "tool:<c4", "user:go on", "assistant:done"]);
    assert_eq!(document.boundaries.iter().map(|boundary| boundary.index).collect::<Vec<_>>(), [2, 2]);
}

#[test]
fn a_completion_log_ends_with_its_reply() {
    let text = r#"{"messages": [{"role": "user", "content": [{"type": "text", "text": "go"}]}],
        "tools": [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}],
        "kwargs": {}, "context_window": 10, "cost": 0.1,
        "response": {"id": "r", "model": "m", "choices": [{"finish_reason": "stop",
            "message": {"role": "assistant", "content": "yes", "tool_calls": null}}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 2}}}"#;
    let document = read(text);
    assert_eq!(sketch(&document), ["user:go", "assistant:yes"]);
    let reply = &document.context.messages[1];
    assert_eq!((reply.role, reply.meta.stop), (Role::Assistant, Some(StopReason::Finished)));
    assert_eq!(reply.meta.usage.unwrap().output, Some(TokenCount::new(2)));
    assert_eq!((document.context.model.as_deref(), document.context.tools.len()), (Some("m"), 1));
    let prompted = text.replacen(
        r#""response""#,
        r#""raw_response": {"choices": [{"message": {"role": "assistant", "content": "<call>"}}]}, "response""#,
        1,
    );
    let document = read(&prompted);
    assert_eq!(sketch(&document), ["user:go", "assistant:<call>"]);
    assert!(document.context.tools.is_empty(), "the text tells of the tools");
}

#[test]
fn what_has_another_shape_is_placed() {
    let error = read_as(Format::OpenHands, "{\"messages\": [\n{\"role\": \"x\"}], \"response\": {}}", |_| {})
        .unwrap_err();
    assert_eq!((error.kind, error.line), (ReadErrorKind::Shape, Some(2)));
    let error = read_as(Format::OpenHands, "[{\"action\": ", |_| {}).unwrap_err();
    assert_eq!(error.kind, ReadErrorKind::Syntax);
    let error = read_as(Format::OpenHands, "[{\"role\": \"user\"}]", |_| {}).unwrap_err();
    assert_eq!(error.kind, ReadErrorKind::UnknownFormat);
    assert!(error.expected.contains("`kind`"), "{error}");
}
