//! `compact`: the new conversation, and the record of what was done.

use std::process::ExitCode;

use foldback::compact::{CompactError, Compacted, Compactor, Composition, Dropped, Pending, Record, Request};
use foldback::model::{FileLists, Usage, WireFormat};
use foldback::plan::{Decision, Irreducible, Plan};
use foldback::summarize::ChecklistSummarizer;
use foldback::wire::{Document, Written};
use serde::Serialize;
use serde_json::value::RawValue;

use super::action::Action;
use super::plan::{self, Case};
use super::target::{self, LostAnswer};
use crate::args::{CompactArgs, TargetArgs};
use crate::bands::bands;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{input, output, settings, text};

/// The summarizer of the program.
const STRATEGY: &str = "checklist";
/// The bars of the sizes before and after, and the rules around the summary, in characters.
const BAR_WIDTH: u64 = 40;
const RULE_WIDTH: usize = 60;

#[derive(Serialize)]
struct Answer<'a> {
    action: Action,
    reason: &'a str,
    strategy: &'a str,
    estimator: &'a str,
    tokens_before: u64,
    tokens_after: u64,
    first_kept: Option<usize>,
    summary: Option<&'a str>,
    files: FileLists,
    usage: Option<Usage>,
    fallback: bool,
    reductions: [(); 0],
    dropped: &'a [Dropped],
    dead_reasoning: &'a [usize],
    joined: &'a [usize],
    lost: Vec<LostAnswer<'a>>,
    notes: &'a [String],
    over_budget: Option<&'a Irreducible>,
    skipped_lines: usize,
    record: Option<&'a Record>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation: Option<&'a RawValue>,
}

pub(crate) fn run(args: &CompactArgs) -> Result<ExitCode, Failure> {
    let estimator = settings::estimator(args.estimate.estimator);
    let (compactor, budget) = settings::policy(&args.policy)?;
    let to = target::wire(&args.target)?;
    let progress = Progress::start("compacting");
    let mut document = input::document(&args.common)?;
    target::spare_the_log(&args.target, args.common.input.as_deref(), document.format)?;
    let own = input::complete(&mut document.context, &args.estimate)?;
    let mut request = settings::request(&args.policy, &document.context, estimator.as_ref(), budget);
    if let Some(focus) = &args.focus {
        request = request.focus(focus);
    }
    let estimate = settings::measure(estimator.as_ref(), &document.context)?;
    let case = Case {
        compactor: &compactor,
        request: &request,
        estimate: &estimate,
        skipped_lines: document.skipped_lines,
    };
    let decision = case.decide()?;
    let planned = case.answer(&decision);
    let filling = if args.verbose { filling(&case)? } else { String::new() };
    let Outcome { action, reason, compacted } = match decision {
        Decision::Compact(plan) => Outcome::of(carry_out(&compactor, &request, plan), &planned)?,
        _ => Outcome::nothing(planned.action, planned.reason.clone()),
    };
    let (written, record) = write(&mut document, own, compacted, to);
    drop(progress);

    if let Some(path) = args.target.output.as_ref().filter(|_| !action.is_failure()) {
        output::replace(path, &written.json)?;
    }
    let done = Done { action, reason, planned, written, record };
    if args.common.json {
        output::print_json(&done.answer(&args.target)?)?;
    } else {
        output::tell(&text::harmless(&format!("{filling}{}", done.account(args.verbose))));
        if args.target.output.is_none() && !action.is_failure() {
            output::print(&(done.written.json + "\n"))?;
        }
    }
    Ok(action.exit_code())
}

/// What became of a decision.
struct Outcome {
    action: Action,
    reason: String,
    /// `None` if nothing was done.
    compacted: Option<Compacted>,
}

impl Outcome {
    fn nothing(action: Action, reason: String) -> Self {
        Self { action, reason, compacted: None }
    }

    /// The outcome of carrying out what was `planned`.
    fn of(result: Result<Compacted, CompactError>, planned: &plan::Answer) -> Result<Self, Failure> {
        Ok(match result {
            Ok(compacted) => {
                Self { action: planned.action, reason: planned.reason.clone(), compacted: Some(compacted) }
            }
            Err(error) if error.is_no_reduction() => Self::nothing(Action::NoReduction, error.to_string()),
            Err(error @ CompactError::InvalidRequest(_)) => return Err(Failure::request(error.to_string())),
            Err(error) => Self::nothing(Action::Failed, chain(&error)),
        })
    }
}

/// The conversation as it leaves, and the record of what was done to it. If nothing was, it leaves as
/// the file has it: what other files added served the estimate.
fn write(
    document: &mut Document,
    own: input::Own,
    compacted: Option<Compacted>,
    to: Option<WireFormat>,
) -> (Written, Option<Record>) {
    let to = to.unwrap_or_else(|| document.wire());
    match compacted {
        Some(Compacted { mut context, record: Some(record), .. }) => {
            own.restore_tools(&mut context);
            (document.convert(&context, to), Some(record))
        }
        _ => {
            own.restore(&mut document.context);
            (document.convert(&document.context, to), None)
        }
    }
}

/// What fills the window, as a table.
fn filling(case: &Case<'_>) -> Result<String, Failure> {
    let request = case.request;
    let composition = Composition::new(request.context, case.estimate, request.estimator, request.pinned)
        .map_err(|error| Failure::request(error.to_string()))?;
    let total = case.estimate.total.tokens.as_u64();
    Ok(bands("what fills the window", &composition.by_source, total).trim_start().to_owned() + "\n")
}

/// Drives the compaction without a runtime: the summarizer needs none.
fn carry_out(compactor: &Compactor, request: &Request<'_>, plan: Plan) -> Result<Compacted, CompactError> {
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

/// All that is told about a compaction.
struct Done {
    action: Action,
    reason: String,
    planned: plan::Answer,
    written: Written,
    record: Option<Record>,
}

impl Done {
    /// The answer of `--json`.
    fn answer(&self, target: &TargetArgs) -> Result<Answer<'_>, Failure> {
        let record = self.record.as_ref();
        let before = self.planned.tokens_before;
        Ok(Answer {
            action: self.action,
            reason: &self.reason,
            strategy: STRATEGY,
            estimator: &self.planned.estimator,
            tokens_before: before,
            tokens_after: record.map_or(before, |record| record.tokens_after.as_u64()),
            first_kept: record.map(|record| record.plan.first_kept),
            summary: record.map(|record| record.summary.as_str()),
            files: record.map(|record| record.files.clone()).unwrap_or_default(),
            usage: record.and_then(|record| record.usage),
            fallback: false,
            reductions: [],
            dropped: record.map_or(&[], |record| &record.dropped),
            dead_reasoning: record.map_or(&[], |record| &record.dead_reasoning),
            joined: &self.written.joined,
            lost: self.written.lost.iter().map(Into::into).collect(),
            notes: record.map_or(&[], |record| &record.notes),
            over_budget: record
                .and_then(|record| record.over_budget.as_ref())
                .or(self.planned.irreducible.as_ref()),
            skipped_lines: self.planned.skipped_lines,
            record,
            conversation: target::embedded(target, &self.written)?,
        })
    }

    /// A few lines for a person, on standard error.
    fn account(&self, verbose: bool) -> String {
        let mut account = format!("{}: {}\n", self.action, self.reason);
        if let Some(record) = &self.record {
            account += &sizes(record);
            account += &plan::outline(&self.planned);
            account += &remarks(record);
        }
        account += &text::skipped(self.planned.skipped_lines);
        account += &target::losses(&self.written.lost);
        if let Some(record) = self.record.as_ref().filter(|_| verbose) {
            let rule = "─".repeat(RULE_WIDTH);
            account += &format!("\n{rule}\n{}\n{rule}\n", record.summary);
        }
        account
    }
}

/// Before and after.
fn sizes(record: &Record) -> String {
    let before = record.tokens_before.as_u64();
    let row = |name: &str, tokens: u64| {
        let bar = text::bar(tokens, before, BAR_WIDTH);
        format!("  {name:<10} {:>10} tokens  {bar}\n", text::number(tokens))
    };
    row("before", before) + &row("after", record.tokens_after.as_u64())
}

fn remarks(record: &Record) -> String {
    let mut remarks = String::new();
    for dropped in &record.dropped {
        remarks += &format!("  mended     {}: {}\n", dropped.call_id, dropped.what);
    }
    match record.dead_reasoning.len() {
        0 => {}
        1 => remarks += "  reasoning  of 1 kept message was taken out: its signature is bound to what went\n",
        n => {
            remarks += &format!(
                "  reasoning  of {n} kept messages was taken out: its signatures are bound to what went\n"
            );
        }
    }
    for note in &record.notes {
        remarks += &format!("  note       {note}\n");
    }
    if let Some(part) = &record.over_budget {
        remarks += &format!("  does not fit the budget: {} take up {}\n", part.what, part.tokens);
    }
    remarks
}

#[cfg(test)]
mod tests {
    use foldback::summarize::{SummarizeError, SummarizeErrorKind};

    use super::*;

    fn planned() -> plan::Answer {
        let context = foldback::model::Context::default();
        let estimator = foldback::tokens::Heuristic::default();
        let config = foldback::compact::Config::new(foldback::plan::Keep::default());
        let case = Case {
            compactor: &Compactor::new(config).unwrap(),
            request: &foldback::compact::Request::new(&context, &estimator),
            estimate: &settings::measure(&estimator, &context).unwrap(),
            skipped_lines: 2,
        };
        case.answer(&case.decide().unwrap())
    }

    #[test]
    fn a_failed_summarizer_is_told_with_its_cause() {
        let cause = std::io::Error::other("the line is dead");
        let error = SummarizeError::new(SummarizeErrorKind::Failed, "no answer").with_source(cause);
        let outcome = Outcome::of(Err(CompactError::Summarization(error)), &planned()).unwrap();
        assert_eq!(outcome.action, Action::Failed);
        assert_eq!(outcome.reason, "the summarizer failed: no answer: the line is dead");
        assert!(outcome.compacted.is_none());

        let request = r#"[{"role":"user","content":"hi"}]"#;
        let mut document =
            foldback::wire::read(request.as_bytes(), &foldback::wire::ReadOptions::default()).unwrap();
        let own = input::Own::default();
        document.context.summary = Some(foldback::model::Summary::new("so far"));
        let (written, record) = write(&mut document, own, outcome.compacted, None);
        assert_eq!(written.json, request);
        let (action, reason) = (outcome.action, outcome.reason);
        let done = Done { action, reason, planned: planned(), written, record };
        let answer = done.answer(&TargetArgs { output: None, to: None }).unwrap();
        let answer = serde_json::to_value(&answer).unwrap();
        assert_eq!(answer["action"], "failed");
        assert_eq!(answer["reason"], done.reason);
        assert_eq!(answer["skipped_lines"], 2);
        assert!(answer["first_kept"].is_null() && answer["summary"].is_null() && answer["record"].is_null());
        assert_eq!(answer["tokens_after"], answer["tokens_before"]);
        assert!(done.account(false).starts_with("failed: the summarizer failed: no answer"));
    }

    #[test]
    fn a_request_that_is_not_in_order_is_bad_input() {
        let error = CompactError::InvalidRequest("two calls with one id".to_owned());
        assert!(Outcome::of(Err(error), &planned()).is_err());
        let outcome = Outcome::of(Err(CompactError::NoReduction("all is kept".to_owned())), &planned());
        assert_eq!(outcome.unwrap().action, Action::NoReduction);
    }
}
