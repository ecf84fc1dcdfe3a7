//! Taking an earlier summary over.

use super::commands::LOOKED_AROUND;
use super::items::{Item, Quote};
use super::material::{FINISHED, IN_PROGRESS, Material, NOTED, Quoted, TODO, Weight};
use super::sections::{self, Topic};
use super::troubles::{RESOLVED, UNRESOLVED};
use crate::text::one_line;

/// Earlier summaries of other makers are quoted line by line, up to this length each.
const LINE_CHARS: usize = 400;
/// The heading that a compactor puts between the summaries of the history and of a split turn.
const SPLIT_TURN: &str = "**Turn Context (split turn):**";

/// Adds what `text` says to `material`: one of our own checklists by its headings, anything else
/// line by line.
pub(super) fn carry(material: &mut Material, text: &str) {
    let headings = || text.lines().filter_map(|line| line.strip_prefix("## "));
    let is_ours =
        headings().next().is_some() && headings().all(|heading| Topic::of_heading(heading).is_some());
    let mut topic = Topic::Earlier;
    for line in text.lines().map(str::trim_end) {
        if line.trim().is_empty() || line == "---" || line == SPLIT_TURN {
            continue;
        }
        if is_ours && line.starts_with("Left out: ") {
            continue;
        }
        match line.strip_prefix("## ").filter(|_| is_ours) {
            Some(heading) => topic = Topic::of_heading(heading).unwrap_or(Topic::Earlier),
            None => carry_line(material, topic, line.strip_prefix("- ").unwrap_or(line)),
        }
    }
}

fn carry_line(material: &mut Material, topic: Topic, line: &str) {
    let line = one_line(line, 2 * LINE_CHARS);
    let line = line.as_str();
    match topic {
        Topic::Goal => {
            let labels = [sections::FIRST, sections::THEN, sections::LATEST];
            let bare = labels.iter().find_map(|label| line.strip_prefix(label)).unwrap_or(line);
            Material::push_latest(
                &mut material.requests,
                Quoted::new(unquoted(bare).to_owned(), Weight::High),
            );
        }
        Topic::Constraints => {
            let (weight, bare) = match line.strip_prefix(sections::RULE) {
                Some(rule) => (Weight::Low, rule),
                None => (Weight::High, line),
            };
            Material::push_latest(&mut material.constraints, Quoted::new(unquoted(bare).to_owned(), weight));
        }
        Topic::Done => {
            if let Some(list) = line.strip_prefix(FINISHED) {
                let list = list.split(" (+").next().unwrap_or(list);
                return list.split("; ").for_each(|what| material.finished.push(what.to_owned()));
            }
            let (line, n_times) = counted(line);
            let item = item_of(line);
            let interim =
                item.lead == NOTED || (item.quote == Quote::Code && !item.tail.starts_with(" → ok"));
            let weight = if interim { Weight::Low } else { Weight::High };
            for _ in 0..n_times.min(1000) {
                material.push_done(item.clone(), weight);
            }
        }
        // Counted again from the ledger.
        Topic::Files => {}
        Topic::Commands => carry_command(material, line),
        Topic::Errors => {
            let resolved = line.strip_prefix(RESOLVED);
            let (state, bare) =
                (resolved.is_some(), resolved.or_else(|| line.strip_prefix(UNRESOLVED)).unwrap_or(line));
            let (bare, n_times) = counted(bare);
            match in_code(bare) {
                Some((shown, rest)) => {
                    material.troubles.carry(shown, rest.trim_start_matches(": "), state, n_times)
                }
                None => material.troubles.carry(bare, "", state, n_times),
            }
        }
        Topic::Decisions => Material::push_latest(
            &mut material.decisions,
            Quoted::new(unquoted(line).to_owned(), Weight::High),
        ),
        Topic::Identifiers => material.facts.carry(line),
        // What was being done and asked then is settled by what came after; a request stays open
        // until the model closes the turn.
        Topic::Open if line.starts_with(TODO) || line.starts_with(IN_PROGRESS) => {
            material.todos.push(line.to_owned())
        }
        Topic::Open => material.waiting |= line.starts_with(sections::UNANSWERED),
        Topic::Rest => carry_rest(material, line),
        Topic::Earlier => {
            let bare = line.trim_start_matches(['#', '-', '*', '>', ' ']);
            if !bare.is_empty() && material.earlier.iter().next_back().is_none_or(|last| last != bare) {
                material.earlier.push(one_line(bare, LINE_CHARS));
            }
        }
    }
}

/// What the rest of a split turn needed: each line names its topic.
fn carry_rest(material: &mut Material, line: &str) {
    if line.starts_with(UNRESOLVED) || line.starts_with(RESOLVED) {
        return carry_line(material, Topic::Errors, line);
    }
    match sections::LABELS.iter().find_map(|(topic, label)| Some((*topic, line.strip_prefix(label)?))) {
        Some((topic, bare)) => carry_line(material, topic, bare),
        None => carry_line(material, Topic::Open, line),
    }
}

fn carry_command(material: &mut Material, line: &str) {
    if line.starts_with(LOOKED_AROUND) {
        return;
    }
    let (line, n_runs) = counted(line);
    if let Some((command, rest)) = in_code(line) {
        material.commands.carry(command, rest.trim_start_matches(" → "), n_runs);
    }
}

/// The line without its count, and the count: `x (3×)`.
fn counted(line: &str) -> (&str, usize) {
    let count = line.strip_suffix("×)").and_then(|line| line.rsplit_once(" ("));
    match count.and_then(|(line, n)| Some((line, n.parse().ok()?))) {
        Some((line, n)) => (line, n),
        None => (line, 1),
    }
}

/// What stands in backticks at the beginning of the line, and what follows.
fn in_code(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix('`')?.split_once('`')
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

fn item_of(line: &str) -> Item {
    match in_code(line) {
        Some((code, rest)) => {
            Item { body: code.to_owned(), quote: Quote::Code, tail: rest.to_owned(), ..Item::default() }
        }
        None => match line.strip_prefix(NOTED) {
            Some(note) => Item::plain(note).lead(NOTED),
            None => Item::plain(line),
        },
    }
}
