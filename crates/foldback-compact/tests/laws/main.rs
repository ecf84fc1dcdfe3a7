//! The laws of compacting: rules of reference 000 by number, and the engine invariants of the design.

mod fixtures;
mod golato;
mod invariants;
