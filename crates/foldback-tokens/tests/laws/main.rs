//! The laws of the crate.

mod accuracy;
mod conformance;
mod contexts;
mod properties;
mod vectors;
