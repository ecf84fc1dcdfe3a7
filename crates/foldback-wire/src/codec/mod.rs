//! One module a wire format: an element of its list to a message, and a message to elements.

mod anthropic;
mod edit;
mod gemini;
mod media;
mod openai_chat;
mod openai_responses;
#[cfg(test)]
mod tests;
mod tools;

use foldback_model::{Context, Message, Opaque, Part, RawJson, ToolDefinition, WireFormat};

pub(crate) use anthropic::is_valid_id as is_anthropic_id;
pub(crate) use edit::without_parts;
pub use tools::read_tools;

use crate::json::Object;
use crate::scan;

/// An element that does not have the shape that its format gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShapeError {
    /// The member, such as `content[2].type`; empty for the element itself.
    pub(crate) path: String,
    /// What would have been right.
    pub(crate) expected: String,
    /// What was found.
    pub(crate) message: String,
}

impl ShapeError {
    pub(crate) fn new(
        path: impl Into<String>,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self { path: path.into(), expected: expected.into(), message: message.into() }
    }
}

/// Reads one element of a list of `wire`. The message keeps `json`.
pub(crate) fn decode_message(wire: WireFormat, json: &str) -> Result<Message, ShapeError> {
    let object = scan::object(json).ok_or_else(|| ShapeError::new("", "no object", "a message object"))?;
    let message = match wire {
        WireFormat::OpenAiChat => openai_chat::decode(&object),
        WireFormat::OpenAiResponses => openai_responses::decode(&object, json),
        WireFormat::Anthropic => anthropic::decode(&object),
        WireFormat::Gemini => gemini::decode(&object),
        _ => return Err(ShapeError::new("", "a format without a codec", "one of the four wire formats")),
    }?;
    Ok(message.with_raw(RawJson::new(wire, json)))
}

/// Reads one block of a message's content, where another format has taken over the blocks of `wire`
/// (Anthropic's, else those of Chat Completions).
pub(crate) fn decode_block(wire: WireFormat, json: &str) -> Part {
    match wire {
        WireFormat::Anthropic => anthropic::decode_block(json, 0),
        _ => openai_chat::decode_part(json),
    }
}

/// Reads tool definitions, each in the shape of any of the providers.
pub(crate) fn decode_tools(definitions: &[&str]) -> Vec<ToolDefinition> {
    definitions.iter().flat_map(|definition| tools::decode(definition)).collect()
}

/// Finds what can be found only in the whole list.
pub(crate) fn link(wire: WireFormat, messages: &mut [Message]) {
    match wire {
        WireFormat::Gemini => gemini::pair(messages),
        WireFormat::OpenAiResponses => openai_responses::bind(messages),
        _ => {}
    }
}

/// The elements that say what `message` says, for a conversation in another format or a message of
/// our own making. Results carry their tool's name already.
pub(crate) fn encode(wire: WireFormat, message: &Message, encoder: &mut Encoder<'_>) -> Vec<String> {
    match wire {
        WireFormat::OpenAiResponses => openai_responses::encode(message, encoder),
        WireFormat::Anthropic => anthropic::encode(message, encoder),
        WireFormat::Gemini => gemini::encode(message, encoder),
        _ => openai_chat::encode(message, encoder),
    }
}

/// What an encoder has to know besides the message, and where it tells what was lost.
pub(crate) struct Encoder<'a> {
    /// Whether the parts came from this very format, so that signatures, reasoning and unknown blocks
    /// mean something to its provider.
    pub(crate) own: bool,
    /// For each part, the kind of the call or result that it pairs with, where that is known.
    pub(crate) partners: Vec<Option<String>>,
    /// Takes what the format cannot carry.
    pub(crate) lost: &'a mut dyn FnMut(String),
}

impl Encoder<'_> {
    fn lose(&mut self, what: impl Into<String>) {
        (self.lost)(what.into());
    }

    fn partner(&self, position: usize) -> Option<&str> {
        self.partners.get(position)?.as_deref()
    }

    /// A block of a kind that is not known here: its own provider gets it back.
    fn opaque(&mut self, opaque: &Opaque) -> Option<String> {
        if self.own {
            return Some(opaque.json.to_string());
        }
        self.lose(format!("a block of the kind `{}`", opaque.kind));
        None
    }
}

/// The members of a fresh request besides the list: the system text, the limit and the tools.
pub(crate) fn encode_frame(
    wire: WireFormat,
    context: &Context,
    max_tokens: Option<&str>,
    lost: &mut dyn FnMut(String),
) -> Frame {
    let mut frame = match wire {
        WireFormat::OpenAiResponses => openai_responses::frame(context, max_tokens),
        WireFormat::Anthropic => anthropic::frame(context, max_tokens),
        WireFormat::Gemini => gemini::frame(context, max_tokens),
        _ => openai_chat::frame(context, max_tokens),
    };
    frame.after.extend(tools::encode(wire, &context.tools, lost).map(|tools| ("tools", tools)));
    frame
}

/// What stands around the list of a fresh request.
#[derive(Default)]
pub(crate) struct Frame {
    /// Members in front of the list, as JSON text.
    pub(crate) before: Vec<(&'static str, String)>,
    /// Elements in front of the messages: a system message, in formats that want one.
    pub(crate) first: Vec<String>,
    /// Members behind the list, as JSON text.
    pub(crate) after: Vec<(&'static str, String)>,
}

/// What a request says besides its list.
#[derive(Default)]
pub(crate) struct Head {
    pub(crate) system: Option<String>,
    pub(crate) tools: Vec<ToolDefinition>,
    pub(crate) model: Option<String>,
    /// The most tokens that a reply may have, as JSON text.
    pub(crate) max_tokens: Option<String>,
}

/// Reads what a request of `wire` says besides its list.
pub(crate) fn decode_head(wire: WireFormat, request: &Object<'_>) -> Head {
    let system = match wire {
        WireFormat::Anthropic => request.get("system").map(anthropic::system_text),
        WireFormat::OpenAiResponses => request.text("instructions"),
        WireFormat::Gemini => {
            request.get_any(&["systemInstruction", "system_instruction"]).map(gemini::system_text)
        }
        _ => None,
    };
    let definitions = request.list("tools").unwrap_or_default();
    Head {
        system: system.filter(|text| !text.is_empty()),
        tools: definitions.into_iter().flat_map(tools::decode).collect(),
        model: request.text("model"),
        max_tokens: max_tokens(wire, request),
    }
}

fn max_tokens(wire: WireFormat, request: &Object<'_>) -> Option<String> {
    let stated = match wire {
        WireFormat::Gemini => request
            .get_any(&["generationConfig", "generation_config"])
            .and_then(scan::object)?
            .get_any(&["maxOutputTokens", "max_output_tokens"]),
        _ => request.get_any(&["max_completion_tokens", "max_output_tokens", "max_tokens"]),
    };
    stated.filter(|number| number.bytes().all(|byte| byte.is_ascii_digit())).map(str::to_owned)
}
