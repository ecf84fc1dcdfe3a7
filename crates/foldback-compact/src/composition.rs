//! What fills a context: by source, role, tool, file and turn.

use std::collections::{BTreeMap, BTreeSet};

use foldback_model::{Context, Kind, Message, Part, Role, TokenCount, ToolCall};
use foldback_summarize::FileLedger;
use foldback_tokens::{ContextEstimate, EstimateError, Estimator};
use serde::{Deserialize, Serialize};

/// A context by what its tokens stand for. Every band adds up to no more than `total`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Composition {
    /// The whole context.
    pub total: TokenCount,
    /// System text outside the list of messages.
    pub system: TokenCount,
    /// Tool definitions.
    pub tools: TokenCount,
    /// Messages by role.
    pub by_role: BTreeMap<String, TokenCount>,
    /// Calls and results by the tool's name.
    pub by_tool: BTreeMap<String, TokenCount>,
    /// Calls and results by the file that was read, written or edited.
    pub by_file: BTreeMap<String, TokenCount>,
    /// Turns in order.
    pub by_turn: Vec<TurnSize>,
    /// Everything, by where it comes from; every source is listed, zeros included.
    pub by_source: BTreeMap<String, TokenCount>,
}

/// The size of one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurnSize {
    /// Index of its first message.
    pub first: usize,
    /// Its tokens.
    pub tokens: TokenCount,
}

const SOURCES: [&str; 10] =
    ["system", "tools", "summary", "user", "assistant", "thinking", "calls", "results", "media", "pinned"];

impl Composition {
    /// Divides an estimate of `context` among its sources. `pinned` names pinned messages besides
    /// those that are pinned by themselves: they count as `pinned`, whatever they hold.
    ///
    /// # Errors
    ///
    /// [`EstimateError`] if the estimator cannot measure a part.
    pub fn new(
        context: &Context,
        estimate: &ContextEstimate,
        estimator: &dyn Estimator,
        pinned: &[usize],
    ) -> Result<Self, EstimateError> {
        let mut composition = Self {
            total: estimate.total.tokens,
            system: estimate.system.tokens,
            tools: estimate.tools.tokens,
            by_source: SOURCES.iter().map(|source| ((*source).to_owned(), TokenCount::ZERO)).collect(),
            ..Self::default()
        };
        composition.add_source("system", estimate.system.tokens);
        composition.add_source("tools", estimate.tools.tokens);
        composition.add_source("summary", estimate.summary.tokens);
        let mut calls = OpenCalls::default();
        let pinned: BTreeSet<usize> = pinned.iter().copied().collect();
        for (index, message) in context.messages.iter().enumerate() {
            let tokens = estimate.messages.get(index).map(|message| message.tokens).unwrap_or_default();
            composition.add_message(index, message, tokens);
            let is_pinned = message.meta.pin.is_some() || pinned.contains(&index);
            for (part, tokens) in message.parts().iter().zip(shares(message, tokens, estimator)?) {
                let source = if is_pinned { "pinned" } else { source(message, part) };
                composition.add_source(source, tokens);
                composition.add_call(part, tokens, &mut calls);
            }
            if message.parts().is_empty() {
                composition.add_source(if is_pinned { "pinned" } else { role_source(message) }, tokens);
            }
        }
        Ok(composition)
    }

    fn add_source(&mut self, source: &str, tokens: TokenCount) {
        add(&mut self.by_source, source, tokens);
    }

    fn add_message(&mut self, index: usize, message: &Message, tokens: TokenCount) {
        add(&mut self.by_role, message.role.as_str(), tokens);
        if self.by_turn.is_empty() || message.starts_turn() {
            self.by_turn.push(TurnSize { first: index, tokens: TokenCount::ZERO });
        }
        if let Some(turn) = self.by_turn.last_mut() {
            turn.tokens += tokens;
        }
    }

    fn add_call(&mut self, part: &Part, tokens: TokenCount, calls: &mut OpenCalls) {
        match part {
            Part::ToolCall(call) => {
                let path = file_of(call);
                add(&mut self.by_tool, &call.name, tokens);
                if let Some(path) = &path {
                    add(&mut self.by_file, path, tokens);
                }
                calls.0.insert(call.id.clone(), (call.name.clone(), path));
            }
            Part::ToolResult(result) => {
                let (name, path) = calls.0.get(&result.call_id).cloned().unwrap_or_default();
                let name = result.name.clone().unwrap_or(name);
                add(&mut self.by_tool, if name.is_empty() { "(unknown)" } else { &name }, tokens);
                if let Some(path) = path {
                    add(&mut self.by_file, &path, tokens);
                }
            }
            _ => {}
        }
    }
}

/// Names and files of the newest calls, by id.
#[derive(Default)]
struct OpenCalls(BTreeMap<String, (String, Option<String>)>);

/// The file that a call reads, writes or edits; the first, if it names several.
fn file_of(call: &ToolCall) -> Option<String> {
    let mut ledger = FileLedger::new();
    ledger.add_call(call);
    let lists = ledger.lists();
    lists.modified.into_iter().chain(lists.read).next()
}

fn add(map: &mut BTreeMap<String, TokenCount>, key: &str, tokens: TokenCount) {
    match map.get_mut(key) {
        Some(sum) => *sum += tokens,
        None => drop(map.insert(key.to_owned(), tokens)),
    }
}

fn source(message: &Message, part: &Part) -> &'static str {
    match part {
        Part::Thinking(_) => "thinking",
        Part::ToolCall(_) => "calls",
        Part::ToolResult(_) => "results",
        Part::Image(_) | Part::Document(_) => "media",
        _ => role_source(message),
    }
}

fn role_source(message: &Message) -> &'static str {
    match message.role {
        _ if message.kind() == Kind::Summary => "summary",
        role if role.is_instruction() => "system",
        Role::Assistant => "assistant",
        Role::Tool => "results",
        _ => "user",
    }
}

/// The tokens of a message divided among its parts, so that the parts add up to the message: each by
/// its own size, and what the message costs besides goes to the first.
fn shares(
    message: &Message,
    tokens: TokenCount,
    estimator: &dyn Estimator,
) -> Result<Vec<TokenCount>, EstimateError> {
    let parts = message.parts();
    if parts.len() < 2 {
        return Ok(vec![tokens; parts.len()]);
    }
    let mut sizes = Vec::with_capacity(parts.len());
    for part in parts {
        let alone = Message::new(message.role, vec![part.clone()]);
        sizes.push(estimator.estimate_message(&alone)?.tokens.as_u64());
    }
    let sum: u64 = sizes.iter().sum::<u64>().max(1);
    let mut shares: Vec<u64> = sizes
        .iter()
        .map(|&size| {
            let share = u128::from(tokens.as_u64()) * u128::from(size) / u128::from(sum);
            u64::try_from(share).unwrap_or(u64::MAX)
        })
        .collect();
    let divided: u64 = shares.iter().sum();
    shares[0] += tokens.as_u64().saturating_sub(divided);
    Ok(shares.into_iter().map(TokenCount::new).collect())
}
