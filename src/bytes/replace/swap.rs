//! Swaps a new file or folder with the old one. The old one keeps a name, so that later writes to
//! it are not lost.

use super::moment::{Moment, reached};
use super::units::{self, UnitKind};
use std::fs;
use std::io;
use std::path::Path;

/// How the two are swapped: the first of these that the file system supports.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum SwapMethod {
    /// Both names are exchanged in one step.
    Exchange,
    /// A file gets a second link, then the new file takes over the first name. A folder is renamed
    /// twice.
    Link,
    /// The new file takes over the name; the old one has no name left.
    Rename,
}

/// Puts the file prepared at `new` in place at `path`. The old file is at `old` afterwards, if the
/// file system can do that.
pub(super) fn swap(method: &mut SwapMethod, new: &Path, path: &Path, old: &Path) -> io::Result<()> {
    if *method == SwapMethod::Exchange {
        match exchange_by(new, path, old) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => *method = SwapMethod::Link,
            done => return done,
        }
    }
    if *method == SwapMethod::Link {
        match fs::hard_link(path, old) {
            Ok(()) => {
                return rename(new, path).inspect_err(|_| {
                    let _ = fs::remove_file(old);
                });
            }
            Err(error) if is_unsupported(&error) => *method = SwapMethod::Rename,
            Err(error) => return Err(error),
        }
    }
    rename(new, path)
}

/// Exchanges by way of the name `old`, because a leftover under the name `new` may be removed by
/// another run.
pub(super) fn exchange_by(new: &Path, path: &Path, old: &Path) -> io::Result<()> {
    rename(new, old)?;
    reached(Moment::Named);
    exchange(old, path).inspect_err(|_| {
        let _ = rename(old, new);
    })
}

/// Puts the old file or folder at `old` back in place at `path`. The new one is at `old`
/// afterwards. `spare` is an unused name.
pub(super) fn swap_back(kind: UnitKind, old: &Path, path: &Path, spare: &Path) -> io::Result<()> {
    if units::id(path)?.is_none() {
        return rename(old, path);
    }
    match (exchange(old, path), kind) {
        (Err(error), UnitKind::File) if error.kind() == io::ErrorKind::Unsupported => {
            fs::hard_link(path, spare)?;
            rename(old, path)?;
            rename(spare, old)
        }
        (Err(error), UnitKind::Folder) if error.kind() == io::ErrorKind::Unsupported => {
            rename(path, spare)?;
            rename(old, path)?;
            rename(spare, old)
        }
        (done, _) => done,
    }
}

/// File systems without hard links report that in several ways.
fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied)
        || cfg!(windows) && error.raw_os_error() == Some(1)
}

/// Renames a file, also into another folder, but never over an existing one.
///
/// # Errors
/// `AlreadyExists`, or an error of the system.
pub(super) fn move_to(from: &Path, to: &Path) -> io::Result<()> {
    match exclusive(from, to) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            fs::hard_link(from, to)?;
            fs::remove_file(from)
        }
        done => done,
    }
}

/// Renames, and retries on Windows, where a virus scanner or indexer may have the file open for a
/// moment.
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

/// Exchanges two files or folders in one step. `Unsupported` if the system or file system cannot.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    with_flags(a, b, rustix::fs::RenameFlags::EXCHANGE)
}

/// Renames to an unused name. `Unsupported` if the system or file system cannot guarantee that it
/// is unused.
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
