//! The conversation that every other crate of foldback speaks about.
//!
//! A [`Context`] is all that a request to a model sends: a system prompt, a summary of what was
//! condensed before, [`Message`]s and [`ToolDefinition`]s. A message keeps the JSON text that it was
//! read from, so that what is not touched leaves byte for byte as it came.
//!
//! The [`CallGraph`] says which messages belong together: an assistant message that calls tools and
//! all results of those calls form one [`Exchange`], which nothing may split.
//!
//! This crate knows no provider's JSON (that is `foldback-wire`), counts no tokens and decides
//! nothing. It has no I/O, no clock and no randomness.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

mod context;
mod digest;
mod graph;
mod message;
mod part;
mod repair;
mod signed;
mod summary;
mod token_count;
mod usage;

pub use context::{Context, ToolDefinition};
pub use digest::{Digest, Prefix};
pub use graph::{CallGraph, CallSite, Exchange};
pub use message::{Kind, Message, Meta, Pin, RawJson, Role, Source, StopReason, WireFormat};
pub use part::{Media, MediaSource, Opaque, Part, Thinking, ToolCall, ToolResult};
pub use repair::{Repair, RepairKind, Repairs, repair, repair_finished};
pub use signed::{Binding, SIGNING_RULES, SigningRule, first_change, prefixes};
pub use summary::{FileLists, Summary};
pub use token_count::TokenCount;
pub use usage::Usage;
