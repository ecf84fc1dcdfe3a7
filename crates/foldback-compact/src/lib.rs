//! Compacts a conversation: plans, has the old part summarized, and gives the new conversation.
//!
//! A [`Compactor`] is stateless: the caller owns the [`Context`](foldback_model::Context) that goes in
//! and the one that comes out. [`Compactor::plan`] decides, [`Compactor::apply`] carries a plan out,
//! [`Compactor::compact`] does both. [`Compaction`] is the same operation without I/O: it says which
//! summary it needs next, so that a caller without an asynchronous runtime can drive it.
//!
//! Either everything changes or nothing: an error returns no context and no record.
//!
//! ```
//! use foldback_compact::{Compactor, Config, Pending, Request};
//! use foldback_model::{Context, Message, TokenCount};
//! use foldback_plan::Keep;
//! use foldback_summarize::ChecklistSummarizer;
//! use foldback_tokens::Heuristic;
//!
//! let long = "The depot counts every crate twice a day, in the morning and in the evening. ".repeat(40);
//! let mut context = Context::new(vec![
//!     Message::user(format!("Please audit the depot. {long}")),
//!     Message::assistant(format!("Audited: 41 crates. {long}")),
//!     Message::user("Thanks. Now the gates."),
//! ]);
//!
//! let compactor = Compactor::new(Config::new(Keep::tokens(TokenCount::new(4))))?;
//! let estimator = Heuristic::default();
//! let request = Request::new(&context, &estimator).require_reduction();
//! let plan = compactor.plan(&request)?.expect("two thirds can go");
//!
//! let summarizer = ChecklistSummarizer::default();
//! let mut compaction = compactor.start(&request, plan)?;
//! while let Pending::Summarize(wanted) = compaction.pending() {
//!     let reply = summarizer.digest(&wanted)?;
//!     compaction.summary_ready(reply)?;
//! }
//! let compacted = compaction.finish()?;
//!
//! assert_eq!(compacted.context.messages, context.messages[2..]);
//! assert!(compacted.context.summary.as_ref().unwrap().text.contains("audit the depot"));
//! context = compacted.context;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

mod assemble;
mod compaction;
mod compactor;
mod composition;
mod error;
mod record;

pub use compaction::{Compaction, Pending};
pub use compactor::{Compacted, Compactor, Config, Relief, Request};
pub use composition::{Composition, TurnSize};
pub use error::{CompactError, ConfigDefect, ConfigDefects};
pub use record::{Dropped, Reason, Record};
