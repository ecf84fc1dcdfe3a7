//! Writes results: to standard output, or to a file that is replaced in one step or not at all.

use std::fs::{Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use serde::Serialize;
use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::interrupt;

/// Writes text to standard output. A reader that has gone away is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::unwritable(Path::new("<standard output>"), &error))
        }
        _ => Ok(()),
    }
}

/// Tells a person something on standard error. Nobody listening is no failure, and no reason to lose
/// what goes to standard output.
pub(crate) fn tell(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Writes one JSON object and a line break to standard output.
pub(crate) fn print_json(object: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(object)
        .map_err(|error| Failure::request(format!("the answer cannot be written as JSON: {error}")))?;
    print(&(text + "\n"))
}

/// Replaces `path` by `text`, in one step: whoever reads it sees the old file or the new one.
///
/// What is neither a file nor a folder (a device, a pipe) cannot be replaced: it is written into.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    let old = std::fs::metadata(path).ok();
    match old.as_ref().map(Metadata::file_type) {
        Some(kind) if kind.is_dir() => Err(Failure::unwritable(path, &ErrorKind::IsADirectory.into())),
        Some(kind) if !kind.is_file() => {
            write_into(path, text).map_err(|error| Failure::unwritable(path, &error))
        }
        _ => put_in_place(path, text, old.as_ref()).map_err(|error| Failure::unwritable(path, &error)),
    }
}

fn write_into(path: &Path, text: &str) -> io::Result<()> {
    let mut target = OpenOptions::new().write(true).open(path)?;
    target.write_all(text.as_bytes())
}

fn put_in_place(path: &Path, text: &str, old: Option<&Metadata>) -> io::Result<()> {
    // A link stays a link: what it names is replaced.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut file = interrupt::guarded(|unfinished| {
        let file = new_file(folder)?;
        *unfinished = Some(file.path().to_owned());
        io::Result::Ok(file)
    })?;
    let written = fill(&mut file, text, old);
    interrupt::guarded(|unfinished| {
        // A file that is not put in its place is removed when it is dropped, in here.
        let result = written.and_then(|()| file.persist(&target).map(drop).map_err(|error| error.error));
        *unfinished = None;
        result
    })
}

/// A file under a name of its own, with the permissions that any new file gets.
fn new_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The system takes the bits of the umask away.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

fn fill(file: &mut NamedTempFile, text: &str, old: Option<&Metadata>) -> io::Result<()> {
    file.write_all(text.as_bytes())?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()
}
