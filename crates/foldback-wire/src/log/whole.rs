//! Files that are one JSON value, and what is wrong with them.

use foldback_model::{Message, Part};
use serde_json::value::RawValue;

use crate::codec::ShapeError;
use crate::list::{place, syntax, without_mark};
use crate::{ReadError, ReadErrorKind};

/// The one JSON value that `text` is.
pub(super) fn whole(text: &str) -> Result<&str, ReadError> {
    let body = without_mark(text);
    let value: &RawValue = serde_json::from_str(body).map_err(|error| syntax(body, &error))?;
    Ok(value.get())
}

/// The file is of another kind than `format`.
pub(super) fn unknown(format: &str, expected: &str) -> ReadError {
    ReadError::new(ReadErrorKind::UnknownFormat, format!("this is nothing of {format}"), expected)
}

/// An element of the list `list`, which `text` holds, has another shape than its format gives it.
pub(super) fn misshapen(text: &str, element: &str, list: &str, index: usize, error: ShapeError) -> ReadError {
    let dot = if error.path.is_empty() { "" } else { "." };
    let message = format!("`{list}[{index}]{dot}{}`: {}", error.path, error.message);
    place(ReadError::new(ReadErrorKind::Shape, message, error.expected), text, element)
}

/// The same message without its JSON, which is not of the file's format.
pub(super) fn bare(mut message: Message) -> Message {
    message.set_parts(message.parts().to_vec());
    message
}

/// `part`, if it says anything.
pub(super) fn text_part(text: Option<String>) -> Option<Part> {
    text.filter(|text| !text.is_empty()).map(Part::Text)
}
