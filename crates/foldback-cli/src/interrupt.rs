//! Ctrl-C: nothing half-written is left behind, and the exit code says what happened.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The file that is being written next to its target, if any.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Ends the program with exit code 130 on Ctrl-C.
pub(crate) fn install() {
    // Without a handler the system ends the program, which is second best.
    let _ = ctrlc::set_handler(|| {
        // The program ends under the lock: no other file can begin after this one is gone.
        guarded(|unfinished| {
            if let Some(path) = unfinished.take() {
                let _ = std::fs::remove_file(path);
            }
            std::process::exit(130)
        })
    });
}

/// Does `work` while Ctrl-C waits. A file is made and noted in one such piece of work, and finished
/// and forgotten in another, so that there is no moment at which it exists and nobody knows of it.
pub(crate) fn guarded<T>(work: impl FnOnce(&mut Option<PathBuf>) -> T) -> T {
    work(&mut UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_interrupts_waits_until_the_file_is_noted() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let interrupted = std::thread::spawn(move || {
            receiver.recv().unwrap();
            guarded(Option::take)
        });
        guarded(|unfinished| {
            sender.send(()).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(50));
            *unfinished = Some(PathBuf::from("new"));
        });
        assert_eq!(interrupted.join().unwrap(), Some(PathBuf::from("new")));
    }
}
