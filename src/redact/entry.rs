//! A recording's bytes, entry by entry, into a folder of their own; nothing is kept that was not asked for.

use std::collections::{HashSet, VecDeque};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::fields::Members;
use super::mask::Mask;
use super::record::{Beyond, Redaction};
use crate::bytes::source::{Entries, EntryId, Source};
use crate::containers::Layout;
use crate::containers::torn::records_in;
use crate::formats::Detection;
use crate::json::scan::{Mode, scan};
use crate::json::tape::{End, Tape};
use crate::report::redact::People;

/// A document is read at once; larger ones are refused.
const LARGEST: u64 = 512 << 20;
/// Lines that may be pieces of one record, and their bytes.
const PIECES: usize = 32;
const PIECES_BYTES: usize = 8 << 20;

/// A copy that is not proved yet.
#[derive(Debug)]
pub struct Copied {
    /// Its bytes.
    pub source: Source,
    /// What its file or folder would be called.
    pub name: String,
    /// Files of the recording's folder that are none of its own and were left out.
    pub left_out: usize,
}

/// Why a transcript cannot be redacted.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The recording cannot be read, or the copy not be written.
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

/// Writes a copy below `folder`, which is empty. `name`: of the recording's file or folder. `strict`: ids are replaced too.
///
/// # Errors
/// There is none; what is in the folder then is not to be used.
pub fn copy(
    entries: &dyn Entries,
    claim: &Detection,
    name: &str,
    people: &People,
    strict: bool,
    folder: &Path,
) -> Result<Copied, Stopped> {
    let mask = Mask::new(key(entries)?, people.clone(), strict);
    let redaction = Redaction {
        members: Members::of(claim.format),
        mask,
    };
    let own = own(entries, &claim.layout);
    let all = entries.ids();
    let mut names = Vec::new();
    for id in all.iter().copied().filter(|id| own.contains(id)) {
        let in_folder = matches!(claim.layout, Layout::Files(_));
        let target = redaction
            .mask
            .name(if in_folder { entries.name(id) } else { name });
        let path = folder.join(&target);
        if let Some(around) = path.parent() {
            fs::create_dir_all(around)?;
        }
        let mut out = BufWriter::new(File::create_new(&path)?);
        let placed = |why: Stopped| match why {
            Stopped::Io(_) => why,
            why if in_folder => Stopped::File {
                name: entries.name(id).to_owned(),
                why: Box::new(why),
            },
            why => why,
        };
        match &claim.layout {
            Layout::Lines(_) => lines(&redaction, entries, id, claim, &mut out),
            _ => document(&redaction, entries, id, &mut out),
        }
        .map_err(placed)?;
        out.flush()?;
        names.push(target);
    }
    let source = match (&claim.layout, &names[..]) {
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

/// Whether nothing but structure is in a recording, and in the place of texts what [`copy`] puts there: a repair of it would
/// mend nobody's conversation.
///
/// # Errors
/// It cannot be read.
pub(crate) fn is_copy(entries: &dyn Entries, claim: &Detection) -> io::Result<bool> {
    let mask = Mask::new([0; 32], People::default(), false);
    let redaction = Redaction {
        members: Members::of(claim.format),
        mask,
    };
    let mut own: Vec<EntryId> = own(entries, &claim.layout).into_iter().collect();
    own.sort_unstable();
    for id in own {
        let mut probe = Probe {
            mask: &redaction.mask,
        };
        let written = match &claim.layout {
            Layout::Lines(_) => lines(&redaction, entries, id, claim, &mut probe),
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

/// Writes nothing, and goes on only while no text was found.
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

/// The entries that hold records or the host's state; of the rest those that a host reads, or marks something by.
fn own(entries: &dyn Entries, layout: &Layout) -> HashSet<EntryId> {
    match layout {
        Layout::Files(files) => {
            let records = files.files.iter().filter_map(|file| file.entry);
            let is_read = |id: &EntryId| {
                entries.len(*id) == 0 || READ.iter().any(|end| entries.name(*id).ends_with(end))
            };
            records
                .chain(files.state)
                .chain(entries.ids().into_iter().filter(is_read))
                .collect()
        }
        other => other.entry().into_iter().collect(),
    }
}

/// What only who has the recording knows.
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

/// Ends of names of files that hosts read.
const READ: &[&str] = &[".json", ".jsonl", ".tmp"];

fn document(
    own: &Redaction,
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
    match own.write(&bytes, Mode::Document, &mut other) {
        Ok(()) => Ok(out.write_all(&other)?),
        Err(Beyond) => Err(Stopped::TooDeep),
    }
}

/// Line by line; pieces of a record that was broken by line feeds together.
fn lines(
    own: &Redaction,
    entries: &dyn Entries,
    id: EntryId,
    claim: &Detection,
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
        let (content, ending) = parted(&raw);
        let tape = scan(content, Mode::Line);
        let joined = match tape.end {
            End::Torn => input.joined(&raw)?,
            _ => None,
        };
        let written = match &joined {
            Some((lines, record)) => {
                number = number.saturating_add(lines.saturating_sub(1));
                let (content, ending) = parted(record);
                let written = own.write(content, Mode::Document, &mut other);
                other.extend_from_slice(ending);
                written
            }
            None => {
                let written = line(own, content, tape, claim, &mut other);
                other.extend_from_slice(ending);
                written
            }
        };
        if let Err(Beyond) = written {
            return Err(Stopped::LineTooDeep(number));
        }
        out.write_all(&other)?;
    }
    Ok(())
}

/// One line: a record, or whole ones among fragments.
fn line(
    own: &Redaction,
    content: &[u8],
    tape: Tape,
    claim: &Detection,
    out: &mut Vec<u8>,
) -> Result<(), Beyond> {
    if matches!(tape.end, End::Whole | End::Empty) {
        return own.write_scanned(content, tape, out);
    }
    let mut done = 0;
    for record in records_in(content, &claim.format.records) {
        own.write(
            content.get(done..record.start).unwrap_or_default(),
            Mode::Line,
            out,
        )?;
        own.write(
            content.get(record.clone()).unwrap_or_default(),
            Mode::Line,
            out,
        )?;
        done = record.end;
    }
    own.write(content.get(done..).unwrap_or_default(), Mode::Line, out)
}

/// A line's content and its ending.
fn parted(line: &[u8]) -> (&[u8], &[u8]) {
    let content = line
        .strip_suffix(b"\n")
        .map_or(line, |line| line.strip_suffix(b"\r").unwrap_or(line));
    (content, line.get(content.len()..).unwrap_or_default())
}

/// Lines with their endings, and some of the next ones.
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

    /// The record that a torn line and the next ones are together: how many lines, and their bytes.
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
            let is_record =
                scan(parted(line).0, Mode::Line).end == End::Whole && line.first() == Some(&b'{');
            if is_record || record.len().saturating_add(line.len()) > PIECES_BYTES {
                return Ok(None);
            }
            record.extend_from_slice(line);
            if scan(&record, Mode::Document).end == End::Whole {
                self.ahead.drain(..more);
                return Ok(Some((more as u64 + 1, record)));
            }
        }
        Ok(None)
    }
}
