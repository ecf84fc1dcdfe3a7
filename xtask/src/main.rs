//! `cargo xtask TASK`: see `cargo xtask help`.

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask TASK

  ci        the whole gate: format, clippy, tests, docs, layers, features
  layers    each crate depends only on crates of lower floors, and the lower floors are pure
  features  every feature of the facade builds alone, and so does none at all
  hammer    many generated inputs through the laws of the readers:
            [--inputs N] [--seed N] [--format NAME] [--jobs N] [--first N] [--trace]
            [--replay FILE] [--corpus DIR]
";

fn main() -> ExitCode {
    let task = std::env::args().nth(1);
    let outcome = match task.as_deref() {
        Some("ci") => xtask::ci(),
        Some("layers") => layers(),
        Some("features") => xtask::check_features(),
        Some("hammer") => xtask::hammer(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("help" | "--help" | "-h") => {
            eprint!("{HELP}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn layers() -> anyhow::Result<()> {
    let errors = xtask::layering_errors();
    anyhow::ensure!(errors.is_empty(), "{}", errors.join("\n"));
    Ok(())
}
