//! Copies a transcript entry by entry to a new folder.

use std::collections::{HashSet, VecDeque};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::fields::FormatMembers;
use super::mask::Mask;
use super::record::{LimitExceeded, Redaction};
use crate::bytes::source::{Entries, EntryId, Source};
use crate::containers::Layout;
use crate::containers::torn::records_in;
use crate::format::Detection;
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::{RecordEnd, Tape};
use crate::report::redact::People;

/// Largest document, in bytes: documents are read at once.
const LARGEST: u64 = 512 << 20;
/// Most lines that may form one record, and their total bytes.
const PIECES: usize = 32;
const PIECES_BYTES: usize = 8 << 20;

/// A copy that is not verified yet.
#[derive(Debug)]
pub struct Copied {
    pub source: Source,
    /// The name for its file or folder.
    pub name: String,
    /// Files in the folder that do not belong to the transcript, and were left out.
    pub left_out: usize,
}

/// Why a transcript cannot be redacted.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The transcript cannot be read, or the copy cannot be written.
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("a document of more than 512 MiB is not redacted")]
    TooLarge,
    #[error("it is nested too deep, or has too many values")]
    TooDeep,
    #[error("line {0} is nested too deep, or has too many values")]
    LineTooDeep(u64),
    #[error("there is nothing in it")]
    Empty,
    /// One file of a folder.
    #[error("{name}: {why}")]
    File { name: String, why: Box<Stopped> },
}

/// Writes a copy to `folder`, which is empty. `name` is that of the transcript's file or folder.
/// `strict`: IDs are replaced as well.
///
/// # Errors
/// The transcript cannot be copied. The content of the folder is then unusable.
pub fn copy(
    entries: &dyn Entries,
    detection: &Detection,
    name: &str,
    people: &People,
    strict: bool,
    folder: &Path,
) -> Result<Copied, Stopped> {
    let mask = Mask::new(key(entries)?, people.clone(), strict);
    let redaction = Redaction { members: FormatMembers::of(detection.format), mask };
    let own = own(entries, &detection.layout);
    let all = entries.ids();
    let mut names = Vec::new();
    for id in all.iter().copied().filter(|id| own.contains(id)) {
        let in_folder = matches!(detection.layout, Layout::Files(_));
        let target = redaction.mask.name(if in_folder { entries.name(id) } else { name });
        let path = folder.join(&target);
        if let Some(around) = path.parent() {
            fs::create_dir_all(around)?;
        }
        let mut out = BufWriter::new(File::create_new(&path)?);
        match &detection.layout {
            Layout::Lines(_) => lines(&redaction, entries, id, detection, &mut out),
            _ => document(&redaction, entries, id, &mut out),
        }
        .map_err(|why| match why {
            Stopped::Io(_) => why,
            why if in_folder => {
                Stopped::File { name: entries.name(id).to_owned(), why: Box::new(why) }
            }
            why => why,
        })?;
        out.flush()?;
        names.push(target);
    }
    let source = match (&detection.layout, &names[..]) {
        (Layout::Files(_), _) => Source::folder(folder, names)?,
        (_, [name]) => Source::file(&folder.join(name))?,
        _ => return Err(Stopped::Empty),
    };
    Ok(Copied {
        source,
        name: redaction.mask.name(name),
        left_out: all.len().saturating_sub(own.len()),
    })
}

/// Whether a transcript is such a copy: it contains only structure, and in place of texts what
/// [`copy`] writes. Repairing it would not help anybody.
///
/// # Errors
/// The transcript cannot be read.
pub(crate) fn is_copy(entries: &dyn Entries, detection: &Detection) -> io::Result<bool> {
    let mask = Mask::new([0; 32], People::default(), false);
    let redaction = Redaction { members: FormatMembers::of(detection.format), mask };
    let mut own: Vec<EntryId> = own(entries, &detection.layout).into_iter().collect();
    own.sort_unstable();
    for id in own {
        let mut probe = Probe { mask: &redaction.mask };
        let written = match &detection.layout {
            Layout::Lines(_) => lines(&redaction, entries, id, detection, &mut probe),
            _ => document(&redaction, entries, id, &mut probe),
        };
        match written {
            Ok(()) => {}
            Err(Stopped::Io(error)) if redaction.mask.seen().0 == 0 => return Err(error),
            // What cannot be redacted is not a copy, and the first text ends the search.
            Err(_) => return Ok(false),
        }
    }
    let (texts, marks) = redaction.mask.seen();
    Ok(texts == 0 && marks > 0)
}

/// Writes nothing, and fails when the first text was found.
struct Probe<'a> {
    mask: &'a Mask,
}

impl Write for Probe<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.mask.seen().0 {
            0 => Ok(bytes.len()),
            _ => Err(io::Error::other("a text")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The entries with records or the host's state, and other files that a host reads or uses as
/// markers.
fn own(entries: &dyn Entries, layout: &Layout) -> HashSet<EntryId> {
    match layout {
        Layout::Files(files) => {
            let records = files.files.iter().filter_map(|file| file.entry);
            records
                .chain(files.state)
                .chain(entries.ids().into_iter().filter(|id| {
                    entries.len(*id) == 0 || READ.iter().any(|end| entries.name(*id).ends_with(end))
                }))
                .collect()
        }
        other => other.entry().into_iter().collect(),
    }
}

/// A key that only an owner of the transcript can compute.
fn key(entries: &dyn Entries) -> io::Result<[u8; 32]> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    for id in entries.ids() {
        let mut input = entries.open(id)?;
        loop {
            match input.read(&mut buffer)? {
                0 => break,
                read => hasher.update(buffer.get(..read).unwrap_or_default()),
            }
        }
    }
    Ok(hasher.finalize().into())
}

/// Extensions of files that hosts read.
const READ: &[&str] = &[".json", ".jsonl", ".tmp"];

fn document(
    redaction: &Redaction,
    entries: &dyn Entries,
    id: EntryId,
    out: &mut dyn Write,
) -> Result<(), Stopped> {
    if entries.len(id) > LARGEST {
        return Err(Stopped::TooLarge);
    }
    let mut bytes = Vec::new();
    entries.open(id)?.read_to_end(&mut bytes)?;
    let mut other = Vec::with_capacity(bytes.len());
    match redaction.write(&bytes, ScanMode::Document, &mut other) {
        Ok(()) => Ok(out.write_all(&other)?),
        Err(LimitExceeded) => Err(Stopped::TooDeep),
    }
}

/// Copies line by line. Lines that form one record, split by line feeds, are copied together.
fn lines(
    redaction: &Redaction,
    entries: &dyn Entries,
    id: EntryId,
    detection: &Detection,
    out: &mut dyn Write,
) -> Result<(), Stopped> {
    let mut input = Lines {
        input: BufReader::with_capacity(1 << 20, entries.open(id)?),
        ahead: VecDeque::new(),
    };
    let mut other = Vec::new();
    let mut number = 0_u64;
    while let Some(raw) = input.next()? {
        number = number.saturating_add(1);
        other.clear();
        let (content, ending) = split_ending(&raw);
        let tape = scan(content, ScanMode::Line);
        let joined = match tape.end {
            RecordEnd::Torn => input.joined(&raw)?,
            _ => None,
        };
        let written = match &joined {
            Some((lines, record)) => {
                number = number.saturating_add(lines.saturating_sub(1));
                let (content, ending) = split_ending(record);
                let written = redaction.write(content, ScanMode::Document, &mut other);
                other.extend_from_slice(ending);
                written
            }
            None => {
                let written = line(redaction, content, tape, detection, &mut other);
                other.extend_from_slice(ending);
                written
            }
        };
        if let Err(LimitExceeded) = written {
            return Err(Stopped::LineTooDeep(number));
        }
        out.write_all(&other)?;
    }
    Ok(())
}

/// Copies one line: a record, or complete records among fragments.
fn line(
    redaction: &Redaction,
    content: &[u8],
    tape: Tape,
    detection: &Detection,
    out: &mut Vec<u8>,
) -> Result<(), LimitExceeded> {
    if matches!(tape.end, RecordEnd::Whole | RecordEnd::Empty) {
        return redaction.write_scanned(content, tape, out);
    }
    let mut done = 0;
    for record in records_in(content, &detection.format.records) {
        redaction.write(
            content.get(done..record.start).unwrap_or_default(),
            ScanMode::Line,
            out,
        )?;
        redaction.write(content.get(record.clone()).unwrap_or_default(), ScanMode::Line, out)?;
        done = record.end;
    }
    redaction.write(content.get(done..).unwrap_or_default(), ScanMode::Line, out)
}

/// Splits a line into its content and its ending.
fn split_ending(line: &[u8]) -> (&[u8], &[u8]) {
    let content =
        line.strip_suffix(b"\n").map_or(line, |line| line.strip_suffix(b"\r").unwrap_or(line));
    (content, line.get(content.len()..).unwrap_or_default())
}

/// Reads lines with their endings, and can look ahead.
struct Lines<'a> {
    input: BufReader<Box<dyn Read + 'a>>,
    ahead: VecDeque<Vec<u8>>,
}

impl Lines<'_> {
    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        match self.ahead.pop_front() {
            Some(line) => Ok(Some(line)),
            None => self.read(),
        }
    }

    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        self.input.read_until(b'\n', &mut line)?;
        Ok(Some(line).filter(|line| !line.is_empty()))
    }

    /// The record that a truncated line and the next ones form: the number of lines, and their
    /// bytes.
    fn joined(&mut self, first: &[u8]) -> io::Result<Option<(u64, Vec<u8>)>> {
        let mut record = first.to_vec();
        for more in 1..PIECES {
            while self.ahead.len() < more {
                match self.read()? {
                    Some(line) => self.ahead.push_back(line),
                    None => return Ok(None),
                }
            }
            let Some(line) = self.ahead.get(more - 1) else {
                return Ok(None);
            };
            let is_record = scan(split_ending(line).0, ScanMode::Line).end == RecordEnd::Whole
                && line.first() == Some(&b'{');
            if is_record || record.len().saturating_add(line.len()) > PIECES_BYTES {
                return Ok(None);
            }
            record.extend_from_slice(line);
            if scan(&record, ScanMode::Document).end == RecordEnd::Whole {
                self.ahead.drain(..more);
                return Ok(Some((more as u64 + 1, record)));
            }
        }
        Ok(None)
    }
}
