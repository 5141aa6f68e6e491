//! Puts prepared bytes in place, and puts old bytes back.

use super::ReplaceError;
use super::change::Location;
use super::flush;
use super::late_writes::{self, FileSizes, LateWrites};
use super::moment::{Moment, reached};
use super::stage::{Before, Staged, StagedUnit};
use super::swap::{self, SwapMethod, exchange_by, rename, swap_back};
use super::tree;
use super::units::{self, FileState, ReplaceUnit, UnitKind};
use crate::bytes::disk::{self, Handle, RangeReader};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// How often to check for late writes while others are carried over.
const CHECKS: u32 = 20;

/// How far a unit got.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum CommitStep {
    /// The old folder was moved away, the new one is not in place yet.
    Away,
    /// The new bytes are in place.
    Placed,
}

impl Staged {
    /// Takes the next step of unit number `at` (0-based). A file needs one step. A folder needs one
    /// where the system can exchange folders, else two. Call it until it returns
    /// [`CommitStep::Placed`].
    ///
    /// # Errors
    /// The system refused. [`ReplaceUnit::state`] says which bytes are where.
    pub(crate) fn commit(&mut self, at: usize) -> Result<CommitStep, ReplaceError> {
        let Some(part) = self.parts.get_mut(at) else {
            return Ok(CommitStep::Placed);
        };
        let (path, stage, aside) = (
            part.unit.path(&self.location),
            part.unit.stage(&self.location),
            part.unit.aside(&self.location),
        );
        let failed = || ReplaceError::at(&path);
        reached(Moment::BeforeSwap);
        match part.unit.kind {
            UnitKind::File => {
                swap::swap(&mut part.method, &stage, &path, &aside).map_err(failed())?;
                part.locks.clear();
            }
            UnitKind::Folder if part.method == SwapMethod::Exchange => {
                match exchange_by(&stage, &path, &aside) {
                    Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                        part.method = SwapMethod::Rename;
                        return self.commit(at);
                    }
                    done => done.map_err(failed())?,
                }
            }
            UnitKind::Folder if units::id(&path).map_err(failed())?.is_some() => {
                rename(&path, &aside).map_err(failed())?;
                flush::sync_beside(&path).map_err(failed())?;
                return Ok(CommitStep::Away);
            }
            UnitKind::Folder => rename(&stage, &path).map_err(failed())?,
        }
        part.placed = true;
        reached(Moment::AfterSwap);
        flush::sync_beside(&path).map_err(failed())?;
        Ok(CommitStep::Placed)
    }

    /// What other processes wrote to the old bytes of unit number `at` since its new ones were
    /// prepared, or since the last call.
    ///
    /// # Errors
    /// The old bytes cannot be read.
    pub(crate) fn late_writes(&self, at: usize) -> Result<LateWrites, ReplaceError> {
        let Some(part) = self.parts.get(at) else {
            return Ok(LateWrites::Nothing);
        };
        let aside = part.unit.aside(&self.location);
        let named = part.method != SwapMethod::Rename || part.unit.kind == UnitKind::Folder;
        if named && units::id(&aside).map_err(ReplaceError::at(&aside))? != Some(part.unit.old) {
            return Ok(LateWrites::Other);
        }
        match (&part.before, &part.old, part.unit.before(&self.files)) {
            (Before::Folder(tree), ..) => late_writes::added_files(&aside, tree),
            (Before::File(_), Some(file), Some(print)) => {
                late_writes::appended_lines(file, (print.sha256, print.size), part.seen)
                    .map_err(ReplaceError::at(&aside))
            }
            _ => Ok(LateWrites::Nothing),
        }
    }

    /// Adds late writes to the new bytes of unit number `at`, after anything that others added
    /// there.
    ///
    /// # Errors
    /// The writes cannot be added, or are of a kind that cannot be carried over.
    pub(crate) fn carry_over(
        &mut self,
        at: usize,
        late_writes: &LateWrites,
    ) -> Result<(), ReplaceError> {
        let Some(part) = self.parts.get_mut(at) else {
            return Ok(());
        };
        let (path, aside) = (part.unit.path(&self.location), part.unit.aside(&self.location));
        reached(Moment::BeforeCarry);
        match late_writes {
            LateWrites::Nothing => Ok(()),
            LateWrites::Lines(lines) => {
                late_writes::append(&path, part.unit.new, lines)?;
                part.seen = part.seen.saturating_add(lines.len() as u64);
                Ok(())
            }
            LateWrites::Files(files) => match late_writes::move_files(&aside, &path, files) {
                Ok(false) => Ok(()),
                Ok(true) => Err(ReplaceError::Grew(path)),
                Err(error) => Err(ReplaceError::at(&path)(error)),
            },
            LateWrites::Other => Err(ReplaceError::Changed(path)),
        }
    }

    /// Puts the old bytes of all units back in place, with what was added to the new ones since.
    /// The prepared bytes then have the name that the old ones had.
    ///
    /// # Errors
    /// Another process replaced the new bytes, or the system refused. Some of the new bytes may
    /// still be in place.
    pub(crate) fn roll_back(&mut self) -> Result<(), ReplaceError> {
        for part in self.parts.iter_mut().rev() {
            let path = part.unit.path(&self.location);
            if part.placed {
                part.roll_back(&self.location, &self.files)?;
            } else if part.unit.kind == UnitKind::Folder
                && units::id(&path).map_err(ReplaceError::at(&path))?.is_none()
            {
                rename(&part.unit.aside(&self.location), &path).map_err(ReplaceError::at(&path))?;
            }
            part.placed = false;
        }
        Ok(())
    }

    /// Reads the changed files in place and compares them with what was prepared. Lines may follow.
    ///
    /// # Errors
    /// [`ReplaceError::Changed`] if they differ: they were written, and another process wrote over
    /// them. Or they cannot be read.
    pub(crate) fn check(&self) -> Result<(), ReplaceError> {
        for part in &self.parts {
            let path = part.unit.path(&self.location);
            let holds = match part.unit.after(&self.files) {
                Some(after) => units::starts_with(&path, &after),
                None => part.unit.holds(&self.files, &path, units::Version::New),
            };
            if !holds.map_err(ReplaceError::at(&path))? {
                return Err(ReplaceError::Changed(path));
            }
        }
        Ok(())
    }
}

impl StagedUnit {
    fn roll_back(&mut self, location: &Location, files: &[FileState]) -> Result<(), ReplaceError> {
        let (path, aside) = (self.unit.path(location), self.unit.aside(location));
        let nameless = self
            .old
            .as_ref()
            .filter(|_| self.method == SwapMethod::Rename && self.unit.kind == UnitKind::File);
        // Give the bytes a name again; a process that has the file open keeps writing to the
        // nameless one.
        let copied = nameless
            .map(|old| write_out(old, &aside))
            .transpose()
            .map_err(ReplaceError::at(&aside))?;
        self.unit.roll_back(location, files, self.known.as_ref())?;
        if let (Some(old), Some(copied), Some(was)) = (nameless, copied, self.unit.before(files))
            && let LateWrites::Lines(lines) =
                late_writes::appended_lines(old, (was.sha256, was.size), copied)
                    .map_err(ReplaceError::at(&path))?
        {
            let there = units::id(&path).map_err(ReplaceError::at(&path))?.unwrap_or_default();
            late_writes::append(&path, there, &lines)?;
        }
        Ok(())
    }
}

impl ReplaceUnit {
    /// Puts the prepared bytes in place after an interruption, whatever was done before it.
    ///
    /// # Errors
    /// The system refused.
    pub fn roll_forward(&self, location: &Location) -> io::Result<()> {
        let (path, stage, aside) =
            (self.path(location), self.stage(location), self.aside(location));
        if self.aside.is_empty() || units::id(&path)?.is_none() {
            rename(&stage, &path)?;
            return flush::sync_beside(&path);
        }
        if self.new != (0, 0) && units::id(&aside)? == Some(self.new) {
            rename(&aside, &stage)?;
        }
        match self.kind {
            UnitKind::File => swap::swap(&mut SwapMethod::Exchange, &stage, &path, &aside)?,
            UnitKind::Folder => match exchange_by(&stage, &path, &aside) {
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                    rename(&path, &aside)?;
                    rename(&stage, &path)?;
                }
                done => done?,
            },
        }
        flush::sync_beside(&path)
    }

    /// Puts the old file or folder back in place, with what was added to the new one since. Returns
    /// `false` if the old one does not exist anymore. `known` is what was in the new folder when it
    /// was prepared.
    ///
    /// # Errors
    /// Another process put something else in place, or the system refused.
    pub fn roll_back(
        &self,
        location: &Location,
        files: &[FileState],
        known: Option<&FileSizes>,
    ) -> Result<bool, ReplaceError> {
        let (path, stage, aside) =
            (self.path(location), self.stage(location), self.aside(location));
        let failed = || ReplaceError::at(&path);
        let Some(old) = self.replaced(location).map_err(failed())? else {
            return Ok(false);
        };
        let is_new = |path: &Path| Ok::<_, io::Error>(units::id(path)? == Some(self.new));
        let there = units::id(&path).map_err(failed())?;
        if there.is_some_and(|there| there != self.new) {
            return Err(ReplaceError::Changed(path));
        }
        reached(Moment::BeforeBack);
        if old != aside {
            rename(&old, &aside).map_err(failed())?;
        }
        swap_back(self.kind, &aside, &path, &stage).map_err(failed())?;
        reached(Moment::AfterBack);
        if there.is_some() && !is_new(&aside).map_err(failed())? {
            // Another process replaced the new one at the last moment: keep what it wrote.
            swap_back(self.kind, &aside, &path, &stage).map_err(failed())?;
            return Err(ReplaceError::Changed(path));
        }
        self.rejoin(location, files, known)?;
        flush::sync_beside(&path).map_err(failed())?;
        Ok(true)
    }

    /// Adds to the old file or folder, which is back in place, what was written to the new one.
    ///
    /// # Errors
    /// The writes cannot be added. They are not lost, because the new file or folder is kept.
    pub fn rejoin(
        &self,
        location: &Location,
        files: &[FileState],
        known: Option<&FileSizes>,
    ) -> Result<(), ReplaceError> {
        let (path, aside) = (self.path(location), self.aside(location));
        let failed = || ReplaceError::at(&aside);
        if units::id(&aside).map_err(failed())? != Some(self.new) {
            return Ok(());
        }
        let (UnitKind::File, Some(before), Some(after)) =
            (self.kind, self.before(files), self.after(files))
        else {
            let Some(known) = known else { return Ok(()) };
            let new: Vec<PathBuf> =
                tree::walk(&aside)?.into_keys().filter(|path| !known.contains_key(path)).collect();
            return late_writes::move_files(&aside, &path, &new).map(|_| ()).map_err(failed());
        };
        let (new, _) = disk::open_regular(&aside).map_err(failed())?;
        let mut seen = after.size;
        for _ in 0..CHECKS {
            match late_writes::appended_lines(&new, (after.sha256, after.size), seen)
                .map_err(failed())?
            {
                LateWrites::Lines(lines) => {
                    let (old, stamp) = disk::open_regular(&path).map_err(failed())?;
                    let mut own =
                        RangeReader::new(Handle::Kept(&old), before.size.min(stamp.len), stamp.len);
                    let lacking =
                        late_writes::missing_lines(&mut &lines[..], &mut own).map_err(failed())?;
                    if !lacking.is_empty() {
                        late_writes::append(&path, stamp.file_id, &lacking)?;
                    }
                    seen = seen.saturating_add(lines.len() as u64);
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Removes what was prepared and never put in place.
    ///
    /// # Errors
    /// It exists and cannot be removed.
    pub fn discard(&self, location: &Location) -> io::Result<()> {
        let (stage, aside) = (self.stage(location), self.aside(location));
        if units::id(&stage)? == Some(self.new) {
            match self.kind {
                UnitKind::File => fs::remove_file(&stage)?,
                UnitKind::Folder => fs::remove_dir_all(&stage)?,
            }
        }
        // A second name of the old file, no longer needed.
        let linked = !self.aside.is_empty()
            && self.kind == UnitKind::File
            && units::id(&aside)? == Some(self.old);
        if linked && units::id(&self.path(location))? == Some(self.old) {
            fs::remove_file(&aside)?;
        }
        Ok(())
    }

    /// Where the replaced file or folder is, if it is not in place.
    ///
    /// # Errors
    /// Something is there that cannot be examined.
    pub fn replaced(&self, location: &Location) -> io::Result<Option<PathBuf>> {
        Ok(self.beside(location)?.filter(|(_, is_new)| !is_new).map(|(path, _)| path))
    }

    /// What has a name next to the unit that is reserved for it, and whether that is the prepared
    /// file or folder.
    ///
    /// # Errors
    /// Something is there that cannot be examined.
    pub fn beside(&self, location: &Location) -> io::Result<Option<(PathBuf, bool)>> {
        let (stage, aside) = (self.stage(location), self.aside(location));
        if !self.aside.is_empty()
            && let Some(there) = units::id(&aside)?
        {
            return Ok(Some((aside, there == self.new && self.new != (0, 0))));
        }
        // Version 0.1 left it under this name.
        let exchanged = self.kind == UnitKind::Folder
            && self.old != (0, 0)
            && units::id(&stage)? == Some(self.old);
        Ok(exchanged.then_some((stage, false)))
    }
}

/// Copies a file that has no name to `to`, and returns its size in bytes.
fn write_out(from: &File, to: &Path) -> io::Result<u64> {
    let len = from.metadata()?.len();
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(to)?;
    file.set_permissions(from.metadata()?.permissions())?;
    io::copy(&mut RangeReader::new(Handle::Kept(from), 0, len), &mut file)?;
    file.sync_all()?;
    Ok(len)
}
