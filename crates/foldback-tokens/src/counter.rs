//! From text to tokens: the place where a tokenizer plugs in.

use std::sync::Arc;

use foldback_model::TokenCount;

/// Counts the tokens that a model would charge for a piece of text.
///
/// # Contract
///
/// - Deterministic: equal text gives an equal count, in every process.
/// - The empty text costs [`TokenCount::ZERO`], any other text at least one token and at most one
///   token a byte.
/// - Text that looks like a special token, such as `<|endoftext|>`, counts as ordinary text.
/// - Never a panic, and no hang: the time grows with the length of the text, whatever the text.
/// - Nothing is promised about sums: a whole may cost more or less than its parts.
///
/// [`check_counter`](crate::conformance::check_counter) tests each line; run it on your own counter.
pub trait TokenCounter {
    /// The number of tokens in `text`, without per-message overhead.
    ///
    /// # Errors
    ///
    /// [`CountError`] when the tokenizer itself fails; never a panic, whatever the text.
    fn count_text(&self, text: &str) -> Result<TokenCount, CountError>;
}

/// A tokenizer could not count a text.
#[derive(Debug, thiserror::Error)]
#[error("counting tokens with `{counter}` failed")]
#[non_exhaustive]
pub struct CountError {
    /// What the counter is called.
    pub counter: String,
    /// Why it failed.
    #[source]
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

impl CountError {
    /// A failure of `counter`, caused by `source`.
    pub fn new(
        counter: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { counter: counter.into(), source: source.into() }
    }
}

macro_rules! forward {
    ($pointer:ty) => {
        impl<T: TokenCounter + ?Sized> TokenCounter for $pointer {
            fn count_text(&self, text: &str) -> Result<TokenCount, CountError> {
                (**self).count_text(text)
            }
        }
    };
}

forward!(&T);
forward!(Box<T>);
forward!(Arc<T>);
