//! Runs many generated inputs through the laws of the readers; `cargo xtask hammer` starts it.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

mod options;
mod run;
mod store;
mod watch;

use std::io::Write;
use std::process::ExitCode;

use foldback_tests::robust::{Inputs, attempt};
use options::Options;

/// The process may not need more memory than this, whatever it reads.
const MAX_MEMORY_KIB: u64 = 1 << 20;

fn main() -> ExitCode {
    let outcome = Options::parse(std::env::args().skip(1)).and_then(|options| hammer(&options));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn hammer(options: &Options) -> Result<(), String> {
    if let Some(file) = &options.replay {
        return replay(options, file);
    }
    let inputs = Inputs::new();
    if let Some(folder) = &options.corpus {
        return store::write_corpus(folder, &inputs, &options.targets);
    }
    let mut n_broken = 0;
    say(&format!(
        "{:<18} {:>10} {:>10} {:>6} {:>9} {:>7}",
        "target", "inputs", "read", "%", "seconds", "broken"
    ))?;
    for &target in &options.targets {
        let tally = run::run(target, &inputs, options)?;
        say(&format!(
            "{:<18} {:>10} {:>10} {:>6.1} {:>9.1} {:>7}",
            target.as_str(),
            options.n_inputs,
            tally.n_read,
            100.0 * tally.n_read as f64 / options.n_inputs.max(1) as f64,
            tally.seconds,
            tally.n_broken
        ))?;
        for breach in &tally.breaches {
            say(&store::write(breach, target)?)?;
        }
        n_broken += tally.n_broken;
    }
    let memory = watch::peak_memory_kib();
    say(&memory.map_or_else(
        || "peak memory unknown on this system".to_owned(),
        |kib| format!("peak memory {:.1} MiB", kib as f64 / 1024.0),
    ))?;
    if n_broken > 0 {
        return Err(format!("{n_broken} inputs break a law"));
    }
    match memory {
        Some(kib) if kib > MAX_MEMORY_KIB => Err(format!("more than {} MiB of memory", MAX_MEMORY_KIB >> 10)),
        _ => Ok(()),
    }
}

/// Runs one stored input through the targets that are chosen.
fn replay(options: &Options, file: &std::path::Path) -> Result<(), String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    for &target in &options.targets {
        let is_read = attempt(target, &bytes).map_err(|broken| format!("{}: {broken}", target.as_str()))?;
        say(&format!("{}: {}", target.as_str(), if is_read { "read" } else { "refused" }))?;
    }
    Ok(())
}

fn say(line: &str) -> Result<(), String> {
    writeln!(std::io::stdout(), "{line}").map_err(|error| format!("cannot print: {error}"))
}
