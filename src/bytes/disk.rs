//! Regular files on disk: open them safely, read them at an offset, detect that they changed.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Identifies one state of a file without reading it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// Size in bytes.
    pub len: u64,
    /// Time of the last content change, if the system keeps one.
    pub modified: Option<SystemTime>,
    /// Device and inode on Unix, zeros elsewhere.
    pub file_id: (u64, u64),
}

impl Stamp {
    pub fn of(meta: &Metadata) -> Self {
        Self { len: meta.len(), modified: meta.modified().ok(), file_id: file_id(meta) }
    }
}

#[cfg(unix)]
fn file_id(meta: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (meta.dev(), meta.ino())
}

#[cfg(not(unix))]
fn file_id(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// Stamp of the file at `path`, without opening it. Follows links.
///
/// # Errors
/// The path does not exist, cannot be examined, or is not a require_regular file: opening a FIFO
/// would wait for a writer, and opening a device may have any effect.
pub(crate) fn stat_regular(path: &Path) -> io::Result<Stamp> {
    let meta = fs::metadata(path)?;
    require_regular(&meta)?;
    Ok(Stamp::of(&meta))
}

/// Opens the require_regular file at `path` for reading, with its stamp at that time.
///
/// # Errors
/// Like [`stat_regular`], and if another file took the name between the two system calls.
pub(crate) fn open_regular(path: &Path) -> io::Result<(File, Stamp)> {
    let seen = stat_regular(path)?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // If a FIFO or a terminal takes the name meanwhile, opening it neither blocks nor changes
        // anything.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    }
    let file = options.open(path)?;
    let meta = file.metadata()?;
    require_regular(&meta)?;
    let stamp = Stamp::of(&meta);
    if stamp.file_id != seen.file_id {
        return Err(io::Error::other("the file was replaced while it was being opened"));
    }
    Ok((file, stamp))
}

fn require_regular(meta: &Metadata) -> io::Result<()> {
    let kind = meta.file_type();
    if kind.is_file() {
        return Ok(());
    }
    if kind.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder, not a file"));
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("is {}, only regular files are read", describe_type(meta)),
    ))
}

#[cfg(unix)]
fn describe_type(meta: &Metadata) -> &'static str {
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
fn describe_type(_: &Metadata) -> &'static str {
    "no regular file"
}

/// Who else may lock a file at the same time.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Lock {
    /// Others that share it, too.
    Shared,
    Exclusive,
}

/// Locks a file or folder that should be free, and says whether it worked. Retries for 100 ms,
/// because a process that starts a child shares its locks with the child for a moment.
pub(crate) fn try_lock_briefly(file: &File, lock: Lock) -> bool {
    for _ in 0..20 {
        let locked = match lock {
            Lock::Shared => file.try_lock_shared(),
            Lock::Exclusive => file.try_lock(),
        };
        match locked {
            // The file system has no locks, so nothing better is possible.
            Ok(()) | Err(TryLockError::Error(_)) => return true,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    false
}

/// Reads at an offset. The file has no shared position, so threads do not disturb each other.
#[cfg(unix)]
fn read_at(file: &File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buf, offset)
}

#[cfg(windows)]
fn read_at(file: &File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buf, offset)
}

/// Appends what one read yields, of at most `most` bytes. Does not fill the room for them with zeros before.
#[cfg(unix)]
fn append_some(file: &File, to: &mut Vec<u8>, most: usize, offset: u64) -> io::Result<usize> {
    to.reserve_exact(most);
    let before = to.len();
    let got = rustix::io::retry_on_intr(|| {
        rustix::io::pread(file, rustix::buffer::spare_capacity(to), offset)
    })?;
    // The list may have had more room than asked for.
    to.truncate(before.saturating_add(most));
    Ok(got.min(most))
}

#[cfg(not(unix))]
fn append_some(file: &File, to: &mut Vec<u8>, most: usize, offset: u64) -> io::Result<usize> {
    let before = to.len();
    to.resize(before + most, 0);
    let got = read_at(file, &mut to[before..], offset);
    to.truncate(before + got.as_ref().map_or(0, |got| *got));
    got
}

fn became_shorter() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the file became shorter while it was being read")
}

/// Appends the bytes `at..end` of a file.
///
/// # Errors
/// They cannot be read, or the file became shorter.
pub(crate) fn append(file: &File, mut at: u64, end: u64, to: &mut Vec<u8>) -> io::Result<()> {
    while at < end {
        let left = usize::try_from(end - at).unwrap_or(usize::MAX);
        match append_some(file, to, left, at) {
            Ok(0) => return Err(became_shorter()),
            Ok(got) => at += got as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The file that a [`RangeReader`] reads.
pub(crate) enum Handle<'a> {
    /// Opened for this reader alone.
    Own(File),
    /// Kept open by the source.
    Kept(&'a File),
}

/// Reads the bytes `at..end` of a file.
///
/// Fails if the file becomes shorter, because the caller would mistake an early end for the end of
/// the data. Bytes appended after `end` are not read.
pub(crate) struct RangeReader<'a> {
    file: Handle<'a>,
    at: u64,
    end: u64,
}

impl<'a> RangeReader<'a> {
    pub(crate) fn new(file: Handle<'a>, at: u64, end: u64) -> Self {
        Self { file, at, end }
    }
}

impl Read for RangeReader<'_> {
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
            return Err(became_shorter());
        }
        self.at = self.at.saturating_add(got as u64);
        Ok(got)
    }
}
