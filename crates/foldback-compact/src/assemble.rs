//! Puts the new conversation together.

use foldback_model::{Context, Message, Role, Summary, TokenCount, repair};
use foldback_plan::{Cut, Irreducible, Plan};
use sha2::{Digest, Sha256};

use crate::Request;
use crate::record::Dropped;

/// Marks our summary while the kept messages are mended around it.
const MARK: &str = "foldback-new-summary";

/// The context after `plan`, and what had to be mended in what is kept.
pub(crate) fn context(request: &Request<'_>, plan: &Plan, summary: Summary) -> (Context, Vec<Dropped>) {
    let old = &request.context.messages;
    let is_instruction = |index: &&usize| old[**index].role.is_instruction();
    let instructions = plan.stays.iter().filter(is_instruction);
    let pins: Vec<usize> = plan.stays.iter().filter(|index| !is_instruction(index)).copied().collect();
    let place = summary_place(old, plan, &pins);

    let mut messages: Vec<Message> = instructions.map(|&index| old[index].clone()).collect();
    messages.extend(pins[..place].iter().map(|&index| old[index].clone()));
    messages.extend(marked(&summary));
    messages.extend(pins[place..].iter().map(|&index| old[index].clone()));
    messages.extend_from_slice(&old[plan.first_kept..]);

    let sources: Vec<Option<usize>> = messages.iter().map(|message| position(message, old)).collect();
    let dropped = repair(&mut messages, request.pending)
        .into_iter()
        .map(|repair| {
            let index = sources.get(repair.message).copied().flatten();
            Dropped::new(index, repair.call_id, repair.kind)
        })
        .collect();
    let summary_at = messages.iter().position(is_marked);
    messages.retain(|message| !is_marked(message));

    let mut context = request.context.clone_without_messages();
    context.summary = Some(summary);
    context.summary_at = summary_at;
    context.messages = messages;
    (context, dropped)
}

/// How many of the pinned messages stand in front of the summary.
///
/// Pins that open the conversation stay in front, where a provider may have cached them, and a
/// conversation of nothing but pins ends with the summary, so that the model has something to answer.
/// A summary in front of everything makes sure that a user speaks first.
fn summary_place(old: &[Message], plan: &Plan, pins: &[usize]) -> usize {
    if pins.first().is_none_or(|&first| old[first].role != Role::User) {
        return 0;
    }
    if plan.cut == Cut::All {
        return pins.len();
    }
    pins.iter().take_while(|&&index| index < plan.summarize.start).count()
}

fn marked(summary: &Summary) -> Option<Message> {
    let mut message = summary.to_message()?;
    message.meta.id = Some(MARK.to_owned());
    Some(message)
}

fn is_marked(message: &Message) -> bool {
    message.meta.id.as_deref() == Some(MARK)
}

fn position(message: &Message, old: &[Message]) -> Option<usize> {
    let index = message.meta.source?.index;
    (index < old.len()).then_some(index)
}

/// Names what keeps a context of `after` tokens over its `budget`.
pub(crate) fn too_large(plan: &Plan, after: TokenCount, budget: TokenCount) -> Irreducible {
    let what = if plan.tokens_kept > budget { "kept messages" } else { "the summary" };
    Irreducible::new(what, after)
}

/// A digest of what the messages say.
pub(crate) fn digest(messages: &[Message]) -> String {
    let mut hasher = Sha256::new();
    for message in messages {
        hasher.update(message.role.as_str());
        match message.raw() {
            Some(raw) => hasher.update(raw.json.as_bytes()),
            // The derived form names every field, so that no two contents share one.
            None => hasher.update(format!("{:?}", message.parts())),
        }
        hasher.update([0]);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
