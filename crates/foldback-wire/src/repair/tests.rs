use foldback_model::WireFormat::{self, Anthropic, Gemini, OpenAiChat, OpenAiResponses};
use foldback_model::{Context, Message};

use super::{Repaired, repair};
use crate::{Document, ReadOptions, check, read};

fn request(wire: WireFormat, json: &str) -> Document {
    let options = ReadOptions::of(wire);
    read(json.as_bytes(), &options).unwrap()
}

/// The edits as `index kind`, and the mended request as it is written.
fn mended(wire: WireFormat, json: &str) -> (String, String) {
    let document = request(wire, json);
    let repaired = repair(wire, &document.context);
    let written = document.write(&repaired.context).json;
    assert_eq!(check(wire, &request(wire, &written).context.messages), [], "{written}");
    assert!(repair(wire, &repaired.context).edits.is_empty());
    let edits: Vec<String> = repaired
        .edits
        .iter()
        .map(|edit| {
            let kind = serde_json::to_string(&edit.kind).unwrap();
            format!("{} {}", edit.index, kind.trim_matches('"'))
        })
        .collect();
    (edits.join(", "), written)
}

#[track_caller]
fn check_mending(wire: WireFormat, json: &str, edits: &str, expected: &str) {
    assert_eq!(mended(wire, json), (edits.to_owned(), expected.to_owned()));
}

#[test]
fn what_is_valid_comes_back_byte_for_byte() {
    let json = r#" [ {"role":"user" ,"content":"a"}, {"role":"assistant","content":"b","x":1}]"#;
    check_mending(Anthropic, json, "", json);
}

#[test]
fn a_result_late_moves_up_and_the_rest_keeps_its_bytes() {
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]}"#;
    let user = r#"{"role":"user", "content":"wait"}"#;
    let result = r#"{"role":"tool", "tool_call_id":"1", "content":"ok"}"#;
    check_mending(
        OpenAiChat,
        &format!("[{user},{call},{user},{result}]"),
        "3 moved_result",
        &format!("[{user},{call},{result},{user}]"),
    );
}

#[test]
fn results_of_anthropic_in_several_messages_become_one() {
    let calls = r#"{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"f","input":{}},{"type":"tool_use","id":"y","name":"f","input":{}}]}"#;
    let x = r#"{"type":"tool_result", "tool_use_id":"x", "content":"1"}"#;
    let y = r#"{"type":"tool_result", "tool_use_id":"y", "content":"2"}"#;
    let text = r#"{"type":"text",  "text":"go"}"#;
    check_mending(
        Anthropic,
        &format!(
            r#"[{{"role":"user","content":"a"}},{calls},{{"role":"user","content":[{text},{x}]}},{{"role":"user","content":[{y}]}}]"#
        ),
        "2 moved_result, 2 joined, 3 moved_result, 3 joined",
        &format!(r#"[{{"role":"user","content":"a"}},{calls},{{"role":"user","content":[{x},{y},{text}]}}]"#),
    );
}

#[test]
fn calls_at_the_end_are_answered() {
    let (edits, json) = mended(
        OpenAiResponses,
        r#"[{"role":"user","content":"a"},{"type":"function_call","call_id":"1","name":"f","arguments":"{}"}]"#,
    );
    assert_eq!(edits, "1 answered_call");
    assert!(json.contains(r#""type":"function_call_output","call_id":"1""#), "{json}");
}

#[test]
fn ids_used_again_are_told_apart() {
    let call = |text: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"text","text":"{text}"}},{{"type":"tool_use","id":"call_0","name":"f","input":{{}}}}]}}"#
        )
    };
    let result =
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_0","content":"ok"}]}"#;
    let (edits, json) = mended(
        Anthropic,
        &format!(r#"[{{"role":"user","content":"a"}},{},{result},{},{result}]"#, call("1"), call("2")),
    );
    assert_eq!(edits, "3 renamed_call");
    assert_eq!(json.matches("call_3_1").count(), 2, "{json}");
    assert!(json.contains(&format!("{},{result}", call("1"))), "the first one is untouched: {json}");
}

#[test]
fn the_user_begins_and_roles_take_turns() {
    let a = r#"{"role":"model","parts":[{"text":"a"}]}"#;
    let (edits, json) = mended(Gemini, &format!("[{a},{a}]"));
    assert_eq!(edits, "0 inserted_message, 1 joined");
    assert!(json.ends_with(r#"{"role":"model","parts":[{"text":"a"},{"text":"a"}]}]"#), "{json}");
}

#[test]
fn reasoning_behind_an_edit_is_dead() {
    let thought = r#"{"type":"thinking","thinking":"hm","signature":"s"}"#;
    let reply = format!(r#"{{"role":"assistant","content":[{thought},{{"type":"text", "text":"b"}}]}}"#);
    let user = r#"{"role":"user","content":"a"}"#;
    let last = r#"{"role":"assistant","content":"z"}"#;
    let (edits, json) = mended(
        Anthropic,
        &format!(
            r#"[{user},{reply},{{"role":"user","content":[{{"type":"text","text":" "}},{{"type":"text","text":"c"}}]}},{reply},{user},{last}]"#
        ),
    );
    assert_eq!(edits, "2 dropped_blank, 3 dropped_reasoning");
    assert_eq!(json.matches("thinking\":").count(), 1, "{json}");
    assert!(json.contains(r#"{"role":"assistant","content":[{"type":"text", "text":"b"}]}"#), "{json}");
}

#[test]
fn an_empty_conversation_gets_something_to_answer() {
    for wire in WireFormat::ALL {
        let Repaired { context, edits, .. } = repair(wire, &Context::new(Vec::<Message>::new()));
        assert_eq!((context.messages.len(), edits.len()), (1, 1), "{wire:?}");
        assert_eq!(check(wire, &context.messages), []);
    }
}
