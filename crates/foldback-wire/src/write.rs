//! Writes a conversation: untouched messages as they came, the others from their parts.

use std::borrow::Cow;

use foldback_model::{Context, Message, WireFormat};

use crate::codec::{encode, encode_frame};
use crate::document::{Envelope, Lost, Written};
use crate::join::{Element, join};
use crate::json::{self, quote};
use crate::list::list_key;
use crate::normal::{names_of_results, normalized};
use crate::{Document, Format};

impl Document {
    /// Writes `context`, a later state of this document's conversation, in the document's own wire
    /// format. Messages that still have their original JSON leave byte for byte as they came.
    #[must_use]
    pub fn write(&self, context: &Context) -> Written {
        self.convert(context, self.wire())
    }

    /// Writes `context` in the format `to`, with an account of what could not be carried.
    #[must_use]
    pub fn convert(&self, context: &Context, to: WireFormat) -> Written {
        let mut lost = Vec::new();
        let is_own = to == self.wire() && self.format != Format::Pi;
        let mut head = context.clone_without_messages();
        let projected: Vec<Cow<'_, Message>> = context.projected().collect();
        let elements = if is_own {
            own_elements(&projected, to, &mut lost)
        } else {
            converted_elements(&projected, to, &mut head, &mut lost)
        };
        let is_log = self.format.is_log();
        let joined = join(elements, to, !is_own || is_log);
        let json = match &self.envelope {
            Envelope::Spliced { text, list } if is_own => {
                splice(text, list.clone(), &joined.elements, context)
            }
            _ => fresh(to, &head, &joined.elements),
        };
        Written {
            json,
            sources: joined.elements.iter().map(|element| element.index).collect(),
            joined: joined.joined,
            lost,
        }
    }
}

/// Elements in the format that the messages were read from.
fn own_elements(messages: &[Cow<'_, Message>], wire: WireFormat, lost: &mut Vec<Lost>) -> Vec<Element> {
    let names = names_of_results(messages);
    let mut elements = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        match message.raw().filter(|raw| raw.wire == wire) {
            Some(raw) => elements.push(Element {
                json: raw.json.to_string(),
                index,
                origin: message.meta.source.map(|source| source.index),
            }),
            None => encode_into(&mut elements, wire, index, &names.of(index, message), lost),
        }
    }
    elements
}

/// Elements in another format. Instructions in the list join the system text where the format knows
/// no other place for them.
fn converted_elements(
    messages: &[Cow<'_, Message>],
    to: WireFormat,
    head: &mut Context,
    lost: &mut Vec<Lost>,
) -> Vec<Element> {
    let mut elements = Vec::new();
    for (index, message) in normalized(messages, to) {
        if to.alternates() && message.role.is_instruction() {
            let text = message.text();
            let system = head.system.get_or_insert_default();
            if !system.is_empty() && !text.is_empty() {
                system.push_str("\n\n");
            }
            system.push_str(&text);
            continue;
        }
        encode_into(&mut elements, to, index, &message, lost);
    }
    elements
}

fn encode_into(
    elements: &mut Vec<Element>,
    wire: WireFormat,
    index: usize,
    message: &Message,
    lost: &mut Vec<Lost>,
) {
    let mut note = |what: String| lost.push(Lost { index, what });
    let encoded = encode(wire, message, &mut note);
    elements.extend(encoded.into_iter().map(|json| Element { json, index, origin: None }));
}

/// Puts the list in the place of the old one; all around it stays as it is.
fn splice(text: &str, list: std::ops::Range<usize>, elements: &[Element], context: &Context) -> String {
    let old_list = &text[list.clone()];
    let old = json::list(old_list).unwrap_or_default();
    let is_same =
        old.len() == elements.len() && old.iter().zip(elements).all(|(old, new)| **old == *new.json);
    if (is_same && !old.is_empty()) || is_single_text(old_list, context) {
        return text.to_owned();
    }
    // Pieces of the old list: the space in front of the first element, between two, behind the last.
    let inner = |part: &str| crate::list::range_of(old_list, part);
    let (before, after) = match (old.first(), old.last()) {
        (Some(first), Some(last)) => {
            (&old_list[1..inner(first).start], &old_list[inner(last).end..old_list.len() - 1])
        }
        _ => ("", ""),
    };
    let between = match old.as_slice() {
        [first, second, ..] => &old_list[inner(first).end..inner(second).start],
        _ => ",",
    };
    let new: Vec<&str> = elements.iter().map(|element| element.json.as_str()).collect();
    format!("{}[{before}{}{after}]{}", &text[..list.start], new.join(between), &text[list.end..])
}

/// Whether the old list is a bare text, and the conversation is still that text alone.
fn is_single_text(old_list: &str, context: &Context) -> bool {
    json::string(old_list).is_some_and(|text| {
        context.summary.is_none()
            && matches!(context.messages.as_slice(), [only] if only.raw().is_none() && only.text() == text)
    })
}

/// A request of its own.
fn fresh(wire: WireFormat, head: &Context, elements: &[Element]) -> String {
    let frame = encode_frame(wire, head);
    let mut members = Vec::new();
    if let Some(model) = &head.model {
        members.push(format!(r#""model":{}"#, quote(model)));
    }
    let member = |(name, value): &(&str, String)| format!(r#""{name}":{value}"#);
    members.extend(frame.before.iter().map(member));
    let list: Vec<&str> = frame
        .first
        .iter()
        .map(String::as_str)
        .chain(elements.iter().map(|element| element.json.as_str()))
        .collect();
    members.push(format!(r#""{}":[{}]"#, list_key(wire), list.join(",")));
    members.extend(frame.after.iter().map(member));
    format!("{{{}}}", members.join(","))
}
