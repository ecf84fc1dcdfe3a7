//! From messages to tokens.

use std::sync::Arc;

use foldback_model::{Context, Message, ToolDefinition};

use crate::{CountError, Estimate};

/// Estimates what messages, tool definitions and system prompts cost.
///
/// # Contract
///
/// - Deterministic: equal input gives an equal estimate, in every process.
/// - Base64 is never counted as text: four times the bytes of a picture are not four times the tokens.
/// - What a call and a result carry counts: names, arguments, content.
/// - Metadata that never reaches a provider costs nothing.
/// - Never a panic, and time linear in the input.
///
/// [`check_estimator`](crate::conformance::check_estimator) tests each line; run it on your own.
pub trait Estimator {
    /// What `message` costs, framing included.
    ///
    /// # Errors
    ///
    /// [`EstimateError`] when a counter fails.
    fn estimate_message(&self, message: &Message) -> Result<Estimate, EstimateError>;

    /// What offering `tool` costs.
    ///
    /// # Errors
    ///
    /// [`EstimateError`] when a counter fails.
    fn estimate_tool(&self, tool: &ToolDefinition) -> Result<Estimate, EstimateError>;

    /// What the system prompt `text` costs, framing included.
    ///
    /// # Errors
    ///
    /// [`EstimateError`] when a counter fails.
    fn estimate_system(&self, text: &str) -> Result<Estimate, EstimateError>;

    /// A short name for reports, such as `heuristic`.
    fn name(&self) -> &str;

    /// What a request that sends `context` costs, part by part.
    ///
    /// # Errors
    ///
    /// [`EstimateError`] when a counter fails.
    fn estimate_context(&self, context: &Context) -> Result<ContextEstimate, EstimateError> {
        let none = Ok(Estimate::ZERO);
        let system = context.system.as_deref().map_or(none, |text| self.estimate_system(text))?;
        let mut tools = Estimate::ZERO;
        for tool in &context.tools {
            tools = tools + self.estimate_tool(tool)?;
        }
        let projected = context.summary.as_ref().and_then(|summary| summary.to_message());
        let summary = match projected {
            Some(message) => self.estimate_message(&message)?,
            None => Estimate::ZERO,
        };
        let messages = context
            .messages
            .iter()
            .map(|message| self.estimate_message(message))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(ContextEstimate::new(system, tools, summary, messages))
    }
}

/// What a context costs, part by part.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContextEstimate {
    /// Everything together.
    pub total: Estimate,
    /// The system text that stands outside the messages.
    pub system: Estimate,
    /// All tool definitions.
    pub tools: Estimate,
    /// The summary as the message that it is sent as.
    pub summary: Estimate,
    /// One estimate for each of the context's messages, in order; the summary is not among them.
    pub messages: Vec<Estimate>,
}

impl ContextEstimate {
    /// Puts the parts together.
    #[must_use]
    pub fn new(system: Estimate, tools: Estimate, summary: Estimate, messages: Vec<Estimate>) -> Self {
        let total = system + tools + summary + messages.iter().copied().sum();
        Self { total, system, tools, summary, messages }
    }
}

/// An estimate could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EstimateError {
    /// The counter behind the estimator failed.
    #[error("no token count for a {part}")]
    Count {
        /// What was being counted.
        part: &'static str,
        /// Why it failed.
        #[source]
        source: CountError,
    },
    /// An estimator of someone else's making failed.
    #[error("estimator `{estimator}` failed")]
    Other {
        /// The estimator's name.
        estimator: String,
        /// Why it failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

macro_rules! forward {
    ($pointer:ty) => {
        impl<T: Estimator + ?Sized> Estimator for $pointer {
            fn estimate_message(&self, message: &Message) -> Result<Estimate, EstimateError> {
                (**self).estimate_message(message)
            }

            fn estimate_tool(&self, tool: &ToolDefinition) -> Result<Estimate, EstimateError> {
                (**self).estimate_tool(tool)
            }

            fn estimate_system(&self, text: &str) -> Result<Estimate, EstimateError> {
                (**self).estimate_system(text)
            }

            fn name(&self) -> &str {
                (**self).name()
            }

            fn estimate_context(&self, context: &Context) -> Result<ContextEstimate, EstimateError> {
                (**self).estimate_context(context)
            }
        }
    };
}

forward!(&T);
forward!(Box<T>);
forward!(Arc<T>);
