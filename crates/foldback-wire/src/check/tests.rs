use foldback_model::WireFormat::{self, Anthropic, Gemini, OpenAiChat, OpenAiResponses};
use foldback_model::{Message, Part, Role, Thinking, ToolCall, ToolResult};

use super::check;

/// `s` system, `u` user, `a` assistant, `a>x,y` with calls, `u<x,y` or `t<x` with results, `r`
/// reasoning; `+` adds a text behind, `^` in front, `_` is a blank text, `.` no content.
fn messages(text: &str) -> Vec<Message> {
    text.split_whitespace().map(message).collect()
}

fn message(word: &str) -> Message {
    let role = match word.as_bytes()[0] {
        b's' => Role::System,
        b'u' => Role::User,
        b't' => Role::Tool,
        _ => Role::Assistant,
    };
    let rest = &word[1..];
    let ids = || rest.trim_end_matches('+').trim_start_matches(['^', '<', '>']).split(',');
    let mut parts: Vec<Part> = if rest.contains('<') {
        ids().map(|id| Part::ToolResult(ToolResult::new(id, "ok"))).collect()
    } else if rest.contains('>') {
        ids().map(|id| Part::ToolCall(ToolCall::new(id, "f", "{}"))).collect()
    } else {
        match (word.as_bytes()[0], rest) {
            (_, ".") => Vec::new(),
            (_, "_") => vec![Part::text(" \n")],
            (b'r', _) => vec![Part::Thinking(Thinking::sealed("zz"))],
            _ => vec![Part::text("hello")],
        }
    };
    if rest.ends_with('+') {
        parts.push(Part::text("more"));
    }
    if rest.starts_with('^') {
        parts.insert(0, Part::text("first"));
    }
    Message::new(role, parts)
}

/// The findings as `index rule`, joined by commas.
#[track_caller]
fn judge(provider: WireFormat, text: &str, expected: &str) {
    let found: Vec<String> = check(provider, &messages(text))
        .into_iter()
        .map(|finding| {
            assert!(finding.message.contains("; "), "{finding:?}");
            format!("{} {}", finding.index, finding.rule)
        })
        .collect();
    assert_eq!(found.join(", "), expected, "{provider:?}: {text}");
}

#[test]
fn valid_lists_pass() {
    judge(OpenAiChat, "s u a>1,2 t<2 t<1 a u u", "");
    judge(OpenAiResponses, "a u r a>1 t<1 r a", "");
    judge(Anthropic, "u a>1,2 u<1,2+ a u", "");
    judge(Gemini, "u a>1,2 u<1,2 a u", "");
}

#[test]
fn a_request_has_something_to_answer() {
    for provider in WireFormat::ALL {
        judge(provider, "", "0 no-messages");
    }
    judge(OpenAiChat, "s", "0 no-messages");
}

#[test]
fn the_first_is_the_user() {
    judge(Anthropic, "s a u", "1 first-role");
    judge(Gemini, "a u", "0 first-role");
    judge(OpenAiChat, "a u", "");
    judge(OpenAiChat, "s t<1 u", "1 first-role, 1 orphan-result");
}

#[test]
fn roles_alternate() {
    judge(Anthropic, "u u a a", "1 alternation, 3 alternation");
    judge(Gemini, "s u u", "2 alternation");
    // An API that takes system messages inside the list joins neighbours.
    judge(Anthropic, "u u s a", "");
    // Tool messages become one message of the user, together with what the user says next.
    judge(Anthropic, "u a>1,2 t<1 t<2 u a", "");
}

#[test]
fn results_need_an_open_call() {
    judge(OpenAiResponses, "u a>1 t<1 t<1 u t<9", "3 orphan-result, 5 orphan-result");
}

#[test]
fn calls_need_a_result() {
    judge(OpenAiResponses, "u a>1 u", "1 unanswered-call");
    judge(Anthropic, "u a>1,2 u<1", "1 unanswered-call");
    let found = check(OpenAiChat, &messages("u a>c7"));
    assert!(found[0].message.contains("`c7`"), "{found:?}");
}

#[test]
fn results_follow_their_calls() {
    judge(OpenAiChat, "u a>1,2 t<1 u t<2", "3 results-adjacent");
    judge(OpenAiResponses, "u a>1 a>2 t<2 u t<1", "");
    judge(Anthropic, "u a>1 a u<1", "2 alternation, 3 results-adjacent");
    judge(Anthropic, "u a>1,2 u<1 a u<2", "4 results-adjacent");
    judge(Anthropic, "u a>1 u^<1", "2 results-adjacent");
}

#[test]
fn gemini_counts_and_names_responses() {
    judge(Gemini, "u a>1,2 u<1 a", "1 unanswered-call, 2 results-adjacent");
    let mut list = messages("u a>1 u<1");
    let mut result = ToolResult::new("1", "ok");
    result.name = Some("g".to_owned());
    list[2].set_parts(vec![Part::ToolResult(result)]);
    assert_eq!(check(Gemini, &list)[0].rule, "results-adjacent");
}

#[test]
fn content_is_not_empty() {
    judge(Anthropic, "u. a u_ a.", "0 empty-content, 2 empty-content, 3 empty-content");
    judge(OpenAiChat, "u a. u_", "1 empty-content, 2 empty-content");
    judge(OpenAiResponses, "u a. u_", "");
    judge(Gemini, "u_ a a_", "0 empty-content, 2 alternation, 2 empty-content");
}

#[test]
fn some_empty_content_is_taken_back_as_it_came() {
    let read = |wire, json: &str| {
        let mut list = messages("u a");
        let place = usize::from(json.contains("assistant"));
        list[place] = crate::codec::decode_message(wire, json).unwrap();
        check(wire, &list)
    };
    assert_eq!(read(Anthropic, r#"{"role":"assistant","content":[]}"#), []);
    assert_eq!(read(Gemini, r#"{"role":"user","parts":[{"text":""}]}"#), []);
    assert_eq!(read(OpenAiChat, r#"{"role":"assistant","content":""}"#), []);
    assert_eq!(read(OpenAiChat, r#"{"role":"assistant","content":null}"#).len(), 1);
}

#[test]
fn call_ids_are_there_and_different() {
    judge(OpenAiChat, "u a>1,1 t<1 t<1", "1 call-id");
    judge(OpenAiChat, "u a> t<", "1 call-id");
    judge(OpenAiChat, "u a>a.b t<a.b", "");
    judge(Anthropic, "u a>a.b u<a.b", "1 call-id");
    judge(Gemini, "u a>1,1 u<1,1", "");
}

#[test]
fn reasoning_is_followed() {
    judge(OpenAiResponses, "u r r a", "");
    judge(OpenAiResponses, "u r u r", "1 reasoning-follower, 3 reasoning-follower");
}

#[test]
fn ids_of_anthropic_differ_in_the_whole_request() {
    judge(Anthropic, "u a>1 u<1 a>1 u<1 a", "3 call-id");
    judge(OpenAiChat, "u a>1 t<1 a>1 t<1 a", "");
}

#[test]
fn parts_stand_where_their_role_is() {
    judge(OpenAiResponses, "u u>1 t<1 a", "1 part-role");
    judge(OpenAiChat, "u a>1 a<1 a", "2 part-role");
    judge(Anthropic, "s>1 u<1", "0 part-role");
}

#[test]
fn reasoning_of_anthropic_is_signed() {
    let mut list = messages("u a u");
    let thought = |thinking: Thinking| vec![Part::Thinking(thinking), Part::text("x")];
    list[1].set_parts(thought(Thinking::new("hm")));
    assert_eq!(check(Anthropic, &list)[0].rule, "thinking-signature");
    assert!(check(OpenAiChat, &list).is_empty());
    list[1].set_parts(thought(Thinking::new("hm").signed("")));
    assert_eq!(check(Anthropic, &list).len(), 1);
    list[1].set_parts(thought(Thinking::new("hm").signed("s")));
    assert!(check(Anthropic, &list).is_empty());
}

#[test]
fn calls_of_gemini_keep_their_signatures_in_the_turn_under_way() {
    let mut list = messages("u a>1 u<1 a u a>2,3 u<2,3 a>4 u<4");
    assert!(check(Gemini, &list).is_empty(), "a model that does not sign");
    let sign = |message: &mut Message| {
        let mut parts = message.parts().to_vec();
        if let Some(Part::ToolCall(call)) = parts.first_mut() {
            call.signature = Some("s".to_owned());
        }
        message.set_parts(parts);
    };
    sign(&mut list[5]);
    let found = check(Gemini, &list);
    assert_eq!((found.len(), found[0].index, found[0].rule), (1, 7, "thought-signature"));
    sign(&mut list[7]);
    assert!(check(Gemini, &list).is_empty());
}
