//! What holds for every text and every message.

use foldback_model::{Media, MediaSource, Message, Part, Role, Thinking, TokenCount};
use foldback_tokens::{Estimator, Heuristic, ImageRule, TokenCounter};
use proptest::prelude::*;

fn count(text: &str) -> u64 {
    Heuristic::default().count_text(text).unwrap().as_u64()
}

/// Texts of any characters, and of those at which the scan changes its mind.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-cA-C0-2 \\n\\r\\t.,_'\"(){}=é中の한я🚚\u{301}\u{0}]{0,60}",
        "[A-Za-z0-9]{0,80}",
        "( {1,40}|\n{1,40}|\t{1,5}|a{1,40}|={1,40}|x){0,12}",
    ]
}

proptest! {
    #[test]
    fn a_text_costs_one_token_to_one_a_byte(text in text()) {
        let tokens = count(&text);
        prop_assert!(tokens <= text.len() as u64);
        prop_assert_eq!(tokens == 0, text.is_empty());
    }

    #[test]
    fn a_whole_costs_about_what_its_parts_cost(a in text(), b in text()) {
        let (parts, whole) = (count(&a) + count(&b), count(&format!("{a}{b}")));
        // The seam may turn two words into one, or two short runs into a blob.
        prop_assert!(whole <= parts * 2 + 8 && parts <= whole * 2 + 8, "{} and {}", parts, whole);
    }

    #[test]
    fn repeating_a_text_repeats_its_cost(text in text(), n in 2_usize..20) {
        let repeated = count(&text.repeat(n));
        prop_assert!(repeated <= (count(&text) * 2 + 4) * n as u64);
    }

    #[test]
    fn any_picture_costs_something_sane(bytes in prop::collection::vec(any::<u8>(), 0..300), kind in 0..5_usize) {
        let heads: [&[u8]; 5] = [b"", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\xFF\xD8\xFF\xE0", b"GIF89a", b"RIFF\0\0\0\0WEBPVP8 "];
        let mut content = heads[kind].to_vec();
        content.extend(bytes);
        let data: String = to_base64(&content);
        let image = Part::Image(Media::new(None, MediaSource::Base64(data)));
        for rule in [ImageRule::Anthropic, ImageRule::OpenAiTiles, ImageRule::Gemini] {
            let estimate = Heuristic::new().with_images(rule);
            let estimate = estimate.estimate_message(&Message::new(Role::User, vec![image.clone()])).unwrap();
            prop_assert!((5..=100_000).contains(&estimate.tokens.as_u64()), "{}", estimate.tokens);
        }
    }
}

fn to_base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
    bits.chunks(6)
        .map(|six| {
            let value = (0..6).fold(0, |value, bit| value << 1 | six.get(bit).copied().unwrap_or(0));
            char::from(DIGITS[usize::from(value)])
        })
        .collect()
}

#[test]
fn sealed_reasoning_costs_by_its_length() {
    let tokens = |thinking| {
        let message = Message::new(Role::Assistant, vec![Part::Thinking(thinking)]);
        Heuristic::default().estimate_message(&message).unwrap().tokens
    };
    // Measured: 18,936 sealed characters were 2,880 tokens of reasoning, 3,020 were 320.
    let near = |n_chars: usize, exact: u64| {
        let estimate = tokens(Thinking::sealed("A".repeat(n_chars))).as_u64();
        assert!(estimate.abs_diff(exact) * 10 <= exact * 2, "{estimate} for {exact}");
    };
    near(18_936, 2_880);
    near(3_020, 320);
    let plain = tokens(Thinking::new("it follows"));
    assert_eq!(tokens(Thinking::new("it follows").signed("A".repeat(5_000))), plain);
    assert!(tokens(Thinking::sealed("")) > TokenCount::new(4));
}
