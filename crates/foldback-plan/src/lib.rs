//! When a conversation is too long, and where it may be cut.
//!
//! [`plan`] takes an [`Outline`] (how large each message is and what may not be parted), a
//! [`Budget`] and a [`Policy`], and returns a [`Decision`]: a value that says what to condense, what
//! to keep and why. It calls nobody, reads no clock and no file, and gives the same answer for the
//! same input on every machine.
//!
//! Whatever the policy says, a cut never parts a tool call from its result, a pinned message is
//! never condensed, and there is no plan that would have nothing to condense.
//!
//! ```
//! use foldback_model::{Message, TokenCount};
//! use foldback_plan::{BudgetConfig, Cut, Decision, Keep, Outline, Policy, plan};
//!
//! let messages: Vec<Message> = (0..6)
//!     .map(|i| if i % 2 == 0 { Message::user("q") } else { Message::assistant("a") })
//!     .collect();
//! let outline = Outline::of_messages(&messages, &[TokenCount::new(1_000); 6], &[], &[]);
//! let budget = BudgetConfig::new(TokenCount::new(6_000)).reserve(TokenCount::new(1_000)).build()?;
//! let policy = Policy::new(Keep::tokens(TokenCount::new(1_500)));
//!
//! let Decision::Compact(plan) = plan(&outline, Some(&budget), &policy) else { panic!() };
//! assert_eq!(plan.cut, Cut::At(4));
//! assert_eq!(plan.summarize, 0..4);
//! # Ok::<(), foldback_plan::BudgetDefects>(())
//! ```
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

mod budget;
mod cut;
mod outline;
mod plan;
mod trigger;

pub use budget::{Adjustment, Budget, BudgetConfig, BudgetDefect, BudgetDefects};
pub use cut::{Cut, Keep};
pub use outline::{Entry, Outline};
pub use plan::{Decision, Irreducible, Plan, Policy, Reason, plan};
pub use trigger::{Compare, Measure, Trigger, TriggerDefect};
