//! Messages, and what is known about them besides their content.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Digest, Part, Usage};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// The host's standing instructions.
    System,
    /// OpenAI's newer name for [`Role::System`].
    Developer,
    /// A person, or the host on a person's behalf.
    User,
    /// The model.
    Assistant,
    /// A tool, in formats that give results a role of their own.
    Tool,
}

impl Role {
    /// Whether this role gives standing instructions: such messages are never condensed.
    #[must_use]
    pub fn is_instruction(self) -> bool {
        matches!(self, Self::System | Self::Developer)
    }

    /// The name used in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// A format in which providers take conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WireFormat {
    /// OpenAI Chat Completions, and the many servers compatible with it.
    #[serde(rename = "openai_chat")]
    OpenAiChat,
    /// OpenAI Responses items.
    #[serde(rename = "openai_responses")]
    OpenAiResponses,
    /// Anthropic Messages.
    Anthropic,
    /// Gemini contents.
    Gemini,
}

impl WireFormat {
    /// Every format, in a fixed order.
    pub const ALL: [Self; 4] = [Self::OpenAiChat, Self::OpenAiResponses, Self::Anthropic, Self::Gemini];

    /// The name used on the command line and in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai_chat",
            Self::OpenAiResponses => "openai_responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// Whether the provider demands that roles alternate and that a user speaks first.
    #[must_use]
    pub fn alternates(self) -> bool {
        matches!(self, Self::Anthropic | Self::Gemini)
    }
}

/// The JSON text that a message was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RawJson {
    /// The format of `json`.
    pub wire: WireFormat,
    /// The text, byte for byte.
    pub json: Arc<str>,
}

impl RawJson {
    /// `json` in the format `wire`.
    #[must_use]
    pub fn new(wire: WireFormat, json: impl Into<Arc<str>>) -> Self {
        Self { wire, json: json.into() }
    }
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// It had finished.
    Finished,
    /// It reached its output limit.
    Length,
    /// It asked for tools.
    ToolUse,
    /// The call failed.
    Error,
    /// The caller gave up.
    Aborted,
    /// The provider withheld content.
    Filtered,
}

/// How a pinned message is kept. Either way it is never dropped and never rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Pin {
    /// Among the messages, in its order.
    InPlace,
    /// In front of all that is not pinned, so that it can be cached.
    Prefix,
}

/// What a message stands for in the conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// Something that was said.
    #[default]
    Plain,
    /// The summary of an earlier compaction.
    Summary,
    /// Text that the host put in without a person writing it. It starts no turn.
    Injected,
}

/// Where a message stood in the file that it was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Source {
    /// Position in the list of messages, from 0.
    pub index: usize,
    /// First line of the file that holds it, from 1; known for logs only.
    pub line: Option<usize>,
}

impl Source {
    /// Position `index`, at `line` of a log.
    #[must_use]
    pub fn new(index: usize, line: Option<usize>) -> Self {
        Self { index, line }
    }
}

/// What is known about a message besides its content. None of it ever reaches a provider.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Meta {
    /// The provider's or the log's id of the message.
    pub id: Option<String>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// What the provider reported for the call that produced it.
    pub usage: Option<Usage>,
    /// Why the model stopped.
    pub stop: Option<StopReason>,
    /// Whether and how it is pinned.
    pub pin: Option<Pin>,
    /// Whether the message carries a cache marker of its provider.
    pub cache_marker: bool,
    /// Number of compactions before the message was produced; usage of another epoch is stale.
    pub epoch: u32,
    /// What it stands for.
    pub kind: Kind,
    /// Where it was read from.
    pub source: Option<Source>,
    /// Whether the message and the next one belong together (OpenAI Responses: reasoning and what
    /// follows it, and all items of one reply).
    pub binds_next: bool,
    /// What stood in front of the message when its reasoning was signed, where that was noted
    /// ([`Context::note_signed_prefixes`](crate::Context::note_signed_prefixes)).
    pub signed_under: Option<Digest>,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Who speaks. Of a message that was read, the role is part of its JSON: build a new message rather
    /// than change it.
    pub role: Role,
    /// What is known besides the content.
    pub meta: Meta,
    parts: Vec<Part>,
    // Invariant: if present, `parts` is what a reader makes of it without the parts in `left_out`.
    // Whoever changes the parts in another way drops it.
    raw: Option<RawJson>,
    // Places of parts that were taken out, among those that `raw` has; in order.
    left_out: Vec<usize>,
}

impl Message {
    /// A message of our own making, without original JSON.
    #[must_use]
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self { role, meta: Meta::default(), parts, raw: None, left_out: Vec::new() }
    }

    /// A user message of one text.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, vec![Part::text(text)])
    }

    /// An assistant message of one text.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, vec![Part::text(text)])
    }

    /// A message of role [`Role::Tool`] that answers a call.
    #[must_use]
    pub fn tool(result: crate::ToolResult) -> Self {
        Self::new(Role::Tool, vec![Part::ToolResult(result)])
    }

    /// The same message, remembering the JSON it was read from.
    #[must_use]
    pub fn with_raw(mut self, raw: RawJson) -> Self {
        self.raw = Some(raw);
        self.left_out.clear();
        self
    }

    /// The same message with other metadata.
    #[must_use]
    pub fn with_meta(mut self, meta: Meta) -> Self {
        self.meta = meta;
        self
    }

    /// What the message is made of.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The JSON that the message was read from, if it still says what the message says.
    #[must_use]
    pub fn raw(&self) -> Option<&RawJson> {
        self.raw.as_ref().filter(|_| self.left_out.is_empty())
    }

    /// The JSON that the message was read from, and the places of the parts that were
    /// [taken out](Self::retain_parts) since, in order.
    #[must_use]
    pub fn raw_and_left_out(&self) -> Option<(&RawJson, &[usize])> {
        self.raw.as_ref().map(|raw| (raw, self.left_out.as_slice()))
    }

    /// The format that the message was read from, if it was read and not rewritten since.
    #[must_use]
    pub fn origin(&self) -> Option<WireFormat> {
        self.raw.as_ref().map(|raw| raw.wire)
    }

    /// Replaces the content; the original JSON is forgotten.
    pub fn set_parts(&mut self, parts: Vec<Part>) {
        self.parts = parts;
        self.raw = None;
        self.left_out.clear();
    }

    /// Takes out the parts that `keep` does not want. What is left can still be written as it came.
    ///
    /// ```
    /// use foldback_model::{Message, Part, RawJson, Role, WireFormat};
    ///
    /// let mut message = Message::new(Role::User, vec![Part::text(""), Part::text("hi")])
    ///     .with_raw(RawJson::new(WireFormat::Anthropic, "{…}"));
    /// message.retain_parts(|part| part.as_text() != Some(""));
    /// assert_eq!(message.parts(), [Part::text("hi")]);
    /// assert!(message.raw().is_none(), "the JSON says more than the message");
    /// assert_eq!(message.raw_and_left_out().map(|(_, left_out)| left_out), Some(&[0][..]));
    /// ```
    pub fn retain_parts(&mut self, mut keep: impl FnMut(&Part) -> bool) {
        let mut left_out = self.left_out.iter().copied().peekable();
        let mut now_out = Vec::new();
        let mut place = 0;
        self.parts.retain(|part| {
            while left_out.next_if_eq(&place).is_some() {
                now_out.push(place);
                place += 1;
            }
            let stays = keep(part);
            now_out.extend((!stays).then_some(place));
            place += 1;
            stays
        });
        now_out.extend(left_out);
        self.left_out = now_out;
    }

    /// The tool calls of the message, in order.
    pub fn calls(&self) -> impl Iterator<Item = &crate::ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    /// The tool results in the message, in order.
    pub fn results(&self) -> impl Iterator<Item = &crate::ToolResult> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolResult(result) => Some(result),
            _ => None,
        })
    }

    /// All visible text, its pieces joined by line breaks. Tool results are not visible text.
    #[must_use]
    pub fn text(&self) -> String {
        let pieces: Vec<&str> = self.parts.iter().filter_map(Part::as_text).collect();
        pieces.join("\n")
    }

    /// What the message stands for: what its metadata says, and a summary too if its whole text is
    /// the projection of one (wire formats have no other way to say so).
    #[must_use]
    pub fn kind(&self) -> Kind {
        let projected = |text: &str| crate::Summary::text_of_projection(text).is_some();
        match (self.meta.kind, self.parts.as_slice()) {
            // Only the host writes one: a model that imitates it has said something, no more.
            (Kind::Plain, [Part::Text(text)]) if self.role == Role::User && projected(text) => Kind::Summary,
            (kind, _) => kind,
        }
    }

    /// Whether a turn starts here: a person wrote something, and it is not only a tool's answer.
    #[must_use]
    pub fn starts_turn(&self) -> bool {
        self.role == Role::User
            && self.kind() == Kind::Plain
            && !self.parts.is_empty()
            // Text beside results is a remark on them, within the turn that made the calls.
            && !self.parts.iter().any(|part| matches!(part, Part::ToolResult(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_out(message: &mut Message, names: &[&str]) -> Vec<usize> {
        message.retain_parts(|part| !part.as_text().is_some_and(|text| names.contains(&text)));
        message.raw_and_left_out().map(|(_, places)| places.to_vec()).unwrap_or_default()
    }

    #[test]
    fn the_places_left_out_count_in_the_original_however_often_parts_are_taken_out() {
        let parts = ["a", "b", "c", "d", "e"].map(Part::text).to_vec();
        let mut message =
            Message::new(Role::User, parts).with_raw(RawJson::new(WireFormat::Anthropic, "{…}"));

        assert_eq!(take_out(&mut message, &["e", "b"]), [1, 4]);
        assert_eq!(take_out(&mut message, &["a", "d"]), [0, 1, 3, 4]);
        assert_eq!(take_out(&mut message, &["c"]), [0, 1, 2, 3, 4]);

        message.set_parts(vec![Part::text("anew")]);
        assert_eq!(message.raw_and_left_out(), None, "other content has no original");
    }
}
