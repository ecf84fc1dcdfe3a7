//! What the model reported.

use super::cues::is_narration;
use crate::text::{flatten, one_line, redact, sentences, window};

/// Enough for a verdict and its reason.
const REPORT_CHARS: usize = 320;

/// The beginning of a reply that closes a turn: its prose up to a few sentences, without
/// announcements and questions.
pub(super) fn closing(text: &str) -> Option<String> {
    let prose = flatten(&window(text));
    let mut report = String::new();
    for sentence in
        sentences(&prose).filter(|sentence| !sentence.ends_with('?')).filter(|s| !is_announcement(s))
    {
        if report.chars().count() > REPORT_CHARS / 2 {
            break;
        }
        // The lines of a list have no full stops.
        match report.chars().next_back() {
            None => {}
            Some('.' | '!' | ':' | ';' | ',' | '…' | '。' | '！') => report.push(' '),
            Some(_) => report.push_str("; "),
        }
        report.push_str(sentence);
    }
    finish(&report)
}

/// The sentences between two calls that tell of something found or done.
pub(super) fn reports(text: &str) -> Option<String> {
    let prose = flatten(&window(text));
    let telling: Vec<&str> =
        sentences(&prose).filter(|s| !is_narration(s) && !s.ends_with('?')).take(3).collect();
    finish(&telling.join(" "))
}

/// The questions that close a text.
pub(super) fn questions(text: &str) -> Vec<String> {
    let prose = flatten(&window(text));
    let asked: Vec<&str> = sentences(&prose).filter(|s| s.ends_with(['?', '？'])).collect();
    let newest = asked.len().saturating_sub(3);
    asked[newest..].iter().map(|question| one_line(&redact(question), 240)).collect()
}

/// Unlike between calls, a colon at the end of a closing text introduces its list.
fn is_announcement(sentence: &str) -> bool {
    is_narration(sentence.trim_end_matches(':')) && sentence.split_whitespace().count() > 1
}

fn finish(report: &str) -> Option<String> {
    let line = one_line(&redact(report), REPORT_CHARS);
    let line = line.trim_start_matches(['#', '-', '*', '>', ' ', '"']).to_owned();
    (line.chars().filter(|c| c.is_alphanumeric()).count() > 8).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_kept_and_announcements_are_not() {
        let text = "All 40 tests pass. Let me verify the README:";
        assert_eq!(reports(text).as_deref(), Some("All 40 tests pass."));
        assert_eq!(reports("Let me look."), None);
        let text = "Done. I committed everything:\n\n- `a.rs`\n- `b.rs`\n\nShall I push?";
        assert_eq!(closing(text).as_deref(), Some("Done. I committed everything: `a.rs`; `b.rs`"));
        assert_eq!(questions(text), ["Shall I push?"]);
    }
}
