//! Rollouts of the Codex CLI.
//!
//! A rollout is a list of records in the order in which they were written. Those of type
//! `response_item` are what the model saw, until a `compacted` record puts another list in their
//! place. The first versions wrote the items bare, without a record around them.

mod record;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use foldback_model::{Kind, Message, Pin, Role, Usage, WireFormat};

use super::Log;
use super::lines::{Damage, Line, Text, lines, unknown};
use crate::document::{Boundary, ReadOptions};
use crate::json::quote;
use crate::{ReadError, codec};
use record::{
    Compacted, EventHead, ItemHead, ItemRole, LogUsage, Record, SessionMeta, TokenInfo, TurnContext,
    is_harness, is_standing, item_role, usage, without_private_members,
};

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

/// What has been read so far.
#[derive(Default)]
struct Rollout<'a> {
    whole: bool,
    /// Whether any line was one of a rollout.
    known: bool,
    system: Option<String>,
    model: Option<String>,
    items: Vec<Item<'a>>,
    /// Items in front that a compaction has been over already.
    settled: usize,
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
        let stated = said.input_tokens.unwrap_or(0).saturating_add(said.output_tokens.unwrap_or(0));
        let total = said.total_tokens.unwrap_or(stated);
        if total == 0 {
            return;
        }
        self.size = Some(total);
        if let Some(index) = self.last_reply.filter(|_| stated > 0) {
            self.items[index].usage = Some(usage(said));
        }
        // The first report behind a compaction tells how far it got.
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

    fn compact(
        &mut self,
        line: Line<'a>,
        compacted: Compacted<'a>,
        damage: &mut Damage,
    ) -> Result<(), ReadError> {
        let message = compacted.message.filter(|message| !message.as_str().trim().is_empty());
        let boundary =
            Boundary { index: 0, kind: "compacted".to_owned(), tokens_before: self.size, tokens_after: None };
        self.boundaries.push((if self.whole { self.items.len() } else { 0 }, boundary));
        self.last_reply = None;
        if self.whole {
            return Ok(());
        }
        match compacted.replacement_history {
            Some(history) => {
                self.items.clear();
                self.settled = 0;
                for raw in history {
                    if let Some(head) = damage.parse_within::<ItemHead<'_>>(line, raw.get())? {
                        self.take_item(line, &head, raw.get(), damage)?;
                    }
                }
                self.mark_summary(message.as_ref());
            }
            None => self.rebuild(line, message.as_ref()),
        }
        // Usage that follows is of the compaction itself, or of what comes after it.
        self.last_reply = None;
        Ok(())
    }

    /// What Codex made of a compaction before it wrote the outcome down: instructions and the
    /// messages of the user stay, the summary follows.
    fn rebuild(&mut self, line: Line<'a>, message: Option<&Text<'a>>) {
        let stays =
            |item: &Item<'_>| matches!(item.role, ItemRole::Instruction | ItemRole::User) && !item.summary;
        let recent = self.items.split_off(self.settled.min(self.items.len()));
        self.items.extend(recent.into_iter().filter(stays));
        self.settled = self.items.len();
        let Some(text) = message else { return };
        let text = quote(text.as_str());
        self.items.push(Item {
            raw: format!(
                r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":{text}}}]}}"#
            )
            .into(),
            line: line.number,
            epoch: self.epoch(),
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
                // The project's rules: Codex itself carries them over when it compacts.
                message.meta.pin = is_standing(&message).then_some(Pin::Prefix);
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
