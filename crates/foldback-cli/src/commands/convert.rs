//! `convert`: the conversation in another format.

use std::process::ExitCode;

use foldback::model::WireFormat;
use foldback::wire::{Format, Lost, Written};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::args::{ConvertArgs, TargetArgs};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{input, output};

#[derive(Serialize)]
struct Answer<'a> {
    edits: Vec<EditAnswer>,
    lost: Vec<LostAnswer<'a>>,
    skipped_lines: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation: Option<&'a RawValue>,
}

/// A change that the new format demanded.
#[derive(Serialize)]
struct EditAnswer {
    index: usize,
    kind: &'static str,
    detail: &'static str,
    tokens_freed: u64,
}

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

pub(crate) fn run(args: &ConvertArgs) -> Result<ExitCode, Failure> {
    let to = target(&args.target)?;
    let progress = Progress::start("converting");
    let document = input::document(&args.common)?;
    let written = document.convert(&document.context, to.unwrap_or_else(|| document.wire()));
    drop(progress);
    if let Some(path) = &args.target.output {
        output::replace(path, &written.json)?;
    }
    if args.common.json {
        let joined = |&index: &usize| EditAnswer {
            index,
            kind: "joined",
            detail: "joined to the message before it, since roles have to alternate",
            tokens_freed: 0,
        };
        output::print_json(&Answer {
            edits: written.joined.iter().map(joined).collect(),
            lost: written.lost.iter().map(Into::into).collect(),
            skipped_lines: document.skipped_lines,
            conversation: embedded(&args.target, &written)?,
        })?;
    } else {
        for lost in &written.lost {
            eprintln!("lost: #{}: {}", lost.index, lost.what);
        }
        if document.skipped_lines > 0 {
            eprintln!("skipped {} damaged lines", document.skipped_lines);
        }
        if args.target.output.is_none() {
            output::print(&(written.json + "\n"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The wire format that is asked for.
pub(crate) fn target(args: &TargetArgs) -> Result<Option<WireFormat>, Failure> {
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
    serde_json::from_str(&written.json)
        .map(Some)
        .map_err(|error| Failure::request(format!("the conversation cannot be embedded: {error}")))
}
