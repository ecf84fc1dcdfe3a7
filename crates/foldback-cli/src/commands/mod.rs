//! One module a command, and what several of them share.

mod action;
mod edits;
mod target;

pub(crate) mod check;
pub(crate) mod compact;
pub(crate) mod convert;
pub(crate) mod count;
pub(crate) mod inspect;
pub(crate) mod plan;
pub(crate) mod repair;
