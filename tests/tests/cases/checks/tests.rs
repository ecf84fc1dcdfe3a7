//! Each check finds what it is for.

use foldback_model::WireFormat;
use foldback_model::WireFormat::{Anthropic, Gemini, OpenAiChat, OpenAiResponses};
use serde_json::{Value, json};

use super::{Verdict, kept, texts, wire};
use crate::run::Conversation;
use crate::view::View;

fn view(wire: WireFormat, messages: &Value) -> View {
    let list = match wire {
        OpenAiResponses => "input",
        Gemini => "contents",
        _ => "messages",
    };
    View::new(wire, &json!({list: messages}).to_string()).unwrap()
}

fn pair(wire: WireFormat, before: &Value, after: &Value) -> Conversation {
    Conversation {
        label: String::new(),
        before: view(wire, before),
        after: view(wire, after),
        json: String::new(),
    }
}

#[track_caller]
fn finds(verdict: Verdict, part: &str) {
    let seen = verdict.expect_err("the check finds nothing");
    assert!(seen.contains(part), "`{seen}` does not say `{part}`");
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn summary() -> Value {
    let lead = "The conversation history before this point was compacted into the following summary:";
    user(&format!("{lead}\n\n<summary>\nso far\n</summary>"))
}

fn calls(ids: &[&str]) -> Value {
    let call =
        |id: &&str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
    json!({"role": "assistant", "content": null, "tool_calls": ids.iter().map(call).collect::<Vec<_>>()})
}

fn result(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "r"})
}

#[test]
fn pairing_is_by_occurrence() {
    let paired = |messages: Value| wire::calls_and_results_paired(&view(OpenAiChat, &messages), &[]);
    assert_eq!(paired(json!([calls(&["a"]), result("a"), calls(&["a"]), result("a")])), Ok(()));
    finds(paired(json!([result("a"), calls(&["a"])])), "no such call is open");
    finds(paired(json!([calls(&["a"]), result("a"), result("a")])), "no such call is open");
    finds(paired(json!([calls(&["a", "b"]), result("a")])), "`b` has no result");
    let open = ["b".to_owned()];
    let running = view(OpenAiChat, &json!([calls(&["a", "b"]), result("a")]));
    assert_eq!(wire::calls_and_results_paired(&running, &open), Ok(()));
}

#[test]
fn chat_results_follow_their_message() {
    let adjacent = |messages: Value| wire::results_adjacent(&view(OpenAiChat, &messages), &[]);
    assert_eq!(adjacent(json!([calls(&["a", "b"]), result("b"), result("a"), user("u")])), Ok(()));
    finds(adjacent(json!([calls(&["a"]), user("u"), result("a")])), "`a` is not answered");
    finds(adjacent(json!([calls(&["a"])])), "`a` is not answered");
    finds(adjacent(json!([user("u"), result("a")])), "not a call of the message");
}

#[test]
fn anthropic_results_open_the_next_message() {
    let call =
        json!({"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]});
    let answer = json!({"type": "tool_result", "tool_use_id": "a", "content": "r"});
    let text = json!({"type": "text", "text": "t"});
    let adjacent = |content: Value| {
        let messages = json!([call, {"role": "user", "content": content}]);
        wire::results_adjacent(&view(Anthropic, &messages), &[])
    };
    assert_eq!(adjacent(json!([answer, text])), Ok(()));
    finds(adjacent(json!([text, answer])), "behind something else");
    finds(adjacent(json!([text])), "`a` is not answered");
    finds(adjacent(json!([answer, answer])), "does not call");
}

#[test]
fn gemini_results_match_in_number_and_name() {
    let call = |name: &str| json!({"functionCall": {"name": name, "args": {}}});
    let answer = |name: &str| json!({"functionResponse": {"name": name, "response": {}}});
    let adjacent = |parts: Value| {
        let messages =
            json!([{"role": "model", "parts": [call("f"), call("g")]}, {"role": "user", "parts": parts}]);
        wire::results_adjacent(&view(Gemini, &messages), &[])
    };
    assert_eq!(adjacent(json!([answer("f"), answer("g"), {"text": "t"}])), Ok(()));
    finds(adjacent(json!([answer("f")])), "were called");
    finds(adjacent(json!([answer("f"), answer("h")])), "were called");
}

#[test]
fn roles_and_content() {
    let anthropic = |messages: Value| view(Anthropic, &messages);
    finds(wire::alternating_roles(&anthropic(json!([user("a"), user("b")]))), "0 and 1");
    finds(wire::starts_with_user(&anthropic(json!([assistant("a")]))), "Assistant");
    finds(wire::no_empty_content(&anthropic(json!([user(" ")]))), "blank");
    finds(wire::no_empty_content(&anthropic(json!([{"role": "user", "content": []}]))), "no content");
    let chat = view(OpenAiChat, &json!([{"role": "system", "content": "s"}, summary(), result("a")]));
    finds(wire::first_kept_is_not_result(&chat), "message 2");
}

#[test]
fn reasoning_stays_with_its_item() {
    let reasoning = json!({"type": "reasoning", "id": "rs", "encrypted_content": "x"});
    let call =
        |id: &str| json!({"type": "function_call", "id": id, "call_id": id, "name": "f", "arguments": "{}"});
    let before = json!([reasoning, call("a"), call("b")]);
    let followed = |after: Value| {
        wire::reasoning_followed(&view(OpenAiResponses, &after), &view(OpenAiResponses, &before))
    };
    assert_eq!(followed(before.clone()), Ok(()));
    finds(followed(json!([call("b")])), "`b`) has lost its reasoning");
    finds(followed(json!([reasoning])), "nothing follows");
    finds(followed(json!([reasoning, call("b")])), "not what it belongs to");
    let mut bare = call("b");
    bare.as_object_mut().unwrap().shift_remove("id");
    assert_eq!(followed(json!([bare])), Ok(()));
}

#[test]
fn what_is_kept_is_one_tail_and_the_pins() {
    let before = json!([user("a"), assistant("b"), user("c"), assistant("d")]);
    let kept = |after: Value, pins: &[usize]| kept::suffix_verbatim(&pair(OpenAiChat, &before, &after), pins);
    assert_eq!(kept(json!([summary(), user("c"), assistant("d")]), &[]), Ok(()));
    assert_eq!(kept(json!([summary(), assistant("b"), assistant("d")]), &[1]), Ok(()));
    finds(kept(json!([summary(), user("a"), assistant("d")]), &[]), "one tail");
    finds(kept(json!([summary(), user("c")]), &[]), "one tail");
    finds(kept(json!([summary(), user("c!"), assistant("d")]), &[]), "one tail");
    finds(kept(json!([summary(), assistant("d")]), &[1]), "one tail");
}

#[test]
fn messages_may_be_joined_but_not_divided() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let two = json!([{"role": "user", "content": [text("a")]}, {"role": "user", "content": [text("b")]}]);
    let one = json!([{"role": "user", "content": [text("a"), text("b")]}]);
    assert_eq!(kept::suffix_verbatim(&pair(Anthropic, &two, &one), &[]), Ok(()));
    finds(kept::suffix_verbatim(&pair(Anthropic, &one, &two), &[]), "one tail");
    assert_eq!(kept::messages_verbatim(&pair(Anthropic, &two, &one), &[0, 1]), Ok(()));
    finds(kept::messages_verbatim(&pair(Anthropic, &two, &one), &[1, 0]), "message 0");
}

#[test]
fn signed_messages_are_whole_or_without_thinking() {
    let thinking = json!({"type": "thinking", "thinking": "t", "signature": "s"});
    let sealed = json!({"type": "redacted_thinking", "data": "d"});
    let call = json!({"type": "tool_use", "id": "a", "name": "f", "input": {}});
    let message = |content: Value| json!({"role": "assistant", "content": content});
    let signed = message(json!([thinking, sealed, call]));
    let whole = |after: Value| {
        let before = json!([signed, user("r"), assistant("latest")]);
        kept::signed_whole(&pair(Anthropic, &before, &after))
    };
    assert_eq!(whole(json!([signed])), Ok(()));
    assert_eq!(whole(json!([message(json!([call]))])), Ok(()));
    finds(whole(json!([message(json!([thinking, call]))])), "kept in part");
    finds(whole(json!([message(json!([sealed, thinking, call]))])), "kept in part");
    let altered = json!({"type": "thinking", "thinking": "T", "signature": "s"});
    finds(whole(json!([message(json!([altered, sealed, call]))])), "not the input's");

    let latest = json!([message(json!([thinking, call]))]);
    finds(kept::signed_whole(&pair(Anthropic, &latest, &json!([message(json!([call]))]))), "kept in part");
}

#[test]
fn signatures_of_gemini_do_not_move() {
    let call = |n: u8| json!({"functionCall": {"name": "f", "args": {"n": n}}});
    let signed = |n: u8| json!({"functionCall": {"name": "f", "args": {"n": n}}, "thoughtSignature": "s"});
    let model = |parts: Value| json!([{"role": "model", "parts": parts}]);
    let whole = |after: Value| kept::signed_whole(&pair(Gemini, &model(json!([signed(1), call(2)])), &after));
    assert_eq!(whole(model(json!([signed(1), call(2)]))), Ok(()));
    finds(whole(model(json!([call(1), signed(2)]))), "not the input's");
    finds(whole(model(json!([call(1), call(2)]))), "not the input's");
}

#[test]
fn system_messages_stay() {
    let system = |text: &str| json!({"role": "system", "content": text});
    let before = json!([system("s"), user("a"), system("t"), user("b")]);
    let kept = |after: Value| kept::system_kept(&pair(OpenAiChat, &before, &after));
    assert_eq!(kept(json!([system("s"), system("t"), summary(), user("b")])), Ok(()));
    finds(kept(json!([system("s"), summary(), user("b")])), "not those of the input");
    finds(kept(json!([summary(), system("s"), system("t"), user("b")])), "no longer stands in front");
    finds(kept(json!([system("s"), system("t")])), "nothing but instructions");
}

#[test]
fn texts() {
    assert!(texts::found("FACT-L1", ["see FACT-L1."].into_iter()));
    assert!(!texts::found("FACT-L1", ["see FACT-L10"].into_iter()));
    let unclosed = user("The conversation history before this point was compacted into this: x");
    finds(texts::summary_messages(&view(OpenAiChat, &json!([unclosed])), 1), "not closed");
    finds(texts::summary_messages(&view(OpenAiChat, &json!([summary(), summary()])), 1), "2 summaries");
    let before = json!([user("one two")]);
    let order = |after: Value| texts::in_order(&pair(OpenAiChat, &before, &after), &["one", "two"]);
    assert_eq!(order(json!([user("one two")])), Ok(()));
    finds(order(json!([user("two one")])), "`two`");
    finds(order(json!([user("one"), result("a"), user("two")])), "message 1 comes between");
}
