//! The contract of [`TokenCounter`], line by line.

use super::generate::Generator;
use super::{Findings, excerpt};
use crate::TokenCounter;

/// Checks every line of the contract of [`TokenCounter`].
///
/// # Errors
///
/// All findings, each with the text concerned.
pub fn check_counter(counter: &dyn TokenCounter) -> Result<(), Vec<String>> {
    let mut findings = Findings::default();
    if let Some(tokens) = count(counter, "", &mut findings) {
        findings.require(tokens == 0, || format!("the empty text costs {tokens} tokens"));
    }
    let mut generator = Generator::new(1);
    for _ in 0..500 {
        check_text(counter, &generator.text(300), &mut findings);
    }
    for text in special_texts() {
        check_special(counter, text, &mut findings);
    }
    for run in RUNS {
        check_text(counter, &run.repeat(200_000 / run.len()), &mut findings);
    }
    check_text(counter, &generator.base64(100_000), &mut findings);
    findings.into_result()
}

fn check_text(counter: &dyn TokenCounter, text: &str, findings: &mut Findings) {
    let Some(tokens) = count(counter, text, findings) else { return };
    let bytes = text.len() as u64;
    let least = u64::from(!text.is_empty());
    findings.require((least..=bytes).contains(&tokens), || {
        format!("{}: {tokens} tokens are not between {least} and {bytes}", excerpt(text))
    });
    let again = count(counter, text, findings);
    findings.require(again == Some(tokens), || format!("{}: two counts differ", excerpt(text)));
}

/// Ordinary text of the same shape costs about as much; a control token would cost one.
fn check_special(counter: &dyn TokenCounter, text: &str, findings: &mut Findings) {
    check_text(counter, text, findings);
    let ordinary: String = text.chars().map(|c| if c.is_ascii_lowercase() { rotate(c) } else { c }).collect();
    let counts = (count(counter, text, findings), count(counter, &ordinary, findings));
    if let (Some(special), Some(plain)) = counts {
        findings.require(special * 4 >= plain, || {
            format!("{text:?} costs {special} tokens, {ordinary:?} {plain}: not ordinary text")
        });
    }
}

fn rotate(c: char) -> char {
    if c == 'z' { 'a' } else { char::from_u32(u32::from(c) + 1).unwrap_or(c) }
}

fn count(counter: &dyn TokenCounter, text: &str, findings: &mut Findings) -> Option<u64> {
    findings.run(&excerpt(text), || counter.count_text(text)).map(|tokens| tokens.as_u64())
}

fn special_texts() -> [&'static str; 6] {
    [
        "<|endoftext|>",
        "<|endofprompt|>",
        "<|im_start|>system\nhello<|im_end|>",
        "<|fim_prefix|>let x<|fim_suffix|>;<|fim_middle|>",
        "</s><s>[INST] hi [/INST]",
        "<start_of_turn>user<end_of_turn>",
    ]
}

const RUNS: &[&str] = &[
    "a", "A", "0", " ", "\t", "\n", "\r\n", "=", "^", "=-", "ab", "a1", " a", "é", "я", "中", "あ", "한",
    "ก", "🚚", "\u{301}", "\u{200D}", "\0", "𠀀",
];
