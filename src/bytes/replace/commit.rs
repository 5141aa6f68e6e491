//! Prepared bytes put in place.

use super::change::Place;
use super::error::ReplaceError;
use super::flush;
use super::stage::{Staged, same_as};
use super::units::{self, Kind, Side, Unit};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How far a unit got.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Moved {
    /// The old folder was moved away, the new one is not in place yet.
    Away,
    /// The new bytes are in place.
    Placed,
}

impl Staged {
    /// Does the next step of unit number `at` (from 0): a file and, where the system can exchange, a folder needs one, else
    /// a folder needs two. Call it until it says [`Moved::Placed`].
    ///
    /// # Errors
    /// The system refused, or somebody wrote into the old folder meanwhile; then the old one is in its place again. (If that
    /// fails too, [`Unit::state`] tells.)
    pub fn commit(&mut self, at: usize) -> Result<Moved, ReplaceError> {
        let Some(part) = self.parts.get_mut(at) else { return Ok(Moved::Placed) };
        let (path, stage, aside) =
            (part.unit.path(&self.place), part.unit.stage(&self.place), part.unit.aside(&self.place));
        if part.unit.kind == Kind::File {
            rename(&stage, &path).map_err(ReplaceError::at(&path))?;
            part.locks.clear();
            return placed(&path);
        }
        if part.renames && units::id(&path).map_err(ReplaceError::at(&path))?.is_none() {
            rename(&stage, &path).map_err(ReplaceError::at(&path))?;
            return placed(&path);
        }
        if !part.renames {
            match exchange(&stage, &path) {
                Ok(()) => {
                    if let Err(error) = same_as(&part.before, &stage) {
                        exchange(&stage, &path).map_err(ReplaceError::at(&path))?;
                        return Err(error);
                    }
                    return placed(&path);
                }
                Err(error) if error.kind() == io::ErrorKind::Unsupported => part.renames = true,
                Err(error) => return Err(ReplaceError::at(&path)(error)),
            }
        }
        rename(&path, &aside).map_err(ReplaceError::at(&path))?;
        if let Err(error) = same_as(&part.before, &aside) {
            rename(&aside, &path).map_err(ReplaceError::at(&path))?;
            return Err(error);
        }
        flush::sync_beside(&path).map_err(ReplaceError::at(&path))?;
        Ok(Moved::Away)
    }

    /// Reads the changed files in their places: are they what was prepared?
    ///
    /// # Errors
    /// [`ReplaceError::Changed`] if not (it *was* written, and somebody wrote behind it), or they cannot be read.
    pub fn check(&self) -> Result<(), ReplaceError> {
        for part in &self.parts {
            let path = part.unit.path(&self.place);
            if !part.unit.holds(&self.files, &path, Side::New).map_err(ReplaceError::at(&path))? {
                return Err(ReplaceError::Changed(path));
            }
        }
        Ok(())
    }
}

impl Unit {
    /// Puts the prepared bytes in place after an interruption, whatever was done of it before.
    ///
    /// # Errors
    /// The system refused.
    pub fn forward(&self, place: &Place) -> io::Result<()> {
        let (path, stage, aside) = (self.path(place), self.stage(place), self.aside(place));
        if self.kind == Kind::File || units::id(&path)?.is_none() {
            rename(&stage, &path)?;
        } else {
            match exchange(&stage, &path) {
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                    rename(&path, &aside)?;
                    rename(&stage, &path)?;
                }
                done => done?,
            }
        }
        flush::sync_beside(&path)
    }

    /// Puts the old folder back in its place after an interruption. Says `false` if it is not there any more.
    ///
    /// # Errors
    /// The system refused.
    pub fn back(&self, place: &Place) -> io::Result<bool> {
        let (path, stage, aside) = (self.path(place), self.stage(place), self.aside(place));
        let Some(old) = self.old_folder(place)? else { return Ok(false) };
        if units::id(&path)?.is_none() {
            rename(&old, &path)?;
        } else if old == stage {
            exchange(&stage, &path)?;
        } else {
            rename(&path, &stage)?;
            rename(&aside, &path)?;
        }
        flush::sync_beside(&path)?;
        Ok(true)
    }

    /// Removes what was prepared and not put in place.
    ///
    /// # Errors
    /// It is there and cannot be removed.
    pub fn discard(&self, place: &Place) -> io::Result<()> {
        let stage = self.stage(place);
        if units::id(&stage)? != Some(self.new) {
            return Ok(());
        }
        match self.kind {
            Kind::File => fs::remove_file(&stage),
            Kind::Folder => fs::remove_dir_all(&stage),
        }
    }

    /// Removes the old folder, once the new one is in its place. A file's old bytes are gone with the rename.
    ///
    /// # Errors
    /// It is there and cannot be removed.
    pub fn clean(&self, place: &Place) -> io::Result<()> {
        self.old_folder(place)?.map_or(Ok(()), fs::remove_dir_all)
    }

    /// Where the old folder is, if not in its place.
    fn old_folder(&self, place: &Place) -> io::Result<Option<PathBuf>> {
        if self.kind == Kind::File {
            return Ok(None);
        }
        // Where files have no numbers there is no exchange either, and the stage is never the old folder.
        let stage = Some(self.stage(place)).filter(|_| self.old != (0, 0));
        for path in stage.into_iter().chain([self.aside(place)]) {
            if units::id(&path)? == Some(self.old) {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }
}

fn placed(path: &Path) -> Result<Moved, ReplaceError> {
    flush::sync_beside(path).map_err(ReplaceError::at(path))?;
    Ok(Moved::Placed)
}

/// Renames; on Windows a virus scanner or indexer may have the file open for a moment.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    let mut tries = if cfg!(windows) { 50 } else { 0 };
    loop {
        match fs::rename(from, to) {
            // Access denied, sharing violation, lock violation.
            Err(error) if tries > 0 && matches!(error.raw_os_error(), Some(5 | 32 | 33)) => tries -= 1,
            done => return done,
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

/// Exchanges two folders in one step. `Unsupported` where the system or the file system cannot.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).map_err(|error| match error {
        Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP => io::ErrorKind::Unsupported.into(),
        other => other.into(),
    })
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
