//! Token estimates without a tokenizer, and the traits that counters and estimators implement.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
mod counter;
mod estimate;
mod estimator;
mod heuristic;
mod media;
mod message;
mod simple;
mod text;

pub use counter::{CountError, TokenCounter};
pub use estimate::{Estimate, EstimateSource};
pub use estimator::{ContextEstimate, EstimateError, Estimator};
pub use heuristic::{Counted, Heuristic};
pub use media::ImageRule;
pub use simple::SimpleRule;
