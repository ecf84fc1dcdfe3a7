//! `check`: would a provider accept these messages?

use std::process::ExitCode;

use foldback::model::WireFormat;
use foldback::wire::{Document, Finding, Format, ReadOptions, check, read};
use serde::Serialize;

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{input, output, text};

#[derive(Serialize)]
struct Answer {
    provider: &'static str,
    valid: bool,
    findings: Vec<FindingAnswer>,
    skipped_lines: usize,
}

#[derive(Serialize)]
struct FindingAnswer {
    index: usize,
    rule: &'static str,
    message: String,
}

pub(crate) fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let progress = Progress::start("checking");
    let document = input::document(&args.common)?;
    let provider = match args.provider {
        None => document.wire(),
        Some(Format::Wire(wire)) => wire,
        Some(log) => {
            return Err(Failure::usage(format!(
                "`--provider {log}`: no provider takes logs; name a wire format"
            )));
        }
    };
    let findings = findings(&document, provider)?;
    drop(progress);
    let answer = Answer {
        provider: provider.as_str(),
        valid: findings.is_empty(),
        findings: findings
            .into_iter()
            .map(|finding| FindingAnswer {
                index: finding.index,
                rule: finding.rule,
                message: finding.message,
            })
            .collect(),
        skipped_lines: document.skipped_lines,
    };
    if args.common.json {
        output::print_json(&answer)?;
    } else {
        output::print(&text::harmless(&page(&answer)))?;
    }
    Ok(if answer.valid { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A conversation that is in the provider's format is judged as it stands; any other is written in
/// it first. Indices are those of the file either way.
fn findings(document: &Document, provider: WireFormat) -> Result<Vec<Finding>, Failure> {
    if document.format == Format::Wire(provider) {
        return Ok(check(provider, &document.context.messages));
    }
    let written = document.convert(&document.context, provider);
    let options = ReadOptions::of(provider);
    let converted = read(written.json.as_bytes(), &options)
        .map_err(|error| Failure::read(format!("the conversation as {}", provider.as_str()), error))?;
    let mut findings = check(provider, &converted.context.messages);
    for finding in &mut findings {
        finding.index = written.sources.get(finding.index).copied().unwrap_or(finding.index);
    }
    Ok(findings)
}

fn page(answer: &Answer) -> String {
    let mut page = match answer.findings.len() {
        0 => format!("{}: valid\n", answer.provider),
        1 => format!("{}: 1 finding\n", answer.provider),
        n => format!("{}: {n} findings\n", answer.provider),
    };
    for finding in &answer.findings {
        page += &format!("  #{} {}: {}\n", finding.index, finding.rule, finding.message);
    }
    page + &text::skipped(answer.skipped_lines)
}
