//! The log of one call: what was sent to the model and what it said.

use foldback_model::{Message, Role, WireFormat};

use crate::ReadError;
use crate::codec::{decode_message, decode_tools};
use crate::json::Object;
use crate::log::Log;
use crate::log::report::{stop, usage};
use crate::log::whole::{bare, misshapen, unknown};

pub(super) fn read(text: &str, log: &Object<'_>) -> Result<Log, ReadError> {
    let elements =
        log.list("messages").ok_or_else(|| unknown("OpenHands", "a list of messages in `messages`"))?;
    let mut read = Log::default();
    for (index, element) in elements.into_iter().enumerate() {
        let message = decode_message(WireFormat::OpenAiChat, element)
            .map_err(|error| misshapen(text, element, "messages", index, error))?;
        read.push(bare(message), None, 0);
    }
    // A model without tools of its own was told of them in the text and answered in the text; what it
    // said stands in `raw_response`, and the calls that OpenHands found in it in `response`.
    let is_prompted = log.has("raw_response");
    let response = log.object("raw_response").or_else(|| log.object("response"));
    if let Some(message) = response.as_ref().and_then(|response| reply(response)) {
        read.push(message, None, 0);
    }
    if !is_prompted {
        let tools = log.list("tools").or_else(|| log.object("kwargs")?.list("tools"));
        read.context.tools = decode_tools(&tools.unwrap_or_default());
    }
    read.context.model = response.and_then(|response| response.text("model"));
    Ok(read)
}

/// The message of a response of Chat Completions, with what the response says of it; `None` if it has
/// none.
pub(super) fn reply(response: &Object<'_>) -> Option<Message> {
    let choices = response.list("choices")?;
    let choice = Object::parse(choices.first()?)?;
    let message = decode_message(WireFormat::OpenAiChat, choice.get("message")?).ok()?;
    let mut message = bare(message);
    if message.role != Role::Assistant {
        return None;
    }
    message.meta.id = response.text("id");
    message.meta.model = response.text("model");
    message.meta.usage = response.object("usage").and_then(usage);
    message.meta.stop = choice.text("finish_reason").and_then(|reason| stop(&reason));
    Some(message)
}
