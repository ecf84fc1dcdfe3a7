//! From what a person wrote on the command line to what has been checked.

use foldback::compact::{Compactor, Config, Request};
use foldback::model::{Context, TokenCount};
use foldback::plan::{Budget, BudgetConfig, Keep, Trigger};
use foldback::tokens::{ContextEstimate, Estimator, Heuristic, SimpleRule};

use crate::args::{EstimatorName, PolicyArgs};
use crate::failure::Failure;

/// What is kept of the end of a conversation unless an option says otherwise. The figure is that of
/// pi and moa, from which Golato descends too.
const KEEP_RECENT: u64 = 20_000;

/// The estimator called `name`.
pub(crate) fn estimator(name: EstimatorName) -> Box<dyn Estimator> {
    match name {
        EstimatorName::Heuristic => Box::new(Heuristic::default()),
        EstimatorName::DockerAgent => Box::new(SimpleRule::docker_agent()),
        EstimatorName::Moa => Box::new(SimpleRule::moa()),
        EstimatorName::Pi => Box::new(SimpleRule::pi()),
        EstimatorName::Gg => Box::new(SimpleRule::gg_test()),
    }
}

/// A checked compactor and budget; all defects are reported at once.
pub(crate) fn policy(args: &PolicyArgs) -> Result<(Compactor, Budget), Failure> {
    let tokens = args.keep_recent.or(args.keep_turns.is_none().then_some(KEEP_RECENT));
    let mut keep = Keep::default();
    keep.tokens = tokens.map(TokenCount::new);
    keep.turns = args.keep_turns;
    let config = Config::new(keep)
        .trigger(Trigger::above_budget_ratio(args.ratio))
        .summary_tokens(TokenCount::new(args.summary_tokens));
    let budget = BudgetConfig::new(TokenCount::new(args.window))
        .reserve(TokenCount::new(args.reserve))
        .max_output(args.max_output.map(TokenCount::new))
        .build();
    match (Compactor::new(config), budget) {
        (Ok(compactor), Ok(budget)) => Ok((compactor, budget)),
        (compactor, budget) => {
            let defects = [compactor.err().map(|e| e.to_string()), budget.err().map(|e| e.to_string())];
            Err(Failure::usage(defects.into_iter().flatten().collect::<Vec<_>>().join("; ")))
        }
    }
}

/// The request that the options describe.
pub(crate) fn request<'a>(
    args: &'a PolicyArgs,
    context: &'a Context,
    estimator: &'a dyn Estimator,
    budget: Budget,
) -> Request<'a> {
    let mut request = Request::new(context, estimator).budget(budget).pinned(&args.pin);
    request.require_reduction = args.force;
    request
}

/// Measures the whole context.
pub(crate) fn measure(estimator: &dyn Estimator, context: &Context) -> Result<ContextEstimate, Failure> {
    estimator
        .estimate_context(context)
        .map_err(|error| Failure::request(format!("the context cannot be estimated: {error}")))
}
