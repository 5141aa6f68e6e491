//! How sources are opened.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{Data, Packed, Source, SourceShape, StoredEntry};
use crate::bytes::archive::Archive;
use crate::bytes::disk::{self, Handle, RangeReader, Stamp};
use crate::bytes::entries::EntryId;
use crate::bytes::packed::{self, Codec};

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
    pub(in crate::bytes) fn from_files(
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
    /// [`ARCHIVE_LIMIT`](crate::bytes::archive::ARCHIVE_LIMIT) when unpacked, has more than
    /// [`MAX_ENTRIES`](crate::bytes::archive::MAX_ENTRIES) entries, two entries of one name, or a name
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

    pub(super) fn spool(input: &mut dyn Read) -> io::Result<Self> {
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

/// Refuses names that would be written outside the folder, or that mean different files on
/// different systems.
pub(in crate::bytes) fn check_entry_name(name: &str) -> io::Result<()> {
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
