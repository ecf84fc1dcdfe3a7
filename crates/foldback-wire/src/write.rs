//! Writes a conversation: untouched messages as they came, the others from their parts.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use foldback_model::{Context, Message, WireFormat};

use crate::codec::{Encoder, Frame, decode_head, encode, encode_frame, without_parts};
use crate::document::{Lost, Written};
use crate::envelope::{Envelope, Surroundings};
use crate::join::{Element, join};
use crate::json::{self, Object, quote};
use crate::list::{list_key, without_mark};
use crate::normal::normalize;
use crate::pairs::Pairs;
use crate::repair::{Draft, Edit};
use crate::{Document, Format};

impl Document {
    /// Writes `context`, a later state of this document's conversation, in the document's own wire
    /// format. Messages that still have their original JSON leave byte for byte as they came.
    #[must_use]
    pub fn write(&self, context: &Context) -> Written {
        self.convert(context, self.wire())
    }

    /// Writes `context` in the format `to`, with an account of what could not be carried.
    ///
    /// In another format than its own, a conversation is also mended as far as the new provider demands it:
    /// results without calls go, calls that were never answered are, ids are made to fit, and the user
    /// begins. Calls at the end may still be running and stay open; [`repair`](crate::repair()) answers them.
    #[must_use]
    pub fn convert(&self, context: &Context, to: WireFormat) -> Written {
        let mut lost = Vec::new();
        let is_own = to == self.wire() && keeps_elements(self.format);
        let mut head = context.clone_without_messages();
        let projected: Vec<Cow<'_, Message>> = context.projected().collect();
        let (elements, edits) = if is_own {
            (own_elements(&projected, to, &mut lost), Vec::new())
        } else {
            converted_elements(&projected, to, &mut head, &mut lost)
        };
        let joined = join(elements, to, !is_own || self.format.is_log());
        let json = match &self.envelope {
            Envelope::Spliced(surroundings) if is_own => splice(surroundings, &joined.elements, context),
            envelope => {
                let limit = max_tokens(self.format, envelope);
                // What stands outside the list has no index; it is told with the first message.
                let mut note = |what: String| lost.insert(0, Lost { index: 0, what });
                let frame = encode_frame(to, &head, limit.as_deref(), &mut note);
                fresh(to, head.model.as_deref(), &frame, &joined.elements)
            }
        };
        Written {
            json,
            sources: joined.elements.iter().map(|element| element.index).collect(),
            joined: joined.joined,
            edits,
            lost,
        }
    }
}

/// Whether the messages of `format` hold elements of its wire as they were sent. The others have
/// messages of their own make, from which every element is made anew.
fn keeps_elements(format: Format) -> bool {
    matches!(format, Format::Wire(_) | Format::ClaudeCode | Format::Codex)
}

/// The limit of a reply that the request states.
fn max_tokens(format: Format, envelope: &Envelope) -> Option<String> {
    match (format, envelope) {
        (Format::Wire(wire), Envelope::Spliced(surroundings)) => {
            decode_head(wire, &Object::parse(without_mark(&surroundings.emptied()))?).max_tokens
        }
        (_, Envelope::Made { max_tokens }) => max_tokens.clone(),
        (_, Envelope::Spliced(_)) => None,
    }
}

/// Elements in the format that the messages were read from.
pub(crate) fn own_elements(
    messages: &[Cow<'_, Message>],
    wire: WireFormat,
    lost: &mut Vec<Lost>,
) -> Vec<Element> {
    let mut pairs = None;
    let mut elements = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        if let Some(raw) = message.raw().filter(|raw| raw.wire == wire) {
            let origin = message.meta.source.map(|source| source.index);
            elements.push(Element { json: raw.json.to_string(), index, origin });
            continue;
        }
        if let Some(json) = trimmed(message, wire) {
            elements.push(Element { json, index, origin: message.meta.source.map(|source| source.index) });
            continue;
        }
        // Hardly any message has to be encoded, so the pairs are found when the first one has.
        let pairs = pairs.get_or_insert_with(|| Pairs::of(messages));
        let mut encoder = Encoder {
            own: message.origin().is_none_or(|origin| origin == wire),
            partners: pairs.partners(messages, index),
            lost: &mut |what| lost.push(Lost { index, what }),
        };
        let encoded = encode(wire, &pairs.named(index, message), &mut encoder);
        elements.extend(encoded.into_iter().map(|json| Element { json, index, origin: None }));
    }
    elements
}

/// The JSON of a message from which parts were taken out.
fn trimmed(message: &Message, wire: WireFormat) -> Option<String> {
    let (raw, left_out) = message.raw_and_left_out().filter(|(raw, _)| raw.wire == wire)?;
    if message.parts().is_empty() {
        return None;
    }
    without_parts(wire, &raw.json, left_out)
}

/// Elements in another format. Instructions in the list join the system text where the format knows
/// no other place for them.
fn converted_elements(
    messages: &[Cow<'_, Message>],
    to: WireFormat,
    head: &mut Context,
    lost: &mut Vec<Lost>,
) -> (Vec<Element>, Vec<Edit>) {
    let mut draft = Draft::new(to, messages.iter().map(|message| Cow::Borrowed(message.as_ref())));
    draft.mend_for_conversion();
    let (draughts, edits) = draft.into_parts();
    let (origins, messages): (Vec<usize>, Vec<Cow<'_, Message>>) =
        draughts.into_iter().map(|draught| (draught.origin, draught.message)).unzip();
    (encoded_elements(&messages, &origins, to, head, lost), edits)
}

/// The elements of messages that come from the places `origins`.
fn encoded_elements(
    messages: &[Cow<'_, Message>],
    origins: &[usize],
    to: WireFormat,
    head: &mut Context,
    lost: &mut Vec<Lost>,
) -> Vec<Element> {
    let mut elements = Vec::new();
    normalize(messages, to, &mut |place, message| {
        let index = origins[place];
        let mut note = |what: String| lost.push(Lost { index, what });
        if to.alternates() && message.role.is_instruction() {
            let others = message.parts().iter().filter(|part| part.as_text().is_none());
            others.for_each(|_| note("content of an instruction that is no text".to_owned()));
            add_system(head, &message.text());
            return;
        }
        let mut encoder = Encoder { own: false, partners: Vec::new(), lost: &mut note };
        for mut json in encode(to, &message, &mut encoder) {
            // It was put together piece by piece, and all of them are held until the list is written.
            json.shrink_to_fit();
            elements.push(Element { json, index, origin: None });
        }
    });
    elements
}

fn add_system(head: &mut Context, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    let system = head.system.get_or_insert_default();
    if !system.is_empty() {
        system.push_str("\n\n");
    }
    system.push_str(text);
}

/// Puts the list in the place of the old one; all around it stays as it is.
fn splice(surroundings: &Surroundings, elements: &[Element], context: &Context) -> String {
    match surroundings.single() {
        Some(single) if is_single_text(single, context) => surroundings.with(single),
        _ => surroundings.fill(&Vec::from_iter(elements.iter().map(|element| element.json.as_str()))),
    }
}

/// Whether the old list is a bare text, and the conversation is still that text alone.
fn is_single_text(old_list: &str, context: &Context) -> bool {
    json::string(old_list).is_some_and(|text| {
        context.summary.is_none()
            && matches!(context.messages.as_slice(), [only] if only.raw().is_none() && only.text() == text)
    })
}

/// A request of its own.
fn fresh(wire: WireFormat, model: Option<&str>, frame: &Frame, elements: &[Element]) -> String {
    let own = elements.iter().map(|element| &*element.json);
    let list: Vec<&str> = frame.first.iter().map(String::as_str).chain(own).collect();
    let around: Vec<&str> =
        frame.before.iter().chain(&frame.after).map(|(_, value)| value.as_str()).collect();
    let mut json = Request::with_room_for(list.iter().chain(&around).map(|piece| piece.len() + 1).sum());
    if let Some(model) = model {
        json.member("model").push_str(&quote(model));
    }
    frame.before.iter().for_each(|(name, value)| json.member(name).push_str(value));
    json.member(list_key(wire)).push('[');
    for (index, element) in list.into_iter().enumerate() {
        json.text.push_str(if index == 0 { "" } else { "," });
        json.text.push_str(element);
    }
    json.text.push(']');
    frame.after.iter().for_each(|(name, value)| json.member(name).push_str(value));
    json.text + "}"
}

/// A JSON object that is being written. It may be very large, so it is written once and in place.
struct Request {
    text: String,
}

impl Request {
    fn with_room_for(n_bytes: usize) -> Self {
        const NAMES: usize = 256;
        let mut text = String::with_capacity(n_bytes + NAMES);
        text.push('{');
        Self { text }
    }

    /// Begins a member; its value is to be pushed.
    fn member(&mut self, name: &str) -> &mut String {
        self.text.push_str(if self.text.len() > 1 { ",\"" } else { "\"" });
        self.text.push_str(name);
        self.text.push_str("\":");
        &mut self.text
    }
}
