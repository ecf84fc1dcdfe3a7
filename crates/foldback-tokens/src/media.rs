//! What pictures and documents cost. Their base64 is never counted as text.
//!
//! A picture is priced by its size in pixels, read from its header; only the head of the data is
//! decoded for that. Where neither size nor content is known, a stated constant stands in.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use foldback_model::{Media, MediaSource};

/// How a provider prices pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImageRule {
    /// Anthropic: `width × height / 750`, after the long edge was scaled down to 1568 pixels; at most
    /// 1600.
    #[default]
    Anthropic,
    /// OpenAI (GPT-4o and its like): 85, and 170 for each tile of 512 × 512 pixels, after scaling down
    /// to 2048 × 2048 and then to 768 pixels on the short edge.
    OpenAiTiles,
    /// Gemini: 258 up to 384 × 384 pixels, else 258 a tile; a tile's edge is two thirds of the short
    /// edge, between 256 and 768 pixels. Pictures are scaled down to 3072 × 3072 first.
    Gemini,
}

/// Tokens of a picture whose size cannot be read: a screenshot of about a megapixel.
const UNKNOWN_IMAGE: u64 = 1200;
/// OpenAI's price of a picture in low detail.
const LOW_DETAIL: u64 = 85;
/// A header that says the size stands within this many base64 characters (64 KiB of bytes).
const HEAD_CHARS: usize = 87_380;

/// The tokens of a picture, and whether its size was known.
pub(crate) fn image_tokens(image: &Media, rule: ImageRule) -> (u64, bool) {
    if image.low_detail {
        return (LOW_DETAIL, true);
    }
    match inline_base64(image).and_then(pixel_size) {
        Some((width, height)) => (rule.tokens(width, height), true),
        None => (UNKNOWN_IMAGE, false),
    }
}

impl ImageRule {
    /// The price of a picture of `width` by `height` pixels.
    #[must_use]
    pub fn tokens(self, width: u32, height: u32) -> u64 {
        let (width, height) = (u64::from(width).max(1), u64::from(height).max(1));
        match self {
            Self::Anthropic => {
                let (width, height) = fit_long_edge(width, height, 1568);
                (width * height).div_ceil(750).min(1600)
            }
            Self::OpenAiTiles => {
                let (width, height) = fit_long_edge(width, height, 2048);
                let (width, height) = fit_short_edge(width, height, 768);
                85 + 170 * width.div_ceil(512) * height.div_ceil(512)
            }
            Self::Gemini if width <= 384 && height <= 384 => 258,
            Self::Gemini => {
                let (width, height) = fit_long_edge(width, height, 3072);
                let tile = (width.min(height) * 2 / 3).clamp(256, 768);
                258 * width.div_ceil(tile) * height.div_ceil(tile)
            }
        }
    }
}

fn fit_long_edge(width: u64, height: u64, edge: u64) -> (u64, u64) {
    scale(width, height, edge, width.max(height))
}

fn fit_short_edge(width: u64, height: u64, edge: u64) -> (u64, u64) {
    scale(width, height, edge, width.min(height))
}

/// Scales down so that `from` becomes `to`; never up.
fn scale(width: u64, height: u64, to: u64, from: u64) -> (u64, u64) {
    if from <= to {
        return (width, height);
    }
    ((width * to / from).max(1), (height * to / from).max(1))
}

fn pixel_size(base64: &str) -> Option<(u32, u32)> {
    let head = decode_head(base64);
    let size = imagesize::blob_size(&head).ok()?;
    let (width, height) = (u32::try_from(size.width).ok()?, u32::try_from(size.height).ok()?);
    (width > 0 && height > 0).then_some((width, height))
}

/// The first bytes of `base64`: standard or URL-safe, wrapped or not, whole or torn.
fn decode_head(base64: &str) -> Vec<u8> {
    let mut head: Vec<u8> = base64
        .bytes()
        .take(HEAD_CHARS)
        .filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=')
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        })
        .collect();
    head.truncate(head.len() / 4 * 4);
    let lenient = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    GeneralPurpose::new(&alphabet::STANDARD, lenient).decode(head).unwrap_or_default()
}

/// Tokens of a document that is only referred to, and of which nothing is known: moa's constant.
const UNKNOWN_DOCUMENT: u64 = 3000;
/// Tokens of a page of PDF: Anthropic states 1,500 to 3,000.
const PAGE_TOKENS: u64 = 2000;
/// Bytes of a page of PDF, text and pictures mixed. A guess: pages range from 5 KB to megabytes.
const PAGE_BYTES: u64 = 50_000;
/// Anthropic reads at most so many pages of one document with a window of 200,000 tokens.
const MAX_PAGES: u64 = 100;
/// Gemini states 32 tokens for a second of sound; 16 KB are a second at 128 kbit/s.
const AUDIO_BYTES_PER_TOKEN: u64 = 16_000 / 32;
/// Gemini states about 300 tokens for a second of film with sound; 125 KB are a second at 1 Mbit/s.
const VIDEO_BYTES_PER_TOKEN: u64 = 125_000 / 300;

/// The tokens of a document that is not inline text.
pub(crate) fn document_tokens(document: &Media) -> u64 {
    let Some(base64) = inline_base64(document) else { return UNKNOWN_DOCUMENT };
    let bytes = base64_bytes(base64);
    let kind = document.media_type.as_deref().unwrap_or_default().to_ascii_lowercase();
    if kind.starts_with("text/") || kind.ends_with("json") || kind.ends_with("xml") {
        return bytes.div_ceil(4).max(1);
    }
    if kind.starts_with("audio/") {
        return (bytes / AUDIO_BYTES_PER_TOKEN).max(32);
    }
    if kind.starts_with("video/") {
        return (bytes / VIDEO_BYTES_PER_TOKEN).max(300);
    }
    PAGE_TOKENS * bytes.div_ceil(PAGE_BYTES).clamp(1, MAX_PAGES)
}

/// How many bytes `base64` decodes to, to within two.
pub(crate) fn base64_bytes(base64: &str) -> u64 {
    u64::try_from(base64.len()).unwrap_or(u64::MAX) / 4 * 3
}

/// The inline content, also of a `data:` address.
pub(crate) fn inline_base64(media: &Media) -> Option<&str> {
    match &media.source {
        MediaSource::Base64(data) => Some(data),
        MediaSource::Url(url) if url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:")) => {
            url.split_once(";base64,").map(|(_, data)| data)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

    /// The head of a PNG of `width` by `height`, followed by `padding` bytes of noise.
    fn png(width: u32, height: u32, padding: usize) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes.extend([8, 6, 0, 0, 0]);
        bytes.extend((0..padding).map(|n| (n * 31 % 251) as u8));
        bytes
    }

    fn image(bytes: &[u8]) -> Media {
        Media::new(Some("image/png".into()), MediaSource::Base64(STANDARD.encode(bytes)))
    }

    #[test]
    fn published_prices() {
        let anthropic = |w, h| ImageRule::Anthropic.tokens(w, h);
        assert_eq!([anthropic(200, 200), anthropic(1000, 1000), anthropic(1092, 1092)], [54, 1334, 1590]);
        assert_eq!([anthropic(8000, 8000), anthropic(8000, 10), anthropic(0, 0)], [1600, 3, 1]);
        let openai = |w, h| ImageRule::OpenAiTiles.tokens(w, h);
        assert_eq!([openai(1024, 1024), openai(2048, 4096), openai(512, 512)], [765, 1105, 255]);
        let gemini = |w, h| ImageRule::Gemini.tokens(w, h);
        assert_eq!([gemini(384, 384), gemini(960, 540), gemini(100_000, 100_000)], [258, 6 * 258, 16 * 258]);
        assert!(gemini(u32::MAX, 1) <= 16 * 258);
    }

    #[test]
    fn size_in_pixels_not_in_bytes_decides() {
        let small = image_tokens(&image(&png(640, 480, 1000)), ImageRule::Anthropic);
        let heavy = image_tokens(&image(&png(640, 480, 4_000_000)), ImageRule::Anthropic);
        assert_eq!((small, heavy), ((410, true), (410, true)));
    }

    #[test]
    fn base64_of_every_dialect_is_read() {
        let bytes = png(640, 480, 1000);
        let wrapped: String = STANDARD
            .encode(&bytes)
            .as_bytes()
            .chunks(76)
            .map(|l| format!("{}\r\n", l.escape_ascii()))
            .collect();
        let texts = [
            MediaSource::Base64(URL_SAFE_NO_PAD.encode(&bytes)),
            MediaSource::Base64(wrapped),
            MediaSource::Url(format!("data:image/png;base64,{}", STANDARD.encode(&bytes))),
        ];
        for source in texts {
            assert_eq!(image_tokens(&Media::new(None, source), ImageRule::Anthropic), (410, true));
        }
    }

    #[test]
    fn what_cannot_be_read_costs_a_constant() {
        for source in [
            MediaSource::Base64(String::new()),
            MediaSource::Base64("é$%".into()),
            MediaSource::Base64(STANDARD.encode([0xFF; 100_000])),
            MediaSource::Url("https://example.org/a.png".into()),
            MediaSource::Url("données".into()),
            MediaSource::FileId("file-1".into()),
        ] {
            assert_eq!(image_tokens(&Media::new(None, source), ImageRule::Gemini), (1200, false));
        }
        let mut low = image(&png(4000, 4000, 0));
        low.low_detail = true;
        assert_eq!(image_tokens(&low, ImageRule::Anthropic), (85, true));
    }

    #[test]
    fn documents_by_kind() {
        let document = |kind: &str, bytes: usize| {
            document_tokens(&Media::new(
                Some(kind.into()),
                MediaSource::Base64(STANDARD.encode(vec![7; bytes])),
            ))
        };
        assert_eq!(document("application/pdf", 10), 2000);
        assert_eq!(document("application/pdf", 150_000), 6000);
        assert_eq!(document("application/pdf", 30_000_000), 200_000);
        assert_eq!(document("text/csv", 4000), 1001);
        assert_eq!(document("audio/mpeg", 160_000), 320);
        assert_eq!(document_tokens(&Media::new(None, MediaSource::FileId("f".into()))), 3000);
    }
}
