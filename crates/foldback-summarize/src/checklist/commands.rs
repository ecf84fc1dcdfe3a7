//! Commands with their latest outcome.

use std::collections::BTreeMap;

use super::items::{Item, times};
use super::outcome::Outcome;
use super::program::{MainCommand, shown_command};

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
        self.put(shown_command(line), outcome.text(), outcome.failed, 1, at);
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
            let looks: Vec<String> =
                looks.iter().take(12).map(|(name, runs)| format!("{name} {runs}×")).collect();
            items.push(Item::plain(looks.join(", ")).lead(LOOKED_AROUND).rank(3 * n));
        }
        items
    }
}

/// Starts the line that counts commands which only look.
pub(super) const LOOKED_AROUND: &str = "Looked around: ";

#[cfg(test)]
mod tests {
    use super::*;

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
