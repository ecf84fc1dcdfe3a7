//! Whether what is kept is what was there.

use std::collections::{BTreeMap, BTreeSet};

use foldback_model::WireFormat;
use serde_json::Value;

use super::{Verdict, ensure};
use crate::run::Conversation;
use crate::view::{Block, Message, Role, View, What, canonical, is_summary};

/// A part of a message that may share a message with a neighbour: a block where the wire has
/// blocks that may be joined, otherwise the whole message.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    role: Role,
    json: String,
    /// Whether its message begins with it.
    starts: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reasoning {
    Kept,
    /// Thinking, reasoning items and the ids that refer to them are left to other checks.
    Ignored,
}

/// Apart from pins, system messages and summaries, the output is one contiguous tail of the input.
pub(super) fn suffix_verbatim(conversation: &Conversation, pinned: &[usize]) -> Verdict {
    let (before, after) = (&conversation.before, &conversation.after);
    let pins = with_their_exchanges(before, pinned);
    let of = |index: &usize| pieces(&before.messages[*index], before.wire, Reasoning::Ignored);
    let is_spoken = |index: &usize| before.messages[*index].role != Role::System;
    let pin_pieces: Vec<Piece> = pins.iter().filter(|index| is_spoken(index)).flat_map(&of).collect();
    let output: Vec<Piece> =
        after.spoken().flat_map(|(_, message)| pieces(message, after.wire, Reasoning::Ignored)).collect();

    let n = before.messages.len();
    let fits = (0..=n).any(|cut| {
        let tail: Vec<Piece> = (cut..n)
            .filter(|index| is_spoken(index) && !pins.contains(index))
            .flat_map(|index| of(&index))
            .collect();
        is_interleaving(&output, &pin_pieces, &tail)
    });
    ensure(fits, || format!("what is kept is not the pins {pins:?} and one tail of the input"))
}

/// The pins, and what cannot be parted from them: all of their exchanges, and for Responses the
/// items of one reply.
fn with_their_exchanges(view: &View, pinned: &[usize]) -> BTreeSet<usize> {
    let mut units: Vec<(usize, usize)> = exchanges(view);
    if view.wire == WireFormat::OpenAiResponses {
        let of_model = |index: usize| view.messages[index].role == Role::Assistant;
        units
            .extend((1..view.messages.len()).filter(|&i| of_model(i - 1) && of_model(i)).map(|i| (i - 1, i)));
    }
    let mut pins: BTreeSet<usize> = pinned.iter().copied().collect();
    loop {
        let n = pins.len();
        for &(first, last) in &units {
            if pins.range(first..=last).next().is_some() {
                pins.extend(first..=last);
            }
        }
        if pins.len() == n {
            return pins;
        }
    }
}

/// First and last message of every call with its result.
fn exchanges(view: &View) -> Vec<(usize, usize)> {
    let mut open = Vec::new();
    let mut closed = Vec::new();
    for (index, block) in view.blocks() {
        match &block.what {
            What::Call(call) => open.push((index, call)),
            What::Result(result) => {
                if let Some(at) = open.iter().rposition(|(_, call)| result.answers(call)) {
                    closed.push((open.remove(at).0, index));
                }
            }
            _ => {}
        }
    }
    closed
}

/// Whether `output` is `a` and `b`, each in order, shuffled into each other.
fn is_interleaving(output: &[Piece], a: &[Piece], b: &[Piece]) -> bool {
    if output.len() != a.len() + b.len() {
        return false;
    }
    // `reached[i]`: the output so far is the first `i` of `a` and the rest of it of `b`.
    let mut reached = vec![false; a.len() + 1];
    reached[0] = true;
    for (length, piece) in output.iter().enumerate() {
        let mut next = vec![false; a.len() + 1];
        for i in 0..=a.len().min(length) {
            let j = length - i;
            if reached[i] && i < a.len() && piece.comes_from(&a[i]) {
                next[i + 1] = true;
            }
            if reached[i] && j < b.len() && piece.comes_from(&b[j]) {
                next[i] = true;
            }
        }
        reached = next;
    }
    reached[a.len()]
}

impl Piece {
    /// Messages may be joined, but not divided.
    fn comes_from(&self, input: &Self) -> bool {
        self.role == input.role && self.json == input.json && (!self.starts || input.starts)
    }
}

/// The pieces of a message, summaries left out.
fn pieces(message: &Message, wire: WireFormat, reasoning: Reasoning) -> Vec<Piece> {
    let all: Vec<(bool, String)> = match wire {
        WireFormat::OpenAiChat => {
            let summary = message.blocks.len() == 1 && stands_for_summary(&message.blocks[0]);
            vec![(summary, canonical(&message.raw))]
        }
        WireFormat::OpenAiResponses => {
            let summary = message.blocks.len() == 1 && stands_for_summary(&message.blocks[0]);
            let is_reasoning = message.blocks.iter().any(|block| block.what == What::Reasoning);
            let mut raw = message.raw.clone();
            if let (Reasoning::Ignored, Value::Object(map)) = (reasoning, &mut raw) {
                map.shift_remove("id");
            }
            let ignored = is_reasoning && reasoning == Reasoning::Ignored;
            if ignored { Vec::new() } else { vec![(summary, canonical(&raw))] }
        }
        _ => message
            .blocks
            .iter()
            .filter(|block| reasoning == Reasoning::Kept || block.what != What::Reasoning)
            .map(|block| (stands_for_summary(block), canonical(&block.raw)))
            .collect(),
    };
    let whole = all.iter().enumerate().map(|(position, (summary, json))| {
        (*summary, Piece { role: message.role, json: json.clone(), starts: position == 0 })
    });
    whole.filter(|(summary, _)| !summary).map(|(_, piece)| piece).collect()
}

fn stands_for_summary(block: &Block) -> bool {
    matches!(&block.what, What::Text(text) if is_summary(text))
}

/// The messages at `indices` are there, unchanged and in order.
pub(super) fn messages_verbatim(conversation: &Conversation, indices: &[usize]) -> Verdict {
    let (before, after) = (&conversation.before, &conversation.after);
    // Reasoning that stands on its own is an item of its own in Responses.
    let reasoning = match before.wire {
        WireFormat::OpenAiResponses => Reasoning::Ignored,
        _ => Reasoning::Kept,
    };
    let output: Vec<Piece> =
        after.messages.iter().flat_map(|message| pieces(message, after.wire, reasoning)).collect();
    let mut from = 0;
    for &index in indices {
        let message =
            before.messages.get(index).ok_or_else(|| format!("the input has no message {index}"))?;
        let wanted = pieces(message, before.wire, reasoning);
        let at = find_run(&output[from..], &wanted)
            .ok_or_else(|| format!("message {index} of the input is not there, or not in its place"))?;
        from += at + wanted.len();
    }
    Ok(())
}

/// Where `wanted` stands in one piece.
fn find_run(output: &[Piece], wanted: &[Piece]) -> Option<usize> {
    if wanted.is_empty() {
        return Some(0);
    }
    let same = |window: &[Piece]| window.iter().zip(wanted).all(|(there, piece)| there.comes_from(piece));
    output.windows(wanted.len()).position(same)
}

/// A message with signed or provider-run blocks is whole or absent; an Anthropic message other than
/// the latest may have lost all its thinking.
pub(super) fn signed_whole(conversation: &Conversation) -> Verdict {
    let (before, after) = (&conversation.before, &conversation.after);
    nothing_signed_is_new(before, after)?;
    if before.wire == WireFormat::OpenAiResponses {
        // Each item is a message of its own; its place is judged by `reasoning_followed`.
        return Ok(());
    }
    let output: Vec<Piece> =
        after.messages.iter().flat_map(|message| pieces(message, after.wire, Reasoning::Kept)).collect();
    let there = |json: &str| output.iter().any(|piece| piece.json == json);
    let latest = before.messages.iter().rposition(|message| message.role == Role::Assistant);
    for (index, message) in before.messages.iter().enumerate() {
        let bound: Vec<String> = message
            .blocks
            .iter()
            .filter(|block| is_signed(block) || block.what == What::ProviderRun)
            .map(|block| canonical(&block.raw))
            .collect();
        if bound.is_empty() || find_run(&output, &pieces(message, before.wire, Reasoning::Kept)).is_some() {
            continue;
        }
        let unsigned = pieces(message, before.wire, Reasoning::Ignored);
        let thinks = message.blocks.iter().any(|block| block.what == What::Reasoning);
        let may_lose = before.wire == WireFormat::Anthropic && thinks && Some(index) != latest;
        let thought: Vec<String> = message
            .blocks
            .iter()
            .filter(|block| block.what == What::Reasoning)
            .map(|block| canonical(&block.raw))
            .collect();
        if may_lose && find_run(&output, &unsigned).is_some() && !thought.iter().any(|json| there(json)) {
            continue;
        }
        let calls = message.blocks.iter().filter(|block| matches!(block.what, What::Call(_)));
        let calls: Vec<String> = calls.map(|block| canonical(&block.raw)).collect();
        // Without ids two calls may well look the same.
        let marks = if before.wire == WireFormat::Anthropic { [bound, calls].concat() } else { bound };
        ensure(!marks.iter().any(|json| there(json)), || {
            format!("message {index} of the input is kept in part")
        })?;
    }
    Ok(())
}

/// Every signed block and every call of the output was in the input as it is, and as often.
fn nothing_signed_is_new(before: &View, after: &View) -> Verdict {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let guarded = |block: &Block| is_signed(block) || matches!(block.what, What::Call(_));
    let json = |block: &Block| match (before.wire, &block.what) {
        (WireFormat::OpenAiResponses, What::Call(_)) => None,
        _ => Some(canonical(&block.raw)),
    };
    for (_, block) in before.blocks().filter(|(_, block)| guarded(block)) {
        if let Some(json) = json(block) {
            *known.entry(json).or_default() += 1;
        }
    }
    for (index, block) in after.blocks().filter(|(_, block)| guarded(block)) {
        let Some(json) = json(block) else { continue };
        let left = known.get_mut(&json).filter(|left| **left > 0);
        *left.ok_or_else(|| {
            format!("message {index} has a signed block or a call that is not the input's")
        })? -= 1;
    }
    Ok(())
}

fn is_signed(block: &Block) -> bool {
    block.what == What::Reasoning || block.raw.get("thoughtSignature").is_some()
}

/// Instructions are unchanged and in front, none was added, and something else is left.
pub(super) fn system_kept(conversation: &Conversation) -> Verdict {
    let (before, after) = (&conversation.before, &conversation.after);
    ensure(after.spoken().next().is_some(), || "nothing but instructions is left".to_owned())?;
    if before.wire != after.wire {
        // Wires keep instructions in different places; what they say is the same.
        let (had, has) = (instructions(before), instructions(after));
        return ensure(had == has, || format!("the instructions said `{had}`, and say `{has}`"));
    }
    ensure(canonical(&before.system) == canonical(&after.system), || {
        "the system text has changed".to_owned()
    })?;
    let of = |view: &View| -> Vec<String> {
        let system = view.messages.iter().filter(|message| message.role == Role::System);
        system.map(|message| canonical(&message.raw)).collect()
    };
    ensure(of(before) == of(after), || "the system messages are not those of the input".to_owned())?;
    let leading =
        |view: &View| view.messages.iter().take_while(|message| message.role == Role::System).count();
    ensure(leading(after) >= leading(before), || "a system message no longer stands in front".to_owned())
}

/// The text of all instructions, without white space.
fn instructions(view: &View) -> String {
    let outside = View { messages: Vec::new(), ..view.clone() };
    let inside = view.messages.iter().filter(|message| message.role == Role::System);
    let outside: String = match &view.system {
        Value::String(text) => text.clone(),
        _ => outside.strings().into_iter().filter(|text| *text != "text").collect(),
    };
    let text = inside.flat_map(Message::texts).fold(outside, |all, text| all + text);
    text.split_whitespace().collect()
}
