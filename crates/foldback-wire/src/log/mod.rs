//! Conversations that no provider's API takes as they are: session logs of coding agents, and
//! documents of other programs.
//!
//! The logs of Claude Code, Codex and pi have one JSON object a line (`lines`). What OpenHands,
//! SWE-agent, Bedrock and LangChain keep is one JSON value (`whole`).
//!
//! A reader finds the conversation among the other records (branches left behind, subagents,
//! compactions, events) and gives it as the model saw it at the end, or whole. It does not repair:
//! a call that was never answered stays unanswered.

mod bedrock;
mod claude_code;
mod codex;
mod langchain;
mod lines;
pub(crate) mod openhands;
mod pi;
mod report;
mod swe_agent;
mod whole;

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
        Format::OpenHands => openhands::read(text, options)?,
        Format::SweAgent => swe_agent::read(text)?,
        Format::Bedrock => bedrock::read(text)?,
        Format::LangChain => langchain::read(text)?,
        Format::Wire(wire) => {
            return Err(ReadError::new(
                ReadErrorKind::UnknownFormat,
                format!("{wire} is not the format of a log", wire = wire.as_str()),
                "claude_code, codex, pi, openhands, swe_agent, bedrock or langchain",
            ));
        }
    };
    Ok(Document {
        format,
        context: log.context,
        boundaries: log.boundaries,
        skipped_lines: log.skipped_lines,
        envelope: Envelope::Made { max_tokens: log.max_tokens },
    })
}

/// What a reader made of a log.
#[derive(Default)]
struct Log {
    context: Context,
    boundaries: Vec<Boundary>,
    skipped_lines: usize,
    /// The limit of a reply that the file states, as JSON text.
    max_tokens: Option<String>,
}

impl Log {
    /// Adds a message that begins at `line`, if it stands in lines, with `epoch` compactions before it.
    fn push(&mut self, mut message: Message, line: impl Into<Option<usize>>, epoch: u32) {
        message.meta.source = Some(Source::new(self.context.messages.len(), line.into()));
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
        for format in Format::ALL.into_iter().filter(|format| format.is_log()) {
            let error = read_as(format, "{\"hello\":1}\n", |_| {}).unwrap_err();
            assert_eq!(error.kind, ReadErrorKind::UnknownFormat, "{format}");
            let error = read_as(format, "{\"hello\":1}\n", |options| options.lenient = true).unwrap_err();
            assert_eq!(error.kind, ReadErrorKind::UnknownFormat, "{format}");
        }
    }

    /// A file of each format that is one JSON value.
    const DOCUMENTS: [(Format, &str); 4] = [
        (
            Format::OpenHands,
            r#"[{"id":0,"source":"user","action":"message","args":{"content":"é"}},
                {"kind":"Condensation","forgotten_event_ids":["x"],"summary":"s","summary_offset":9}]"#,
        ),
        (
            Format::SweAgent,
            r#"{"history":[{"role":"user","content":"é","agent":"m","tool_call_ids":["a"]}],"info":{}}"#,
        ),
        (
            Format::Bedrock,
            r#"{"messages":[{"role":"user","content":[{"text":"é"},{"image":{"source":{"bytes":[1]}}}]}]}"#,
        ),
        (
            Format::LangChain,
            r#"[{"type":"ai","content":[{"type":"text","text":"é"}],"tool_calls":[{"name":"f"}]}]"#,
        ),
    ];

    #[test]
    fn no_truncation_panics_and_each_is_an_error_of_syntax() {
        for (format, text) in DOCUMENTS {
            assert_eq!(crate::detect(text), Ok(format), "{text}");
            for end in (1..text.len()).filter(|&end| text.is_char_boundary(end)) {
                let error = read_as(format, &text[..end], |_| {}).unwrap_err();
                assert_eq!(error.kind, ReadErrorKind::Syntax, "{error}: {}", &text[..end]);
                assert!(error.line.is_some(), "{error}: {}", &text[..end]);
            }
        }
    }

    /// Whatever stands in the place of a value: an error, or a conversation.
    #[test]
    fn no_value_of_another_kind_panics() {
        let others = ["null", "true", "-1", "1e999", "\"\\ud800\"", "[]", "{}", "[[[]]]", "[{}]"];
        for (format, text) in DOCUMENTS {
            let ends_value = |byte: u8| b",]}".contains(&byte);
            let starts =
                text.char_indices().filter(|(_, c)| [':', '[', ','].contains(c)).map(|(at, _)| at + 1);
            for start in starts {
                let Some(length) = text[start..].bytes().position(ends_value) else { continue };
                for other in others {
                    let changed = format!("{}{other}{}", &text[..start], &text[start + length..]);
                    for format in [None, Some(format)] {
                        let options = ReadOptions { format, ..ReadOptions::default() };
                        if let Ok(document) = crate::read(changed.as_bytes(), &options) {
                            let written = document.write(&document.context);
                            assert!(
                                serde_json::from_str::<serde_json::Value>(&written.json).is_ok(),
                                "{changed}"
                            );
                        }
                    }
                }
            }
        }
    }
}
