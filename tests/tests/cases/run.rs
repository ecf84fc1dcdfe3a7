//! Does what a case asks for, and says what came of it.

use std::error::Error;

use foldback_compact::{CompactError, Compacted, Compactor, Config, Pending, Record, Request};
use foldback_model::{Context, Summary, TokenCount, WireFormat};
use foldback_plan::{BudgetConfig, Keep, Trigger};
use foldback_summarize::SummarizeErrorKind;
use foldback_tokens::Heuristic;
use foldback_wire::{Document, ReadError, ReadOptions, Written, read};
use serde_json::Value;

use crate::case::{Input, Kind};
use crate::scripted::{Asked, Scripted};
use crate::view::View;

/// What came of one compaction or conversion.
pub(crate) struct Done {
    pub(crate) name: String,
    pub(crate) outcome: Outcome,
    /// The conversations that were written; none after a no-op or an error.
    pub(crate) written: Vec<Conversation>,
    /// What the summarizer was asked.
    pub(crate) asked: Vec<Asked>,
    pub(crate) record: Option<Record>,
    /// Whether the conversation and its summary are as they were.
    pub(crate) unchanged: bool,
    /// Whether more compactions of a chain follow.
    pub(crate) more_to_come: bool,
}

/// How it ended: a name of the README, and the text of the error.
pub(crate) struct Outcome {
    pub(crate) name: &'static str,
    pub(crate) text: String,
}

/// A conversation as it came and as it was written.
pub(crate) struct Conversation {
    pub(crate) label: String,
    pub(crate) before: View,
    pub(crate) after: View,
    pub(crate) json: String,
}

/// Runs `input`; a chain gives one result for each round.
pub(crate) fn run(name: &str, input: &Input) -> Vec<Done> {
    match input.kind {
        Kind::Compact => vec![compact(name, &body(input), input).0],
        Kind::Chain => chain(name, input),
        Kind::Convert => vec![convert(name, &body(input), input)],
    }
}

fn body(input: &Input) -> String {
    match (&input.request, &input.raw_request) {
        (Some(request), None) => request.to_string(),
        (None, Some(raw)) => raw.clone(),
        _ => panic!("a case has either a request or a raw request"),
    }
}

fn chain(name: &str, input: &Input) -> Vec<Done> {
    assert!(input.state.pinned.is_empty(), "{name}: in a chain the indices of pins would move");
    let mut all: Vec<Done> = Vec::new();
    let mut body = body(input);
    let mut input = input.clone();
    for (n, round) in input.rounds.clone().iter().enumerate() {
        body =
            appended(input.wire, &body, round.as_array().map_or(std::slice::from_ref(round), Vec::as_slice));
        let (mut done, written) = compact(&format!("{name}/round-{}", n + 1), &body, &input);
        if let Some(written) = written {
            body = written;
            // It stands in the conversation now.
            input.state.summary = None;
        }
        done.more_to_come = n + 1 < input.rounds.len();
        all.push(done);
    }
    all
}

/// Compacts `body` and writes it; the second value is the new body, if there is one.
fn compact(name: &str, body: &str, input: &Input) -> (Done, Option<String>) {
    let mut summarizer = Scripted::new(input.summarizer.clone().expect("a compaction needs a summarizer"));
    let mut done = Done {
        name: name.to_owned(),
        outcome: Outcome { name: "noop", text: String::new() },
        written: Vec::new(),
        asked: Vec::new(),
        record: None,
        unchanged: true,
        more_to_come: false,
    };
    let mut document = match parse(input.wire, body) {
        Ok(document) => document,
        Err(error) => {
            done.outcome = Outcome { name: "invalid_request", text: error.to_string() };
            return (done, None);
        }
    };
    if let Some(summary) = &input.state.summary {
        document.context.summary = Some(Summary::new(summary));
    }
    let result = attempt(&document.context, input, &mut summarizer);
    done.asked = summarizer.requests;
    match result {
        Err(outcome) => {
            done.outcome = outcome;
            done.unchanged = written_back(&document) == body;
            (done, None)
        }
        Ok(Compacted { context, record: None, .. }) => {
            done.unchanged = context == document.context && written_back(&document) == body;
            (done, None)
        }
        Ok(Compacted { context, record: Some(record), .. }) => {
            let over = record.over_budget.as_ref();
            done.outcome = match over {
                Some(part) => Outcome { name: "compacted_but_over_budget", text: part.what.clone() },
                None => Outcome { name: "compacted", text: String::new() },
            };
            done.record = Some(record);
            done.unchanged = false;
            let written = document.write(&context);
            let json = written.json.clone();
            done.written.push(conversation("", input.wire, body, input.wire, &written));
            for &wire in &input.to {
                let written = document.convert(&context, wire);
                done.written.push(conversation(wire.as_str(), input.wire, body, wire, &written));
            }
            if !input.then_append.is_empty() {
                done.written.push(and_append(&document, context, body, input));
            }
            (done, Some(json))
        }
    }
}

fn attempt(context: &Context, input: &Input, summarizer: &mut Scripted) -> Result<Compacted, Outcome> {
    let settings = &input.settings;
    let kind = settings.estimator.as_deref().unwrap_or("heuristic");
    assert_eq!(kind, "heuristic", "this estimator is not known here");
    let estimator = Heuristic::default();
    let keep = Keep::tokens(TokenCount::new(settings.keep_recent_tokens));
    let trigger = Trigger::above_budget_ratio(settings.trigger_ratio.unwrap_or(1.0));
    let compactor = Compactor::new(Config::new(keep).trigger(trigger))
        .map_err(|defects| Outcome { name: "invalid_config", text: defects.to_string() })?;

    let mut request = Request::new(context, &estimator)
        .pinned(&input.state.pinned)
        .pending(&input.state.pending_calls)
        .focus(input.instructions.as_deref().unwrap_or_default());
    if let Some(window) = settings.context_window_tokens {
        let (budget, _) = BudgetConfig::new(TokenCount::new(window))
            .reserve(TokenCount::new(settings.reserve_tokens))
            .max_output(settings.max_output_tokens.map(TokenCount::new))
            .build_lenient();
        request = request.budget(budget);
    }
    if settings.require_reduction {
        request = request.require_reduction();
    }

    let Some(plan) = compactor.plan(&request).map_err(Outcome::of)? else {
        return Ok(Compacted::unchanged(&request));
    };
    let mut compaction = compactor.start(&request, plan).map_err(Outcome::of)?;
    while let Pending::Summarize(wanted) = compaction.pending() {
        let reply = summarizer.answer(&wanted).map_err(CompactError::Summarization).map_err(Outcome::of)?;
        compaction.summary_ready(reply).map_err(Outcome::of)?;
    }
    compaction.finish().map_err(Outcome::of)
}

/// The conversation after more messages have arrived: those that a reader finds behind the others.
fn and_append(document: &Document, mut context: Context, body: &str, input: &Input) -> Conversation {
    let longer = appended(input.wire, body, &input.then_append);
    let read = parse(input.wire, &longer).expect("the appended messages can be read");
    let known = document.context.messages.len();
    context.messages.extend_from_slice(&read.context.messages[known..]);
    let written = document.write(&context);
    conversation("then_append", input.wire, &longer, input.wire, &written)
}

fn convert(name: &str, body: &str, input: &Input) -> Done {
    let mut done = Done {
        name: name.to_owned(),
        outcome: Outcome { name: "completed", text: String::new() },
        written: Vec::new(),
        asked: Vec::new(),
        record: None,
        unchanged: true,
        more_to_come: false,
    };
    match parse(input.wire, body) {
        Ok(document) => {
            done.unchanged = written_back(&document) == body;
            for &wire in &input.to {
                let written = document.convert(&document.context, wire);
                done.written.push(conversation(wire.as_str(), input.wire, body, wire, &written));
            }
        }
        Err(error) => done.outcome = Outcome { name: "invalid_request", text: error.to_string() },
    }
    done
}

fn conversation(
    label: &str,
    from: WireFormat,
    body: &str,
    wire: WireFormat,
    written: &Written,
) -> Conversation {
    let view = |wire, json: &str| View::new(wire, json).unwrap_or_else(|error| panic!("{error} in {json}"));
    Conversation {
        label: label.to_owned(),
        before: view(from, body),
        after: view(wire, &written.json),
        json: written.json.clone(),
    }
}

fn parse(wire: WireFormat, body: &str) -> Result<Document, ReadError> {
    let options = ReadOptions::of(wire);
    read(body.as_bytes(), &options)
}

/// The document as it leaves when nothing was done.
fn written_back(document: &Document) -> String {
    let mut context = document.context.clone();
    // A summary that the caller holds is not part of the body.
    context.summary = None;
    document.write(&context).json
}

/// `body` with more messages in its list.
fn appended(wire: WireFormat, body: &str, messages: &[Value]) -> String {
    let list = match wire {
        WireFormat::OpenAiResponses => "input",
        WireFormat::Gemini => "contents",
        _ => "messages",
    };
    let mut body: Value = serde_json::from_str(body).expect("a body that was read is JSON");
    body[list].as_array_mut().expect("a request has messages").extend_from_slice(messages);
    body.to_string()
}

impl Outcome {
    fn of(error: CompactError) -> Self {
        let name = match &error {
            error if error.is_no_reduction() => "no_reduction",
            CompactError::InvalidRequest(_) => "invalid_request",
            CompactError::EmptySummary => "empty_summary",
            CompactError::Summarization(cause) => match cause.kind() {
                SummarizeErrorKind::Empty => "empty_summary",
                SummarizeErrorKind::Cancelled => "cancelled",
                _ => "summarization_failed",
            },
            _ => "estimate_failed",
        };
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            text.push_str(&format!(": {error}"));
            cause = error.source();
        }
        Self { name, text }
    }
}
