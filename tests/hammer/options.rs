//! The command line.

use std::path::PathBuf;

use foldback_tests::robust::Target;

/// What is run.
pub(crate) struct Options {
    /// How many inputs each target gets.
    pub(crate) n_inputs: u64,
    /// The number of the first one.
    pub(crate) first: u64,
    /// Decides all inputs.
    pub(crate) seed: u64,
    pub(crate) targets: Vec<Target>,
    /// How many threads work.
    pub(crate) jobs: usize,
    /// Whether each input is stored before it is run, for those that end the process.
    pub(crate) trace: bool,
    /// An input to run instead of generated ones.
    pub(crate) replay: Option<PathBuf>,
    /// A folder to write the pieces to that inputs are made from.
    pub(crate) corpus: Option<PathBuf>,
}

const USAGE: &str = "usage: hammer [--inputs N] [--seed N] [--format NAME] [--jobs N] [--first N] [--trace] \
                     [--replay FILE] [--corpus DIR]; NAME is a format, `detect` or `convert`";

impl Options {
    pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            n_inputs: 20_000,
            first: 0,
            seed: 1,
            targets: Target::all(),
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            trace: false,
            replay: None,
            corpus: None,
        };
        while let Some(name) = args.next() {
            if name == "--trace" {
                (options.trace, options.jobs) = (true, 1);
                continue;
            }
            let value = args.next().ok_or_else(|| format!("`{name}` without a value; {USAGE}"))?;
            let number = || value.parse::<u64>().map_err(|_| format!("`{name} {value}`: no number; {USAGE}"));
            match name.as_str() {
                "--inputs" => options.n_inputs = number()?,
                "--first" => options.first = number()?,
                "--seed" => options.seed = number()?,
                "--jobs" => options.jobs = usize::try_from(number()?.max(1)).unwrap_or(1),
                "--format" => {
                    let target = Target::named(&value.replace('-', "_"));
                    let known: Vec<_> = Target::all().into_iter().map(Target::as_str).collect();
                    options.targets = vec![target.ok_or_else(|| {
                        format!("no target is called `{value}`; known are {}", known.join(", "))
                    })?];
                }
                "--replay" => options.replay = Some(value.into()),
                "--corpus" => options.corpus = Some(value.into()),
                _ => return Err(format!("unknown option `{name}`; {USAGE}")),
            }
        }
        Ok(options)
    }
}
