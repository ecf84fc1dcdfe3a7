//! The lines of a log, and what to do about a damaged one.
//!
//! Only what a reader asks for is decoded; everything else is skipped over in the text, so that a
//! log costs little more than its own size.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use serde_json::value::RawValue;

use crate::codec::ShapeError;
use crate::{ReadError, ReadErrorKind};

/// A line that is not blank.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// Its number, from 1, blank lines included.
    pub(super) number: usize,
    pub(super) text: &'a str,
}

/// The lines that are not blank.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.trim_start_matches('\u{feff}')
        .lines()
        .enumerate()
        .map(|(index, text)| Line { number: index + 1, text: text.trim_end() })
        .filter(|line| !line.text.trim_start().is_empty())
}

/// Stops at damage, or passes over it and counts.
pub(super) struct Damage {
    lenient: bool,
    /// Lines passed over.
    pub(super) skipped: usize,
    /// Their numbers: one line may hold several damaged messages. Of messages that take several
    /// lines, the first.
    passed: BTreeSet<usize>,
}

impl Damage {
    pub(super) fn new(lenient: bool) -> Self {
        Self { lenient, skipped: 0, passed: BTreeSet::new() }
    }

    /// The line as `T`; `None` for a line that is passed over.
    pub(super) fn parse<'a, T: Deserialize<'a>>(&mut self, line: Line<'a>) -> Result<Option<T>, ReadError> {
        self.parse_within(line, line.text)
    }

    /// `part`, which is a piece of the line, as `T`; `None` passes over the line.
    pub(super) fn parse_within<'a, T: Deserialize<'a>>(
        &mut self,
        line: Line<'a>,
        part: &'a str,
    ) -> Result<Option<T>, ReadError> {
        match serde_json::from_str(part) {
            Ok(value) => Ok(Some(value)),
            Err(error) => {
                let start = (part.as_ptr() as usize).saturating_sub(line.text.as_ptr() as usize);
                self.pass(line.number, 1, damaged(line, start, &error))?;
                Ok(None)
            }
        }
    }

    /// Passes over `n_lines` lines that hold a message of the wrong shape.
    pub(super) fn shape(&mut self, line: usize, n_lines: usize, error: ShapeError) -> Result<(), ReadError> {
        let message = format!("{} (at `{}`)", error.message, error.path);
        self.pass(line, n_lines, ReadError::new(ReadErrorKind::Shape, message, error.expected).at_line(line))
    }

    fn pass(&mut self, line: usize, n_lines: usize, error: ReadError) -> Result<(), ReadError> {
        if !self.lenient {
            return Err(error);
        }
        if self.passed.insert(line) {
            self.skipped += n_lines;
        }
        Ok(())
    }
}

fn damaged(line: Line<'_>, start: usize, error: &serde_json::Error) -> ReadError {
    let text = error.to_string();
    // serde_json adds the place within the piece that it was given.
    let what = text.split(" at line ").next().unwrap_or(&text);
    let (kind, message) = match error.classify() {
        serde_json::error::Category::Data => {
            (ReadErrorKind::Shape, format!("the line has another shape: {what}"))
        }
        serde_json::error::Category::Eof => {
            (ReadErrorKind::Syntax, format!("the line ends in the middle of its JSON: {what}"))
        }
        _ => (ReadErrorKind::Syntax, format!("the line is not JSON: {what}")),
    };
    ReadError::new(kind, message, "one whole JSON object a line; lenient reading skips damaged lines")
        .at_line(line.number)
        .at_column(start + error.column().max(1))
}

/// No line is of the format.
pub(super) fn unknown(format: &str, expected: &str) -> ReadError {
    ReadError::new(ReadErrorKind::UnknownFormat, format!("no line is one of a {format} log"), expected)
}

/// A string of a log, borrowed where it has no escapes.
///
/// Logs are written by programs whose strings may hold half of a surrogate pair; such a half
/// becomes a replacement character instead of an error.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Text<'a>(pub(super) Cow<'a, str>);

impl Text<'_> {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_bytes<E: serde::de::Error>(self, bytes: &'de [u8]) -> Result<Text<'de>, E> {
                std::str::from_utf8(bytes).map(|text| Text(Cow::Borrowed(text))).map_err(E::custom)
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(String::from_utf8_lossy(bytes).into_owned())))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

/// A number of tokens, however the log writes it; anything else is no number.
pub(super) fn tokens<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer).map_err(D::Error::custom)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_count_for_numbers_only() {
        let text = "\u{feff}{}\r\n\n  \n{\"a\":1}";
        let found: Vec<(usize, &str)> = lines(text).map(|line| (line.number, line.text)).collect();
        assert_eq!(found, [(1, "{}"), (4, "{\"a\":1}")]);
    }

    #[test]
    fn an_error_inside_a_piece_is_placed_in_the_line() {
        let line = Line { number: 7, text: r#"{"content": [1, x]}"# };
        let error = Damage::new(false).parse_within::<Vec<u8>>(line, &line.text[12..18]).unwrap_err();
        assert_eq!((error.line, error.column, error.kind), (Some(7), Some(17), ReadErrorKind::Syntax));
        assert!(error.message.contains("not JSON") && error.expected.contains("lenient"), "{error}");
    }

    #[test]
    fn a_line_is_skipped_once() {
        let line = Line { number: 3, text: "[1, [], {}]" };
        let mut damage = Damage::new(true);
        for part in [&line.text[1..2], &line.text[4..6], &line.text[8..10]] {
            assert_eq!(damage.parse_within::<String>(line, part), Ok(None));
        }
        damage.shape(3, 1, ShapeError::new("", "", "")).unwrap();
        damage.shape(5, 2, ShapeError::new("", "", "")).unwrap();
        assert_eq!(damage.skipped, 3);
    }

    #[test]
    fn half_a_surrogate_pair_is_replaced() {
        let text: Text<'_> = serde_json::from_str(r#""a\ud83d b""#).unwrap();
        assert!(text.as_str().starts_with('a') && text.as_str().contains('\u{FFFD}'));
        let text: Text<'_> = serde_json::from_str(r#""plain""#).unwrap();
        assert!(matches!(text.0, Cow::Borrowed("plain")));
    }
}
