//! Commands with their latest outcome, and errors until they are resolved.

use std::collections::{BTreeMap, BTreeSet};

use super::items::Item;
use super::outcome::Outcome;
use crate::text::one_line;

/// Every distinct command line, with how it ended last.
#[derive(Clone, Debug, Default)]
pub(super) struct Commands {
    by_line: BTreeMap<String, Command>,
    // Successful commands that only look, by program.
    looks: BTreeMap<String, usize>,
    n_forgotten: usize,
}

#[derive(Clone, Debug)]
struct Command {
    outcome: String,
    failed: bool,
    n_runs: usize,
    last_run: usize,
}

/// Commands kept at once; more than any summary has room for.
const MOST: usize = 1000;

impl Commands {
    pub(super) fn ran(&mut self, line: &str, outcome: &Outcome, at: usize) {
        let main = MainCommand::of(line);
        if !outcome.failed && main.only_looks() {
            *self.looks.entry(main.name).or_default() += 1;
            return;
        }
        self.put(shown(line), outcome.text(), outcome.failed, 1, at);
    }

    /// Takes a command over from an earlier checklist.
    pub(super) fn carry(&mut self, line: &str, outcome: &str, n_runs: usize) {
        let failed = !(outcome == "ok" || outcome.starts_with("ok:"));
        self.put(line.to_owned(), outcome.to_owned(), failed, n_runs, 0);
    }

    fn put(&mut self, line: String, outcome: String, failed: bool, n_runs: usize, at: usize) {
        let n_runs = n_runs + self.by_line.get(&line).map_or(0, |before| before.n_runs);
        self.by_line.insert(line, Command { outcome, failed, n_runs, last_run: at });
        if self.by_line.len() > MOST {
            let mut ages: Vec<usize> = self.by_line.values().map(|command| command.last_run).collect();
            let (_, median, _) = ages.select_nth_unstable(MOST / 2);
            let (median, before) = (*median, self.by_line.len());
            self.by_line.retain(|_, command| command.last_run >= median);
            self.n_forgotten += before - self.by_line.len();
        }
    }

    pub(super) fn n_forgotten(&self) -> usize {
        self.n_forgotten
    }

    /// Oldest first; failed ones and the newest rank best.
    pub(super) fn items(&self) -> Vec<Item> {
        let mut commands: Vec<(&String, &Command)> = self.by_line.iter().collect();
        commands.sort_by_key(|(_, command)| command.last_run);
        let n = commands.len();
        let mut items: Vec<Item> = commands
            .into_iter()
            .enumerate()
            .map(|(position, (line, command))| {
                let age = n - position;
                let rank = if command.failed { age } else { age + n };
                Item::code(line).tail(format!(" → {}{}", command.outcome, times(command.n_runs))).rank(rank)
            })
            .collect();
        if !self.looks.is_empty() {
            let mut looks: Vec<(&String, &usize)> = self.looks.iter().collect();
            looks.sort_by_key(|(_, runs)| std::cmp::Reverse(**runs));
            let looks: Vec<String> = looks.iter().take(12).map(|(name, runs)| format!("{name} {runs}×")).collect();
            items.push(Item::plain(looks.join(", ")).lead(LOOKED_AROUND).rank(3 * n));
        }
        items
    }
}

/// Starts the line that counts commands which only look.
pub(super) const LOOKED_AROUND: &str = "Looked around: ";

/// Errors that calls met.
#[derive(Clone, Debug, Default)]
pub(super) struct Troubles {
    // By what was tried and what was said.
    by_cause: BTreeMap<(String, String), Trouble>,
    n_forgotten: usize,
}

#[derive(Clone, Debug)]
struct Trouble {
    shown: String,
    words: BTreeSet<String>,
    resolved: bool,
    n_times: usize,
    last: usize,
}

/// Something that was tried: a command, an edit of a file, another call.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    /// Attempts of equal kind can resolve each other's errors.
    pub(super) kind: String,
    /// What narrows the attempt down. One with fewer words is the broader one.
    pub(super) words: BTreeSet<String>,
    /// As a reader sees it.
    pub(super) shown: String,
}

impl Attempt {
    pub(super) fn command(line: &str) -> Self {
        let main = MainCommand::of(line);
        Self { kind: main.name, words: main.words, shown: shown(line) }
    }

    pub(super) fn file(tool: &str, path: &str) -> Self {
        let shown = one_line(&format!("{tool} {path}"), SHOWN_CHARS);
        Self { kind: format!("file {path}"), words: BTreeSet::new(), shown }
    }

    pub(super) fn call(tool: &str, arguments: &str) -> Self {
        let shown = one_line(&format!("{tool} {arguments}"), SHOWN_CHARS);
        Self { kind: format!("call {tool}"), words: BTreeSet::from([arguments.to_owned()]), shown }
    }
}

impl Troubles {
    pub(super) fn failed(&mut self, attempt: &Attempt, message: &str, at: usize) {
        self.put(&attempt.kind, attempt.shown.clone(), attempt.words.clone(), message, false, 1, at);
    }

    /// A success resolves earlier errors of the same thing, tried as broadly or more narrowly.
    pub(super) fn succeeded(&mut self, attempt: &Attempt) {
        let from = (attempt.kind.clone(), String::new());
        for ((kind, _), trouble) in self.by_cause.range_mut(from..) {
            if *kind != attempt.kind {
                break;
            }
            trouble.resolved |= attempt.words.is_subset(&trouble.words);
        }
    }

    /// Takes an error over from an earlier checklist.
    pub(super) fn carry(&mut self, shown: &str, message: &str, resolved: bool) {
        // What it was can be told for commands and files; anything else stays as it was.
        let tool_and_path = shown.split_once(' ').filter(|(tool, _)| crate::tools::kind_of(tool) == crate::tools::ToolKind::File);
        let attempt = match tool_and_path {
            Some((tool, path)) => Attempt::file(tool, path),
            None => Attempt::command(shown),
        };
        self.put(&attempt.kind, shown.to_owned(), attempt.words, message, resolved, 1, 0);
    }

    #[expect(clippy::too_many_arguments, reason = "one row of the table, written in one place")]
    fn put(&mut self, kind: &str, shown: String, words: BTreeSet<String>, message: &str, resolved: bool, n: usize, at: usize) {
        let cause = (kind.to_owned(), message.to_owned());
        let n_times = n + self.by_cause.get(&cause).map_or(0, |before| before.n_times);
        self.by_cause.insert(cause, Trouble { shown, words, resolved, n_times, last: at });
        if self.by_cause.len() > MOST {
            let before = self.by_cause.len();
            self.by_cause.retain(|_, trouble| !trouble.resolved);
            if self.by_cause.len() > MOST / 2 {
                let mut ages: Vec<usize> = self.by_cause.values().map(|trouble| trouble.last).collect();
                let (_, median, _) = ages.select_nth_unstable(MOST / 4);
                let median = *median;
                self.by_cause.retain(|_, trouble| trouble.last >= median);
            }
            self.n_forgotten += before - self.by_cause.len();
        }
    }

    pub(super) fn n_forgotten(&self) -> usize {
        self.n_forgotten
    }

    pub(super) fn n_unresolved(&self) -> usize {
        self.by_cause.values().filter(|trouble| !trouble.resolved).count()
    }

    /// Unresolved ones first, each kind oldest first; the newest rank best.
    pub(super) fn items(&self) -> Vec<Item> {
        let mut troubles: Vec<(&(String, String), &Trouble)> = self.by_cause.iter().collect();
        troubles.sort_by_key(|(_, trouble)| (trouble.resolved, trouble.last));
        let n = troubles.len();
        let item = |(position, ((_, message), trouble)): (usize, (&(String, String), &Trouble))| {
            let state = if trouble.resolved { RESOLVED } else { UNRESOLVED };
            let rank = if trouble.resolved { 2 * n - position } else { n - position };
            let message = if message.is_empty() { String::new() } else { format!(": {message}") };
            Item::code(&trouble.shown).lead(state).tail(format!("{message}{}", times(trouble.n_times))).rank(rank)
        };
        troubles.into_iter().enumerate().map(item).collect()
    }
}

pub(super) const UNRESOLVED: &str = "Unresolved: ";
pub(super) const RESOLVED: &str = "Resolved: ";
const SHOWN_CHARS: usize = 140;

fn times(n: usize) -> String {
    if n > 1 { format!(" ({n}×)") } else { String::new() }
}

/// A command line as a reader sees it: its first line.
fn shown(line: &str) -> String {
    let mut lines = line.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = crate::text::redact(lines.next().unwrap_or("")).into_owned();
    let mut shown = one_line(&first, SHOWN_CHARS).replace('`', "'");
    if lines.next().is_some() && !shown.ends_with('…') {
        shown.push('…');
    }
    shown
}

/// The command that matters in a command line: behind `cd x &&`, in front of `| tail`.
struct MainCommand {
    /// The program, with its subcommand where it has some.
    name: String,
    /// All its words but flags.
    words: BTreeSet<String>,
}

impl MainCommand {
    fn of(line: &str) -> Self {
        let line = line.split("<<").next().unwrap_or(line);
        let segments = line.split(['\n', ';', '|', '&']).map(|segment| segment.trim().trim_matches(['(', ')', '{', '}', ' ']));
        let preparation = |program: &str| {
            matches!(program, "" | "cd" | "source" | "." | "export" | "set" | "sleep" | "echo" | "pushd" | "popd" | "mkdir" | "true" | "date")
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
            "cargo", "git", "npm", "yarn", "pnpm", "go", "docker", "pip", "pip3", "make", "kubectl", "gh", "bun", "dotnet", "mvn",
            "gradle", "uv",
        ];
        let program = words.first().map_or("", |program| program.rsplit('/').next().unwrap_or(program));
        let subcommand = words.get(1).filter(|_| WITH_SUBCOMMANDS.contains(&program));
        let name = match subcommand {
            Some(subcommand) => format!("{program} {subcommand}"),
            None => program.to_owned(),
        };
        Self { name: one_line(&name, 60), words: words.iter().skip(1).take(50).map(|word| (*word).to_owned()).collect() }
    }

    fn only_looks(&self) -> bool {
        const LOOKS: [&str; 33] = [
            "ls", "cat", "grep", "rg", "find", "head", "tail", "wc", "pwd", "which", "sed", "git status", "git diff", "git log",
            "git show", "git branch", "git rev-parse", "git remote", "tree", "file", "stat", "du", "df", "type", "ps", "env",
            "printenv", "nl", "less", "fd", "echo", "cd", "test",
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

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
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

    #[test]
    fn a_broader_success_resolves_an_error_and_a_narrower_one_does_not() {
        let unresolved = |failed: &str, succeeded: &str| {
            let mut troubles = Troubles::default();
            troubles.failed(&Attempt::command(failed), "no", 1);
            troubles.succeeded(&Attempt::command(succeeded));
            troubles.n_unresolved()
        };
        assert_eq!(unresolved("pytest", "(source .venv/bin/activate && pytest)"), 0);
        assert_eq!(unresolved("cargo test -p a", "cargo test"), 0);
        assert_eq!(unresolved("pytest", "pytest tests/a.py"), 1);
        assert_eq!(unresolved("cargo build", "cargo test"), 1);
    }

    #[test]
    fn repeated_commands_are_one_line_with_the_latest_outcome() {
        let mut commands = Commands::default();
        let failed = Outcome { failed: true, exit_code: Some(1), line: "error: x".into() };
        commands.ran("make test", &failed, 1);
        commands.ran("make test", &Outcome::default(), 2);
        commands.ran("ls", &Outcome::default(), 3);
        let lines: Vec<String> = commands.items().iter().map(Item::text).collect();
        assert_eq!(lines, ["`make test` → ok (2×)", "Looked around: ls 1×"]);
    }
}
