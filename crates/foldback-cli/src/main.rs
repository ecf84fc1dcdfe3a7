//! The program `foldback`: see what fills a context window, plan a compaction, carry it out.
//!
//! Exit codes: 0 done, a no-op included; 1 `check` has findings, or what was asked for cannot be had;
//! 2 bad usage or bad input; 130 interrupted.

mod args;
mod bands;
mod commands;
mod failure;
mod input;
mod interrupt;
mod output;
mod progress;
mod settings;
mod text;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    interrupt::install();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let json = cli.command.common().json;
    match run(&cli.command) {
        Ok(code) => code,
        Err(failure) => {
            failure.report(json);
            ExitCode::from(2)
        }
    }
}

fn run(command: &Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Inspect(args) => commands::inspect::run(args),
        Command::Count(args) => commands::count::run(args),
        Command::Plan(args) => commands::plan::run(args),
        Command::Compact(args) => commands::compact::run(args),
        Command::Convert(args) => commands::convert::run(args),
        Command::Check(args) => commands::check::run(args),
        Command::Repair(args) => commands::repair::run(args),
    }
}

/// Help and the version are no failures; a wrong option is one like any other.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Nobody is left to tell if standard output is closed.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if std::env::args_os().any(|arg| arg == "--json") {
        Failure::usage(error.to_string().trim().trim_start_matches("error: ").to_owned()).report(true);
    } else {
        let _ = error.print();
    }
    ExitCode::from(2)
}
