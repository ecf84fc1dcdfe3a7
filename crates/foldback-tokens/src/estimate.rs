//! A number of tokens that says where it comes from and how far it may be off.

use std::iter::Sum;
use std::ops::Add;

use foldback_model::TokenCount;
use serde::{Deserialize, Serialize};

/// Where a number of tokens comes from, the most trustworthy first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EstimateSource {
    /// A provider reported it.
    Reported,
    /// A tokenizer counted the text.
    Counted,
    /// A rule of thumb.
    Heuristic,
}

/// A number of tokens, its origin and its uncertainty.
///
/// A sum is as trustworthy as its weakest part, and its band is the average of the bands, weighted by
/// tokens: errors of parts are taken to point the same way.
///
/// ```
/// use foldback_model::TokenCount;
/// use foldback_tokens::{Estimate, EstimateSource};
///
/// let reported = Estimate::new(TokenCount::new(900), EstimateSource::Reported, 0.0);
/// let guessed = Estimate::new(TokenCount::new(100), EstimateSource::Heuristic, 0.2);
/// let sum = reported + guessed;
/// assert_eq!((sum.tokens, sum.source), (TokenCount::new(1000), EstimateSource::Heuristic));
/// assert!((sum.error_band - 0.02).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Estimate {
    /// The number itself.
    pub tokens: TokenCount,
    /// Where it comes from.
    pub source: EstimateSource,
    /// How far the truth may lie from `tokens`, as a share of it: 0.15 says within 15 % on the corpus
    /// that the estimator was measured on. Not below zero, and finite.
    pub error_band: f64,
}

impl Estimate {
    /// Nothing at all: the neutral element of addition.
    pub const ZERO: Self =
        Self { tokens: TokenCount::ZERO, source: EstimateSource::Reported, error_band: 0.0 };

    /// `tokens` from `source`, right within `error_band` (a share, such as 0.15). A band that is
    /// negative or not a number counts as zero, an infinite one as the largest finite number.
    #[must_use]
    pub fn new(tokens: TokenCount, source: EstimateSource, error_band: f64) -> Self {
        let error_band = if error_band.is_nan() { 0.0 } else { error_band.clamp(0.0, f64::MAX) };
        Self { tokens, source, error_band }
    }

    /// The most that `tokens` may be in truth, if the band holds.
    #[must_use]
    pub fn upper_bound(&self) -> TokenCount {
        self.tokens + self.tokens.scaled(self.error_band)
    }
}

impl Add for Estimate {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (a, b) = (weight(self.tokens), weight(other.tokens));
        let error_band = match (a > 0.0, b > 0.0) {
            (true, true) => (self.error_band * (a / (a + b))) + (other.error_band * (b / (a + b))),
            (true, false) => self.error_band,
            (false, true) => other.error_band,
            (false, false) => self.error_band.max(other.error_band),
        };
        Self::new(self.tokens + other.tokens, self.source.max(other.source), error_band)
    }
}

impl Sum for Estimate {
    fn sum<I: Iterator<Item = Self>>(estimates: I) -> Self {
        estimates.fold(Self::ZERO, Add::add)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a weight need not be exact")]
fn weight(tokens: TokenCount) -> f64 {
    tokens.as_u64() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heuristic(tokens: u64, band: f64) -> Estimate {
        Estimate::new(TokenCount::new(tokens), EstimateSource::Heuristic, band)
    }

    #[test]
    fn a_sum_of_nothing_is_nothing_and_certain() {
        assert_eq!([].into_iter().sum::<Estimate>(), Estimate::ZERO);
        assert_eq!(Estimate::ZERO + heuristic(7, 0.5), heuristic(7, 0.5));
    }

    #[test]
    fn a_sum_is_as_good_as_its_weakest_part() {
        let counted = Estimate::new(TokenCount::new(10), EstimateSource::Counted, 0.0);
        assert_eq!((counted + heuristic(0, 0.1)).source, EstimateSource::Heuristic);
        assert_eq!((Estimate::ZERO + counted).source, EstimateSource::Counted);
    }

    #[test]
    fn sums_saturate_and_stay_finite() {
        let huge = heuristic(u64::MAX, f64::MAX);
        let sum = huge + huge;
        assert_eq!(sum.tokens, TokenCount::MAX);
        assert!(sum.error_band.is_finite());
        assert_eq!(heuristic(1, f64::NAN).error_band, 0.0);
        assert_eq!(heuristic(1, -3.0).error_band, 0.0);
    }

    #[test]
    fn the_upper_bound_adds_the_band() {
        assert_eq!(heuristic(100, 0.25).upper_bound(), TokenCount::new(125));
    }
}
