//! `compact`: the new conversation, and the record of what was done.

use std::process::ExitCode;

use foldback::compact::{CompactError, Compacted, Compactor, Composition, Pending, Record, Request};
use foldback::model::FileLists;
use foldback::plan::{Decision, Irreducible};
use foldback::summarize::ChecklistSummarizer;
use serde::Serialize;
use serde_json::value::RawValue;

use super::plan;
use crate::args::CompactArgs;
use crate::bands::bands;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{input, output, settings, text};

/// The summarizer of the program.
const STRATEGY: &str = "checklist";

#[derive(Serialize)]
struct Answer<'a> {
    action: &'a str,
    reason: String,
    strategy: &'a str,
    estimator: &'a str,
    tokens_before: u64,
    tokens_after: u64,
    first_kept: usize,
    summary: &'a str,
    files: &'a FileLists,
    usage: Option<foldback::model::Usage>,
    fallback: bool,
    reductions: [(); 0],
    dropped: &'a [foldback::compact::Dropped],
    joined: &'a [usize],
    lost: Vec<super::convert::LostAnswer<'a>>,
    notes: &'a [String],
    over_budget: Option<&'a Irreducible>,
    skipped_lines: usize,
    record: Option<&'a Record>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation: Option<&'a RawValue>,
}

pub(crate) fn run(args: &CompactArgs) -> Result<ExitCode, Failure> {
    let estimator = settings::estimator(&args.estimate.estimator)?;
    let (compactor, budget) = settings::policy(&args.policy)?;
    let to = super::convert::target(&args.target)?;
    let progress = Progress::start("compacting");
    let mut document = input::document(&args.common)?;
    input::complete(&mut document.context, &args.estimate)?;
    let mut request =
        Request::new(&document.context, estimator.as_ref()).budget(budget).pinned(&args.policy.pin);
    request.require_reduction = args.policy.force;
    if let Some(focus) = &args.focus {
        request = request.focus(focus);
    }
    let estimate = settings::measure(estimator.as_ref(), &document.context)?;
    let decision = settings::decide(&compactor, &request, &estimate)?;
    let total = estimate.total.tokens.as_u64();
    let planned =
        plan::answer(&decision, estimator.name(), total, budget.usable().as_u64(), &compactor, &request);
    let outcome = match decision {
        Decision::Compact(plan) => carry_out(&compactor, &request, plan),
        _ => Ok(Compacted::unchanged(&request)),
    };
    let (compacted, action, reason) = match outcome {
        Ok(compacted) => (compacted, planned.action, planned.reason.clone()),
        Err(error) if error.is_no_reduction() => {
            (Compacted::unchanged(&request), "no_reduction", error.to_string())
        }
        Err(error @ CompactError::InvalidRequest(_)) => return Err(Failure::request(error.to_string())),
        Err(error) => (Compacted::unchanged(&request), "failed", chain(&error)),
    };
    let written = match to {
        Some(wire) => document.convert(&compacted.context, wire),
        None => document.write(&compacted.context),
    };
    drop(progress);

    let failed = matches!(action, "no_reduction" | "no_progress" | "failed");
    if let Some(path) = args.target.output.as_ref().filter(|_| !failed) {
        output::replace(path, &written.json)?;
    }
    let record = compacted.record.as_ref();
    let nothing = FileLists::default();
    if args.common.json {
        let answer = Answer {
            action,
            reason,
            strategy: STRATEGY,
            estimator: estimator.name(),
            tokens_before: total,
            tokens_after: record.map_or(total, |record| record.tokens_after.as_u64()),
            first_kept: record.map_or(0, |record| record.plan.first_kept),
            summary: record.map_or("", |record| &record.summary),
            files: record.map_or(&nothing, |record| &record.files),
            usage: record.and_then(|record| record.usage),
            fallback: false,
            reductions: [],
            dropped: record.map_or(&[], |record| &record.dropped),
            joined: &written.joined,
            lost: written.lost.iter().map(Into::into).collect(),
            notes: record.map_or(&[], |record| &record.notes),
            over_budget: record
                .and_then(|record| record.over_budget.as_ref())
                .or(planned.irreducible.as_ref()),
            skipped_lines: document.skipped_lines,
            record,
            conversation: super::convert::embedded(&args.target, &written)?,
        };
        output::print_json(&answer)?;
    } else {
        if args.verbose {
            let composition =
                Composition::new(request.context, &estimate, estimator.as_ref(), request.pinned)
                    .map_err(|error| Failure::request(error.to_string()))?;
            eprintln!("{}", bands("what fills the window", &composition.by_source, total).trim_start());
        }
        eprint!("{}", account(action, &reason, record, &planned));
        if document.skipped_lines > 0 {
            eprintln!("  skipped    {} damaged lines", document.skipped_lines);
        }
        for lost in &written.lost {
            eprintln!("  lost       #{}: {}", lost.index, lost.what);
        }
        if let Some(record) = record.filter(|_| args.verbose) {
            eprintln!("\n{}\n{}\n{}", "─".repeat(60), record.summary, "─".repeat(60));
        }
        if args.target.output.is_none() && !failed {
            output::print(&(written.json + "\n"))?;
        }
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Drives the compaction without a runtime: the summarizer needs none.
fn carry_out(
    compactor: &Compactor,
    request: &Request<'_>,
    plan: foldback::plan::Plan,
) -> Result<Compacted, CompactError> {
    let summarizer = ChecklistSummarizer::default();
    let mut compaction = compactor.start(request, plan)?;
    while let Pending::Summarize(wanted) = compaction.pending() {
        let reply = summarizer.digest(&wanted).map_err(CompactError::Summarization)?;
        compaction.summary_ready(reply)?;
    }
    compaction.finish()
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text += &format!(": {cause}");
        source = cause.source();
    }
    text
}

/// A few lines for a person, on standard error.
fn account(action: &str, reason: &str, record: Option<&Record>, planned: &plan::Answer) -> String {
    let mut account = format!("{action}: {reason}\n");
    let Some(record) = record else { return account };
    let (before, after) = (record.tokens_before.as_u64(), record.tokens_after.as_u64());
    account += &format!(
        "  before     {:>10} tokens  {}\n  after      {:>10} tokens  {}\n",
        text::number(before),
        text::bar(before, before, 40),
        text::number(after),
        text::bar(after, before, 40),
    );
    account += &plan::outline(planned);
    for dropped in &record.dropped {
        account += &format!("  mended     {}: {}\n", dropped.call_id, dropped.what);
    }
    for note in &record.notes {
        account += &format!("  note       {note}\n");
    }
    if let Some(part) = &record.over_budget {
        account += &format!("  does not fit the budget: {} take up {}\n", part.what, part.tokens);
    }
    account
}
