//! `convert`: the conversation in another format.

use std::process::ExitCode;

use serde::Serialize;
use serde_json::value::RawValue;

use super::target::{self, LostAnswer};
use crate::args::ConvertArgs;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{input, output, text};

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

pub(crate) fn run(args: &ConvertArgs) -> Result<ExitCode, Failure> {
    let to = target::wire(&args.target)?;
    let progress = Progress::start("converting");
    let document = input::document(&args.common)?;
    target::spare_the_log(&args.target, args.common.input.as_deref(), document.format)?;
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
            conversation: target::embedded(&args.target, &written)?,
        })?;
    } else {
        output::tell(&format!("{}{}", target::losses(&written), text::skipped(document.skipped_lines)));
        if args.target.output.is_none() {
            output::print(&(written.json + "\n"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
