//! What the elements of a list say about the format that they are of.

use foldback_model::WireFormat;

use crate::Format;
use crate::json::Object;
use crate::log::openhands;
use crate::scan;

/// What was seen in a list, in one pass and without keeping its elements.
#[derive(Default)]
pub(crate) struct ListSigns {
    n_elements: usize,
    n_objects: usize,
    n_with_role: usize,
    n_with_parts: usize,
    /// Elements with a `type` that the Responses API knows, and with any.
    n_items: usize,
    n_typed: usize,
    /// What a message of one of the two formats with `messages` has and the other has not.
    strong: Option<WireFormat>,
    has_system: bool,
    /// Whether a message is of a third format that looks like these two, and whether that is Bedrock's.
    is_foreign: bool,
    is_bedrock: bool,
    /// Messages of LangChain, and events of OpenHands.
    n_langchain: usize,
    n_events: usize,
    speaks_as_assistant: bool,
}

/// What one message says.
enum Sign {
    Of(WireFormat),
    Bedrock,
    Foreign,
}

impl ListSigns {
    /// The signs of the list `json`, or `None` for any other kind of value.
    pub(crate) fn of_all(json: &str) -> Option<Self> {
        Self::until(json, |_| false)
    }

    /// The same, of as many elements as it takes until what was seen is `enough`.
    pub(crate) fn until(json: &str, enough: fn(&Self) -> bool) -> Option<Self> {
        let mut signs = Self::default();
        for element in scan::elements(json)? {
            signs.n_elements += 1;
            if let Some(object) = scan::object(element) {
                signs.see(&object);
            }
            // A list without any object is no conversation, however long it is.
            if enough(&signs) || (signs.n_objects == 0 && signs.n_elements >= 8) {
                break;
            }
        }
        Some(signs)
    }

    fn see(&mut self, object: &Object<'_>) {
        self.n_objects += 1;
        let role = object.word("role");
        let kind = object.word("type");
        self.n_with_role += usize::from(role.is_some());
        self.n_with_parts += usize::from(object.has("parts"));
        self.n_typed += usize::from(kind.is_some());
        self.n_items += usize::from(kind.as_deref().is_some_and(is_item));
        self.n_langchain += usize::from(is_langchain(object, kind.as_deref(), role.as_deref()));
        self.n_events += usize::from(openhands::is_event(object));
        self.has_system |= role.as_deref() == Some("system");
        self.speaks_as_assistant |= role.as_deref() == Some("assistant");
        if self.strong.is_none() && !self.is_foreign {
            match sign(object, role.as_deref()) {
                Some(Sign::Of(wire)) => self.strong = Some(wire),
                Some(Sign::Bedrock) => (self.is_foreign, self.is_bedrock) = (true, true),
                Some(Sign::Foreign) => self.is_foreign = true,
                None => {}
            }
        }
    }

    fn is_all(&self, n: usize) -> bool {
        n == self.n_elements && n > 0
    }

    /// Whether no later element of `messages` can change what these say.
    pub(crate) fn tells_messages(&self) -> bool {
        self.is_foreign || (self.strong.is_some() && self.n_with_role > 0)
    }

    /// Whether enough was seen to know the format of a document: its first messages show it.
    pub(crate) fn tells_document(&self) -> bool {
        const ENOUGH: usize = 32;
        self.n_elements >= ENOUGH
    }

    /// Whether this may be `messages` of a request. One bad message does not make it another format.
    pub(crate) fn may_be_messages(&self) -> bool {
        !self.is_foreign && (self.n_elements == 0 || self.n_with_role > 0)
    }

    /// Whether this may be `input` of a request.
    pub(crate) fn may_be_items(&self) -> bool {
        self.n_elements == 0 || self.n_with_role > 0 || self.n_typed > 0
    }

    /// Whether this may be `contents` of a request.
    pub(crate) fn may_be_contents(&self) -> bool {
        self.n_elements == 0 || self.n_with_parts > 0
    }

    /// Chat or Anthropic, where the messages tell.
    pub(crate) fn says(&self) -> Option<WireFormat> {
        // Anthropic takes system messages in the list too, though seldom.
        self.strong.or(self.has_system.then_some(WireFormat::OpenAiChat))
    }

    /// The format of messages that no API takes as they are, if this is such a list.
    pub(crate) fn of_document(&self) -> Option<Format> {
        // A state of LangGraph takes messages of OpenAI too.
        if self.n_langchain > 0 && self.n_items == 0 && self.is_all(self.n_langchain + self.n_with_role) {
            return Some(Format::LangChain);
        }
        if self.n_events > 0 && self.n_with_role == 0 && self.n_items == 0 {
            return Some(Format::OpenHands);
        }
        (self.is_bedrock && self.is_all(self.n_with_role)).then_some(Format::Bedrock)
    }

    /// The format of a list without a request around it: all its elements have to be of it.
    pub(crate) fn of_bare_list(&self) -> Option<WireFormat> {
        if self.is_all(self.n_with_parts) && !self.speaks_as_assistant {
            return Some(WireFormat::Gemini);
        }
        if self.n_items > 0 && self.n_typed + self.n_with_role >= self.n_elements {
            return Some(WireFormat::OpenAiResponses);
        }
        let is_messages = self.is_all(self.n_with_role) && self.n_with_parts == 0 && !self.is_foreign;
        is_messages.then(|| self.says().unwrap_or(WireFormat::OpenAiChat))
    }
}

/// Whether the Responses API has items of this kind.
fn is_item(kind: &str) -> bool {
    matches!(
        kind,
        "message"
            | "reasoning"
            | "compaction"
            | "item_reference"
            | "function_call"
            | "function_call_output"
            | "custom_tool_call"
            | "custom_tool_call_output"
            | "local_shell_call"
            | "local_shell_call_output"
            | "shell_call"
            | "shell_call_output"
            | "apply_patch_call"
            | "apply_patch_call_output"
            | "computer_call"
            | "computer_call_output"
            | "tool_search_call"
            | "tool_search_output"
            | "web_search_call"
            | "file_search_call"
            | "code_interpreter_call"
            | "image_generation_call"
            | "mcp_call"
            | "mcp_list_tools"
    )
}

/// Whether this is a message of LangChain and of nobody else: it says what it is by its type and has
/// no role.
fn is_langchain(message: &Object<'_>, kind: Option<&str>, role: Option<&str>) -> bool {
    if message.has("lc") {
        return message.has("kwargs");
    }
    let is_kind = kind.is_some_and(|kind| {
        matches!(kind, "human" | "ai" | "system" | "developer" | "tool" | "function" | "chat" | "remove")
            || kind.ends_with("MessageChunk")
    });
    is_kind && role.is_none() && (message.has("content") || message.has("data") || kind == Some("remove"))
}

fn sign(message: &Object<'_>, role: Option<&str>) -> Option<Sign> {
    let blocks = message.get("content").and_then(scan::elements);
    let sign = blocks.and_then(|mut blocks| blocks.find_map(|block| sign_of_block(&scan::object(block)?)));
    let is_chat = matches!(role, Some("tool" | "function" | "developer"))
        || ["tool_calls", "tool_call_id", "function_call"].iter().any(|key| message.has(key));
    sign.or_else(|| is_chat.then_some(Sign::Of(WireFormat::OpenAiChat)))
}

/// The names of Bedrock's blocks.
const BEDROCK: [&str; 12] = [
    "text",
    "image",
    "document",
    "video",
    "audio",
    "toolUse",
    "toolResult",
    "guardContent",
    "cachePoint",
    "reasoningContent",
    "citationsContent",
    "searchResult",
];

fn sign_of_block(block: &Object<'_>) -> Option<Sign> {
    let Some(kind) = block.word("type") else {
        // Bedrock's blocks say by their one member what they are.
        let is_bedrock = block.members().next().is_some_and(|(name, _)| BEDROCK.contains(&name));
        return Some(if is_bedrock { Sign::Bedrock } else { Sign::Foreign });
    };
    match kind.as_ref() {
        "tool_use" | "tool_result" | "thinking" | "redacted_thinking" | "server_tool_use" => {
            Some(Sign::Of(WireFormat::Anthropic))
        }
        "image" | "document" if block.has("source") => Some(Sign::Of(WireFormat::Anthropic)),
        "image_url" | "input_audio" => Some(Sign::Of(WireFormat::OpenAiChat)),
        "file" if block.has("file") => Some(Sign::Of(WireFormat::OpenAiChat)),
        // Vercel's blocks.
        "tool-call" | "tool-result" => Some(Sign::Foreign),
        _ => None,
    }
}
