//! What a sentence is about, judged by its words. The rules are for English.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::text::pattern;

/// Whether a person's sentence states a constraint or a preference.
pub(super) fn states_constraint(sentence: &str) -> bool {
    static CUE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:must|mustn['’]t|never|always|(?:don['’]?t|do not) want|only|prefer|preferably|instead of|rather than|please use|make sure|ensure|avoid|without|no longer|required|stick (?:to|with)|at (?:most|least)|no (?:more|less) than|not allowed|forbidden|should|shouldn['’]t|be careful|remember to|as long as)\b|^\s*no\s|(?:^|[,;:(-]|\b(?:please|but|and|so|just|also|then))\s*(?:don['’]?t|do not|keep)\b",
        )
    });
    // Says what somebody lacks, not what they want.
    static LACK: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\bI(?: really)? (?:don['’]?t|do not) (?:know|have|remember|think|see|understand|recall|mind)\b|\bif you don['’]?t\b|^(?:should|shouldn['’]t|must) (?:i|we)\b|\bnot only\b",
        )
    });
    static ASKED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:must|never|don['’]?t|do not|without|only|instead of|rather than|at (?:most|least)|avoid|make sure)\b",
        )
    });
    // A line of a log that somebody pasted begins with a number, a prompt or a bracket.
    let first =
        sentence.split_whitespace().next().unwrap_or("").trim_start_matches(['"', '\'', '(', '*', '`', '“']);
    let listed = first.trim_end_matches(['.', ')']).chars().all(|c| c.is_ascii_digit());
    let is_prose = listed || first.starts_with(char::is_alphabetic);
    is_prose
        && CUE.is_match(sentence)
        && !LACK.is_match(sentence)
        && (!sentence.ends_with('?') || ASKED.is_match(sentence))
}

/// Whether a sentence of the model states a rule that it is bound by.
pub(super) fn states_rule(sentence: &str) -> bool {
    static CUE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:(?:cannot|can only|may not) be \w+ed|not (?:allowed|eligible|permitted)|(?:policy|policies|rules?) (?:does|do|states?|says?|requires?|allows?)|according to (?:our|the) policy|non-?refundable)\b",
        )
    });
    // A sentence about code is no rule of the house.
    !sentence.contains('`') && CUE.is_match(sentence)
}

/// How surely a sentence tells of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    No,
    Perhaps,
    Yes,
}

pub(super) fn decision(sentence: &str, by_person: bool) -> Decision {
    static SURE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:decided|decision|we chose|i chose|chosen|opted|(?:going|go|went) with|settled on|agreed (?:to|on|that)|we will|we['’]ll|we are going to|instead of|option [A-Z0-9])\b",
        )
    });
    static PERSON: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\blet['’]?s\b"));
    static REASON: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?i)\b(?:because|rather than|so that|the reason)\b"));
    if by_person {
        return if SURE.is_match(sentence) || PERSON.is_match(sentence) {
            Decision::Yes
        } else {
            Decision::No
        };
    }
    if is_narration(sentence) || sentence.ends_with('?') {
        return Decision::No;
    }
    if SURE.is_match(sentence) {
        Decision::Yes
    } else if REASON.is_match(sentence) {
        Decision::Perhaps
    } else {
        Decision::No
    }
}

/// Whether the model merely announces its next step.
pub(super) fn is_narration(sentence: &str) -> bool {
    static CUE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^(?:(?:ok(?:ay)?|good|great|perfect|sure|certainly|of course|no problem|now|next|first|then|so|and|alright|excellent|right|to proceed)[,.!]?\s+)*(?:let me|let['’]s|i['’]ll|i will|i['’]m going to|i am going to|i need to|i should|i want to|i can (?:see|help|assist|look)|i(?:['’]m| am) happy to|i understand|we need to|we should|(?:running|checking|reading|looking|searching|creating|updating|adding|fixing|starting|testing|trying)|please (?:hold|let me|wait)|would you|do you|shall i|you['’]re welcome|thank)\b",
        )
    });
    // "Good." alone tells as little.
    sentence.ends_with(':') || sentence.split_whitespace().count() < 2 || CUE.is_match(sentence)
}

/// Whether a person's message only keeps the conversation going.
pub(super) fn is_small_talk(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "yes",
        "no",
        "ok",
        "okay",
        "thanks",
        "thank",
        "you",
        "great",
        "good",
        "please",
        "continue",
        "go",
        "on",
        "ahead",
        "proceed",
        "sure",
        "nice",
        "perfect",
        "excellent",
        "work",
        "job",
        "do",
        "it",
        "hi",
        "hello",
        "hey",
        "yep",
        "right",
        "correct",
        "cool",
        "y",
        "k",
        "very",
        "much",
        "so",
        "awesome",
        "lgtm",
        "is",
        "that",
        "alright",
        "well",
        "done",
        "stop",
    ];
    let mut words = words(text).peekable();
    words.peek().is_none() || (text.len() < 60 && words.all(|word| WORDS.contains(&word.as_str())))
}

/// The words of `text` in lower case.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// Whether two sentences say nearly the same: four of five of their words are common, and every word
/// with a digit is. "Check shelf 1" and "Check shelf 2" are two requests.
pub(super) fn nearly_same(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    let is_number = |word: &&String| word.contains(|c: char| c.is_ascii_digit());
    if a.symmetric_difference(b).any(|word| is_number(&word)) {
        return false;
    }
    let common = a.intersection(b).count();
    let all = a.len() + b.len() - common;
    all == 0 || common * 5 >= all * 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_number_is_another_thing() {
        let set = |text: &str| words(text).collect::<BTreeSet<_>>();
        let long = "and then write down what you saw there in the usual form";
        assert!(nearly_same(&set(&format!("Check it {long}")), &set(&format!("check it once {long}"))));
        assert!(!nearly_same(&set(&format!("Check shelf 1 {long}")), &set(&format!("Check shelf 2 {long}"))));
    }

    #[test]
    fn sentences_are_told_apart() {
        for constraint in [
            "Never push to main.",
            "please use tabs",
            "It must stay under 50 MB.",
            "No network access.",
            "without changing the flights",
        ] {
            assert!(states_constraint(constraint), "{constraint}");
        }
        for other in [
            "I don't know the number.",
            "158.5 npm error never called",
            "What should I do next?",
            "The build is red.",
            "Yes",
        ] {
            assert!(!states_constraint(other), "{other}");
        }
        assert_eq!(decision("We decided to use SQLite.", false), Decision::Yes);
        assert_eq!(decision("Let's use SQLite.", true), Decision::Yes);
        assert_eq!(decision("Let's look at the tests.", false), Decision::No);
        assert!(is_narration("Now let me run the tests"));
        assert!(!is_narration("All 40 tests pass."));
        assert!(is_small_talk("Yes, please go ahead!") && !is_small_talk("Yes, delete it all"));
        assert!(!is_small_talk("続けてください") && is_small_talk("  "));
    }
}
