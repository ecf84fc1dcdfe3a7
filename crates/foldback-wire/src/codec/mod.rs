//! One module a wire format: an element of its list to a message, and a message to elements.

mod anthropic;
mod gemini;
mod media;
mod openai_chat;
mod openai_responses;

use foldback_model::{Context, Message, RawJson, ToolDefinition, WireFormat};

use crate::json::Object;

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
    let object = Object::parse(json).ok_or_else(|| ShapeError::new("", "no object", "a message object"))?;
    let message = match wire {
        WireFormat::OpenAiChat => openai_chat::decode(&object),
        WireFormat::OpenAiResponses => openai_responses::decode(&object, json),
        WireFormat::Anthropic => anthropic::decode(&object),
        WireFormat::Gemini => gemini::decode(&object),
        _ => return Err(ShapeError::new("", "a format without a codec", "one of the four wire formats")),
    }?;
    Ok(message.with_raw(RawJson::new(wire, json)))
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
/// our own making.
///
/// What cannot be carried is told to `lost`. Results carry their tool's name already.
pub(crate) fn encode(wire: WireFormat, message: &Message, lost: &mut dyn FnMut(String)) -> Vec<String> {
    match wire {
        WireFormat::OpenAiResponses => openai_responses::encode(message, lost),
        WireFormat::Anthropic => anthropic::encode(message, lost),
        WireFormat::Gemini => gemini::encode(message, lost),
        _ => openai_chat::encode(message, lost),
    }
}

/// The members of a fresh request besides the list: the system text and the tools.
pub(crate) fn encode_frame(wire: WireFormat, context: &Context) -> Frame {
    match wire {
        WireFormat::OpenAiResponses => openai_responses::frame(context),
        WireFormat::Anthropic => anthropic::frame(context),
        WireFormat::Gemini => gemini::frame(context),
        _ => openai_chat::frame(context),
    }
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
    let tools = request.list("tools").unwrap_or_default();
    Head {
        system: system.filter(|text| !text.is_empty()),
        tools: tools.into_iter().flat_map(tool).collect(),
        model: request.text("model"),
    }
}

/// The tools that one element of `tools` defines, in whatever provider's shape.
pub(crate) fn tool(json: &str) -> Vec<ToolDefinition> {
    let Some(object) = Object::parse(json) else { return vec![ToolDefinition::new("", "", json)] };
    if let Some(declarations) =
        object.get_any(&["functionDeclarations", "function_declarations"]).and_then(crate::json::list)
    {
        return declarations.into_iter().flat_map(tool).collect();
    }
    let body = object.object("function").unwrap_or(object);
    let schema = body.get_any(&["parameters", "input_schema", "parametersJsonSchema"]);
    let name = body.text("name").or_else(|| body.text("type")).unwrap_or_default();
    let description = body.text("description").unwrap_or_default();
    // Without a schema, the whole definition is what a model gets to read of it.
    let schema = schema.unwrap_or(if description.is_empty() { json } else { "{}" });
    vec![ToolDefinition::new(name, description, schema)]
}
