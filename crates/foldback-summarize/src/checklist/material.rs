//! What a checklist is made from.

use std::collections::{BTreeMap, BTreeSet};

use foldback_model::Summary;

use super::commands::Commands;
use super::cues;
use super::facts::Facts;
use super::items::{Bounded, Item};
use super::troubles::Troubles;
use crate::ledger::{self, FileLedger};

/// All that a checklist is made from.
#[derive(Clone, Debug, Default)]
pub(super) struct Material {
    pub(super) requests: Bounded<Quoted>,
    pub(super) constraints: Bounded<Quoted>,
    pub(super) decisions: Bounded<Quoted>,
    pub(super) done: Bounded<Done>,
    pub(super) commands: Commands,
    pub(super) troubles: Troubles,
    pub(super) facts: Facts,
    pub(super) files: FileLedger,
    /// Edits of a file in these messages.
    pub(super) edits: BTreeMap<String, usize>,
    /// Things to do that were done.
    pub(super) finished: Bounded<String>,
    /// Unfinished things to do, as the newest list or an earlier checklist says.
    pub(super) todos: Vec<String>,
    pub(super) questions: Vec<String>,
    /// Whether the model has not answered the latest request.
    pub(super) waiting: bool,
    /// What the model said last before it went on calling tools.
    pub(super) in_progress: Option<String>,
    pub(super) earlier: Bounded<String>,
}

/// A sentence and what it is compared by.
#[derive(Clone, Debug)]
pub(super) struct Quoted {
    pub(super) text: String,
    pub(super) words: BTreeSet<String>,
    pub(super) weight: Weight,
}

/// How much a sentence or report is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    High,
    Low,
}

/// Something that was done.
#[derive(Clone, Debug)]
pub(super) struct Done {
    pub(super) item: Item,
    pub(super) weight: Weight,
    /// Equal things are counted, not repeated.
    pub(super) n_times: usize,
}

impl Quoted {
    pub(super) fn new(text: String, weight: Weight) -> Self {
        let words = cues::words(&text).collect();
        Self { text, words, weight }
    }
}

impl Material {
    /// A sentence that nearly repeats an earlier one replaces it.
    pub(super) fn push_latest(list: &mut Bounded<Quoted>, quoted: Quoted) {
        // Further back, a repetition is news again.
        const COMPARED: usize = 80;
        let skipped = list.len().saturating_sub(COMPARED);
        let mut position = 0;
        list.retain(|old| {
            position += 1;
            position <= skipped || !cues::nearly_same(&old.words, &quoted.words)
        });
        list.push(quoted);
    }

    /// A thing done again is counted.
    pub(super) fn push_done(&mut self, item: Item, weight: Weight) {
        const COMPARED: usize = 80;
        let text = item.text();
        let newest = self.done.iter_mut().rev().take(COMPARED);
        match newest.into_iter().find(|done| done.item.text() == text) {
            Some(done) => done.n_times += 1,
            None => self.done.push(Done { item, weight, n_times: 1 }),
        }
    }

    /// Takes an earlier summary over.
    pub(super) fn carry_summary(&mut self, summary: &Summary) {
        self.files.add_summary(summary);
        super::previous::carry(self, &ledger::strip(&summary.text));
    }
}

/// A report from the middle of the work.
pub(super) const NOTED: &str = "Noted: ";
pub(super) const FINISHED: &str = "Finished: ";
pub(super) const TODO: &str = "Todo: ";
pub(super) const IN_PROGRESS: &str = "In progress: ";
