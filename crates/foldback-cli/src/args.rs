//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use foldback::wire::Format;

/// Keeps a conversation with a language model going when its context window fills up.
///
/// Reads requests of OpenAI (Chat Completions, Responses), Anthropic, Gemini and Bedrock, session logs of
/// Claude Code, Codex, pi, OpenHands and SWE-agent, and messages of LangChain; the format is told by the
/// content.
#[derive(Debug, Parser)]
#[command(name = "foldback", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done, a no-op included; 1 `check` has findings, or what was asked for cannot be had;
2 bad usage or bad input; 130 interrupted.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Shows what fills the window: by source, role, tool, file and turn.
    Inspect(InspectArgs),
    /// Estimates the tokens of each message.
    Count(CountArgs),
    /// Shows the cut that would be made, and why; writes nothing.
    Plan(PlanArgs),
    /// Writes the compacted conversation, with a record of what was done.
    Compact(CompactArgs),
    /// Writes the conversation in another format, with an account of what was lost and mended.
    Convert(ConvertArgs),
    /// Says whether a provider would accept the messages.
    Check(CheckArgs),
    /// Mends messages so that a provider accepts them, with an account of each change.
    Repair(ConvertArgs),
}

impl Command {
    pub(crate) fn common(&self) -> &CommonArgs {
        match self {
            Self::Inspect(args) => &args.common,
            Self::Count(args) => &args.common,
            Self::Plan(args) => &args.common,
            Self::Compact(args) => &args.common,
            Self::Convert(args) => &args.common,
            Self::Check(args) => &args.common,
            Self::Repair(args) => &args.common,
        }
    }
}

/// What every command takes.
#[derive(Debug, Args)]
pub(crate) struct CommonArgs {
    /// The file to read; standard input if absent or `-`
    #[arg(value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// Answer with one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// The format of the file, instead of telling it by the content
    #[arg(long, value_name = "NAME")]
    pub(crate) format: Option<Format>,
    /// Skip damaged lines of a log and count them
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Read all that a log ever said, not only what the model saw at its end
    #[arg(long)]
    pub(crate) whole: bool,
}

/// How sizes are measured.
#[derive(Debug, Args)]
pub(crate) struct EstimateArgs {
    /// The estimator: the default, or the simple rule of another agent
    #[arg(long, value_name = "NAME", value_enum, default_value_t = EstimatorName::Heuristic)]
    pub(crate) estimator: EstimatorName,
    /// Count these tool definitions, a JSON list, instead of those of the file
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
    /// The summary so far, as text, if it is not among the messages
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
}

/// The estimators that have a name on the command line. The other spellings are those of reports and
/// of habit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum EstimatorName {
    Heuristic,
    #[value(alias = "docker-agent")]
    DockerAgent,
    Moa,
    Pi,
    #[value(aliases = ["gg_test", "gg-test"])]
    Gg,
}

/// When to compact, and what to keep.
#[derive(Debug, Args)]
pub(crate) struct PolicyArgs {
    /// The model's context window, in tokens
    #[arg(long, value_name = "TOKENS", default_value_t = 200_000)]
    pub(crate) window: u64,
    /// Held back for the reply, in tokens
    #[arg(long, value_name = "TOKENS", default_value_t = 16_384)]
    pub(crate) reserve: u64,
    /// The output limit of a call: the larger of it and the reserve is held back
    #[arg(long, value_name = "TOKENS")]
    pub(crate) max_output: Option<u64>,
    /// Compact above this share of the budget
    #[arg(long, value_name = "RATIO", default_value_t = 1.0)]
    pub(crate) ratio: f64,
    /// Keep at least so many tokens of the end as they are [default: 20000]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) keep_recent: Option<u64>,
    /// Keep the last so many turns as they are
    #[arg(long, value_name = "N")]
    pub(crate) keep_turns: Option<usize>,
    /// Keep this message as it is (may be given more than once)
    #[arg(long, value_name = "INDEX")]
    pub(crate) pin: Vec<usize>,
    /// Compact whatever the trigger says, and fail if the context does not get smaller
    #[arg(long)]
    pub(crate) force: bool,
    /// How long the summary may be, in tokens
    #[arg(long, value_name = "TOKENS", default_value_t = 2_000)]
    pub(crate) summary_tokens: u64,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) estimate: EstimateArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CountArgs {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) estimate: EstimateArgs,
    /// Set several estimators side by side, with their error against the last named
    #[arg(long, value_name = "NAMES", value_enum, value_delimiter = ',')]
    pub(crate) compare: Vec<EstimatorName>,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) estimate: EstimateArgs,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CompactArgs {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) estimate: EstimateArgs,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// What the summary should look at most
    #[arg(long, value_name = "TEXT")]
    pub(crate) focus: Option<String>,
    /// Also show what filled the window, and the summary, on standard error
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Where a conversation goes, and in which format.
#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// Write the conversation to this file; it is replaced in one step or not at all
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The wire format to write: openai_chat, openai_responses, anthropic or gemini
    #[arg(long, value_name = "WIRE")]
    pub(crate) to: Option<Format>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// Judge by this provider's rules, instead of those of the file's own format
    #[arg(long, value_name = "WIRE")]
    pub(crate) provider: Option<Format>,
}
