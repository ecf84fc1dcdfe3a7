//! The program as its users run it.

mod answers;
mod bad_input;
mod sessions;
mod writing;
