//! What a compaction did.

use foldback_model::{Digest, FileLists, RepairKind, TokenCount, Usage};
use foldback_plan::{Irreducible, Plan};
use serde::{Deserialize, Serialize};

/// Why a compaction took place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// The trigger fired.
    Threshold,
    /// The caller demanded a smaller context.
    Demanded,
}

/// One compaction, for whoever keeps the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Record {
    /// Why it took place.
    pub reason: Reason,
    /// The number of compactions of this conversation, this one included, as far as is known.
    pub epoch: u32,
    /// Digest of the messages that it was computed from.
    pub snapshot: Digest,
    /// The plan that was carried out.
    pub plan: Plan,
    /// The estimator that measured.
    pub estimator: String,
    /// How far the estimates may be off, as a share.
    pub error_band: f64,
    /// The estimate of the context before.
    pub tokens_before: TokenCount,
    /// The estimate of the context after, by the same estimator.
    pub tokens_after: TokenCount,
    /// The new summary.
    pub summary: String,
    /// The files that the condensed messages, or messages condensed before them, touched.
    pub files: FileLists,
    /// What the summarizer consumed, if it said so.
    pub usage: Option<Usage>,
    /// Remarks of the summarizer: what it left out, what it hid.
    pub notes: Vec<String>,
    /// What was mended in the kept messages, so that a provider takes them.
    pub dropped: Vec<Dropped>,
    /// Index, in the new context, of the first message that its provider has not seen in this place: what
    /// it cached holds up to there.
    pub first_changed: Option<usize>,
    /// Kept messages whose signed reasoning was taken out, since their provider binds it to what stood in
    /// front: indices in the context as it came.
    pub dead_reasoning: Vec<usize>,
    /// What keeps the new context from fitting, if it does not fit.
    pub over_budget: Option<Irreducible>,
}

/// A call or a result in the kept messages that had lost its counterpart before the compaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Dropped {
    /// Index of the message in the context as it came.
    pub index: usize,
    /// The id of the call.
    pub call_id: String,
    /// What was done about it, for a person.
    pub what: String,
}

impl Dropped {
    pub(crate) fn new(index: usize, call_id: String, kind: RepairKind) -> Self {
        let what = match kind {
            RepairKind::AnsweredDangling => "the call had no result: a short error was added",
            _ => "the result had no call: it was taken out",
        };
        Self { index, call_id, what: what.to_owned() }
    }
}
