//! JSON text taken apart without a tree of values: what is not looked at costs nothing and keeps its
//! bytes.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of a JSON object, in order, their values as text.
pub(crate) struct Object<'a> {
    members: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Object<'a> {
    /// The object that `json` is, or `None` for any other kind of value.
    pub(crate) fn parse(json: &'a str) -> Option<Self> {
        if !json.trim_start().starts_with('{') {
            return None;
        }
        serde_json::from_str(json).ok()
    }

    /// The value of `key` as JSON text; a `null` counts as absent, and of two the last one counts.
    pub(crate) fn get(&self, key: &str) -> Option<&'a str> {
        let (_, value) = self.members.iter().rev().find(|(name, _)| name == key)?;
        (value.get() != "null").then_some(value.get())
    }

    /// The value of the first of `keys` that is there: some formats are written in two styles.
    pub(crate) fn get_any(&self, keys: &[&str]) -> Option<&'a str> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// The value of `key`, if it is a string.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        self.get(key).and_then(string)
    }

    /// The value of `key`, if it is an object.
    pub(crate) fn object(&self, key: &str) -> Option<Object<'a>> {
        self.get(key).and_then(Object::parse)
    }

    /// The elements of `key`, if it is a list.
    pub(crate) fn list(&self, key: &str) -> Option<Vec<&'a str>> {
        self.get(key).and_then(list)
    }

    /// Whether the value of `key` is `true`.
    pub(crate) fn flag(&self, key: &str) -> bool {
        self.get(key) == Some("true")
    }

    /// Whether there is a member `key`, be it `null`.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.members.iter().any(|(name, _)| name == key)
    }

    /// The names and values of all members.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.members.iter().map(|(name, value)| (name.as_ref(), *value))
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(Key(key)) = map.next_key()? {
                    members.push((key, map.next_value()?));
                }
                Ok(Object { members })
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// A member's name, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// The elements of the list that `json` is, or `None` for any other kind of value.
pub(crate) fn list(json: &str) -> Option<Vec<&str>> {
    if !json.trim_start().starts_with('[') {
        return None;
    }
    let elements: Vec<&RawValue> = serde_json::from_str(json).ok()?;
    Some(elements.into_iter().map(RawValue::get).collect())
}

/// The text of the string that `json` is, or `None` for any other kind of value.
///
/// Half of a surrogate pair, which some programs write when they cut a text, becomes a replacement
/// character.
pub(crate) fn string(json: &str) -> Option<String> {
    if !json.starts_with('"') {
        return None;
    }
    serde_json::from_str(json).ok().or_else(|| serde_json::from_str(&whole_surrogates(json)).ok())
}

/// `json` with every half of a surrogate pair replaced.
fn whole_surrogates(json: &str) -> String {
    let unit = |at: usize| -> Option<u32> {
        let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    let mut text = String::with_capacity(json.len());
    let mut rest = 0;
    while let Some(found) = json[rest..].find('\\') {
        let at = rest + found;
        text.push_str(&json[rest..at]);
        let (escape, end) = match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => {
                (&json[at..at + 12], at + 12)
            }
            Some(0xD800..=0xDFFF) => ("\\uFFFD", at + 6),
            Some(_) => (&json[at..at + 6], at + 6),
            // The escaped character may be a backslash itself, so both go together.
            None => {
                let end = json[at + 1..].chars().next().map_or(json.len(), |c| at + 1 + c.len_utf8());
                (&json[at..end], end)
            }
        };
        text.push_str(escape);
        rest = end;
    }
    text.push_str(&json[rest..]);
    text
}

/// `text` as a JSON string.
pub(crate) fn quote(text: &str) -> String {
    // Writing a string to memory cannot fail.
    serde_json::to_string(text).unwrap_or_default()
}

/// The strings inside `json`, joined by line breaks: what a model would read of a block. Sealed and
/// binary content is left out.
pub(crate) fn readable(json: &str) -> String {
    let mut texts = Vec::new();
    collect(json, &mut texts, 0);
    texts.join("\n")
}

/// Members whose value no model reads as text.
const SEALED: &[&str] = &[
    "encrypted_content",
    "encrypted_index",
    "signature",
    "thoughtSignature",
    "data",
    "b64_json",
    "id",
    "type",
];

/// Deeper than any block of a provider; what lies deeper is not text for a model.
const MAX_DEPTH: usize = 16;

fn collect(json: &str, texts: &mut Vec<String>, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    if let Some(text) = string(json) {
        if !text.is_empty() {
            texts.push(text);
        }
    } else if let Some(elements) = list(json) {
        elements.into_iter().for_each(|element| collect(element, texts, depth + 1));
    } else if let Some(object) = Object::parse(json) {
        for (name, value) in object.members().filter(|(name, _)| !SEALED.contains(name)) {
            let _ = name;
            collect(value.get(), texts, depth + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_two_members_counts_and_null_is_absent() {
        let object = Object::parse(r#"{"a": 1, "b": null, "a": "x"}"#).unwrap();
        assert_eq!(object.text("a").as_deref(), Some("x"));
        assert_eq!(object.get("b"), None);
        assert!(object.has("b") && !object.has("c"));
    }

    #[test]
    fn half_a_surrogate_pair_is_replaced() {
        assert_eq!(string(r#""a\ud83d""#).as_deref(), Some("a\u{FFFD}"));
        assert_eq!(string(r#""\ude00\ud83d\ude00""#).as_deref(), Some("\u{FFFD}\u{1F600}"));
        assert_eq!(string(r#""\\ud83d\ud83d""#).as_deref(), Some("\\ud83d\u{FFFD}"));
    }

    #[test]
    fn sealed_content_is_not_readable() {
        let block = r#"{"type": "t", "query": "crates", "signature": "zzz", "hits": [{"title": "one"}, 3]}"#;
        assert_eq!(readable(block), "crates\none");
    }

    #[test]
    fn depth_is_bounded() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(readable(&deep), "");
    }
}
