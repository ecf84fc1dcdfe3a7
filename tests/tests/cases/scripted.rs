//! Summarizers that play a script and remember what they were asked.

use std::collections::BTreeSet;

use foldback_model::{Message, Part};
use foldback_summarize::{SummarizeError, SummarizeErrorKind, SummaryKind, SummaryReply, SummaryRequest};
use serde::Deserialize;

/// What a summarizer answers.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Script {
    Echo(Echo),
    Replies(Replies),
}

/// Answers with what it was asked.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Echo {
    mode: Mode,
    /// Stands in front of the answer; `{n}` is the number of the call.
    #[serde(default)]
    prefix: String,
    max_chars: Option<usize>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    EchoFacts,
    EchoAll,
}

/// Fixed answers.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Replies {
    replies: Vec<Reply>,
    #[serde(default)]
    repeat_last: bool,
}

/// A text, or the status of a failed call.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Reply {
    Text(TextReply),
    Failure(FailedReply),
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct TextReply {
    text: String,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct FailedReply {
    status: u16,
}

/// A summarizer at work.
pub(crate) struct Scripted {
    script: Script,
    pub(crate) requests: Vec<Asked>,
}

/// One request to the summarizer.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) kind: SummaryKind,
    /// All that a model would have been sent.
    pub(crate) text: String,
}

impl Scripted {
    pub(crate) fn new(script: Script) -> Self {
        Self { script, requests: Vec::new() }
    }

    /// The answer to `request`, which is remembered.
    pub(crate) fn answer(&mut self, request: &SummaryRequest<'_>) -> Result<SummaryReply, SummarizeError> {
        let text = render(request);
        let n = self.requests.len() + 1;
        let reply = match &self.script {
            Script::Echo(echo) => Ok(SummaryReply::new(echo.answer(&text, n))),
            Script::Replies(replies) => replies.answer(n),
        };
        self.requests.push(Asked { kind: request.kind, text });
        reply
    }
}

impl Echo {
    fn answer(&self, request: &str, n: usize) -> String {
        let body = match self.mode {
            Mode::EchoFacts => format!("Facts so far: {}", facts(request).join(", ")),
            Mode::EchoAll => request.to_owned(),
        };
        let answer = self.prefix.replace("{n}", &n.to_string()) + &body;
        answer.chars().take(self.max_chars.unwrap_or(usize::MAX)).collect()
    }
}

impl Replies {
    fn answer(&self, n: usize) -> Result<SummaryReply, SummarizeError> {
        let last = self.replies.last().filter(|_| self.repeat_last);
        let reply = self.replies.get(n - 1).or(last);
        match reply.unwrap_or_else(|| panic!("call {n} of the summarizer is past the end of its script")) {
            Reply::Text(reply) => Ok(SummaryReply::new(&reply.text)),
            Reply::Failure(reply) => {
                let message = format!("the server answered with status {}", reply.status);
                Err(SummarizeError::new(SummarizeErrorKind::Failed, message))
            }
        }
    }
}

/// All distinct `FACT-…` in order of first appearance.
pub(crate) fn facts(text: &str) -> Vec<&str> {
    const MARK: &str = "FACT-";
    let mut seen = BTreeSet::new();
    let name_end = |name: &str| {
        let other = |c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit());
        name.find(other).unwrap_or(name.len())
    };
    text.match_indices(MARK)
        .map(|(start, mark)| &text[start..start + mark.len() + name_end(&text[start + mark.len()..])])
        .filter(|fact| fact.len() > MARK.len() && seen.insert(*fact))
        .collect()
}

/// The request as a model would read it, nothing shortened.
fn render(request: &SummaryRequest<'_>) -> String {
    let mut text = String::new();
    if let Some(previous) = request.previous {
        text.push_str(&format!("<previous-summary>\n{}\n</previous-summary>\n", previous.text));
    }
    for message in &request.messages {
        render_message(message, &mut text);
    }
    if let Some(focus) = request.focus {
        text.push_str(&format!("Favour: {focus}\n"));
    }
    text
}

fn render_message(message: &Message, text: &mut String) {
    text.push_str(&format!("[{}]\n", message.role.as_str()));
    for part in message.parts() {
        render_part(part, text);
    }
}

fn render_part(part: &Part, text: &mut String) {
    let line = match part {
        Part::Text(said) => said.clone(),
        Part::Thinking(thinking) => format!("(thinking) {}", thinking.text),
        Part::ToolCall(call) => format!("(call) {}({})", call.name, call.arguments),
        Part::ToolResult(result) => {
            text.push_str("(result)\n");
            result.content.iter().for_each(|part| render_part(part, text));
            return;
        }
        Part::Opaque(opaque) => opaque.text.clone(),
        _ => "(media)".to_owned(),
    };
    text.push_str(&line);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_whole_names_in_order_of_appearance() {
        assert_eq!(facts("FACT-B2, FACT-A1 FACT-B2; FACT- FACT-A10x"), ["FACT-B2", "FACT-A1", "FACT-A10"]);
    }
}
