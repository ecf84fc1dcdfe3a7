//! Sentences, well enough to quote them.

/// The sentences of `text`, trimmed and without list marks: a line break ends one, and so does a
/// full stop, question mark or exclamation mark with a space behind it (none is needed behind the
/// full-width ones). Code between fences is left out.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines()
        .filter(move |line| {
            let fence = line.trim_start().starts_with("```");
            in_code ^= fence;
            !fence && !in_code
        })
        .flat_map(Split)
        .map(|sentence| {
            let sentence = sentence.trim().trim_start_matches(['-', '*', '#', '>', '•', '+', ' ', '\t']);
            sentence.trim()
        })
        .filter(|sentence| !sentence.is_empty())
}

struct Split<'a>(&'a str);

impl<'a> Iterator for Split<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        let end = end_of_sentence(self.0);
        let (sentence, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(sentence)
    }
}

fn end_of_sentence(line: &str) -> usize {
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        match c {
            '。' | '！' | '？' => return end,
            '.' | '!' | '?' | '…' => {
                let spaced = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
                if spaced && !(c == '.' && is_abbreviation(&line[..at])) {
                    return end;
                }
            }
            _ => {}
        }
    }
    line.len()
}

fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or("").trim_start_matches(['(', '"']);
    let numbered = !word.is_empty() && before.trim() == word && word.chars().all(|c| c.is_ascii_digit());
    numbered
        || matches!(
            word,
            "e.g" | "i.e" | "etc" | "vs" | "cf" | "approx" | "Mr" | "Ms" | "Mrs" | "Dr" | "No" | "Fig"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_a_reader_would_say() {
        let check = |text: &str, expected: &[&str]| assert_eq!(sentences(text).collect::<Vec<_>>(), expected);
        check("One. Two! Three", &["One.", "Two!", "Three"]);
        check("Use v1.2.3, e.g. now. Then go", &["Use v1.2.3, e.g. now.", "Then go"]);
        check("- first\n- second", &["first", "second"]);
        check("1. do this\n2. do that", &["1. do this", "2. do that"]);
        check("一つ。二つ！", &["一つ。", "二つ！"]);
        check("a\n```\nlet x. y\n```\nb", &["a", "b"]);
        check("", &[]);
    }
}
