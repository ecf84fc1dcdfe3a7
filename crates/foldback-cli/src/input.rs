//! Reads the conversation.

use std::io::{IsTerminal, Read};
use std::path::Path;

use foldback::model::{Context, Summary, ToolDefinition};
use foldback::wire::{Document, ReadOptions, read, read_tools};

use crate::args::{CommonArgs, EstimateArgs};
use crate::failure::Failure;

/// The name of standard input in messages.
const STDIN: &str = "<standard input>";

/// Reads the file that the options name.
pub(crate) fn document(args: &CommonArgs) -> Result<Document, Failure> {
    let path = args.input.as_deref().filter(|path| *path != Path::new("-"));
    let bytes = match path {
        Some(path) => std::fs::read(path).map_err(|error| Failure::unreadable(path, &error))?,
        None => stdin()?,
    };
    let mut options = ReadOptions::default();
    options.format = args.format;
    options.lenient = args.lenient;
    options.whole = args.whole;
    let name = path.map_or_else(|| STDIN.to_owned(), |path| path.display().to_string());
    read(&bytes, &options).map_err(|error| Failure::read(name, error))
}

fn stdin() -> Result<Vec<u8>, Failure> {
    let mut stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Err(Failure::usage(
            "name a file, or send one to standard input; `foldback --help` tells more",
        ));
    }
    let mut bytes = Vec::new();
    stdin.read_to_end(&mut bytes).map_err(|error| Failure::unreadable(Path::new(STDIN), &error))?;
    Ok(bytes)
}

/// What the file itself says of what [`complete`] replaces.
#[derive(Default)]
pub(crate) struct Own {
    summary: Option<Summary>,
    tools: Vec<ToolDefinition>,
}

/// Puts the summary and the tools that stand in files of their own into `context`, to be measured and
/// condensed with it, and gives back those that were there.
pub(crate) fn complete(context: &mut Context, args: &EstimateArgs) -> Result<Own, Failure> {
    let own = Own { summary: context.summary.clone(), tools: context.tools.clone() };
    if let Some(path) = &args.summary {
        let text = text(path)?;
        let text = text.trim();
        let text = Summary::text_of_projection(text).unwrap_or(text);
        if text.trim().is_empty() {
            return Err(Failure::blank(path, "the text of the summary so far"));
        }
        context.summary = Some(Summary::new(text));
    }
    if let Some(path) = &args.tools {
        context.tools =
            read_tools(&text(path)?).map_err(|error| Failure::read(path.display().to_string(), error))?;
    }
    Ok(own)
}

impl Own {
    /// Makes `context`, of which nothing was condensed, what the file says.
    pub(crate) fn restore(self, context: &mut Context) {
        context.summary = self.summary;
        context.tools = self.tools;
    }

    /// Gives `context`, of which something was condensed, the file's tools back: others were named to
    /// be counted only.
    pub(crate) fn restore_tools(self, context: &mut Context) {
        context.tools = self.tools;
    }
}

fn text(path: &Path) -> Result<String, Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure::unreadable(path, &error))?;
    String::from_utf8(bytes).map_err(|error| Failure::encoding(path, error.utf8_error().valid_up_to()))
}
