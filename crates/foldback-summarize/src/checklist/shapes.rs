//! Recognising values in text: by their shape, or by a statement that names them.

use std::sync::LazyLock;

use regex::Regex;

use super::facts::{Facts, Source};
use crate::text::{pattern, tail};

/// What values are called that are listed together.
pub(super) const GROUPS: [&str; 11] = [
    "urls",
    "ids",
    "tickets",
    "references",
    "commits",
    "versions",
    "branches",
    "emails",
    "dates",
    "codes",
    "amounts",
];

/// A longer value is a sentence with a colon.
const MOST_VALUE_CHARS: usize = 90;

impl Facts {
    /// Values that stand in a text and show what they are by their shape.
    pub(super) fn prose(&mut self, text: &str, source: Source) {
        // One pass; the first alternative that matches at a place wins.
        static SHAPE: LazyLock<Regex> = LazyLock::new(|| {
            pattern(concat!(
                r#"(?P<urls>https?://[^\s<>"'`)\]}|\\*]+)"#,
                r"|(?P<emails>\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{2,63}){1,4}\b)",
                r"|(?P<ids>(?-u:\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[a-z]{2,20}(?:_[a-z0-9]{1,20}){0,4}_[0-9]{2,}\b))",
                r"|(?P<tickets>(?-u:\b[A-Z]{2,10}-[A-Z]{0,4}[0-9]{1,8}\b))",
                r"|(?P<references>(?i-u:\b(?:PR|MR|pull request|issue|ticket|order|invoice|case|reservation|bug|job|build|request)\b)\s{0,2}(?:(?i-u:number|no\.?|id)\s{0,2})?(?:#\s?[0-9]{1,10}|[0-9]{2,12})\b|\B#[0-9]{2,7}\b)",
                r"|(?P<dates>(?-u:\b(?:19|20)[0-9][0-9]-[01][0-9]-[0-3][0-9](?:[T ][0-9][0-9]:[0-9][0-9](?::[0-9][0-9])?)?\b))",
                r"|(?P<amounts>[$€£¥]\s?[0-9][0-9,.]{0,15}|(?-u:\b)[0-9][0-9,.]{0,15}\s?(?-u:(?:USD|EUR|GBP|dollars|euros)\b))",
                r"|(?P<versions>(?-u:\bv?[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,6}(?:[-+][A-Za-z0-9.]{1,20})?\b))",
                r"|(?P<commits>(?-u:\b[0-9a-f]{7,40}\b))",
                r"|(?P<codes>(?-u:\b[A-Z0-9]{5,10}\b))",
                r"|\bOn branch (?P<branches>[A-Za-z0-9][A-Za-z0-9_./-]+)",
                // A bare word behind "branch" may be any word; "On branch" is what git says.
                r#"|(?i-u:\bbranch)[ :]{1,2}(?:(?:named|called) )?(?:[`'"](?P<quoted_branch>[A-Za-z][A-Za-z0-9_./-]+)[`'"]|(?P<path_branch>[A-Za-z0-9][A-Za-z0-9_.-]+/[A-Za-z0-9_./-]+))"#,
            ))
        });
        for found in SHAPE.captures_iter(text) {
            let branch = || {
                found
                    .name("quoted_branch")
                    .or_else(|| found.name("path_branch"))
                    .map(|value| ("branches", value))
            };
            let named = GROUPS.iter().find_map(|group| Some((*group, found.name(group)?)));
            let Some((group, value)) = named.or_else(branch) else { continue };
            let shown = value.as_str().trim_end_matches(['.', ',', ';', ':', '!', '?']);
            if !is_telling(group, shown) || !may_tell(source, group, shown) {
                continue;
            }
            if group == "amounts" && source > Source::Tool {
                let context = words_before(&text[..value.start()]);
                self.member(group, format!("{context}{shown}"), source);
            } else {
                self.member(group, shown.to_owned(), source);
            }
        }
    }

    /// Statements that give a name its value: `KEY=value`, `key: value` alone on a line, `the key is
    /// value`.
    pub(super) fn statements(&mut self, text: &str, source: Source) {
        static ASSIGNED: LazyLock<Regex> =
            LazyLock::new(|| pattern(r#"(?-u:\b)([A-Z][A-Z0-9_]{2,40})=["']?([^\s"'`;|&$()<>]+)"#));
        static LISTED: LazyLock<Regex> = LazyLock::new(|| {
            pattern(
                r"(?m)^[ \t]*(?:[-*+][ \t]+)?(?:\*\*)?([^\W0-9_][\w -]+?)(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]+(\S[^\n]*?)[ \t]*$",
            )
        });
        // `port: 9090` within a sentence.
        static INLINE: LazyLock<Regex> =
            LazyLock::new(|| pattern(r"[^\s*+-][ \t]+([^\W0-9_][\w-]+): ([^\s,;:]*[0-9][^\s,;:]*)"));
        static SAID: LazyLock<Regex> = LazyLock::new(|| {
            pattern(
                r#"(?i)\b(?:the|our|my|your|its?)\s+((?-u:[a-z][a-z0-9_-]*(?: [a-z][a-z0-9_-]*){0,2}?))\s+(?:is|are|=|should be|will be|becomes?|(?:was |has been |is )?changed to|moved to)\s+(?:now\s+|currently\s+)?(?P<value>[`"'][^`"'\n]+[`"']|[^\s,;]*[0-9][^\s,;]*(?:\s(?:USD|EUR|dollars|tokens|MB|GB|KB|ms|seconds|minutes|hours|days|percent|%)\b)?)"#,
            )
        });
        let forms: [(&Regex, Source); 4] = [
            (&ASSIGNED, Source::Shell),
            (&LISTED, Source::Person),
            (&INLINE, Source::Person),
            (&SAID, Source::Model),
        ];
        for (regex, least) in forms {
            if source < least {
                continue;
            }
            for found in regex.captures_iter(text) {
                let value = found.name("value").or_else(|| found.get(2));
                if let (Some(key), Some(value)) = (found.get(1), value)
                    // More than that is a sentence with a colon.
                    && value.as_str().chars().take(MOST_VALUE_CHARS + 1).count() <= MOST_VALUE_CHARS
                {
                    self.set(key.as_str(), value.as_str(), source);
                }
            }
        }
    }
}

/// Whether a match is more than a word or a number that happens to have the shape.
fn is_telling(group: &str, value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    match group {
        "commits" => digits > 0 && letters > 0,
        "codes" => digits > 0 && letters > 1,
        "tickets" => !matches!(
            value.split('-').next(),
            Some(
                "UTF"
                    | "SHA"
                    | "ISO"
                    | "ASCII"
                    | "GPT"
                    | "CP"
                    | "UTC"
                    | "HTTP"
                    | "MD"
                    | "AES"
                    | "RSA"
                    | "IEEE"
                    | "X86"
            )
        ),
        _ => value.len() > 1,
    }
}

/// Whether a source may state such a value: outputs of commands are full of versions and hashes of
/// other people's things.
fn may_tell(source: Source, group: &str, value: &str) -> bool {
    match source {
        Source::Shell => match group {
            "urls" => ["/pull/", "/issues/", "/merge_requests/", "/runs/", "localhost", "127.0.0.1"]
                .iter()
                .any(|part| value.contains(part)),
            _ => matches!(group, "tickets" | "ids" | "branches"),
        },
        Source::Tool => !matches!(group, "versions" | "commits"),
        _ => true,
    }
}

/// Up to eight words of the same sentence, with a space behind them.
fn words_before(text: &str) -> String {
    let near = tail(text, 120);
    let sentence = near.rsplit(['\n', ';', '!', '?']).next().unwrap_or(near);
    let sentence = sentence.rsplit(". ").next().unwrap_or(sentence);
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let context = words[words.len().saturating_sub(8)..].join(" ");
    let context = context.replace("**", "").replace(", ", " ");
    if context.is_empty() { context } else { format!("{} ", context.trim_start_matches(['-', '*', ' '])) }
}
