//! Prepared bytes put in place, and back.

use super::ReplaceError;
use super::came::{self, Came, Names};
use super::change::Place;
use super::flush;
use super::moment::{Moment, reached};
use super::stage::{Before, Part, Staged};
use super::swap::{self, Means, exchange_by, rename, swap_back};
use super::tree;
use super::units::{self, FileState, Kind, Unit};
use crate::bytes::disk::{self, Handle, Window};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// How often what came while lines were carried over is looked at once more.
const LOOKS: u32 = 20;

/// How far a unit got.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Moved {
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
    /// The system refused. ([`Unit::state`] tells what is where.)
    pub(crate) fn commit(&mut self, at: usize) -> Result<Moved, ReplaceError> {
        let Some(part) = self.parts.get_mut(at) else {
            return Ok(Moved::Placed);
        };
        let (path, stage, aside) = (
            part.unit.path(&self.place),
            part.unit.stage(&self.place),
            part.unit.aside(&self.place),
        );
        let failed = || ReplaceError::at(&path);
        reached(Moment::BeforeSwap);
        match part.unit.kind {
            Kind::File => {
                swap::swap(&mut part.means, &stage, &path, &aside).map_err(failed())?;
                part.locks.clear();
            }
            Kind::Folder if part.means == Means::Exchange => {
                match exchange_by(&stage, &path, &aside) {
                    Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                        part.means = Means::Rename;
                        return self.commit(at);
                    }
                    done => done.map_err(failed())?,
                }
            }
            Kind::Folder if units::id(&path).map_err(failed())?.is_some() => {
                rename(&path, &aside).map_err(failed())?;
                flush::sync_beside(&path).map_err(failed())?;
                return Ok(Moved::Away);
            }
            Kind::Folder => rename(&stage, &path).map_err(failed())?,
        }
        part.placed = true;
        reached(Moment::AfterSwap);
        flush::sync_beside(&path).map_err(failed())?;
        Ok(Moved::Placed)
    }

    /// What came to the old bytes of unit number `at` since its new ones were prepared, or since the last look.
    ///
    /// # Errors
    /// They cannot be read.
    pub(crate) fn came(&self, at: usize) -> Result<Came, ReplaceError> {
        let Some(part) = self.parts.get(at) else {
            return Ok(Came::Nothing);
        };
        let aside = part.unit.aside(&self.place);
        let named = part.means != Means::Rename || part.unit.kind == Kind::Folder;
        if named && units::id(&aside).map_err(ReplaceError::at(&aside))? != Some(part.unit.old) {
            return Ok(Came::Other);
        }
        match (&part.before, &part.old, part.unit.before(&self.files)) {
            (Before::Folder(tree), ..) => came::files(&aside, tree),
            (Before::File(_), Some(file), Some(print)) => {
                came::lines(file, (print.sha256, print.size), part.seen)
                    .map_err(ReplaceError::at(&aside))
            }
            _ => Ok(Came::Nothing),
        }
    }

    /// Adds what came to the old bytes of unit number `at` to the new ones, behind what others added there.
    ///
    /// # Errors
    /// It cannot be added, or not there.
    pub(crate) fn carry(&mut self, at: usize, came: &Came) -> Result<(), ReplaceError> {
        let Some(part) = self.parts.get_mut(at) else {
            return Ok(());
        };
        let (path, aside) = (part.unit.path(&self.place), part.unit.aside(&self.place));
        reached(Moment::BeforeCarry);
        match came {
            Came::Nothing => Ok(()),
            Came::Lines(lines) => {
                came::append(&path, part.unit.new, lines)?;
                part.seen = part.seen.saturating_add(lines.len() as u64);
                Ok(())
            }
            Came::Files(files) => match came::move_files(&aside, &path, files) {
                Ok(false) => Ok(()),
                Ok(true) => Err(ReplaceError::Grew(path)),
                Err(error) => Err(ReplaceError::at(&path)(error)),
            },
            Came::Other => Err(ReplaceError::Changed(path)),
        }
    }

    /// Puts the old bytes of all units in their places again, with what was added to the new ones meanwhile. What was
    /// prepared is then where the old bytes were.
    ///
    /// # Errors
    /// Somebody put something else there, or the system refused: then some of the new bytes may still be in place.
    pub(crate) fn back(&mut self) -> Result<(), ReplaceError> {
        for part in self.parts.iter_mut().rev() {
            let path = part.unit.path(&self.place);
            if part.placed {
                part.back(&self.place, &self.files)?;
            } else if part.unit.kind == Kind::Folder
                && units::id(&path).map_err(ReplaceError::at(&path))?.is_none()
            {
                rename(&part.unit.aside(&self.place), &path).map_err(ReplaceError::at(&path))?;
            }
            part.placed = false;
        }
        Ok(())
    }

    /// Reads the changed files in their places: are they what was prepared? Lines may have come behind them.
    ///
    /// # Errors
    /// [`ReplaceError::Changed`] if not (it *was* written, and somebody wrote behind it), or they cannot be read.
    pub(crate) fn check(&self) -> Result<(), ReplaceError> {
        for part in &self.parts {
            let path = part.unit.path(&self.place);
            let holds = match part.unit.after(&self.files) {
                Some(after) => units::begins(&path, &after),
                None => part.unit.holds(&self.files, &path, units::Side::New),
            };
            if !holds.map_err(ReplaceError::at(&path))? {
                return Err(ReplaceError::Changed(path));
            }
        }
        Ok(())
    }
}

impl Part {
    fn back(&mut self, place: &Place, files: &[FileState]) -> Result<(), ReplaceError> {
        let (path, aside) = (self.unit.path(place), self.unit.aside(place));
        let nameless = self
            .old
            .as_ref()
            .filter(|_| self.means == Means::Rename && self.unit.kind == Kind::File);
        // Its bytes get a name again; who has it open goes on writing to what has none.
        let copied = nameless
            .map(|old| write_out(old, &aside))
            .transpose()
            .map_err(ReplaceError::at(&aside))?;
        self.unit.back(place, files, self.known.as_ref())?;
        if let (Some(old), Some(copied), Some(was)) = (nameless, copied, self.unit.before(files))
            && let Came::Lines(lines) =
                came::lines(old, (was.sha256, was.size), copied).map_err(ReplaceError::at(&path))?
        {
            let there = units::id(&path)
                .map_err(ReplaceError::at(&path))?
                .unwrap_or_default();
            came::append(&path, there, &lines)?;
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
        if self.aside.is_empty() || units::id(&path)?.is_none() {
            rename(&stage, &path)?;
            return flush::sync_beside(&path);
        }
        if self.new != (0, 0) && units::id(&aside)? == Some(self.new) {
            rename(&aside, &stage)?;
        }
        match self.kind {
            Kind::File => swap::swap(&mut Means::Exchange, &stage, &path, &aside)?,
            Kind::Folder => match exchange_by(&stage, &path, &aside) {
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                    rename(&path, &aside)?;
                    rename(&stage, &path)?;
                }
                done => done?,
            },
        }
        flush::sync_beside(&path)
    }

    /// Puts the old file or folder in its place again, with what was added to the new one meanwhile; says `false` if it is not
    /// there any more. `known`: what was in the new folder when it was prepared.
    ///
    /// # Errors
    /// Somebody put something else in the place, or the system refused.
    pub fn back(
        &self,
        place: &Place,
        files: &[FileState],
        known: Option<&Names>,
    ) -> Result<bool, ReplaceError> {
        let (path, stage, aside) = (self.path(place), self.stage(place), self.aside(place));
        let failed = || ReplaceError::at(&path);
        let Some(old) = self.replaced(place).map_err(failed())? else {
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
            // Somebody replaced the new one in the last moment: what they wrote stays.
            swap_back(self.kind, &aside, &path, &stage).map_err(failed())?;
            return Err(ReplaceError::Changed(path));
        }
        self.rejoin(place, files, known)?;
        flush::sync_beside(&path).map_err(failed())?;
        Ok(true)
    }

    /// Adds to the old file or folder, which is in its place again, what came to the new one while that was there.
    ///
    /// # Errors
    /// It cannot be added; it is not lost, the new one is kept.
    pub fn rejoin(
        &self,
        place: &Place,
        files: &[FileState],
        known: Option<&Names>,
    ) -> Result<(), ReplaceError> {
        let (path, aside) = (self.path(place), self.aside(place));
        let failed = || ReplaceError::at(&aside);
        if units::id(&aside).map_err(failed())? != Some(self.new) {
            return Ok(());
        }
        let (Kind::File, Some(before), Some(after)) =
            (self.kind, self.before(files), self.after(files))
        else {
            let Some(known) = known else { return Ok(()) };
            let new: Vec<PathBuf> = tree::walk(&aside)?
                .into_keys()
                .filter(|path| !known.contains_key(path))
                .collect();
            return came::move_files(&aside, &path, &new)
                .map(|_| ())
                .map_err(failed());
        };
        let (new, _) = disk::open_regular(&aside).map_err(failed())?;
        let mut seen = after.size;
        for _ in 0..LOOKS {
            match came::lines(&new, (after.sha256, after.size), seen).map_err(failed())? {
                Came::Lines(lines) => {
                    let (old, stamp) = disk::open_regular(&path).map_err(failed())?;
                    let mut own =
                        Window::new(Handle::Kept(&old), before.size.min(stamp.len), stamp.len);
                    let lacking = came::missing(&mut &lines[..], &mut own).map_err(failed())?;
                    if !lacking.is_empty() {
                        came::append(&path, stamp.place, &lacking)?;
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
    /// It is there and cannot be removed.
    pub fn discard(&self, place: &Place) -> io::Result<()> {
        let (stage, aside) = (self.stage(place), self.aside(place));
        if units::id(&stage)? == Some(self.new) {
            match self.kind {
                Kind::File => fs::remove_file(&stage)?,
                Kind::Folder => fs::remove_dir_all(&stage)?,
            }
        }
        // A second name that the old file got and does not need any more.
        let linked = !self.aside.is_empty()
            && self.kind == Kind::File
            && units::id(&aside)? == Some(self.old);
        if linked && units::id(&self.path(place))? == Some(self.old) {
            fs::remove_file(&aside)?;
        }
        Ok(())
    }

    /// Where the file or folder is that was replaced, if not in its place.
    ///
    /// # Errors
    /// Something is there that cannot be looked at.
    pub fn replaced(&self, place: &Place) -> io::Result<Option<PathBuf>> {
        Ok(self
            .beside(place)?
            .filter(|(_, is_new)| !is_new)
            .map(|(path, _)| path))
    }

    /// What is beside the place under a name that nothing else has, and whether it is what was prepared for it.
    ///
    /// # Errors
    /// Something is there that cannot be looked at.
    pub fn beside(&self, place: &Place) -> io::Result<Option<(PathBuf, bool)>> {
        let (stage, aside) = (self.stage(place), self.aside(place));
        if !self.aside.is_empty()
            && let Some(there) = units::id(&aside)?
        {
            return Ok(Some((aside, there == self.new && self.new != (0, 0))));
        }
        // So it was left by version 0.1.
        let exchanged =
            self.kind == Kind::Folder && self.old != (0, 0) && units::id(&stage)? == Some(self.old);
        Ok(exchanged.then_some((stage, false)))
    }
}

/// Copies a file that has no name, and says how many bytes that were.
fn write_out(from: &File, to: &Path) -> io::Result<u64> {
    let len = from.metadata()?.len();
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(to)?;
    file.set_permissions(from.metadata()?.permissions())?;
    io::copy(&mut Window::new(Handle::Kept(from), 0, len), &mut file)?;
    file.sync_all()?;
    Ok(len)
}
