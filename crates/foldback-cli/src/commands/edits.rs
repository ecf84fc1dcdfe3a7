//! What was done to a conversation so that a provider takes it.

use foldback::wire::{Edit, EditKind, Written};
use serde::Serialize;

/// One change.
#[derive(Serialize)]
pub(crate) struct EditAnswer {
    index: usize,
    kind: EditKind,
    detail: String,
    tokens_freed: u64,
}

impl EditAnswer {
    /// `edit`, at the message `index` of the file.
    pub(crate) fn new(index: usize, edit: &Edit) -> Self {
        Self { index, kind: edit.kind, detail: edit.detail.clone(), tokens_freed: 0 }
    }
}

/// Everything that writing a conversation did to it.
pub(crate) fn of_written(written: &Written) -> Vec<EditAnswer> {
    let joined = |&index: &usize| EditAnswer {
        index,
        kind: EditKind::Joined,
        detail: "joined to the message before it, since roles have to alternate".to_owned(),
        tokens_freed: 0,
    };
    let mut edits: Vec<EditAnswer> =
        written.edits.iter().map(|edit| EditAnswer::new(edit.index, edit)).collect();
    edits.extend(written.joined.iter().map(joined));
    edits.sort_by_key(|edit| edit.index);
    edits
}

/// One line for each change.
pub(crate) fn lines(edits: &[EditAnswer]) -> String {
    edits.iter().map(|edit| format!("edit #{}: {}\n", edit.index, edit.detail)).collect()
}
