//! The whole gate.

use std::time::Instant;

use anyhow::{Result, ensure};

use crate::cargo::{cargo, run};
use crate::{check_features, layering_errors};

/// Runs every check; stops at the first that fails.
///
/// # Errors
///
/// What failed.
pub fn ci() -> Result<()> {
    step("format", || run(cargo(&["fmt", "--all", "--check"])))?;
    step("clippy", || {
        run(cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"]))
    })?;
    step("layers", || {
        let errors = layering_errors();
        ensure!(errors.is_empty(), "{}", errors.join("\n"));
        Ok(())
    })?;
    step("features", check_features)?;
    step("docs", || {
        let mut command = cargo(&["doc", "--workspace", "--no-deps"]);
        command.env("RUSTDOCFLAGS", "-D warnings");
        run(command)
    })?;
    step("tests", || run(cargo(&["test", "--workspace"])))
}

fn step(name: &str, check: impl FnOnce() -> Result<()>) -> Result<()> {
    eprintln!("== {name}");
    let start = Instant::now();
    check()?;
    eprintln!("== {name}: ok, {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}
