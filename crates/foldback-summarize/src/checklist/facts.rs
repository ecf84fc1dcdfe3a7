//! Identifiers and values, each with its latest value.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::items::Item;
use crate::text::{one_line, pattern};

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
const MOST_VALUE_CHARS: usize = 90;
/// Between the name of a record and its state.
pub(super) const RECORD_MARK: &str = " — ";
const GROUPS: [&str; 11] = [
    "urls", "ids", "tickets", "references", "commits", "versions", "branches", "emails", "dates", "codes", "amounts",
];

impl Facts {
    /// Values that stand in a text and show what they are by their shape.
    pub(super) fn prose(&mut self, text: &str, source: Source) {
        // One pass; the first alternative that matches at a place wins.
        static SHAPE: LazyLock<Regex> = LazyLock::new(|| {
            pattern(concat!(
                r#"(?P<urls>https?://[^\s<>"'`)\]}|\\]+)"#,
                r"|(?P<emails>\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{2,63}){1,4}\b)",
                r"|(?P<ids>(?-u:\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[a-z]{2,20}(?:_[a-z0-9]{1,20}){0,4}_[0-9]{2,}\b))",
                r"|(?P<tickets>(?-u:\b[A-Z][A-Z0-9]{1,9}-[A-Z]{0,4}[0-9]{1,8}\b))",
                r"|(?P<references>(?i-u:\b(?:PR|MR|pull request|issue|ticket|order|invoice|case|reservation|bug|job|build|request)\b)\s{0,2}(?:(?i-u:number|no\.?|id)\s{0,2})?(?:#\s?[0-9]{1,10}|[0-9]{2,12})\b|\B#[0-9]{2,7}\b)",
                r"|(?P<dates>(?-u:\b(?:19|20)[0-9][0-9]-[01][0-9]-[0-3][0-9](?:[T ][0-9][0-9]:[0-9][0-9](?::[0-9][0-9])?)?\b))",
                r"|(?P<amounts>[$€£¥]\s?[0-9][0-9,.]{0,15}|(?-u:\b)[0-9][0-9,.]{0,15}\s?(?-u:(?:USD|EUR|GBP|dollars|euros)\b))",
                r"|(?P<versions>(?-u:\bv?[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,6}(?:[-+][A-Za-z0-9.]{1,20})?\b))",
                r"|(?P<commits>(?-u:\b[0-9a-f]{7,40}\b))",
                r"|(?P<codes>(?-u:\b[A-Z0-9]{5,10}\b))",
                r"|\bOn branch (?P<branches>[A-Za-z0-9][A-Za-z0-9_./-]+)",
                // A bare word behind "branch" may be any word; "On branch" is what git says.
                r#"|(?i-u:\bbranch)[ :]{1,2}(?:(?:named|called) )?(?:[`'"](?P<quoted_branch>[A-Za-z][A-Za-z0-9_./-]+)[`'"]|(?P<path_branch>[A-Za-z0-9][A-Za-z0-9_.-]+/[A-Za-z0-9_./-]+))"#,
            ))
        });
        for found in SHAPE.captures_iter(text) {
            let branch = || found.name("quoted_branch").or_else(|| found.name("path_branch")).map(|value| ("branches", value));
            let named = GROUPS.iter().find_map(|group| Some((*group, found.name(group)?)));
            let Some((group, value)) = named.or_else(branch) else { continue };
            let shown = value.as_str().trim_end_matches(['.', ',', ';', ':', '!', '?']);
            if !is_telling(group, shown) || !may_tell(source, group, shown) {
                continue;
            }
            if group == "amounts" && source > Source::Tool {
                let context = words_before(&text[..value.start()]);
                self.member(group, format!("{context}{shown}"), source);
            } else {
                self.member(group, shown.to_owned(), source);
            }
        }
    }

    /// Statements that give a name its value: `KEY=value`, `key: value` alone on a line, `the key is
    /// value`.
    pub(super) fn statements(&mut self, text: &str, source: Source) {
        static ASSIGNED: LazyLock<Regex> =
            LazyLock::new(|| pattern(r#"(?-u:\b)([A-Z][A-Z0-9_]{2,40})=["']?([^\s"'`;|&$()<>]+)"#));
        static LISTED: LazyLock<Regex> = LazyLock::new(|| {
            pattern(r"(?m)^[ \t]*(?:[-*+][ \t]+)?(?:\*\*)?([^\W0-9_][\w -]+?)(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]+(\S[^\n]*?)[ \t]*$")
        });
        static SAID: LazyLock<Regex> = LazyLock::new(|| {
            pattern(
                r#"(?i)\b(?:the|our|my|your|its?)\s+((?-u:[a-z][a-z0-9_-]*(?: [a-z][a-z0-9_-]*){0,2}?))\s+(?:is|are|=|should be|will be|becomes?|(?:was |has been |is )?changed to|moved to)\s+(?:now\s+|currently\s+)?(?P<value>[`"'][^`"'\n]+[`"']|[^\s,;]*[0-9][^\s,;]*(?:\s(?:USD|EUR|dollars|tokens|MB|GB|KB|ms|seconds|minutes|hours|days|percent|%)\b)?)"#,
            )
        });
        for (regex, least) in [(&*ASSIGNED, Source::Shell), (&*LISTED, Source::Person), (&*SAID, Source::Model)] {
            if source < least {
                continue;
            }
            for found in regex.captures_iter(text) {
                let value = found.name("value").or_else(|| found.get(2));
                if let (Some(key), Some(value)) = (found.get(1), value)
                    // More than that is a sentence with a colon.
                    && value.as_str().chars().take(MOST_VALUE_CHARS + 1).count() <= MOST_VALUE_CHARS
                {
                    self.set(key.as_str(), value.as_str(), source);
                }
            }
        }
    }

    /// `key` has `value` from now on.
    pub(super) fn set(&mut self, key: &str, value: &str, source: Source) {
        let key = one_line(key, 40).trim_matches(['*', '`', ' ', '"', '\'']).to_owned();
        let value = one_line(value.trim().trim_matches(['`', '"', '\'', '*']).trim_end_matches(['.', ',']), VALUE_CHARS);
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
            && let Some((oldest, _)) = members.iter().enumerate().min_by_key(|(_, member)| (member.source, member.last))
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

    pub(super) fn has_record(&self, name: &str) -> bool {
        self.records.contains_key(name)
    }

    /// Takes a line over from an earlier checklist.
    pub(super) fn carry(&mut self, line: &str) {
        if let Some((name, body)) = line.split_once(RECORD_MARK) {
            return self.record(name.to_owned(), body.to_owned());
        }
        let Some((key, value)) = line.split_once(": ") else { return self.member("ids", line.to_owned(), Source::Model) };
        if GROUPS.contains(&key) {
            let values = value.split(" (+").next().unwrap_or(value);
            values.split(", ").for_each(|value| self.member(key, value.to_owned(), Source::Model));
            return;
        }
        let value = value.split(" (was ").next().unwrap_or(value);
        self.set(key, value, Source::Person);
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
        items.extend(records.into_iter().enumerate().map(|(position, (name, record))| {
            Item::plain(record.body.clone()).lead(format!("{name}{RECORD_MARK}")).rank((n - position) * 2 + 1)
        }));
        for (group, members) in &self.groups {
            // What a record tells need not be told twice.
            let in_record = |value: &str| self.records.iter().any(|(name, record)| name.ends_with(value) || record.body.contains(value));
            let members: Vec<&Member> = members.iter().filter(|member| !in_record(&member.value)).collect();
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

fn forget_oldest<T, K: Ord>(map: &mut BTreeMap<String, T>, age: impl Fn(&T) -> K) {
    if let Some(oldest) = map.iter().min_by_key(|(_, value)| age(value)).map(|(key, _)| key.clone()) {
        map.remove(&oldest);
    }
}

/// Whether a match is more than a word or a number that happens to have the shape.
fn is_telling(group: &str, value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    match group {
        "commits" => digits > 0 && letters > 0,
        "codes" => digits > 0 && letters > 1,
        "tickets" => !matches!(value.split('-').next(), Some("UTF" | "SHA" | "ISO" | "ASCII" | "GPT" | "CP" | "UTC" | "HTTP" | "MD" | "AES" | "RSA" | "IEEE" | "X86")),
        _ => value.len() > 1,
    }
}

/// Whether a source may state such a value: outputs of commands are full of versions and hashes of
/// other people's things.
fn may_tell(source: Source, group: &str, value: &str) -> bool {
    match source {
        Source::Shell => match group {
            "urls" => ["/pull/", "/issues/", "/merge_requests/", "/runs/", "localhost", "127.0.0.1"].iter().any(|part| value.contains(part)),
            _ => matches!(group, "tickets" | "ids" | "branches"),
        },
        Source::Tool => !matches!(group, "versions" | "commits"),
        _ => true,
    }
}

/// Up to eight words of the same sentence, with a space behind them.
fn words_before(text: &str) -> String {
    let near = crate::text::tail(text, 120);
    let sentence = near.rsplit(['\n', ';', '!', '?']).next().unwrap_or(near);
    let sentence = sentence.rsplit(". ").next().unwrap_or(sentence);
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let context = words[words.len().saturating_sub(8)..].join(" ");
    let context = context.replace("**", "").replace(", ", " ");
    if context.is_empty() { context } else { format!("{} ", context.trim_start_matches(['-', '*', ' '])) }
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
        assert_eq!(lines, [
            "branches: feature/x", "codes: JG7FMM", "commits: 1d28f1e", "dates: 2024-05-21", "ids: omar_davis_3817",
            "references: PR #17", "tickets: PROJ-42", "urls: https://example.com/a/1", "versions: v1.2.3",
        ]);
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
