//! A conversation that was read, and how it is written back.

use foldback_model::{Context, WireFormat};

use crate::detect::detect_whole;
use crate::envelope::Envelope;
use crate::{Edit, Format, ReadError, ReadErrorKind, list, log};

/// How a file is read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The format, if it is known; otherwise the content tells.
    pub format: Option<Format>,
    /// Whether damaged lines of a log are skipped and counted. Otherwise the first one is an error.
    pub lenient: bool,
    /// Whether a log gives all that was ever said, not only what the model saw at the end.
    pub whole: bool,
}

impl ReadOptions {
    /// To read `format`, whatever the content looks like.
    ///
    /// ```
    /// use foldback_model::WireFormat;
    /// use foldback_wire::{ReadOptions, read};
    ///
    /// let list = br#"[{"role": "user", "content": "hi"}]"#;
    /// let document = read(list, &ReadOptions::of(WireFormat::Anthropic)).unwrap();
    /// assert_eq!(document.wire(), WireFormat::Anthropic);
    /// ```
    #[must_use]
    pub fn of(format: impl Into<Format>) -> Self {
        Self { format: Some(format.into()), ..Self::default() }
    }

    /// The same, passing over damaged lines of a log.
    #[must_use]
    pub fn lenient(mut self) -> Self {
        self.lenient = true;
        self
    }

    /// The same, reading all that a log ever said.
    #[must_use]
    pub fn whole(mut self) -> Self {
        self.whole = true;
        self
    }
}

/// A compaction that a log already holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Boundary {
    /// Index of the first message after it.
    pub index: usize,
    /// What the log calls it: `auto`, `manual`, `compacted`, …
    pub kind: String,
    /// The size of the context before it, if the log states it.
    pub tokens_before: Option<u64>,
    /// The size of the context after it, if the log states it.
    pub tokens_after: Option<u64>,
}

/// A conversation as it was read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Document {
    /// The format of the file.
    pub format: Format,
    /// What the file says. Each message names its place in the file (`meta.source`).
    pub context: Context,
    /// Compactions that the log records.
    pub boundaries: Vec<Boundary>,
    /// Lines of a log that could not be read and were skipped.
    pub skipped_lines: usize,
    pub(crate) envelope: Envelope,
}

/// A conversation as JSON text, and what happened to it on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// The request body, or the bare list if a bare list was read.
    pub json: String,
    /// For each element of the written list, the index (in the context as projected) of the first
    /// message in it.
    pub sources: Vec<usize>,
    /// Indices, in the projected context, of messages that were joined to the one before them
    /// because the provider wants roles to alternate.
    pub joined: Vec<usize>,
    /// What had to be mended, so that another format takes the conversation; indices as projected.
    pub edits: Vec<Edit>,
    /// What the format could not carry.
    pub lost: Vec<Lost>,
}

/// Something that a format could not carry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lost {
    /// Index of the message, in the context as projected; 0 for a tool definition, which stands in no
    /// message.
    pub index: usize,
    /// What was lost, for a person.
    pub what: String,
}

impl Document {
    /// A conversation of your own making, to be written in `wire`.
    ///
    /// ```
    /// use foldback_model::{Context, Message, WireFormat};
    /// use foldback_wire::Document;
    ///
    /// let document = Document::of_context(WireFormat::Anthropic, Context::new(vec![Message::user("hi")]));
    /// let written = document.write(&document.context);
    /// assert_eq!(written.json, r#"{"messages":[{"role":"user","content":"hi"}]}"#);
    /// ```
    #[must_use]
    pub fn of_context(wire: WireFormat, context: Context) -> Self {
        Self {
            format: Format::Wire(wire),
            context,
            boundaries: Vec::new(),
            skipped_lines: 0,
            envelope: Envelope::Made { max_tokens: None },
        }
    }

    /// The wire format that the conversation is written in: its own, or the one nearest to the log
    /// (Claude Code, pi and Bedrock: Anthropic; Codex: Responses; OpenHands, SWE-agent and LangChain:
    /// Chat Completions).
    #[must_use]
    pub fn wire(&self) -> WireFormat {
        match self.format {
            Format::Wire(wire) => wire,
            Format::ClaudeCode | Format::Pi | Format::Bedrock => WireFormat::Anthropic,
            Format::Codex => WireFormat::OpenAiResponses,
            Format::OpenHands | Format::SweAgent | Format::LangChain => WireFormat::OpenAiChat,
        }
    }
}

/// Reads a conversation from the bytes of a file.
///
/// # Errors
///
/// [`ReadError`], which says what is wrong, where, and what was expected.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Document, ReadError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        ReadError::new(ReadErrorKind::Encoding, "the bytes are not UTF-8", "JSON in UTF-8")
            .at_offset(error.valid_up_to())
    })?;
    if list::without_mark(text).trim().is_empty() {
        return Err(ReadError::new(ReadErrorKind::Empty, "the file is empty", "a conversation"));
    }
    let (format, whole) = match options.format {
        Some(format) => (format, None),
        None => detect_whole(text)?,
    };
    match format {
        Format::Wire(wire) => list::read(text, whole, wire),
        log => log::read(text, log, options),
    }
}
