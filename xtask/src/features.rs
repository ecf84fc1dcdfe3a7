//! Features only add: each builds alone, and none at all does.

use anyhow::{Context, Result};

use crate::cargo::{cargo, metadata, run};

const FACADE: &str = "foldback";

/// Builds the facade without features, and with each feature alone, without dev-dependencies: those
/// would switch on features of their own.
///
/// # Errors
///
/// The first build that fails, or a workspace without the facade.
pub fn check_features() -> Result<()> {
    let metadata = metadata()?;
    let facade = metadata
        .packages
        .iter()
        .find(|package| package.name == FACADE)
        .with_context(|| format!("the workspace has no crate `{FACADE}`"))?;
    let alone = ["check", "--package", FACADE, "--lib", "--no-default-features"];
    eprintln!("-- no features");
    run(cargo(&alone))?;
    for feature in facade.features.keys() {
        eprintln!("-- {feature}");
        run(cargo(&[&alone[..], &["--features", feature]].concat()))?;
    }
    Ok(())
}
