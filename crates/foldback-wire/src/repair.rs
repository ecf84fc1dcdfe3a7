//! Mends a broken conversation, so that a provider takes it, and says what was done.
//!
//! The steps go from the inside of a message outwards: what its parts are, which results answer which
//! calls, where they stand, who speaks first. What is not broken keeps its bytes.

mod ids;
mod order;
mod pairs;
mod parts;
mod reasoning;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use foldback_model::{Context, Message, Role, WireFormat};
use serde::Serialize;

use crate::check::check;
use crate::codec::{decode_message, link};
use crate::join::join;
use crate::write::own_elements;

/// What was done about a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EditKind {
    /// A result without a call, or a second result of one call, was taken out.
    DroppedResult,
    /// A call without a result was answered by a short error.
    AnsweredCall,
    /// A call that had no id of its own, or one that the provider refuses, got another, and its result too.
    RenamedCall,
    /// A result got the name of the tool that was called.
    NamedResult,
    /// A result was put behind the message that made the call.
    MovedResult,
    /// Parts that belong to another role became a message of that role.
    SplitMessage,
    /// Blank texts were taken out.
    DroppedBlank,
    /// A message without content was taken out.
    DroppedMessage,
    /// Reasoning that the provider would refuse was taken out.
    DroppedReasoning,
    /// The message was joined to the one before it.
    Joined,
    /// Content that the provider's format cannot carry was left out.
    LeftOut,
    /// A message of the user was put in front, since the provider wants one there.
    InsertedMessage,
}

/// One thing that was done to a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edit {
    /// Index of the message, in the list as it was given.
    pub index: usize,
    /// What was done.
    pub kind: EditKind,
    /// The same for a person, with the ids concerned.
    pub detail: String,
}

/// A mended conversation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Repaired {
    /// The conversation. A summary of the context stands among its messages.
    pub context: Context,
    /// For each message, the index in the list as it was given of the first one that went into it.
    pub sources: Vec<usize>,
    /// Everything that was done, in the order of the messages; empty for a conversation that was valid.
    pub edits: Vec<Edit>,
}

/// Mends the messages of `context`, so that [`check`] finds nothing for `provider`; calls without a result
/// are answered, those at the end too. A valid conversation comes back as it is, and whatever is not
/// concerned keeps its bytes. What is made up is the same in every run.
///
/// Indices count the messages [as projected](Context::projected).
///
/// ```
/// use foldback_model::{Context, Message, WireFormat};
/// use foldback_wire::{EditKind, check, repair};
///
/// let context = Context::new(vec![Message::assistant("hello"), Message::user("hi")]);
/// let repaired = repair(WireFormat::Anthropic, &context);
/// assert_eq!(repaired.edits[0].kind, EditKind::InsertedMessage);
/// assert!(check(WireFormat::Anthropic, &repaired.context.messages).is_empty());
/// assert!(repair(WireFormat::Anthropic, &repaired.context).edits.is_empty());
/// ```
#[must_use]
pub fn repair(provider: WireFormat, context: &Context) -> Repaired {
    let mut before = context.clone();
    before.messages = context.projected().map(Cow::into_owned).collect();
    (before.summary, before.summary_at) = (None, None);
    let n_messages = before.messages.len();
    if check(provider, &before.messages).is_empty() {
        return Repaired { context: before, sources: (0..n_messages).collect(), edits: Vec::new() };
    }
    before.note_signed_prefixes();
    let messages = std::mem::take(&mut before.messages);
    let mut draft = Draft::new(provider, messages.into_iter().map(Cow::Owned));
    // One pass is enough unless a step leaves work for one before it: a message that was emptied brings
    // two others together.
    for _ in 0..MAX_PASSES {
        draft.mend();
        draft.drop_dead_reasoning(&before);
        draft.rewrite();
        if check(provider, &draft.plain()).is_empty() {
            break;
        }
    }
    draft.finish(before)
}

/// More than any conversation was seen to need.
const MAX_PASSES: usize = 4;

/// A conversation that is being mended.
pub(crate) struct Draft<'a> {
    provider: WireFormat,
    messages: Vec<Draught<'a>>,
    edits: Vec<Edit>,
}

/// A message, and where it comes from.
#[derive(Clone)]
pub(crate) struct Draught<'a> {
    pub(crate) origin: usize,
    /// Copied only when something is done to it.
    pub(crate) message: Cow<'a, Message>,
}

impl<'a> Draught<'a> {
    fn new(origin: usize, message: Message) -> Self {
        Self { origin, message: Cow::Owned(message) }
    }
}

impl<'a> Draft<'a> {
    pub(crate) fn new(provider: WireFormat, messages: impl Iterator<Item = Cow<'a, Message>>) -> Self {
        let messages = messages.enumerate().map(|(origin, message)| Draught { origin, message }).collect();
        Self { provider, messages, edits: Vec::new() }
    }

    /// All steps that look at messages and not at their JSON.
    pub(crate) fn mend(&mut self) {
        self.split_roles();
        self.drop_unsigned_reasoning();
        self.drop_blanks();
        self.pair_results(true);
        self.rename_calls();
        self.name_results();
        self.order_results();
        self.drop_loose_reasoning();
        self.let_the_user_begin();
        self.give_something_to_answer();
    }

    /// The steps that a conversation takes before it is converted: the order of results and neighbours of
    /// one role are the converter's own matter, and calls at the end may still be running.
    pub(crate) fn mend_for_conversion(&mut self) {
        self.split_roles();
        self.pair_results(false);
        self.rename_calls();
        self.let_the_user_begin();
    }

    /// The messages with their origins, and what was done.
    pub(crate) fn into_parts(mut self) -> (Vec<Draught<'a>>, Vec<Edit>) {
        self.edits.sort_by_key(|edit| edit.index);
        (self.messages, self.edits)
    }

    fn edit(&mut self, index: usize, kind: EditKind, detail: impl Into<String>) {
        self.edits.push(Edit { index, kind, detail: detail.into() });
    }

    fn plain(&self) -> Vec<Message> {
        self.messages.iter().map(|draught| draught.message.clone().into_owned()).collect()
    }

    fn views(&self) -> Vec<Cow<'_, Message>> {
        self.messages.iter().map(|draught| Cow::Borrowed(draught.message.as_ref())).collect()
    }

    /// Providers that want roles to alternate want the user to begin.
    fn let_the_user_begin(&mut self) {
        let first = self.messages.iter().position(|draught| !draught.message.role.is_instruction());
        if let Some(first) = first.filter(|_| self.provider.alternates())
            && self.messages[first].message.role == Role::Assistant
        {
            self.insert_opening(first);
        }
    }

    /// No provider answers instructions alone.
    fn give_something_to_answer(&mut self) {
        if self.messages.iter().all(|draught| draught.message.role.is_instruction()) {
            self.insert_opening(self.messages.len());
        }
    }

    fn insert_opening(&mut self, at: usize) {
        const OPENING: &str = "(The beginning of this conversation is missing.)";
        let origin = self.messages.get(at).or(self.messages.last()).map_or(0, |draught| draught.origin);
        self.messages.insert(at, Draught::new(origin, Message::user(OPENING)));
        self.edit(origin, EditKind::InsertedMessage, "a message of the user was put in, to be answered");
    }

    /// Writes the messages and reads them again: neighbours of one role are joined block by block, and
    /// what was not touched keeps its bytes.
    fn rewrite(&mut self) {
        let mut lost = Vec::new();
        let elements = own_elements(&self.views(), self.provider, &mut lost);
        let joined = join(elements, self.provider, true);
        for lost in lost {
            self.edit(
                self.messages[lost.index].origin,
                EditKind::LeftOut,
                format!("{} was left out", lost.what),
            );
        }
        for index in joined.joined {
            let origin = self.messages[index].origin;
            self.edit(
                origin,
                EditKind::Joined,
                "joined to the message before it, since roles have to alternate",
            );
        }
        let mut messages: Vec<Message> = Vec::with_capacity(joined.elements.len());
        let mut origins = Vec::with_capacity(joined.elements.len());
        for element in joined.elements {
            // What we write, we can read.
            let Ok(message) = decode_message(self.provider, &element.json) else { continue };
            let Draught { origin, message: source } = &self.messages[element.index];
            let mut meta = source.meta.clone();
            meta.cache_marker = message.meta.cache_marker;
            origins.push(*origin);
            messages.push(message.with_meta(meta));
        }
        link(self.provider, &mut messages);
        self.messages = origins
            .into_iter()
            .zip(messages)
            .map(|(origin, message)| Draught::new(origin, message))
            .collect();
    }

    fn finish(self, mut context: Context) -> Repaired {
        let (messages, edits) = self.into_parts();
        let sources = messages.iter().map(|draught| draught.origin).collect();
        context.messages = messages.into_iter().map(|draught| draught.message.into_owned()).collect();
        context.messages.iter_mut().for_each(|message| message.meta.signed_under = None);
        Repaired { context, sources, edits }
    }
}
