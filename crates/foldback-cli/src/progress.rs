//! Shows that work goes on, on a terminal only, once it has taken more than a second.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// How long a piece of work may take unseen.
const PATIENCE: Duration = Duration::from_secs(1);

/// A piece of work; dropping it ends the display.
pub(crate) struct Progress {
    end: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Starts work that is called `what`.
    pub(crate) fn start(what: &'static str) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { end: None };
        }
        let (sender, receiver) = channel();
        let display = std::thread::spawn(move || {
            if receiver.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::new_spinner().with_message(what);
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(100));
            // Ends when the sender is dropped.
            let _ = receiver.recv();
            bar.finish_and_clear();
        });
        Self { end: Some((sender, display)) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, display)) = self.end.take() {
            drop(sender);
            // A display that panicked takes nothing with it.
            let _ = display.join();
        }
    }
}
