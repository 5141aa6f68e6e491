//! What a single file is.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::located::name_of;
use super::{FileOrigin, FindOptions};
use crate::bytes::source::{Entries, EntryId, Source, Span};
use crate::containers::database;
use crate::detect;
use crate::detect::candidates::{Detected, FormatCandidate, Recognized, detect, detect_file};
use crate::format::head::Sample;
use crate::format::{Detection, Format};

/// Most bytes of a compressed file that are read to find the first character of its content.
const MAX_PROBE_BYTES: u64 = 64 << 10;

/// What a single file is.
pub(super) enum FileKind {
    /// A transcript, with the path of the one that started it.
    Transcript(Detection, Option<PathBuf>),
    /// A zip archive, which is read as a whole.
    Archive,
    Empty,
    Database(database::DatabaseKind),
    /// Of a known format that is not supported; the reason in words.
    Unread(String),
    /// Of one of these formats, or of none.
    Unclear(Vec<FormatCandidate>),
}

impl FileKind {
    /// Whether more bytes might decide.
    fn is_unclear(&self) -> bool {
        matches!(self, FileKind::Unclear(_) | FileKind::Database(_))
    }
}

fn recognize(path: &Path, source: &Source, options: &FindOptions) -> io::Result<FileKind> {
    let (only, rows) = (options.format_at(path), options.rows);
    let entry = EntryId(0);
    if source.len(entry) == 0 {
        return Ok(FileKind::Empty);
    }
    if let Some(kind) = database::kind(source, entry) {
        return Ok(FileKind::Database(kind));
    }
    if is_utf_16(source)? {
        return Ok(FileKind::Unread(UTF_16.to_owned()));
    }
    let name = name_of(path);
    let (head, detected) = match (only, rows) {
        (None, false) => detect_file(source, entry, &name)?,
        _ => {
            let head = Sample::of_file(source, entry, &name)?;
            let detected = detect_as_named(&head, only, rows);
            (head, detected)
        }
    };
    Ok(match detected {
        Detected::Is(Recognized::Read(detection)) => {
            let started_by = (detection.format.traits.started_by)(path, &head, &list);
            FileKind::Transcript(detection, started_by)
        }
        Detected::Is(Recognized::Named(kind)) => FileKind::Unread(kind.why()),
        Detected::Unclear(candidates) => FileKind::Unclear(candidates),
    })
}

/// What a file is if the user named its format, or said that each row is a conversation.
fn detect_as_named(head: &Sample<'_>, only: Option<&'static Format>, rows: bool) -> Detected {
    let forced = if rows { detect::recognize_rows(head, only) } else { None };
    if only.is_some() {
        let whole = || detect::recognize(head, only);
        return forced
            .filter(|forced| !whole().is_some_and(|whole| is_session(&whole, forced)))
            .or_else(whole)
            .or_else(|| detect::named_format(head, only))
            .map_or(Detected::Unclear(Vec::new()), Detected::read);
    }
    match (detect(head), forced) {
        (Detected::Is(Recognized::Read(whole)), Some(forced)) if is_session(&whole, &forced) => {
            Detected::read(whole)
        }
        (Detected::Is(Recognized::Read(_)) | Detected::Unclear(_), Some(detection)) => {
            Detected::read(detection)
        }
        (detected, _) => detected,
    }
}

/// Whether a file is one session of a host that writes no rows: its lines are records, and none of them is a conversation.
fn is_session(whole: &Detection, as_rows: &Detection) -> bool {
    whole.layout.is_lines()
        && !whole.conversations.are_rows()
        && whole.format.name == as_rows.format.name
        && !whole.format.traits.rows
}

/// The contents of a folder, for a format that knows which file in it started a conversation.
fn list(folder: &Path) -> Vec<PathBuf> {
    let items = std::fs::read_dir(folder).into_iter().flatten();
    items.flatten().map(|item| item.path()).collect()
}

/// Windows PowerShell writes it where the output of a command is redirected to a file.
const UTF_16: &str = "text in UTF-16, which no agent reads back: convert it to UTF-8, as with `iconv -f UTF-16 -t UTF-8`";
/// First bytes of a text that show its encoding without a mark: a few characters.
const PROBED: u64 = 16;

/// Whether a text is in UTF-16: it has the mark, or a NUL byte at one side of each of its first characters, the first of which
/// opens an object or an array.
fn is_utf_16(source: &Source) -> io::Result<bool> {
    let mut first = Vec::new();
    source.open(EntryId(0))?.take(PROBED).read_to_end(&mut first)?;
    if first.starts_with(&[0xFF, 0xFE]) || first.starts_with(&[0xFE, 0xFF]) {
        return Ok(true);
    }
    let (pairs, _) = first.as_chunks::<2>();
    let is_wide = |side: usize| {
        let opens = pairs.first().is_some_and(|pair| matches!(pair[1 - side], b'{' | b'['));
        opens && pairs.len() > 1 && pairs.iter().all(|pair| pair[side] == 0 && pair[1 - side] != 0)
    };
    Ok(is_wide(0) || is_wide(1))
}

/// A file, as far as it shows what it is.
pub(super) fn sample(
    path: &Path,
    origin: FileOrigin,
    options: &FindOptions,
) -> io::Result<(Source, FileKind)> {
    let source = Source::sample(path)?;
    if is_zip(&source) {
        Ok((source, FileKind::Archive))
    } else {
        look(path, source, origin, options)
    }
}

/// What a source is, which may be read further for that.
pub(super) fn look(
    path: &Path,
    mut source: Source,
    origin: FileOrigin,
    options: &FindOptions,
) -> io::Result<(Source, FileKind)> {
    let mut kind = recognize(path, &source, options)?;
    // The start of a compressed file may not show the format. A file reached by a walk is
    // unpacked further only if it looks like JSON.
    if source.is_sample()
        && kind.is_unclear()
        && (origin == FileOrigin::Named || begins_like_json(&source)?)
    {
        source = Source::file(path)?;
        kind = recognize(path, &source, options)?;
    }
    Ok((source, kind))
}

fn is_zip(source: &Source) -> bool {
    let entry = EntryId(0);
    let at = Span { entry, start: 0, end: 4.min(source.len(entry)) };
    source.fetch(at).is_ok_and(|magic| magic == b"PK\x03\x04")
}

/// Whether the first character, after white space, NULs and a byte order mark, opens an object or
/// an array.
fn begins_like_json(source: &Source) -> io::Result<bool> {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF | 0);
    let mut bytes = Vec::new();
    source.open(EntryId(0))?.take(MAX_PROBE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes
        .into_iter()
        .find(|byte| !is_blank(byte))
        .is_some_and(|byte| matches!(byte, b'{' | b'[')))
}
