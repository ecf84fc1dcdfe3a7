//! Takes JSON apart that has been parsed before, as part of a whole file.
//!
//! Nothing is checked a second time, so that a text nested in lists and objects costs little on each
//! level. What is no JSON gives other pieces of itself, never a panic.

use memchr::memchr;

use crate::json::{Object, word};

/// The elements of the list that `json` is, one by one, or `None` for any other kind of value.
pub(crate) fn elements(json: &str) -> Option<impl Iterator<Item = &str>> {
    let mut cursor = Cursor::inside(json, b'[')?;
    Some(std::iter::from_fn(move || {
        let element = cursor.value()?;
        cursor.pass(b',');
        Some(element)
    }))
}

/// The elements of the list that `json` is, or `None` for any other kind of value.
pub(crate) fn list(json: &str) -> Option<Vec<&str>> {
    elements(json).map(Iterator::collect)
}

/// The object that `json` is, or `None` for any other kind of value.
pub(crate) fn object(json: &str) -> Option<Object<'_>> {
    let mut cursor = Cursor::inside(json, b'{')?;
    let mut members = Vec::new();
    while let Some(name) = cursor.value() {
        cursor.pass(b':');
        members.push((word(name)?, cursor.value()?));
        cursor.pass(b',');
    }
    Some(Object::of(members))
}

/// A place in JSON text.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Behind the bracket that `text` opens with.
    fn inside(text: &'a str, bracket: u8) -> Option<Self> {
        let mut cursor = Self { text, at: 0 };
        cursor.pass(bracket).then_some(cursor)
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn pass_space(&mut self) {
        while self.byte().is_some_and(is_space) {
            self.at += 1;
        }
    }

    /// Passes `mark`, if it comes next.
    fn pass(&mut self, mark: u8) -> bool {
        self.pass_space();
        let is_next = self.byte() == Some(mark);
        self.at += usize::from(is_next);
        is_next
    }

    /// The value that comes next; `None` at the end of a list or an object.
    fn value(&mut self) -> Option<&'a str> {
        self.pass_space();
        let start = self.at;
        match self.byte()? {
            b'"' => self.pass_string()?,
            b'[' | b'{' => self.pass_container()?,
            _ => self.pass_scalar(),
        }
        self.text.get(start..self.at).filter(|value| !value.is_empty())
    }

    fn pass_string(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        let mut from = self.at + 1;
        loop {
            let quote = from + memchr(b'"', bytes.get(from..)?)?;
            let backslashes = bytes[..quote].iter().rev().take_while(|&&byte| byte == b'\\');
            from = quote + 1;
            // Two backslashes are one that is escaped itself.
            if backslashes.count() % 2 == 0 {
                self.at = from;
                return Some(());
            }
        }
    }

    fn pass_container(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.byte()? {
                b'"' => {
                    self.pass_string()?;
                    continue;
                }
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }

    fn pass_scalar(&mut self) {
        let is_end = |byte: u8| is_space(byte) || matches!(byte, b',' | b':' | b']' | b'}');
        while self.byte().is_some_and(|byte| !is_end(byte)) {
            self.at += 1;
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;

    #[test]
    fn pieces_are_those_that_a_parser_finds() {
        for json in [
            "[]",
            " [ ] ",
            r#"[1,-2.5e3 , true,null,"",{},[]]"#,
            "[\n\t{\"a\": [1, {\"b\": \"]}\"}]}\r\n, \"x\\\"\", \"\\\\\", \"\\\\\\\"],\" , [[[]]]]",
            r#"["é€", "\u005d\ud83d", "\\\\"]"#,
        ] {
            let parsed: Vec<&RawValue> = serde_json::from_str(json).unwrap();
            let parsed: Vec<&str> = parsed.into_iter().map(RawValue::get).collect();
            assert_eq!(list(json), Some(parsed), "{json}");
        }
        for json in ["{}", " { } ", r#"{"a" : 1 , "b\n":"}" ,"a":{"c":["\"]"]} , "":null}"#] {
            let parsed = Object::parse(json).unwrap();
            assert!(object(json).unwrap().members().eq(parsed.members()), "{json}");
        }
    }

    #[test]
    fn other_kinds_of_value_are_told_apart() {
        for json in ["", "1", "\"[]\"", "{}", "null"] {
            assert_eq!(list(json), None, "{json}");
        }
        for json in ["", "1", "\"{}\"", "[]", "null"] {
            assert!(object(json).is_none(), "{json}");
        }
    }

    #[test]
    fn what_is_no_json_ends() {
        for json in ["[", "[1", "[1 2]", "[\"a", "[\"\\", "[{]", "[}", "[,]", "[:", "]", "[[\"é"] {
            let _ = (list(json), object(json));
            let _ = object(&json.replace('[', "{"));
        }
        assert_eq!(list(&"[".repeat(100_000)), Some(Vec::new()));
    }
}
