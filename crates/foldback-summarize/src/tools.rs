//! What a tool call is for, judged by its name and its arguments.

use foldback_model::ToolCall;
use serde::Deserialize;
use serde_json::value::RawValue;

/// What a call asks to do with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileUse {
    Read,
    Modify,
}

/// What sort of tool a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolKind {
    /// Runs a command line.
    Shell,
    /// Reads, writes or edits a file.
    File,
    /// Keeps a list of things to do.
    Todo,
    /// Asks the person something.
    Ask,
    /// Thinks aloud; nothing happens.
    Silent,
    /// Looks something up.
    Lookup,
    /// Does something.
    Action,
}

/// Arguments longer than this are not worth reading for anything but paths.
const MAX_ARGUMENTS: usize = 256 * 1024;

pub(crate) fn kind_of(name: &str) -> ToolKind {
    let name = bare_name(name);
    match name.as_str() {
        "bash" | "shell" | "execcommand" | "localshell" | "runterminalcmd" | "executebash" | "runcommand"
        | "terminal" | "containerexec" | "powershell" | "runshellcommand" | "executecommand"
        | "shellcommand" | "runinterminal" | "cmd" | "sh" | "exec" | "runterminalcommand" => ToolKind::Shell,
        "todowrite" | "updateplan" | "todo" | "settodolist" | "tasktracker" | "writetodos"
        | "updatetodolist" => ToolKind::Todo,
        "askuserquestion" | "askuser" | "askfollowupquestion" | "requestuserinput" | "exitplanmode" => {
            ToolKind::Ask
        }
        "think" | "thought" | "sequentialthinking" | "enterplanmode" | "taskoutput" | "bashoutput"
        | "writestdin" => ToolKind::Silent,
        _ if file_use_of(&name).is_some() || name == "applypatch" || is_editor(&name) => ToolKind::File,
        _ if looks_up(&name) => ToolKind::Lookup,
        _ => ToolKind::Action,
    }
}

/// The files that a call asks for. Bad arguments ask for none.
pub(crate) fn file_uses(call: &ToolCall) -> Vec<(FileUse, String)> {
    let name = bare_name(&call.name);
    if name == "applypatch" {
        return patched(call).into_iter().map(|path| (FileUse::Modify, path)).collect();
    }
    let Some(arguments) = PathArguments::of(call) else { return Vec::new() };
    let file_use = if is_editor(&name) {
        match arguments.text(arguments.command).as_deref() {
            Some("view") => Some(FileUse::Read),
            Some("create" | "str_replace" | "insert" | "undo_edit") => Some(FileUse::Modify),
            _ => None,
        }
    } else {
        file_use_of(&name)
    };
    file_use.and_then(|file_use| Some((file_use, arguments.path()?))).into_iter().collect()
}

/// The command line of a shell call.
pub(crate) fn command_line(call: &ToolCall) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Line {
        Text(String),
        Words(Vec<String>),
    }
    #[derive(Deserialize)]
    struct Arguments {
        #[serde(alias = "cmd", alias = "script", alias = "commandLine", alias = "input")]
        command: Option<Line>,
    }
    if call.arguments.len() > MAX_ARGUMENTS {
        return None;
    }
    let Ok(arguments) = serde_json::from_str::<Arguments>(&call.arguments) else {
        let free_form = call.arguments.trim();
        return (!free_form.is_empty() && !free_form.starts_with('{')).then(|| free_form.to_owned());
    };
    match arguments.command? {
        Line::Text(line) => Some(line),
        Line::Words(words) => match words.as_slice() {
            [shell, flag, line] if flag.starts_with('-') && shell.ends_with("sh") => Some(line.clone()),
            words => Some(words.join(" ")),
        },
    }
}

/// The arguments of a call as JSON, if they are an object of reasonable size.
pub(crate) fn arguments(call: &ToolCall) -> Option<serde_json::Map<String, serde_json::Value>> {
    if call.arguments.len() > MAX_ARGUMENTS {
        return None;
    }
    serde_json::from_str(&call.arguments).ok()
}

/// The name in lower case without separators and without the prefix of a server (`mcp__fs__read_file`
/// is `readfile`).
fn bare_name(name: &str) -> String {
    let name = name.rsplit("__").next().unwrap_or(name);
    let name = name.strip_prefix("functions.").unwrap_or(name);
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn file_use_of(bare_name: &str) -> Option<FileUse> {
    match bare_name {
        "read" | "readfile" | "viewfile" | "view" | "openfile" | "readtextfile" | "notebookread"
        | "viewimage" => Some(FileUse::Read),
        "write"
        | "writefile"
        | "edit"
        | "editfile"
        | "multiedit"
        | "notebookedit"
        | "strreplace"
        | "createfile"
        | "replace"
        | "writetofile"
        | "replaceinfile"
        | "searchreplace"
        | "deletefile"
        | "inserteditintofile"
        | "replacestringinfile" => Some(FileUse::Modify),
        _ => None,
    }
}

fn is_editor(bare_name: &str) -> bool {
    matches!(bare_name, "strreplacebasededittool" | "strreplaceeditor")
}

fn looks_up(bare_name: &str) -> bool {
    const VERBS: [&str; 18] = [
        "get",
        "list",
        "search",
        "find",
        "read",
        "grep",
        "glob",
        "view",
        "fetch",
        "lookup",
        "query",
        "calculate",
        "check",
        "ls",
        "webfetch",
        "websearch",
        "browse",
        "toolsearch",
    ];
    VERBS.iter().any(|verb| bare_name.starts_with(verb))
}

#[derive(Deserialize)]
struct PathArguments<'a> {
    #[serde(borrow)]
    path: Option<&'a RawValue>,
    #[serde(borrow, alias = "filePath", alias = "target_file", alias = "absolute_path")]
    file_path: Option<&'a RawValue>,
    #[serde(borrow, alias = "file")]
    filename: Option<&'a RawValue>,
    #[serde(borrow)]
    notebook_path: Option<&'a RawValue>,
    #[serde(borrow)]
    command: Option<&'a RawValue>,
}

impl<'a> PathArguments<'a> {
    fn of(call: &'a ToolCall) -> Option<Self> {
        serde_json::from_str(&call.arguments).ok()
    }

    fn text(&self, value: Option<&RawValue>) -> Option<String> {
        serde_json::from_str(value?.get()).ok()
    }

    fn path(&self) -> Option<String> {
        [self.path, self.file_path, self.filename, self.notebook_path]
            .into_iter()
            .find_map(|value| self.text(value))
            .filter(|path| !path.trim().is_empty())
    }
}

/// The paths in the headers of a patch, which stands alone or in a JSON string.
fn patched(call: &ToolCall) -> Vec<String> {
    #[derive(Deserialize)]
    struct Arguments {
        #[serde(alias = "patch", alias = "patchText", alias = "patch_text")]
        input: String,
    }
    let input = serde_json::from_str::<Arguments>(&call.arguments).map(|arguments| arguments.input);
    let patch = input.as_deref().unwrap_or(&call.arguments);
    const HEADERS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let path_of = |line: &str| {
        HEADERS.iter().find_map(|header| line.trim().strip_prefix(header)).map(|path| path.trim().to_owned())
    };
    patch.lines().filter_map(path_of).filter(|path| !path.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_come_in_several_shapes() {
        let line = |arguments: &str| command_line(&ToolCall::new("c", "bash", arguments));
        assert_eq!(line(r#"{"command": "ls -l"}"#).as_deref(), Some("ls -l"));
        assert_eq!(line(r#"{"cmd": "ls"}"#).as_deref(), Some("ls"));
        assert_eq!(line(r#"{"command": ["bash", "-lc", "make test"]}"#).as_deref(), Some("make test"));
        assert_eq!(line(r#"{"command": ["git", "status"]}"#).as_deref(), Some("git status"));
        assert_eq!(line("make").as_deref(), Some("make"));
        assert_eq!(line(r#"{"command": 7}"#), None);
    }

    #[test]
    fn names_tell_what_a_tool_does() {
        assert_eq!(kind_of("Bash"), ToolKind::Shell);
        assert_eq!(kind_of("container.exec"), ToolKind::Shell);
        assert_eq!(kind_of("mcp__fs__read_file"), ToolKind::File);
        assert_eq!(kind_of("get_user_details"), ToolKind::Lookup);
        assert_eq!(kind_of("update_reservation_flights"), ToolKind::Action);
        assert_eq!(kind_of("TodoWrite"), ToolKind::Todo);
    }
}
