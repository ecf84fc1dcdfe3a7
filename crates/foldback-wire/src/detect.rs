//! Tells the format of a file by its content.

use foldback_model::WireFormat;
use serde_json::value::RawValue;

use crate::json::{self, Object};
use crate::list::syntax;
use crate::{Format, ReadError, ReadErrorKind};

/// What any reader would take.
const EXPECTED: &str = "a request of OpenAI (with `messages` or `input`), Anthropic (`messages`) or Gemini \
                        (`contents`), a bare list of their messages, or a log of Claude Code, Codex or pi";
/// How many lines are looked at to tell a log: damaged ones may stand among them.
const LINES: usize = 40;

/// Tells the format of `text`, which is not blank.
///
/// # Errors
///
/// [`ReadErrorKind::Syntax`] for text that is neither JSON nor JSON lines,
/// [`ReadErrorKind::UnknownFormat`] for JSON of another kind.
pub fn detect(text: &str) -> Result<Format, ReadError> {
    if let Some(log) = detect_log(text) {
        return Ok(log);
    }
    let whole: &RawValue = serde_json::from_str(text).map_err(|error| {
        let error = syntax(text, &error);
        if error.line == Some(1) && error.column == Some(1) {
            return ReadError {
                expected: EXPECTED.to_owned(),
                message: "this is no JSON".to_owned(),
                ..error
            };
        }
        error
    })?;
    let wire = match Object::parse(whole.get()) {
        Some(request) => of_request(&request),
        None => json::list(whole.get()).and_then(|elements| of_elements(&elements)),
    };
    wire.map(Format::Wire).ok_or_else(|| unknown(whole.get()))
}

/// A log has one object a line, and its lines tell what they are.
fn detect_log(text: &str) -> Option<Format> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).take(LINES);
    lines.find_map(|line| {
        // A line that is no complete object of its own is a damaged one, or a part of a document.
        if !line.trim_end().ends_with('}') {
            return None;
        }
        Object::parse(line).and_then(|record| of_record(&record))
    })
}

fn of_record(record: &Object<'_>) -> Option<Format> {
    let kind = record.text("type");
    let has = |key: &str| record.has(key);
    match kind.as_deref() {
        Some("session") => Some(Format::Pi),
        Some("session_meta" | "response_item" | "turn_context" | "event_msg") if has("payload") => {
            Some(Format::Codex)
        }
        Some("user" | "assistant" | "system" | "attachment" | "progress")
            if has("uuid") || has("sessionId") =>
        {
            Some(Format::ClaudeCode)
        }
        Some("summary") if has("leafUuid") => Some(Format::ClaudeCode),
        Some("file-history-snapshot") => Some(Format::ClaudeCode),
        Some(_) if has("sessionId") => Some(Format::ClaudeCode),
        Some("message") if has("message") && (has("id") || has("timestamp")) => Some(Format::Pi),
        Some(_) if has("payload") && has("timestamp") => Some(Format::Codex),
        // The rollouts of 2025 began with the bare facts of the session.
        None if has("id") && has("timestamp") && (has("instructions") || has("git")) => Some(Format::Codex),
        None if record.text("record_type").as_deref() == Some("state") => Some(Format::Codex),
        _ => None,
    }
}

fn of_request(request: &Object<'_>) -> Option<WireFormat> {
    if let Some(messages) = request.get("messages") {
        return of_messages(request, &json::list(messages)?);
    }
    let is_list_or = |value: &str, other: bool| json::list(value).is_some() || other;
    if let Some(input) = request.get("input") {
        return is_list_or(input, json::string(input).is_some()).then_some(WireFormat::OpenAiResponses);
    }
    let contents = request.get("contents")?;
    let is_single = json::string(contents).is_some() || Object::parse(contents).is_some();
    is_list_or(contents, is_single).then_some(WireFormat::Gemini)
}

/// Chat or Anthropic: what only one of them has decides.
fn of_messages(request: &Object<'_>, messages: &[&str]) -> Option<WireFormat> {
    let messages_say = messages.iter().filter_map(|message| of_message(&Object::parse(message)?)).next();
    let tools = request.list("tools").unwrap_or_default();
    let has_schema = |tool: &&str| Object::parse(tool).is_some_and(|tool| tool.has("input_schema"));
    let request_says = request.has("system")
        || request.has("anthropic_version")
        || tools.iter().any(has_schema)
        || (messages_say.is_none() && request.text("model").is_some_and(|model| model.contains("claude")));
    if !messages.iter().all(|message| Object::parse(message).is_some()) {
        return None;
    }
    Some(if request_says { WireFormat::Anthropic } else { messages_say.unwrap_or(WireFormat::OpenAiChat) })
}

/// What the shape of one message says, if it says anything.
fn of_message(message: &Object<'_>) -> Option<WireFormat> {
    let is_chat = ["tool_calls", "tool_call_id", "function_call"].iter().any(|key| message.has(key));
    if is_chat
        || matches!(message.text("role").as_deref(), Some("system" | "developer" | "tool" | "function"))
    {
        return Some(WireFormat::OpenAiChat);
    }
    message.list("content")?.into_iter().find_map(|block| {
        match Object::parse(block)?.text("type")?.as_str() {
            "tool_use" | "tool_result" | "thinking" | "redacted_thinking" | "image" | "document"
            | "server_tool_use" => Some(WireFormat::Anthropic),
            "image_url" | "input_audio" | "file" => Some(WireFormat::OpenAiChat),
            _ => None,
        }
    })
}

fn of_elements(elements: &[&str]) -> Option<WireFormat> {
    let objects: Vec<Object<'_>> =
        elements.iter().map(|element| Object::parse(element)).collect::<Option<_>>()?;
    let first = objects.first()?;
    if objects.iter().all(|object| object.has("parts")) {
        return Some(WireFormat::Gemini);
    }
    let is_item = |object: &Object<'_>| {
        object.text("type").is_some_and(|kind| {
            kind == "message" || kind == "reasoning" || kind.ends_with("_call") || kind.ends_with("_output")
        })
    };
    if objects.iter().any(is_item) {
        return Some(WireFormat::OpenAiResponses);
    }
    if !(first.has("role") && objects.iter().all(|object| object.has("role"))) {
        return None;
    }
    Some(objects.iter().find_map(of_message).unwrap_or(WireFormat::OpenAiChat))
}

/// Says what the JSON is instead, and where in it a conversation may be.
fn unknown(json: &str) -> ReadError {
    let found = match (Object::parse(json), json::list(json)) {
        (Some(object), _) => describe(&object),
        (None, Some(elements)) => match elements.first().map(|first| Object::parse(first)) {
            None => "an empty list".to_owned(),
            Some(Some(first)) => format!("a list of {}, the first one {}", elements.len(), describe(&first)),
            Some(None) => format!("a list of {} values that are no messages", elements.len()),
        },
        (None, None) => "a single value".to_owned(),
    };
    ReadError::new(
        ReadErrorKind::UnknownFormat,
        format!("the file is JSON of another kind: {found}"),
        EXPECTED,
    )
}

fn describe(object: &Object<'_>) -> String {
    const MOST: usize = 8;
    let names: Vec<String> = object.members().take(MOST).map(|(name, _)| format!("`{name}`")).collect();
    if names.is_empty() {
        return "an object without members".to_owned();
    }
    let mut text = format!("an object with {}", names.join(", "));
    if object.members().nth(MOST).is_some() {
        text.push_str(" and more");
    }
    let is_conversation =
        |value: &RawValue| json::list(value.get()).is_some_and(|elements| of_elements(&elements).is_some());
    if let Some((name, _)) = object.members().find(|(_, value)| is_conversation(value)) {
        text.push_str(&format!(" (`{name}` holds a conversation: give that list alone)"));
    }
    text
}
