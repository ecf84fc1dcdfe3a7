//! `plan`: the cut that would be made, and why.

use std::process::ExitCode;

use foldback::compact::{Compactor, Request};
use foldback::model::TokenCount;
use foldback::plan::{Cut, Decision, Irreducible, Plan};
use foldback::tokens::ContextEstimate;
use serde::Serialize;

use super::action::Action;
use crate::args::PlanArgs;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{input, output, settings, text};

/// A decision in the shape of `--json`.
#[derive(Serialize)]
pub(crate) struct Answer {
    pub(crate) action: Action,
    pub(crate) reason: String,
    pub(crate) estimator: String,
    pub(crate) tokens_before: u64,
    budget: Option<u64>,
    threshold: Option<u64>,
    cut: CutAnswer,
    summarize: [usize; 2],
    turn_prefix: Option<[usize; 2]>,
    pinned: Vec<usize>,
    tokens_kept: u64,
    pub(crate) irreducible: Option<Irreducible>,
    pub(crate) skipped_lines: usize,
}

#[derive(Serialize)]
struct CutAnswer {
    kind: &'static str,
    first_kept: usize,
}

pub(crate) fn run(args: &PlanArgs) -> Result<ExitCode, Failure> {
    let estimator = settings::estimator(args.estimate.estimator);
    let (compactor, budget) = settings::policy(&args.policy)?;
    let progress = Progress::start("planning");
    let mut document = input::document(&args.common)?;
    input::complete(&mut document.context, &args.estimate)?;
    let request = settings::request(&args.policy, &document.context, estimator.as_ref(), budget);
    let estimate = settings::measure(estimator.as_ref(), &document.context)?;
    let case = Case {
        compactor: &compactor,
        request: &request,
        estimate: &estimate,
        skipped_lines: document.skipped_lines,
    };
    let answer = case.answer(&case.decide()?);
    drop(progress);

    if args.common.json {
        output::print_json(&answer)?;
    } else {
        output::print(&text::harmless(&page(&answer)))?;
    }
    Ok(answer.action.exit_code())
}

/// A conversation that was measured, and what is to be decided about it.
pub(crate) struct Case<'a> {
    pub(crate) compactor: &'a Compactor,
    pub(crate) request: &'a Request<'a>,
    pub(crate) estimate: &'a ContextEstimate,
    pub(crate) skipped_lines: usize,
}

impl Case<'_> {
    pub(crate) fn decide(&self) -> Result<Decision, Failure> {
        self.compactor
            .decide_measured(self.request, self.estimate)
            .map_err(|error| Failure::request(error.to_string()))
    }

    pub(crate) fn answer(&self, decision: &Decision) -> Answer {
        let none = self.nothing();
        match decision {
            Decision::Compact(plan) => Answer {
                action: Action::Compact,
                reason: reason(plan, self.request.require_reduction),
                cut: CutAnswer {
                    kind: if plan.cut == Cut::All { "all" } else { "at" },
                    first_kept: plan.first_kept,
                },
                summarize: [plan.summarize.start, plan.summarize.end],
                turn_prefix: plan.turn_prefix.as_ref().map(|prefix| [prefix.start, prefix.end]),
                pinned: plan.stays.clone(),
                tokens_kept: plan.tokens_kept.as_u64(),
                irreducible: plan.irreducible.clone(),
                ..none
            },
            Decision::NoReduction(reason) => {
                Answer { action: Action::NoReduction, reason: reason.to_string(), ..none }
            }
            Decision::NoProgress(part) => Answer {
                action: Action::NoProgress,
                reason: format!("{} alone take up {}, more than the budget", part.what, part.tokens),
                irreducible: Some(part.clone()),
                ..none
            },
            Decision::None(reason) => Answer { reason: reason.to_string(), ..none },
            _ => none,
        }
    }

    /// The answer that nothing is to be done.
    fn nothing(&self) -> Answer {
        let budget = self.request.budget.as_ref();
        let total = self.estimate.total.tokens.as_u64();
        Answer {
            action: Action::None,
            reason: String::new(),
            estimator: self.request.estimator.name().to_owned(),
            tokens_before: total,
            budget: budget.map(|budget| budget.usable().as_u64()),
            threshold: self.compactor.config().trigger.threshold(budget).map(TokenCount::as_u64),
            cut: CutAnswer { kind: "none", first_kept: 0 },
            summarize: [0, 0],
            turn_prefix: None,
            pinned: Vec::new(),
            tokens_kept: total,
            irreducible: None,
            skipped_lines: self.skipped_lines,
        }
    }
}

fn reason(plan: &Plan, forced: bool) -> String {
    match plan.threshold {
        Some(threshold) if plan.tokens_before > threshold => {
            format!("{} are above the threshold of {threshold}", plan.tokens_before)
        }
        _ if forced => "a reduction was demanded".to_owned(),
        _ => "the trigger fired".to_owned(),
    }
}

fn page(answer: &Answer) -> String {
    let mut page = format!(
        "{}: {}\n\n  context    {:>10} tokens ({})\n",
        answer.action,
        answer.reason,
        text::number(answer.tokens_before),
        answer.estimator,
    );
    if let Some(budget) = answer.budget {
        page += &format!("  budget     {:>10}\n", text::number(budget));
    }
    if let Some(threshold) = answer.threshold {
        page += &format!("  threshold  {:>10}\n", text::number(threshold));
    }
    if answer.action == Action::Compact {
        page += &format!("  kept       {:>10}, a summary comes on top\n\n", text::number(answer.tokens_kept));
        page += &outline(answer);
    }
    if let Some(part) = &answer.irreducible {
        page += &format!("\n  cannot be freed: {}, {}\n", part.what, part.tokens);
    }
    page + &text::skipped(answer.skipped_lines)
}

/// What happens to which messages.
pub(crate) fn outline(answer: &Answer) -> String {
    let range = |[start, end]: [usize; 2]| match end.saturating_sub(start) {
        0 => "none".to_owned(),
        1 => format!("#{start}"),
        n => format!("#{start} to #{} ({n} messages)", end - 1),
    };
    let mut lines = format!("  condensed  {}\n", range(answer.summarize));
    if let Some(prefix) = answer.turn_prefix {
        lines += &format!("  split turn {}, condensed as a part of its own\n", range(prefix));
    }
    if !answer.pinned.is_empty() {
        let list: Vec<String> = answer.pinned.iter().map(|index| format!("#{index}")).collect();
        lines += &format!("  stay       {}\n", list.join(", "));
    }
    lines += &match answer.cut.kind {
        "all" => "  cut        behind the last message\n".to_owned(),
        _ => format!(
            "  cut        in front of #{}; from there on all is kept as it is\n",
            answer.cut.first_kept
        ),
    };
    lines
}
