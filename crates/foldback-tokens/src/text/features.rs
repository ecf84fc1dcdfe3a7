//! What a text is made of, as numbers that a table of weights turns into tokens.
//!
//! The classes follow the pieces into which the tokenizers of the GPT-4o family split a text before
//! they look at their vocabulary: a word with one leading space or mark, up to three digits, a run of
//! punctuation, a run of white space.

use super::script::N_SCRIPTS;

/// Longer words fall into the last length class; what exceeds it is counted by the letter.
pub(super) const MAX_WORD: usize = 15;
/// Runs of punctuation with more changes of character fall into the last class.
pub(super) const MAX_PUNCT: usize = 7;

// Index of the first counter of each group.
pub(super) const WORDS: usize = 0;
pub(super) const N_WORD_CLASSES: usize = 8;
pub(super) const LONG_LETTERS: usize = WORDS + N_WORD_CLASSES * (MAX_WORD + 1);
pub(super) const REPEATED_LETTERS: usize = LONG_LETTERS + 1;
pub(super) const CONTRACTIONS: usize = REPEATED_LETTERS + 1;
pub(super) const EXTENDED_LETTERS: usize = CONTRACTIONS + 1;
pub(super) const DIGIT_GROUPS: usize = EXTENDED_LETTERS + 2;
pub(super) const LONE_SPACES: usize = DIGIT_GROUPS + 1;
pub(super) const TAB_LEADS: usize = LONE_SPACES + 1;
pub(super) const SPACE_RUNS: usize = TAB_LEADS + 1;
pub(super) const LONG_SPACES: usize = SPACE_RUNS + 1;
pub(super) const TAB_RUNS: usize = LONG_SPACES + 1;
pub(super) const LONG_TABS: usize = TAB_RUNS + 1;
pub(super) const NEWLINE_RUNS: usize = LONG_TABS + 1;
pub(super) const LONG_NEWLINES: usize = NEWLINE_RUNS + 1;
pub(super) const ABSORBED_NEWLINES: usize = LONG_NEWLINES + 1;
pub(super) const GLUED_MARKS: usize = ABSORBED_NEWLINES + 1;
pub(super) const PUNCT_RUNS: usize = GLUED_MARKS + 128;
pub(super) const LONG_PUNCT: usize = PUNCT_RUNS + 2 * (MAX_PUNCT + 1);
pub(super) const REPEATED_PUNCT: usize = LONG_PUNCT + 1;
pub(super) const BLOBS: usize = REPEATED_PUNCT + 4;
pub(super) const SCRIPTS: usize = BLOBS + 4;
/// Runs, characters, characters past the fourth of a run, repetitions.
pub(super) const PER_SCRIPT: usize = 4;
pub(super) const N_FEATURES: usize = SCRIPTS + N_SCRIPTS * PER_SCRIPT;

/// What a word looks like; together with its length it decides what the word costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum WordClass {
    SpacedLower,
    SpacedCapital,
    GluedLower,
    GluedCapital,
    SpacedCaps,
    GluedCaps,
    /// Several capitals, then small letters.
    Mixed,
    /// With a letter beyond ASCII.
    Extended,
}

/// Counters of one text.
pub(super) struct Features(pub(super) [u64; N_FEATURES]);

impl Features {
    pub(super) fn new() -> Self {
        Self([0; N_FEATURES])
    }

    pub(super) fn add(&mut self, feature: usize, n: usize) {
        self.0[feature] += n as u64;
    }

    pub(super) fn word(&mut self, class: WordClass, letters: usize) {
        self.0[WORDS + class as usize * (MAX_WORD + 1) + letters.min(MAX_WORD)] += 1;
    }
}
