//! Inputs as files.

use std::path::{Path, PathBuf};

use foldback_tests::robust::{Inputs, Target};

use crate::run::Breach;

/// Stores an input that breaks a law; a text that says how to run it again.
pub(crate) fn write(breach: &Breach, target: Target) -> Result<String, String> {
    let path = put(&format!("{}-{}.bin", target.as_str(), breach.index), &breach.bytes)?;
    Ok(format!(
        "  input {}: {}\n    b\"{}\"\n    {}",
        breach.index,
        shortened(&breach.message.replace('\n', " ")),
        shortened(&breach.bytes.escape_ascii().to_string()),
        again(target, &path)
    ))
}

/// Stores an input that does not come to an end.
pub(crate) fn hang(target: Target, index: u64, bytes: &[u8]) -> String {
    match put(&format!("{}-{index}-hang.bin", target.as_str()), bytes) {
        Ok(path) => format!("hang: input {index} of {}\n    {}", target.as_str(), again(target, &path)),
        Err(error) => format!("hang: input {index} of {}; {error}", target.as_str()),
    }
}

/// Stores the input that is about to be run.
pub(crate) fn trace(bytes: &[u8]) -> Result<(), String> {
    put("last.bin", bytes).map(drop)
}

/// Writes the pieces that inputs are made from, a folder a target.
pub(crate) fn write_corpus(folder: &Path, inputs: &Inputs, targets: &[Target]) -> Result<(), String> {
    for &target in targets {
        let folder = folder.join(target.as_str());
        for (index, piece) in inputs.pieces(target).enumerate() {
            put_in(&folder, &format!("piece-{index}"), piece)?;
        }
    }
    Ok(())
}

fn again(target: Target, path: &Path) -> String {
    format!("cargo xtask hammer --format {} --replay {}", target.as_str(), path.display())
}

fn put(name: &str, bytes: &[u8]) -> Result<PathBuf, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.parent().unwrap_or(here);
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    put_in(&root.join(target).join("hammer"), name, bytes)
}

fn put_in(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, String> {
    let path = folder.join(name);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, bytes))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(path)
}

fn shortened(text: &str) -> String {
    const MAX_CHARS: usize = 600;
    let short: String = text.chars().take(MAX_CHARS).collect();
    if short.len() < text.len() { format!("{short} …") } else { short }
}
