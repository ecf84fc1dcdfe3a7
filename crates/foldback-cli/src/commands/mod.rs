//! One module a command.

pub(crate) mod check;
pub(crate) mod compact;
pub(crate) mod convert;
pub(crate) mod count;
pub(crate) mod inspect;
pub(crate) mod plan;
