//! An estimator that knows the sizes beforehand.

use std::collections::BTreeMap;

use foldback_model::{Message, Part, TokenCount, ToolDefinition};
use foldback_tokens::{Estimate, EstimateError, EstimateSource, Estimator};

/// Gives each message the size that the test named for its id; anything else, such as a summary that
/// the code under test wrote, costs a token for every four bytes of text, rounded up.
///
/// ```
/// use foldback_model::{Message, TokenCount};
/// use foldback_testkit::notation;
/// use foldback_tokens::Estimator;
///
/// let history = notation::parse("u400 a300>1 t200<1")?;
/// let estimator = history.estimator();
/// assert_eq!(estimator.estimate_message(&history.messages[1])?.tokens, TokenCount::new(300));
/// assert_eq!(estimator.estimate_message(&Message::user("12345"))?.tokens, TokenCount::new(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixedEstimator {
    sizes: BTreeMap<String, TokenCount>,
}

impl FixedEstimator {
    /// An estimator that knows the messages of these ids (`meta.id`).
    #[must_use]
    pub fn new(sizes: impl IntoIterator<Item = (String, TokenCount)>) -> Self {
        Self { sizes: sizes.into_iter().collect() }
    }
}

impl Estimator for FixedEstimator {
    fn estimate_message(&self, message: &Message) -> Result<Estimate, EstimateError> {
        let known = message.meta.id.as_ref().and_then(|id| self.sizes.get(id)).copied();
        Ok(exactly(known.unwrap_or_else(|| four_bytes_each(bytes_of(message.parts())))))
    }

    fn estimate_tool(&self, tool: &ToolDefinition) -> Result<Estimate, EstimateError> {
        Ok(exactly(four_bytes_each(tool.name.len() + tool.description.len() + tool.schema.len())))
    }

    fn estimate_system(&self, text: &str) -> Result<Estimate, EstimateError> {
        Ok(exactly(four_bytes_each(text.len())))
    }

    fn name(&self) -> &str {
        "fixed"
    }
}

/// A test that names a size means that size: the band is zero.
fn exactly(tokens: TokenCount) -> Estimate {
    Estimate::new(tokens, EstimateSource::Counted, 0.0)
}

fn four_bytes_each(bytes: usize) -> TokenCount {
    TokenCount::new(bytes.div_ceil(4) as u64)
}

/// All that a model would read; media count nothing.
fn bytes_of(parts: &[Part]) -> usize {
    parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => text.len(),
            Part::Thinking(thinking) => thinking.text.len(),
            Part::ToolCall(call) => call.name.len() + call.arguments.len(),
            Part::ToolResult(result) => bytes_of(&result.content),
            Part::Opaque(opaque) => opaque.text.len(),
            _ => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use foldback_model::Context;

    use super::*;
    use crate::notation;

    #[test]
    fn a_context_costs_what_its_notation_says() {
        let history = notation::parse("s9 u400 a301>1,2+* t7<2 t20<1").unwrap();
        let estimator = history.estimator();
        let mut context = Context::new(history.messages.clone());
        context.tools = vec![ToolDefinition::new("name", "desc", "{}")];
        let estimate = estimator.estimate_context(&context).unwrap();
        let sizes: Vec<TokenCount> = estimate.messages.iter().map(|message| message.tokens).collect();
        assert_eq!(sizes, history.sizes);
        assert_eq!(estimate.total.tokens, TokenCount::new(9 + 400 + 301 + 7 + 20 + 3));
        assert_eq!(estimate.total.upper_bound(), estimate.total.tokens);
    }

    #[test]
    fn what_nobody_named_costs_its_bytes() {
        let history = notation::parse("a40>1,2+* t20<1").unwrap();
        let stranger = FixedEstimator::default();
        // Two calls of the tool `f`: a byte each beyond the notation.
        let estimate = stranger.estimate_message(&history.messages[0]).unwrap();
        assert_eq!(estimate.tokens, TokenCount::new(41));
        assert_eq!(stranger.estimate_message(&history.messages[1]).unwrap().tokens, TokenCount::new(20));
        assert_eq!(stranger.estimate_system("12345678").unwrap().tokens, TokenCount::new(2));
    }
}
