//! How much of a model's window a request may fill.

use std::fmt;

use foldback_model::TokenCount;
use serde::{Deserialize, Serialize};

/// What a person says about the window; [`BudgetConfig::build`] checks it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BudgetConfig {
    /// The model's context window, reply included.
    pub window: TokenCount,
    /// Held back for the reply.
    pub reserve: TokenCount,
    /// The output limit of the call, if one is set: the larger of it and `reserve` is held back.
    pub max_output: Option<TokenCount>,
    /// Held back for what the host will add, such as the bodies of skills.
    pub withheld: TokenCount,
    /// The share of the window that is left free in any case, from 0 to 0.9.
    pub headroom_ratio: f64,
}

impl BudgetConfig {
    /// The whole of `window`, nothing held back.
    #[must_use]
    pub fn new(window: TokenCount) -> Self {
        Self {
            window,
            reserve: TokenCount::ZERO,
            max_output: None,
            withheld: TokenCount::ZERO,
            headroom_ratio: 0.0,
        }
    }

    /// Holds `reserve` back for the reply.
    #[must_use]
    pub fn reserve(mut self, reserve: TokenCount) -> Self {
        self.reserve = reserve;
        self
    }

    /// States the output limit of the call.
    #[must_use]
    pub fn max_output(mut self, max_output: Option<TokenCount>) -> Self {
        self.max_output = max_output;
        self
    }

    /// Holds `withheld` back for what the host will add.
    #[must_use]
    pub fn withheld(mut self, withheld: TokenCount) -> Self {
        self.withheld = withheld;
        self
    }

    /// Leaves a share of the window free.
    #[must_use]
    pub fn headroom_ratio(mut self, ratio: f64) -> Self {
        self.headroom_ratio = ratio;
        self
    }

    /// Checks the budget and reports every defect.
    ///
    /// # Errors
    ///
    /// [`BudgetDefects`], never empty.
    pub fn build(self) -> Result<Budget, BudgetDefects> {
        let mut defects = Vec::new();
        if !(0.0..=0.9).contains(&self.headroom_ratio) {
            defects.push(BudgetDefect::HeadroomOutOfRange { headroom_ratio: self.headroom_ratio });
        }
        let held = self.held_back();
        if held >= self.window {
            defects.push(BudgetDefect::NothingLeft { window: self.window, held });
        }
        if defects.is_empty() {
            Ok(Budget { window: self.window, usable: self.usable() })
        } else {
            Err(BudgetDefects(defects))
        }
    }

    /// The same without refusing: what is out of range is brought into it, and every change is
    /// reported. A reserve of the whole window leaves a budget of zero, as in Golato.
    #[must_use]
    pub fn build_lenient(mut self) -> (Budget, Vec<Adjustment>) {
        let mut adjustments = Vec::new();
        if !(0.0..=0.9).contains(&self.headroom_ratio) {
            let used = if self.headroom_ratio > 0.9 { 0.9 } else { 0.0 };
            adjustments.push(Adjustment::Headroom { asked: self.headroom_ratio, used });
            self.headroom_ratio = used;
        }
        let held = self.held_back();
        if held >= self.window {
            adjustments.push(Adjustment::EmptyBudget { window: self.window, held });
        }
        (Budget { window: self.window, usable: self.usable() }, adjustments)
    }

    fn held_back(&self) -> TokenCount {
        self.reserve.max(self.max_output.unwrap_or_default()) + self.withheld
    }

    fn usable(&self) -> TokenCount {
        let free = self.window.scaled(self.headroom_ratio);
        self.window.saturating_sub(self.held_back()).min(self.window.saturating_sub(free))
    }
}

/// A checked budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    window: TokenCount,
    usable: TokenCount,
}

impl Budget {
    /// The model's whole window.
    #[must_use]
    pub fn window(&self) -> TokenCount {
        self.window
    }

    /// What the input of a request may fill.
    #[must_use]
    pub fn usable(&self) -> TokenCount {
        self.usable
    }
}

/// What is wrong with a budget.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetDefect {
    /// No input would fit: the reserve, the output limit or what is withheld takes the whole window.
    #[error(
        "`window` of {window} leaves nothing for the input: {held} are held back for the reply and for what is withheld; lower `reserve` or `max_output`, or name a larger window"
    )]
    NothingLeft {
        /// The model's window.
        window: TokenCount,
        /// Held back.
        held: TokenCount,
    },
    /// The headroom is not a share between 0 and 0.9.
    #[error("`headroom_ratio` of {headroom_ratio} is not between 0 and 0.9")]
    HeadroomOutOfRange {
        /// As given.
        headroom_ratio: f64,
    },
}

/// Every defect of a budget.
#[derive(Clone, Debug, PartialEq)]
pub struct BudgetDefects(Vec<BudgetDefect>);

impl BudgetDefects {
    /// The defects; never empty.
    #[must_use]
    pub fn defects(&self) -> &[BudgetDefect] {
        &self.0
    }
}

impl fmt::Display for BudgetDefects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, defect) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str("; ")?;
            }
            defect.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for BudgetDefects {}

/// What [`BudgetConfig::build_lenient`] changed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Adjustment {
    /// The headroom was brought into its range.
    Headroom {
        /// As given.
        asked: f64,
        /// As used.
        used: f64,
    },
    /// Nothing is left for the input.
    EmptyBudget {
        /// The model's window.
        window: TokenCount,
        /// Held back.
        held: TokenCount,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t(tokens: u64) -> TokenCount {
        TokenCount::new(tokens)
    }

    #[test]
    fn the_larger_of_reserve_and_output_limit_is_held_back() {
        let config = BudgetConfig::new(t(200_000)).reserve(t(4_000));
        assert_eq!(config.build().unwrap().usable(), t(196_000));
        assert_eq!(config.max_output(Some(t(8_000))).build().unwrap().usable(), t(192_000));
        assert_eq!(config.withheld(t(1_000)).build().unwrap().usable(), t(195_000));
    }

    #[test]
    fn gt4_a_reserve_over_the_window_is_refused_or_gives_zero() {
        let config = BudgetConfig::new(t(3_000)).reserve(t(4_000));
        assert_eq!(config.build().unwrap_err().defects().len(), 1);
        let (budget, adjustments) = config.build_lenient();
        assert_eq!(budget.usable(), TokenCount::ZERO);
        assert_eq!(adjustments.len(), 1);
    }

    #[test]
    fn all_defects_are_reported_at_once() {
        let config = BudgetConfig::new(t(10)).reserve(t(20)).headroom_ratio(f64::NAN);
        assert_eq!(config.build().unwrap_err().defects().len(), 2);
    }
}
