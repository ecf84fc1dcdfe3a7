//! Into which pieces a text is cut.

use super::features::{self as f, Features, WordClass};
use super::scan::scan;
use super::script;

fn features(text: &str) -> Features {
    let mut features = Features::new();
    scan(text, &mut features);
    features
}

#[track_caller]
fn check(text: &str, expected: &[(usize, u64)]) {
    let features = features(text);
    let found: Vec<(usize, u64)> = features.0.iter().copied().enumerate().filter(|&(_, n)| n > 0).collect();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected, "{text:?}");
}

fn word(class: WordClass, letters: usize) -> usize {
    f::WORDS + class as usize * (f::MAX_WORD + 1) + letters
}

fn punct(spaced: usize, changes: usize) -> usize {
    f::PUNCT_RUNS + spaced * (f::MAX_PUNCT + 1) + changes
}

#[test]
fn words_by_what_stands_before_them() {
    use WordClass::*;
    check("the cat", &[(word(GluedLower, 3), 1), (word(SpacedLower, 3), 1)]);
    check("The Cat", &[(word(GluedCapital, 3), 1), (word(SpacedCapital, 3), 1)]);
    check("A CPU", &[(word(GluedCaps, 1), 1), (word(SpacedCaps, 3), 1)]);
    check("fooBar", &[(word(GluedLower, 3), 1), (word(GluedCapital, 3), 1)]);
    check("HTTPServer", &[(word(Mixed, 10), 1)]);
    check(" don't", &[(word(SpacedLower, 3), 1), (f::CONTRACTIONS, 1)]);
}

#[test]
fn words_with_letters_beyond_ascii() {
    use WordClass::Extended;
    check(" größe", &[(word(Extended, 5), 1), (f::EXTENDED_LETTERS, 2)]);
    check("Éa", &[(word(Extended, 2), 1), (f::EXTENDED_LETTERS, 1)]);
    check("việt", &[(word(Extended, 4), 1), (f::EXTENDED_LETTERS + 1, 1)]);
    check("éÉ", &[(word(Extended, 1), 2), (f::EXTENDED_LETTERS, 2)]);
}

#[test]
fn numbers_never_take_their_space() {
    use WordClass::GluedLower;
    check("a 1234", &[(word(GluedLower, 1), 1), (f::LONE_SPACES, 1), (f::DIGIT_GROUPS, 2)]);
}

#[test]
fn punctuation_glued_alone_and_repeated() {
    use WordClass::GluedLower;
    check(".a", &[(f::GLUED_MARKS + usize::from(b'.'), 1), (word(GluedLower, 1), 1)]);
    check(" (a", &[(punct(1, 0), 1), (word(GluedLower, 1), 1)]);
    check("();\n\n", &[(punct(0, 2), 1), (f::ABSORBED_NEWLINES, 1)]);
    check("=========", &[(punct(0, 2), 1), (f::REPEATED_PUNCT, 6)]);
}

#[test]
fn white_space_gives_its_last_character_away() {
    use WordClass::{GluedLower, SpacedLower};
    check(
        "a\n    b",
        &[(word(GluedLower, 1), 1), (f::NEWLINE_RUNS, 1), (f::SPACE_RUNS, 1), (word(SpacedLower, 1), 1)],
    );
    check("\t\tb", &[(f::TAB_RUNS, 1), (word(GluedLower, 1), 1)]);
    check("    ", &[(f::SPACE_RUNS, 1)]);
}

#[test]
fn blobs_are_told_from_names() {
    check("x7Kq2ZtP9mWc4LrY8vJd3B", &[(f::BLOBS, 22), (f::BLOBS + 1, 16)]);
    check("7f3a19c29f86d081884c7d65", &[(f::BLOBS + 2, 24), (f::BLOBS + 3, 14)]);
    for name in ["getMaximumDraughtOfVessel", "SCREAMINGCONSTANTNAME", "utf16lesurrogate"] {
        let features = features(name);
        assert!(features.0[f::BLOBS..f::BLOBS + 4].iter().all(|&n| n == 0), "{name}");
    }
}

#[test]
fn runs_of_other_scripts() {
    let han = f::SCRIPTS + script::block_of('中').script * f::PER_SCRIPT;
    check("港务长在屏幕", &[(han, 1), (han + 1, 6), (han + 2, 2)]);
    check("中中中中中", &[(han, 1), (han + 1, 3), (han + 3, 2)]);
    let unknown = f::SCRIPTS + script::OTHER * f::PER_SCRIPT;
    check("\u{A000}\u{A001}", &[(unknown, 2), (unknown + 1, 2)]);
}

#[test]
fn a_cost_is_the_weighted_sum() {
    assert_eq!(super::estimate("a b 12").as_u64(), 4);
    assert_eq!(super::estimate("").as_u64(), 0);
}
