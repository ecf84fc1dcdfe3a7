//! When a compaction is due.

use foldback_model::TokenCount;
use serde::{Deserialize, Serialize};

use crate::Budget;

/// What happens at equality.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "there is no third way to compare with a limit")]
pub enum Compare {
    /// Fires above the limit only.
    Above,
    /// Fires at the limit too.
    AtLeast,
}

/// What a trigger looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Measure {
    /// The size of the whole context.
    pub tokens: TokenCount,
    /// The number of turns in it.
    pub turns: usize,
}

impl Measure {
    /// A context of `tokens` in `turns`.
    #[must_use]
    pub fn new(tokens: TokenCount, turns: usize) -> Self {
        Self { tokens, turns }
    }
}

/// A rule that says when a compaction is due.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Trigger {
    /// The context against a share of the budget's usable part. Without a budget it never fires.
    BudgetRatio {
        /// The share; above 1 it delays the compaction.
        ratio: f64,
        /// What happens at equality.
        compare: Compare,
    },
    /// The context against a share of the whole window. Without a budget it never fires.
    WindowRatio {
        /// The share.
        ratio: f64,
        /// What happens at equality.
        compare: Compare,
    },
    /// The context above a fixed size.
    TokensAbove(TokenCount),
    /// More turns than this.
    TurnsAbove(usize),
    /// At least one of the rules.
    Any(Vec<Trigger>),
    /// Every one of the rules; never, if there is none.
    All(Vec<Trigger>),
}

/// What is wrong with a trigger.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TriggerDefect {
    /// A ratio that is zero, negative, infinite or not a number.
    #[error("a trigger `ratio` of {ratio} is not a positive number")]
    Ratio {
        /// As given.
        ratio: f64,
    },
    /// A combination of no rules.
    #[error("`any` and `all` need at least one rule")]
    Empty,
}

impl Trigger {
    /// The rule of Golato: strictly above `ratio` of the budget.
    #[must_use]
    pub fn above_budget_ratio(ratio: f64) -> Self {
        Self::BudgetRatio { ratio, compare: Compare::Above }
    }

    /// Every defect of the rule and of the rules inside it; empty if there is none.
    #[must_use]
    pub fn defects(&self) -> Vec<TriggerDefect> {
        match self {
            Self::BudgetRatio { ratio, .. } | Self::WindowRatio { ratio, .. } => {
                let fine = ratio.is_finite() && *ratio > 0.0;
                if fine { Vec::new() } else { vec![TriggerDefect::Ratio { ratio: *ratio }] }
            }
            Self::TokensAbove(_) | Self::TurnsAbove(_) => Vec::new(),
            Self::Any(rules) | Self::All(rules) if rules.is_empty() => vec![TriggerDefect::Empty],
            Self::Any(rules) | Self::All(rules) => rules.iter().flat_map(Self::defects).collect(),
        }
    }

    /// Whether a compaction is due.
    #[must_use]
    pub fn fires(&self, measure: Measure, budget: Option<&Budget>) -> bool {
        let compared = |limit: TokenCount, compare: Compare| match compare {
            Compare::Above => measure.tokens > limit,
            Compare::AtLeast => measure.tokens >= limit,
        };
        match self {
            Self::BudgetRatio { ratio, compare } => {
                budget.is_some_and(|budget| compared(limit(budget.usable(), *ratio, *compare), *compare))
            }
            Self::WindowRatio { ratio, compare } => {
                budget.is_some_and(|budget| compared(limit(budget.window(), *ratio, *compare), *compare))
            }
            Self::TokensAbove(tokens) => measure.tokens > *tokens,
            Self::TurnsAbove(turns) => measure.turns > *turns,
            Self::Any(rules) => rules.iter().any(|rule| rule.fires(measure, budget)),
            Self::All(rules) => !rules.is_empty() && rules.iter().all(|rule| rule.fires(measure, budget)),
        }
    }

    /// The smallest size in tokens that the rule compares with, if it compares sizes.
    #[must_use]
    pub fn threshold(&self, budget: Option<&Budget>) -> Option<TokenCount> {
        match self {
            Self::BudgetRatio { ratio, compare } => {
                budget.map(|budget| limit(budget.usable(), *ratio, *compare))
            }
            Self::WindowRatio { ratio, compare } => {
                budget.map(|budget| limit(budget.window(), *ratio, *compare))
            }
            Self::TokensAbove(tokens) => Some(*tokens),
            Self::TurnsAbove(_) => None,
            Self::Any(rules) => rules.iter().filter_map(|rule| rule.threshold(budget)).min(),
            Self::All(rules) => rules.iter().filter_map(|rule| rule.threshold(budget)).max(),
        }
    }
}

/// The whole number that stands for `ratio * base` in a comparison of whole numbers.
///
/// The product is first freed of binary noise (0.7 * 10 is 7.000000000000001 for a machine), so that
/// a person's decimal ratio means what it says.
fn limit(base: TokenCount, ratio: f64, compare: Compare) -> TokenCount {
    const DIGITS: f64 = 1e6;
    #[expect(clippy::cast_precision_loss, reason = "windows stay far below 2^53")]
    let product = (base.as_u64() as f64 * ratio * DIGITS).round() / DIGITS;
    let whole = match compare {
        Compare::Above => product.floor(),
        Compare::AtLeast => product.ceil(),
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
    TokenCount::new(whole as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BudgetConfig;

    fn t(tokens: u64) -> TokenCount {
        TokenCount::new(tokens)
    }

    fn check(window: u64, reserve: u64, ratio: f64, tokens: u64, fires: bool) {
        let (budget, _) = BudgetConfig::new(t(window)).reserve(t(reserve)).build_lenient();
        let trigger = Trigger::above_budget_ratio(ratio);
        assert_eq!(
            trigger.fires(Measure::new(t(tokens), 1), Some(&budget)),
            fires,
            "{tokens} of {window} less {reserve} at {ratio}"
        );
    }

    #[test]
    fn gt1_an_equal_estimate_does_not_fire() {
        check(200_000, 4_000, 0.8, 156_800, false);
        check(200_000, 4_000, 0.8, 156_801, true);
    }

    #[test]
    fn gt3_a_ratio_above_one_delays() {
        check(10_000, 4_000, 1.5, 9_000, false);
        check(10_000, 4_000, 1.5, 9_001, true);
    }

    #[test]
    fn gt4_a_budget_of_zero_fires_at_one_token() {
        check(3_000, 4_000, 1.0, 0, false);
        check(3_000, 4_000, 1.0, 1, true);
    }

    #[test]
    fn a_decimal_ratio_means_what_it_says() {
        check(10, 0, 0.7, 7, false);
        check(100, 0, 0.29, 29, false);
        check(100, 0, 0.29, 30, true);
    }

    #[test]
    fn a_ratio_that_is_no_positive_number_is_a_defect() {
        for ratio in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Trigger::above_budget_ratio(ratio).defects().len(), 1, "{ratio}");
        }
        assert!(Trigger::above_budget_ratio(1.5).defects().is_empty());
        let both = Trigger::Any(vec![Trigger::above_budget_ratio(0.0), Trigger::All(Vec::new())]);
        assert_eq!(both.defects().len(), 2);
    }

    #[test]
    fn rules_combine() {
        let (budget, _) = BudgetConfig::new(t(100)).build_lenient();
        let rules = vec![Trigger::TokensAbove(t(50)), Trigger::TurnsAbove(3)];
        let measure = Measure::new(t(60), 3);
        assert!(Trigger::Any(rules.clone()).fires(measure, Some(&budget)));
        assert!(!Trigger::All(rules).fires(measure, Some(&budget)));
        assert!(!Trigger::All(Vec::new()).fires(measure, Some(&budget)));
        assert!(!Trigger::above_budget_ratio(0.1).fires(measure, None));
    }
}
