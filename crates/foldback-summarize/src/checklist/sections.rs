//! What a checklist consists of, in the order in which it is read.

use crate::SummaryKind;

use super::commands::LOOKED_AROUND;
use super::items::{Bounded, Item, Section, times};
use super::material::{Done, FINISHED, Material, Quoted, Weight};

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Goal,
    Constraints,
    Done,
    Files,
    Commands,
    Errors,
    Decisions,
    Identifiers,
    Open,
    Earlier,
    /// What the kept part of a split turn needs to know.
    Rest,
}

pub(super) const FIRST: &str = "First request: ";
pub(super) const THEN: &str = "Then: ";
pub(super) const LATEST: &str = "Latest request: ";
pub(super) const UNANSWERED: &str = "Not answered in this part: ";
/// A rule that the model stated, not the person.
pub(super) const RULE: &str = "Stated by the assistant: ";

/// What stands before a line about a topic where topics share a heading.
pub(super) const LABELS: [(Topic, &str); 4] = [
    (Topic::Constraints, "Constraint: "),
    (Topic::Commands, "Ran "),
    (Topic::Decisions, "Decision: "),
    (Topic::Identifiers, "Value: "),
];

const HEADINGS: [(Topic, &str); 13] = [
    (Topic::Earlier, "Earlier"),
    (Topic::Goal, "Goal"),
    (Topic::Constraints, "Constraints and preferences"),
    (Topic::Done, "Done"),
    (Topic::Files, "Files"),
    (Topic::Commands, "Commands"),
    (Topic::Errors, "Errors"),
    (Topic::Decisions, "Decisions"),
    (Topic::Identifiers, "Identifiers"),
    (Topic::Open, "Open"),
    (Topic::Goal, "Original request"),
    (Topic::Done, "Progress so far"),
    (Topic::Rest, "What the rest needs to know"),
];

impl Topic {
    pub(super) fn of_heading(heading: &str) -> Option<Self> {
        HEADINGS.iter().find(|(_, name)| *name == heading.trim()).map(|(topic, _)| *topic)
    }
}

/// The sections of a checklist, some of them perhaps empty.
pub(super) fn build(material: Material, kind: SummaryKind) -> Vec<Section> {
    match kind {
        SummaryKind::History => history(&material),
        SummaryKind::TurnPrefix => turn_prefix(&material),
    }
}

fn history(m: &Material) -> Vec<Section> {
    vec![
        section("Goal", ("request", "requests"), 22, requests(&m.requests), m.requests.n_forgotten()),
        section(
            "Constraints and preferences",
            ("constraint", "constraints"),
            16,
            constraints(m),
            m.constraints.n_forgotten(),
        ),
        section("Earlier", ("earlier line", "earlier lines"), 20, earlier(m), m.earlier.n_forgotten()),
        section("Done", ("thing done", "things done"), 20, done(m), m.done.n_forgotten()),
        section("Files", ("file note", "file notes"), 3, files(m), 0),
        section("Commands", ("command", "commands"), 9, m.commands.items(), m.commands.n_forgotten()),
        section("Errors", ("error", "errors"), 10, m.troubles.items(), m.troubles.n_forgotten()),
        section("Decisions", ("decision", "decisions"), 8, quotes(&m.decisions), m.decisions.n_forgotten()),
        section("Identifiers", ("identifier", "identifiers"), 18, m.facts.items(), m.facts.n_forgotten()),
        section("Open", ("open point", "open points"), 15, open(m), 0),
    ]
}

fn turn_prefix(m: &Material) -> Vec<Section> {
    let mut rest = Vec::new();
    let mut add = |label: &str, items: Vec<Item>| {
        rest.extend(items.into_iter().map(|item| match item.lead.as_str() {
            // This line says by itself what it is about.
            LOOKED_AROUND => item,
            lead => Item { lead: format!("{label}{lead}"), ..item },
        }));
    };
    for (topic, label) in LABELS {
        match topic {
            Topic::Constraints => add(label, constraints(m)),
            Topic::Commands => add(label, m.commands.items()),
            Topic::Decisions => add(label, quotes(&m.decisions)),
            _ => add(label, m.facts.items()),
        }
    }
    add("", m.troubles.items());
    add("", files(m));
    add("", open(m));
    let n_forgotten = m.commands.n_forgotten() + m.troubles.n_forgotten() + m.facts.n_forgotten();
    vec![
        section(
            "Original request",
            ("request", "requests"),
            22,
            requests(&m.requests),
            m.requests.n_forgotten(),
        ),
        section("Earlier", ("earlier line", "earlier lines"), 20, earlier(m), m.earlier.n_forgotten()),
        section("Progress so far", ("step", "steps"), 26, done(m), m.done.n_forgotten()),
        section("What the rest needs to know", ("note", "notes"), 40, rest, n_forgotten),
    ]
}

fn section(
    heading: &'static str,
    nouns: (&'static str, &'static str),
    weight: u64,
    items: Vec<Item>,
    n_forgotten: usize,
) -> Section {
    Section { heading, nouns, weight, items, n_forgotten }
}

/// The first request, the ones between, the latest; the newest rank best after the first.
fn requests(requests: &Bounded<Quoted>) -> Vec<Item> {
    let n = requests.len();
    let item = |(position, request): (usize, &Quoted)| {
        let (label, rank) = match position {
            0 => (FIRST, 0),
            last if last + 1 == n => (LATEST, 1),
            between => (THEN, n - between),
        };
        Item::words(request.text.clone()).lead(label).rank(rank)
    };
    requests.iter().enumerate().map(item).collect()
}

fn constraints(m: &Material) -> Vec<Item> {
    let n = m.constraints.len();
    let item = |(position, constraint): (usize, &Quoted)| {
        let age = n - position;
        match constraint.weight {
            Weight::High => Item::words(constraint.text.clone()).rank(age),
            Weight::Low => Item::words(constraint.text.clone()).lead(RULE).rank(age + n / 2),
        }
    };
    m.constraints.iter().enumerate().map(item).collect()
}

fn quotes(quotes: &Bounded<Quoted>) -> Vec<Item> {
    let n = quotes.len();
    let rank = |position: usize, weight| if weight == Weight::High { n - position } else { 2 * n - position };
    quotes
        .iter()
        .enumerate()
        .map(|(position, quoted)| Item::words(quoted.text.clone()).rank(rank(position, quoted.weight)))
        .collect()
}

fn done(m: &Material) -> Vec<Item> {
    let (done, finished) = (&m.done, &m.finished);
    let n = done.len();
    let item = |(position, done): (usize, &Done)| {
        let age = n - position;
        let rank = if done.weight == Weight::High { age } else { age + n };
        Item { tail: format!("{}{}", done.item.tail, times(done.n_times)), ..done.item.clone() }.rank(rank)
    };
    let mut items: Vec<Item> = done.iter().enumerate().map(item).collect();
    if finished.len() > 0 {
        const SHOWN: usize = 10;
        let hidden = finished.len().saturating_sub(SHOWN);
        let newest: Vec<&str> = finished.iter().skip(hidden).map(String::as_str).collect();
        let more = if hidden > 0 { format!(" (+{hidden})") } else { String::new() };
        items.push(Item::plain(newest.join("; ")).lead(FINISHED).tail(more).rank(2));
    }
    items
}

/// Counts only: the lists themselves stand behind the summary.
fn files(m: &Material) -> Vec<Item> {
    const SHOWN: usize = 5;
    let lists = m.files.lists();
    if lists.is_empty() {
        return Vec::new();
    }
    let mut edits: Vec<(&String, &usize)> = m.edits.iter().collect();
    edits.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    let most: Vec<String> = edits
        .iter()
        .take(SHOWN)
        .map(|(path, n)| format!("{} ({n}×)", crate::text::one_line(path, 120)))
        .collect();
    let most = if most.is_empty() { String::new() } else { format!("; edited most: {}", most.join(", ")) };
    vec![Item::plain(format!("{} modified, {} only read{most}", lists.modified.len(), lists.read.len()))]
}

fn earlier(m: &Material) -> Vec<Item> {
    // The beginning of a summary is what its author found most important.
    m.earlier.iter().enumerate().map(|(position, line)| Item::plain(line.clone()).rank(position)).collect()
}

fn open(m: &Material) -> Vec<Item> {
    let mut items = Vec::new();
    if m.waiting
        && let Some(request) = m.requests.iter().next_back()
    {
        items
            .push(Item::words(crate::text::shorten(&request.text, 80).into_owned()).lead(UNANSWERED).rank(0));
    }
    if let Some(step) = &m.in_progress {
        items.push(Item::words(step.clone()).lead("Last step begun: ").rank(1));
    }
    items.extend(
        m.questions.iter().map(|question| Item::words(question.clone()).lead("Asked the user: ").rank(2)),
    );
    items.extend(
        m.todos.iter().enumerate().map(|(position, todo)| Item::plain(todo.clone()).rank(3 + position)),
    );
    match m.troubles.n_unresolved() {
        0 => {}
        1 => items.push(Item::plain("1 error is unresolved, see the errors").rank(4)),
        n => items.push(Item::plain(format!("{n} errors are unresolved, see the errors")).rank(4)),
    }
    items
}
