//! Which records of a Claude Code log make up its conversation.
//!
//! Each record names its parent. The conversation is the way from the last record back to the root:
//! a prompt that was edited leaves a branch behind that does not count.

use std::collections::BTreeMap;

use super::record::Said;
use crate::document::Boundary;
use crate::log::lines::Text;

/// A record with a place in the tree.
pub(super) struct Node<'a> {
    pub(super) line: usize,
    pub(super) uuid: Option<Text<'a>>,
    pub(super) parent: Option<Text<'a>>,
    /// Where the conversation went on from, if `parent` does not say so (compactions).
    pub(super) logical_parent: Option<Text<'a>>,
    /// Whether it belongs to a subagent.
    pub(super) sidechain: bool,
    pub(super) kind: NodeKind<'a>,
}

pub(super) enum NodeKind<'a> {
    User(Said<'a>),
    Assistant(Said<'a>),
    Boundary(Boundary),
    Other,
}

impl<'a> Node<'a> {
    pub(super) fn said(&self) -> Option<&Said<'a>> {
        match &self.kind {
            NodeKind::User(said) | NodeKind::Assistant(said) => Some(said),
            _ => None,
        }
    }
}

/// The `sidechain` mark of the conversation that the log is about: in the log of a subagent every
/// message is marked.
pub(super) fn main_side(nodes: &[Node<'_>]) -> bool {
    !nodes.iter().any(|node| node.said().is_some() && !node.sidechain)
}

/// The indices of the records from the root to the last message.
pub(super) fn conversation(nodes: &[Node<'_>]) -> Vec<usize> {
    let side = main_side(nodes);
    let on_side = |index: &usize| nodes[*index].sidechain == side;
    let Some(last) = (0..nodes.len()).rev().find(|index| nodes[*index].said().is_some() && on_side(index))
    else {
        return Vec::new();
    };
    let mut by_uuid: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, node) in nodes.iter().enumerate() {
        if let Some(uuid) = &node.uuid {
            // A repeated record is the same record: the first one counts.
            by_uuid.entry(uuid.as_str()).or_insert(index);
        }
    }
    let before = messages_before(nodes, side);
    // Real logs have gaps: a parent that is not in the file is the message before.
    let find = |uuid: &Text<'_>, from: usize| by_uuid.get(uuid.as_str()).copied().or(before[from]);
    let mut path = Vec::new();
    let mut seen = vec![false; nodes.len()];
    let first = nodes[last].uuid.as_ref().and_then(|uuid| by_uuid.get(uuid.as_str()).copied());
    let mut next = first.or(Some(last));
    while let Some(index) = next {
        if std::mem::replace(&mut seen[index], true) {
            break;
        }
        path.push(index);
        let node = &nodes[index];
        next = match (&node.parent, &node.kind) {
            (Some(parent), _) => find(parent, index),
            (None, NodeKind::Boundary(_)) => match &node.logical_parent {
                Some(parent) => find(parent, index),
                None => before[index],
            },
            // A log without a tree is a list.
            (None, _) if node.uuid.is_none() => before[index],
            (None, _) => None,
        };
    }
    path.retain(on_side);
    path.reverse();
    path
}

/// For each record, the nearest message or boundary of the conversation before it.
fn messages_before(nodes: &[Node<'_>], side: bool) -> Vec<Option<usize>> {
    let mut latest = None;
    nodes
        .iter()
        .enumerate()
        .map(|(index, node)| {
            let before = latest;
            let counts = node.said().is_some() || matches!(node.kind, NodeKind::Boundary(_));
            if counts && node.sidechain == side {
                latest = Some(index);
            }
            before
        })
        .collect()
}
