//! A measure and a summarizer that do what a test says.

use foldback_compact::{CompactError, Compacted, Compactor, Config, Pending, Request};
use foldback_model::{Context, Message, TokenCount, ToolDefinition};
use foldback_plan::{Keep, Plan};
use foldback_summarize::{SummaryReply, SummaryRequest};
use foldback_testkit::notation;
use foldback_tokens::{Estimate, EstimateError, EstimateSource, Estimator};

/// Four bytes of content to a token, as the notation of the test kit has it.
pub(crate) struct ByLength;

impl Estimator for ByLength {
    fn name(&self) -> &str {
        "by_length"
    }

    fn estimate_message(&self, message: &Message) -> Result<Estimate, EstimateError> {
        let bytes: usize = message.text().len()
            + message.calls().map(|call| call.arguments.len()).sum::<usize>()
            + message.results().map(|result| result.text().len()).sum::<usize>();
        Ok(tokens(bytes))
    }

    fn estimate_tool(&self, tool: &ToolDefinition) -> Result<Estimate, EstimateError> {
        Ok(tokens(tool.schema.len()))
    }

    fn estimate_system(&self, text: &str) -> Result<Estimate, EstimateError> {
        Ok(tokens(text.len()))
    }
}

fn tokens(bytes: usize) -> Estimate {
    Estimate::new(TokenCount::new(bytes.div_ceil(4) as u64), EstimateSource::Heuristic, 0.0)
}

/// The context that the notation describes.
pub(crate) fn context(history: &str) -> Context {
    Context::new(notation::parse(history).expect("the history is in the notation").messages)
}

/// A compactor that keeps `keep` tokens.
pub(crate) fn keeping(keep: u64) -> Compactor {
    Compactor::new(Config::new(Keep::tokens(TokenCount::new(keep)))).expect("the configuration is in order")
}

/// Carries `plan` out with a summarizer that is a function.
pub(crate) fn carry_out(
    compactor: &Compactor,
    request: &Request<'_>,
    plan: Plan,
    mut summarize: impl FnMut(&SummaryRequest<'_>) -> String,
) -> Result<Compacted, CompactError> {
    let mut compaction = compactor.start(request, plan)?;
    while let Pending::Summarize(wanted) = compaction.pending() {
        let reply = SummaryReply::new(summarize(&wanted));
        compaction.summary_ready(reply)?;
    }
    compaction.finish()
}

/// Plans and carries out, with a reduction demanded.
pub(crate) fn compact(
    keep: u64,
    context: &Context,
    summarize: impl FnMut(&SummaryRequest<'_>) -> String,
) -> Result<Compacted, CompactError> {
    let compactor = keeping(keep);
    let request = Request::new(context, &ByLength).require_reduction();
    let plan = compactor.plan(&request)?.expect("a plan that is demanded is there or an error");
    carry_out(&compactor, &request, plan, summarize)
}
