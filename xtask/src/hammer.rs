//! Millions of generated inputs for the readers.

use anyhow::{Context, Result};

use crate::cargo::{cargo, run};

/// Builds the hammer with optimization and with the checks of a debug build, and runs it with `args`.
///
/// # Errors
///
/// What does not build, or the hammer's own failure: an input that breaks a law, hangs, or ends the
/// process.
pub fn hammer(args: &[String]) -> Result<()> {
    let mut command =
        cargo(&["run", "--quiet", "--profile", "hammer", "--package", "foldback-tests", "--bin", "hammer"]);
    command.arg("--").args(args);
    run(command).context(
        "if the process was ended (a stack that overflows names its thread), run it again with the options in \
         the thread's name and with `--trace`: the input is then `hammer/last.bin` in the target folder",
    )
}
