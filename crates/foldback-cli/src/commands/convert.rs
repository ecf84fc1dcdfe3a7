//! `convert`: the conversation in another format.

use std::process::ExitCode;

use serde::Serialize;
use serde_json::value::RawValue;

use super::edits::{self, EditAnswer};
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
        output::print_json(&Answer {
            edits: edits::of_written(&written),
            lost: written.lost.iter().map(Into::into).collect(),
            skipped_lines: document.skipped_lines,
            conversation: target::embedded(&args.target, &written)?,
        })?;
    } else {
        let mended: Vec<EditAnswer> =
            written.edits.iter().map(|edit| EditAnswer::new(edit.index, edit)).collect();
        let account =
            edits::lines(&mended) + &target::losses(&written.lost) + &text::skipped(document.skipped_lines);
        output::tell(&text::harmless(&account));
        if args.target.output.is_none() {
            output::print(&(written.json + "\n"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
