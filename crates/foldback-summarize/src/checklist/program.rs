//! What a command line runs.

use std::collections::BTreeSet;

use crate::text::one_line;

/// A command of more characters is cut.
pub(super) const SHOWN_CHARS: usize = 140;

/// The command that matters in a command line: behind `cd x &&`, in front of `| tail`.
pub(super) struct MainCommand {
    /// The program, with its subcommand where it has some.
    pub(super) name: String,
    /// All its words but flags.
    pub(super) words: BTreeSet<String>,
}

impl MainCommand {
    pub(super) fn of(line: &str) -> Self {
        let line = line.split("<<").next().unwrap_or(line);
        let segments = line
            .split(['\n', ';', '|', '&'])
            .map(|segment| segment.trim().trim_matches(['(', ')', '{', '}', ' ']));
        let preparation = |program: &str| {
            matches!(
                program,
                "" | "cd"
                    | "source"
                    | "."
                    | "export"
                    | "set"
                    | "sleep"
                    | "echo"
                    | "pushd"
                    | "popd"
                    | "mkdir"
                    | "true"
                    | "date"
            )
        };
        let mut fallback = None;
        for segment in segments.filter(|segment| !segment.is_empty()).take(40) {
            let words = significant_words(segment);
            let Some(program) = words.first().copied() else { continue };
            let found = Self::from_words(&words);
            if !preparation(program) {
                return found;
            }
            fallback.get_or_insert(found);
        }
        fallback.unwrap_or(Self { name: "command".to_owned(), words: BTreeSet::new() })
    }

    fn from_words(words: &[&str]) -> Self {
        const WITH_SUBCOMMANDS: [&str; 17] = [
            "cargo", "git", "npm", "yarn", "pnpm", "go", "docker", "pip", "pip3", "make", "kubectl", "gh",
            "bun", "dotnet", "mvn", "gradle", "uv",
        ];
        let program = words.first().map_or("", |program| program.rsplit('/').next().unwrap_or(program));
        let subcommand = words.get(1).filter(|_| WITH_SUBCOMMANDS.contains(&program));
        let name = match subcommand {
            Some(subcommand) => format!("{program} {subcommand}"),
            None => program.to_owned(),
        };
        Self {
            name: one_line(&name, 60),
            words: words.iter().skip(1).take(50).map(|word| (*word).to_owned()).collect(),
        }
    }

    pub(super) fn only_looks(&self) -> bool {
        const LOOKS: [&str; 33] = [
            "ls",
            "cat",
            "grep",
            "rg",
            "find",
            "head",
            "tail",
            "wc",
            "pwd",
            "which",
            "sed",
            "git status",
            "git diff",
            "git log",
            "git show",
            "git branch",
            "git rev-parse",
            "git remote",
            "tree",
            "file",
            "stat",
            "du",
            "df",
            "type",
            "ps",
            "env",
            "printenv",
            "nl",
            "less",
            "fd",
            "echo",
            "cd",
            "test",
        ];
        LOOKS.contains(&self.name.as_str()) && !(self.name == "sed" && self.words.contains("-i"))
    }
}

/// The words of one command without flags, redirections, assignments and wrappers such as `sudo`.
fn significant_words(segment: &str) -> Vec<&str> {
    let mut words: Vec<&str> = segment
        .split_whitespace()
        .filter(|word| !word.contains('>') && (!word.starts_with('-') || matches!(*word, "-i" | "-m")))
        .map(|word| word.trim_matches(['"', '\'']))
        .collect();
    loop {
        let n_skipped = match words.as_slice() {
            [] => 0,
            ["sudo" | "time" | "nohup" | "env" | "npx" | "exec" | "command" | "xargs", ..] => 1,
            ["timeout", _, ..] | ["uv" | "poetry" | "pipenv", "run", ..] => 2,
            ["python" | "python3", "-m", ..] => 2,
            [first, ..] if is_assignment(first) => 1,
            _ => 0,
        };
        if n_skipped == 0 {
            words.retain(|word| *word != "-m");
            return words;
        }
        words.drain(..n_skipped);
    }
}

pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// A command line as a reader sees it: its first line.
pub(super) fn shown_command(line: &str) -> String {
    let mut lines = line.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = crate::text::redact(lines.next().unwrap_or("")).into_owned();
    let mut shown = one_line(&first, SHOWN_CHARS).replace('`', "'");
    if lines.next().is_some() && !shown.ends_with('…') {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_command_is_found() {
        let name = |line: &str| MainCommand::of(line).name;
        assert_eq!(name("cd /x && cargo test -p a 2>&1 | tail -5"), "cargo test");
        assert_eq!(name("(source .venv/bin/activate && pytest)"), "pytest");
        assert_eq!(name("FOO=1 python3 -m pytest -q"), "pytest");
        assert_eq!(name("ls -la"), "ls");
        assert_eq!(name(""), "command");
    }
}
