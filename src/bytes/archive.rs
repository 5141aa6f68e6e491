//! Zip archives. Nothing else knows the zip crate.

use super::source::{Entries, stays_inside};
use std::io::{self, Read, Seek, Write};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;

/// Most bytes that an archive may inflate to, all entries together: 512 MiB. A small file can claim to be petabytes.
pub const ARCHIVE_LIMIT: u64 = 512 << 20;

/// Most entries that an archive may have.
pub const MAX_ENTRIES: usize = 100_000;

/// The files of a zip archive in the order of its directory: names and inflated bytes.
///
/// # Errors
/// No zip archive, damaged, encrypted, above a limit, or with a name that leaves the archive or stands twice.
pub(super) fn inflate<R: Read + Seek>(file: R) -> io::Result<Vec<(String, Vec<u8>)>> {
    inflate_up_to(file, ARCHIVE_LIMIT)
}

fn inflate_up_to<R: Read + Seek>(file: R, limit: u64) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut archive = zip::ZipArchive::new(io::BufReader::new(file)).map_err(plain)?;
    if archive.len() > MAX_ENTRIES {
        return Err(refused(format!("the archive has more than {MAX_ENTRIES} entries")));
    }
    // The directory keeps one of them; which one a reader takes differs.
    if archive.has_duplicate_names() {
        return Err(refused("the archive has two entries of one name".into()));
    }
    let mut left = limit;
    let mut entries = Vec::new();
    for at in 0..archive.len() {
        let entry = archive.by_index(at).map_err(plain)?;
        let name = entry.name().map_err(plain)?.into_owned();
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{name}: {error}"));
        stays_inside(&name).map_err(named)?;
        if entry.is_dir() {
            continue;
        }
        let mut bytes = Vec::new();
        entry.take(left.saturating_add(1)).read_to_end(&mut bytes).map_err(named)?;
        let size = bytes.len() as u64;
        left = left.checked_sub(size).ok_or_else(|| {
            refused(format!("the archive is larger than {} MiB when it is unpacked", limit >> 20))
        })?;
        entries.push((name, bytes));
    }
    Ok(entries)
}

/// Writes a new archive with these entries in the order of their names. Equal entries give equal bytes.
///
/// # Errors
/// An entry cannot be read, or the archive not be written.
pub fn write<W: Write + Seek>(entries: &dyn Entries, out: W) -> io::Result<()> {
    let mut archive = zip::ZipWriter::new(io::BufWriter::new(out));
    // No clock: the time of every entry is the first that a zip can tell.
    let plainly = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for id in entries.ids() {
        let large = plainly.large_file(entries.len(id) > u64::from(u32::MAX));
        archive.start_file(entries.name(id), large).map_err(plain)?;
        io::copy(&mut *entries.open(id)?, &mut archive)?;
    }
    archive.finish().map_err(plain)?.flush()
}

fn refused(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// The crate's error as ours: only its text gets out of this file.
fn plain(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        other => refused(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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

    fn error(bytes: Vec<u8>) -> String {
        inflate(Cursor::new(bytes)).unwrap_err().to_string()
    }

    /// The same archive with another name of the same length, in both headers.
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
        let got = inflate(Cursor::new(packed(&[("b.json", b"{}"), ("a/c.json", b"[1]")]))).unwrap();
        assert_eq!(got, [("b.json".to_string(), b"{}".to_vec()), ("a/c.json".to_string(), b"[1]".to_vec())]);
    }

    #[test]
    fn names_that_leave_the_archive_are_refused() {
        let good = packed(&[("abcdefg.json", b"{}")]);
        for bad in
            ["../defg.json", "/bcdefg.json", "ab/../g.json", "ab\\defg.json", "ab\0defg.json", "C:cdefg.json"]
        {
            assert!(error(renamed(&good, "abcdefg.json", bad)).contains("name"), "{bad:?}");
        }
    }

    #[test]
    fn two_entries_of_one_name_are_refused() {
        let two = packed(&[("first.json", b"{}"), ("other.json", b"[]")]);
        assert!(error(renamed(&two, "other.json", "first.json")).contains("two entries of one name"));
    }

    #[test]
    fn the_limit_counts_all_entries() {
        let two = packed(&[("a", &[0; 600]), ("b", &[0; 600])]);
        assert!(
            inflate_up_to(Cursor::new(two.clone()), 1199).unwrap_err().to_string().contains("larger than")
        );
        assert_eq!(inflate_up_to(Cursor::new(two), 1200).unwrap().len(), 2);
    }

    #[test]
    fn damage_is_an_error_at_every_byte() {
        let good = packed(&[("a", b"some text, some text, some text")]);
        let want = inflate(Cursor::new(good.clone())).unwrap();
        for at in 0..good.len() {
            let _ = inflate(Cursor::new(good[..at].to_vec())).unwrap_err();
            let mut flipped = good.clone();
            flipped[at] ^= 0x55;
            // Either refused, or the content is what it was (some header fields carry nothing that we use).
            if let Ok(got) = inflate(Cursor::new(flipped)) {
                assert!(got.iter().all(|(_, bytes)| *bytes == want[0].1), "byte {at}");
            }
        }
    }
}
