//! `count`: tokens per message.

use std::process::ExitCode;

use foldback::model::Context;
use foldback::tokens::{ContextEstimate, EstimateSource};
use serde::Serialize;

use crate::args::CountArgs;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{input, output, settings, text};

#[derive(Serialize)]
struct Answer {
    estimator: String,
    error_band: f64,
    total: u64,
    system: u64,
    tools: u64,
    messages: Vec<MessageAnswer>,
    /// The total against that of the last estimator, less one; only when several are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
}

#[derive(Serialize)]
struct MessageAnswer {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    role: &'static str,
    tokens: u64,
    source: EstimateSource,
}

#[derive(Serialize)]
struct Single<'a> {
    #[serde(flatten)]
    answer: &'a Answer,
    skipped_lines: usize,
}

#[derive(Serialize)]
struct Comparison {
    estimators: Vec<Answer>,
    skipped_lines: usize,
}

pub(crate) fn run(args: &CountArgs) -> Result<ExitCode, Failure> {
    let names = match args.compare.as_slice() {
        [] => &[args.estimate.estimator],
        several => several,
    };
    let estimators: Vec<_> = names.iter().map(|&name| settings::estimator(name)).collect();
    let progress = Progress::start("counting");
    let mut document = input::document(&args.common)?;
    input::complete(&mut document.context, &args.estimate)?;
    let mut answers = Vec::new();
    for estimator in &estimators {
        let estimate = settings::measure(estimator.as_ref(), &document.context)?;
        answers.push(answer(estimator.name(), &document.context, &estimate));
    }
    drop(progress);
    if !args.compare.is_empty() {
        set_errors(&mut answers);
    }
    let skipped_lines = document.skipped_lines;
    match (args.common.json, args.compare.is_empty()) {
        (true, true) => output::print_json(&Single { answer: &answers[0], skipped_lines })?,
        (true, false) => output::print_json(&Comparison { estimators: answers, skipped_lines })?,
        (false, _) => output::print(&text::harmless(&(page(&answers) + &text::skipped(skipped_lines))))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn answer(name: &str, context: &Context, estimate: &ContextEstimate) -> Answer {
    let messages = context.messages.iter().zip(&estimate.messages).enumerate();
    Answer {
        estimator: name.to_owned(),
        error_band: estimate.total.error_band,
        total: estimate.total.tokens.as_u64(),
        system: estimate.system.tokens.as_u64(),
        tools: estimate.tools.tokens.as_u64(),
        messages: messages
            .map(|(index, (message, estimate))| MessageAnswer {
                index,
                line: message.meta.source.and_then(|source| source.line),
                role: message.role.as_str(),
                tokens: estimate.tokens.as_u64(),
                source: estimate.source,
            })
            .collect(),
        error: None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^53")]
fn set_errors(answers: &mut [Answer]) {
    let truth = answers.last().map_or(0, |last| last.total);
    for answer in answers {
        answer.error = (truth > 0).then(|| answer.total as f64 / truth as f64 - 1.0);
    }
}

fn page(answers: &[Answer]) -> String {
    let mut page = String::from("   index  role     ");
    for answer in answers {
        page += &format!("{:>14}", answer.estimator);
    }
    page += "\n";
    for (position, message) in answers[0].messages.iter().enumerate() {
        page += &format!("{:>8}  {:<9}", message.index, message.role);
        for answer in answers {
            page += &format!("{:>14}", text::number(answer.messages[position].tokens));
        }
        page += "\n";
    }
    let mut sums = |title: &str, sum: fn(&Answer) -> u64| {
        page += &format!("{title:>19}");
        for answer in answers {
            page += &format!("{:>14}", text::number(sum(answer)));
        }
        page += "\n";
    };
    sums("system", |answer| answer.system);
    sums("tools", |answer| answer.tools);
    sums("total", |answer| answer.total);
    if answers.len() > 1 {
        page += &format!("{:>19}", "error");
        for answer in answers {
            let error = answer.error.map_or_else(|| "?".to_owned(), |e| format!("{:+.1} %", e * 100.0));
            page += &format!("{error:>14}");
        }
        page += "\n";
    }
    page
}
