//! What must hold for the readers of `foldback-wire` whatever they are given, and a generator of what
//! they may be given.
//!
//! The same bodies run under three drivers: `cargo test` (some thousands of inputs), `cargo xtask hammer`
//! (millions) and the coverage-guided targets under `fuzz/`. A body panics where a law is broken.

mod document;
mod guard;
mod input;
mod laws;
mod mutate;
mod reduce;
mod seeds;
mod spans;

pub use guard::attempt;
pub use input::Inputs;
pub use laws::{convert, detect, reader};
pub use reduce::reduced;

use foldback_wire::Format;

/// What an input is run through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// The reader of one format.
    Reader(Format),
    /// The detection of the format.
    Detect,
    /// The conversion into every wire format.
    Convert,
}

impl Target {
    /// Every target: one for each format, then the two that concern all.
    #[must_use]
    pub fn all() -> Vec<Self> {
        Format::ALL.into_iter().map(Self::Reader).chain([Self::Detect, Self::Convert]).collect()
    }

    /// The name used on the command line and under `fuzz/`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reader(format) => format.as_str(),
            Self::Detect => "detect",
            Self::Convert => "convert",
        }
    }

    /// The target of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|target| target.as_str() == name)
    }

    /// Runs `bytes` through the laws. Whether they could be read.
    ///
    /// # Panics
    ///
    /// If a law is broken; the message names it.
    pub fn run(self, bytes: &[u8]) -> bool {
        match self {
            Self::Reader(format) => reader(format, bytes),
            Self::Detect => detect(bytes),
            Self::Convert => convert(bytes),
        }
    }
}

/// Runs `bytes` through the target called `name`.
///
/// # Panics
///
/// If there is no such target, or if a law is broken.
pub fn run(name: &str, bytes: &[u8]) {
    let Some(target) = Target::named(name) else { panic!("no target is called `{name}`") };
    target.run(bytes);
}
