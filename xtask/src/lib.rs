//! What the workspace checks about itself. `cargo xtask` runs it from the command line, the test
//! member runs the layering as a test.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

mod cargo;
mod ci;
mod features;
mod hammer;
mod layers;

pub use ci::ci;
pub use features::check_features;
pub use hammer::hammer;
pub use layers::layering_errors;
