//! What each feature costs, in thousandths of a token.
//!
//! Fitted by bounded least squares of the relative error on documents of about a hundred kinds against
//! `o200k_base`; a piece never costs less than one token. Weights marked *exact* follow from how the
//! tokenizer splits text; those marked *measured* were read off long runs of one character, which real
//! texts have too few of. Integers, so that every platform gets the same estimate.

use super::features::{self as f, Features, MAX_PUNCT, MAX_WORD, N_FEATURES, N_WORD_CLASSES, PER_SCRIPT};
use super::script::N_SCRIPTS;

/// The weights of one family of tokenizers.
pub(super) struct Weights {
    words: [[u32; MAX_WORD + 1]; N_WORD_CLASSES],
    // In the order of the counters between words and marks.
    pieces: [u32; f::GLUED_MARKS - f::LONG_LETTERS],
    glued_marks: [u32; 128],
    punct_runs: [[u32; MAX_PUNCT + 1]; 2],
    long_punct: u32,
    repeated_punct: [u32; 4],
    blobs: [u32; 4],
    scripts: [[u32; PER_SCRIPT]; N_SCRIPTS],
}

impl Weights {
    /// The cost of `features`, rounded to whole tokens.
    pub(super) fn cost(&self, features: &Features) -> u64 {
        let weights = self
            .words
            .as_flattened()
            .iter()
            .chain(&self.pieces)
            .chain(&self.glued_marks)
            .chain(self.punct_runs.as_flattened())
            .chain([&self.long_punct])
            .chain(&self.repeated_punct)
            .chain(&self.blobs)
            .chain(self.scripts.as_flattened());
        let thousandths = features
            .0
            .iter()
            .zip(weights)
            .map(|(&n, &weight)| n.saturating_mul(u64::from(weight)))
            .fold(0, u64::saturating_add);
        thousandths.saturating_add(500) / 1000
    }
}

// The chain in `cost` walks all counters, and no more.
const _: () = assert!(f::PUNCT_RUNS == f::GLUED_MARKS + 128 && f::SCRIPTS == f::BLOBS + 4);
const _: () = assert!(f::SCRIPTS + N_SCRIPTS * PER_SCRIPT == N_FEATURES);

/// The family of `o200k_base`: GPT-4o and later.
#[rustfmt::skip]
pub(super) static O200K: Weights = Weights {
    // By class and number of letters.
    words: [
        [0, 1000, 1000, 1000, 1000, 1074, 1115, 1115, 1365, 1642, 1909, 2055, 2261, 2293, 2805, 3157], // small letters behind a space
        [0, 1000, 1000, 1000, 1000, 1102, 1133, 1165, 1496, 1654, 1918, 2199, 2409, 2429, 2596, 2609], // capitalised behind a space
        [0, 1000, 1000, 1030, 1030, 1032, 1032, 1108, 1352, 1370, 1741, 1741, 1825, 1825, 2847, 5093], // small letters
        [0, 1000, 1001, 1087, 1087, 1182, 1331, 1589, 1934, 2280, 2648, 2906, 3156, 3193, 3485, 3485], // capitalised
        [0, 1000, 1000, 1000, 1000, 1141, 1141, 1141, 1249, 1300, 1300, 1948, 1948, 2322, 2978, 2978], // capitals behind a space
        [0, 1000, 1011, 1439, 1593, 1778, 2006, 2310, 2631, 2767, 3122, 3124, 4482, 4588, 4588, 4588], // capitals
        [0, 1000, 1000, 1658, 1658, 2332, 2712, 2753, 3065, 3290, 3290, 3290, 3290, 3873, 3874, 3874], // capitals, then small letters
        [0, 1000, 1000, 1000, 1038, 1538, 2038, 2538, 3038, 3038, 3038, 3538, 4038, 4538, 5038, 5538], // with letters beyond ASCII
    ],
    pieces: [
        525, // each letter past the longest class
        250, // each letter that repeats the ones before: measured on runs of one letter
        0, // `'s`, `n't`
        480, 0, // each letter beyond ASCII in a word: European, Vietnamese
        1000, // exact: up to three digits are one piece
        1000, // exact: a space in front of a number is a piece
        800, // a tab in front of a marked word
        1000, // an indent or gap
        10, // each space past the sixteenth: measured on runs
        1000, // an indent of tabs
        62, // each tab past the sixteenth: measured on runs
        1200, // white space with a line break
        83, // each further line break: measured on runs
        0, // line breaks behind punctuation
    ],
    // By ASCII code: a mark in front of a word, beyond the word itself.
    glued_marks: [
        500, 500, 500, 500, 500, 500, 500, 500, 500, 266, 500, 600, 500, 500, 500, 500,
        500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500,
        500, 1000, 871, 0, 223, 322, 336, 599, 0, 731, 261, 904, 361, 444, 0, 257,
        500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 705, 610, 252, 633, 432, 763,
        1000, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500,
        500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 317, 64, 817, 991, 0,
        820, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500,
        500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 931, 895, 842, 888, 500,
    ],
    // By changes of character; without and with a space in front.
    punct_runs: [
        [1000, 1000, 1000, 1635, 1734, 2419, 2914, 2914],
        [1000, 1022, 1318, 2109, 2715, 2715, 3014, 3742],
    ],
    long_punct: 327,
    // Measured on runs of one mark.
    repeated_punct: [16, 100, 333, 1000],
    // Characters and changes: of mixed case, of one case.
    blobs: [241, 1000, 250, 695],
    // Runs, characters, characters past the fourth, repetitions (measured).
    scripts: [
        [0, 0, 0, 1000], // Latin (counted in words)
        [0, 0, 0, 1000], // Vietnamese (counted in words)
        [1, 2050, 0, 3000], // unknown
        [0, 400, 0, 1000], // Latin-1 signs
        [371, 134, 100, 1000], // phonetic letters
        [350, 1150, 0, 1000], // combining marks
        [127, 388, 3, 1000], // Greek
        [1030, 174, 0, 500], // Cyrillic
        [518, 246, 78, 1000], // Armenian
        [824, 325, 0, 1000], // Hebrew
        [355, 191, 531, 500], // Arabic
        [281, 261, 304, 1000], // Devanagari
        [107, 398, 0, 1000], // Bengali
        [349, 446, 768, 1000], // Gurmukhi
        [470, 125, 820, 1000], // Gujarati
        [600, 350, 100, 1000], // Oriya
        [1200, 236, 0, 1000], // Tamil
        [1031, 363, 0, 1000], // Telugu
        [1200, 302, 0, 1000], // Kannada
        [1200, 224, 0, 1000], // Malayalam
        [1200, 379, 0, 1000], // Sinhala
        [803, 395, 1, 1000], // Thai
        [600, 350, 0, 1000], // Lao
        [838, 1520, 1, 1000], // Tibetan
        [649, 507, 1, 1000], // Myanmar
        [876, 248, 0, 1000], // Georgian
        [226, 2000, 0, 1000], // Hangul letters
        [600, 350, 100, 1000], // Ethiopic
        [0, 438, 1, 1000], // Khmer
        [600, 350, 100, 1000], // Greek with accents
        [715, 698, 0, 125], // dashes and quotation marks
        [0, 786, 0, 500], // signs and arrows
        [402, 651, 75, 62], // lines and blocks
        [0, 582, 0, 125], // shapes
        [452, 371, 0, 500], // CJK punctuation
        [678, 270, 1, 1000], // Hiragana
        [440, 493, 1, 1000], // Katakana
        [1, 2699, 0, 3000], // rare Han
        [600, 697, 0, 1000], // Han
        [984, 379, 0, 1000], // Hangul
        [0, 3000, 0, 3000], // private use
        [210, 1010, 0, 1000], // variation selectors
        [400, 200, 0, 500], // full and half width
        [0, 2500, 0, 2500], // other planes
        [305, 2000, 1, 1500], // emoji
    ],
};
