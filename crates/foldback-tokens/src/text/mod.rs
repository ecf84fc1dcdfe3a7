//! Text to tokens without a tokenizer: [`scan`] counts what a text is made of, [`weights`] says what
//! each of it costs.

mod features;
mod scan;
mod script;
#[cfg(test)]
mod tests;
mod weights;

use foldback_model::TokenCount;

use features::Features;

/// An estimate of the tokens of `text`: at least one for any text, at most one a byte.
pub(crate) fn estimate(text: &str) -> TokenCount {
    if text.is_empty() {
        return TokenCount::ZERO;
    }
    let mut features = Features::new();
    scan::scan(text, &mut features);
    let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
    TokenCount::new(weights::o200k_cost(&features).clamp(1, bytes))
}
