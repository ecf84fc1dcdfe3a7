//! Time and memory.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// An input that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(10);
/// How often the watch looks.
const PAUSE: Duration = Duration::from_millis(20);

/// Where a worker tells what it is at: the number of its input, plus one; zero between two.
#[derive(Default)]
pub(crate) struct Post(AtomicU64);

impl Post {
    pub(crate) fn begin(&self, index: u64) {
        self.0.store(index.wrapping_add(1), Ordering::Relaxed);
    }

    pub(crate) fn end(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// Looks after the workers until all is `done`. If one is at the same input for too long, `report` is
/// asked about it and the process ends: a thread cannot be stopped from outside.
pub(crate) fn watch(posts: &[Post], done: &AtomicBool, report: impl Fn(u64) -> String) {
    let mut seen: Vec<(u64, Instant)> = vec![(0, Instant::now()); posts.len()];
    while !done.load(Ordering::Relaxed) {
        std::thread::sleep(PAUSE);
        for (post, seen) in posts.iter().zip(&mut seen) {
            let at = post.0.load(Ordering::Relaxed);
            if at != seen.0 {
                *seen = (at, Instant::now());
            } else if at != 0 && seen.1.elapsed() > LIMIT {
                eprintln!("error: {}", report(at - 1));
                std::process::exit(1);
            }
        }
    }
}

/// The most memory that the process has held, where the system tells.
pub(crate) fn peak_memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
