//! The bodies: one for a reader, one for the detection, one for conversions.

use foldback_model::WireFormat;
use foldback_wire::{Document, Format, ReadError, ReadOptions, read, read_tools};

use super::document::{read_again, sound};

/// Reads `bytes` as `format` in every way that there is. Whether the strict way succeeds.
///
/// # Panics
///
/// If a law is broken.
pub fn reader(format: Format, bytes: &[u8]) -> bool {
    let strict = outcome(Some(format), bytes, false, false);
    let lenient = outcome(Some(format), bytes, true, false);
    let whole = outcome(Some(format), bytes, false, true);
    let lenient_whole = outcome(Some(format), bytes, true, true);
    // Leniency only adds: what is read strictly is read the same leniently, with nothing skipped.
    same_if_strict(strict.as_ref(), lenient.as_ref());
    same_if_strict(whole.as_ref(), lenient_whole.as_ref());
    if let Format::Wire(_) = format {
        // The two options are about logs: no other format looks at them.
        for other in [&lenient, &whole, &lenient_whole] {
            match (&strict, other) {
                (Ok(a), Ok(b)) => assert_eq!(a.context, b.context, "options change a request"),
                (Err(a), Err(b)) => assert_eq!(a, b, "options change an error about a request"),
                _ => panic!("options decide whether a request is read"),
            }
        }
    }
    let ways: &[&Result<Document, ReadError>] =
        if format.is_log() { &[&strict, &lenient, &whole, &lenient_whole] } else { &[&strict] };
    for document in ways.iter().filter_map(|way| way.as_ref().ok()) {
        // The format that was asked for is the one that is read.
        assert_eq!(document.format, format, "another format");
        sound(document, bytes);
        written_back(document, bytes);
    }
    strict.is_ok()
}

/// Tells the format of `bytes`. Whether it is told.
///
/// # Panics
///
/// If a law is broken.
pub fn detect(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        // Bytes that are no text are told as such, with the place.
        let Err(error) = outcome(None, bytes, false, false) else { panic!("bytes were read as text") };
        assert_eq!(error.kind, foldback_wire::ReadErrorKind::Encoding);
        return false;
    };
    let detected = foldback_wire::detect(text);
    if let Err(error) = &detected {
        placed(error, bytes);
    }
    let found = detected.ok();
    // Marks and space around the text are no part of it.
    if !text.starts_with('\u{FEFF}') {
        assert_eq!(foldback_wire::detect(&format!("\u{FEFF}{text}")).ok(), found, "a mark in front matters");
    }
    assert_eq!(foldback_wire::detect(&format!("{text}\r\n \n")).ok(), found, "space behind matters");
    // Reading without a format is reading as the one that is detected.
    let read = outcome(None, bytes, true, false);
    match (found, read) {
        (Some(format), read) => match (read, outcome(Some(format), bytes, true, false)) {
            (Ok(a), Ok(b)) => assert_eq!((a.format, a.context), (format, b.context), "not as detected"),
            (Err(a), Err(b)) => assert_eq!(a, b, "another error than that of the detected format"),
            _ => panic!("read as detected and as stated differ"),
        },
        (None, read) => assert!(read.is_err(), "read though nothing was detected"),
    }
    // A list of tools is a file of its own; whatever it is, it is read or refused with a place.
    if let Err(error) = read_tools(text) {
        placed(&error, bytes);
    }
    found.is_some()
}

/// Reads `bytes` as what they look like and converts them into every wire format. Whether they are read.
///
/// # Panics
///
/// If a law is broken.
pub fn convert(bytes: &[u8]) -> bool {
    let Ok(document) = outcome(None, bytes, true, false) else { return false };
    for wire in WireFormat::ALL {
        let written = document.convert(&document.context, wire);
        // What is written is read again, as what it was converted to, and is stable from then on.
        let again = read_again(wire, &written, document.context.messages.len());
        assert_eq!(again.write(&again.context).json, written.json, "a conversion is not stable");
        // Memory: a conversion grows by a frame around each part at most, and no part is shorter than
        // two bytes. Strings are escaped at most twice.
        assert!(written.json.len() <= 96 * bytes.len() + 1024, "{} bytes of {wire:?}", written.json.len());
        let _ = foldback_wire::check(wire, &document.context.messages);
    }
    true
}

/// Reading, with what must hold for an error of it.
fn outcome(format: Option<Format>, bytes: &[u8], lenient: bool, whole: bool) -> Result<Document, ReadError> {
    let mut options = ReadOptions::default();
    (options.format, options.lenient, options.whole) = (format, lenient, whole);
    let read = read(bytes, &options);
    match &read {
        Err(error) => placed(error, bytes),
        Ok(document) if !lenient => assert_eq!(document.skipped_lines, 0, "strict reading skips"),
        Ok(_) => {}
    }
    read
}

/// An error says what is wrong and what was expected, and its place is in the file.
fn placed(error: &ReadError, bytes: &[u8]) {
    assert!(!error.message.is_empty() && !error.expected.is_empty(), "an error says nothing: {error:?}");
    assert!(!error.to_string().contains('\n') || bytes.contains(&b'\n') || bytes.contains(&b'\\'), "{error}");
    let n_lines = bytes.iter().filter(|&&byte| byte == b'\n').count() + 1;
    assert!(error.line.is_none_or(|line| (1..=n_lines).contains(&line)), "line out of the file: {error:?}");
    assert!(error.offset.is_none_or(|at| at <= bytes.len()), "offset out of the file: {error:?}");
    // One behind the end is where a file that was cut goes on, and a mark in front may count.
    let longest = bytes.split(|&byte| byte == b'\n').map(<[u8]>::len).max().unwrap_or(0);
    assert!(
        error.column.is_none_or(|column| (1..=longest + 1).contains(&column)),
        "column out of the file: {error:?}"
    );
}

fn same_if_strict(strict: Result<&Document, &ReadError>, lenient: Result<&Document, &ReadError>) {
    let Ok(strict) = strict else { return };
    let Ok(lenient) = lenient else { panic!("read strictly and not leniently") };
    assert_eq!(lenient.skipped_lines, 0, "lenient reading skips what strict reading takes");
    assert_eq!(strict.context, lenient.context, "lenient reading reads something else");
    assert_eq!(strict.boundaries, lenient.boundaries, "lenient reading finds other boundaries");
}

/// What holds for a document that is written without a change, and for one of which every message was
/// touched.
fn written_back(document: &Document, bytes: &[u8]) {
    let written = document.write(&document.context);
    let n_messages = document.context.messages.len();
    let again = read_again(document.wire(), &written, n_messages);
    if document.format.is_log() {
        // A log becomes a request, which is then written as it was read.
        assert_eq!(again.write(&again.context).json, written.json, "a written log is not stable");
    } else {
        // What was not touched leaves byte for byte as it came, and nothing is joined or lost.
        assert_eq!(written.json.as_bytes(), bytes, "not byte for byte");
        assert!(written.joined.is_empty() && written.lost.is_empty(), "{:?}", written.lost);
        assert_eq!(again.context, document.context, "the same text is read in another way");
    }
    // Touched messages are encoded from their parts, and that is read again as well.
    let mut touched = document.context.clone();
    for message in &mut touched.messages {
        let parts = message.parts().to_vec();
        message.set_parts(parts);
    }
    read_again(document.wire(), &document.write(&touched), n_messages);
}
