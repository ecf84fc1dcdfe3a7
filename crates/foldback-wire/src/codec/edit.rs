//! Takes parts out of a message's own JSON: what is left keeps its bytes.

use foldback_model::WireFormat;

use crate::json::{Object, quote};

/// `element`, a message of `wire`, without the parts at the places `left_out`, counted as the reader
/// counts them. `None` where the format cannot leave them out.
pub(crate) fn without_parts(wire: WireFormat, element: &str, left_out: &[usize]) -> Option<String> {
    let object = Object::parse(element)?;
    match wire {
        WireFormat::Anthropic => without_elements(&object, "content", left_out),
        WireFormat::Gemini => without_elements(&object, "parts", left_out),
        WireFormat::OpenAiChat => without_chat_parts(&object, left_out),
        _ => None,
    }
}

/// The object without some elements of its list `key`, each of which is one part.
fn without_elements(object: &Object<'_>, key: &str, left_out: &[usize]) -> Option<String> {
    let elements = object.list(key)?;
    let left_out_there = left_out.iter().all(|&place| place < elements.len());
    left_out_there
        .then(|| rebuilt(object, |name| (name == key).then(|| list_without(&elements, 0, left_out))))
}

/// Chat: reasoning, content, a refusal, calls and the older form of a call stand in members of their own,
/// in this order.
fn without_chat_parts(object: &Object<'_>, left_out: &[usize]) -> Option<String> {
    let filled = |key: &str| object.text(key).is_some_and(|text| !text.is_empty());
    let reasoning_key = ["reasoning_content", "reasoning"].into_iter().find(|key| object.text(key).is_some());
    let n_reasoning = usize::from(reasoning_key.is_some_and(filled));
    let content = object.list("content");
    let n_content = content.as_ref().map_or(usize::from(filled("content")), Vec::len);
    let refusal = n_reasoning + n_content;
    let first_call = refusal + usize::from(filled("refusal"));
    let calls = object.list("tool_calls").unwrap_or_default();
    let last = first_call + calls.len();
    let is_out = |place: usize| left_out.contains(&place);
    if left_out.iter().any(|&place| place >= last + usize::from(object.has("function_call"))) {
        return None;
    }
    Some(rebuilt(object, |name| match name {
        "reasoning_content" | "reasoning" if n_reasoning == 1 && is_out(0) => Some(String::new()),
        "content" => match &content {
            Some(parts) => Some(list_without(parts, n_reasoning, left_out)),
            None => (n_content == 1 && is_out(n_reasoning)).then(|| "null".to_owned()),
        },
        "refusal" if filled("refusal") && is_out(refusal) => Some("null".to_owned()),
        "tool_calls" if !calls.is_empty() => {
            let left = list_without(&calls, first_call, left_out);
            // The provider refuses an empty list.
            Some(if left == "[]" { String::new() } else { left })
        }
        "function_call" if is_out(last) => Some(String::new()),
        _ => None,
    }))
}

/// The list without the elements whose places, counted from `first`, are left out.
fn list_without(elements: &[&str], first: usize, left_out: &[usize]) -> String {
    let stays = |(place, _): &(usize, &&str)| left_out.binary_search(&(first + place)).is_err();
    let left: Vec<&str> = elements.iter().enumerate().filter(stays).map(|(_, element)| *element).collect();
    format!("[{}]", left.join(","))
}

/// The object with other values for some members; an empty one takes the member out.
fn rebuilt(object: &Object<'_>, value: impl Fn(&str) -> Option<String>) -> String {
    let member = |(name, old): (&str, &str)| {
        let new = value(name).unwrap_or_else(|| old.to_owned());
        (!new.is_empty()).then(|| format!("{}:{new}", quote(name)))
    };
    let members: Vec<String> = object.members().filter_map(member).collect();
    format!("{{{}}}", members.join(","))
}

#[cfg(test)]
mod tests {
    use foldback_model::WireFormat::{Anthropic, Gemini, OpenAiChat, OpenAiResponses};

    use super::*;
    use crate::codec::decode_message;

    /// The edited JSON is as expected, and says what the edited message says.
    #[track_caller]
    fn check(wire: WireFormat, json: &str, left_out: &[usize], expected: &str) {
        let edited = without_parts(wire, json, left_out).unwrap();
        assert_eq!(edited, expected);
        let before = decode_message(wire, json).unwrap();
        let left: Vec<_> = before.parts().iter().enumerate().filter(|(n, _)| !left_out.contains(n)).collect();
        let after = decode_message(wire, &edited).unwrap();
        assert_eq!(after.parts(), left.into_iter().map(|(_, part)| part.clone()).collect::<Vec<_>>());
    }

    #[test]
    fn blocks_keep_their_bytes_and_members_their_places() {
        check(
            Anthropic,
            r#"{"id": "m", "content": [{"type":"thinking","thinking":"","signature":"s"}, {"type": "text",  "text":"a", "x":1}], "role":"assistant"}"#,
            &[0],
            r#"{"id":"m","content":[{"type": "text",  "text":"a", "x":1}],"role":"assistant"}"#,
        );
        check(
            Gemini,
            r#"{"role":"user","parts":[{"text":"a"},{ "text":"b"}]}"#,
            &[0],
            r#"{"role":"user","parts":[{ "text":"b"}]}"#,
        );
    }

    #[test]
    fn chat_counts_across_its_members() {
        let call = |id| format!(r#"{{"id":"{id}","function":{{"name":"f","arguments":""}}}}"#);
        let (one, two) = (call("1"), call("2"));
        let json = format!(
            r#"{{"role":"assistant","content":"a","reasoning_content":"r","refusal":"no","tool_calls":[{one},{two}]}}"#
        );
        let rest = format!(r#""tool_calls":[{two}]}}"#);
        check(
            OpenAiChat,
            &json,
            &[0, 1, 3],
            &format!(r#"{{"role":"assistant","content":null,"refusal":"no",{rest}"#),
        );
        check(
            OpenAiChat,
            &json,
            &[2, 3, 4],
            r#"{"role":"assistant","content":"a","reasoning_content":"r","refusal":null}"#,
        );
        let list = r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#;
        check(OpenAiChat, list, &[1], r#"{"role":"user","content":[{"type":"text","text":"a"}]}"#);
    }

    #[test]
    fn what_cannot_be_left_out_is_not() {
        assert_eq!(without_parts(OpenAiResponses, r#"{"content":"a"}"#, &[0]), None);
        assert_eq!(without_parts(Anthropic, r#"{"content":"a"}"#, &[0]), None);
        assert_eq!(without_parts(Anthropic, r#"{"content":[]}"#, &[0]), None);
        assert_eq!(without_parts(OpenAiChat, r#"{"content":"a"}"#, &[1]), None);
    }
}
