//! Puts the new conversation together.

use std::collections::BTreeMap;

use foldback_model::{CallGraph, Context, Message, Pin, Role, Summary, TokenCount, prefixes, repair};
use foldback_plan::{Cut, Irreducible, Plan};

use crate::Request;
use crate::record::Dropped;

/// A new context, and what it cost the kept messages.
pub(crate) struct Assembled {
    pub(crate) context: Context,
    pub(crate) dropped: Vec<Dropped>,
    /// Messages, of the context as it came, whose signed reasoning was taken out.
    pub(crate) dead_reasoning: Vec<usize>,
}

/// The context after `plan`.
pub(crate) fn context(request: &Request<'_>, plan: &Plan, summary: Summary) -> Assembled {
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
    note_signed(request.context, &sources, &mut messages);
    let repairs = repair(&mut messages, request.pending);

    let mut context = request.context.clone_without_messages();
    context.epoch =
        old.iter().map(|message| message.meta.epoch).fold(context.epoch, u32::max).saturating_add(1);
    context.summary = Some(summary);
    context.summary_at = repairs.places.get(n_instructions + n_in_front).copied();
    context.messages = messages;
    let origins: BTreeMap<usize, usize> =
        sources.iter().zip(&repairs.places).map(|(&source, &place)| (place, source)).collect();
    let dead = context.drop_dead_reasoning();
    let dead_reasoning = dead.iter().filter_map(|index| origins.get(index).copied()).collect();
    let dropped = repairs
        .done
        .into_iter()
        .map(|repair| Dropped::new(sources[repair.message], repair.call_id, repair.kind))
        .collect();
    Assembled { context, dropped, dead_reasoning }
}

/// Notes what the signed messages among the kept ones stood behind.
fn note_signed(before: &Context, sources: &[usize], kept: &mut [Message]) {
    if !kept.iter().any(Message::is_signed) {
        return;
    }
    let prefixes = prefixes(before);
    for (message, &source) in kept.iter_mut().zip(sources).filter(|(message, _)| message.is_signed()) {
        message.meta.signed_under.get_or_insert(prefixes[source]);
    }
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
