//! What would be checked: `check --list-files`.

use std::io::{self, Write};

use serde::Serialize;

use super::json::value;
use crate::report::text::Shown;

/// A transcript that would be checked.
#[derive(Debug, Serialize)]
pub(crate) struct ListedTranscript {
    /// As the user named it or the walk found it.
    pub path: Shown,
    pub format: &'static str,
}

pub(crate) type PrintFiles = fn(&[ListedTranscript], &mut dyn Write) -> io::Result<()>;

/// Prints a line for each.
pub(super) fn write(files: &[ListedTranscript], out: &mut dyn Write) -> io::Result<()> {
    let mut lines = files.iter();
    lines.try_for_each(|file| writeln!(out, "{}  {}", file.path.whole(), file.format))
}

/// Prints one array.
pub(super) fn json(files: &[ListedTranscript], out: &mut dyn Write) -> io::Result<()> {
    value(&files, out)
}

/// Prints an object for each.
pub(super) fn jsonl(files: &[ListedTranscript], out: &mut dyn Write) -> io::Result<()> {
    files.iter().try_for_each(|file| value(file, out))
}
