//! Session logs of Claude Code.
//!
//! A log is a tree of records. A reply stands on several lines, one for each block, and parallel
//! calls fork the tree; `path` finds the records that count, and this module joins them into
//! the messages that the model saw.

mod compaction;
mod path;
mod queued;
mod record;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use foldback_model::{Kind, Message, Part, WireFormat};

use super::Log;
use super::lines::{Damage, Text};
use crate::document::{Boundary, ReadOptions};
use crate::{ReadError, codec};
use path::{Node, NodeKind, Path, conversation, main_side};
use record::{BlockKind, Content, Said, is_blank, nodes};

pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Log, ReadError> {
    let mut damage = Damage::new(options.lenient);
    let nodes = nodes(text, &mut damage)?;
    let mut drafts = Drafts::new(&nodes);
    drafts.follow(&conversation(&nodes, options.whole), options.whole);
    drafts.add_forked_results();
    let mut log = drafts.write(&mut damage)?;
    log.skipped_lines = damage.skipped;
    Ok(log)
}

/// Messages in the making.
struct Drafts<'n, 'a> {
    nodes: &'n [Node<'a>],
    drafts: Vec<Draft>,
    boundaries: Vec<(usize, &'n Boundary)>,
    // For each reply, its lines in the order of the file.
    replies: BTreeMap<&'n str, Vec<usize>>,
    // For each reply, whether it has been drafted.
    drafted: BTreeMap<&'n str, usize>,
    // The draft that makes a call, and whether the call has been answered.
    calls: BTreeMap<&'n str, (usize, bool)>,
    used: Vec<bool>,
}

/// A message, and the results that answer its calls: they become the message behind it.
#[derive(Default)]
struct Draft {
    nodes: Vec<usize>,
    results: Vec<usize>,
    epoch: u32,
}

impl<'n, 'a> Drafts<'n, 'a> {
    fn new(nodes: &'n [Node<'a>]) -> Self {
        let side = main_side(nodes);
        let mut replies: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, node) in nodes.iter().enumerate() {
            if let NodeKind::Assistant(Said { reply: Some(reply), .. }) = &node.kind
                && node.sidechain == side
            {
                replies.entry(reply.as_str()).or_default().push(index);
            }
        }
        Self {
            nodes,
            drafts: Vec::new(),
            boundaries: Vec::new(),
            replies,
            drafted: BTreeMap::new(),
            calls: BTreeMap::new(),
            used: vec![false; nodes.len()],
        }
    }

    /// Drafts the records of `path`; unless all is wanted, those behind the last boundary.
    fn follow(&mut self, path: &Path, whole: bool) {
        let nodes = self.nodes;
        let Path { indices: path, kept } = path;
        let is_boundary = |index: &usize| matches!(nodes[*index].kind, NodeKind::Boundary(_));
        let start = if whole { 0 } else { path.iter().rposition(is_boundary).unwrap_or(0) };
        let mut epoch: u32 = 0;
        for (place, &index) in path.iter().enumerate() {
            let said_in = if kept.contains(&index) { epoch.saturating_sub(1) } else { epoch };
            match &nodes[index].kind {
                NodeKind::Boundary(boundary) => {
                    epoch += 1;
                    self.boundaries.push((self.drafts.len(), boundary));
                }
                NodeKind::Assistant(said) if place >= start => self.add_reply(index, said, said_in),
                NodeKind::User(said) if place >= start => self.add_user(index, said, said_in),
                _ => {}
            }
        }
    }

    fn add_reply(&mut self, index: usize, said: &'n Said<'a>, epoch: u32) {
        let reply = said.reply.as_ref().map(Text::as_str);
        if reply.is_some_and(|reply| self.drafted.contains_key(reply)) {
            return;
        }
        let draft = self.drafts.len();
        let nodes = match reply {
            Some(reply) => {
                self.drafted.insert(reply, draft);
                self.replies.get(reply).cloned().unwrap_or_else(|| vec![index])
            }
            None => vec![index],
        };
        for &index in &nodes {
            self.used[index] = true;
            if let NodeKind::Assistant(said) = &self.nodes[index].kind {
                for block in said.blocks() {
                    if let BlockKind::Call(id) = &block.kind {
                        self.calls.insert(id.as_str(), (draft, false));
                    }
                }
            }
        }
        self.drafts.push(Draft { nodes, results: Vec::new(), epoch });
    }

    fn add_user(&mut self, index: usize, said: &'n Said<'a>, epoch: u32) {
        self.used[index] = true;
        let caller = said.answers().find_map(|id| self.calls.get(id).map(|(draft, _)| *draft));
        for id in said.answers() {
            if let Some((_, answered)) = self.calls.get_mut(id) {
                *answered = true;
            }
        }
        match caller {
            Some(draft) => self.drafts[draft].results.push(index),
            None => self.drafts.push(Draft { nodes: vec![index], results: Vec::new(), epoch }),
        }
    }

    /// Adds results that stand on another branch: parallel calls fork the tree, and the path
    /// follows one of them.
    fn add_forked_results(&mut self) {
        let side = main_side(self.nodes);
        for (index, node) in self.nodes.iter().enumerate() {
            let NodeKind::User(said) = &node.kind else { continue };
            let open = |id| self.calls.get(id).is_some_and(|(_, answered)| !answered);
            if !self.used[index]
                && node.sidechain == side
                && said.answers().next().is_some()
                && said.answers().all(open)
            {
                self.add_user(index, said, 0);
            }
        }
    }

    fn write(self, damage: &mut Damage) -> Result<Log, ReadError> {
        let mut log = Log::default();
        let mut boundaries = self.boundaries.iter().peekable();
        for (place, draft) in self.drafts.iter().enumerate() {
            while let Some((_, boundary)) = boundaries.next_if(|(at, _)| *at <= place) {
                log.boundaries.push(Boundary { index: log.context.messages.len(), ..(*boundary).clone() });
            }
            self.write_message(&draft.nodes, draft.epoch, &mut log, damage)?;
            if !draft.results.is_empty() {
                let mut results = draft.results.clone();
                results.sort_unstable();
                self.write_message(&results, draft.epoch, &mut log, damage)?;
            }
        }
        for (_, boundary) in boundaries {
            log.boundaries.push(Boundary { index: log.context.messages.len(), ..(*boundary).clone() });
        }
        Ok(log)
    }

    /// Joins the records `indices` into one message; nothing is written if they say nothing.
    fn write_message(
        &self,
        indices: &[usize],
        epoch: u32,
        log: &mut Log,
        damage: &mut Damage,
    ) -> Result<(), ReadError> {
        let all: Vec<&Said<'a>> = indices.iter().filter_map(|&index| self.nodes[index].said()).collect();
        let Some(&first) = indices.first() else { return Ok(()) };
        let from_model = matches!(self.nodes[first].kind, NodeKind::Assistant(_));
        let Some(content) = content_json(&all) else { return Ok(()) };
        let role = if from_model { "assistant" } else { "user" };
        let json = format!(r#"{{"role":"{role}","content":{content}}}"#);
        let line = self.nodes[first].line;
        let mut message = match codec::decode_message(WireFormat::Anthropic, &json) {
            Ok(message) => message,
            Err(error) => return damage.shape(line, indices.len(), error),
        };
        if from_model {
            let reply = all.iter().find_map(|said| said.reply.as_ref());
            message.meta.id = reply.or(self.nodes[first].uuid.as_ref()).map(|id| id.as_str().to_owned());
            message.meta.model =
                all.iter().rev().find_map(|said| said.model.as_ref()).map(|m| m.as_str().to_owned());
            // Each line repeats the usage of the reply as it stood then.
            message.meta.usage = all.iter().rev().find_map(|said| said.usage);
            message.meta.stop = all.iter().rev().find_map(|said| said.stop);
            if message.meta.model.is_some() {
                log.context.model.clone_from(&message.meta.model);
            }
        } else {
            message.meta.id = self.nodes[first].uuid.as_ref().map(|id| id.as_str().to_owned());
            message.meta.kind = match all.as_slice() {
                [said] if said.kind != Kind::Plain => said.kind,
                _ if is_harness(&message) => Kind::Injected,
                _ => Kind::Plain,
            };
        }
        log.push(message, line, epoch);
        Ok(())
    }
}

/// The content of a message: the blocks of all records byte for byte, results in front.
fn content_json(all: &[&Said<'_>]) -> Option<String> {
    if let [Said { content: Content::Text(text), .. }] = all {
        return (!is_blank(text)).then(|| text.get().to_owned());
    }
    let mut called: BTreeSet<&str> = BTreeSet::new();
    let (mut results, mut others) = (Vec::new(), Vec::new());
    for said in all {
        if let Content::Text(text) = said.content
            && !is_blank(text)
        {
            others.push(Cow::Owned(format!(r#"{{"type":"text","text":{}}}"#, text.get())));
        }
        for block in said.blocks() {
            match &block.kind {
                // A resumed session repeats lines of the one that it goes on with.
                BlockKind::Call(id) if !called.insert(id.as_str()) => {}
                BlockKind::Result(_) => results.push(Cow::Borrowed(block.raw.get())),
                BlockKind::Call(_) | BlockKind::Other => others.push(Cow::Borrowed(block.raw.get())),
            }
        }
    }
    results.append(&mut others);
    (!results.is_empty()).then(|| format!("[{}]", results.join(",")))
}

/// Whether Claude Code itself wrote the message: command echoes, caveats, reminders.
fn is_harness(message: &Message) -> bool {
    const OPENINGS: [&str; 7] = [
        "<command-name>",
        "<local-command-",
        "<bash-stdout>",
        "<bash-stderr>",
        "<task-notification>",
        "Caveat:",
        "[Request interrupted",
    ];
    let ours = |part: &Part| {
        part.as_text().map(str::trim).is_some_and(|text| {
            OPENINGS.iter().any(|opening| text.starts_with(opening))
                || (text.starts_with("<system-reminder>") && text.ends_with("</system-reminder>"))
        })
    };
    !message.parts().is_empty() && message.parts().iter().all(ours)
}
