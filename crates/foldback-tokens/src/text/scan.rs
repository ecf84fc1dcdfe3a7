//! One pass over a text that fills [`Features`].

use super::features::{self as f, Features, WordClass};
use super::script::{self, Block};

/// A run of letters and digits this long may be a blob: a digest, a key, encoded bytes.
const MIN_BLOB: usize = 16;
/// Characters that repeat the one before count as such from the fourth of a kind on.
const REPEAT_AFTER: usize = 3;

/// Counts what `text` is made of.
pub(super) fn scan(text: &str, features: &mut Features) {
    Scanner { text, bytes: text.as_bytes(), at: 0, lead: Lead::None, judged: 0, features }.run();
}

/// What stands directly in front of the next piece and may be merged with it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    None,
    Space,
    Tab,
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    lead: Lead,
    // Up to here, the run of letters and digits is known not to be a blob.
    judged: usize,
    features: &'a mut Features,
}

impl Scanner<'_> {
    fn run(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match CLASSES[usize::from(byte)] {
                Class::Lower | Class::Upper => self.word(),
                Class::Digit => self.digits(),
                Class::Space => self.white_space(),
                Class::Mark => self.marks(),
                Class::High => self.beyond_ascii(),
            }
        }
    }

    fn class_at(&self, at: usize) -> Option<Class> {
        self.bytes.get(at).map(|&byte| CLASSES[usize::from(byte)])
    }

    fn end_of(&self, at: usize, class: Class) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        at + rest.iter().position(|&byte| CLASSES[usize::from(byte)] != class).unwrap_or(rest.len())
    }

    /// Capitals, then small letters: one piece.
    fn word(&mut self) {
        let start = self.at;
        let capitals_end = self.end_of(start, Class::Upper);
        let end = self.end_of(capitals_end, Class::Lower);
        match self.class_at(end) {
            Some(Class::High) if self.latin_at(end).is_some() => return self.extended_word(),
            Some(Class::Digit | Class::Upper) if self.blob(start) => return,
            _ => {}
        }
        let spaced = self.take_lead() == Lead::Space;
        let class = match (capitals_end - start, end > capitals_end) {
            (0, _) if spaced => WordClass::SpacedLower,
            (0, _) => WordClass::GluedLower,
            (1, true) if spaced => WordClass::SpacedCapital,
            (1, true) => WordClass::GluedCapital,
            (_, false) if spaced => WordClass::SpacedCaps,
            (_, false) => WordClass::GluedCaps,
            (_, true) => WordClass::Mixed,
        };
        self.features.word(class, end - start);
        if end - start > f::MAX_WORD {
            self.long_word(start + f::MAX_WORD, end);
        }
        self.at = end + self.contraction(end);
    }

    fn long_word(&mut self, from: usize, end: usize) {
        let repeats = (from..end)
            .filter(|&at| self.bytes[at - REPEAT_AFTER..at].iter().all(|&b| b == self.bytes[at]))
            .count();
        self.features.add(f::REPEATED_LETTERS, repeats);
        self.features.add(f::LONG_LETTERS, end - from - repeats);
    }

    /// A word with letters beyond ASCII.
    fn extended_word(&mut self) {
        self.take_lead();
        let (mut letters, mut small, mut at) = (0, false, self.at);
        loop {
            let (is_capital, width, beyond) = match self.class_at(at) {
                Some(Class::Lower) => (false, 1, None),
                Some(Class::Upper) => (true, 1, None),
                Some(Class::High) => {
                    let Some((c, script)) = self.latin_at(at) else { break };
                    (c.is_uppercase(), c.len_utf8(), Some(script))
                }
                _ => break,
            };
            if is_capital && small {
                break;
            }
            if let Some(script) = beyond {
                let kind = usize::from(script == script::LATIN_ADDITIONAL);
                self.features.add(f::EXTENDED_LETTERS + kind, 1);
            }
            small |= !is_capital;
            letters += 1;
            at += width;
        }
        self.features.word(WordClass::Extended, letters);
        self.features.add(f::LONG_LETTERS, letters.saturating_sub(f::MAX_WORD));
        self.at = at;
    }

    /// The length of an English contraction, such as `'ll`, at `at`: it is part of its word.
    fn contraction(&mut self, at: usize) -> usize {
        if self.bytes.get(at) != Some(&b'\'') {
            return 0;
        }
        let next = |n: usize| self.bytes.get(at + n).map_or(0, u8::to_ascii_lowercase);
        let length = match (next(1), next(2)) {
            (b's' | b't' | b'm' | b'd', _) => 2,
            (b'r' | b'v', b'e') | (b'l', b'l') => 3,
            _ => return 0,
        };
        self.features.add(f::CONTRACTIONS, 1);
        length
    }

    fn digits(&mut self) {
        let end = self.end_of(self.at, Class::Digit);
        if matches!(self.class_at(end), Some(Class::Lower | Class::Upper)) && self.blob(self.at) {
            return;
        }
        // A number never takes the space in front of it.
        let lone = usize::from(self.take_lead() != Lead::None);
        self.features.add(f::LONE_SPACES, lone);
        self.features.add(f::DIGIT_GROUPS, (end - self.at).div_ceil(3));
        self.at = end;
    }

    /// Takes the run of letters and digits from `start` as a blob, if it looks like one: long, and
    /// changing between small letters, capitals and digits more often than names do.
    fn blob(&mut self, start: usize) -> bool {
        if start < self.judged {
            return false;
        }
        let (mut changes, mut end, mut previous) = (0, start, self.class_at(start));
        let (mut upper, mut lower) = (false, false);
        while let Some(class @ (Class::Lower | Class::Upper | Class::Digit)) = self.class_at(end) {
            let capitalised = (previous, class) == (Some(Class::Upper), Class::Lower);
            changes += usize::from(previous != Some(class) && !capitalised);
            upper |= class == Class::Upper;
            lower |= class == Class::Lower;
            previous = Some(class);
            end += 1;
        }
        self.judged = end;
        let length = end - start;
        if length < MIN_BLOB || changes * 3 < length {
            return false;
        }
        self.take_lead();
        let kind = if upper && lower { f::BLOBS } else { f::BLOBS + 2 };
        self.features.add(kind, length);
        self.features.add(kind + 1, changes);
        self.at = end;
        true
    }

    /// A run of white space. Up to its last line break it is one piece; of the rest, the last
    /// character goes to what follows.
    fn white_space(&mut self) {
        let start = self.at;
        if self.bytes[start] == b' ' && !matches!(self.class_at(start + 1), None | Some(Class::Space)) {
            // Nearly all white space: one space between two words.
            self.lead = Lead::Space;
            self.at = start + 1;
            return;
        }
        let end = self.end_of(start, Class::Space);
        let run = &self.bytes[start..end];
        let after_newline = run
            .iter()
            .rposition(|&b| b == b'\n' || b == b'\r')
            .map_or(start, |position| start + position + 1);
        if after_newline > start {
            self.features.add(f::NEWLINE_RUNS, 1);
            self.long_break(&self.bytes[start..after_newline]);
        }
        let rest = end - after_newline;
        let ends_text = end == self.bytes.len();
        let last = if ends_text { None } else { run.last() };
        self.lead = match (rest, last) {
            (0, _) | (_, None) => Lead::None,
            (_, Some(b' ')) => Lead::Space,
            _ => Lead::Tab,
        };
        let own = rest.saturating_sub(usize::from(self.lead != Lead::None));
        if own > 0 {
            let spaces = self.bytes[after_newline] == b' ';
            let (runs, long) =
                if spaces { (f::SPACE_RUNS, f::LONG_SPACES) } else { (f::TAB_RUNS, f::LONG_TABS) };
            self.features.add(runs, 1);
            self.features.add(long, own.saturating_sub(16));
        }
        self.at = end;
    }

    /// What a run of white space with line breaks costs beyond its first characters: an empty screen
    /// is mostly spaces, and those come by the hundred.
    fn long_break(&mut self, run: &[u8]) {
        let excess = run.len().saturating_sub(16);
        if excess > 0 {
            let is_break = |b: u8| matches!(b, b'\n' | b'\r');
            let breaks = run.iter().filter(|&&b| is_break(b)).count().min(excess);
            let indented = run.windows(2).filter(|pair| !is_break(pair[0]) && is_break(pair[1])).count();
            let returns = run.windows(2).filter(|pair| *pair == b"\r\r").count();
            // Measured: a change of character inside such a run costs what three more line breaks
            // do, a carriage return without its line feed what five do.
            self.features.add(f::LONG_NEWLINES, breaks + 3 * indented.min(breaks) + 5 * returns.min(breaks));
            self.features.add(f::LONG_SPACES, excess - breaks);
        }
    }

    /// A run of ASCII punctuation and control characters.
    fn marks(&mut self) {
        let start = self.at;
        let end = self.end_of(start, Class::Mark);
        let lead = self.take_lead();
        self.at = end;
        if end == start + 1 && lead != Lead::Space && self.letter_at(end) {
            // One mark in front of a word is a piece with it: `.name`, `_id`.
            self.features.add(f::TAB_LEADS, usize::from(lead == Lead::Tab));
            self.features.add(f::GLUED_MARKS + usize::from(self.bytes[start]), 1);
            return;
        }
        self.features.add(f::LONE_SPACES, usize::from(lead == Lead::Tab));
        let run = &self.bytes[start..end];
        let (mut changes, mut same) = (0, 0);
        for pair in run.windows(2) {
            same = if pair[0] == pair[1] { same + 1 } else { 0 };
            if same >= REPEAT_AFTER {
                self.features.add(f::REPEATED_PUNCT + repeat_class(pair[1]), 1);
            } else {
                changes += 1;
            }
        }
        let row = f::PUNCT_RUNS + usize::from(lead == Lead::Space) * (f::MAX_PUNCT + 1);
        self.features.add(row + changes.min(f::MAX_PUNCT), 1);
        self.features.add(f::LONG_PUNCT, changes.saturating_sub(f::MAX_PUNCT));
        self.absorb_newlines();
    }

    /// Line breaks right behind punctuation are a piece with it.
    fn absorb_newlines(&mut self) {
        let start = self.at;
        while matches!(self.bytes.get(self.at), Some(b'\n' | b'\r')) {
            self.at += 1;
        }
        let n = self.at - start;
        if n > 0 {
            self.features.add(f::ABSORBED_NEWLINES, 1);
            self.features.add(f::LONG_NEWLINES, n.saturating_sub(4));
        }
    }

    fn beyond_ascii(&mut self) {
        let Some(first) = self.char_at(self.at) else { return };
        let block = script::block_of(first);
        if is_latin(block) {
            self.extended_word();
        } else {
            self.script_run(first, block);
        }
    }

    fn script_run(&mut self, first: char, block: Block) {
        self.take_lead();
        let (mut n, mut repeats, mut same, mut previous, mut width) = (0_usize, 0, 0, first, 0);
        for c in self.text[self.at..].chars() {
            if !(block.first..=block.last).contains(&u32::from(c)) {
                break;
            }
            same = if c == previous { same + 1 } else { 1 };
            if same > REPEAT_AFTER {
                repeats += 1;
            } else {
                n += 1;
            }
            previous = c;
            width += c.len_utf8();
        }
        let counters = f::SCRIPTS + block.script * f::PER_SCRIPT;
        self.features.add(counters, 1);
        self.features.add(counters + 1, n);
        self.features.add(counters + 2, n.saturating_sub(4));
        self.features.add(counters + 3, repeats);
        self.at += width;
    }

    fn take_lead(&mut self) -> Lead {
        std::mem::replace(&mut self.lead, Lead::None)
    }

    fn letter_at(&self, at: usize) -> bool {
        match self.class_at(at) {
            Some(Class::Lower | Class::Upper) => true,
            Some(Class::High) => self.char_at(at).is_some_and(char::is_alphabetic),
            _ => false,
        }
    }

    fn latin_at(&self, at: usize) -> Option<(char, usize)> {
        let c = self.char_at(at)?;
        let block = script::block_of(c);
        is_latin(block).then_some((c, block.script))
    }

    fn char_at(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }
}

fn is_latin(block: Block) -> bool {
    matches!(block.script, script::LATIN | script::LATIN_ADDITIONAL)
}

/// How cheap a mark becomes when it is repeated: rules drawn of it, other common runs, rare ones,
/// control characters.
fn repeat_class(byte: u8) -> usize {
    match byte {
        b'#' | b'.' | b'/' | b'_' | b'*' | b'-' | b'=' | b'%' | b'+' | b'~' => 0,
        b'!' | b':' | b';' | b'<' | b'>' | b'?' | b'@' | b'^' => 1,
        b if b.is_ascii_control() => 3,
        _ => 2,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Space,
    Mark,
    High,
}

static CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut table = [Class::High; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = match byte {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            b' ' | b'\t' | b'\n' | b'\r' => Class::Space,
            _ => Class::Mark,
        };
        byte += 1;
    }
    table
}
