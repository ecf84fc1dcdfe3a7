//! Scripts and symbols beyond ASCII, as far as tokenizers treat them differently.

/// A range of characters that cost alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) first: u32,
    pub(super) last: u32,
    /// Index of the script's counters.
    pub(super) script: usize,
}

/// Latin letters beyond ASCII, of the European and of the Vietnamese kind: they belong to words.
pub(super) const LATIN: usize = 0;
pub(super) const LATIN_ADDITIONAL: usize = 1;
/// What no block covers.
pub(super) const OTHER: usize = 2;
pub(super) const N_SCRIPTS: usize = 45;

/// The block of `c`, which lies beyond ASCII.
pub(super) fn block_of(c: char) -> Block {
    let code = u32::from(c);
    let index = BLOCKS.partition_point(|&(first, _, _)| first <= code);
    match index.checked_sub(1).map(|index| BLOCKS[index]) {
        Some((first, last, script)) if code <= last => Block { first, last, script },
        // A run of unknown characters ends after each: what follows may be known.
        _ => Block { first: code, last: code, script: OTHER },
    }
}

// In order of code points.
const BLOCKS: &[(u32, u32, usize)] = &[
    (0x80, 0xA9, 3),
    (0xAA, 0xAA, LATIN),
    (0xAB, 0xB9, 3),
    (0xBA, 0xBA, LATIN),
    (0xBB, 0xBF, 3),
    (0xC0, 0xD6, LATIN),
    (0xD7, 0xD7, 3),
    (0xD8, 0xF6, LATIN),
    (0xF7, 0xF7, 3),
    (0xF8, 0x24F, LATIN),
    (0x250, 0x2FF, 4),  // phonetic letters
    (0x300, 0x36F, 5),  // combining marks
    (0x370, 0x3FF, 6),  // Greek
    (0x400, 0x52F, 7),  // Cyrillic
    (0x530, 0x58F, 8),  // Armenian
    (0x590, 0x5FF, 9),  // Hebrew
    (0x600, 0x6FF, 10), // Arabic
    (0x750, 0x77F, 10),
    (0x900, 0x97F, 11),   // Devanagari
    (0x980, 0x9FF, 12),   // Bengali
    (0xA00, 0xA7F, 13),   // Gurmukhi
    (0xA80, 0xAFF, 14),   // Gujarati
    (0xB00, 0xB7F, 15),   // Oriya
    (0xB80, 0xBFF, 16),   // Tamil
    (0xC00, 0xC7F, 17),   // Telugu
    (0xC80, 0xCFF, 18),   // Kannada
    (0xD00, 0xD7F, 19),   // Malayalam
    (0xD80, 0xDFF, 20),   // Sinhala
    (0xE00, 0xE7F, 21),   // Thai
    (0xE80, 0xEFF, 22),   // Lao
    (0xF00, 0xFFF, 23),   // Tibetan
    (0x1000, 0x109F, 24), // Myanmar
    (0x10A0, 0x10FF, 25), // Georgian
    (0x1100, 0x11FF, 26), // Hangul letters
    (0x1200, 0x139F, 27), // Ethiopic
    (0x1780, 0x17FF, 28), // Khmer
    (0x1E00, 0x1EFF, LATIN_ADDITIONAL),
    (0x1F00, 0x1FFF, 29), // Greek with accents
    (0x2000, 0x206F, 30), // dashes, quotation marks, joiners
    (0x2070, 0x24FF, 31), // signs, arrows, operators
    (0x2500, 0x259F, 32), // lines and blocks
    (0x25A0, 0x2BFF, 33), // shapes, dingbats
    (0x3000, 0x303F, 34), // CJK punctuation
    (0x3040, 0x309F, 35), // Hiragana
    (0x30A0, 0x30FF, 36), // Katakana
    (0x3130, 0x318F, 26),
    (0x3400, 0x4DBF, 37), // rare Han
    (0x4E00, 0x9FFF, 38), // Han
    (0xAC00, 0xD7AF, 39), // Hangul syllables
    (0xE000, 0xF8FF, 40), // private use
    (0xF900, 0xFAFF, 37),
    (0xFB1D, 0xFB4F, 9),
    (0xFB50, 0xFDFF, 10),
    (0xFE00, 0xFE0F, 41), // variation selectors
    (0xFE70, 0xFEFE, 10),
    (0xFF00, 0xFFEF, 42),   // full and half width
    (0x10000, 0x1D3FF, 43), // ancient and minority scripts, musical signs
    (0x1D400, 0x1D7FF, 43),
    (0x1F000, 0x1FAFF, 44), // emoji
    (0x20000, 0x3FFFF, 37),
    (0x40000, 0x10_FFFF, 40),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_in_order_and_apart() {
        assert!(BLOCKS.windows(2).all(|pair| pair[0].1 < pair[1].0));
        assert!(BLOCKS.iter().all(|&(first, last, script)| first <= last && script < N_SCRIPTS));
    }

    #[test]
    fn a_block_holds_its_character() {
        for c in (0x80..=0x0010_FFFF).filter_map(char::from_u32) {
            let block = block_of(c);
            assert!((block.first..=block.last).contains(&u32::from(c)), "{c:?}");
        }
    }

    #[test]
    fn scripts_of_some_characters() {
        let script = |c| block_of(c).script;
        assert_eq!([script('é'), script('ế'), script('×'), script('я')], [LATIN, LATIN_ADDITIONAL, 3, 7]);
        assert_eq!([script('中'), script('の'), script('한'), script('🚚')], [38, 35, 39, 44]);
        assert_eq!(script('\u{A000}'), OTHER);
    }
}
