//! Brings a conversation into the order that every provider takes: one assistant message for one
//! reply, and all results of its calls directly behind it, in the order of the calls.

use std::borrow::Cow;
use std::collections::BTreeMap;

use foldback_model::{Message, Part, Role, ToolResult, WireFormat};

/// Where a result stands: the message and the part.
type Site = (usize, usize);

/// The messages in order, each with the index of the first message that went into it.
pub(crate) fn normalized(messages: &[Cow<'_, Message>], to: WireFormat) -> Vec<(usize, Message)> {
    let pairs = Pairs::of(messages);
    let mut result: Vec<(usize, Message)> = Vec::new();
    let mut replies = Replies::default();
    for (index, message) in messages.iter().enumerate() {
        let mut parts = Vec::new();
        let mut results = Vec::new();
        for (position, part) in message.parts().iter().enumerate() {
            match part {
                Part::ToolResult(_) if pairs.is_answer((index, position)) => {}
                Part::ToolCall(_) => {
                    results
                        .extend(pairs.answer_of((index, position)).map(|site| pairs.result(messages, site)));
                    parts.push(part.clone());
                }
                Part::ToolResult(orphan) => parts.push(Part::ToolResult(orphan.clone())),
                other => parts.push(other.clone()),
            }
        }
        if message.role == Role::Assistant {
            replies.add(index, parts, results, to);
            // Items that are bound are one reply, whatever stands between them in other formats.
            continue;
        }
        if parts.is_empty() {
            // A message of results alone has gone to the reply that it answers.
            continue;
        }
        replies.flush(&mut result);
        let mut rest = Message::new(message.role, parts);
        rest.meta = message.meta.clone();
        result.push((index, rest));
    }
    replies.flush(&mut result);
    result
}

/// A reply of the model that is being put together.
#[derive(Default)]
struct Replies {
    open: Option<(usize, Vec<Part>, Vec<Part>)>,
    done: Vec<(usize, Message)>,
}

impl Replies {
    fn add(&mut self, index: usize, parts: Vec<Part>, results: Vec<Part>, to: WireFormat) {
        // Calls that were answered end a reply: what comes next was said in view of the results.
        let goes_on = self
            .open
            .as_ref()
            .is_some_and(|(_, _, answered)| answered.is_empty() || !parts.iter().any(is_text));
        if to == WireFormat::OpenAiResponses || !goes_on {
            self.close();
        }
        let (_, open, answers) = self.open.get_or_insert((index, Vec::new(), Vec::new()));
        open.extend(parts);
        answers.extend(results);
    }

    fn close(&mut self) {
        let Some((index, parts, results)) = self.open.take() else { return };
        self.done.push((index, Message::new(Role::Assistant, parts)));
        if !results.is_empty() {
            self.done.push((index, Message::new(Role::Tool, results)));
        }
    }

    fn flush(&mut self, result: &mut Vec<(usize, Message)>) {
        self.close();
        result.append(&mut self.done);
    }
}

fn is_text(part: &Part) -> bool {
    matches!(part, Part::Text(_))
}

/// Which result answers which call, by id and occurrence.
struct Pairs {
    answers: BTreeMap<Site, Site>,
    calls: BTreeMap<Site, String>,
}

impl Pairs {
    fn of(messages: &[Cow<'_, Message>]) -> Self {
        let mut open: BTreeMap<&str, Vec<(Site, &str)>> = BTreeMap::new();
        let mut pairs = Self { answers: BTreeMap::new(), calls: BTreeMap::new() };
        for (index, message) in messages.iter().enumerate() {
            for (position, part) in message.parts().iter().enumerate() {
                match part {
                    Part::ToolCall(call) => {
                        open.entry(&call.id).or_default().push(((index, position), &call.name));
                    }
                    Part::ToolResult(result) => {
                        let Some(calls) = open.get_mut(result.call_id.as_str()) else { continue };
                        // The newest message with an open call of this id; within it, the first call.
                        let Some(&((newest, _), _)) = calls.last() else { continue };
                        let Some(found) = calls.iter().position(|((message, _), _)| *message == newest)
                        else {
                            continue;
                        };
                        let (call, name) = calls.remove(found);
                        pairs.answers.insert(call, (index, position));
                        pairs.calls.insert((index, position), name.to_owned());
                    }
                    _ => {}
                }
            }
        }
        pairs
    }

    fn is_answer(&self, site: Site) -> bool {
        self.calls.contains_key(&site)
    }

    fn answer_of(&self, call: Site) -> Option<Site> {
        self.answers.get(&call).copied()
    }

    /// The result at `site`, with the name of the tool that it comes from.
    fn result(&self, messages: &[Cow<'_, Message>], (index, position): Site) -> Part {
        let mut part = messages[index].parts()[position].clone();
        if let Part::ToolResult(result) = &mut part {
            self.name(result, (index, position));
        }
        part
    }

    fn name(&self, result: &mut ToolResult, site: Site) {
        if result.name.is_none() {
            result.name = self.calls.get(&site).cloned();
        }
    }
}

/// The names of the tools that results come from.
pub(crate) struct Names(Pairs);

/// Finds the tools that the results of `messages` come from.
pub(crate) fn names_of_results(messages: &[Cow<'_, Message>]) -> Names {
    Names(Pairs::of(messages))
}

impl Names {
    /// Message `index` with its results named.
    pub(crate) fn of<'m>(&self, index: usize, message: &'m Message) -> Cow<'m, Message> {
        if message.results().all(|result| result.name.is_some()) {
            return Cow::Borrowed(message);
        }
        let mut named = message.clone();
        let mut parts = message.parts().to_vec();
        for (position, part) in parts.iter_mut().enumerate() {
            if let Part::ToolResult(result) = part {
                self.0.name(result, (index, position));
            }
        }
        named.set_parts(parts);
        Cow::Owned(named)
    }
}
