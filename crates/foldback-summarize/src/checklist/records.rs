//! The state of a thing, as a tool's JSON answer tells it.

use serde_json::{Map, Value};

use crate::text::{one_line, redact};

const BODY_CHARS: usize = 420;
/// Longer answers are documents, not records.
const MOST_BYTES: usize = 16 * 1024;

/// The things that `result` describes, each with its name and its state. An answer that does not name
/// what it is about gets the name from the arguments of the call.
pub(super) fn records(arguments: Option<&Map<String, Value>>, result: &str) -> Vec<(String, String)> {
    // A list longer than this is a search, not an answer about things.
    const MOST_THINGS: usize = 8;
    let trimmed = result.trim();
    if trimmed.len() > MOST_BYTES || !trimmed.starts_with(['{', '[']) {
        return Vec::new();
    }
    match serde_json::from_str(trimmed) {
        Ok(Value::Object(object)) => {
            let own = id_of(&object);
            own.or_else(|| arguments.and_then(id_of))
                .and_then(|name| describe(name, &object))
                .into_iter()
                .collect()
        }
        Ok(Value::Array(things)) if things.len() <= MOST_THINGS => things
            .iter()
            .filter_map(|thing| thing.as_object())
            .filter_map(|object| describe(id_of(object)?, object))
            .collect(),
        _ => Vec::new(),
    }
}

/// The short arguments of a call, `key=value`, for a reader.
pub(super) fn shown_arguments(arguments: Option<&Map<String, Value>>) -> String {
    let mut shown = Vec::new();
    for (key, value) in arguments.into_iter().flatten() {
        let mut text = String::new();
        write_value(&mut text, value, 0);
        if !text.is_empty() && text.chars().count() <= 60 {
            shown.push(format!("{key}={text}"));
        }
    }
    one_line(&redact(&shown.join(", ")), 160)
}

/// `reservation_id JG7FMM`: the first member whose key says that it is an id.
fn id_of(object: &Map<String, Value>) -> Option<String> {
    let is_id = |key: &str| {
        key == "id" || key.ends_with("_id") || key.ends_with("Id") || key == "key" || key == "number"
    };
    object.iter().find_map(|(key, value)| {
        let value = match value {
            Value::String(text) if !text.is_empty() && text.len() <= 80 => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        is_id(key).then(|| one_line(&format!("{key} {value}"), 120))
    })
}

fn describe(name: String, object: &Map<String, Value>) -> Option<(String, String)> {
    let mut members = Vec::new();
    for (key, value) in object {
        let mut text = String::new();
        write_value(&mut text, value, 0);
        if !text.is_empty() && name != format!("{key} {text}") {
            members.push(format!("{key}={text}"));
        }
    }
    // Should the line be cut, it is better to lose one long list than all that stands behind it.
    members.sort_by_key(|member| member.len() > 60);
    let body = one_line(&redact(&members.join(", ")), BODY_CHARS);
    (!body.is_empty()).then_some((name, body))
}

/// Values without the keys of inner objects: the order tells a reader enough.
fn write_value(text: &mut String, value: &Value, depth: usize) {
    // Deeper values are details, and a bound keeps the work linear.
    const DEEPEST: usize = 4;
    if depth > DEEPEST || text.len() > 4 * BODY_CHARS {
        return;
    }
    let mut join = |parts: &mut dyn Iterator<Item = &Value>, separator: &str, open: &str, close: &str| {
        let mut inner = Vec::new();
        for part in parts {
            let mut piece = String::new();
            write_value(&mut piece, part, depth + 1);
            if !piece.is_empty() {
                inner.push(piece);
            }
        }
        if !inner.is_empty() {
            text.push_str(open);
            text.push_str(&inner.join(separator));
            text.push_str(close);
        }
    };
    match value {
        Value::Null => {}
        Value::Bool(flag) => text.push_str(if *flag { "yes" } else { "no" }),
        Value::Number(number) => text.push_str(&number.to_string()),
        Value::String(string) => text.push_str(&one_line(string, 80)),
        Value::Array(values) if values.iter().all(Value::is_object) => {
            join(&mut values.iter(), "; ", "[", "]")
        }
        Value::Array(values) => join(&mut values.iter(), " ", "[", "]"),
        Value::Object(members) => {
            // A map from an id to a thing that repeats the id says it once.
            let mut seen = Vec::new();
            let mut values = members.values().filter(|value| {
                let fresh = !seen.contains(value);
                seen.push(*value);
                fresh
            });
            join(&mut values, " ", if depth == 0 { "" } else { "{" }, if depth == 0 { "" } else { "}" });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_named_by_its_id_or_by_the_question() {
        let result = r#"{"reservation_id": "JG7FMM", "cabin": "economy", "flights": [{"n": "HAT028", "price": 140}], "note": null}"#;
        assert_eq!(
            records(None, result),
            [("reservation_id JG7FMM".to_owned(), "cabin=economy, flights=[{HAT028 140}]".to_owned())]
        );
        let arguments = serde_json::from_str(r#"{"user_id": "u_1"}"#).unwrap();
        assert_eq!(
            records(Some(&arguments), r#"{"email": "a@b.c"}"#),
            [("user_id u_1".to_owned(), "email=a@b.c".to_owned())]
        );
        assert!(records(None, r#"{"email": "a@b.c"}"#).is_empty());
        assert!(records(None, "{broken").is_empty());
        assert!(records(None, "plain").is_empty());
    }
}
