//! Zip archives. No other module uses the zip crate.

use super::disk::{Handle, RangeReader};
use super::latched::Latched;
use super::packed;
use super::room::{self, UnpackPermit};
use super::source::{Entries, check_entry_name};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::sync::{Mutex, PoisonError};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive};

/// Most bytes that all entries of an archive may inflate to: 512 MiB. A small file can expand to
/// petabytes.
pub(crate) const ARCHIVE_LIMIT: u64 = 512 << 20;

/// Most entries that an archive may have.
pub(crate) const MAX_ENTRIES: usize = 100_000;

/// A file in an archive, as listed in the central directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ArchivedFile {
    pub(super) name: String,
    pub(super) size: u64,
    /// Index in the central directory, 0-based.
    index: usize,
    /// The checksum of its content if it is compressed with Zstandard, which the crate only reads with a C library.
    zstd: Option<u32>,
}

/// An open archive. An entry is inflated on its first read, into a temporary file that vanishes
/// with the archive.
pub(super) struct Archive {
    zip: Mutex<Inflating>,
    /// The inflated entries, in the order of their first read.
    temp: File,
}

struct Inflating {
    zip: ZipArchive<BufReader<File>>,
    /// Offset in the temporary file of each inflated entry, by its index in the central directory.
    starts: Vec<Option<u64>>,
    /// Size of the temporary file.
    used: u64,
    room: Option<UnpackPermit>,
}

impl Archive {
    /// Reads the central directory of an archive, and inflates nothing.
    ///
    /// # Errors
    /// The file is not a zip archive, is damaged or encrypted, exceeds a limit, has two entries of
    /// one name, or a name that leaves the archive.
    pub(super) fn open(file: File) -> io::Result<(Archive, Vec<ArchivedFile>)> {
        let mut zip = ZipArchive::new(BufReader::new(file)).map_err(into_io_error)?;
        let members = members(&mut zip, ARCHIVE_LIMIT)?;
        let starts = vec![None; zip.len()];
        let zip = Mutex::new(Inflating { zip, starts, used: 0, room: None });
        Ok((Archive { zip, temp: tempfile::tempfile()? }, members))
    }

    /// Opens the bytes `from..to` of a member for reading.
    ///
    /// # Errors
    /// The member cannot be inflated, or its size differs from the one in the directory.
    pub(super) fn read(
        &self,
        member: &ArchivedFile,
        from: u64,
        to: u64,
    ) -> io::Result<RangeReader<'_>> {
        let start = self.start(member)?;
        let at = |offset: u64| start.saturating_add(offset);
        Ok(RangeReader::new(Handle::Kept(&self.temp), at(from), at(to)))
    }

    /// Offset of a member in the temporary file; inflates it if necessary.
    fn start(&self, member: &ArchivedFile) -> io::Result<u64> {
        let mut inflating = self.zip.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(start) = inflating.starts.get(member.index).copied().flatten() {
            return Ok(start);
        }
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", member.name));
        let start = inflating.used;
        inflating.used = start.saturating_add(member.size);
        if inflating.used > room::FREE_BYTES && inflating.room.is_none() {
            inflating.room = Some(UnpackPermit::take());
        }
        (&self.temp).seek(io::SeekFrom::Start(start))?;
        let written = inflate(&mut inflating.zip, member, &mut &self.temp).map_err(named)?;
        if written != member.size {
            return Err(named(invalid_data(
                "its size is not what the archive's directory says".into(),
            )));
        }
        inflating.starts[member.index] = Some(start);
        Ok(start)
    }
}

/// Writes the content of a member, and returns its size. The limit was checked against the size in
/// the directory, so no more than one byte beyond that is inflated.
fn inflate<R: Read + Seek>(
    zip: &mut ZipArchive<R>,
    member: &ArchivedFile,
    out: &mut dyn Write,
) -> io::Result<u64> {
    let most = member.size.saturating_add(1);
    if let Some(checksum) = member.zstd {
        let entry = zip.by_index_raw(member.index).map_err(into_io_error)?;
        return packed::unpack_member(BufReader::new(entry), most, checksum, out);
    }
    let entry = zip.by_index(member.index).map_err(into_io_error)?;
    io::copy(&mut entry.take(most), out)
}

/// The files of an archive, in directory order.
fn members<R: Read + Seek>(zip: &mut ZipArchive<R>, limit: u64) -> io::Result<Vec<ArchivedFile>> {
    if zip.len() > MAX_ENTRIES {
        return Err(invalid_data(format!("the archive has more than {MAX_ENTRIES} entries")));
    }
    // The crate keeps one of the two entries, and readers differ in which one they take.
    if zip.has_duplicate_names() {
        return Err(invalid_data("the archive has two entries with the same name".into()));
    }
    let mut left = limit;
    let mut members = Vec::new();
    for index in 0..zip.len() {
        let zstd = zstd_checksum(zip, index)?;
        let entry = match zstd {
            Some(_) => zip.by_index_raw(index),
            None => zip.by_index(index),
        };
        let entry = entry.map_err(into_io_error)?;
        let name = entry.name().map_err(into_io_error)?.into_owned();
        check_entry_name(&name)
            .map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
        if entry.is_dir() {
            continue;
        }
        let size = entry.size();
        left = left.checked_sub(size).ok_or_else(|| {
            invalid_data(format!(
                "the archive is larger than {} MiB when it is unpacked",
                limit >> 20
            ))
        })?;
        members.push(ArchivedFile { name, size, index, zstd });
    }
    Ok(members)
}

/// The checksum of an entry that is compressed with Zstandard; `None`: the crate reads it, or says why not.
fn zstd_checksum<R: Read + Seek>(zip: &mut ZipArchive<R>, index: usize) -> io::Result<Option<u32>> {
    let entry = zip.by_index_raw(index).map_err(into_io_error)?;
    let is_zstd = entry.compression() == CompressionMethod::ZSTD && !entry.encrypted();
    Ok(is_zstd.then_some(entry.crc32()))
}

/// Writes a new archive with these entries, sorted by name. The output depends on the entries
/// alone.
///
/// # Errors
/// An entry cannot be read, or the archive cannot be written.
pub(crate) fn write<W: Write + Seek>(entries: &dyn Entries, out: W) -> io::Result<()> {
    // The crate panics in debug builds when it closes an archive on a full disk.
    let out = Latched::new(io::BufWriter::new(out));
    let mut archive = zip::ZipWriter::new(out);
    // No clock: every entry has the earliest time that zip can express.
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for id in entries.ids() {
        let large = options.large_file(entries.len(id) > u64::from(u32::MAX));
        archive.start_file(entries.name(id), large).map_err(into_io_error)?;
        io::copy(&mut *entries.open(id)?, &mut archive)?;
    }
    archive.finish().map_err(into_io_error)?.into_inner()?.flush()
}

fn invalid_data(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// Converts the crate's error into one of ours: its types stay in this file.
fn into_io_error(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        other => invalid_data(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::latched::tests::Disk;
    use crate::bytes::source::Source;
    use std::io::{Cursor, Write};
    use zip::write::SimpleFileOptions;

    fn packed(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in entries {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    /// An archive whose only entry is compressed with Zstandard. The crate cannot write one, so it writes the compressed bytes
    /// as they are, and the headers are changed.
    fn with_zstd(name: &str, bytes: &[u8]) -> Vec<u8> {
        let mut small = Vec::new();
        packed::Codec::Zstd.pack(&mut &*bytes, &mut small).unwrap();
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        zip.start_file(name, stored).unwrap();
        zip.write_all(&small).unwrap();
        let mut zip = zip.finish().unwrap().into_inner();
        let directory = memchr::memmem::find(&zip, b"PK\x01\x02").unwrap();
        for method in [8, directory + 10] {
            zip[method..method + 2].copy_from_slice(&93_u16.to_le_bytes());
            zip[method + 6..method + 10].copy_from_slice(&crc.sum().to_le_bytes());
            zip[method + 14..method + 18].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
        }
        zip
    }

    fn file(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    /// All entries, in directory order.
    fn inflate(bytes: &[u8]) -> io::Result<Vec<(String, Vec<u8>)>> {
        let (archive, members) = Archive::open(file(bytes))?;
        members
            .iter()
            .map(|member| {
                let mut bytes = Vec::new();
                archive.read(member, 0, member.size)?.read_to_end(&mut bytes)?;
                Ok((member.name.clone(), bytes))
            })
            .collect()
    }

    fn error(bytes: Vec<u8>) -> String {
        inflate(&bytes).unwrap_err().to_string()
    }

    /// The archive with a name replaced by another of the same length, in both headers.
    fn renamed(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
        assert_eq!(from.len(), to.len());
        let mut out = bytes.to_vec();
        let mut hits = 0;
        for at in 0..out.len().saturating_sub(from.len()) {
            if &out[at..at + from.len()] == from.as_bytes() {
                out[at..at + from.len()].copy_from_slice(to.as_bytes());
                hits += 1;
            }
        }
        assert_eq!(hits, 2);
        out
    }

    #[test]
    fn entries_in_the_order_of_the_directory() {
        let got = inflate(&packed(&[("b.json", b"{}"), ("a/c.json", b"[1]")])).unwrap();
        assert_eq!(
            got,
            [("b.json".to_string(), b"{}".to_vec()), ("a/c.json".to_string(), b"[1]".to_vec())]
        );
    }

    #[test]
    fn names_that_leave_the_archive_are_refused() {
        let good = packed(&[("abcdefg.json", b"{}")]);
        for bad in [
            "../defg.json",
            "/bcdefg.json",
            "ab/../g.json",
            "ab\\defg.json",
            "ab\0defg.json",
            "C:cdefg.json",
        ] {
            assert!(error(renamed(&good, "abcdefg.json", bad)).contains("name"), "{bad:?}");
        }
    }

    #[test]
    fn two_entries_of_one_name_are_refused() {
        let two = packed(&[("first.json", b"{}"), ("other.json", b"[]")]);
        assert!(
            error(renamed(&two, "other.json", "first.json"))
                .contains("two entries with the same name")
        );
    }

    #[test]
    fn the_limit_counts_all_entries() {
        let two = packed(&[("a", &[0; 600]), ("b", &[0; 600])]);
        let mut zip = ZipArchive::new(Cursor::new(two)).unwrap();
        assert!(members(&mut zip, 1199).unwrap_err().to_string().contains("larger than"));
        assert_eq!(members(&mut zip, 1200).unwrap().len(), 2);
    }

    #[test]
    fn entries_are_inflated_when_they_are_read_and_once() {
        let bytes = packed(&[("a", &[b'a'; 1000]), ("b", b"bb")]);
        let (archive, members) = Archive::open(file(&bytes)).unwrap();
        let used = || archive.temp.metadata().unwrap().len();
        assert_eq!(used(), 0);
        let mut text = String::new();
        archive.read(&members[1], 1, 2).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), used()), ("b", 2));
        for _ in 0..2 {
            text.clear();
            archive.read(&members[0], 998, 1000).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!((text.as_str(), used()), ("aa", 1002));
        }
    }

    #[test]
    fn a_wrong_size_in_the_directory_is_an_error() {
        for good in [packed(&[("a", &[b'a'; 1000])]), with_zstd("a", &[b'a'; 1000])] {
            assert_eq!(inflate(&good).unwrap()[0].1, [b'a'; 1000]);
            let directory = memchr::memmem::find(&good, b"PK\x01\x02").unwrap();
            for size in [0_u32, 999, 1001] {
                let mut bad = good.clone();
                bad[directory + 24..directory + 28].copy_from_slice(&size.to_le_bytes());
                assert!(inflate(&bad).is_err(), "{size}");
            }
        }
    }

    #[test]
    fn damage_is_an_error_at_every_byte() {
        let text = b"some text, some text, some text";
        for good in [packed(&[("a", text)]), with_zstd("a", text)] {
            assert_eq!(inflate(&good).unwrap()[0].1, text);
            for at in 0..good.len() {
                let _ = inflate(&good[..at]).unwrap_err();
                let mut flipped = good.clone();
                flipped[at] ^= 0x55;
                // The archive is refused, or the content is intact: some header fields do not
                // matter to us.
                if let Ok(got) = inflate(&flipped) {
                    assert!(got.iter().all(|(_, bytes)| bytes == text), "byte {at}");
                }
            }
        }
    }

    #[test]
    fn a_full_disk_is_an_error_wherever_it_is_met() {
        let names = ["a.json", "b.json"].map(|name| (name.to_owned(), vec![b'x'; 300]));
        let source = Source::memory("all", names.to_vec());
        let mut whole = Cursor::new(Vec::new());
        write(&source, &mut whole).unwrap();
        for room in 0..whole.get_ref().len() {
            let error = write(&source, Disk(Cursor::default(), room)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{room}");
        }
    }
}
