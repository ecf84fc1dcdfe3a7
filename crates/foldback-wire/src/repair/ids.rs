//! The ids and names by which calls and results find each other.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use foldback_model::{Message, Part, WireFormat};

use super::{Draft, EditKind};
use crate::codec::is_anthropic_id;
use crate::pairs::{Pairs, Site};

impl Draft<'_> {
    /// Gives each call an id that the provider takes, and its result the same one.
    pub(super) fn rename_calls(&mut self) {
        if self.provider == WireFormat::Gemini {
            // Its calls pair by name and place.
            return;
        }
        let views = self.views();
        let pairs = Pairs::of(&views);
        let mut names: BTreeMap<Site, String> = BTreeMap::new();
        let mut done = Vec::new();
        for (site, name) in self.new_ids(&views) {
            let what = format!("the call `{}` is now called `{name}`", id_at(&views, site));
            done.push((self.messages[site.0].origin, what));
            names.extend(pairs.answer_of(site).map(|answer| (answer, name.clone())));
            names.insert(site, name);
        }
        for (origin, what) in done {
            self.edit(origin, EditKind::RenamedCall, what);
        }
        for (site, name) in names {
            self.set_part(site, |part| match part {
                Part::ToolCall(call) => call.id.clone_from(&name),
                Part::ToolResult(result) => result.call_id.clone_from(&name),
                _ => {}
            });
        }
    }

    /// The calls that need another id, with it.
    fn new_ids(&self, messages: &[Cow<'_, Message>]) -> Vec<(Site, String)> {
        let all: BTreeSet<&str> =
            messages.iter().flat_map(|message| message.calls()).map(|call| call.id.as_str()).collect();
        let mut used: BTreeSet<String> = BTreeSet::new();
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut names = Vec::new();
        for (index, message) in messages.iter().enumerate() {
            if self.provider == WireFormat::OpenAiChat {
                seen.clear();
            }
            for (position, part) in message.parts().iter().enumerate() {
                let Part::ToolCall(call) = part else { continue };
                let is_taken = self.provider != WireFormat::Anthropic || is_anthropic_id(&call.id);
                if seen.insert(&call.id) && !call.id.is_empty() && is_taken {
                    continue;
                }
                let mut name = format!("call_{index}_{position}");
                while all.contains(name.as_str()) || used.contains(&name) {
                    name.push('_');
                }
                used.insert(name.clone());
                names.push(((index, position), name));
            }
        }
        names
    }

    /// Gemini: a response has the name of the call that it answers.
    pub(super) fn name_results(&mut self) {
        if self.provider != WireFormat::Gemini {
            return;
        }
        let views = self.views();
        let pairs = Pairs::of(&views);
        let mut names = Vec::new();
        for (index, message) in views.iter().enumerate() {
            for (position, part) in message.parts().iter().enumerate() {
                let site = (index, position);
                let (Part::ToolResult(result), Some(tool)) = (part, pairs.tool_of(site)) else { continue };
                let wrong = result.name.as_deref().filter(|name| *name != tool);
                names.extend(wrong.map(|wrong| (site, wrong.to_owned(), tool.to_owned())));
            }
        }
        for (site, wrong, tool) in names {
            let what = format!("a result was named `{wrong}` and answers `{tool}`");
            self.edit(self.messages[site.0].origin, EditKind::NamedResult, what);
            self.set_part(site, |part| {
                if let Part::ToolResult(result) = part {
                    result.name = Some(tool.clone());
                }
            });
        }
    }

    fn set_part(&mut self, (index, position): Site, change: impl Fn(&mut Part)) {
        let message = self.messages[index].message.to_mut();
        let mut parts = message.parts().to_vec();
        if let Some(part) = parts.get_mut(position) {
            change(part);
        }
        message.set_parts(parts);
    }
}

fn id_at<'m>(messages: &'m [Cow<'_, Message>], (index, position): Site) -> &'m str {
    match messages[index].parts().get(position) {
        Some(Part::ToolCall(call)) => &call.id,
        _ => "",
    }
}
