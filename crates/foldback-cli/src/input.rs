//! Reads the conversation.

use std::io::{IsTerminal, Read};
use std::path::Path;

use foldback::model::{Context, Summary, ToolDefinition};
use foldback::wire::{Document, ReadOptions, read};
use serde_json::value::RawValue;

use crate::args::{CommonArgs, EstimateArgs};
use crate::failure::Failure;

/// The name of standard input in messages.
const STDIN: &str = "<standard input>";

/// Reads the file that the options name.
pub(crate) fn document(args: &CommonArgs) -> Result<Document, Failure> {
    let path = args.input.as_deref().filter(|path| *path != Path::new("-"));
    let bytes = match path {
        Some(path) => std::fs::read(path).map_err(|error| Failure::io("read", path, &error))?,
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
    stdin.read_to_end(&mut bytes).map_err(|error| Failure::io("read", Path::new(STDIN), &error))?;
    Ok(bytes)
}

/// Adds the summary and the tools that stand in files of their own.
pub(crate) fn complete(context: &mut Context, args: &EstimateArgs) -> Result<(), Failure> {
    if let Some(path) = &args.summary {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::io("read", path, &error))?;
        let text = text.trim();
        let text = Summary::text_of_projection(text).unwrap_or(text);
        context.summary = Some(Summary::new(text)).filter(|summary| !summary.text.is_empty());
    }
    if let Some(path) = &args.tools {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::io("read", path, &error))?;
        context.tools = tools(&text).map_err(|message| {
            Failure::request(format!(
                "{}: {message}; expected a JSON list of tool definitions",
                path.display()
            ))
        })?;
    }
    Ok(())
}

/// A list of tools of any provider: what counts is how much text a model gets to read.
fn tools(text: &str) -> Result<Vec<ToolDefinition>, String> {
    #[derive(serde::Deserialize)]
    struct Named {
        name: Option<String>,
        function: Option<Box<Named>>,
    }
    let list: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    list.into_iter()
        .map(|raw| {
            let tool: Named = serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
            let name = tool.name.or(tool.function.and_then(|function| function.name));
            Ok(ToolDefinition::new(name.unwrap_or_default(), "", raw.get()))
        })
        .collect()
}
