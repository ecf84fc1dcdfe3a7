//! Rollouts of the Codex CLI.
//!
//! A rollout is a list of records in the order in which they were written. Those of type
//! `response_item` are what the model saw, until a `compacted` record puts another list in their
//! place. The first versions wrote the items bare, without a record around them.

use std::borrow::Cow;

use foldback_model::{Kind, Message, Part, Role, TokenCount, Usage, WireFormat};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Log;
use super::lines::{Damage, Line, Text, lines, tokens, unknown};
use crate::document::{Boundary, ReadOptions};
use crate::json::{Object, quote};
use crate::{ReadError, codec};

pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Log, ReadError> {
    let mut damage = Damage::new(options.lenient);
    let mut rollout = Rollout { whole: options.whole, ..Rollout::default() };
    for line in lines(text) {
        if let Some(record) = damage.parse::<Record<'_>>(line)? {
            rollout.take(line, &record, &mut damage)?;
        }
    }
    if !rollout.known {
        return Err(unknown("Codex", "lines of type session_meta, turn_context, response_item or event_msg"));
    }
    let mut log = rollout.write(&mut damage)?;
    codec::link(WireFormat::OpenAiResponses, &mut log.context.messages);
    log.skipped_lines = damage.skipped;
    Ok(log)
}

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    /// On the first line of the oldest form, and on its snapshots of state.
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    timestamp: Option<Text<'a>>,
    #[serde(borrow)]
    record_type: Option<Text<'a>>,
    #[serde(borrow)]
    instructions: Option<Text<'a>>,
    /// Of a bare item.
    #[serde(borrow)]
    role: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct SessionMeta<'a> {
    #[serde(borrow)]
    base_instructions: Option<Instructions<'a>>,
    #[serde(borrow)]
    instructions: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Instructions<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct TurnContext<'a> {
    #[serde(borrow)]
    model: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct ItemHead<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    role: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Compacted<'a> {
    #[serde(borrow)]
    message: Option<Text<'a>>,
    #[serde(borrow)]
    replacement_history: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct EventHead<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    info: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "tokens")]
    num_turns: Option<u64>,
}

#[derive(Deserialize)]
struct TokenInfo {
    last_token_usage: Option<LogUsage>,
}

#[derive(Deserialize)]
struct LogUsage {
    #[serde(default, deserialize_with = "tokens")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "tokens")]
    cached_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "tokens")]
    cache_write_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "tokens")]
    output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "tokens")]
    reasoning_output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "tokens")]
    total_tokens: Option<u64>,
}

/// What has been read so far.
#[derive(Default)]
struct Rollout<'a> {
    whole: bool,
    /// Whether any line was one of a rollout.
    known: bool,
    system: Option<String>,
    model: Option<String>,
    items: Vec<Item<'a>>,
    /// Each compaction with the number of items in front of it.
    boundaries: Vec<(usize, Boundary)>,
    /// The item that the next usage belongs to.
    last_reply: Option<usize>,
    /// The size of the context as last reported.
    size: Option<u64>,
}

struct Item<'a> {
    raw: Cow<'a, str>,
    line: usize,
    epoch: u32,
    role: ItemRole,
    model: Option<String>,
    usage: Option<Usage>,
    summary: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemRole {
    Instruction,
    User,
    Model,
    Tool,
}

impl<'a> Rollout<'a> {
    fn take(&mut self, line: Line<'a>, record: &Record<'a>, damage: &mut Damage) -> Result<(), ReadError> {
        let kind = record.kind.as_ref().map_or("", Text::as_str);
        let Some(payload) = record.payload else {
            return self.take_bare(line, kind, record, damage);
        };
        let payload = payload.get();
        match kind {
            "session_meta" => {
                let meta = damage.parse_within::<SessionMeta<'_>>(line, payload)?;
                let base = |meta: SessionMeta<'a>| {
                    meta.base_instructions.and_then(|base| base.text).or(meta.instructions)
                };
                self.take_instructions(meta.and_then(base));
            }
            "turn_context" => {
                let context = damage.parse_within::<TurnContext<'_>>(line, payload)?;
                if let Some(model) = context.and_then(|context| context.model) {
                    self.model = Some(model.0.into_owned());
                }
            }
            "response_item" => {
                if let Some(head) = damage.parse_within::<ItemHead<'_>>(line, payload)? {
                    self.take_item(line, &head, payload, damage)?;
                }
            }
            "compacted" => {
                if let Some(compacted) = damage.parse_within::<Compacted<'_>>(line, payload)? {
                    self.compact(line, compacted, damage)?;
                }
            }
            "event_msg" => {
                if let Some(event) = damage.parse_within::<EventHead<'_>>(line, payload)? {
                    self.take_event(&event);
                }
            }
            "world_state" | "token_usage_record" => {}
            _ => return Ok(()),
        }
        self.known = true;
        Ok(())
    }

    /// A line of the oldest form: the head of the session, or an item without a record around it.
    fn take_bare(
        &mut self,
        line: Line<'a>,
        kind: &str,
        record: &Record<'a>,
        damage: &mut Damage,
    ) -> Result<(), ReadError> {
        const BARE_ITEMS: [&str; 5] =
            ["message", "reasoning", "function_call", "function_call_output", "local_shell_call"];
        if BARE_ITEMS.contains(&kind) {
            let head = ItemHead { kind: record.kind.clone(), role: record.role.clone() };
            self.take_item(line, &head, line.text, damage)?;
        } else if kind.is_empty() && record.id.is_some() && record.timestamp.is_some() {
            self.take_instructions(record.instructions.clone());
        } else if record.record_type.is_none() {
            return Ok(());
        }
        self.known = true;
        Ok(())
    }

    /// The first that are stated hold: a forked session repeats the head of its parent.
    fn take_instructions(&mut self, text: Option<Text<'_>>) {
        if self.system.is_none() {
            self.system = text.map(|text| text.0.into_owned()).filter(|text| !text.trim().is_empty());
        }
    }

    fn take_item(
        &mut self,
        line: Line<'a>,
        head: &ItemHead<'_>,
        json: &'a str,
        damage: &mut Damage,
    ) -> Result<(), ReadError> {
        let Some(role) = item_role(head) else { return Ok(()) };
        let Some(raw) = without_private_members(line, json, damage)? else { return Ok(()) };
        if role == ItemRole::Model {
            self.last_reply = Some(self.items.len());
        }
        let model = self.model.clone().filter(|_| role == ItemRole::Model);
        self.items.push(Item {
            raw,
            line: line.number,
            epoch: self.epoch(),
            role,
            model,
            usage: None,
            summary: false,
        });
        Ok(())
    }

    fn epoch(&self) -> u32 {
        u32::try_from(self.boundaries.len()).unwrap_or(u32::MAX)
    }

    fn take_event(&mut self, event: &EventHead<'_>) {
        match event.kind.as_ref().map_or("", Text::as_str) {
            "token_count" => {
                let info = event.info.and_then(|info| serde_json::from_str::<TokenInfo>(info.get()).ok());
                if let Some(usage) = info.and_then(|info| info.last_token_usage) {
                    self.take_usage(&usage);
                }
            }
            "thread_rolled_back" if !self.whole => self.roll_back(event.num_turns.unwrap_or(0)),
            _ => {}
        }
    }

    fn take_usage(&mut self, said: &LogUsage) {
        let stated = said.input_tokens.unwrap_or(0) + said.output_tokens.unwrap_or(0);
        let total = said.total_tokens.unwrap_or(stated);
        if total == 0 {
            return;
        }
        self.size = Some(total);
        match self.last_reply {
            Some(index) if stated > 0 => self.items[index].usage = Some(usage(said)),
            Some(_) => {}
            // The first report behind a compaction tells how far it got.
            None => {
                if let Some((_, boundary)) = self.boundaries.last_mut() {
                    boundary.tokens_after.get_or_insert(total);
                }
            }
        }
        if let Some((_, boundary)) = self.boundaries.last_mut() {
            boundary.tokens_after.get_or_insert(total);
        }
    }

    /// Takes back the last turns, from the message of the person that began them.
    fn roll_back(&mut self, n_turns: u64) {
        for _ in 0..n_turns {
            let begins = |item: &Item<'_>| {
                item.role == ItemRole::User && !item.summary && decode(item).is_ok_and(|m| !is_harness(&m))
            };
            let Some(start) = self.items.iter().rposition(begins) else { return };
            self.items.truncate(start);
        }
        self.last_reply = None;
    }

    fn compact(&mut self, line: Line<'a>, compacted: Compacted<'a>, damage: &mut Damage) -> Result<(), ReadError> {
        let message = compacted.message.filter(|message| !message.as_str().trim().is_empty());
        let boundary = Boundary {
            index: 0,
            kind: "compacted".to_owned(),
            tokens_before: self.size,
            tokens_after: None,
        };
        self.boundaries.push((if self.whole { self.items.len() } else { 0 }, boundary));
        self.last_reply = None;
        if self.whole {
            return Ok(());
        }
        let old = std::mem::take(&mut self.items);
        match compacted.replacement_history {
            Some(history) => {
                for raw in history {
                    if let Some(head) = damage.parse_within::<ItemHead<'_>>(line, raw.get())? {
                        self.take_item(line, &head, raw.get(), damage)?;
                    }
                }
                self.mark_summary(message.as_ref());
            }
            None => self.rebuild(line, old, message.as_ref()),
        }
        // Usage that follows is of the compaction itself, or of what comes after it.
        self.last_reply = None;
        Ok(())
    }

    /// What Codex made of a compaction before it wrote the outcome down: instructions and the
    /// messages of the user stay, the summary follows.
    fn rebuild(&mut self, line: Line<'a>, old: Vec<Item<'a>>, message: Option<&Text<'a>>) {
        let epoch = self.epoch();
        self.items = old
            .into_iter()
            .filter(|item| matches!(item.role, ItemRole::Instruction | ItemRole::User) && !item.summary)
            .map(|item| Item { epoch, ..item })
            .collect();
        let Some(text) = message else { return };
        let text = quote(text.as_str());
        self.items.push(Item {
            raw: format!(
                r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":{text}}}]}}"#
            )
            .into(),
            line: line.number,
            epoch,
            role: ItemRole::User,
            model: None,
            usage: None,
            summary: true,
        });
    }

    /// The last message of the user that holds the summary's text is the summary.
    fn mark_summary(&mut self, message: Option<&Text<'_>>) {
        let Some(text) = message else { return };
        let holds = |item: &Item<'_>| {
            item.role == ItemRole::User && decode(item).is_ok_and(|m| m.text().contains(text.as_str()))
        };
        if let Some(index) = self.items.iter().rposition(holds) {
            self.items[index].summary = true;
        }
    }

    fn write(self, damage: &mut Damage) -> Result<Log, ReadError> {
        let mut log = Log::default();
        log.context.system = self.system;
        log.context.model = self.model;
        let mut boundaries = self.boundaries.into_iter().peekable();
        for (place, item) in self.items.into_iter().enumerate() {
            while let Some((_, boundary)) = boundaries.next_if(|(at, _)| *at <= place) {
                log.boundaries.push(Boundary { index: log.context.messages.len(), ..boundary });
            }
            let mut message = match decode(&item) {
                Ok(message) => message,
                Err(error) => {
                    damage.shape(item.line, 1, error)?;
                    continue;
                }
            };
            message.meta.model = item.model;
            message.meta.usage = item.usage;
            if item.summary {
                message.meta.kind = Kind::Summary;
            } else if message.role == Role::User && is_harness(&message) {
                message.meta.kind = Kind::Injected;
            }
            log.push(message, item.line, item.epoch);
        }
        for (_, boundary) in boundaries {
            log.boundaries.push(Boundary { index: log.context.messages.len(), ..boundary });
        }
        Ok(log)
    }
}

fn decode(item: &Item<'_>) -> Result<Message, codec::ShapeError> {
    codec::decode_message(WireFormat::OpenAiResponses, &item.raw)
}

/// Who an item comes from; `None` if it never reaches a model.
fn item_role(head: &ItemHead<'_>) -> Option<ItemRole> {
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
fn without_private_members<'a>(
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
        kept.push_str(value.get());
    }
    if kept.is_empty() {
        kept.push('{');
    }
    kept.push('}');
    Ok(Some(Cow::Owned(kept)))
}

/// OpenAI counts cached and cache-writing tokens within the input.
fn usage(said: &LogUsage) -> Usage {
    let apart = said.cached_input_tokens.unwrap_or(0).saturating_add(said.cache_write_input_tokens.unwrap_or(0));
    let mut usage = Usage::default();
    usage.input = said.input_tokens.map(|input| TokenCount::new(input.saturating_sub(apart)));
    usage.cached_input = said.cached_input_tokens.map(TokenCount::new);
    usage.cache_write = said.cache_write_input_tokens.map(TokenCount::new);
    usage.output = said.output_tokens.map(TokenCount::new);
    usage.reasoning = said.reasoning_output_tokens.map(TokenCount::new);
    usage
}

/// Whether Codex itself wrote the message in the user's name.
fn is_harness(message: &Message) -> bool {
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
        part.as_text().map(str::trim_start).is_some_and(|text| {
            OPENINGS.iter().any(|opening| text.starts_with(opening))
        })
    };
    !message.parts().is_empty() && message.parts().iter().all(ours)
}
