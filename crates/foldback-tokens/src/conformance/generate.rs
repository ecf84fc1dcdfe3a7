//! Texts and messages from a seed.

use foldback_model::{Media, MediaSource, Message, Opaque, Part, Role, Thinking, ToolCall, ToolResult};

/// A small generator (splitmix64): good enough to pick test inputs, and the same everywhere.
pub(super) struct Generator(u64);

impl Generator {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap_or(0) % bound.max(1)
    }

    /// Up to `max_chars` characters of mixed origin.
    pub(super) fn text(&mut self, max_chars: usize) -> String {
        let mut text = String::new();
        for _ in 0..self.below(max_chars) {
            let c = match self.below(6) {
                0 | 1 => char::from(b'a' + u8::try_from(self.below(26)).unwrap_or(0)),
                2 => char::from(u8::try_from(self.below(128)).unwrap_or(0)),
                3 => ALPHABET[self.below(ALPHABET.len())],
                4 => char::from_u32(u32::try_from(self.below(0x11_0000)).unwrap_or(0)).unwrap_or(' '),
                _ => ' ',
            };
            text.push(c);
        }
        text
    }

    /// `n` characters of base64.
    pub(super) fn base64(&mut self, n: usize) -> String {
        const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        (0..n).map(|_| char::from(DIGITS[self.below(64)])).collect()
    }

    pub(super) fn message(&mut self) -> Message {
        let roles = [Role::System, Role::Developer, Role::User, Role::Assistant, Role::Tool];
        let role = roles[self.below(roles.len())];
        let parts = (0..self.below(5)).map(|_| self.part(true)).collect();
        Message::new(role, parts)
    }

    fn part(&mut self, may_nest: bool) -> Part {
        match self.below(8) {
            0 => Part::Image(self.media("image/png")),
            1 => Part::Document(self.media("application/pdf")),
            2 => Part::Thinking(Thinking::new(self.text(60)).signed(self.base64(40))),
            3 => Part::Thinking(Thinking::sealed(self.base64(2000))),
            4 if may_nest => Part::ToolCall(ToolCall::new(self.text(9), self.text(9), self.text(80))),
            5 if may_nest => {
                let mut result = ToolResult::new(self.text(9), self.text(80));
                result.content = (0..self.below(4)).map(|_| self.part(false)).collect();
                Part::ToolResult(result)
            }
            6 => Part::Opaque(Opaque::new(self.text(9), self.text(40), self.text(80))),
            _ => Part::Text(self.text(200)),
        }
    }

    fn media(&mut self, media_type: &str) -> Media {
        let source = match self.below(4) {
            0 => MediaSource::Base64(self.base64(500)),
            1 => MediaSource::Text(self.text(80)),
            2 => MediaSource::Url(self.text(40)),
            _ => MediaSource::FileId(self.text(9)),
        };
        Media::new((self.below(2) == 0).then(|| media_type.into()), source)
    }
}

/// Characters at which tokenizers change their mind.
const ALPHABET: &[char] = &[
    ' ',
    '\n',
    '\r',
    '\t',
    '\0',
    '\'',
    '<',
    '|',
    '>',
    '0',
    '9',
    'é',
    'ß',
    'Σ',
    'я',
    'ש',
    'ع',
    'क',
    'ก',
    '中',
    'の',
    'カ',
    '한',
    '。',
    '\u{301}',
    '\u{200B}',
    '\u{200D}',
    '\u{FE0F}',
    '\u{FEFF}',
    '\u{FFFD}',
    '😀',
    '🚚',
    '𠀀',
    '𝐀',
    '\u{E000}',
    '\u{10FFFF}',
];
