//! The laws of planning: a table of cuts, and the engine invariants of the design as properties.

mod cuts;
mod invariants;
