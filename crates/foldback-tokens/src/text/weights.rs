//! What each feature costs, in thousandths of a token.
//!
//! Fitted by bounded least squares of the relative error on documents of about a hundred kinds against
//! `o200k_base`; a piece never costs less than one token. Weights marked *exact* follow from how the
//! tokenizer splits text; those marked *measured* were read off long runs of one character, which real
//! texts have too few of. Integers, so that every platform gets the same estimate.

use super::features::{self as f, Features, MAX_PUNCT, MAX_WORD, N_FEATURES, N_WORD_CLASSES, PER_SCRIPT};
use super::script::N_SCRIPTS;

/// The weights of one family of tokenizers.
struct Weights {
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
    /// All weights in the order of the counters, so that the sum over them is one plain loop.
    const fn in_order(&self) -> [u32; N_FEATURES] {
        let mut all = [0; N_FEATURES];
        let mut at = copy(self.words.as_flattened(), &mut all, 0);
        at = copy(&self.pieces, &mut all, at);
        at = copy(&self.glued_marks, &mut all, at);
        at = copy(self.punct_runs.as_flattened(), &mut all, at);
        at = copy(&[self.long_punct], &mut all, at);
        at = copy(&self.repeated_punct, &mut all, at);
        at = copy(&self.blobs, &mut all, at);
        at = copy(self.scripts.as_flattened(), &mut all, at);
        assert!(at == N_FEATURES, "every counter has a weight");
        all
    }
}

/// Copies `from` into `to` from place `at` on; the place behind it.
const fn copy(from: &[u32], to: &mut [u32; N_FEATURES], at: usize) -> usize {
    let mut index = 0;
    while index < from.len() {
        to[at + index] = from[index];
        index += 1;
    }
    at + from.len()
}

/// The cost of `features` for the family of `o200k_base`, rounded to whole tokens.
pub(super) fn o200k_cost(features: &Features) -> u64 {
    // Counters sum to a few times the length of the text: no overflow below hundreds of terabytes.
    let weighted = features.0.iter().zip(&O200K_IN_ORDER).map(|(&n, &weight)| n * u64::from(weight));
    (weighted.sum::<u64>() + 500) / 1000
}

static O200K_IN_ORDER: [u32; N_FEATURES] = O200K.in_order();

/// The family of `o200k_base`: GPT-4o and later.
#[rustfmt::skip]
const O200K: Weights = Weights {
    // By class and number of letters.
    words: [
        [0, 1000, 1000, 1000, 1000, 1074, 1116, 1116, 1365, 1642, 1909, 2055, 2261, 2293, 2805, 3157], // small letters behind a space
        [0, 1000, 1000, 1000, 1000, 1102, 1133, 1164, 1495, 1653, 1918, 2199, 2409, 2429, 2596, 2608], // capitalised behind a space
        [0, 1000, 1000, 1030, 1030, 1032, 1032, 1108, 1352, 1371, 1742, 1742, 1826, 1826, 2847, 5093], // small letters
        [0, 1000, 1001, 1086, 1086, 1182, 1331, 1589, 1934, 2280, 2647, 2905, 3155, 3192, 3485, 3485], // capitalised
        [0, 1000, 1000, 1000, 1000, 1141, 1141, 1141, 1249, 1300, 1300, 1948, 1948, 2322, 2978, 2978], // capitals behind a space
        [0, 1000, 1011, 1439, 1593, 1778, 2006, 2311, 2631, 2768, 3122, 3125, 4482, 4589, 4589, 4589], // capitals
        [0, 1000, 1000, 1658, 1658, 2332, 2712, 2753, 3065, 3290, 3290, 3290, 3290, 3873, 3873, 3873], // capitals, then small letters
        [0, 1000, 1000, 1000, 1047, 1547, 2047, 2547, 3047, 3047, 3047, 3547, 4047, 4547, 5047, 5547], // with letters beyond ASCII
    ],
    pieces: [
        525, // each letter past the longest class
        250, // each letter that repeats the ones before: measured on runs of one letter
        0, // `'s`, `n't`
        474, 0, // each letter beyond ASCII in a word: European, Vietnamese
        1000, // exact: up to three digits are one piece
        1000, // exact: a space in front of a number is a piece
        799, // a tab in front of a marked word
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
        500, 1000, 871, 0, 223, 322, 336, 598, 0, 731, 261, 904, 361, 444, 0, 257,
        500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 705, 610, 252, 633, 432, 763,
        1000, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500,
        500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 317, 64, 817, 991, 0,
        820, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500,
        500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 931, 895, 842, 888, 500,
    ],
    // By changes of character; without and with a space in front.
    punct_runs: [
        [1000, 1000, 1000, 1635, 1734, 2419, 2914, 2914],
        [1000, 1022, 1318, 2109, 2715, 2715, 3013, 3742],
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
        [0, 404, 0, 1000], // Latin-1 signs
        [371, 135, 100, 1000], // phonetic letters
        [349, 1149, 0, 1000], // combining marks
        [128, 388, 3, 1000], // Greek
        [1030, 174, 0, 500], // Cyrillic
        [518, 246, 78, 1000], // Armenian
        [824, 325, 0, 1000], // Hebrew
        [356, 190, 531, 500], // Arabic
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
        [714, 698, 0, 125], // dashes and quotation marks
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
