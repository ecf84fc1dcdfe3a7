//! Secrets that are recognisable by their shape.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::pattern;

/// What stands in the place of a secret.
pub(crate) const REDACTED: &str = "[redacted]";

// Shapes that the issuers document (OpenAI and Anthropic, GitHub, AWS, Slack, Google, JWT), PEM
// blocks, and assignments whose key says what the value is. `keep` is what may be shown.
static SECRET: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?s:-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z))",
        r"|(?-u:\b(?:sk|rk|pk)[-_][A-Za-z0-9_-]{16,})",
        r"|(?-u:\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|npm_|hf_|AIza)[A-Za-z0-9_-]{16,})",
        r"|(?-u:\b(?:AKIA|ASIA)[0-9A-Z]{16}\b)",
        r"|(?-u:\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*)",
        r"|(?P<bearer>(?i-u:\bbearer ) {0,3})(?-u:[A-Za-z0-9._~+/=-]{8,})",
        r"|(?P<login>(?i:(?-u:\b)[a-z][a-z0-9+.-]{0,20}://[^\s/:@]{1,64}:))[^\s/@]{3,100}@",
        r#"|(?P<key>(?i-u:\b[a-z0-9_-]{0,40}(?:passw(?:or)?d|passwd|pwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?token|access[_-]?token|client[_-]?secret|passphrase|_token)["']?[ \t]{0,3}[=:][ \t]{0,3}["']?))[^\s"',;&|)]{4,}"#,
    ))
});

/// A terminal's escape sequence.
static ESCAPE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\x1b\[[0-9;?]*[A-Za-z]"));

/// `text` with every recognisable secret replaced.
pub(crate) fn redact(text: &str) -> Cow<'_, str> {
    // An invisible character inside a secret hides it from the pattern, not from a reader.
    if text.contains(is_invisible) {
        let visible: String = ESCAPE.replace_all(text, "").chars().filter(|&c| !is_invisible(c)).collect();
        return Cow::Owned(replaced(&visible).into_owned());
    }
    replaced(text)
}

fn is_invisible(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t' | '\r'))
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' | '\u{00AD}')
}

fn replaced(text: &str) -> Cow<'_, str> {
    SECRET.replace_all(text, |found: &Captures<'_>| {
        let shown = ["bearer", "key"].iter().find_map(|name| found.name(name));
        match (found.name("login"), shown) {
            (Some(login), _) => format!("{}{REDACTED}@", login.as_str()),
            (None, Some(shown)) => format!("{}{REDACTED}", shown.as_str()),
            (None, None) => REDACTED.to_owned(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_and_ordinary_text_stays() {
        let cases = [
            ("sk-\u{200b}abcdefghijklmnop1234", "[redacted]"),
            ("pass\u{1b}[0mword=hunter22xyz", "password=[redacted]"),
            ("use sk-abcdefghijklmnop1234 now", "use [redacted] now"),
            ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[redacted]"),
            ("id AKIAABCDEFGHIJKLMNOP.", "id [redacted]."),
            ("Authorization: Bearer abc.def-ghi", "Authorization: Bearer [redacted]"),
            ("DB_PASSWORD=hunter22 next", "DB_PASSWORD=[redacted] next"),
            (r#"{"api_key": "abcd1234"}"#, r#"{"api_key": "[redacted]"}"#),
            ("postgres://me:s3cret@host/db", "postgres://me:[redacted]@host/db"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nafter",
                "[redacted]\nafter",
            ),
            ("-----BEGIN PRIVATE KEY-----\nabc", "[redacted]"),
        ];
        for (text, expected) in cases {
            assert_eq!(redact(text), expected);
            assert_eq!(redact(expected), expected, "redacting twice changes nothing");
        }
        for text in
            ["the password is forgotten", "task-based tokens", "max_tokens: 4096", "http://host:8080/x"]
        {
            assert!(matches!(redact(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
