//! Conversations for tests: valid ones, broken ones, and ones written by hand in a line.
//!
//! - [`history::valid`] and [`history::broken`] are [`proptest`](mod@proptest) strategies. They build a conversation
//!   turn by turn, as an agent would, so that what they call valid is valid by construction, and they
//!   shrink to small conversations.
//! - [`Seeded`] builds the same kinds from a seed without `proptest`, at any length, for benches and
//!   for conformance suites.
//! - [`notation::parse`] reads a conversation such as `u400 a300>1 t200<1 u50`, for tests that state a
//!   situation and its outcome side by side; [`FixedEstimator`] then counts the tokens that it names.
//!
//! Nothing here reads a clock, a file or a source of randomness: the same seed gives the same
//! conversation on every machine. What a generator produces for a seed may change between versions.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

mod breakage;
mod fixed;
pub mod history;
pub mod notation;
mod script;
mod seeded;
mod shape;

pub use fixed::FixedEstimator;
pub use seeded::{Seeded, SplitMix64};
pub use shape::{History, Shape};
