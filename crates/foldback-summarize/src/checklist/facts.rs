//! Identifiers and values, each with its latest value.

use std::collections::BTreeMap;

use super::items::Item;
use super::shapes::GROUPS;
use crate::text::one_line;

/// Who stated a value. What a person says ranks above what a tool prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    Shell,
    Tool,
    Model,
    Person,
}

/// Values by what they are.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    // `port: 8080`: one value at a time.
    settings: BTreeMap<String, Setting>,
    // `tickets: A-1, A-2`: all of them.
    groups: BTreeMap<String, Vec<Member>>,
    // `reservation_id X: cabin=economy, ...`: the latest state of a thing.
    records: BTreeMap<String, Record>,
    n_forgotten: usize,
    clock: usize,
}

#[derive(Clone, Debug)]
struct Setting {
    value: String,
    was: Option<String>,
    source: Source,
    last: usize,
}

#[derive(Clone, Debug)]
struct Member {
    value: String,
    source: Source,
    last: usize,
}

#[derive(Clone, Debug)]
struct Record {
    body: String,
    last: usize,
}

const MOST_SETTINGS: usize = 400;
const MOST_MEMBERS: usize = 60;
const SHOWN_MEMBERS: usize = 10;
const MOST_RECORDS: usize = 400;
const VALUE_CHARS: usize = 120;
/// Between the name of a record and its state.
pub(super) const RECORD_MARK: &str = " — ";
/// Starts the line that names all things with a record, so that none is lost when records are.
const KNOWN: &str = "known: ";
const MOST_UNLISTED: usize = 3;
const MOST_NAMES: usize = 20;

impl Facts {
    /// `key` has `value` from now on.
    pub(super) fn set(&mut self, key: &str, value: &str, source: Source) {
        let key = one_line(key, 40).trim_matches(['*', '`', ' ', '"', '\'']).to_owned();
        let value = one_line(
            value.trim().trim_matches(['`', '"', '\'', '*']).trim_end_matches(['.', ',']),
            VALUE_CHARS,
        );
        // Longer ones are sentences.
        if key.is_empty() || value.is_empty() || key.ends_with('…') || key.chars().count() > 32 {
            return;
        }
        self.clock += 1;
        let name = key.to_lowercase();
        let was = self.settings.get(&name).and_then(|before| {
            if before.value == value { before.was.clone() } else { Some(before.value.clone()) }
        });
        self.settings.insert(name, Setting { value, was, source, last: self.clock });
        if self.settings.len() > MOST_SETTINGS {
            self.n_forgotten += 1;
            forget_oldest(&mut self.settings, |setting| (setting.source as usize, setting.last));
        }
    }

    /// `value` is one of the `group`.
    pub(super) fn member(&mut self, group: &str, value: String, source: Source) {
        self.clock += 1;
        let value = one_line(&value, VALUE_CHARS).replace(", ", " ");
        let members = self.groups.entry(group.to_owned()).or_default();
        match members.iter_mut().find(|member| member.value == value) {
            Some(member) => {
                member.last = self.clock;
                member.source = member.source.max(source);
            }
            None => members.push(Member { value, source, last: self.clock }),
        }
        if members.len() > MOST_MEMBERS
            && let Some((oldest, _)) =
                members.iter().enumerate().min_by_key(|(_, member)| (member.source, member.last))
        {
            members.remove(oldest);
            self.n_forgotten += 1;
        }
    }

    /// The thing called `name` is as `body` says.
    pub(super) fn record(&mut self, name: String, body: String) {
        self.clock += 1;
        self.records.insert(name, Record { body, last: self.clock });
        if self.records.len() > MOST_RECORDS {
            self.n_forgotten += 1;
            forget_oldest(&mut self.records, |record| record.last);
        }
    }

    /// Whether a setting or a record tells the value already.
    fn tells(&self, value: &str) -> bool {
        self.settings.values().any(|setting| setting.value == value)
            || self.records.iter().any(|(name, record)| name.ends_with(value) || record.body.contains(value))
    }

    pub(super) fn has_record(&self, name: &str) -> bool {
        self.records.contains_key(name)
    }

    /// Takes a line over from an earlier checklist.
    pub(super) fn carry(&mut self, line: &str) {
        if let Some((name, body)) = line.split_once(RECORD_MARK) {
            return self.record(name.to_owned(), body.to_owned());
        }
        if let Some(names) = line.strip_prefix(KNOWN) {
            return self.carry_names(names);
        }
        let Some((key, value)) = line.split_once(": ") else {
            return self.member("ids", line.to_owned(), Source::Model);
        };
        if GROUPS.contains(&key) {
            let values = value.split(" (+").next().unwrap_or(value);
            values.split(", ").for_each(|value| self.member(key, value.to_owned(), Source::Model));
            return;
        }
        let value = value.split(" (was ").next().unwrap_or(value);
        self.set(key, value, Source::Person);
    }

    /// Things whose state was left out stay known by name.
    fn carry_names(&mut self, names: &str) {
        for of_one_kind in names.split("; ") {
            let Some((kind, names)) = of_one_kind.split_once(' ') else { continue };
            for name in names.split(", ") {
                let name = format!("{kind} {name}");
                if !self.records.contains_key(&name) {
                    self.record(name, String::new());
                }
            }
        }
    }

    pub(super) fn n_forgotten(&self) -> usize {
        self.n_forgotten
    }

    /// Settings, records, groups; within each the latest rank best, and what a person said above all.
    pub(super) fn items(&self) -> Vec<Item> {
        let age = |last: usize| self.clock - last;
        // A rank is the age within the class, so that the classes take turns.
        let mut settings: Vec<(&String, &Setting)> = self.settings.iter().collect();
        settings.sort_by_key(|(_, setting)| (setting.source, setting.last));
        let n = settings.len();
        let mut items: Vec<Item> = settings
            .into_iter()
            .enumerate()
            .map(|(position, (key, setting))| {
                let was = setting.was.as_ref().map(|was| format!(" (was {was})")).unwrap_or_default();
                Item::plain(setting.value.clone()).lead(format!("{key}: ")).tail(was).rank((n - position) * 2)
            })
            .collect();
        let mut records: Vec<(&String, &Record)> = self.records.iter().collect();
        records.sort_by_key(|(_, record)| record.last);
        let n = records.len();
        if n > MOST_UNLISTED || records.iter().any(|(_, record)| record.body.is_empty()) {
            items.push(Item::plain(names_by_kind(&records)).lead(KNOWN));
        }
        let with_state = records.into_iter().enumerate().filter(|(_, (_, record))| !record.body.is_empty());
        items.extend(with_state.map(|(position, (name, record))| {
            Item::plain(record.body.clone()).lead(format!("{name}{RECORD_MARK}")).rank((n - position) * 2 + 1)
        }));
        for (group, members) in &self.groups {
            let members: Vec<&Member> = members.iter().filter(|member| !self.tells(&member.value)).collect();
            let Some(newest) = members.iter().map(|member| age(member.last)).min() else { continue };
            let by_person = members.iter().any(|member| member.source == Source::Person);
            items.push(group_item(group, &members).rank(if by_person { 1 } else { 2 + newest.min(6) }));
        }
        items
    }
}

/// The members that rank best, in the order in which they were last seen.
fn group_item(group: &str, members: &[&Member]) -> Item {
    let mut best: Vec<&Member> = members.to_vec();
    best.sort_by_key(|member| std::cmp::Reverse((member.source, member.last)));
    best.truncate(SHOWN_MEMBERS);
    best.sort_by_key(|member| member.last);
    let values: Vec<&str> = best.iter().map(|member| member.value.as_str()).collect();
    let n_hidden = members.len() - best.len();
    let hidden = if n_hidden > 0 { format!(" (+{n_hidden})") } else { String::new() };
    Item::plain(values.join(", ")).lead(format!("{group}: ")).tail(hidden)
}

/// `user_id u_1; reservation_id A, B`, the newest last.
fn names_by_kind(records: &[(&String, &Record)]) -> String {
    let mut kinds: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, _) in records {
        let (kind, value) = name.split_once(' ').unwrap_or(("id", name));
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, values)) => values.push(value),
            None => kinds.push((kind, vec![value])),
        }
    }
    let shown = kinds.iter().map(|(kind, values)| {
        let newest = values.len().saturating_sub(MOST_NAMES);
        format!("{kind} {}", values[newest..].join(", "))
    });
    shown.collect::<Vec<_>>().join("; ")
}

fn forget_oldest<T, K: Ord>(map: &mut BTreeMap<String, T>, age: impl Fn(&T) -> K) {
    if let Some(oldest) = map.iter().min_by_key(|(_, value)| age(value)).map(|(key, _)| key.clone()) {
        map.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(build: impl Fn(&mut Facts)) -> Vec<String> {
        let mut facts = Facts::default();
        build(&mut facts);
        facts.items().iter().map(Item::text).collect()
    }

    #[test]
    fn shapes_are_recognised() {
        let text = "See https://example.com/a/1. Ticket PROJ-42, PR #17, commit 1d28f1e on branch feature/x; a branch that is gone; user omar_davis_3817, reservation JG7FMM, v1.2.3, 2024-05-21, UTF-8, defaced, 1234567.";
        let lines = lines(|facts| facts.prose(text, Source::Person));
        assert_eq!(
            lines,
            [
                "branches: feature/x",
                "codes: JG7FMM",
                "commits: 1d28f1e",
                "dates: 2024-05-21",
                "ids: omar_davis_3817",
                "references: PR #17",
                "tickets: PROJ-42",
                "urls: https://example.com/a/1",
                "versions: v1.2.3",
            ]
        );
    }

    #[test]
    fn the_latest_value_wins() {
        let lines = lines(|facts| {
            facts.statements("The port is 8080.\nDB_HOST=alpha", Source::Person);
            facts.statements("the port is now 9090, sorry", Source::Person);
            facts.statements("Budget: 500 dollars", Source::Person);
        });
        assert_eq!(lines, ["db_host: alpha", "port: 9090 (was 8080)", "budget: 500 dollars"]);
    }

    #[test]
    fn amounts_keep_their_words() {
        let lines = lines(|facts| facts.prose("Fine. The total savings will be $23,553. Bye", Source::Model));
        assert_eq!(lines, ["amounts: The total savings will be $23,553"]);
    }

    #[test]
    fn what_was_written_is_read_back() {
        let build = |facts: &mut Facts| {
            facts.prose("PROJ-1 PROJ-2", Source::Model);
            facts.set("port", "1", Source::Person);
            facts.set("port", "2", Source::Person);
            facts.record("reservation_id X".into(), "cabin=economy".into());
        };
        let first = lines(build);
        let again = lines(|facts| first.iter().for_each(|line| facts.carry(line)));
        assert_eq!(again, ["port: 2", "reservation_id X — cabin=economy", "tickets: PROJ-1, PROJ-2"]);
    }
}
