//! What the line of a compaction tells of it.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::path::Preserved;
use crate::document::Boundary;
use crate::log::lines::{Text, tokens};

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CompactMetadata<'a> {
    #[serde(borrow)]
    trigger: Option<Text<'a>>,
    #[serde(default, deserialize_with = "tokens")]
    pre_tokens: Option<u64>,
    #[serde(borrow)]
    preserved_segment: Option<PreservedSegment<'a>>,
    #[serde(borrow)]
    preserved_messages: Option<PreservedMessages<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PreservedSegment<'a> {
    #[serde(borrow)]
    head_uuid: Text<'a>,
    #[serde(borrow)]
    anchor_uuid: Text<'a>,
    #[serde(borrow)]
    tail_uuid: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PreservedMessages<'a> {
    #[serde(borrow)]
    anchor_uuid: Text<'a>,
    #[serde(borrow)]
    uuids: Vec<Text<'a>>,
}

/// The compaction that a boundary line tells of; its place is found later.
pub(super) fn boundary(metadata: Option<&RawValue>) -> Boundary {
    let metadata: CompactMetadata<'_> =
        metadata.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    Boundary {
        index: 0,
        kind: metadata.trigger.map_or_else(|| "compacted".to_owned(), |trigger| trigger.0.into_owned()),
        tokens_before: metadata.pre_tokens,
        tokens_after: None,
    }
}

/// The messages that the compaction kept, in front of which it put the summary.
pub(super) fn preserved(metadata: Option<&RawValue>) -> Option<Preserved<'_>> {
    let metadata: CompactMetadata<'_> = serde_json::from_str(metadata?.get()).ok()?;
    // Newer versions write both, and only this one says which of the messages are meant.
    if let Some(messages) = metadata.preserved_messages {
        return Some(Preserved::Listed { anchor: messages.anchor_uuid, uuids: messages.uuids });
    }
    let segment = metadata.preserved_segment?;
    let (anchor, head, tail) = (segment.anchor_uuid, segment.head_uuid, segment.tail_uuid);
    Some(Preserved::Segment { anchor, head, tail })
}
