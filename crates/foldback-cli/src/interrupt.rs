//! Ctrl-C: nothing half-written is left behind, and the exit code says what happened.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The file that is being written next to its target, if any.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Ends the program with exit code 130 on Ctrl-C.
pub(crate) fn install() {
    // Without a handler the system ends the program, which is second best.
    let _ = ctrlc::set_handler(|| {
        if let Ok(mut unfinished) = UNFINISHED.lock()
            && let Some(path) = unfinished.take()
        {
            let _ = std::fs::remove_file(path);
        }
        std::process::exit(130);
    });
}

/// Remembers the file to remove on Ctrl-C.
pub(crate) fn unfinished(path: Option<&Path>) {
    if let Ok(mut unfinished) = UNFINISHED.lock() {
        *unfinished = path.map(Path::to_owned);
    }
}
