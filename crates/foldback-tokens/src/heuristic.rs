//! The estimators: one without a tokenizer, and one around any counter.

use foldback_model::{Message, TokenCount, ToolDefinition};

use crate::message::Walk;
use crate::{CountError, Estimate, EstimateError, EstimateSource, Estimator, ImageRule, TokenCounter, text};

/// Nineteen in twenty held-out documents are estimated within this share of `o200k_base`.
const TEXT_BAND: f64 = 0.2;
/// Texts are exact; framing constants and hidden prompts of providers are not.
const COUNTED_BAND: f64 = 0.02;

/// Estimates tokens without a tokenizer, by what a text is made of. The default.
///
/// Text is fitted to `o200k_base`; the table in the [crate documentation](crate) says how well. Other
/// families of tokenizers need up to a third more.
///
/// ```
/// use foldback_model::{Message, TokenCount};
/// use foldback_tokens::{Estimator, Heuristic, TokenCounter};
///
/// let heuristic = Heuristic::default();
/// let count = heuristic.count_text("The quick brown fox jumps over the lazy dog.")?;
/// assert_eq!(count, TokenCount::new(10));
/// // A message has some framing around its text.
/// assert_eq!(heuristic.estimate_message(&Message::user("hello"))?.tokens, TokenCount::new(5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heuristic {
    images: ImageRule,
}

impl Heuristic {
    /// The default: pictures by Anthropic's rule.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Prices pictures by `rule`.
    #[must_use]
    pub fn with_images(mut self, rule: ImageRule) -> Self {
        self.images = rule;
        self
    }

    fn walk(&self) -> Walk<'_, Self> {
        Walk { counter: self, source: EstimateSource::Heuristic, band: TEXT_BAND, images: self.images }
    }
}

impl TokenCounter for Heuristic {
    fn count_text(&self, text: &str) -> Result<TokenCount, CountError> {
        Ok(text::estimate(text))
    }
}

impl Estimator for Heuristic {
    fn estimate_message(&self, message: &Message) -> Result<Estimate, EstimateError> {
        self.walk().message(message)
    }

    fn estimate_tool(&self, tool: &ToolDefinition) -> Result<Estimate, EstimateError> {
        self.walk().tool(tool)
    }

    fn estimate_system(&self, text: &str) -> Result<Estimate, EstimateError> {
        self.walk().system(text)
    }

    fn name(&self) -> &str {
        "heuristic"
    }
}

/// An estimator around a [`TokenCounter`]: text is counted, the rest is framed and priced as by
/// [`Heuristic`].
///
/// ```
/// use foldback_model::{Message, TokenCount};
/// use foldback_tokens::{CountError, Counted, EstimateSource, Estimator, TokenCounter};
///
/// struct Words;
///
/// impl TokenCounter for Words {
///     fn count_text(&self, text: &str) -> Result<TokenCount, CountError> {
///         Ok(TokenCount::new(text.split_whitespace().count() as u64))
///     }
/// }
///
/// let estimate = Counted::new("words", Words).estimate_message(&Message::user("one two three"))?;
/// assert_eq!((estimate.tokens, estimate.source), (TokenCount::new(7), EstimateSource::Counted));
/// # Ok::<(), foldback_tokens::EstimateError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Counted<C> {
    name: String,
    counter: C,
    images: ImageRule,
}

impl<C: TokenCounter> Counted<C> {
    /// An estimator around `counter`, called `name` in reports.
    pub fn new(name: impl Into<String>, counter: C) -> Self {
        Self { name: name.into(), counter, images: ImageRule::default() }
    }

    /// Prices pictures by `rule`.
    #[must_use]
    pub fn with_images(mut self, rule: ImageRule) -> Self {
        self.images = rule;
        self
    }

    fn walk(&self) -> Walk<'_, C> {
        Walk {
            counter: &self.counter,
            source: EstimateSource::Counted,
            band: COUNTED_BAND,
            images: self.images,
        }
    }
}

impl<C: TokenCounter> Estimator for Counted<C> {
    fn estimate_message(&self, message: &Message) -> Result<Estimate, EstimateError> {
        self.walk().message(message)
    }

    fn estimate_tool(&self, tool: &ToolDefinition) -> Result<Estimate, EstimateError> {
        self.walk().tool(tool)
    }

    fn estimate_system(&self, text: &str) -> Result<Estimate, EstimateError> {
        self.walk().system(text)
    }

    fn name(&self) -> &str {
        &self.name
    }
}
