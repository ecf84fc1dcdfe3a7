//! Calls of cargo, and what is read from its answers.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The answer of `cargo metadata`, as far as it is needed here.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
}

/// A member of the workspace.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) features: std::collections::BTreeMap<String, Vec<String>>,
}

/// A line of a `[dependencies]` table.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `dev` or `build`; nothing for normal ones.
    pub(crate) kind: Option<String>,
    /// The folder, for a dependency by path.
    pub(crate) path: Option<PathBuf>,
}

/// Cargo in the workspace's folder, with `--offline` where the environment asks for it: a command of
/// cargo reads `CARGO_NET_OFFLINE` by itself, but says less about what is missing.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.current_dir(workspace_root()).args(args);
    let offline = std::env::var_os("CARGO_NET_OFFLINE").is_some_and(|value| value == "true" || value == "1");
    if offline && args.first() != Some(&"fmt") {
        command.arg("--offline");
    }
    command
}

/// Runs cargo with its output passed on.
pub(crate) fn run(mut command: Command) -> Result<()> {
    let shown = show(&command);
    let status = command.status().with_context(|| format!("cannot run `{shown}`"))?;
    ensure!(status.success(), "`{shown}` failed: {status}");
    Ok(())
}

/// What cargo writes to standard output.
pub(crate) fn output(mut command: Command) -> Result<String> {
    let shown = show(&command);
    let output = command.output().with_context(|| format!("cannot run `{shown}`"))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{shown}` failed: {}\n{complaint}", output.status);
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` wrote no UTF-8"))
}

/// The members of the workspace.
pub(crate) fn metadata() -> Result<Metadata> {
    let json = output(cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    serde_json::from_str(&json).context("cannot read the answer of `cargo metadata`")
}

fn show(command: &Command) -> String {
    let args: Vec<_> = command.get_args().map(|arg| arg.to_string_lossy()).collect();
    format!("cargo {}", args.join(" "))
}

fn workspace_root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}
