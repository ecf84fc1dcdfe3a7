//! Gathering: one pass over the messages.

use std::collections::BTreeMap;

use foldback_model::{Kind, Message, Part, Role, StopReason, Summary, ToolCall, ToolResult};
use serde_json::{Map, Value};

use super::cues::{self, Decision};
use super::done;
use super::facts::{Facts, Source};
use super::items::Item;
use super::material::{IN_PROGRESS, Material, NOTED, Quoted, TODO, Weight};
use super::outcome::{self, Outcome};
use super::records::{records, shown_arguments};
use super::troubles::Attempt;
use crate::SummaryRequest;
use crate::text::{flatten, head, one_line, own_words, redact, sentences, tail, window};
use crate::tools::{self, FileUse, ToolKind};

/// What the previous summary and the messages of `request` say.
pub(super) fn gather(request: &SummaryRequest<'_>) -> Material {
    let mut gathering = Gathering::default();
    if let Some(previous) = request.previous {
        gathering.material.carry_summary(previous);
    }
    request.messages.iter().for_each(|message| gathering.message(message));
    gathering.finish()
}

#[derive(Default)]
struct Gathering<'a> {
    material: Material,
    calls: BTreeMap<&'a str, Called<'a>>,
    // What the model said last, until it is known whether that closes the turn.
    said: Option<String>,
    called_since_said: bool,
    at: usize,
}

struct Called<'a> {
    call: &'a ToolCall,
    // `None`: the call belongs to an attempt that failed, and so does its result.
    kind: Option<ToolKind>,
}

impl<'a> Gathering<'a> {
    fn message(&mut self, message: &'a Message) {
        self.at += 1;
        let failed = matches!(message.meta.stop, Some(StopReason::Error | StopReason::Aborted));
        match message.role {
            Role::System | Role::Developer => {}
            Role::Assistant if failed => {
                self.calls
                    .extend(message.calls().map(|call| (call.id.as_str(), Called { call, kind: None })));
            }
            Role::Assistant => self.assistant(message),
            _ => {
                message.results().for_each(|result| self.result(result));
                match message.meta.kind {
                    Kind::Plain => self.person(message),
                    Kind::Summary => self.earlier_summary(message),
                    _ => {}
                }
            }
        }
    }

    fn earlier_summary(&mut self, message: &Message) {
        let text = message.text();
        let inner = Summary::text_of_projection(&text).unwrap_or(&text);
        self.material.carry_summary(&Summary::new(inner));
    }

    fn person(&mut self, message: &Message) {
        let text = message.text();
        let words = own_words(&text);
        let words = redact(words.trim());
        let n_images =
            message.parts().iter().filter(|part| matches!(part, Part::Image(_) | Part::Document(_))).count();
        if words.is_empty() && n_images == 0 {
            return;
        }
        self.close_turn();
        let material = &mut self.material;
        material.waiting = true;
        material.questions.clear();
        if !cues::is_small_talk(&words) || n_images > 0 {
            let attached = match n_images {
                0 => String::new(),
                1 => " [1 attachment]".to_owned(),
                n => format!(" [{n} attachments]"),
            };
            let quoted = Quoted::new(format!("{}{attached}", request_line(&words)), Weight::High);
            Material::push_latest(&mut material.requests, quoted);
        }
        let seen = window(&words);
        for sentence in sentences(&seen).take(MOST_SENTENCES) {
            if cues::states_constraint(sentence) {
                let quoted = Quoted::new(one_line(sentence, SENTENCE_CHARS), Weight::High);
                Material::push_latest(&mut material.constraints, quoted);
            } else if cues::decision(sentence, true) == Decision::Yes {
                let quoted = Quoted::new(one_line(sentence, SENTENCE_CHARS), Weight::High);
                Material::push_latest(&mut material.decisions, quoted);
            }
        }
        material.facts.statements(&seen, Source::Person);
        material.facts.prose(&seen, Source::Person);
    }

    fn assistant(&mut self, message: &'a Message) {
        let text = message.text();
        let text = redact(text.trim());
        if !text.is_empty() {
            self.report_said();
            self.said = Some(text.clone().into_owned());
            self.called_since_said = false;
            let seen = window(&text);
            let prose = flatten(&seen);
            for sentence in sentences(&prose).take(MOST_SENTENCES) {
                let quoted = |weight| Quoted::new(one_line(sentence, SENTENCE_CHARS), weight);
                if cues::states_rule(sentence) && !sentence.ends_with('?') {
                    Material::push_latest(&mut self.material.constraints, quoted(Weight::Low));
                } else {
                    match cues::decision(sentence, false) {
                        Decision::Yes => {
                            Material::push_latest(&mut self.material.decisions, quoted(Weight::High))
                        }
                        Decision::Perhaps => {
                            Material::push_latest(&mut self.material.decisions, quoted(Weight::Low))
                        }
                        Decision::No => {}
                    }
                }
            }
            self.material.facts.statements(&seen, Source::Model);
            self.material.facts.prose(&seen, Source::Model);
        }
        for call in message.calls() {
            self.called_since_said = true;
            self.call(call);
        }
    }

    fn call(&mut self, call: &'a ToolCall) {
        let kind = tools::kind_of(&call.name);
        self.calls.insert(&call.id, Called { call, kind: Some(kind) });
        self.material.files.add_call(call);
        match kind {
            ToolKind::File => {
                for (_, path) in
                    tools::file_uses(call).into_iter().filter(|(file_use, _)| *file_use == FileUse::Modify)
                {
                    *self.material.edits.entry(path).or_default() += 1;
                }
            }
            ToolKind::Todo => self.todo_list(call),
            ToolKind::Shell => {
                if let Some(line) = tools::command_line(call) {
                    self.material.facts.statements(&redact(head(&line, 4096)), Source::Shell);
                }
            }
            _ => {}
        }
    }

    fn result(&mut self, result: &ToolResult) {
        let Some(called) = self.calls.get(result.call_id.as_str()) else { return };
        let (call, Some(kind)) = (called.call, called.kind) else { return };
        match kind {
            ToolKind::Shell => self.command_result(call, result),
            ToolKind::File => {
                let name = call.name.as_str();
                if let Some(refusal) = refused(result) {
                    return self.decide(&refusal, "the call", name);
                }
                let outcome = outcome::of_call(result);
                let uses = tools::file_uses(call);
                let attempts = uses.iter().map(|(_, path)| Attempt::file(name, path));
                attempts.for_each(|attempt| self.settle(&attempt, &outcome));
            }
            ToolKind::Ask => self.answer(call, result),
            ToolKind::Silent | ToolKind::Todo => {}
            ToolKind::Lookup | ToolKind::Action => self.call_result(call, kind, result),
        }
    }

    fn command_result(&mut self, call: &ToolCall, result: &ToolResult) {
        let Some(line) = tools::command_line(call) else { return };
        if let Some(refusal) = refused(result) {
            return self.decide(&refusal, "the command", &line);
        }
        let outcome = outcome::of_command(result);
        self.settle(&Attempt::command(&line), &outcome);
        let text = result.text();
        let commits = outcome::commits(&text);
        if commits.is_empty() || outcome.failed {
            self.material.commands.ran(&line, &outcome, self.at);
        }
        for (branch, hash, subject) in commits {
            let commit = format!("Commit {hash} on {branch}: {}", one_line(&redact(&subject), 160));
            self.material.push_done(Item::plain(one_line(&commit, 240)), Weight::High);
            self.material.facts.member("commits", hash, Source::Tool);
        }
        if text.len() <= PROSE_BYTES {
            self.material.facts.prose(&redact(&text), Source::Shell);
        }
    }

    fn call_result(&mut self, call: &ToolCall, kind: ToolKind, result: &ToolResult) {
        if let Some(refusal) = refused(result) {
            return self.decide(&refusal, "the call", &call.name);
        }
        let outcome = outcome::of_call(result);
        let arguments = tools::arguments(call);
        let shown = shown_arguments(arguments.as_ref());
        self.settle(&Attempt::call(&call.name, &shown), &outcome);
        if kind == ToolKind::Action && !outcome.failed {
            let item = Item::code(&one_line(&format!("{} {shown}", call.name), 200))
                .tail(format!(" → {}", outcome.text()));
            self.material.push_done(item, Weight::High);
        } else if kind == ToolKind::Lookup && !outcome.failed && !outcome.line.is_empty() {
            // The answer is short enough to be worth more than the fact that it was asked for.
            let item = Item::code(&one_line(&format!("{} {shown}", call.name), 160))
                .tail(format!(" → {}", outcome.line));
            self.material.push_done(item, Weight::Low);
        }
        let text = result.text();
        let found = records(arguments.as_ref(), &text);
        if found.is_empty() && text.len() <= PROSE_BYTES && !text.trim_start().starts_with(['{', '[']) {
            self.material.facts.prose(&redact(&text), Source::Tool);
        }
        found.into_iter().for_each(|(name, body)| self.material.facts.record(name, body));
        ids(arguments.as_ref(), &mut self.material.facts);
    }

    /// What a person answered or approved through a tool.
    fn answer(&mut self, call: &ToolCall, result: &ToolResult) {
        if let Some(refusal) = refused(result) {
            return self.decide(&refusal, "the call", &call.name);
        }
        let text = result.text();
        let words = redact(head(text.trim(), 2000));
        if words.is_empty() || result.is_error {
            return;
        }
        let first = words.lines().next().unwrap_or("");
        let answer = first.trim_start_matches("User has answered your questions: ");
        let answer = answer.split(" You can now ").next().unwrap_or(answer);
        let quoted =
            Quoted::new(one_line(&format!("The user answered: {answer}"), SENTENCE_CHARS), Weight::High);
        Material::push_latest(&mut self.material.decisions, quoted);
    }

    fn decide(&mut self, refusal: &str, what: &str, name: &str) {
        let text = one_line(&redact(&format!("The user rejected {what} {name}{refusal}")), SENTENCE_CHARS);
        Material::push_latest(&mut self.material.decisions, Quoted::new(text, Weight::High));
    }

    fn settle(&mut self, attempt: &Attempt, outcome: &Outcome) {
        if outcome.failed {
            self.material.troubles.failed(attempt, &outcome.line, self.at);
        } else {
            self.material.troubles.succeeded(attempt);
        }
    }

    /// The newest list replaces the ones before it; what it calls finished was done.
    fn todo_list(&mut self, call: &ToolCall) {
        let Some(arguments) = tools::arguments(call) else { return };
        let list = ["todos", "plan", "items", "tasks"].iter().find_map(|key| arguments.get(*key)?.as_array());
        let Some(list) = list else { return };
        let mut open = Vec::new();
        for entry in list.iter().take(200) {
            let text = |key: &str| entry.get(key).and_then(Value::as_str);
            let Some(what) =
                text("content").or(text("step")).or(text("title")).or(text("description")).or(entry.as_str())
            else {
                continue;
            };
            let what = one_line(&redact(what), 200);
            match text("status").unwrap_or("pending") {
                "completed" | "done" | "cancelled" => {
                    if !self.material.finished.iter().any(|known| *known == what) {
                        self.material.finished.push(what);
                    }
                }
                "in_progress" => open.push(format!("{IN_PROGRESS}{what}")),
                _ => open.push(format!("{TODO}{what}")),
            }
        }
        self.material.todos = open;
    }

    /// What was said before further calls is a report; what was said last closes the turn.
    fn report_said(&mut self) {
        if let Some(said) = self.said.take()
            && let Some(report) = done::reports(&said)
        {
            self.material.push_done(Item::plain(report).lead(NOTED), Weight::Low);
        }
    }

    fn close_turn(&mut self) {
        if self.called_since_said {
            return self.report_said();
        }
        if let Some(said) = self.said.take() {
            self.material.waiting = false;
            self.material.questions = done::questions(&said);
            if let Some(report) = done::closing(&said) {
                self.material.push_done(Item::plain(report), Weight::High);
            }
        }
    }

    fn finish(mut self) -> Material {
        if self.called_since_said {
            self.material.in_progress = self.said.as_deref().map(|said| one_line(&redact(said), 240));
        }
        self.close_turn();
        self.material
    }
}

const SENTENCE_CHARS: usize = 300;
/// Sentences of one message that are looked at; a longer message is a document.
const MOST_SENTENCES: usize = 400;
/// Longer outputs are full of identifiers that mean nothing to the conversation.
const PROSE_BYTES: usize = 2048;

/// A request on one line. The end of a long one often holds the question.
fn request_line(words: &str) -> String {
    const HEAD_CHARS: usize = 900;
    const TAIL_CHARS: usize = 300;
    if words.len() <= HEAD_CHARS + TAIL_CHARS || words.chars().count() <= HEAD_CHARS + TAIL_CHARS {
        return one_line(words, HEAD_CHARS + TAIL_CHARS);
    }
    let end = tail(words, TAIL_CHARS);
    let end = end.split_once(char::is_whitespace).map_or(end, |(_, end)| end);
    format!("{} {}", one_line(words, HEAD_CHARS), one_line(end, TAIL_CHARS))
}

/// Whether a person stopped the call, and what they said about it.
fn refused(result: &ToolResult) -> Option<String> {
    const MARKS: [&str; 2] = [
        "The user doesn't want to proceed with this tool use",
        "The user doesn't want to take this action right now",
    ];
    const SAID: &str = "the user said:";
    if !result.is_error {
        return None;
    }
    let text = result.text();
    let text = head(&text, 4000);
    MARKS.iter().any(|mark| text.contains(mark)).then(|| {
        let said = text.split_once(SAID).map_or("", |(_, said)| said.trim());
        if said.is_empty() { String::new() } else { format!(": {said}") }
    })
}

/// The ids among the arguments of a call, where no answer described the thing.
fn ids(arguments: Option<&Map<String, Value>>, facts: &mut Facts) {
    for (key, value) in arguments.into_iter().flatten() {
        if let (true, Some(value)) = (key.ends_with("_id"), value.as_str())
            && value.len() <= 80
            && !facts.has_record(&format!("{key} {value}"))
        {
            facts.member("ids", value.to_owned(), Source::Model);
        }
    }
}
