//! Says whether a counter or an estimator keeps its contract. Run it on your own.
//!
//! ```
//! use foldback_tokens::{Heuristic, conformance};
//!
//! conformance::check_counter(&Heuristic::default()).unwrap();
//! conformance::check_estimator(&Heuristic::default()).unwrap();
//! ```
//!
//! The texts and messages come from a small generator with a fixed seed, so every run checks the same.
//! A hang cannot be reported from within: if a check takes more than some seconds, the counter is not
//! linear.

mod counter;
mod estimator;
mod generate;

pub use counter::check_counter;
pub use estimator::check_estimator;

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Collects what is wrong, each with its circumstances.
#[derive(Default)]
struct Findings(Vec<String>);

impl Findings {
    fn require(&mut self, holds: bool, finding: impl FnOnce() -> String) {
        if !holds {
            self.0.push(finding());
        }
    }

    /// The value of `call`; a failure or a panic is a finding.
    fn run<T, E: Debug>(&mut self, what: &str, call: impl FnOnce() -> Result<T, E>) -> Option<T> {
        match catch_unwind(AssertUnwindSafe(call)) {
            Ok(Ok(value)) => Some(value),
            Ok(Err(error)) => {
                self.0.push(format!("{what}: failed with {error:?}"));
                None
            }
            Err(_) => {
                self.0.push(format!("{what}: panicked"));
                None
            }
        }
    }

    fn into_result(self) -> Result<(), Vec<String>> {
        if self.0.is_empty() { Ok(()) } else { Err(self.0) }
    }
}

/// The beginning of `text`, for a finding.
fn excerpt(text: &str) -> String {
    let head: String = text.chars().take(24).collect();
    format!("{head:?} ({} bytes)", text.len())
}
