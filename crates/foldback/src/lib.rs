#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

#[doc(inline)]
pub use foldback_compact as compact;
#[doc(inline)]
pub use foldback_model as model;
#[doc(inline)]
pub use foldback_plan as plan;
#[doc(inline)]
pub use foldback_summarize as summarize;
#[doc(inline)]
pub use foldback_tokens as tokens;
#[cfg(feature = "wire")]
#[doc(inline)]
pub use foldback_wire as wire;

/// What nearly every program that compacts needs.
pub mod prelude {
    pub use foldback_compact::{Compacted, Compactor, Config, Pending, Request};
    pub use foldback_model::{Context, Message, Part, Role, Summary, TokenCount};
    pub use foldback_plan::{BudgetConfig, Cut, Keep, Trigger};
    pub use foldback_summarize::{
        ChecklistSummarizer, SummarizeError, Summarizer, SummaryReply, SummaryRequest,
    };
    pub use foldback_tokens::{Estimator, Heuristic};
}

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
