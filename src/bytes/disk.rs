//! Regular files on disk: opened with care, read at an offset, recognized when they change.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// What tells one state of a file from another without reading it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// Size in bytes.
    pub len: u64,
    /// Time of the last change of the content, where the system keeps one.
    pub modified: Option<SystemTime>,
    /// Device and inode on Unix, zeros elsewhere.
    pub place: (u64, u64),
}

impl Stamp {
    /// The stamp of `meta`.
    pub fn of(meta: &Metadata) -> Self {
        Self {
            len: meta.len(),
            modified: meta.modified().ok(),
            place: place(meta),
        }
    }
}

#[cfg(unix)]
fn place(meta: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (meta.dev(), meta.ino())
}

#[cfg(not(unix))]
fn place(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// Looks at `path` (links are followed) without opening it.
///
/// # Errors
/// There is nothing, it cannot be looked at, or it is no regular file: opening a FIFO would wait for a writer, opening a
/// device may do anything.
pub(crate) fn stat_regular(path: &Path) -> io::Result<Stamp> {
    let meta = fs::metadata(path)?;
    regular(&meta)?;
    Ok(Stamp::of(&meta))
}

/// Opens the regular file at `path` for reading and says what it was when it was opened.
///
/// # Errors
/// As [`stat_regular`]; also when another file took the name between the look and the opening.
pub(crate) fn open_regular(path: &Path) -> io::Result<(File, Stamp)> {
    let seen = stat_regular(path)?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Should a FIFO or a terminal take the name after the look, opening it neither waits nor changes anything.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    }
    let file = options.open(path)?;
    let meta = file.metadata()?;
    regular(&meta)?;
    let stamp = Stamp::of(&meta);
    if stamp.place != seen.place {
        return Err(io::Error::other(
            "the file was replaced while it was being opened",
        ));
    }
    Ok((file, stamp))
}

fn regular(meta: &Metadata) -> io::Result<()> {
    let kind = meta.file_type();
    if kind.is_file() {
        return Ok(());
    }
    if kind.is_dir() {
        return Err(io::Error::new(
            io::ErrorKind::IsADirectory,
            "is a folder, not a file",
        ));
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("is {}, only regular files are read", what(meta)),
    ))
}

#[cfg(unix)]
fn what(meta: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = meta.file_type();
    if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_block_device() || kind.is_char_device() {
        "a device"
    } else {
        "no regular file"
    }
}

#[cfg(not(unix))]
fn what(_: &Metadata) -> &'static str {
    "no regular file"
}

/// Locks a file or folder that nobody is expected to hold; says whether it was possible. A process that is just starting a child
/// shares its locks with that child for a moment, so a lock that is in the way is looked at a few times more.
pub(crate) fn lock_now(file: &File, shared: bool) -> bool {
    for _ in 0..20 {
        match if shared {
            file.try_lock_shared()
        } else {
            file.try_lock()
        } {
            // A file system without locks: there is nothing better to be had.
            Ok(()) | Err(TryLockError::Error(_)) => return true,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    false
}

/// Reads at an offset; the file has no shared position, so threads do not disturb each other.
#[cfg(unix)]
fn read_at(file: &File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buf, offset)
}

#[cfg(windows)]
fn read_at(file: &File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buf, offset)
}

/// The file that a [`Window`] reads: its own, or one that somebody keeps open.
pub(crate) enum Handle<'a> {
    /// Opened for this reader.
    Own(File),
    /// Kept open by the source.
    Kept(&'a File),
}

/// Bytes `at..end` of a file, read one after the other.
///
/// A file that became shorter is an error, not an early end: what was read would be taken for the whole. Bytes that were
/// appended behind `end` are not seen.
pub(crate) struct Window<'a> {
    file: Handle<'a>,
    at: u64,
    end: u64,
}

impl<'a> Window<'a> {
    /// A reader of the bytes `at..end`.
    pub(crate) fn new(file: Handle<'a>, at: u64, end: u64) -> Self {
        Self { file, at, end }
    }
}

impl Read for Window<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let want = left.min(buf.len());
        if want == 0 {
            return Ok(0);
        }
        let file = match &self.file {
            Handle::Own(file) => file,
            Handle::Kept(file) => file,
        };
        let got = read_at(file, &mut buf[..want], self.at)?;
        if got == 0 {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the file became shorter while it was being read",
            ));
        }
        self.at = self.at.saturating_add(got as u64);
        Ok(got)
    }
}
