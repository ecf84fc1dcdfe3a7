//! What the tests of this member share: the program, the fixtures, and the laws of the readers.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

pub mod robust;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The program `foldback`, ready for arguments.
///
/// # Panics
///
/// If the program cannot be built; the message is the compiler's.
#[must_use]
pub fn foldback() -> assert_cmd::Command {
    assert_cmd::Command::new(program())
}

/// The program's file. It is built on the first call: cargo tells the place of a binary only to the
/// tests of its own package.
///
/// # Panics
///
/// If the program cannot be built; the message is the compiler's.
#[must_use]
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| build().unwrap_or_else(|error| panic!("{error}")))
}

/// A file or folder under `tests/fixtures/`.
#[must_use]
pub fn fixture(path: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(path)
}

fn build() -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    // Where cargo puts the program follows from the environment, CARGO_TARGET_DIR included, as it
    // did for this test; a relative folder is one of the root.
    command
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        // `--workspace` selects the same features of dependencies as the tests were built with.
        .args(["build", "--workspace", "--bin", "foldback"])
        .args(["--message-format", "json-render-diagnostics"]);
    // The program shares all its dependencies with the tests if it is built under their profile.
    command.args(["--profile", profile()]);
    let output = command.output().map_err(|error| format!("cannot run cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("the program does not build:\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == "foldback")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .ok_or_else(|| "cargo named no executable `foldback`".to_owned())
}

/// The profile that this test was built under.
fn profile() -> &'static str {
    if cfg!(debug_assertions) { "test" } else { "release" }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_fixtures_are_there() {
        assert!(super::fixture("transcripts").is_dir());
        assert!(super::fixture("cases/README.md").is_file());
    }
}
