//! Summaries of conversations: the trait, and a deterministic summarizer that needs no model.
//!
//! A [`Summarizer`] turns the messages in front of a cut into text. [`ChecklistSummarizer`] is the
//! one that always works: no model, no network, the same text for the same messages.
//! [`NoteSummarizer`] puts a fixed note in place of the history. [`ledger`] keeps track of the files
//! that tools were asked to touch and writes them behind a summary.
//!
//! This crate does not decide what is summarized, and it installs nothing: that is the work of
//! `foldback-plan` and `foldback-compact`. It has no runtime, no clock and no I/O of its own.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

mod checklist;
mod error;
pub mod ledger;
mod note;
mod request;
mod summarizer;
mod text;
mod tools;

pub use checklist::ChecklistSummarizer;
pub use error::{SummarizeError, SummarizeErrorKind};
pub use ledger::FileLedger;
pub use note::NoteSummarizer;
pub use request::{SummaryKind, SummaryReply, SummaryRequest};
pub use summarizer::Summarizer;
