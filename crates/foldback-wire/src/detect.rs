//! Tells the format of a file by its content.

mod documents;

use foldback_model::WireFormat;
use serde_json::value::RawValue;

use crate::json::{Object, Whole};
use crate::list::{syntax, without_mark};
use crate::log::openhands;
use crate::scan;
use crate::signs::ListSigns;
use crate::{Format, ReadError, ReadErrorKind};
use documents::of_document;

/// What any reader would take.
const EXPECTED: &str = "a request of OpenAI (with `messages` or `input`), Anthropic (`messages`) or Gemini \
                        (`contents`), a bare list of their messages, a log of Claude Code, Codex or pi, or \
                        messages of Bedrock, LangChain, OpenHands or SWE-agent";
/// How many lines are looked at to tell a log: damaged ones may stand among them.
const LINES: usize = 100;

/// Tells the format of `text`, which is not blank.
///
/// # Errors
///
/// [`ReadErrorKind::Syntax`] for text that is neither JSON nor JSON lines,
/// [`ReadErrorKind::UnknownFormat`] for JSON of another kind.
pub fn detect(text: &str) -> Result<Format, ReadError> {
    detect_whole(text).map(|(format, _)| format)
}

/// The same, with what was found on the way: the one value that the text is, unless it is JSON lines.
pub(crate) fn detect_whole(text: &str) -> Result<(Format, Option<Whole<'_>>), ReadError> {
    let text = without_mark(text);
    let Ok(whole) = Whole::parse(text) else { return detect_lines(text).map(|format| (format, None)) };
    let found = match &whole {
        Whole::Object(object) => {
            of_document(object).or_else(|| of_request(object).map(Format::Wire)).or_else(|| of_record(object))
        }
        Whole::Other(list) => ListSigns::of_all(list)
            .and_then(|signs| signs.of_bare_list().map(Format::Wire).or_else(|| signs.of_document())),
    };
    match found {
        Some(format) => Ok((format, Some(whole))),
        None => Err(unknown(format!("the file is JSON of another kind: {}", describe(text.trim())))),
    }
}

/// Several values, or a damaged one: it can only be a log.
fn detect_lines(text: &str) -> Result<Format, ReadError> {
    detect_log(text).ok_or_else(|| {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
        let (first, second) = (values.next(), values.next());
        no_log(text, first, second)
    })
}

/// A log has one object a line, and its lines tell what they are.
fn detect_log(text: &str) -> Option<Format> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).take(LINES);
    // A line that is no object of its own is a damaged one, or a part of a document.
    lines.find_map(|line| {
        if !line.trim_end().ends_with('}') {
            return None;
        }
        Object::parse(line.trim()).and_then(|record| of_record(&record))
    })
}

fn of_record(record: &Object<'_>) -> Option<Format> {
    let kind = record.word("type");
    let has = |key: &str| record.has(key);
    match kind.as_deref() {
        Some("session") if has("id") || has("cwd") => Some(Format::Pi),
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
        None if record.word("record_type").as_deref() == Some("state") => Some(Format::Codex),
        None if openhands::is_event(record) => Some(Format::OpenHands),
        _ => None,
    }
}

fn of_request(request: &Object<'_>) -> Option<WireFormat> {
    if let Some(messages) = request.get("messages") {
        return of_messages(request, messages);
    }
    let is_text = |value: &str| value.starts_with('"');
    if let Some(input) = request.get("input") {
        // A record of a call has its text under that name too, with the reply beside it.
        let is_input = (is_text(input) && !request.has("output"))
            || ListSigns::until(input, ListSigns::may_be_items).is_some_and(|signs| signs.may_be_items());
        return is_input.then_some(WireFormat::OpenAiResponses);
    }
    let contents = request.get("contents")?;
    let is_contents = is_text(contents)
        || scan::object(contents).is_some()
        || ListSigns::until(contents, ListSigns::may_be_contents)
            .is_some_and(|signs| signs.may_be_contents());
    is_contents.then_some(WireFormat::Gemini)
}

/// Chat or Anthropic: what only one of them has decides.
fn of_messages(request: &Object<'_>, messages: &str) -> Option<WireFormat> {
    let signs = ListSigns::until(messages, ListSigns::tells_messages)?;
    if !signs.may_be_messages() {
        return None;
    }
    let has_schema = |tool: &str| scan::object(tool).is_some_and(|tool| tool.has("input_schema"));
    let request_says = request.has("system")
        || request.has("anthropic_version")
        || request.list("tools").unwrap_or_default().into_iter().any(has_schema);
    if request_says {
        return Some(WireFormat::Anthropic);
    }
    let names_claude = || request.text("model").is_some_and(|model| model.starts_with("claude"));
    Some(
        signs
            .says()
            .unwrap_or_else(|| if names_claude() { WireFormat::Anthropic } else { WireFormat::OpenAiChat }),
    )
}

/// A value that did not come, or what came instead of it.
type Value<'a> = Option<Result<&'a RawValue, serde_json::Error>>;

/// Says what is wrong with a text that is neither one JSON value nor a log.
fn no_log(text: &str, first: Value<'_>, second: Value<'_>) -> ReadError {
    let is_container = |value: &RawValue| value.get().starts_with(['{', '[']);
    match (first, second) {
        (Some(Ok(first)), Some(Ok(_))) if is_container(first) => {
            unknown(format!("the file is JSON lines of another kind, the first {}", describe(first.get())))
        }
        (Some(Ok(first)), Some(Err(error))) if is_container(first) => {
            let mut read = syntax(text, &error);
            read.message = "something that is no JSON follows the JSON".to_owned();
            read.expected = "the end of the file, or JSON lines".to_owned();
            read
        }
        (Some(Err(error)), _) if text.trim_start().starts_with(['{', '[']) => syntax(text, &error),
        _ => {
            let start = text.len() - text.trim_start().len();
            let line = text[..start].bytes().filter(|&byte| byte == b'\n').count() + 1;
            let column = start - text[..start].rfind('\n').map_or(0, |end| end + 1) + 1;
            ReadError::new(ReadErrorKind::Syntax, "this is no JSON", EXPECTED)
                .at_line(line)
                .at_column(column)
                .at_offset(start)
        }
    }
}

fn unknown(message: String) -> ReadError {
    ReadError::new(ReadErrorKind::UnknownFormat, message, EXPECTED)
}

/// Says what the JSON is, and where in it a conversation may be.
fn describe(json: &str) -> String {
    if let Some(object) = scan::object(json) {
        return describe_object(&object);
    }
    let Some(mut elements) = scan::elements(json) else { return "a single value".to_owned() };
    let Some(first) = elements.next() else { return "an empty list".to_owned() };
    let n_elements = 1 + elements.count();
    match scan::object(first) {
        Some(first) => format!("a list of {n_elements}, the first one {}", describe_object(&first)),
        None => format!("a list of {n_elements} values that are no messages"),
    }
}

fn describe_object(object: &Object<'_>) -> String {
    const MOST: usize = 8;
    let names: Vec<String> = object.members().take(MOST).map(|(name, _)| format!("`{name}`")).collect();
    if names.is_empty() {
        return "an object without members".to_owned();
    }
    let mut text = format!("an object with {}", names.join(", "));
    if object.members().nth(MOST).is_some() {
        text.push_str(" and more");
    }
    let has_list =
        |inner: &Object<'_>| ["messages", "input", "contents"].iter().any(|key| inner.list(key).is_some());
    let holds = |value: &str| match scan::object(value) {
        Some(inner) if has_list(&inner) => of_request(&inner).map(|_| "a request: give that object alone"),
        Some(_) => None,
        None => ListSigns::of_all(value)
            .and_then(|signs| signs.of_bare_list())
            .map(|_| "a conversation: give that list alone"),
    };
    if let Some((name, what)) = object.members().find_map(|(name, value)| Some((name, holds(value)?))) {
        text.push_str(&format!(" (`{name}` holds {what})"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Format) {
        assert_eq!(detect(text), Ok(expected), "{text}");
    }

    fn check_error(text: &str, kind: ReadErrorKind, message: &str) {
        let error = detect(text).unwrap_err();
        assert_eq!(error.kind, kind, "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
    }

    const CHAT: Format = Format::Wire(WireFormat::OpenAiChat);
    const RESPONSES: Format = Format::Wire(WireFormat::OpenAiResponses);
    const ANTHROPIC: Format = Format::Wire(WireFormat::Anthropic);
    const GEMINI: Format = Format::Wire(WireFormat::Gemini);

    #[test]
    fn requests() {
        check(r#"{"messages": [{"role": "user", "content": "hi"}]}"#, CHAT);
        check(r#"{"messages": []}"#, CHAT);
        check(r#"{"model": "claude-x", "messages": [{"role": "system", "content": "s"}]}"#, CHAT);
        check(r#"{"model": "claude-x", "messages": [{"role": "user", "content": "hi"}]}"#, ANTHROPIC);
        check(r#"{"system": "s", "messages": [{"role": "user", "content": "hi"}]}"#, ANTHROPIC);
        check(r#"{"tools": [{"name": "f", "input_schema": {}}], "messages": []}"#, ANTHROPIC);
        check(r#"{"messages": [{"role": "user", "content": [{"type": "image", "source": {}}]}]}"#, ANTHROPIC);
        check(r#"{"input": "hi"}"#, RESPONSES);
        check(r#"{"input": [{"role": "user", "content": "hi"}]}"#, RESPONSES);
        check(r#"{"contents": "hi"}"#, GEMINI);
        check(r#"{"input": [], "output": null}"#, RESPONSES);
        check(r#"{"contents": {"parts": []}}"#, GEMINI);
        check("\u{FEFF}{\"contents\": [{\"parts\": []}]}\n", GEMINI);
    }

    #[test]
    fn bare_lists() {
        check(r#"[{"role": "user", "content": "hi"}]"#, CHAT);
        check(r#"[{"role": "assistant", "content": [{"type": "tool_use"}]}]"#, ANTHROPIC);
        check(r#"[{"role": "user", "parts": [{"text": "hi"}]}]"#, GEMINI);
        check(r#"[{"role": "user", "content": "hi"}, {"type": "reasoning", "id": "r"}]"#, RESPONSES);
    }

    #[test]
    fn logs() {
        check("{\"type\":\"user\",\"uuid\":\"u\",\"message\":{}}", Format::ClaudeCode);
        check(
            "{\"type\":\"summary\",\"leafUuid\":\"u\"}\n{\"type\":\"summary\",\"leafUuid\":\"v\"}",
            Format::ClaudeCode,
        );
        check("{\"type\":\"session_meta\",\"payload\":{}}\n{}\n", Format::Codex);
        check(
            "{\"id\":\"x\",\"timestamp\":\"t\",\"instructions\":null}\n{\"type\":\"message\"}\n",
            Format::Codex,
        );
        check("{\"type\":\"session\",\"id\":\"x\"}\n", Format::Pi);
        check("{\"type\":\"sess\n{\"type\":\"message\",\"id\":\"x\",\"message\":{}}\n", Format::Pi);
    }

    #[test]
    fn documents_of_other_programs() {
        check(r#"{"messages": [{"role": "user", "content": [{"text": "hi"}]}]}"#, Format::Bedrock);
        check(
            r#"[{"role": "user", "content": []}, {"role": "user", "content": [{"toolResult": {}}]}]"#,
            Format::Bedrock,
        );
        check(r#"[{"type": "human", "content": "hi"}, {"type": "ai", "content": ""}]"#, Format::LangChain);
        check(r#"{"messages": [{"type": "AIMessageChunk", "content": "x"}], "next": 1}"#, Format::LangChain);
        check(
            r#"[{"lc": 1, "type": "constructor", "id": ["HumanMessage"], "kwargs": {"content": "x"}}]"#,
            Format::LangChain,
        );
        check(r#"[{"type": "human", "content": "x"}, {"role": "user", "content": "y"}]"#, Format::LangChain);
        check(r#"[{"id": 0, "source": "user", "action": "message", "args": {}}]"#, Format::OpenHands);
        check(r#"{"history": [{"source": "agent", "observation": "run", "extras": {}}]}"#, Format::OpenHands);
        check(r#"[{"kind": "PauseEvent"}, {"kind": "MessageEvent", "source": "user"}]"#, Format::OpenHands);
        check("{\"kind\":\"PauseEvent\"}\n{\"kind\":\"MessageEvent\"}\n", Format::OpenHands);
        check(
            r#"{"messages": [{"role": "user", "content": "x"}], "response": {"choices": []}, "cost": 0.1}"#,
            Format::OpenHands,
        );
        check(
            r#"{"history": [{"role": "user", "content": "x", "agent": "m"}], "info": {}}"#,
            Format::SweAgent,
        );
        check(r#"{"trajectory": [{"action": "ls", "observation": "", "response": "x"}]}"#, Format::SweAgent);
        check(r#"{"messages": [], "trajectory_format": "mini-swe-agent-1.1"}"#, Format::SweAgent);
        check(r#"{"messages": [{"role": "user"}], "info": {"exit_status": "x"}}"#, Format::SweAgent);
    }

    #[test]
    fn requests_stay_requests_beside_members_of_other_programs() {
        check(r#"{"messages": [{"role": "user", "content": "x"}], "response": {"text": "y"}}"#, CHAT);
        check(r#"{"messages": [{"role": "user", "content": "x"}], "info": {"a": 1}, "history": []}"#, CHAT);
        check(
            r#"[{"role": "system", "content": "x"}, {"role": "user", "content": "y", "agent": "m"}]"#,
            CHAT,
        );
    }

    #[test]
    fn lines_of_a_document_are_no_log() {
        check(
            "[\n{\"role\":\"user\",\"content\":\"hi\"},\n{\"role\":\"user\",\"metadata\":\n{\"type\":\"session\",\"id\":1}\n}\n]",
            CHAT,
        );
    }

    #[test]
    fn other_json_is_named_with_a_hint() {
        let kind = ReadErrorKind::UnknownFormat;
        check_error(r#"{"trace": {}, "observations": []}"#, kind, "`trace`, `observations`");
        check_error(r#"[{"task": 1, "traj": [{"role": "user", "content": "x"}]}]"#, kind, "`traj` holds");
        check_error(r#"{"request": {"messages": []}}"#, kind, "`request` holds a request");
        check_error("{\"kind\": 1}\n{\"kind\": 2}\n", kind, "JSON lines of another kind");
        check_error(r#"{"messages": [{"type": "user", "content": "hi"}]}"#, kind, "`messages`");
        check_error(r#"{"input": "a call", "output": "its reply"}"#, kind, "`input`, `output`");
        check_error("[1, 2, 3]", kind, "a list of 3 values");
        check_error("[]", kind, "an empty list");
        check_error("12", kind, "a single value");
        check_error(r#"[{"type": "human"}]"#, kind, "`type`");
        check_error(
            r#"{"messages": [{"type": "human", "content": "x"}, {"type": "cat"}]}"#,
            kind,
            "`messages`",
        );
        check_error(r#"[{"action": "login", "source": "web"}]"#, kind, "`action`");
        let vercel = r#"[{"role": "tool", "content": [{"type": "tool-result", "toolCallId": "x"}]}]"#;
        check_error(vercel, kind, "`role`, `content`");
    }

    #[test]
    fn what_is_no_json_is_placed() {
        let kind = ReadErrorKind::Syntax;
        check_error("hello", kind, "no JSON");
        check_error("2024 was a year", kind, "no JSON");
        check_error("{\"messages\": []} tail", kind, "follows");
        check_error("{\"messages\": [\n{\"role\": ", kind, "ends in the middle");
        let error = detect("{\"messages\": [\n{\"role\": ").unwrap_err();
        assert_eq!(error.line, Some(2), "{error}");
        let error = detect("\n  hello").unwrap_err();
        assert_eq!((error.line, error.column, error.offset), (Some(2), Some(3), Some(3)));
    }
}
