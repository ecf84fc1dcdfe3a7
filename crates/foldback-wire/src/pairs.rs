//! Which result answers which call, by id and occurrence.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use foldback_model::{Message, Part};

use crate::json::Object;

/// Where a call or a result stands: the message and the part.
pub(crate) type Site = (usize, usize);

/// The calls and results of a conversation, matched.
pub(crate) struct Pairs {
    answers: BTreeMap<Site, Site>,
    calls: BTreeMap<Site, Call>,
}

struct Call {
    site: Site,
    tool: String,
}

impl Pairs {
    pub(crate) fn of(messages: &[Cow<'_, Message>]) -> Self {
        // The calls of an id that have no result yet, in order.
        let mut open: BTreeMap<&str, Open<'_>> = BTreeMap::new();
        let mut pairs = Self { answers: BTreeMap::new(), calls: BTreeMap::new() };
        for (index, message) in messages.iter().enumerate() {
            for (position, part) in message.parts().iter().enumerate() {
                match part {
                    Part::ToolCall(call) => {
                        open.entry(&call.id).or_default().add((index, position), &call.name);
                    }
                    Part::ToolResult(result) => {
                        let found = open.get_mut(result.call_id.as_str()).and_then(Open::take_newest);
                        let Some((site, tool)) = found else { continue };
                        pairs.answers.insert(site, (index, position));
                        pairs.calls.insert((index, position), Call { site, tool: tool.to_owned() });
                    }
                    _ => {}
                }
            }
        }
        pairs
    }

    /// Whether the result at `site` answers a call.
    pub(crate) fn is_answer(&self, site: Site) -> bool {
        self.calls.contains_key(&site)
    }

    /// Where the answer to the call at `site` stands.
    pub(crate) fn answer_of(&self, site: Site) -> Option<Site> {
        self.answers.get(&site).copied()
    }

    /// Where the call that the result at `site` answers stands.
    pub(crate) fn call_of(&self, site: Site) -> Option<Site> {
        self.calls.get(&site).map(|call| call.site)
    }

    /// The tool that was called for the result at `site`.
    pub(crate) fn tool_of(&self, site: Site) -> Option<&str> {
        self.calls.get(&site).map(|call| call.tool.as_str())
    }

    /// The result at `site`, with the name of the tool that it comes from.
    pub(crate) fn result(&self, messages: &[Cow<'_, Message>], site: Site) -> Part {
        let mut part = messages[site.0].parts()[site.1].clone();
        self.name(&mut part, site);
        part
    }

    /// Message `index` with its results named.
    pub(crate) fn named<'m>(&self, index: usize, message: &'m Message) -> Cow<'m, Message> {
        if message.results().all(|result| result.name.is_some()) {
            return Cow::Borrowed(message);
        }
        let mut parts = message.parts().to_vec();
        for (position, part) in parts.iter_mut().enumerate() {
            self.name(part, (index, position));
        }
        Cow::Owned(Message::new(message.role, parts).with_meta(message.meta.clone()))
    }

    fn name(&self, part: &mut Part, site: Site) {
        if let (Part::ToolResult(result), Some(call)) = (part, self.calls.get(&site))
            && result.name.is_none()
        {
            result.name = Some(call.tool.clone());
        }
    }

    /// For each part of message `index`, what the JSON of its call or result says of its kind, where
    /// that has not been rewritten: the two have to be of one kind.
    pub(crate) fn partners(&self, messages: &[Cow<'_, Message>], index: usize) -> Vec<Option<String>> {
        let partner = |position| {
            let site = (index, position);
            let call = self.calls.get(&site).map(|call| call.site);
            let (other, _) = call.or_else(|| self.answer_of(site))?;
            let raw = Object::parse(&messages[other].raw()?.json)?;
            raw.text("type").or_else(|| raw.has("function_call").then(|| "function_call".to_owned()))
        };
        (0..messages[index].parts().len()).map(partner).collect()
    }
}

/// The open calls of one id, message by message, so that a server that uses one id for all its calls
/// costs no search.
#[derive(Default)]
struct Open<'m>(Vec<VecDeque<(Site, &'m str)>>);

impl<'m> Open<'m> {
    fn add(&mut self, site: Site, name: &'m str) {
        let is_same =
            |group: &&mut VecDeque<(Site, &str)>| group.back().is_some_and(|((m, _), _)| *m == site.0);
        match self.0.last_mut().filter(is_same) {
            Some(group) => group.push_back((site, name)),
            None => self.0.push(VecDeque::from([(site, name)])),
        }
    }

    /// The first open call of the newest message that has one.
    fn take_newest(&mut self) -> Option<(Site, &'m str)> {
        let group = self.0.last_mut()?;
        let call = group.pop_front();
        if group.is_empty() {
            self.0.pop();
        }
        call
    }
}
