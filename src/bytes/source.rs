//! Sources: files, folders and archives, and the entries in them.

use super::archive::{Archive, ArchivedFile};
use super::beside;
use super::checksum::Checksum;
use super::disk::{self, Handle, RangeReader, Stamp};
use super::packed::{self, Codec, StreamEnd};
use super::room::UnpackPermit;
use std::fmt;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Number of an entry within its [`Entries`], from 0.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub u32);

/// A range of bytes in an entry.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The entry that has the bytes.
    pub entry: EntryId,
    pub start: u64,
    /// Offset after the last byte.
    pub end: u64,
}

impl Span {
    pub(crate) fn new(entry: EntryId, start: u64, end: u64) -> Span {
        Span { entry, start, end }
    }

    /// The place before its first byte.
    pub(crate) fn before(self) -> Span {
        Span::new(self.entry, self.start, self.start)
    }

    /// The place after its last byte.
    pub(crate) fn after(self) -> Span {
        Span::new(self.entry, self.end, self.end)
    }
}

/// The entries of one source.
pub trait Entries: Sync {
    /// All entries, sorted by name (byte order).
    fn ids(&self) -> Vec<EntryId>;

    /// Name of an entry: relative, with `/` between parts; a single file has its own name. Empty if
    /// there is no such entry.
    fn name(&self, id: EntryId) -> &str;

    /// Size in bytes; 0 if there is no such entry.
    fn len(&self, id: EntryId) -> u64;

    /// Opens an entry for reading; the reader yields exactly [`len`](Self::len) bytes.
    ///
    /// # Errors
    /// The entry does not exist or cannot be read, or (while reading) it became shorter.
    fn open(&self, id: EntryId) -> io::Result<Box<dyn Read + '_>>;

    /// The bytes of a span, exactly as many as its length.
    ///
    /// # Errors
    /// As [`open`](Self::open); `UnexpectedEof` if the span is not inside the entry.
    fn fetch(&self, at: Span) -> io::Result<Vec<u8>>;

    /// Appends the bytes of a span.
    ///
    /// # Errors
    /// As [`fetch`](Self::fetch).
    fn append(&self, at: Span, to: &mut Vec<u8>) -> io::Result<()> {
        to.extend_from_slice(&self.fetch(at)?);
        Ok(())
    }

    /// All bytes of an entry, if they are in memory.
    fn in_memory(&self, _id: EntryId) -> Option<&[u8]> {
        None
    }

    /// The first lines, without their line endings, of up to 16 other files in the source's folder
    /// whose names end with `ending`. Unreadable files are left out. Only for a single file; empty
    /// for any other source.
    fn first_lines_beside(&self, _ending: &str) -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// The number of the first line of an entry: of a row, that of its line in the file of rows.
    fn first_line(&self, _id: EntryId) -> u64 {
        1
    }

    /// Whether lines were made of the rows of a database.
    fn has_rows(&self) -> bool {
        false
    }

    /// The name of a line of an entry, if it was made of a row of a database.
    fn row_name(&self, _id: EntryId, _line: u64) -> Option<&str> {
        None
    }

    /// Whether an entry is a row without its line ending, so that none is missing at its end.
    fn is_row(&self, _id: EntryId) -> bool {
        false
    }

    /// What an early end of the compressed stream cost this entry, in words; `None` if nothing.
    fn loss(&self, _id: EntryId) -> Option<&'static str> {
        None
    }

    /// The entry with this name.
    fn find(&self, name: &str) -> Option<EntryId> {
        self.ids().into_iter().find(|&id| self.name(id) == name)
    }
}

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
    /// Opens a single regular file, following links. A compressed file is unpacked into a temporary
    /// file.
    ///
    /// # Errors
    /// The path cannot be opened, or is a folder, FIFO, device or socket: these are never opened.
    /// The file cannot be unpacked, or unpacks to more than [`PACKED_LIMIT`](packed::PACKED_LIMIT)
    /// bytes.
    pub fn file(path: &Path) -> io::Result<Self> {
        let (file, stamp) = disk::open_regular(path)?;
        Self::from_file(path, SourceShape::File, file_name(path), file, stamp)
    }

    /// As [`file`](Self::file), but unpacks at most the first 1 MiB of a compressed file, enough to
    /// recognize its format.
    ///
    /// # Errors
    /// As [`file`](Self::file).
    pub fn sample(path: &Path) -> io::Result<Self> {
        let (file, stamp) = disk::open_regular(path)?;
        let name = file_name(path);
        let Some(codec) = codec_of(&file, &stamp)? else {
            return Self::from_file(path, SourceShape::File, name, file, stamp);
        };
        let (bytes, end) = packed::sample(codec, &file, &stamp)?;
        let mut source = Self::new(
            path,
            SourceShape::File,
            vec![StoredEntry { name, data: Data::Memory(bytes) }],
        );
        source.packed = Some(Packed { file, size: stamp.len, codec, end, _room: None });
        source.stamp = Some(stamp);
        Ok(source)
    }

    /// Whether the entry may hold only the first bytes of a compressed file.
    pub fn is_sample(&self) -> bool {
        self.packed.is_some() && self.entries.iter().any(|entry| matches!(&entry.data, Data::Memory(bytes) if bytes.len() as u64 == packed::SAMPLE))
    }

    fn from_file(
        path: &Path,
        shape: SourceShape,
        name: String,
        file: File,
        stamp: Stamp,
    ) -> io::Result<Self> {
        let Some(codec) = codec_of(&file, &stamp)? else {
            return Ok(Self::new(
                path,
                shape,
                vec![StoredEntry { name, data: Data::Kept(file, stamp) }],
            ));
        };
        // Standard input is kept for the whole run, so it must not block other sources.
        let unpacked = packed::unpack(codec, &file, &stamp, shape == SourceShape::Stream)?;
        let inside = Stamp::of(&unpacked.file.metadata()?);
        let data = Data::Kept(unpacked.file, inside);
        let mut source = Self::new(path, shape, vec![StoredEntry { name, data }]);
        source.packed =
            Some(Packed { file, size: stamp.len, codec, end: unpacked.end, _room: unpacked.room });
        source.stamp = Some(stamp).filter(|_| shape == SourceShape::File);
        Ok(source)
    }

    /// A second handle on standard input, which can be read from the terminal or pipe only once.
    ///
    /// # Errors
    /// The source is not standard input, or the process has no file handle left.
    pub fn try_clone(&self) -> io::Result<Self> {
        let [StoredEntry { name, data: Data::Kept(file, stamp) }] = &self.entries[..] else {
            return Err(io::Error::other("only standard input is kept"));
        };
        let data = Data::Kept(file.try_clone()?, stamp.clone());
        let mut source =
            Self::new(&self.path, self.shape, vec![StoredEntry { name: name.clone(), data }]);
        if let Some(Packed { file, size, codec, end, .. }) = &self.packed {
            let (file, size, codec, end) = (file.try_clone()?, *size, *codec, *end);
            source.packed = Some(Packed { file, size, codec, end, _room: None });
        }
        Ok(source)
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

    /// The files `names` (relative, separated by `/`) in the folder `path`. A name listed twice
    /// counts once.
    ///
    /// # Errors
    /// A name leaves the folder, or a file is missing or not a regular file; the message starts
    /// with the name.
    pub fn folder(path: &Path, mut names: Vec<String>) -> io::Result<Self> {
        names.sort_unstable();
        names.dedup();
        for name in &names {
            check_entry_name(name)
                .map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
        }
        let full = names.into_iter().map(|name| {
            let full = path.join(&name);
            (name, full)
        });
        Self::from_files(path, SourceShape::Folder, full.collect())
    }

    /// Files stored under other names than their entries: a transcript that is staged and not in
    /// place yet.
    ///
    /// # Errors
    /// A file is missing or not a regular file; the message starts with its name.
    pub(super) fn from_files(
        path: &Path,
        shape: SourceShape,
        files: Vec<(String, PathBuf)>,
    ) -> io::Result<Self> {
        if let (SourceShape::File, [(name, full)]) = (shape, &files[..]) {
            let (file, stamp) = disk::open_regular(full)?;
            return Self::from_file(path, shape, name.clone(), file, stamp);
        }
        let mut entries = Vec::with_capacity(files.len());
        for (name, full) in files {
            let stamp = disk::stat_regular(&full)
                .map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
            entries.push(StoredEntry { name, data: Data::Listed(full, stamp) });
        }
        Ok(Self::new(path, shape, entries))
    }

    /// Opens a zip archive; its entries are inflated into a temporary file when they are read.
    /// Folders are left out.
    ///
    /// # Errors
    /// The file cannot be read, is not a zip archive, is encrypted, is larger than
    /// [`ARCHIVE_LIMIT`](super::archive::ARCHIVE_LIMIT) when unpacked, has more than
    /// [`MAX_ENTRIES`](super::archive::MAX_ENTRIES) entries, two entries of one name, or a name
    /// that leaves the archive.
    pub fn archive(path: &Path) -> io::Result<Self> {
        let (file, stamp) = disk::open_regular(path)?;
        let (archive, members) = Archive::open(file)?;
        let entries = members
            .into_iter()
            .map(|member| StoredEntry { name: member.name.clone(), data: Data::Zipped(member) });
        let mut source = Self::new(path, SourceShape::Archive, entries.collect());
        source.archive = Some(archive);
        source.stamp = Some(stamp);
        Ok(source)
    }

    /// Copies standard input to a private temporary file that vanishes with the source. Path and
    /// entry name are `-`.
    ///
    /// # Errors
    /// Standard input cannot be read, or the temporary file cannot be written.
    pub fn stdin() -> io::Result<Self> {
        Self::spool(&mut io::stdin().lock())
    }

    fn spool(input: &mut dyn Read) -> io::Result<Self> {
        let mut file = tempfile::tempfile()?;
        io::copy(input, &mut file)?;
        let stamp = Stamp::of(&file.metadata()?);
        Self::from_file(Path::new("-"), SourceShape::Stream, "-".to_owned(), file, stamp)
    }

    /// A row of standard input, which is this line.
    pub fn row_of_stdin(bytes: Vec<u8>, line: u64) -> Self {
        let entry = StoredEntry { name: "-".to_owned(), data: Data::Memory(bytes) };
        Self { first_line: line, ..Self::new(Path::new("-"), SourceShape::Stream, vec![entry]) }
    }

    /// Entries in memory, numbered in the given order: a file if its only entry is named `name`,
    /// else a folder.
    pub fn memory(name: &str, entries: Vec<(String, Vec<u8>)>) -> Self {
        let single = matches!(&entries[..], [(only, _)] if only == name);
        let shape = if single { SourceShape::File } else { SourceShape::Folder };
        let entries = entries
            .into_iter()
            .map(|(name, bytes)| StoredEntry { name, data: Data::Memory(bytes) });
        Self::new(Path::new(name), shape, entries.collect())
    }

    /// Entries made of the rows of a session in this database; `rows` are the names of the lines of a single one.
    pub fn of_database(
        database: &Source,
        entries: Vec<(String, Vec<u8>)>,
        rows: Vec<String>,
    ) -> Self {
        let entries = entries
            .into_iter()
            .map(|(name, bytes)| StoredEntry { name, data: Data::Memory(bytes) });
        Self {
            stamp: database.stamp(EntryId(0)).cloned(),
            row_names: rows,
            ..Self::new(&database.path, SourceShape::Database, entries.collect())
        }
    }

    fn new(path: &Path, shape: SourceShape, entries: Vec<StoredEntry>) -> Self {
        let mut order: Vec<u32> = (0..u32::try_from(entries.len()).unwrap_or(u32::MAX)).collect();
        order.sort_by(|&a, &b| entries[a as usize].name.cmp(&entries[b as usize].name));
        Self {
            path: path.to_path_buf(),
            shape,
            entries,
            order,
            stamp: None,
            packed: None,
            archive: None,
            first_line: 1,
            row_names: Vec::new(),
        }
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

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The codec of a file, from its first bytes.
fn codec_of(file: &File, stamp: &Stamp) -> io::Result<Option<Codec>> {
    let mut head = Vec::new();
    RangeReader::new(Handle::Kept(file), 0, stamp.len.min(4)).read_to_end(&mut head)?;
    Ok(Codec::of_magic(&head))
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

/// Refuses names that would be written outside the folder, or that mean different files on
/// different systems.
pub(super) fn check_entry_name(name: &str) -> io::Result<()> {
    let drive = name.as_bytes().get(1) == Some(&b':');
    let leaves = name.starts_with('/') || name.split('/').any(|part| part == "..");
    if name.is_empty() || drive || leaves || name.contains(['\\', '\0']) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the entry's name leaves its folder or cannot be a file name",
        ));
    }
    Ok(())
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
