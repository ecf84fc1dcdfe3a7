//! What came in while the model worked.

use foldback_model::Kind;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::record::{Said, content};
use crate::ReadError;
use crate::log::lines::{Damage, Line, Text};

/// An attachment that the model gets to read as a message: what was typed, or what came in from a task,
/// while it worked. There is no other record of it.
///
/// Of the other kinds (lists of skills and tools, reminders, what hooks add) the records do not hold the
/// words that the model read, nor tell whether it read any: they are left out.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Attachment<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    prompt: Option<&'a RawValue>,
    #[serde(borrow)]
    command_mode: Option<Text<'a>>,
    #[serde(borrow)]
    origin: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Origin<'a> {
    #[serde(borrow)]
    kind: Option<Text<'a>>,
}

/// The attachment of a line of the type `kind`, if it is one that the model read as a message.
pub(super) fn queued<'a>(kind: &str, attachment: Option<&'a RawValue>) -> Option<Attachment<'a>> {
    let attachment: Attachment<'a> = serde_json::from_str(attachment?.get()).ok()?;
    let is_queued = kind == "attachment" && attachment.kind.as_str() == "queued_command";
    (is_queued && attachment.prompt.is_some()).then_some(attachment)
}

/// What it says; `None` if the line is passed over.
pub(super) fn queued_prompt<'a>(
    line: Line<'a>,
    attachment: &Attachment<'a>,
    damage: &mut Damage,
) -> Result<Option<Said<'a>>, ReadError> {
    let Some(content) = content(line, attachment.prompt, damage)? else { return Ok(None) };
    let origin: Origin<'_> =
        attachment.origin.and_then(|origin| serde_json::from_str(origin.get()).ok()).unwrap_or_default();
    let is =
        |text: &Option<Text<'_>>, expected: &str| text.as_ref().is_none_or(|text| text.as_str() == expected);
    let is_typed = is(&attachment.command_mode, "prompt") && is(&origin.kind, "human");
    let kind = if is_typed { Kind::Plain } else { Kind::Injected };
    Ok(Some(Said { reply: None, model: None, stop: None, usage: None, content, kind }))
}
