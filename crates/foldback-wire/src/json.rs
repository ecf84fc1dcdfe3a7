//! JSON text taken apart without a tree of values: what is not looked at costs nothing and keeps its
//! bytes.

use std::borrow::Cow;
use std::fmt;

use memchr::memchr;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::scan;

/// The members of a JSON object, in order, their values as text.
pub(crate) struct Object<'a> {
    members: Vec<(Cow<'a, str>, &'a str)>,
}

impl<'a> Object<'a> {
    pub(crate) fn of(members: Vec<(Cow<'a, str>, &'a str)>) -> Self {
        Self { members }
    }

    /// The object that `json` is, or `None` for any other kind of value. For what has been parsed
    /// before, `scan::object` is faster.
    pub(crate) fn parse(json: &'a str) -> Option<Self> {
        if !json.trim_start().starts_with('{') {
            return None;
        }
        serde_json::from_str(json).ok()
    }

    /// The value of `key` as JSON text; a `null` counts as absent, and of two the last one counts.
    pub(crate) fn get(&self, key: &str) -> Option<&'a str> {
        let (_, value) = self.members.iter().rev().find(|(name, _)| name == key)?;
        (*value != "null").then_some(*value)
    }

    /// The value of the first of `keys` that is there: some formats are written in two styles.
    pub(crate) fn get_any(&self, keys: &[&str]) -> Option<&'a str> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// The value of `key`, if it is a string.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        self.get(key).and_then(string)
    }

    /// The same, borrowed where it has no escapes.
    pub(crate) fn word(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key).and_then(word)
    }

    /// The value of `key`, if it is an object.
    pub(crate) fn object(&self, key: &str) -> Option<Object<'a>> {
        self.get(key).and_then(scan::object)
    }

    /// The elements of `key`, if it is a list.
    pub(crate) fn list(&self, key: &str) -> Option<Vec<&'a str>> {
        self.get(key).and_then(scan::list)
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
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &'a str)> {
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
                    members.push((key, map.next_value::<&RawValue>()?.get()));
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

/// A whole file that is one JSON value.
pub(crate) enum Whole<'a> {
    /// An object, taken apart in the same pass that proves it to be JSON.
    Object(Object<'a>),
    /// Any other value, as text.
    Other(&'a str),
}

impl<'a> Whole<'a> {
    pub(crate) fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        match Object::parse(text) {
            Some(object) => Ok(Self::Object(object)),
            None => serde_json::from_str::<&RawValue>(text).map(|value| Self::Other(value.get())),
        }
    }
}

/// The elements of the list that `json` is, or `None` for any other kind of value.
pub(crate) fn list(json: &str) -> Option<Vec<&str>> {
    if !json.trim_start().starts_with('[') {
        return None;
    }
    let elements: Vec<&RawValue> = serde_json::from_str(json).ok()?;
    Some(elements.into_iter().map(RawValue::get).collect())
}

/// `json` without the space between its tokens.
pub(crate) fn compact(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let (mut in_string, mut escaped) = (false, false);
    let mut start = 0;
    for (at, byte) in json.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b' ' | b'\n' | b'\r' | b'\t' if !in_string => {
                text.push_str(&json[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    text.push_str(&json[start..]);
    text
}

/// The text of the string that `json` is, or `None` for any other kind of value. `json` has been parsed
/// before, as part of a whole.
///
/// Half of a surrogate pair, which some programs write when they cut a text, becomes a replacement
/// character.
pub(crate) fn string(json: &str) -> Option<String> {
    word(json).map(Cow::into_owned)
}

/// The same, borrowed where it has no escapes: for what is looked at and not kept.
pub(crate) fn word(json: &str) -> Option<Cow<'_, str>> {
    let text = json.strip_prefix('"')?.strip_suffix('"')?;
    match memchr(b'\\', text.as_bytes()) {
        Some(_) => unescaped(text).map(Cow::Owned),
        None => Some(Cow::Borrowed(text)),
    }
}

fn unescaped(text: &str) -> Option<String> {
    // The text is never longer than its JSON, so one allocation is enough.
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        plain.push_str(&rest[..at]);
        let (character, length) = unescape(&rest[at..])?;
        plain.push(character);
        rest = &rest[at + length..];
    }
    plain.push_str(rest);
    plain.shrink_to_fit();
    Some(plain)
}

/// What the escape at the start of `text` stands for, and its length.
fn unescape(text: &str) -> Option<(char, usize)> {
    let character = match text.as_bytes().get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        same @ (b'"' | b'\\' | b'/') => char::from(*same),
        b'u' => return unescape_code(text),
        _ => return None,
    };
    Some((character, 2))
}

/// The same for `\uXXXX`, or for two of them that are one character.
fn unescape_code(text: &str) -> Option<(char, usize)> {
    let unit = |at: usize| -> Option<u32> {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    let first = unit(0)?;
    if let (0xD800..=0xDBFF, Some(second @ 0xDC00..=0xDFFF)) = (first, unit(6)) {
        let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return Some((char::from_u32(code)?, 12));
    }
    Some((char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), 6))
}

/// `text` as a JSON string.
pub(crate) fn quote(text: &str) -> String {
    // Writing a string to memory cannot fail.
    serde_json::to_string(text).unwrap_or_default()
}

/// The arguments of a call as an object, for providers that want one: free text is put into it.
pub(crate) fn object_of(arguments: &str) -> String {
    match Object::parse(arguments) {
        Some(_) => arguments.to_owned(),
        None if arguments.trim().is_empty() => "{}".to_owned(),
        None => format!(r#"{{"input":{}}}"#, quote(arguments)),
    }
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
    "thought_signature",
    "data",
    "b64_json",
    "call_id",
    "tool_use_id",
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
        if !text.is_empty() && !is_blob(&text) {
            texts.push(text);
        }
    } else if let Some(elements) = scan::list(json) {
        elements.into_iter().for_each(|element| collect(element, texts, depth + 1));
    } else if let Some(object) = scan::object(json) {
        let open = object.members().filter(|(name, _)| !SEALED.contains(name));
        open.for_each(|(_, value)| collect(value, texts, depth + 1));
    }
}

/// Whether `text` is binary content in base64, bare or as a `data:` address. No word is that long.
fn is_blob(text: &str) -> bool {
    const LONGEST_WORD: usize = 256;
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_\r\n".contains(&byte);
    (text.starts_with("data:") && text.contains(";base64,"))
        || (text.len() > LONGEST_WORD && text.bytes().all(is_base64))
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
        assert_eq!(
            string(r#""\ud83d\u00e9 \ud83d\ud83d\ude00""#).as_deref(),
            Some("\u{FFFD}é \u{FFFD}\u{1F600}")
        );
    }

    #[test]
    fn every_escape_is_undone() {
        let text = "\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}é€\u{1F600} plain";
        assert_eq!(string(&quote(text)).as_deref(), Some(text));
        assert_eq!(string(r#""\/\b\f\u00E9\u20ac\uD83D\uDE00""#).as_deref(), Some("/\u{8}\u{c}é€\u{1F600}"));
        assert!(matches!(word(r#""plain é""#), Some(Cow::Borrowed("plain é"))));
        assert_eq!((string("12"), string("[]"), string("\"")), (None, None, None));
    }

    #[test]
    fn sealed_content_is_not_readable() {
        let block = r#"{"type": "t", "query": "crates", "signature": "zzz", "hits": [{"title": "one"}, 3]}"#;
        assert_eq!(readable(block), "crates\none");
    }

    #[test]
    fn binary_content_is_not_readable() {
        let result = "iVBORw0KGgo".repeat(100);
        let block =
            format!(r#"{{"status": "done", "result": "{result}", "url": "data:image/png;base64,AAAA"}}"#);
        assert_eq!(readable(&block), "done");
    }

    #[test]
    fn space_between_tokens_goes_and_space_in_strings_stays() {
        assert_eq!(compact("{ \"a b\" :\n [1, \" \\\" é \"] }"), "{\"a b\":[1,\" \\\" é \"]}");
    }

    #[test]
    fn depth_is_bounded() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(readable(&deep), "");
    }
}
