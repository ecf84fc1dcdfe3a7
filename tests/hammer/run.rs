//! Shares the inputs of one target out among threads.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use foldback_tests::robust::{Inputs, Target, attempt, reduced};

use crate::options::Options;
use crate::store;
use crate::watch::{Post, watch};

/// Inputs that one thread runs before its name changes. The name is all that is told of a thread whose
/// stack overflows, since that ends the process.
const BLOCK: u64 = 1_000;
/// Breaches beyond this many kinds are counted and not kept.
const MAX_KINDS: usize = 12;

/// What came of the inputs of a target.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) n_read: u64,
    pub(crate) n_broken: u64,
    /// One of each kind.
    pub(crate) breaches: Vec<Breach>,
    pub(crate) seconds: f64,
}

/// An input that breaks a law.
#[derive(Clone)]
pub(crate) struct Breach {
    pub(crate) index: u64,
    pub(crate) bytes: Vec<u8>,
    pub(crate) message: String,
}

#[derive(Default)]
struct Shared {
    next: AtomicU64,
    n_read: AtomicU64,
    n_broken: AtomicU64,
    /// By where the panic was.
    breaches: Mutex<BTreeMap<String, Breach>>,
    done: AtomicBool,
}

/// Runs all inputs of `target`.
pub(crate) fn run(target: Target, inputs: &Inputs, options: &Options) -> Result<Tally, String> {
    let start = Instant::now();
    let shared = Shared::default();
    let posts: Vec<Post> = (0..options.jobs).map(|_| Post::default()).collect();
    thread::scope(|scope| {
        let workers: Vec<_> =
            posts.iter().map(|post| scope.spawn(|| work(target, inputs, options, &shared, post))).collect();
        scope.spawn(|| {
            watch(&posts, &shared.done, |index| {
                let bytes = inputs.input(target, options.seed, index);
                store::hang(target, index, &bytes)
            });
        });
        let outcome: Result<Vec<()>, String> = workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|_| Err("a worker failed".to_owned())))
            .collect();
        shared.done.store(true, Ordering::Relaxed);
        outcome
    })?;
    let breaches = shared.breaches.into_inner().map_err(|_| "a worker failed".to_owned())?;
    Ok(Tally {
        n_read: shared.n_read.into_inner(),
        n_broken: shared.n_broken.into_inner(),
        breaches: breaches.into_values().collect(),
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Runs block after block, each in a thread that is named after it.
fn work(
    target: Target,
    inputs: &Inputs,
    options: &Options,
    shared: &Shared,
    post: &Post,
) -> Result<(), String> {
    loop {
        let start = shared.next.fetch_add(BLOCK, Ordering::Relaxed);
        if start >= options.n_inputs {
            return Ok(());
        }
        let length = BLOCK.min(options.n_inputs - start);
        let first = options.first + start;
        let name = format!("--format {} --first {first} --inputs {length}", target.as_str());
        let block = || -> Result<(), String> {
            for index in first..first + length {
                let bytes = inputs.input(target, options.seed, index);
                if options.trace {
                    store::trace(&bytes)?;
                }
                post.begin(index);
                let outcome = attempt(target, &bytes);
                post.end();
                match outcome {
                    Ok(is_read) => shared.n_read.fetch_add(u64::from(is_read), Ordering::Relaxed),
                    Err(message) => {
                        note(target, shared, Breach { index, bytes, message })?;
                        shared.n_broken.fetch_add(1, Ordering::Relaxed)
                    }
                };
            }
            Ok(())
        };
        let outcome = thread::scope(|scope| {
            let thread = thread::Builder::new().name(name).spawn_scoped(scope, block);
            let thread = thread.map_err(|error| format!("cannot start a thread: {error}"))?;
            thread.join().unwrap_or_else(|_| Err("a worker failed".to_owned()))
        });
        outcome?;
    }
}

/// Keeps the breach, made smaller, if it is the first of its kind.
fn note(target: Target, shared: &Shared, breach: Breach) -> Result<(), String> {
    let place = |message: &str| message.lines().next().unwrap_or_default().to_owned();
    let kind = place(&breach.message);
    let mut breaches = shared.breaches.lock().map_err(|_| "a worker failed".to_owned())?;
    if breaches.contains_key(&kind) || breaches.len() >= MAX_KINDS {
        return Ok(());
    }
    breaches.insert(kind.clone(), breach.clone());
    drop(breaches);
    // Other threads go on meanwhile; the smaller input replaces the first one.
    let bytes =
        reduced(&breach.bytes, |bytes| attempt(target, bytes).is_err_and(|broken| place(&broken) == kind));
    let message = attempt(target, &bytes).err().unwrap_or(breach.message);
    let mut breaches = shared.breaches.lock().map_err(|_| "a worker failed".to_owned())?;
    breaches.insert(kind, Breach { index: breach.index, bytes, message });
    Ok(())
}
