//! Errors until they are resolved.

use std::collections::{BTreeMap, BTreeSet};

use super::items::{Item, times};
use super::program::{MainCommand, SHOWN_CHARS, is_assignment, shown_command};
use crate::text::one_line;

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
        Self { kind: main.name, words: main.words, shown: shown_command(line) }
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
    pub(super) fn carry(&mut self, shown: &str, message: &str, resolved: bool, n_times: usize) {
        // What it was can be told for commands and files; anything else stays as it was.
        let tool_and_path = shown
            .split_once(' ')
            .filter(|(tool, _)| crate::tools::kind_of(tool) == crate::tools::ToolKind::File);
        let attempt = match tool_and_path {
            Some((tool, path)) => Attempt::file(tool, path),
            None => match shown.split_once(' ') {
                Some((tool, arguments)) if is_call(arguments) => Attempt::call(tool, arguments),
                _ => Attempt::command(shown),
            },
        };
        self.put(&attempt.kind, shown.to_owned(), attempt.words, message, resolved, n_times, 0);
    }

    #[expect(clippy::too_many_arguments, reason = "one row of the table, written in one place")]
    fn put(
        &mut self,
        kind: &str,
        shown: String,
        words: BTreeSet<String>,
        message: &str,
        resolved: bool,
        n: usize,
        at: usize,
    ) {
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
            Item::code(&trouble.shown)
                .lead(state)
                .tail(format!("{message}{}", times(trouble.n_times)))
                .rank(rank)
        };
        troubles.into_iter().enumerate().map(item).collect()
    }
}

pub(super) const UNRESOLVED: &str = "Unresolved: ";
pub(super) const RESOLVED: &str = "Resolved: ";
/// Errors kept at once; more than any summary has room for.
const MOST: usize = 1000;

/// Whether what stands behind a name are the arguments of a tool: `key=value`.
fn is_call(arguments: &str) -> bool {
    arguments.split(' ').next().is_some_and(is_assignment)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
