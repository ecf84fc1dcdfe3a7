//! The lines of a Claude Code log, as far as they are of interest.

use foldback_model::{Kind, StopReason, Usage, WireFormat};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::compaction::{boundary, preserved};
use super::path::{Node, NodeKind};
use super::queued::{queued, queued_prompt};
use crate::log::lines::{Damage, Line, Text, lines, unknown};
use crate::{ReadError, read_usage};

/// The records that stand in the tree, in the order of the file.
pub(super) fn nodes<'a>(text: &'a str, damage: &mut Damage) -> Result<Vec<Node<'a>>, ReadError> {
    const OTHER_RECORDS: [&str; 9] = [
        "attachment",
        "custom-title",
        "file-history-snapshot",
        "last-prompt",
        "permission-mode",
        "progress",
        "queue-operation",
        "summary",
        "system",
    ];
    let mut nodes = Vec::new();
    let mut known = false;
    for line in lines(text) {
        let Some(record) = damage.parse::<Record<'_>>(line)? else { continue };
        let kind = record.kind.as_ref().map_or("", Text::as_str);
        let speaks = matches!(kind, "user" | "assistant") && record.message.is_some()
            || queued(kind, record.attachment).is_some();
        known |= speaks || OTHER_RECORDS.contains(&kind);
        if speaks || record.uuid.is_some() {
            nodes.extend(node(line, record, damage)?);
        }
    }
    if !known {
        return Err(unknown("Claude Code", "lines of type user, assistant, system or summary"));
    }
    Ok(nodes)
}

/// One line, as far as it is of interest.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    subtype: Option<Text<'a>>,
    #[serde(borrow)]
    uuid: Option<Text<'a>>,
    #[serde(borrow)]
    parent_uuid: Option<Text<'a>>,
    #[serde(borrow)]
    logical_parent_uuid: Option<Text<'a>>,
    is_sidechain: Option<bool>,
    is_meta: Option<bool>,
    is_compact_summary: Option<bool>,
    is_api_error_message: Option<bool>,
    #[serde(borrow)]
    compact_metadata: Option<&'a RawValue>,
    #[serde(borrow)]
    attachment: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RecordMessage<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    model: Option<Text<'a>>,
    #[serde(borrow)]
    stop_reason: Option<Text<'a>>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct BlockHead<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    tool_use_id: Option<Text<'a>>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
}

/// What a user or assistant line says.
pub(super) struct Said<'a> {
    /// The provider's id of the reply; the lines of one reply share it.
    pub(super) reply: Option<Text<'a>>,
    pub(super) model: Option<Text<'a>>,
    pub(super) stop: Option<StopReason>,
    pub(super) usage: Option<Usage>,
    pub(super) content: Content<'a>,
    pub(super) kind: Kind,
}

pub(super) enum Content<'a> {
    Text(&'a RawValue),
    Blocks(Vec<Block<'a>>),
}

pub(super) struct Block<'a> {
    pub(super) raw: &'a RawValue,
    pub(super) kind: BlockKind<'a>,
}

pub(super) enum BlockKind<'a> {
    Call(Text<'a>),
    Result(Text<'a>),
    Other,
}

impl<'a> Said<'a> {
    pub(super) fn blocks(&self) -> &[Block<'a>] {
        match &self.content {
            Content::Text(_) => &[],
            Content::Blocks(blocks) => blocks,
        }
    }

    pub(super) fn answers(&self) -> impl Iterator<Item = &str> {
        self.blocks().iter().filter_map(|block| match &block.kind {
            BlockKind::Result(id) => Some(id.as_str()),
            _ => None,
        })
    }
}

fn node<'a>(line: Line<'a>, record: Record<'a>, damage: &mut Damage) -> Result<Option<Node<'a>>, ReadError> {
    let kind = match record.kind.as_ref().map_or("", Text::as_str) {
        "attachment" => match queued("attachment", record.attachment) {
            Some(attachment) => match queued_prompt(line, &attachment, damage)? {
                Some(said) => NodeKind::User(said),
                None => return Ok(None),
            },
            None => NodeKind::Other,
        },
        "system" if record.subtype.as_ref().is_some_and(|subtype| subtype.as_str() == "compact_boundary") => {
            NodeKind::Boundary(boundary(record.compact_metadata))
        }
        role @ ("user" | "assistant") => match said(line, &record, damage)? {
            Some(said) if role == "user" => NodeKind::User(said),
            // Claude Code shows these to the person and never sends them.
            Some(_) if record.is_api_error_message == Some(true) => NodeKind::Other,
            Some(said) => NodeKind::Assistant(said),
            None => return Ok(None),
        },
        _ => NodeKind::Other,
    };
    Ok(Some(Node {
        line: line.number,
        uuid: record.uuid,
        parent: record.parent_uuid,
        logical_parent: record.logical_parent_uuid,
        sidechain: record.is_sidechain == Some(true),
        preserved: matches!(kind, NodeKind::Boundary(_))
            .then(|| preserved(record.compact_metadata))
            .flatten(),
        kind,
    }))
}

/// What stands in a `content` or a `prompt`; `None` if the line is passed over.
pub(super) fn content<'a>(
    line: Line<'a>,
    content: Option<&'a RawValue>,
    damage: &mut Damage,
) -> Result<Option<Content<'a>>, ReadError> {
    Ok(match content {
        None => Some(Content::Blocks(Vec::new())),
        Some(content) if content.get().starts_with('"') => Some(Content::Text(content)),
        Some(content) => damage
            .parse_within::<Vec<&'a RawValue>>(line, content.get())?
            .map(|blocks| Content::Blocks(blocks.into_iter().filter_map(block).collect())),
    })
}

fn said<'a>(line: Line<'a>, record: &Record<'a>, damage: &mut Damage) -> Result<Option<Said<'a>>, ReadError> {
    let Some(raw) = record.message else { return Ok(None) };
    let Some(message) = damage.parse_within::<RecordMessage<'a>>(line, raw.get())? else { return Ok(None) };
    let Some(content) = content(line, message.content, damage)? else { return Ok(None) };
    // The program's own replies, which no provider was asked for.
    let synthetic = message.model.as_ref().is_some_and(|model| model.as_str() == "<synthetic>");
    Ok(Some(Said {
        reply: message.id,
        model: message.model.filter(|_| !synthetic),
        stop: message.stop_reason.and_then(|reason| stop_reason(reason.as_str())),
        usage: message
            .usage
            .filter(|_| !synthetic)
            .and_then(|usage| read_usage(WireFormat::Anthropic, usage.get())),
        content,
        kind: match (record.is_compact_summary, record.is_meta) {
            (Some(true), _) => Kind::Summary,
            (_, Some(true)) => Kind::Injected,
            _ => Kind::Plain,
        },
    }))
}

/// The block, unless it is blank text: a provider would refuse it.
fn block(raw: &RawValue) -> Option<Block<'_>> {
    let head: BlockHead<'_> = serde_json::from_str(raw.get()).unwrap_or_default();
    let kind = match (head.kind.as_ref().map(Text::as_str), head.id, head.tool_use_id) {
        (Some("text"), ..) if head.text.is_some_and(is_blank) => return None,
        (Some("tool_use"), Some(id), _) => BlockKind::Call(id),
        (Some("tool_result"), _, Some(id)) => BlockKind::Result(id),
        _ => BlockKind::Other,
    };
    Some(Block { raw, kind })
}

pub(super) fn is_blank(text: &RawValue) -> bool {
    // Only a text that may be blank is decoded.
    text.get().strip_prefix('"').is_some_and(|rest| {
        rest.starts_with(|first: char| matches!(first, '"' | '\\') || first.is_whitespace())
    }) && serde_json::from_str(text.get()).is_ok_and(|text: Text<'_>| text.as_str().trim().is_empty())
}

fn stop_reason(reason: &str) -> Option<StopReason> {
    match reason {
        "end_turn" | "stop_sequence" => Some(StopReason::Finished),
        "max_tokens" | "model_context_window_exceeded" => Some(StopReason::Length),
        "tool_use" => Some(StopReason::ToolUse),
        "refusal" => Some(StopReason::Filtered),
        _ => None,
    }
}
