//! `repair`: the conversation as its provider takes it, with an account of each change.

use std::process::ExitCode;

use foldback::model::WireFormat;
use foldback::wire::{Document, Edit, Format, Lost, ReadOptions, read, repair};
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
    provider: &'static str,
    edits: &'a [EditAnswer],
    lost: Vec<LostAnswer<'a>>,
    skipped_lines: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation: Option<&'a RawValue>,
}

pub(crate) fn run(args: &ConvertArgs) -> Result<ExitCode, Failure> {
    let to = target::wire(&args.target)?;
    let progress = Progress::start("repairing");
    let document = input::document(&args.common)?;
    target::spare_the_log(&args.target, args.common.input.as_deref(), document.format)?;
    let skipped_lines = document.skipped_lines;
    let provider = to.unwrap_or_else(|| document.wire());
    let Request { document, sources, mut edits, mut lost } = as_request(document, provider)?;
    let repaired = repair(provider, &document.context);
    let mut written = document.write(&repaired.context);
    let of_the_file = |edit: &Edit| {
        let index = sources.get(edit.index).copied().unwrap_or(edit.index);
        EditAnswer::new(index, edit)
    };
    edits.extend(repaired.edits.iter().map(of_the_file));
    lost.append(&mut written.lost);
    drop(progress);
    if let Some(path) = &args.target.output {
        output::replace(path, &written.json)?;
    }
    if args.common.json {
        output::print_json(&Answer {
            provider: provider.as_str(),
            edits: &edits,
            lost: lost.iter().map(Into::into).collect(),
            skipped_lines,
            conversation: target::embedded(&args.target, &written)?,
        })?;
    } else {
        let head = match edits.len() {
            0 => format!("{}: nothing to repair\n", provider.as_str()),
            1 => format!("{}: 1 edit\n", provider.as_str()),
            n => format!("{}: {n} edits\n", provider.as_str()),
        };
        let account = head + &edits::lines(&edits) + &target::losses(&lost) + &text::skipped(skipped_lines);
        output::tell(&text::harmless(&account));
        if args.target.output.is_none() {
            output::print(&(written.json + "\n"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A conversation in the format of its provider, and what it took to get there.
struct Request {
    document: Document,
    /// For each message, its index in the file; empty where it is the same.
    sources: Vec<usize>,
    edits: Vec<EditAnswer>,
    lost: Vec<Lost>,
}

fn as_request(document: Document, provider: WireFormat) -> Result<Request, Failure> {
    if document.format == Format::Wire(provider) {
        return Ok(Request { document, sources: Vec::new(), edits: Vec::new(), lost: Vec::new() });
    }
    let written = document.convert(&document.context, provider);
    let options = ReadOptions::of(provider);
    let document = read(written.json.as_bytes(), &options)
        .map_err(|error| Failure::read(format!("the conversation as {}", provider.as_str()), error))?;
    // A system text that became a message of the list has no index in the file.
    let n_in_front = document.context.messages.len().saturating_sub(written.sources.len());
    let front = std::iter::repeat_n(0, n_in_front);
    let sources = front.chain(written.sources.iter().copied()).collect();
    Ok(Request { document, sources, edits: edits::of_written(&written), lost: written.lost })
}
