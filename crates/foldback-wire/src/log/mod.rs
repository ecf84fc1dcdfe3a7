//! Session logs of coding agents: one JSON object a line.
//!
//! A reader finds the conversation among the other records (branches left behind, subagents,
//! compactions, events) and gives it as the model saw it at the end, or whole. It does not repair:
//! a call that was never answered stays unanswered.

mod claude_code;
mod codex;
mod lines;
mod pi;

use foldback_model::{Context, Message, Source};

use crate::document::{Boundary, Document, ReadOptions};
use crate::envelope::Envelope;
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

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn read_as(
        format: Format,
        text: &str,
        change: fn(&mut ReadOptions),
    ) -> Result<Document, ReadError> {
        let mut options = ReadOptions::default();
        change(&mut options);
        read(text, format, &options)
    }

    /// One word a message: its role, and its text, calls (`>`) and results (`<`).
    pub(super) fn sketch(document: &Document) -> Vec<String> {
        document
            .context
            .messages
            .iter()
            .map(|message| {
                let mut word = format!("{}:{}", message.role.as_str(), message.text());
                message.calls().for_each(|call| word += &format!(">{}", call.id));
                message.results().for_each(|result| word += &format!("<{}", result.call_id));
                word
            })
            .collect()
    }

    #[test]
    fn a_log_of_another_kind_is_refused() {
        for format in [Format::ClaudeCode, Format::Codex, Format::Pi] {
            let error = read_as(format, "{\"hello\":1}\n", |_| {}).unwrap_err();
            assert_eq!(error.kind, ReadErrorKind::UnknownFormat, "{format}");
            let error = read_as(format, "{\"hello\":1}\n", |options| options.lenient = true).unwrap_err();
            assert_eq!(error.kind, ReadErrorKind::UnknownFormat, "{format}");
        }
    }
}
