//! What the messages of a pi session say.

use foldback_model::{
    Kind, Media, MediaSource, Message, Part, Role, StopReason, Thinking, TokenCount, ToolCall, ToolResult,
    Usage,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::ReadError;
use crate::log::lines::{Damage, Line, Text, tokens};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RecordMessage<'a> {
    #[serde(borrow)]
    role: Text<'a>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    model: Option<Text<'a>>,
    usage: Option<LogUsage>,
    #[serde(borrow)]
    stop_reason: Option<Text<'a>>,
    #[serde(borrow)]
    tool_call_id: Option<Text<'a>>,
    #[serde(borrow)]
    tool_name: Option<Text<'a>>,
    is_error: Option<bool>,
    // Of a command that the person ran.
    #[serde(borrow)]
    command: Option<Text<'a>>,
    #[serde(borrow)]
    output: Option<Text<'a>>,
    exit_code: Option<i64>,
    cancelled: Option<bool>,
    exclude_from_context: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LogUsage {
    #[serde(default, deserialize_with = "tokens")]
    input: Option<u64>,
    #[serde(default, deserialize_with = "tokens")]
    output: Option<u64>,
    #[serde(default, deserialize_with = "tokens")]
    cache_read: Option<u64>,
    #[serde(default, deserialize_with = "tokens")]
    cache_write: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    thinking: Option<Text<'a>>,
    #[serde(borrow)]
    thinking_signature: Option<Text<'a>>,
    redacted: Option<bool>,
    #[serde(borrow)]
    data: Option<Text<'a>>,
    #[serde(borrow)]
    mime_type: Option<Text<'a>>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    thought_signature: Option<Text<'a>>,
}

pub(super) fn injected(parts: Vec<Part>) -> Message {
    let mut message = Message::new(Role::User, parts);
    message.meta.kind = Kind::Injected;
    message
}

pub(super) fn said<'a>(
    line: Line<'a>,
    raw: &'a str,
    damage: &mut Damage,
) -> Result<Option<Message>, ReadError> {
    let Some(said) = damage.parse_within::<RecordMessage<'a>>(line, raw)? else { return Ok(None) };
    if said.role.as_str() == "bashExecution" {
        return Ok((said.exclude_from_context != Some(true)).then(|| command(&said)));
    }
    let Some(parts) = content(line, said.content, damage)? else { return Ok(None) };
    Ok(match said.role.as_str() {
        "user" => Some(Message::new(Role::User, parts)),
        "assistant" => Some(reply(said, parts)),
        "toolResult" => {
            let mut result =
                ToolResult::new(said.tool_call_id.map_or_else(String::new, |id| id.0.into_owned()), "");
            result.content = parts;
            result.name = said.tool_name.map(|name| name.0.into_owned());
            result.is_error = said.is_error == Some(true);
            Some(Message::tool(result))
        }
        "custom" | "hookMessage" => Some(injected(parts)),
        _ => None,
    })
}

fn reply(said: RecordMessage<'_>, parts: Vec<Part>) -> Message {
    let mut message = Message::new(Role::Assistant, parts);
    message.meta.model = said.model.map(|model| model.0.into_owned());
    message.meta.stop = said.stop_reason.and_then(|reason| match reason.as_str() {
        "stop" => Some(StopReason::Finished),
        "length" => Some(StopReason::Length),
        "toolUse" => Some(StopReason::ToolUse),
        "error" => Some(StopReason::Error),
        "aborted" => Some(StopReason::Aborted),
        _ => None,
    });
    message.meta.usage = said.usage.and_then(|said| usage(&said));
    message
}

/// A call that failed reports zeros, which say nothing.
fn usage(said: &LogUsage) -> Option<Usage> {
    let counts = [said.input, said.output, said.cache_read, said.cache_write];
    if counts.iter().all(|count| count.unwrap_or(0) == 0) {
        return None;
    }
    let mut usage = Usage::default();
    usage.input = said.input.map(TokenCount::new);
    usage.output = said.output.map(TokenCount::new);
    usage.cached_input = said.cache_read.map(TokenCount::new);
    usage.cache_write = said.cache_write.map(TokenCount::new);
    Some(usage)
}

/// A command that the person ran, as pi tells the model of it.
fn command(said: &RecordMessage<'_>) -> Message {
    let command = said.command.as_ref().map_or("", Text::as_str);
    let output = said.output.as_ref().map_or("", Text::as_str);
    let mut text = format!("Ran `{command}`\n");
    if output.is_empty() {
        text.push_str("(no output)");
    } else {
        text.push_str(&format!("```\n{output}\n```"));
    }
    match (said.cancelled, said.exit_code) {
        (Some(true), _) => text.push_str("\n\n(command cancelled)"),
        (_, Some(code)) if code != 0 => text.push_str(&format!("\n\nCommand exited with code {code}")),
        _ => {}
    }
    injected(vec![Part::text(text)])
}

/// The parts of a message; `None` if the line is passed over.
pub(super) fn content<'a>(
    line: Line<'a>,
    raw: Option<&'a RawValue>,
    damage: &mut Damage,
) -> Result<Option<Vec<Part>>, ReadError> {
    let Some(raw) = raw else { return Ok(Some(Vec::new())) };
    if raw.get().starts_with('"') {
        let text = damage.parse_within::<Text<'a>>(line, raw.get())?;
        return Ok(text.map(|text| vec![Part::text(text.0)]));
    }
    let blocks = damage.parse_within::<Vec<Block<'a>>>(line, raw.get())?;
    Ok(blocks.map(|blocks| blocks.into_iter().filter_map(part).collect()))
}

fn part(block: Block<'_>) -> Option<Part> {
    let owned = |text: Option<Text<'_>>| text.map(|text| text.0.into_owned());
    match block.kind.as_str() {
        "text" => Some(Part::Text(owned(block.text)?)),
        "thinking" => {
            let signature = owned(block.thinking_signature).filter(|signature| !signature.is_empty());
            let mut thinking = Thinking::new(owned(block.thinking).unwrap_or_default());
            thinking.sealed = block.redacted == Some(true) && signature.is_some();
            thinking.signature = signature;
            if thinking.sealed {
                thinking.text.clear();
            }
            Some(Part::Thinking(thinking))
        }
        "image" => {
            Some(Part::Image(Media::new(owned(block.mime_type), MediaSource::Base64(owned(block.data)?))))
        }
        "toolCall" => {
            let arguments = block.arguments.map_or("{}", RawValue::get);
            let mut call = ToolCall::new(
                owned(block.id).unwrap_or_default(),
                owned(block.name).unwrap_or_default(),
                arguments,
            );
            call.signature = owned(block.thought_signature);
            Some(Part::ToolCall(call))
        }
        _ => None,
    }
}
