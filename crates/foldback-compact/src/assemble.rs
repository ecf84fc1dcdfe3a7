//! Puts the new conversation together.

use foldback_model::{
    CallGraph, Context, MediaSource, Message, Part, Pin, Role, Summary, TokenCount, repair,
};
use foldback_plan::{Cut, Irreducible, Plan};
use sha2::{Digest, Sha256};

use crate::Request;
use crate::record::Dropped;

/// The context after `plan`, and what had to be mended in what is kept.
pub(crate) fn context(request: &Request<'_>, plan: &Plan, summary: Summary) -> (Context, Vec<Dropped>) {
    let old = &request.context.messages;
    let (instructions, pins): (Vec<usize>, Vec<usize>) =
        plan.stays.iter().partition(|&&index| old[index].role.is_instruction());
    let (prefix, in_place) = by_pin(&pins, request);
    let n_instructions = instructions.len();
    let n_leading = in_place.iter().take_while(|&&index| index < plan.summarize.start).count();
    let n_prefix = prefix.len();
    let pins: Vec<usize> = prefix.into_iter().chain(in_place).collect();
    let n_in_front = match pins.first() {
        // A summary in front of everything makes sure that a user speaks first.
        Some(&first) if old[first].role != Role::User => 0,
        // A conversation of nothing but pins ends with the summary: the model has something to answer.
        _ if plan.cut == Cut::All => pins.len(),
        // Pins that open the conversation stay in front, where a provider may have cached them.
        _ => n_prefix + n_leading,
    };
    let sources: Vec<usize> =
        instructions.into_iter().chain(pins).chain(plan.first_kept..old.len()).collect();
    let mut messages: Vec<Message> = sources.iter().map(|&index| old[index].clone()).collect();
    let repairs = repair(&mut messages, request.pending);

    let mut context = request.context.clone_without_messages();
    context.epoch =
        old.iter().map(|message| message.meta.epoch).fold(context.epoch, u32::max).saturating_add(1);
    context.summary = Some(summary);
    context.summary_at = repairs.places.get(n_instructions + n_in_front).copied();
    context.messages = messages;
    let dropped = repairs
        .done
        .into_iter()
        .map(|repair| Dropped::new(sources[repair.message], repair.call_id, repair.kind))
        .collect();
    (context, dropped)
}

/// Divides pinned messages into those that go to the front and those that stay where they are. What
/// cannot be parted from a message goes with it.
fn by_pin(pins: &[usize], request: &Request<'_>) -> (Vec<usize>, Vec<usize>) {
    let messages = &request.context.messages;
    let graph = CallGraph::new(messages, request.pending);
    let (mut prefix, mut in_place) = (Vec::new(), Vec::new());
    for unit in pins.chunk_by(|&one, &next| one + 1 == next && !graph.may_cut_at(next)) {
        let to_front = unit.iter().any(|&index| messages[index].meta.pin == Some(Pin::Prefix));
        if to_front { &mut prefix } else { &mut in_place }.extend_from_slice(unit);
    }
    (prefix, in_place)
}

/// Names what keeps a context of `after` tokens over its `budget`.
pub(crate) fn too_large(plan: &Plan, after: TokenCount, budget: TokenCount) -> Irreducible {
    if plan.tokens_kept > budget {
        Irreducible::new("kept messages", plan.tokens_kept)
    } else {
        Irreducible::new("the summary", after.saturating_sub(plan.tokens_kept))
    }
}

/// A digest of what the messages say: the same on every platform and in every version of this crate
/// that writes this prefix.
pub(crate) fn digest(messages: &[Message]) -> String {
    let mut hasher = Sha256::new_with_prefix("foldback-1");
    for message in messages {
        feed(&mut hasher, message.role.as_str());
        match message.raw() {
            Some(raw) => feed(&mut hasher, &raw.json),
            None => message.parts().iter().for_each(|part| feed_part(&mut hasher, part)),
        }
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Adds a text behind its length, so that no two sequences of texts give the same bytes.
fn feed(hasher: &mut Sha256, text: &str) {
    hasher.update((text.len() as u64).to_le_bytes());
    hasher.update(text);
}

fn feed_part(hasher: &mut Sha256, part: &Part) {
    let mut feed = |texts: &[&str]| texts.iter().for_each(|text| self::feed(hasher, text));
    match part {
        Part::Text(text) => feed(&["text", text]),
        Part::Thinking(thinking) => {
            feed(&["thinking", &thinking.text, thinking.signature.as_deref().unwrap_or_default()]);
        }
        Part::ToolCall(call) => feed(&["call", &call.id, &call.name, &call.arguments]),
        Part::ToolResult(result) => {
            feed(&["result", &result.call_id, if result.is_error { "error" } else { "ok" }]);
            result.content.iter().for_each(|part| feed_part(hasher, part));
        }
        Part::Image(media) | Part::Document(media) => {
            let content = match &media.source {
                MediaSource::Base64(text)
                | MediaSource::Text(text)
                | MediaSource::Url(text)
                | MediaSource::FileId(text) => text,
                _ => "",
            };
            feed(&["media", media.media_type.as_deref().unwrap_or_default(), content]);
        }
        Part::Opaque(opaque) => feed(&["opaque", &opaque.kind, &opaque.json]),
        _ => feed(&["unknown"]),
    }
}
