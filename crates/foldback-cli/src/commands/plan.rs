//! `plan`: the cut that would be made, and why.

use std::process::ExitCode;

use foldback::compact::Request;
use foldback::plan::{Cut, Decision, Irreducible, Plan};
use serde::Serialize;

use crate::args::PlanArgs;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{input, output, settings, text};

/// A decision in the shape of `--json`.
#[derive(Serialize)]
pub(crate) struct Answer {
    pub(crate) action: &'static str,
    pub(crate) reason: String,
    estimator: String,
    tokens_before: u64,
    budget: u64,
    threshold: Option<u64>,
    cut: CutAnswer,
    summarize: [usize; 2],
    turn_prefix: Option<[usize; 2]>,
    pinned: Vec<usize>,
    tokens_kept: u64,
    pub(crate) irreducible: Option<Irreducible>,
}

#[derive(Serialize)]
struct CutAnswer {
    kind: &'static str,
    first_kept: usize,
}

pub(crate) fn run(args: &PlanArgs) -> Result<ExitCode, Failure> {
    let estimator = settings::estimator(&args.estimate.estimator)?;
    let (compactor, budget) = settings::policy(&args.policy)?;
    let progress = Progress::start("planning");
    let mut document = input::document(&args.common)?;
    input::complete(&mut document.context, &args.estimate)?;
    let mut request =
        Request::new(&document.context, estimator.as_ref()).budget(budget).pinned(&args.policy.pin);
    request.require_reduction = args.policy.force;
    let estimate = settings::measure(estimator.as_ref(), &document.context)?;
    let total = estimate.total.tokens.as_u64();
    let decision = settings::decide(&compactor, &request, &estimate)?;
    drop(progress);

    let answer = answer(&decision, estimator.name(), total, budget.usable().as_u64(), &compactor, &request);
    if args.common.json {
        output::print_json(&answer)?;
    } else {
        output::print(&page(&answer))?;
    }
    Ok(code(&decision))
}

/// 1 where what was asked for cannot be had.
pub(crate) fn code(decision: &Decision) -> ExitCode {
    match decision {
        Decision::NoReduction(_) | Decision::NoProgress(_) => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}

pub(crate) fn answer(
    decision: &Decision,
    estimator: &str,
    total: u64,
    budget: u64,
    compactor: &foldback::compact::Compactor,
    request: &Request<'_>,
) -> Answer {
    let threshold = compactor.config().trigger.threshold(request.budget.as_ref());
    let none = Answer {
        action: "none",
        reason: String::new(),
        estimator: estimator.to_owned(),
        tokens_before: total,
        budget,
        threshold: threshold.map(|threshold| threshold.as_u64()),
        cut: CutAnswer { kind: "none", first_kept: 0 },
        summarize: [0, 0],
        turn_prefix: None,
        pinned: Vec::new(),
        tokens_kept: total,
        irreducible: None,
    };
    match decision {
        Decision::Compact(plan) => Answer {
            action: "compact",
            reason: reason(plan, request.require_reduction),
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
            Answer { action: "no_reduction", reason: reason.to_string(), ..none }
        }
        Decision::NoProgress(part) => Answer {
            action: "no_progress",
            reason: format!("{} alone take up {}, more than the budget", part.what, part.tokens),
            irreducible: Some(part.clone()),
            ..none
        },
        Decision::None(reason) => Answer { reason: reason.to_string(), ..none },
        _ => none,
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
        "{}: {}\n\n  context    {:>10} tokens ({})\n  budget     {:>10}\n",
        answer.action,
        answer.reason,
        text::number(answer.tokens_before),
        answer.estimator,
        text::number(answer.budget),
    );
    if let Some(threshold) = answer.threshold {
        page += &format!("  threshold  {:>10}\n", text::number(threshold));
    }
    if answer.action == "compact" {
        page += &format!("  kept       {:>10}, a summary comes on top\n\n", text::number(answer.tokens_kept));
        page += &outline(answer);
    }
    if let Some(part) = &answer.irreducible {
        page += &format!("\n  cannot be freed: {}, {}\n", part.what, part.tokens);
    }
    page
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
