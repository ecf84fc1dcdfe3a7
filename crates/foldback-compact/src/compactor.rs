//! The compactor: configuration, request, and the three calls of Golato.

use std::collections::BTreeSet;

use foldback_model::{Context, TokenCount};
use foldback_plan::{Budget, Decision, Keep, Outline, Plan, Policy, Trigger};
use foldback_summarize::Summarizer;
use foldback_tokens::{ContextEstimate, Estimator};

use crate::{CompactError, Compaction, ConfigDefect, ConfigDefects, Pending, Record};

/// How long a summary may be unless the configuration says otherwise.
const SUMMARY_TOKENS: TokenCount = TokenCount::new(2_000);

/// How a [`Compactor`] works. [`Compactor::new`] checks it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// What is kept of the end of the conversation.
    pub keep: Keep,
    /// When a compaction is due.
    pub trigger: Trigger,
    /// What a compaction has to achieve when no reduction is demanded.
    pub relief: Relief,
    /// How long a summary may be. It is also never asked to be longer than most of what it replaces.
    pub summary_tokens: TokenCount,
}

/// What a compaction has to achieve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Relief {
    /// Nothing: its result is taken as it is, as in Golato.
    None,
    /// The new context is smaller than the old one.
    StrictReduction,
}

impl Config {
    /// Keeps `keep` and compacts above the whole budget.
    #[must_use]
    pub fn new(keep: Keep) -> Self {
        Self {
            keep,
            trigger: Trigger::above_budget_ratio(1.0),
            relief: Relief::StrictReduction,
            summary_tokens: SUMMARY_TOKENS,
        }
    }

    /// The same with another trigger.
    #[must_use]
    pub fn trigger(mut self, trigger: Trigger) -> Self {
        self.trigger = trigger;
        self
    }

    /// The same with another aim.
    #[must_use]
    pub fn relief(mut self, relief: Relief) -> Self {
        self.relief = relief;
        self
    }

    /// The same with another limit for the summary.
    #[must_use]
    pub fn summary_tokens(mut self, tokens: TokenCount) -> Self {
        self.summary_tokens = tokens;
        self
    }
}

/// What is to be compacted.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Request<'a> {
    /// The conversation as it is.
    pub context: &'a Context,
    /// Measures it.
    pub estimator: &'a dyn Estimator,
    /// What the model's window allows, if it is known.
    pub budget: Option<Budget>,
    /// Indices of messages that stay, besides those that are pinned by themselves.
    pub pinned: &'a [usize],
    /// Ids of calls that are still running.
    pub pending: &'a [String],
    /// What this one summary should look at most. A topic, not an instruction.
    pub focus: Option<&'a str>,
    /// Whether the context has to become smaller, whatever the trigger says.
    pub require_reduction: bool,
}

impl<'a> Request<'a> {
    /// A request to look after `context`.
    #[must_use]
    pub fn new(context: &'a Context, estimator: &'a dyn Estimator) -> Self {
        Self {
            context,
            estimator,
            budget: None,
            pinned: &[],
            pending: &[],
            focus: None,
            require_reduction: false,
        }
    }

    /// The same with a budget, which the trigger needs.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = Some(budget);
        self
    }

    /// The same with pinned messages.
    #[must_use]
    pub fn pinned(mut self, indices: &'a [usize]) -> Self {
        self.pinned = indices;
        self
    }

    /// The same with calls that are still running.
    #[must_use]
    pub fn pending(mut self, ids: &'a [String]) -> Self {
        self.pending = ids;
        self
    }

    /// The same with a focus; a blank one is none.
    #[must_use]
    pub fn focus(mut self, focus: &'a str) -> Self {
        self.focus = Some(focus).filter(|focus| !focus.trim().is_empty());
        self
    }

    /// The same, and the context has to become smaller.
    #[must_use]
    pub fn require_reduction(mut self) -> Self {
        self.require_reduction = true;
        self
    }

    /// Refuses what no plan could be made for.
    fn check(&self) -> Result<(), CompactError> {
        let n = self.context.messages.len();
        if let Some(index) = self.pinned.iter().find(|&&index| index >= n) {
            return Err(CompactError::InvalidRequest(format!(
                "message {index} is to be pinned, but there are {n} messages, counted from 0"
            )));
        }
        for (index, message) in self.context.messages.iter().enumerate() {
            let mut ids = BTreeSet::new();
            if let Some(call) = message.calls().find(|call| !ids.insert(&call.id)) {
                return Err(CompactError::InvalidRequest(format!(
                    "message {index} has two calls with the id `{}`; ids must differ within a message",
                    call.id
                )));
            }
            let usage = message.meta.usage.unwrap_or_default();
            if usage.output.zip(usage.reasoning).is_some_and(|(output, reasoning)| reasoning > output) {
                return Err(CompactError::InvalidRequest(format!(
                    "message {index} reports more reasoning than output; reasoning is a part of the output"
                )));
            }
        }
        Ok(())
    }
}

/// The conversation after [`Compactor::compact`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Compacted {
    /// The new context; the old one if nothing was done.
    pub context: Context,
    /// What was done; `None` if nothing was.
    pub record: Option<Record>,
}

/// Keeps conversations within their window.
#[derive(Clone, Debug)]
pub struct Compactor {
    config: Config,
}

impl Compacted {
    /// The conversation of `request` as it was.
    #[must_use]
    pub fn unchanged(request: &Request<'_>) -> Self {
        Self { context: request.context.clone(), record: None }
    }
}

impl Compactor {
    /// A compactor of this configuration.
    ///
    /// # Errors
    ///
    /// [`ConfigDefects`], with every defect at once.
    pub fn new(config: Config) -> Result<Self, ConfigDefects> {
        let mut defects: Vec<ConfigDefect> =
            config.trigger.defects().into_iter().map(ConfigDefect::Trigger).collect();
        if config.summary_tokens == TokenCount::ZERO {
            defects.push(ConfigDefect::NoRoomForSummary);
        }
        if defects.is_empty() { Ok(Self { config }) } else { Err(ConfigDefects(defects)) }
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Decides, and says why when nothing is to be done.
    ///
    /// # Errors
    ///
    /// [`CompactError::InvalidRequest`] and [`CompactError::Estimate`].
    pub fn decide(&self, request: &Request<'_>) -> Result<Decision, CompactError> {
        let estimate = request.estimator.estimate_context(request.context).map_err(CompactError::Estimate)?;
        self.decide_measured(request, &estimate)
    }

    /// Decides with an estimate that the caller has already.
    ///
    /// # Errors
    ///
    /// [`CompactError::InvalidRequest`].
    pub fn decide_measured(
        &self,
        request: &Request<'_>,
        estimate: &ContextEstimate,
    ) -> Result<Decision, CompactError> {
        request.check()?;
        let outline = Outline::of_context(request.context, estimate, request.pinned, request.pending);
        let mut policy = Policy::new(self.config.keep)
            .trigger(self.config.trigger.clone())
            .summary_allowance(self.config.summary_tokens);
        policy.force = request.require_reduction;
        Ok(foldback_plan::plan(&outline, request.budget.as_ref(), &policy))
    }

    /// Decides without calling a summarizer; `None` if nothing is to be done.
    ///
    /// # Errors
    ///
    /// [`CompactError::NoReduction`] if a reduction is required and nothing can be condensed, or if
    /// what cannot be condensed is too large by itself; [`CompactError::InvalidRequest`];
    /// [`CompactError::Estimate`].
    pub fn plan(&self, request: &Request<'_>) -> Result<Option<Plan>, CompactError> {
        match self.decide(request)? {
            Decision::Compact(plan) => Ok(Some(plan)),
            Decision::NoReduction(reason) => Err(CompactError::NoReduction(reason.to_string())),
            Decision::NoProgress(part) => Err(CompactError::NoReduction(format!(
                "{} take up {} and cannot be condensed",
                part.what, part.tokens
            ))),
            _ => Ok(None),
        }
    }

    /// Begins to carry a plan out, without I/O. The plan's structure is checked, its estimates are
    /// trusted.
    ///
    /// # Errors
    ///
    /// [`CompactError::InvalidRequest`] if the plan does not fit the request.
    pub fn start<'a>(&self, request: &Request<'a>, plan: Plan) -> Result<Compaction<'a>, CompactError> {
        request.check()?;
        Compaction::new(*request, plan, &self.config)
    }

    /// Carries a plan out. `None` is a no-op even where a reduction is required.
    ///
    /// The future can be dropped at any point; nothing has changed then. If the summarizer returns a
    /// summary although it was told to stop, the summary is used.
    ///
    /// # Errors
    ///
    /// Any [`CompactError`].
    pub async fn apply(
        &self,
        request: &Request<'_>,
        plan: Option<Plan>,
        summarizer: &dyn Summarizer,
    ) -> Result<Compacted, CompactError> {
        let Some(plan) = plan else {
            return Ok(Compacted::unchanged(request));
        };
        let mut compaction = self.start(request, plan)?;
        while let Pending::Summarize(wanted) = compaction.pending() {
            let reply = summarizer.summarize(&wanted).await.map_err(CompactError::Summarization)?;
            compaction.summary_ready(reply)?;
        }
        compaction.finish()
    }

    /// Plans and carries the plan out.
    ///
    /// # Errors
    ///
    /// Any [`CompactError`].
    pub async fn compact(
        &self,
        request: &Request<'_>,
        summarizer: &dyn Summarizer,
    ) -> Result<Compacted, CompactError> {
        let plan = self.plan(request)?;
        self.apply(request, plan, summarizer).await
    }
}
