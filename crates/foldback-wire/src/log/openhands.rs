//! What OpenHands keeps of a session: one JSON value, or events one a line.
//!
//! - Trajectories of the first version are lists of events with an `action` or an `observation`
//!   (`v0`). What the model said stands in the metadata of the actions that came of it.
//! - Event lists of the later software-agent-sdk name their `kind` (`v1`).
//! - Completion logs are one call of a model: `messages`, and the `response` (`completion`).
//!
//! In both kinds of lists a condensation takes events out of what the model sees, by their ids, and may
//! put a summary in their place (`view`). Noise of the environment is no message.

mod completion;
mod drafts;
#[cfg(test)]
mod tests;
mod v0;
mod v1;
mod view;

use serde_json::value::RawValue;

use super::Log;
use super::lines::{Damage, lines};
use super::whole::{unknown, whole};
use crate::ReadError;
use crate::document::ReadOptions;
use crate::json::{self, Object};
use crate::list::without_mark;
use drafts::Drafts;
use view::{Entry, view};

const EXPECTED: &str = "a list of events with `action` or `observation`, or with `kind`, or a completion log \
                        with `messages` and `response`";

pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Log, ReadError> {
    let mut damage = Damage::new(options.lenient);
    let body = without_mark(text);
    let is_one = serde_json::from_str::<&RawValue>(body).is_ok();
    let events = if is_one || !body.trim_start().starts_with('{') {
        let whole = whole(text)?;
        match Object::parse(whole) {
            Some(log) if log.has("messages") => return completion::read(text, &log),
            Some(object) => events_in(&object).or_else(|| is_event(&object).then(|| vec![whole])),
            None => json::list(whole),
        }
        .map(|events| events.into_iter().map(|event| (None, event)).collect())
    } else {
        Some(events_of_lines(text, &mut damage)?)
    };
    let events: Vec<(Option<usize>, &str)> = events.ok_or_else(|| unknown("OpenHands", EXPECTED))?;
    let events = parsed(&events);
    if !events.iter().any(|event| is_event(&event.object)) {
        return Err(unknown("OpenHands", EXPECTED));
    }
    let mut log = read_events(events, options.whole);
    log.skipped_lines = damage.skipped;
    Ok(log)
}

/// The list of events that an evaluation or the server wraps.
fn events_in<'a>(object: &Object<'a>) -> Option<Vec<&'a str>> {
    ["history", "trajectory", "events"].iter().find_map(|key| object.list(key))
}

/// Whether `object` is an event of either version.
pub(crate) fn is_event(object: &Object<'_>) -> bool {
    let has = |keys: [&str; 3]| keys.iter().all(|key| object.has(key));
    let is_v0 = has(["source", "action", "args"]) || has(["source", "observation", "extras"]);
    is_v0 || object.text("kind").is_some_and(|kind| v1::KINDS.contains(&kind.as_str()))
}

fn events_of_lines<'a>(
    text: &'a str,
    damage: &mut Damage,
) -> Result<Vec<(Option<usize>, &'a str)>, ReadError> {
    let mut events = Vec::new();
    for line in lines(text) {
        if let Some(event) = damage.parse::<&RawValue>(line)? {
            events.push((Some(line.number), event.get()));
        }
    }
    Ok(events)
}

/// An event with its place.
struct Event<'a> {
    object: Object<'a>,
    line: Option<usize>,
    /// Compactions before it.
    epoch: u32,
}

/// What is no object is no event.
fn parsed<'a>(events: &[(Option<usize>, &'a str)]) -> Vec<Event<'a>> {
    let mut epoch = 0;
    let event = |&(line, json): &(Option<usize>, &'a str)| {
        let object = Object::parse(json)?;
        let event = Event { object, line, epoch };
        epoch += u32::from(view::condensation(&event).is_some());
        Some(event)
    };
    events.iter().filter_map(event).collect()
}

fn read_events(events: Vec<Event<'_>>, whole: bool) -> Log {
    let mut drafts = Drafts::default();
    for entry in view(&events, whole) {
        match entry {
            Entry::Summary(summary) => drafts.summary(summary),
            Entry::Event(event) if event.object.has("kind") => v1::take(event, &mut drafts),
            Entry::Event(event) => v0::take(event, &mut drafts),
        }
    }
    drafts.write(view::boundaries(&events))
}
