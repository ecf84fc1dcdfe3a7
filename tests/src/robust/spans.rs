//! Where values and members stand in text that may be JSON: a scanner that takes anything, so that what
//! has been damaged once can be damaged again.

use std::ops::Range;

/// What stands in a text.
#[derive(Default)]
pub(super) struct Spans {
    /// Strings, numbers, words, objects and lists that are no names of members.
    pub(super) values: Vec<Range<usize>>,
    /// Names of members, quotes included.
    pub(super) keys: Vec<Range<usize>>,
    /// Members, from the name to the end of the value.
    pub(super) members: Vec<Range<usize>>,
    /// Elements of lists.
    pub(super) elements: Vec<Range<usize>>,
}

impl Spans {
    /// Scans `text` once, without recursion.
    pub(super) fn of(text: &[u8]) -> Self {
        let mut spans = Self::default();
        // The containers that are open: where they start, whether it is a list, and a name that waits for
        // its value.
        let mut open: Vec<(usize, bool, Option<usize>)> = Vec::new();
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            match byte {
                b'{' | b'[' => {
                    open.push((at, byte == b'[', None));
                    at += 1;
                }
                b'}' | b']' => {
                    at += 1;
                    if let Some((start, ..)) = open.pop() {
                        spans.value(start..at, open.last_mut());
                    }
                }
                b'"' => {
                    let end = string_end(text, at);
                    let is_key = text[end..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':');
                    if is_key {
                        spans.keys.push(at..end);
                        if let Some((_, false, name)) = open.last_mut() {
                            *name = Some(at);
                        }
                    } else {
                        spans.value(at..end, open.last_mut());
                    }
                    at = end;
                }
                b'-' | b'0'..=b'9' | b'a'..=b'z' => {
                    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                    let end = at + text[at..].iter().take_while(|byte| is_word(byte)).count();
                    spans.value(at..end, open.last_mut());
                    at = end;
                }
                _ => at += 1,
            }
        }
        spans
    }

    fn value(&mut self, range: Range<usize>, container: Option<&mut (usize, bool, Option<usize>)>) {
        if let Some((_, is_list, name)) = container {
            if *is_list {
                self.elements.push(range.clone());
            } else if let Some(start) = name.take() {
                self.members.push(start..range.end);
            }
        }
        self.values.push(range);
    }
}

/// Behind the closing quote of the string that starts at `start`, or the end of the text.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_members_and_elements_are_found() {
        let text = r#"{"a": [1, "x\"}"], "b": {"c": null}}"#;
        let spans = Spans::of(text.as_bytes());
        let shown = |ranges: &[Range<usize>]| ranges.iter().map(|r| &text[r.clone()]).collect::<Vec<_>>();
        assert_eq!(shown(&spans.keys), [r#""a""#, r#""b""#, r#""c""#]);
        assert_eq!(shown(&spans.elements), ["1", r#""x\"}""#]);
        assert_eq!(shown(&spans.members), [r#""a": [1, "x\"}"]"#, r#""c": null"#, r#""b": {"c": null}"#]);
        assert_eq!(spans.values.len(), 6);
    }

    #[test]
    fn damaged_text_is_scanned_to_its_end() {
        for text in ["]]}}", "{\"", "[\"\\", "{{[[", "\u{1}x\"a\":", "{\"a\"}:1"] {
            let spans = Spans::of(text.as_bytes());
            assert!(spans.values.iter().chain(&spans.keys).all(|range| range.end <= text.len()), "{text}");
        }
    }
}
