//! The lines of a rollout, as far as they are of interest, and the items in them.

use std::borrow::Cow;

use foldback_model::{Message, Part, TokenCount, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::ReadError;
use crate::json::{Object, quote};
use crate::log::lines::{Damage, Line, Text, tokens};

#[derive(Deserialize)]
pub(super) struct Record<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) payload: Option<&'a RawValue>,
    /// On the first line of the oldest form, and on its snapshots of state.
    #[serde(borrow)]
    pub(super) id: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) timestamp: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) record_type: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) instructions: Option<Text<'a>>,
    /// Of a bare item.
    #[serde(borrow)]
    pub(super) role: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct SessionMeta<'a> {
    #[serde(borrow)]
    pub(super) base_instructions: Option<Instructions<'a>>,
    #[serde(borrow)]
    pub(super) instructions: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Instructions<'a> {
    #[serde(borrow)]
    pub(super) text: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct TurnContext<'a> {
    #[serde(borrow)]
    pub(super) model: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct ItemHead<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) role: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Compacted<'a> {
    #[serde(borrow)]
    pub(super) message: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) replacement_history: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
pub(super) struct EventHead<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) info: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "tokens")]
    pub(super) num_turns: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct TokenInfo {
    pub(super) last_token_usage: Option<LogUsage>,
}

#[derive(Deserialize)]
pub(super) struct LogUsage {
    #[serde(default, deserialize_with = "tokens")]
    pub(super) input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "tokens")]
    pub(super) cached_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "tokens")]
    pub(super) cache_write_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "tokens")]
    pub(super) output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "tokens")]
    pub(super) reasoning_output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "tokens")]
    pub(super) total_tokens: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemRole {
    Instruction,
    User,
    Model,
    Tool,
}

/// Who an item comes from; `None` if it never reaches a model.
pub(super) fn item_role(head: &ItemHead<'_>) -> Option<ItemRole> {
    match (head.kind.as_ref().map_or("", Text::as_str), head.role.as_ref().map_or("", Text::as_str)) {
        ("" | "ghost_snapshot" | "compaction_trigger" | "other", _) => None,
        ("message", "user") => Some(ItemRole::User),
        ("message", "system" | "developer") => Some(ItemRole::Instruction),
        (kind, _) if kind.ends_with("_output") => Some(ItemRole::Tool),
        _ => Some(ItemRole::Model),
    }
}

/// The item as a request would hold it: without what Codex notes down for itself. `None` if the
/// line is passed over.
pub(super) fn without_private_members<'a>(
    line: Line<'a>,
    json: &'a str,
    damage: &mut Damage,
) -> Result<Option<Cow<'a, str>>, ReadError> {
    const PRIVATE: [&str; 2] = ["metadata", "internal_chat_message_metadata_passthrough"];
    let is_private = |name: &str| PRIVATE.contains(&name);
    let Some(item) = damage.parse_within::<Object<'a>>(line, json)? else { return Ok(None) };
    if !PRIVATE.iter().any(|name| item.has(name)) {
        return Ok(Some(Cow::Borrowed(json.trim())));
    }
    let mut kept = String::with_capacity(json.len());
    for (name, value) in item.members().filter(|(name, _)| !is_private(name)) {
        kept.push(if kept.is_empty() { '{' } else { ',' });
        kept.push_str(&quote(name));
        kept.push(':');
        kept.push_str(value);
    }
    if kept.is_empty() {
        kept.push('{');
    }
    kept.push('}');
    Ok(Some(Cow::Owned(kept)))
}

/// OpenAI counts cached and cache-writing tokens within the input.
pub(super) fn usage(said: &LogUsage) -> Usage {
    let apart =
        said.cached_input_tokens.unwrap_or(0).saturating_add(said.cache_write_input_tokens.unwrap_or(0));
    let mut usage = Usage::default();
    usage.input = said.input_tokens.map(|input| TokenCount::new(input.saturating_sub(apart)));
    usage.cached_input = said.cached_input_tokens.map(TokenCount::new);
    usage.cache_write = said.cache_write_input_tokens.map(TokenCount::new);
    usage.output = said.output_tokens.map(TokenCount::new);
    usage.reasoning = said.reasoning_output_tokens.map(TokenCount::new);
    usage
}

/// Whether the message holds instructions of the project or the user that go for the whole session.
pub(super) fn is_standing(message: &Message) -> bool {
    const OPENINGS: [&str; 2] = ["# AGENTS.md instructions", "<user_instructions>"];
    let texts = message.parts().iter().filter_map(Part::as_text).map(str::trim_start);
    texts.into_iter().any(|text| OPENINGS.iter().any(|opening| text.starts_with(opening)))
}

/// Whether Codex itself wrote the message in the user's name.
pub(super) fn is_harness(message: &Message) -> bool {
    const OPENINGS: [&str; 8] = [
        "<environment_context>",
        "# AGENTS.md instructions",
        "<user_instructions>",
        "<turn_aborted>",
        "<permissions instructions>",
        "<collaboration_mode>",
        "<subagent_notification>",
        "<model_switch>",
    ];
    let ours = |part: &Part| {
        part.as_text()
            .map(str::trim_start)
            .is_some_and(|text| OPENINGS.iter().any(|opening| text.starts_with(opening)))
    };
    !message.parts().is_empty() && message.parts().iter().all(ours)
}
