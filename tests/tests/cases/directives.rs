//! The directives of `input.json`: short forms of long values, and sweeps.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// `value` once for each choice of its sweeps, named after the keys and values chosen.
pub(crate) fn sweep(value: &Value) -> Vec<(String, Value)> {
    let Some((path, choices)) = first_sweep(value, "") else {
        return vec![(String::new(), value.clone())];
    };
    let key = path.rsplit('/').next().unwrap_or_default();
    let mut all = Vec::new();
    for choice in choices {
        let mut chosen = value.clone();
        *chosen.pointer_mut(&path).expect("the path was found in this value") = choice.clone();
        for (rest, value) in sweep(&chosen) {
            let here = format!("{key}={choice}");
            let name = if rest.is_empty() { here } else { format!("{here},{rest}") };
            all.push((name, value));
        }
    }
    all
}

/// The JSON pointer of the first sweep, and its values.
fn first_sweep(value: &Value, path: &str) -> Option<(String, Vec<Value>)> {
    match value {
        Value::Object(map) => {
            if let Some(("$sweep", Value::Array(choices))) = directive(map) {
                return Some((path.to_owned(), choices.clone()));
            }
            map.iter().find_map(|(key, value)| {
                let key = key.replace('~', "~0").replace('/', "~1");
                first_sweep(value, &format!("{path}/{key}"))
            })
        }
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(index, item)| first_sweep(item, &format!("{path}/{index}")))
        }
        _ => None,
    }
}

/// `value` with every directive but sweeps replaced by what it stands for, from the inside out.
pub(crate) fn expand(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().flat_map(expand_item).collect()),
        Value::Object(map) => match directive(map) {
            Some((name, argument)) => apply(name, &expand(argument)),
            None => Value::Object(map.iter().map(|(key, value)| (key.clone(), expand(value))).collect()),
        },
        plain => plain.clone(),
    }
}

/// An element of a list, or the several that a splice stands for.
fn expand_item(item: &Value) -> Vec<Value> {
    if let Value::Object(map) = item
        && let Some(("$splice", list)) = directive(map)
    {
        return elements(&expand(list), "$splice");
    }
    vec![expand(item)]
}

fn directive(map: &Map<String, Value>) -> Option<(&str, &Value)> {
    let (key, value) = map.iter().next()?;
    (map.len() == 1 && key.starts_with('$')).then_some((key.as_str(), value))
}

fn apply(name: &str, argument: &Value) -> Value {
    match name {
        "$repeat" => text(&argument[0], name).repeat(number(&argument[1], name)).into(),
        "$concat" => {
            elements(argument, name).iter().map(|piece| text(piece, name)).collect::<String>().into()
        }
        "$base64_bytes" => base64_bytes(number(&argument[0], name), &plain(&argument[1])).into(),
        "$repeat_list" => {
            let n = number(&argument[1], name);
            (1..=n).map(|i| numbered(&argument[0], &i.to_string())).collect()
        }
        _ => panic!("`{name}` is no directive that may stand here"),
    }
}

/// Standard base64 of `n` bytes: digests of `seed:0`, `seed:1`, …
fn base64_bytes(n: usize, seed: &str) -> String {
    let mut bytes = Vec::with_capacity(n + 32);
    for block in 0.. {
        if bytes.len() >= n {
            break;
        }
        bytes.extend_from_slice(&Sha256::digest(format!("{seed}:{block}")));
    }
    bytes.truncate(n);
    BASE64_STANDARD.encode(bytes)
}

/// `value` with `{i}` in its strings replaced.
fn numbered(value: &Value, i: &str) -> Value {
    match value {
        Value::String(text) => text.replace("{i}", i).into(),
        Value::Array(items) => items.iter().map(|item| numbered(item, i)).collect(),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), numbered(value, i))).collect(),
        other => other.clone(),
    }
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.as_str().unwrap_or_else(|| panic!("`{name}` wants a text, not {value}"))
}

fn number(value: &Value, name: &str) -> usize {
    let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
    number.unwrap_or_else(|| panic!("`{name}` wants a number, not {value}"))
}

fn elements(value: &Value, name: &str) -> Vec<Value> {
    value.as_array().unwrap_or_else(|| panic!("`{name}` wants a list, not {value}")).clone()
}

/// A text as it is, anything else as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn directives_expand_from_the_inside_out() {
        let short = json!({
            "text": {"$concat": ["a", {"$repeat": ["bc", 2]}]},
            "list": [0, {"$splice": {"$repeat_list": [{"id": "call_{i}"}, 2]}}, 9],
        });
        let long = json!({"text": "abcbc", "list": [0, {"id": "call_1"}, {"id": "call_2"}, 9]});
        assert_eq!(expand(&short), long);
    }

    #[test]
    fn bytes_are_digests_of_the_numbered_seed() {
        // The digest of `x:0` begins with these bytes.
        let digest = Sha256::digest("x:0");
        let bytes = BASE64_STANDARD.decode(base64_bytes(40, "x")).unwrap();
        assert_eq!(bytes.len(), 40);
        assert_eq!(bytes[..32], digest[..]);
        assert_eq!(bytes[32..], Sha256::digest("x:1")[..8]);
    }

    #[test]
    fn sweeps_multiply() {
        let swept = json!({"a": {"$sweep": [1, 2]}, "b": [{"c": {"$sweep": ["x", "y"]}}]});
        let all = sweep(&swept);
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a=1,c=\"x\"", "a=1,c=\"y\"", "a=2,c=\"x\"", "a=2,c=\"y\""]);
        assert_eq!(all[3].1, json!({"a": 2, "b": [{"c": "y"}]}));
    }
}
