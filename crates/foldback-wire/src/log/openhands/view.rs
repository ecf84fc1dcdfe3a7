//! What condensations have left of the events.

use std::collections::BTreeSet;

use super::Event;
use crate::json::{self, Object};

/// What the model sees, in order.
pub(super) enum Entry<'e, 'a> {
    Event(&'e Event<'a>),
    Summary(Summary),
}

/// A summary that stands for forgotten events.
#[derive(Clone)]
pub(super) struct Summary {
    pub(super) id: Option<String>,
    pub(super) text: String,
    pub(super) line: Option<usize>,
    pub(super) epoch: u32,
}

/// What a condensation does.
pub(super) struct Condensation {
    forgotten: Forgotten,
    summary: Option<String>,
    /// Where in what is left the summary stands.
    offset: usize,
}

enum Forgotten {
    Ids(BTreeSet<String>),
    /// The first version may name the first and the last of them.
    Range(u64, u64),
}

impl Forgotten {
    fn holds(&self, id: &str) -> bool {
        match self {
            Self::Ids(ids) => ids.contains(id),
            Self::Range(first, last) => id.parse().is_ok_and(|id| (*first..=*last).contains(&id)),
        }
    }
}

/// The condensation that `event` is, if it is one.
pub(super) fn condensation(event: &Event<'_>) -> Option<Condensation> {
    let object = &event.object;
    let of_action;
    let fields = if object.text("kind").as_deref() == Some("Condensation") {
        object
    } else if object.text("action").as_deref() == Some("condensation") {
        of_action = object.object("args")?;
        &of_action
    } else {
        return None;
    };
    let number = |key: &str| fields.get(key).and_then(|number| number.parse::<u64>().ok());
    let forgotten = match (number("forgotten_events_start_id"), number("forgotten_events_end_id")) {
        (Some(first), Some(last)) => Forgotten::Range(first, last),
        _ => {
            let ids = fields.list("forgotten_event_ids").unwrap_or_default();
            Forgotten::Ids(ids.into_iter().map(id_text).collect())
        }
    };
    Some(Condensation {
        forgotten,
        summary: fields.text("summary").filter(|summary| !summary.trim().is_empty()),
        offset: number("summary_offset").and_then(|offset| usize::try_from(offset).ok()).unwrap_or(0),
    })
}

/// An id, which the first version writes as a number.
pub(super) fn id_text(json: &str) -> String {
    json::string(json).unwrap_or_else(|| json.to_owned())
}

pub(super) fn id_of(object: &Object<'_>) -> Option<String> {
    object.get("id").map(id_text)
}

/// What the model sees at the end of `events`, or all that it ever saw.
pub(super) fn view<'e, 'a>(events: &'e [Event<'a>], whole: bool) -> Vec<Entry<'e, 'a>> {
    let mut view: Vec<Entry<'e, 'a>> = Vec::new();
    for event in events {
        let Some(condensation) = condensation(event) else {
            view.push(Entry::Event(event));
            continue;
        };
        if whole {
            continue;
        }
        view.retain(|entry| match entry {
            Entry::Event(event) => id_of(&event.object).is_none_or(|id| !condensation.forgotten.holds(&id)),
            // A summary covers what the one before it said.
            Entry::Summary(_) => condensation.summary.is_none(),
        });
        if let Some(text) = condensation.summary {
            let epoch = event.epoch + 1;
            let summary = Summary { id: id_of(&event.object), text, line: event.line, epoch };
            view.insert(condensation.offset.min(view.len()), Entry::Summary(summary));
        }
    }
    view
}

/// The number of compactions that each of them is after.
pub(super) fn boundaries(events: &[Event<'_>]) -> Vec<u32> {
    events.iter().filter(|event| condensation(event).is_some()).map(|event| event.epoch).collect()
}
