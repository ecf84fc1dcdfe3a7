//! Reads a request: where its list stands, and what each element says.

use std::ops::Range;

use foldback_model::{Context, Message, Part, Role, Source, WireFormat};

use crate::codec::{ShapeError, decode_head, decode_message, link};
use crate::envelope::{Envelope, Surroundings};
use crate::json::{self, Whole};
use crate::scan;
use crate::{Document, Format, ReadError, ReadErrorKind};

/// The member that holds the list of messages.
pub(crate) fn list_key(wire: WireFormat) -> &'static str {
    match wire {
        WireFormat::OpenAiResponses => "input",
        WireFormat::Gemini => "contents",
        _ => "messages",
    }
}

/// `text` without the mark of the byte order that some editors put in front.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{FEFF}').unwrap_or(text)
}

/// Reads a request body or a bare list of `wire`: `text`, which has been found to be `whole` if it has
/// been looked at before.
pub(crate) fn read(text: &str, whole: Option<Whole<'_>>, wire: WireFormat) -> Result<Document, ReadError> {
    let whole = match whole {
        Some(whole) => whole,
        None => {
            let body = without_mark(text);
            Whole::parse(body).map_err(|error| syntax(body, &error))?
        }
    };
    let list = match &whole {
        Whole::Other(list) => *list,
        Whole::Object(request) => request.get(list_key(wire)).ok_or_else(|| {
            ReadError::new(
                ReadErrorKind::Shape,
                format!("a request without `{}`", list_key(wire)),
                format!("a list of messages in `{}`", list_key(wire)),
            )
        })?,
    };
    let (messages, surroundings) = match bare_text(list, wire) {
        Some(message) => (vec![message], Surroundings::of_single(text, list)),
        None => {
            let elements = elements(text, list, wire)?;
            let surroundings = match list.starts_with('[') {
                true => Surroundings::of_list(text, list, &elements),
                false => Surroundings::of_single(text, list),
            };
            (messages(text, elements, wire)?, surroundings)
        }
    };
    let mut context = Context::new(messages);
    if let Whole::Object(request) = &whole {
        let head = decode_head(wire, request);
        (context.system, context.tools, context.model) = (head.system, head.tools, head.model);
    }
    Ok(Document {
        format: Format::Wire(wire),
        context,
        boundaries: Vec::new(),
        skipped_lines: 0,
        envelope: Envelope::Spliced(surroundings),
    })
}

/// A bare text stands for one user message, where the API takes it so.
fn bare_text(list: &str, wire: WireFormat) -> Option<Message> {
    if !matches!(wire, WireFormat::OpenAiResponses | WireFormat::Gemini) {
        return None;
    }
    let mut message = Message::new(Role::User, vec![Part::Text(json::string(list)?)]);
    message.meta.source = Some(Source::new(0, None));
    Some(message)
}

fn elements<'a>(text: &str, list: &'a str, wire: WireFormat) -> Result<Vec<&'a str>, ReadError> {
    match scan::list(list) {
        Some(elements) => Ok(elements),
        None if wire == WireFormat::Gemini && scan::object(list).is_some() => Ok(vec![list]),
        None => {
            let error = ReadError::new(
                ReadErrorKind::Shape,
                format!("`{}` is no list", list_key(wire)),
                "a list of messages",
            );
            Err(place(error, text, list))
        }
    }
}

fn messages(text: &str, elements: Vec<&str>, wire: WireFormat) -> Result<Vec<Message>, ReadError> {
    let mut messages = Vec::with_capacity(elements.len());
    for (index, element) in elements.into_iter().enumerate() {
        let mut message =
            decode_message(wire, element).map_err(|error| place(shape(index, wire, error), text, element))?;
        message.meta.source = Some(Source::new(index, None));
        messages.push(message);
    }
    link(wire, &mut messages);
    Ok(messages)
}

fn shape(index: usize, wire: WireFormat, error: ShapeError) -> ReadError {
    let dot = if error.path.is_empty() { "" } else { "." };
    ReadError::new(
        ReadErrorKind::Shape,
        format!("`{}[{index}]{dot}{}`: {}", list_key(wire), error.path, error.message),
        error.expected,
    )
}

/// The bytes of `text` that `part`, a piece of it, takes up.
pub(crate) fn range_of(text: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + part.len()
}

/// Says where in `text` the `part` stands that an error is about.
pub(crate) fn place(error: ReadError, text: &str, part: &str) -> ReadError {
    let offset = range_of(text, part).start;
    let before = text.get(..offset).unwrap_or(text);
    let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let column = offset - before.rfind('\n').map_or(0, |end| end + 1) + 1;
    error.at_line(line).at_column(column).at_offset(offset)
}

/// Text that is not JSON, or not to its end.
pub(crate) fn syntax(text: &str, error: &serde_json::Error) -> ReadError {
    let message = if error.is_eof() {
        "the file ends in the middle of a JSON value".to_owned()
    } else {
        // The library's own words end with the place, which stands in the error anyway.
        let words = error.to_string();
        words.split(" at line ").next().unwrap_or(&words).to_owned()
    };
    let expected = if error.is_eof() { "the rest of it" } else { "JSON" };
    let read = ReadError::new(ReadErrorKind::Syntax, message, expected)
        .at_line(error.line().max(1))
        .at_column(error.column().max(1));
    let line_start =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
    read.at_offset((line_start + error.column().saturating_sub(1)).min(text.len()))
}
