//! Sources: files, folders and archives, and the entries in them.

mod open;

use std::fmt;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::archive::{Archive, ArchivedFile};
use super::beside;
use super::checksum::Checksum;
use super::disk::{self, Handle, RangeReader, Stamp};
pub use super::entries::{Entries, EntryId, Span};
use super::packed::{self, Codec, StreamEnd};
use super::room::UnpackPermit;
pub(super) use open::check_entry_name;

/// How a source is stored.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SourceShape {
    File,
    /// Files below a folder.
    Folder,
    /// A zip archive.
    Archive,
    /// A session in a database, of whose rows the entries are made. It is never written.
    Database,
    /// Standard input, copied to a temporary file.
    Stream,
}

/// Entries that can be opened, with the file stamps taken when they were listed.
pub struct Source {
    path: PathBuf,
    shape: SourceShape,
    entries: Vec<StoredEntry>,
    /// Positions in `entries`, sorted by name.
    order: Vec<u32>,
    /// Stamp of the archive or of the compressed file.
    stamp: Option<Stamp>,
    packed: Option<Packed>,
    archive: Option<Archive>,
    /// The number of its first line, if it is a row of standard input.
    first_line: u64,
    /// The names of the lines of a session in a database, if its only entry has a line for each row.
    row_names: Vec<String>,
}

/// The compressed file that a source was unpacked from.
#[derive(Debug)]
pub struct Packed {
    file: File,
    size: u64,
    /// How it is compressed.
    pub codec: Codec,
    /// How its stream ends.
    pub end: StreamEnd,
    /// Permission to unpack a large file; one thread at a time has it.
    _room: Option<UnpackPermit>,
}

impl Packed {
    /// Size of the compressed file in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Opens the compressed bytes for reading.
    pub fn open(&self) -> Box<dyn Read + '_> {
        Box::new(RangeReader::new(Handle::Kept(&self.file), 0, self.size))
    }
}

impl fmt::Debug for Source {
    /// Leaves out names and bytes: they do not belong in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.entries.len();
        f.debug_struct("Source")
            .field("shape", &self.shape)
            .field("entries", &entries)
            .finish_non_exhaustive()
    }
}

struct StoredEntry {
    name: String,
    data: Data,
}

enum Data {
    /// Kept open: a single file, or spooled standard input.
    Kept(File, Stamp),
    /// Opened for each read: a folder may have more files than a process may open.
    Listed(PathBuf, Stamp),
    Memory(Vec<u8>),
    /// A member of the archive, inflated when it is read.
    Zipped(ArchivedFile),
}

impl Source {
    /// Whether the entry may hold only the first bytes of a compressed file.
    pub fn is_sample(&self) -> bool {
        self.packed.is_some() && self.entries.iter().any(|entry| matches!(&entry.data, Data::Memory(bytes) if bytes.len() as u64 == packed::SAMPLE))
    }

    /// A hash of the names, sizes and stamps of all entries: two different hashes mean two
    /// different sources.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.stamp.hash(&mut hasher);
        for entry in &self.entries {
            entry.name.hash(&mut hasher);
            match &entry.data {
                // An unpacked file has only its size: it tells a sample from the whole file.
                Data::Kept(_, stamp) if self.packed.is_some() => stamp.len.hash(&mut hasher),
                Data::Kept(_, stamp) | Data::Listed(_, stamp) => stamp.hash(&mut hasher),
                Data::Memory(bytes) => (bytes.len() as u64).hash(&mut hasher),
                Data::Zipped(member) => member.size.hash(&mut hasher),
            }
        }
        hasher.finish()
    }

    /// The path of the file, folder or archive as the caller gave it; `-` for standard input.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn shape(&self) -> SourceShape {
        self.shape
    }

    /// The compressed file that this source was unpacked from.
    pub fn packed(&self) -> Option<&Packed> {
        self.packed.as_ref()
    }

    /// Checksum of an entry's file as stored, which is the compressed file for a packed source.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn checksum(&self, id: EntryId) -> io::Result<Checksum> {
        let mut bytes =
            self.packed.as_ref().map_or_else(|| self.open(id), |packed| Ok(packed.open()))?;
        Checksum::of(&mut *bytes).map(|(sum, _)| sum)
    }

    /// Stamp of an entry's file, taken when it was listed; `None` if it has no file of its own.
    pub fn stamp(&self, id: EntryId) -> Option<&Stamp> {
        let own = self.entries.get(id.0 as usize).and_then(|entry| match &entry.data {
            Data::Kept(_, stamp) | Data::Listed(_, stamp) => Some(stamp),
            Data::Memory(_) | Data::Zipped(_) => None,
        });
        self.stamp.as_ref().or(own)
    }

    /// Names of the entries whose file changed since it was listed (size, modification time or file
    /// ID), in name order; for an archive or compressed file, its file name.
    pub fn changed_names(&self) -> Vec<String> {
        if let Some(stamp) = &self.stamp {
            let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return if has_changed(&self.path, stamp) { vec![name] } else { Vec::new() };
        }
        let entries = self.order.iter().filter_map(|&at| self.entries.get(at as usize));
        let changed = entries.filter(|entry| match &entry.data {
            Data::Kept(_, stamp) => {
                self.shape == SourceShape::File && has_changed(&self.path, stamp)
            }
            Data::Listed(path, stamp) => has_changed(path, stamp),
            Data::Memory(_) | Data::Zipped(_) => false,
        });
        changed.map(|entry| entry.name.clone()).collect()
    }

    /// Bytes `from..to` of a member of the archive.
    fn zipped(&self, member: &ArchivedFile, from: u64, to: u64) -> io::Result<RangeReader<'_>> {
        let archive =
            self.archive.as_ref().ok_or_else(|| io::Error::other("there is no archive"))?;
        archive.read(member, from, to)
    }

    fn entry(&self, id: EntryId) -> io::Result<&StoredEntry> {
        self.entries.get(id.0 as usize).ok_or_else(|| no_entry(id))
    }
}

fn has_changed(path: &Path, stamp: &Stamp) -> bool {
    disk::stat_regular(path).map_or(true, |now| now != *stamp)
}

pub(super) fn no_entry(id: EntryId) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("there is no entry number {}", id.0))
}

pub(super) fn out_of_bounds() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the byte range is not inside the entry")
}

impl Entries for Source {
    fn ids(&self) -> Vec<EntryId> {
        self.order.iter().map(|&at| EntryId(at)).collect()
    }

    fn name(&self, id: EntryId) -> &str {
        self.entries.get(id.0 as usize).map_or("", |entry| &entry.name)
    }

    fn first_line(&self, _: EntryId) -> u64 {
        self.first_line
    }

    fn has_rows(&self) -> bool {
        !self.row_names.is_empty()
    }

    fn row_name(&self, _: EntryId, line: u64) -> Option<&str> {
        let at = usize::try_from(line.checked_sub(1)?).ok()?;
        self.row_names.get(at).map(String::as_str)
    }

    fn in_memory(&self, id: EntryId) -> Option<&[u8]> {
        match &self.entries.get(id.0 as usize)?.data {
            Data::Memory(bytes) => Some(bytes),
            _ => None,
        }
    }

    fn loss(&self, _: EntryId) -> Option<&'static str> {
        self.packed.as_ref().and_then(|packed| packed.end.problem())
    }

    fn len(&self, id: EntryId) -> u64 {
        self.entries.get(id.0 as usize).map_or(0, |entry| match &entry.data {
            Data::Kept(_, stamp) | Data::Listed(_, stamp) => stamp.len,
            Data::Memory(bytes) => bytes.len() as u64,
            Data::Zipped(member) => member.size,
        })
    }

    fn open(&self, id: EntryId) -> io::Result<Box<dyn Read + '_>> {
        let entry = self.entry(id)?;
        Ok(match &entry.data {
            Data::Kept(file, stamp) => Box::new(RangeReader::new(Handle::Kept(file), 0, stamp.len)),
            Data::Listed(path, stamp) => Box::new(RangeReader::new(
                Handle::Own(reopen(&entry.name, path, stamp)?),
                0,
                stamp.len,
            )),
            Data::Memory(bytes) => Box::new(&bytes[..]),
            Data::Zipped(member) => Box::new(self.zipped(member, 0, member.size)?),
        })
    }

    fn first_lines_beside(&self, ending: &str) -> Vec<Vec<u8>> {
        match (self.shape, self.path.parent()) {
            (SourceShape::File, Some(folder)) => beside::first_lines(folder, &self.path, ending),
            _ => Vec::new(),
        }
    }

    fn fetch(&self, at: Span) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.append(at, &mut bytes)?;
        Ok(bytes)
    }

    fn append(&self, at: Span, to: &mut Vec<u8>) -> io::Result<()> {
        // Check first: a span from elsewhere must not reserve memory.
        if at.start > at.end || at.end > self.len(at.entry) {
            return Err(out_of_bounds());
        }
        let entry = self.entry(at.entry)?;
        match &entry.data {
            Data::Kept(file, _) => disk::append(file, at.start, at.end, to),
            Data::Listed(path, stamp) => {
                let file = reopen(&entry.name, path, stamp)?;
                disk::append(&file, at.start, at.end, to)
            }
            Data::Zipped(member) => {
                let size = usize::try_from(at.end - at.start).map_err(|_| out_of_bounds())?;
                let before = to.len();
                to.resize(before + size, 0);
                self.zipped(member, at.start, at.end)?.read_exact(&mut to[before..])
            }
            Data::Memory(bytes) => {
                let offset = |at: u64| usize::try_from(at).map_err(|_| out_of_bounds());
                let part = bytes.get(offset(at.start)?..offset(at.end)?);
                to.extend_from_slice(part.ok_or_else(out_of_bounds)?);
                Ok(())
            }
        }
    }

    fn check_members(&self) -> io::Result<()> {
        for entry in &self.entries {
            if let Data::Zipped(member) = &entry.data {
                self.zipped(member, 0, member.size)?;
            }
        }
        Ok(())
    }

    fn find(&self, name: &str) -> Option<EntryId> {
        let at = self
            .order
            .binary_search_by(|&at| self.entries[at as usize].name.as_str().cmp(name))
            .ok()?;
        self.order.get(at).map(|&at| EntryId(at))
    }
}

/// Reopens a listed file. Fails if another file took its name; the message starts with the name.
fn reopen(name: &str, path: &Path, listed: &Stamp) -> io::Result<File> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{name}: {error}"));
    let (file, now) = disk::open_regular(path).map_err(named)?;
    if now.file_id != listed.file_id {
        return Err(named(io::Error::other("the file was replaced by another one")));
    }
    Ok(file)
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
