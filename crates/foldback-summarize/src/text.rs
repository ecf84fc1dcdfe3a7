//! Quoting other people's text so that it can do no harm, and cutting it where it does not hurt.

mod own_words;
mod redact;
mod sentences;

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

pub(crate) use own_words::{flatten, own_words};
pub(crate) use redact::{REDACTED, redact};
pub(crate) use sentences::sentences;

/// Compiles one of the patterns of this crate.
#[expect(clippy::expect_used, reason = "every pattern is a literal, and a test compiles each")]
pub(crate) fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("the pattern is valid")
}

/// `text` on one line, at most about `max_chars` long: without control characters, escape
/// sequences, invisible direction marks and blobs, and with no tag that could close or open a block
/// of ours. Reads no more of `text` than it needs.
pub(crate) fn one_line(text: &str, max_chars: usize) -> String {
    // Whitespace, escape sequences and blobs take room that the line does not need.
    let head = head(text, max_chars.saturating_mul(6).saturating_add(1000));
    let mut line = String::new();
    for word in Visible::new(head).collect::<String>().split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        push_word(&mut line, word);
    }
    if head.len() < text.len() {
        line.push('…');
    }
    let line = defuse(&line);
    match shorten(&line, max_chars) {
        Cow::Borrowed(_) => line.into_owned(),
        Cow::Owned(short) => short,
    }
}

/// The first `max_bytes` of `text`, fewer where that would halve a character.
pub(crate) fn head(text: &str, max_bytes: usize) -> &str {
    let mut end = max_bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The last `max_bytes` of `text`, fewer where that would halve a character.
pub(crate) fn tail(text: &str, max_bytes: usize) -> &str {
    let mut start = text.len().saturating_sub(max_bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// Head and tail of a long text, on separate lines; a short text as it is.
pub(crate) fn window(text: &str) -> Cow<'_, str> {
    // Enough for the last screens of a build log.
    const SIDE: usize = 8 * 1024;
    if text.len() <= 2 * SIDE {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}\n{}", head(text, SIDE), tail(text, SIDE)))
}

/// `text` cut to at most `max_chars` characters, the ellipsis included: at the end of a word if one
/// ends in the last third, and never inside a character that is made of several code points.
pub(crate) fn shorten(text: &str, max_chars: usize) -> Cow<'_, str> {
    let Some((limit, _)) = text.char_indices().nth(max_chars) else { return Cow::Borrowed(text) };
    let before_mark = text[..limit].char_indices().next_back().map_or(0, |(at, _)| at);
    let floor = before_mark - before_mark / 3;
    let mut end = before_mark;
    let ends_word = |at: usize| text[at..].starts_with(char::is_whitespace);
    if !ends_word(end) {
        let space = text[..end].char_indices().rev().find(|(_, c)| c.is_whitespace()).map(|(at, _)| at);
        end = space.filter(|&at| at >= floor).unwrap_or_else(|| whole_characters(text, end));
    }
    let kept =
        text[..end].trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '…'));
    Cow::Owned(format!("{kept}…"))
}

/// Makes tags that delimit blocks of ours, of a summarizer's prompt or of a host powerless.
pub(crate) fn defuse(text: &str) -> Cow<'_, str> {
    static TAG: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)<(\s*/?\s*(?:summary|conversation|previous[-_]summary|read[-_]files|modified[-_]files|system[-_]reminder|environment_context|user_instructions|transcript|focus)\b)",
        )
    });
    TAG.replace_all(text, r"<\$1")
}

/// The largest place up to `end` at which no visible character is torn apart.
fn whole_characters(text: &str, end: usize) -> usize {
    let joined = |at: usize| {
        let after = text[at..].chars().next();
        let before = text[..at].chars().next_back();
        after.is_some_and(continues) || before == Some('\u{200d}') || splits_flag(&text[..at], after)
    };
    // No visible character needs more code points than a family of emoji.
    let places = text[..end].char_indices().rev().map(|(at, _)| at);
    std::iter::once(end).chain(places.take(24)).find(|&at| !joined(at)).unwrap_or(end)
}

fn splits_flag(before: &str, after: Option<char>) -> bool {
    let half = |c: char| ('\u{1f1e6}'..='\u{1f1ff}').contains(&c);
    after.is_some_and(half) && before.chars().rev().take_while(|&c| half(c)).take(64).count() % 2 == 1
}

/// Whether `c` belongs to the character in front of it: combining marks, variation selectors, skin
/// tones, joiners. The ranges cover the common scripts, not all of Unicode.
fn continues(c: char) -> bool {
    matches!(u32::from(c),
        0x0300..=0x036f | 0x0483..=0x0489 | 0x0591..=0x05bd | 0x05bf..=0x05c7 | 0x0610..=0x061a
        | 0x064b..=0x065f | 0x0670 | 0x06d6..=0x06ed | 0x0900..=0x0903 | 0x093a..=0x094f
        | 0x0981..=0x0983 | 0x09bc..=0x09cd | 0x0a3c..=0x0a4d | 0x0abc..=0x0acd | 0x0b3c..=0x0b57
        | 0x0bbe..=0x0bcd | 0x0c3c..=0x0c56 | 0x0cbc..=0x0cd6 | 0x0d3b..=0x0d4d | 0x0e31
        | 0x0e34..=0x0e3a | 0x0e47..=0x0e4e | 0x1160..=0x11ff | 0x1ab0..=0x1aff | 0x1dc0..=0x1dff
        | 0x200c..=0x200d | 0x20d0..=0x20ff | 0x302a..=0x302f | 0x3099..=0x309a | 0xfe00..=0xfe0f
        | 0xfe20..=0xfe2f | 0x1f3fb..=0x1f3ff | 0xe0020..=0xe007f | 0xe0100..=0xe01ef)
}

/// A word, unless it is a long run that nobody can read.
fn push_word(line: &mut String, word: &str) {
    // Longer than any identifier, hash or path component worth quoting.
    const LONG: usize = 100;
    let unreadable = |run: &str| {
        run.len() > LONG && run.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'_' | b'-'))
            // A path has short components and a blob does not.
            && run.split('/').any(|component| component.len() > LONG / 2)
    };
    let edge = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '_' | '-'));
    if word.len() <= LONG {
        return line.push_str(word);
    }
    for run in word.split_inclusive(edge) {
        let bare = run.trim_end_matches(edge);
        if unreadable(bare) {
            line.push_str(&format!("[{} characters of data]", bare.len()));
            line.push_str(&run[bare.len()..]);
        } else {
            line.push_str(run);
        }
    }
}

/// The characters of a text that a terminal would show; everything else is a space or nothing.
struct Visible<'a> {
    chars: std::iter::Peekable<std::str::Chars<'a>>,
}

impl<'a> Visible<'a> {
    fn new(text: &'a str) -> Self {
        Self { chars: text.chars().peekable() }
    }

    /// Behind ESC: a control sequence ends with a letter, a string with BEL or ESC and a backslash.
    fn skip_escape(&mut self) {
        match self.chars.next() {
            Some('[') => while self.chars.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {},
            Some(']' | 'P' | '_' | '^') => {
                while let Some(c) = self.chars.next() {
                    if c == '\u{7}' || (c == '\u{1b}' && self.chars.next_if_eq(&'\\').is_some()) {
                        return;
                    }
                }
            }
            _ => {}
        }
    }
}

impl Iterator for Visible<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        loop {
            match self.chars.next()? {
                '\u{1b}' => self.skip_escape(),
                '\u{9b}' => while self.chars.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {},
                // Zero width and direction marks: invisible, and able to disguise what follows. The
                // joiners stay, since scripts and emoji need them.
                '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{2069}'
                | '\u{feff}'
                | '\u{fffd}' => {}
                c if c.is_control() => return Some(' '),
                c => return Some(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_clean_and_harmless() {
        assert_eq!(one_line("\u{1b}[1mbold\u{1b}[0m\ttext\r\nmore\u{0}", 80), "bold text more");
        assert_eq!(one_line("\u{1b}]0;title\u{7}x", 80), "x");
        assert_eq!(one_line("a</summary>b< / Conversation>", 80), "a<\\/summary>b<\\ / Conversation>");
        assert_eq!(defuse("<\\/summary>"), "<\\/summary>");
        assert_eq!(one_line("\u{202e}abc", 80), "abc");
    }

    #[test]
    fn blobs_are_named_instead_of_quoted() {
        let blob = "QUJD".repeat(100);
        assert_eq!(
            one_line(&format!("see data:image/png;base64,{blob}, ok"), 200),
            "see data:image/png;base64,[400 characters of data], ok"
        );
        let path = "some/long/path/of/many/components/".repeat(4);
        assert_eq!(one_line(&path, 200), path);
    }

    #[test]
    fn cuts_fall_between_words_and_never_inside_a_character() {
        assert_eq!(shorten("one two three", 9), "one two…");
        assert_eq!(shorten("one two three", 13), "one two three");
        let family = "👨\u{200d}👩\u{200d}👧";
        let text = family.repeat(3);
        for n in 1..16 {
            let short = shorten(&text, n).into_owned();
            let kept = short.strip_suffix('…').unwrap_or(&short);
            assert_eq!(kept.chars().count() % 5, 0, "{n}: {short:?}");
        }
        assert_eq!(shorten("ååååå".replace('å', "a\u{30a}").as_str(), 4), "a\u{30a}…");
        assert_eq!(shorten("漢字漢字漢字", 4), "漢字漢…");
        assert_eq!(shorten("abc", 0), "…");
    }

    #[test]
    fn a_window_keeps_both_ends() {
        let text = format!("start{}end", "é".repeat(20_000));
        let seen = window(&text);
        assert!(seen.starts_with("start") && seen.ends_with("end") && seen.len() < 17_000);
    }
}
