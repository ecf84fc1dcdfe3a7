//! `inspect`: what fills the window.

use std::process::ExitCode;

use foldback::compact::Composition;
use foldback::model::{CallGraph, CallSite, Message, TokenCount};
use foldback::wire::{Boundary, Document};
use serde::Serialize;

use crate::args::InspectArgs;
use crate::bands::{bands, table};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{input, output, settings, text};

#[derive(Serialize)]
struct Answer<'a> {
    format: &'a str,
    messages: usize,
    turns: usize,
    exchanges: usize,
    estimator: &'a str,
    error_band: f64,
    tokens: &'a Composition,
    /// The provider's own count of the last call, where the file states it.
    reported: Option<Reported>,
    orphans: Vec<usize>,
    dangling: Vec<usize>,
    pending: Vec<usize>,
    boundaries: Vec<BoundaryAnswer<'a>>,
    skipped_lines: usize,
}

/// What a provider counted: everything that the call sent and got, system text and tools included.
#[derive(Serialize)]
struct Reported {
    /// Index of the reply.
    index: usize,
    tokens: TokenCount,
}

/// The last count of the current epoch: an older one measured what is no longer there.
fn last_reported(messages: &[Message]) -> Option<Reported> {
    let epoch = messages.iter().map(|message| message.meta.epoch).max()?;
    messages.iter().enumerate().rev().filter(|(_, message)| message.meta.epoch == epoch).find_map(
        |(index, message)| {
            let usage = message.meta.usage?;
            let tokens = usage.prompt().filter(|prompt| *prompt > TokenCount::ZERO)?
                + usage.output.unwrap_or_default();
            Some(Reported { index, tokens })
        },
    )
}

#[derive(Serialize)]
struct BoundaryAnswer<'a> {
    index: usize,
    kind: &'a str,
    tokens_before: Option<u64>,
    tokens_after: Option<u64>,
}

impl<'a> From<&'a Boundary> for BoundaryAnswer<'a> {
    fn from(boundary: &'a Boundary) -> Self {
        Self {
            index: boundary.index,
            kind: &boundary.kind,
            tokens_before: boundary.tokens_before,
            tokens_after: boundary.tokens_after,
        }
    }
}

pub(crate) fn run(args: &InspectArgs) -> Result<ExitCode, Failure> {
    let estimator = settings::estimator(args.estimate.estimator);
    let progress = Progress::start("reading");
    let mut document = input::document(&args.common)?;
    input::complete(&mut document.context, &args.estimate)?;
    let context = &document.context;
    let estimate = settings::measure(estimator.as_ref(), context)?;
    let composition = Composition::new(context, &estimate, estimator.as_ref(), &[])
        .map_err(|error| Failure::request(error.to_string()))?;
    let graph = CallGraph::new(&context.messages, &[]);
    drop(progress);

    let answer = Answer {
        format: document.format.as_str(),
        messages: context.messages.len(),
        turns: context.messages.iter().filter(|message| message.starts_turn()).count(),
        exchanges: graph.exchanges().len(),
        estimator: estimator.name(),
        error_band: estimate.total.error_band,
        tokens: &composition,
        reported: last_reported(&context.messages),
        orphans: indices(graph.orphans()),
        dangling: indices(graph.dangling()),
        pending: indices(graph.pending()),
        boundaries: document.boundaries.iter().map(BoundaryAnswer::from).collect(),
        skipped_lines: document.skipped_lines,
    };
    if args.common.json {
        output::print_json(&answer)?;
    } else {
        output::print(&text::harmless(&page(&answer, &document)))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn indices(sites: &[CallSite]) -> Vec<usize> {
    let mut indices: Vec<usize> = sites.iter().map(|site| site.message).collect();
    indices.dedup();
    indices
}

/// The answer for a person.
fn page(answer: &Answer<'_>, document: &Document) -> String {
    let total = answer.tokens.total.as_u64();
    let mut page = format!(
        "{}: {} messages, {} turns, {} exchanges\n{} tokens ({}, within {:.0} %)\n",
        answer.format,
        text::number(answer.messages as u64),
        text::number(answer.turns as u64),
        text::number(answer.exchanges as u64),
        text::number(total),
        answer.estimator,
        answer.error_band * 100.0,
    );
    if let Some(reported) = &answer.reported {
        page += &format!(
            "{} tokens by the provider's count at #{}, system text and tools included\n",
            text::number(reported.tokens.as_u64()),
            reported.index
        );
    }
    page += &bands("by source", &answer.tokens.by_source, total);
    page += &bands("by role", &answer.tokens.by_role, total);
    page += &bands("by tool", &answer.tokens.by_tool, total);
    page += &bands("by file", &answer.tokens.by_file, total);
    let turns: Vec<(String, TokenCount)> = answer
        .tokens
        .by_turn
        .iter()
        .map(|turn| {
            let opening = document.context.messages.get(turn.first).map(|m| m.text()).unwrap_or_default();
            (format!("#{} {}", turn.first, text::line(&opening, 30)), turn.tokens)
        })
        .collect();
    page += &table("by turn", turns.iter().map(|(name, tokens)| (name.as_str(), *tokens)).collect(), total);
    for boundary in &answer.boundaries {
        let size = |tokens: Option<u64>| tokens.map_or_else(|| "?".to_owned(), text::number);
        page += &format!(
            "\nboundary before #{}: {}, {} → {} tokens by the log's own count",
            boundary.index,
            boundary.kind,
            size(boundary.tokens_before),
            size(boundary.tokens_after)
        );
    }
    let mut remark = |what: &str, indices: &[usize]| {
        if !indices.is_empty() {
            let list: Vec<String> = indices.iter().map(|index| format!("#{index}")).collect();
            page += &format!("\n{what}: {}", list.join(", "));
        }
    };
    remark("results without a call", &answer.orphans);
    remark("calls without a result", &answer.dangling);
    remark("calls still running", &answer.pending);
    page.trim_end().to_owned() + "\n" + &text::skipped(answer.skipped_lines)
}
