//! A new file or folder takes the place of the old one, which keeps a name: what is written into it later is not lost.

use super::moment::{Moment, reached};
use super::units::{self, Kind};
use std::fs;
use std::io;
use std::path::Path;

/// How the two change places: the first of these that the file system can do.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Means {
    /// They exchange their names in one step.
    Exchange,
    /// The old file gets a second name, then the new one takes the first from it. A folder: two renames.
    Link,
    /// The new file takes the name; the old one has none any more.
    Rename,
}

/// Puts what is prepared at `new` in the place of the file at `path`; the old file is at `old` afterwards, if it can be.
pub(super) fn swap(means: &mut Means, new: &Path, path: &Path, old: &Path) -> io::Result<()> {
    if *means == Means::Exchange {
        match exchange_by(new, path, old) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => *means = Means::Link,
            done => return done,
        }
    }
    if *means == Means::Link {
        match fs::hard_link(path, old) {
            Ok(()) => {
                return rename(new, path).inspect_err(|_| {
                    let _ = fs::remove_file(old);
                });
            }
            Err(error) if is_unsupported(&error) => *means = Means::Rename,
            Err(error) => return Err(error),
        }
    }
    rename(new, path)
}

/// Exchanges under the name `old`: unlike `new`, it is never taken for a leftover that may be removed.
pub(super) fn exchange_by(new: &Path, path: &Path, old: &Path) -> io::Result<()> {
    rename(new, old)?;
    reached(Moment::Named);
    exchange(old, path).inspect_err(|_| {
        let _ = rename(old, new);
    })
}

/// Puts the old file or folder at `old` in its place again; what is at `path` is at `old` afterwards. `spare` is a free name.
pub(super) fn swap_back(kind: Kind, old: &Path, path: &Path, spare: &Path) -> io::Result<()> {
    if units::id(path)?.is_none() {
        return rename(old, path);
    }
    match (exchange(old, path), kind) {
        (Err(error), Kind::File) if error.kind() == io::ErrorKind::Unsupported => {
            fs::hard_link(path, spare)?;
            rename(old, path)?;
            rename(spare, old)
        }
        (Err(error), Kind::Folder) if error.kind() == io::ErrorKind::Unsupported => {
            rename(path, spare)?;
            rename(old, path)?;
            rename(spare, old)
        }
        (done, _) => done,
    }
}

/// File systems without hard links say so in several ways.
fn is_unsupported(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied
    ) || cfg!(windows) && error.raw_os_error() == Some(1)
}

/// Gives a file another name, in another folder too; never one that is taken.
///
/// # Errors
/// `AlreadyExists`, or the system refused.
pub(super) fn move_to(from: &Path, to: &Path) -> io::Result<()> {
    match exclusive(from, to) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            fs::hard_link(from, to)?;
            fs::remove_file(from)
        }
        done => done,
    }
}

/// Renames; on Windows a virus scanner or indexer may have the file open for a moment.
pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    let mut tries = if cfg!(windows) { 50 } else { 0 };
    loop {
        match fs::rename(from, to) {
            // Access denied, sharing violation, lock violation.
            Err(error) if tries > 0 && matches!(error.raw_os_error(), Some(5 | 32 | 33)) => {
                tries -= 1
            }
            done => return done,
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

/// Exchanges two files or folders in one step. `Unsupported` where the system or the file system cannot.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    with_flags(a, b, rustix::fs::RenameFlags::EXCHANGE)
}

/// Renames to a free name. `Unsupported` where the system or the file system cannot make sure of that.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exclusive(from: &Path, to: &Path) -> io::Result<()> {
    with_flags(from, to, rustix::fs::RenameFlags::NOREPLACE)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn with_flags(a: &Path, b: &Path, flags: rustix::fs::RenameFlags) -> io::Result<()> {
    use rustix::fs::{CWD, renameat_with};
    use rustix::io::Errno;
    renameat_with(CWD, a, CWD, b, flags).map_err(|error| match error {
        Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP => io::ErrorKind::Unsupported.into(),
        other => other.into(),
    })
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exclusive(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
