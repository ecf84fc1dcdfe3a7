//! Which records of a Claude Code log make up its conversation.
//!
//! Each record names its parent. The conversation is the way from the last record back to the root:
//! a prompt that was edited leaves a branch behind that does not count.

use std::collections::{BTreeMap, BTreeSet};

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
    /// What a compaction kept.
    pub(super) preserved: Option<Preserved<'a>>,
    pub(super) kind: NodeKind<'a>,
}

/// Messages that a compaction kept as they were. Their records stand in front of the boundary and are
/// not written again: the conversation goes from the anchor (the summary, or the boundary itself) to the
/// first of them, and from the last of them on.
pub(super) enum Preserved<'a> {
    /// All of them, in order.
    Listed { anchor: Text<'a>, uuids: Vec<Text<'a>> },
    /// The first and the last; those between are found by their parents.
    Segment { anchor: Text<'a>, head: Text<'a>, tail: Text<'a> },
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

/// The records of a conversation.
#[derive(Default)]
pub(super) struct Path {
    /// Their indices, from the root to the last message.
    pub(super) indices: Vec<usize>,
    /// Those that the last compaction kept as they were: they are older than it.
    pub(super) kept: BTreeSet<usize>,
}

/// The records from the root to the last message. With `whole`, each stands where it was said, and not
/// where the last compaction has put it.
pub(super) fn conversation(nodes: &[Node<'_>], whole: bool) -> Path {
    let side = main_side(nodes);
    let on_side = |index: &usize| nodes[*index].sidechain == side;
    let Some(last) = (0..nodes.len()).rev().find(|index| nodes[*index].said().is_some() && on_side(index))
    else {
        return Path::default();
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
    let links = links(nodes, side, &by_uuid, whole);
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
        if let Some(parent) = links.parents.get(&index) {
            next = Some(*parent);
            continue;
        }
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
    Path { indices: path, kept: if whole { BTreeSet::new() } else { links.kept } }
}

/// Where the last compaction has put what it kept.
#[derive(Default)]
struct Links {
    kept: BTreeSet<usize>,
    /// For a record that goes on from another one than it names, that one.
    parents: BTreeMap<usize, usize>,
}

fn links(nodes: &[Node<'_>], side: bool, by_uuid: &BTreeMap<&str, usize>, whole: bool) -> Links {
    let is_boundary = |node: &Node<'_>| matches!(node.kind, NodeKind::Boundary(_)) && node.sidechain == side;
    // What an earlier compaction kept, the last one has been over.
    let Some(boundary) = nodes.iter().rposition(is_boundary) else { return Links::default() };
    let Some((anchor, kept)) = nodes[boundary].preserved.as_ref().and_then(|it| kept(nodes, it, by_uuid))
    else {
        return Links::default();
    };
    let (Some(&first), Some(&last)) = (kept.first(), kept.last()) else { return Links::default() };
    let children_of = |parent: usize| {
        nodes.iter().enumerate().filter(move |(_, node)| {
            node.parent.as_ref().and_then(|uuid| by_uuid.get(uuid.as_str())) == Some(&parent)
        })
    };
    let mut links = Links::default();
    if whole {
        // What was said after the compaction names the last kept record as its parent.
        let after = children_of(last).filter(|(index, _)| *index > boundary && *index != anchor);
        links.parents.extend(after.map(|(index, _)| (index, anchor)));
        return links;
    }
    links.kept = kept.iter().copied().collect();
    let others = children_of(anchor).filter(|(index, _)| !links.kept.contains(index));
    links.parents.extend(others.map(|(index, _)| (index, last)));
    links.parents.insert(first, anchor);
    links.parents.extend(kept.windows(2).map(|pair| (pair[1], pair[0])));
    links
}

/// The anchor and the kept records, in order; `None` if the file does not hold them as they are told.
fn kept(
    nodes: &[Node<'_>],
    preserved: &Preserved<'_>,
    by_uuid: &BTreeMap<&str, usize>,
) -> Option<(usize, Vec<usize>)> {
    let find = |uuid: &Text<'_>| by_uuid.get(uuid.as_str()).copied();
    match preserved {
        Preserved::Listed { anchor, uuids } => Some((find(anchor)?, uuids.iter().filter_map(find).collect())),
        Preserved::Segment { anchor, head, tail } => {
            let head = find(head)?;
            let mut kept = vec![find(tail)?];
            while kept.last() != Some(&head) {
                let parent = find(nodes[*kept.last()?].parent.as_ref()?)?;
                // No way is longer than the file, unless it goes in a circle.
                if kept.len() > nodes.len() {
                    return None;
                }
                kept.push(parent);
            }
            kept.reverse();
            Some((find(anchor)?, kept))
        }
    }
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
