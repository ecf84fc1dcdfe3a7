//! What a message is made of.

use std::sync::Arc;

/// One piece of a message.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// Visible text.
    Text(String),
    /// A picture.
    Image(Media),
    /// A file given to the model whole.
    Document(Media),
    /// Reasoning that the model showed or sealed.
    Thinking(Thinking),
    /// A request to run a tool, to be answered by a [`ToolResult`] of the same id.
    ToolCall(ToolCall),
    /// The answer to a [`ToolCall`].
    ToolResult(ToolResult),
    /// A block of a kind that this crate does not know, carried along untouched.
    Opaque(Opaque),
}

impl Part {
    /// Visible text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The text, if this is a text part.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// A picture or a document.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Media {
    /// The MIME type, such as `image/png`, when it was stated.
    pub media_type: Option<String>,
    /// The file's name or title, when it was stated.
    pub name: Option<String>,
    /// Where the content is.
    pub source: MediaSource,
    /// Whether the request asked for the coarse rendering (OpenAI's `detail: "low"`).
    pub low_detail: bool,
}

impl Media {
    /// Content at `source`, with nothing else known.
    #[must_use]
    pub fn new(media_type: Option<String>, source: MediaSource) -> Self {
        Self { media_type, name: None, source, low_detail: false }
    }
}

/// Where the content of a [`Media`] is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MediaSource {
    /// Inline, in standard base64 (without a `data:` prefix).
    Base64(String),
    /// Inline, as text.
    Text(String),
    /// At an address.
    Url(String),
    /// Uploaded before, known to the provider by this id.
    FileId(String),
}

/// Reasoning of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Thinking {
    /// What can be read of it; empty when it is sealed.
    pub text: String,
    /// The provider's signature or sealed content. The text under a signature is never edited.
    pub signature: Option<String>,
    /// Whether the content is sealed: it is replayed, but nobody here can read it.
    pub sealed: bool,
}

impl Thinking {
    /// Reasoning as readable text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), signature: None, sealed: false }
    }

    /// The same under a signature.
    #[must_use]
    pub fn signed(mut self, signature: impl Into<String>) -> Self {
        self.signature = Some(signature.into());
        self
    }

    /// Reasoning whose content is sealed in `signature`.
    #[must_use]
    pub fn sealed(signature: impl Into<String>) -> Self {
        Self { text: String::new(), signature: Some(signature.into()), sealed: true }
    }
}

/// A request by the model to run a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall {
    /// Pairs the call with its result. A format without ids (Gemini) gets ids from its reader;
    /// they are never written back.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text, exactly as the model wrote them; for a free-form tool, any text.
    pub arguments: String,
    /// The provider's signature over the call (Gemini's `thoughtSignature`).
    pub signature: Option<String>,
}

impl ToolCall {
    /// A call of `name`.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into(), signature: None }
    }
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolResult {
    /// The id of the call that this answers.
    pub call_id: String,
    /// The tool's name, where the format states it or the call is known.
    pub name: Option<String>,
    /// Text, pictures and the like; never calls or results.
    pub content: Vec<Part>,
    /// Whether the tool failed, where the format can say so.
    pub is_error: bool,
}

impl ToolResult {
    /// A successful answer of `text` to `call_id`.
    #[must_use]
    pub fn new(call_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { call_id: call_id.into(), name: None, content: vec![Part::Text(text.into())], is_error: false }
    }

    /// The same, marked as a failure.
    #[must_use]
    pub fn failed(mut self) -> Self {
        self.is_error = true;
        self
    }

    /// All text of the result, its pieces joined by line breaks.
    #[must_use]
    pub fn text(&self) -> String {
        let pieces: Vec<&str> = self.content.iter().filter_map(Part::as_text).collect();
        pieces.join("\n")
    }
}

/// A block that this crate does not know. It survives because the message's JSON does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opaque {
    /// What the format calls it, such as `server_tool_use`.
    pub kind: String,
    /// What a model would read of it: its texts, without sealed content. For estimates only.
    pub text: String,
    /// The block as it came.
    pub json: Arc<str>,
}

impl Opaque {
    /// A block `json` of `kind` of which a model reads `text`.
    #[must_use]
    pub fn new(kind: impl Into<String>, text: impl Into<String>, json: impl Into<Arc<str>>) -> Self {
        Self { kind: kind.into(), text: text.into(), json: json.into() }
    }
}
