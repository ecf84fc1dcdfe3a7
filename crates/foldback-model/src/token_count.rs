//! Numbers of tokens, as a type of their own: a token is not a character and not a byte.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// A number of tokens.
///
/// Sums saturate. A difference is checked: a reserve larger than the window is a mistake to report,
/// not a budget of zero.
///
/// ```
/// use foldback_model::TokenCount;
///
/// let window = TokenCount::new(200_000);
/// assert_eq!(window.checked_sub(TokenCount::new(4_000)), Some(TokenCount::new(196_000)));
/// assert_eq!(TokenCount::ZERO.checked_sub(window), None);
/// assert_eq!(window.to_string(), "200000 tokens");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenCount(u64);

impl TokenCount {
    /// No tokens at all.
    pub const ZERO: Self = Self(0);
    /// More than any window holds.
    pub const MAX: Self = Self(u64::MAX);

    /// A count of `tokens`.
    #[must_use]
    pub const fn new(tokens: u64) -> Self {
        Self(tokens)
    }

    /// The bare number.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// What is left, or `None` when `other` is larger.
    #[must_use]
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(left) => Some(Self(left)),
            None => None,
        }
    }

    /// What is left, and zero when `other` is larger. For figures shown to a person, and where a
    /// reference asks for `max(0, a - b)`.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `self * ratio`, rounded down; a ratio that is negative or not a number gives zero.
    #[must_use]
    pub fn scaled(self, ratio: f64) -> Self {
        // `as` saturates and turns NaN into zero, which is what the doc promises.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "token counts stay far below 2^53, and the cast saturates"
        )]
        Self((self.0 as f64 * ratio) as u64)
    }
}

impl Add for TokenCount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for TokenCount {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for TokenCount {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for TokenCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens", self.0)
    }
}
