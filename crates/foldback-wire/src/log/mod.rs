//! Session logs of coding agents: one JSON object a line.
//!
//! A reader finds the conversation among the other records (branches left behind, subagents,
//! compactions, events) and gives it as the model saw it at the end, or whole. It does not repair:
//! a call that was never answered stays unanswered.

mod claude_code;
mod claude_path;
mod codex;
mod lines;
mod pi;

use foldback_model::{Context, Message, Source};

use crate::document::{Boundary, Document, Envelope, ReadOptions};
use crate::{Format, ReadError, ReadErrorKind};

/// Reads a log of `format`.
pub(crate) fn read(text: &str, format: Format, options: &ReadOptions) -> Result<Document, ReadError> {
    let log = match format {
        Format::ClaudeCode => claude_code::read(text, options)?,
        Format::Codex => codex::read(text, options)?,
        Format::Pi => pi::read(text, options)?,
        Format::Wire(wire) => {
            return Err(ReadError::new(
                ReadErrorKind::UnknownFormat,
                format!("{wire} is not the format of a log", wire = wire.as_str()),
                "claude_code, codex or pi",
            ));
        }
    };
    Ok(Document {
        format,
        context: log.context,
        boundaries: log.boundaries,
        skipped_lines: log.skipped_lines,
        envelope: Envelope::Made,
    })
}

/// What a reader made of a log.
#[derive(Default)]
struct Log {
    context: Context,
    boundaries: Vec<Boundary>,
    skipped_lines: usize,
}

impl Log {
    /// Adds a message that begins at `line`, with `epoch` compactions before it.
    fn push(&mut self, mut message: Message, line: usize, epoch: u32) {
        message.meta.source = Some(Source::new(self.context.messages.len(), Some(line)));
        message.meta.epoch = epoch;
        self.context.messages.push(message);
    }
}
