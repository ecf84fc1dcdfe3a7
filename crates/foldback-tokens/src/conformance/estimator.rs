//! The contract of [`Estimator`], line by line.

use foldback_model::{
    Context, Media, MediaSource, Message, Meta, Part, Pin, Role, Summary, Thinking, ToolCall, ToolDefinition,
    ToolResult,
};

use super::Findings;
use super::generate::Generator;
use crate::{Estimate, Estimator};

/// Checks every line of the contract of [`Estimator`].
///
/// # Errors
///
/// All findings, each with what was estimated.
pub fn check_estimator(estimator: &dyn Estimator) -> Result<(), Vec<String>> {
    let mut findings = Findings::default();
    findings.require(!estimator.name().trim().is_empty(), || "the name is blank".into());
    check_messages(estimator, &mut findings);
    check_context(estimator, &mut findings);
    check_base64(estimator, &mut findings);
    check_all_content_counts(estimator, &mut findings);
    check_metadata_is_free(estimator, &mut findings);
    check_runs(estimator, &mut findings);
    findings.into_result()
}

fn check_messages(estimator: &dyn Estimator, findings: &mut Findings) {
    let mut generator = Generator::new(2);
    for index in 0..500 {
        let message = generator.message();
        let what = format!("generated message {index}");
        let Some(first) = estimate(estimator, &what, &message, findings) else { continue };
        let again = estimate(estimator, &what, &message, findings);
        findings.require(again == Some(first), || format!("{what}: two estimates differ"));
        let band = first.error_band;
        findings.require(band.is_finite() && band >= 0.0, || format!("{what}: an error band of {band}"));
    }
}

fn check_context(estimator: &dyn Estimator, findings: &mut Findings) {
    let mut generator = Generator::new(3);
    let mut context = Context::new((0..20).map(|_| generator.message()).collect());
    context.system = Some(LONG.repeat(9));
    context.tools = vec![ToolDefinition::new("a", "does a", "{}"), ToolDefinition::new("b", LONG, "{}")];
    context.summary = Some(Summary::new(LONG));
    let Some(whole) = findings.run("a context", || estimator.estimate_context(&context)) else { return };
    let n = context.messages.len();
    findings.require(whole.messages.len() == n, || {
        format!("{} estimates for {n} messages", whole.messages.len())
    });
    let parts = [whole.system, whole.tools, whole.summary].into_iter().chain(whole.messages.iter().copied());
    let sum = parts.map(|part| part.tokens).sum();
    findings.require(whole.total.tokens == sum, || {
        format!("a context's total of {} is not the sum of its parts, {sum}", whole.total.tokens)
    });
    for (name, part) in [("system prompt", whole.system), ("tools", whole.tools), ("summary", whole.summary)]
    {
        findings.require(part.tokens.as_u64() > 0, || format!("the {name} of a context costs nothing"));
    }
}

/// As text, a picture would cost a token for every two to four bytes of its base64.
fn check_base64(estimator: &dyn Estimator, findings: &mut Findings) {
    let data = Generator::new(4).base64(1 << 20);
    let image = || Part::Image(Media::new(Some("image/png".into()), MediaSource::Base64(data.clone())));
    let mut result = ToolResult::new("c", "");
    result.content = vec![image()];
    for (what, part) in [("a picture", image()), ("a picture in a result", Part::ToolResult(result))] {
        let message = Message::new(Role::User, vec![part]);
        let Some(estimate) = estimate(estimator, what, &message, findings) else { continue };
        findings.require(estimate.tokens.as_u64() < data.len() as u64 / 100, || {
            format!(
                "{what} of {} characters of base64 costs {}: it is counted as text",
                data.len(),
                estimate.tokens
            )
        });
    }
}

fn check_all_content_counts(estimator: &dyn Estimator, findings: &mut Findings) {
    type Build = fn(&str) -> Part;
    let builds: [(&str, Build); 5] = [
        ("text", |text| Part::text(text)),
        ("reasoning", |text| Part::Thinking(Thinking::new(text))),
        ("a call's name", |text| Part::ToolCall(ToolCall::new("c", text, "{}"))),
        ("a call's arguments", |text| Part::ToolCall(ToolCall::new("c", "f", text))),
        ("a result", |text| Part::ToolResult(ToolResult::new("c", text))),
    ];
    let long = LONG.repeat(20);
    for (what, build) in builds {
        let message = |text: &str| Message::new(Role::Assistant, vec![build(text)]);
        let small = estimate(estimator, what, &message("x"), findings);
        let large = estimate(estimator, what, &message(&long), findings);
        if let (Some(small), Some(large)) = (small, large) {
            let grown = large.tokens.saturating_sub(small.tokens).as_u64();
            findings.require(grown > long.len() as u64 / 20, || {
                format!("{what}: {} bytes more cost only {grown} tokens", long.len())
            });
        }
    }
}

fn check_metadata_is_free(estimator: &dyn Estimator, findings: &mut Findings) {
    let plain = Message::assistant(LONG);
    let mut meta = Meta::default();
    meta.id = Some(LONG.into());
    meta.model = Some(LONG.into());
    meta.pin = Some(Pin::InPlace);
    meta.cache_marker = true;
    let marked = plain.clone().with_meta(meta);
    let without = estimate(estimator, "a message", &plain, findings);
    let with = estimate(estimator, "a message with metadata", &marked, findings);
    findings.require(without == with, || "metadata that no provider sees changes the estimate".into());
}

fn check_runs(estimator: &dyn Estimator, findings: &mut Findings) {
    for run in ["a", " ", "\n", "=", "中", "🚚"] {
        let message = Message::tool(ToolResult::new("c", run.repeat(200_000)));
        let what = format!("a run of {run:?}");
        let Some(estimate) = estimate(estimator, &what, &message, findings) else { continue };
        findings.require(estimate.tokens.as_u64() > 100, || format!("{what} costs {}", estimate.tokens));
    }
}

fn estimate(
    estimator: &dyn Estimator,
    what: &str,
    message: &Message,
    findings: &mut Findings,
) -> Option<Estimate> {
    findings.run(what, || estimator.estimate_message(message))
}

const LONG: &str = "Every vessel is written down with its draught, its berth and the hour of its arrival. ";
