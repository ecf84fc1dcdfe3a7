//! What a provider said a call consumed.

use serde::{Deserialize, Serialize};

use crate::TokenCount;

/// Tokens of one call, as its provider reported them. `None` means that the provider did not say.
///
/// The classes do not overlap on the input side: the whole prompt is
/// `input + cached_input + cache_write`. `reasoning` is the part of `output` that was thought and
/// not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// Input tokens neither read from nor written to a cache.
    pub input: Option<TokenCount>,
    /// Output tokens, reasoning included.
    pub output: Option<TokenCount>,
    /// Input tokens read from a cache.
    pub cached_input: Option<TokenCount>,
    /// Input tokens written to a cache.
    pub cache_write: Option<TokenCount>,
    /// The part of `output` that is reasoning.
    pub reasoning: Option<TokenCount>,
}

impl Usage {
    /// The whole prompt of the call, or `None` when the provider reported no class of input.
    #[must_use]
    pub fn prompt(&self) -> Option<TokenCount> {
        let classes = [self.input, self.cached_input, self.cache_write];
        classes.iter().any(Option::is_some).then(|| classes.into_iter().flatten().sum())
    }

    /// What two reports of one call come to, as a stream gives them: the later one holds where it says
    /// something. The classes of the prompt go together, and a prompt of nothing says nothing.
    ///
    /// ```
    /// use foldback_model::{TokenCount, Usage};
    ///
    /// let (mut start, mut end) = (Usage::default(), Usage::default());
    /// (start.input, start.output) = (Some(TokenCount::new(9)), Some(TokenCount::new(1)));
    /// (end.input, end.output) = (Some(TokenCount::new(0)), Some(TokenCount::new(40)));
    /// let usage = start.updated_by(end);
    /// assert_eq!((usage.input, usage.output), (start.input, end.output));
    /// ```
    #[must_use]
    pub fn updated_by(self, later: Self) -> Self {
        let says = |count: Option<TokenCount>| count.filter(|count| *count > TokenCount::default());
        let prompt = if says(later.prompt()).is_some() || self.prompt().is_none() { later } else { self };
        Self {
            input: prompt.input.or(self.input),
            cached_input: prompt.cached_input.or(self.cached_input),
            cache_write: prompt.cache_write.or(self.cache_write),
            output: says(later.output).or(self.output).or(later.output),
            reasoning: says(later.reasoning).or(self.reasoning).or(later.reasoning),
        }
    }

    /// Class by class, the sum of two calls.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        fn add(a: Option<TokenCount>, b: Option<TokenCount>) -> Option<TokenCount> {
            match (a, b) {
                (None, None) => None,
                (a, b) => Some(a.unwrap_or_default() + b.unwrap_or_default()),
            }
        }
        Self {
            input: add(self.input, other.input),
            output: add(self.output, other.output),
            cached_input: add(self.cached_input, other.cached_input),
            cache_write: add(self.cache_write, other.cache_write),
            reasoning: add(self.reasoning, other.reasoning),
        }
    }
}
