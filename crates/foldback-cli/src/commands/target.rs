//! Where a conversation goes, for the commands that write one.

use std::path::Path;

use foldback::model::WireFormat;
use foldback::wire::{Format, Lost, Written};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::args::TargetArgs;
use crate::failure::Failure;

/// Something that a format could not carry.
#[derive(Serialize)]
pub(crate) struct LostAnswer<'a> {
    index: usize,
    what: &'a str,
}

impl<'a> From<&'a Lost> for LostAnswer<'a> {
    fn from(lost: &'a Lost) -> Self {
        Self { index: lost.index, what: &lost.what }
    }
}

/// The wire format that is asked for.
pub(crate) fn wire(args: &TargetArgs) -> Result<Option<WireFormat>, Failure> {
    match args.to {
        None => Ok(None),
        Some(Format::Wire(wire)) => Ok(Some(wire)),
        Some(log) => Err(Failure::usage(format!(
            "`--to {log}`: a log cannot be written; name openai_chat, openai_responses, anthropic or gemini"
        ))),
    }
}

/// The conversation as a part of the answer, if it goes nowhere else.
pub(crate) fn embedded<'a>(args: &TargetArgs, written: &'a Written) -> Result<Option<&'a RawValue>, Failure> {
    if args.output.is_some() {
        return Ok(None);
    }
    // A mark of the byte order may stand in front of a file, never inside another one.
    let json = written.json.strip_prefix('\u{FEFF}').unwrap_or(&written.json);
    serde_json::from_str(json)
        .map(Some)
        .map_err(|error| Failure::request(format!("the conversation cannot be embedded: {error}")))
}

/// One line for each thing that a format could not carry; what was lost in several messages in a row
/// is told once.
pub(crate) fn losses(lost: &[Lost]) -> String {
    let place = |run: &[Lost]| match run {
        [first, .., last] if first.index != last.index => {
            format!("#{} to #{}, {} times", first.index, last.index, run.len())
        }
        [first, ..] if run.len() > 1 => format!("#{}, {} times", first.index, run.len()),
        [only] => format!("#{}", only.index),
        _ => String::new(),
    };
    lost.chunk_by(|one, next| one.what == next.what)
        .map(|run| format!("lost {}: {}\n", place(run), run[0].what))
        .collect()
}

/// Refuses to write over the log that is read: what is written is a request, and a log holds more.
pub(crate) fn spare_the_log(args: &TargetArgs, input: Option<&Path>, format: Format) -> Result<(), Failure> {
    let same = |one: &Path, other: &Path| {
        std::fs::canonicalize(one)
            .is_ok_and(|one| std::fs::canonicalize(other).is_ok_and(|other| one == other))
    };
    match (&args.output, input) {
        (Some(output), Some(input)) if format.is_log() && same(output, input) => {
            Err(Failure::usage(format!(
                "`{}` is a {format} log, and a conversation is written as a request: name another output",
                output.display()
            )))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_that_repeats_is_told_once() {
        let document = foldback::wire::read(
            br#"[{"role":"user","content":"a"},{"role":"assistant","content":"b","reasoning_content":"r"},
                 {"role":"user","content":"c"},{"role":"assistant","content":"d","reasoning_content":"r"}]"#,
            &foldback::wire::ReadOptions::default(),
        )
        .unwrap();
        let lost = document.convert(&document.context, WireFormat::Anthropic).lost;
        assert_eq!(losses(&lost), "lost #1 to #3, 2 times: reasoning\n");
        assert_eq!(losses(&lost[..1]), "lost #1: reasoning\n");
        assert_eq!(losses(&[]), "");
    }
}
