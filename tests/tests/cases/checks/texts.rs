//! Texts that are found, or not, and summaries among them.

use serde_json::Value;

use super::{Verdict, ensure};
use crate::run::Conversation;
use crate::view::{Role, View, What, is_summary};

const SUMMARY_LEAD: &str = "conversation history before this point";

/// Whether `text` occurs; a fact only as a whole word.
pub(super) fn found<'t>(text: &str, mut places: impl Iterator<Item = &'t str>) -> bool {
    let word = text.starts_with("FACT-");
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    places.any(|place| {
        place.match_indices(text).any(|(start, _)| {
            let (before, after) = (&place[..start], &place[start + text.len()..]);
            !word || !(inside(before.chars().next_back()) || inside(after.chars().next()))
        })
    })
}

/// The conversation holds so many projected summaries, each closed once.
pub(super) fn summary_messages(view: &View, count: usize) -> Verdict {
    let said = view.messages.iter().filter(|message| message.role != Role::Tool);
    let summaries: Vec<&str> =
        said.flat_map(|message| message.texts()).filter(|text| text.contains(SUMMARY_LEAD)).collect();
    ensure(summaries.len() == count, || format!("there are {} summaries", summaries.len()))?;
    let whole = |text: &&str| is_summary(text) && text.matches("</summary>").count() == 1;
    ensure(summaries.iter().all(whole), || "a summary is not closed exactly once, at its end".to_owned())
}

/// The whole request has no more cache markers than this.
pub(super) fn cache_control_at_most(view: &View, max: usize) -> Verdict {
    fn count(value: &Value) -> usize {
        match value {
            Value::Object(map) => {
                usize::from(map.contains_key("cache_control")) + map.values().map(count).sum::<usize>()
            }
            Value::Array(items) => items.iter().map(count).sum(),
            _ => 0,
        }
    }
    let n = count(&view.body);
    ensure(n <= max, || format!("the request has {n} cache markers"))
}

/// The texts occur in this order. Where one message of the input holds all of them, no result and no
/// reply comes between them.
pub(super) fn in_order(conversation: &Conversation, texts: &[&str]) -> Verdict {
    let one_message = conversation.before.messages.iter().any(|message| {
        let there = message.raw.to_string();
        texts.iter().all(|text| there.contains(text))
    });
    let mut left = texts.iter().peekable();
    let mut begun = false;
    for (index, message) in conversation.after.messages.iter().enumerate() {
        for block in &message.blocks {
            let text = match &block.what {
                What::Text(text) => text.clone(),
                _ => block.raw.to_string(),
            };
            let mut rest = text.as_str();
            while let Some(at) = left.peek().and_then(|next| rest.find(**next)) {
                let length = left.next().map_or(0, |found| found.len());
                rest = &rest[at + length..];
                begun = true;
            }
            let between = !matches!(block.what, What::Text(_)) || message.role != Role::User;
            ensure(!(one_message && begun && left.peek().is_some() && between), || {
                format!("message {index} comes between texts of one message")
            })?;
        }
    }
    match left.next() {
        Some(text) => Err(format!("`{text}` is not there, or not in its place")),
        None => Ok(()),
    }
}

/// No text has a broken character that the input did not have.
pub(super) fn well_formed(conversation: &Conversation) -> Verdict {
    let broken =
        |view: &View| view.strings().iter().map(|text| text.matches('\u{FFFD}').count()).sum::<usize>();
    let (before, after) = (broken(&conversation.before), broken(&conversation.after));
    ensure(after <= before, || format!("{after} broken characters, {before} in the input"))
}
