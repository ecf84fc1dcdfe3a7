//! Writes results: to standard output, or to a file that is replaced in one step or not at all.

use std::io::Write;
use std::path::Path;

use serde::Serialize;

use crate::failure::Failure;
use crate::interrupt;

/// Writes text to standard output. A reader that has gone away is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::io("write", Path::new("<standard output>"), &error))
        }
        _ => Ok(()),
    }
}

/// Writes one JSON object and a line break to standard output.
pub(crate) fn print_json(object: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(object)
        .map_err(|error| Failure::request(format!("the answer cannot be written as JSON: {error}")))?;
    print(&(text + "\n"))
}

/// Replaces `path` by `text`, in one step: whoever reads it sees the old file or the new one.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    let fail = |error: std::io::Error| Failure::io("write", path, &error);
    // A link stays a link: what it names is replaced.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if target.is_dir() {
        return Err(fail(std::io::Error::other("it is a folder; name a file")));
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).map_err(fail)?;
    interrupt::unfinished(Some(file.path()));
    let written = file.write_all(text.as_bytes()).and_then(|()| {
        if let Ok(old) = std::fs::metadata(&target) {
            file.as_file().set_permissions(old.permissions())?;
        }
        file.as_file().sync_all()
    });
    let result = written
        .map_err(fail)
        .and_then(|()| file.persist(&target).map(drop).map_err(|error| fail(error.error)));
    interrupt::unfinished(None);
    result
}
