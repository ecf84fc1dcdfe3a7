//! Joins neighbours of one role, for providers that want roles to alternate.

use foldback_model::WireFormat;

use crate::json::{self, Object, quote};

/// One element of the list to be written.
pub(crate) struct Element {
    pub(crate) json: String,
    /// Index of the message, in the context as projected.
    pub(crate) index: usize,
    /// Its place in the list that was read, if it is written with the bytes that it had there.
    pub(crate) origin: Option<usize>,
}

/// A list after joining.
pub(crate) struct Joined {
    pub(crate) elements: Vec<Element>,
    /// Indices of the messages that were joined to the one before them.
    pub(crate) joined: Vec<usize>,
}

/// Joins where the provider of `wire` demands it: everywhere with `all_seams`, else only where two
/// elements meet that were no neighbours in the input.
pub(crate) fn join(elements: Vec<Element>, wire: WireFormat, all_seams: bool) -> Joined {
    let mut result = Joined { elements: Vec::with_capacity(elements.len()), joined: Vec::new() };
    if !wire.alternates() {
        result.elements = elements;
        return result;
    }
    // The elements that become one, the role and the origin of the last of them.
    let mut group: Vec<Element> = Vec::new();
    let mut end: Option<(String, Option<usize>)> = None;
    for element in elements {
        let role = role(&element.json);
        let meets = end.as_ref().filter(|(last, _)| *last == role && role != "system");
        let is_seam = meets.is_some_and(|(_, origin)| {
            all_seams || !matches!((origin, element.origin), (Some(a), Some(b)) if a + 1 == b)
        });
        end = Some((role, element.origin));
        if is_seam {
            // Several elements may have come from one message.
            if group.last().is_some_and(|last| last.index != element.index) {
                result.joined.push(element.index);
            }
        } else {
            result.elements.extend(concatenated(std::mem::take(&mut group), wire));
        }
        group.push(element);
    }
    result.elements.extend(concatenated(group, wire));
    result
}

fn role(element: &str) -> String {
    let role = Object::parse(element).and_then(|object| object.text("role")).unwrap_or_default();
    // Gemini's responses come under three names.
    if matches!(role.as_str(), "function" | "tool" | "") { "user".to_owned() } else { role }
}

/// A group of elements as one, block by block as they came.
fn concatenated(mut group: Vec<Element>, wire: WireFormat) -> Option<Element> {
    if group.len() < 2 {
        return group.pop();
    }
    let key = if wire == WireFormat::Gemini { "parts" } else { "content" };
    let mut members: Vec<(String, &str)> = Vec::new();
    // Results have to stand in front.
    let (mut results, mut rest): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for object in group.iter().filter_map(|element| Object::parse(&element.json)) {
        let (front, back): (Vec<_>, Vec<_>) =
            blocks(&object, key).into_iter().partition(|block| is_result(block));
        results.extend(front);
        rest.extend(back);
        for (name, value) in object.members() {
            // Of what only one message can have, the first one's is kept.
            if name != key && members.iter().all(|(known, _)| known != name) {
                members.push((name.to_owned(), value));
            }
        }
    }
    results.append(&mut rest);
    let mut members: Vec<String> =
        members.iter().map(|(name, value)| format!("{}:{value}", quote(name))).collect();
    members.push(format!(r#""{key}":[{}]"#, results.join(",")));
    let json = format!("{{{}}}", members.join(","));
    Some(Element { json, index: group.first()?.index, origin: None })
}

fn is_result(block: &str) -> bool {
    Object::parse(block).is_some_and(|block| {
        block.text("type").as_deref() == Some("tool_result")
            || block.has("functionResponse")
            || block.has("function_response")
    })
}

/// The blocks of a message; a bare text is one block.
fn blocks(message: &Object<'_>, key: &str) -> Vec<String> {
    let Some(content) = message.get(key) else { return Vec::new() };
    match json::list(content) {
        Some(blocks) => blocks.into_iter().map(str::to_owned).collect(),
        // No provider takes a blank text as a block.
        None if json::string(content).is_some_and(|text| text.trim().is_empty()) => Vec::new(),
        None if content.starts_with('"') => vec![format!(r#"{{"type":"text","text":{content}}}"#)],
        None => vec![content.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wire: WireFormat, all_seams: bool, elements: &[(&str, Option<usize>)], expected: &[&str]) {
        let elements = elements
            .iter()
            .enumerate()
            .map(|(index, (json, origin))| Element { json: (*json).to_owned(), index, origin: *origin })
            .collect();
        let joined = join(elements, wire, all_seams);
        let json: Vec<&str> = joined.elements.iter().map(|element| element.json.as_str()).collect();
        assert_eq!(json, expected);
    }

    const A: &str = r#"{"role":"user","content":"a"}"#;
    const B: &str = r#"{"role": "user", "content": [{"type": "text",  "text": "b"}]}"#;

    #[test]
    fn neighbours_of_the_input_stay_apart() {
        check(WireFormat::Anthropic, false, &[(A, Some(3)), (B, Some(4))], &[A, B]);
    }

    #[test]
    fn new_neighbours_share_a_message_and_keep_their_bytes() {
        let both = r#"{"role":"user","content":[{"type":"text","text":"a"},{"type": "text",  "text": "b"}]}"#;
        check(WireFormat::Anthropic, false, &[(A, None), (B, Some(4))], &[both]);
        check(WireFormat::Anthropic, true, &[(A, Some(3)), (B, Some(4))], &[both]);
        check(WireFormat::OpenAiChat, true, &[(A, None), (B, None)], &[A, B]);
    }

    #[test]
    fn results_come_first() {
        let result = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"x"}]}"#;
        let both = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"x"},{"type":"text","text":"a"}]}"#;
        check(WireFormat::Anthropic, true, &[(A, None), (result, None)], &[both]);
    }
}
