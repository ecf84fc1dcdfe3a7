//! The formats in which conversations are sent and kept.
//!
//! [`read`] understands the wire formats of OpenAI (Chat Completions and Responses), Anthropic and
//! Gemini, the session logs of Claude Code, Codex and pi, and what OpenHands, SWE-agent, LangChain and
//! Bedrock keep or send. It tells them apart by their content.
//! A [`Document`] is written back losslessly: messages that were not touched leave byte for byte as
//! they came. [`check`] says whether a provider would accept a list of messages.
//!
//! This crate opens no file and speaks to no server: it turns bytes into a
//! [`Context`](foldback_model::Context) and back.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

mod check;
mod codec;
mod detect;
mod document;
mod envelope;
mod error;
mod format;
mod join;
mod json;
mod list;
mod log;
mod normal;
mod pairs;
mod repair;
mod scan;
mod signs;
mod usage;
mod write;

pub use check::{Finding, check};
pub use codec::read_tools;
pub use detect::detect;
pub use document::{Boundary, Document, Lost, ReadOptions, Written, read};
pub use error::{ReadError, ReadErrorKind};
pub use format::{Format, UnknownFormat};
pub use repair::{Edit, EditKind, Repaired, repair};
pub use usage::read_usage;
