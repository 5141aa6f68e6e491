//! What shall be different, in files rather than in entries.

use super::ReplaceError;
use super::attributes::{Attributes, Extended};
use crate::bytes::checksum::Checksum;
use crate::bytes::disk::Stamp;
use crate::bytes::overlay::Overlay;
use crate::bytes::packed::Codec;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, EntryId, Shape, Source, stays_inside};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Where a recording is: a file, or a folder of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Absolute and without symbolic links: a link is written through to what it points to.
    pub path: PathBuf,
    /// A folder, whose entries are files below it; else a file, which is its own entry.
    pub folder: bool,
}

impl Place {
    /// The place of a source.
    ///
    /// # Errors
    /// It is neither a file nor a folder, or its path cannot be followed.
    pub fn of(source: &Source) -> Result<Self, ReplaceError> {
        let folder = match source.shape() {
            Shape::File => false,
            Shape::Folder => true,
            Shape::Archive | Shape::Stream => return Err(ReplaceError::Unsupported),
        };
        let path = fs::canonicalize(source.path()).map_err(ReplaceError::at(source.path()))?;
        Ok(Self { path, folder })
    }

    /// The path of an entry.
    pub fn file(&self, name: &str) -> PathBuf {
        if self.folder && !name.is_empty() {
            self.path.join(name)
        } else {
            self.path.clone()
        }
    }
}

/// One file that shall be different.
pub(crate) struct Change<'a> {
    /// Its entry name now; none: it is new.
    pub from: Option<String>,
    /// Its entry name afterwards; none: it goes.
    pub to: Option<String>,
    /// Its bytes afterwards.
    pub content: Content<'a>,
    /// Mode, owner and time that it shall have; else those of the old file and the current time.
    pub attributes: Option<Attributes>,
    /// Extended attributes that it shall have beside those of the old file.
    pub extended: &'a [Extended],
    /// What the old file was when the change was planned.
    pub basis: Basis,
}

/// What a file was when its change was planned, as far as that is known. A file that is anything else is not replaced.
#[derive(Clone, Debug, Default)]
pub(crate) struct Basis {
    /// Size, time and inode of the file that was read.
    pub stamp: Option<Stamp>,
    /// SHA-256 of the bytes that were read.
    pub sha256: Option<Checksum>,
}

impl Change<'_> {
    /// Do only its bytes change?
    pub(super) fn is_plain(&self) -> bool {
        self.from.is_some() && self.from == self.to
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        [self.from.as_deref(), self.to.as_deref()]
            .into_iter()
            .flatten()
    }
}

/// Where the bytes of a changed file come from.
#[derive(Copy, Clone)]
pub(crate) enum Content<'a> {
    /// They stay as they are.
    Same,
    /// An entry, for instance of an overlay.
    Entry(&'a dyn Entries, EntryId),
    /// The same, compressed.
    Packed(&'a dyn Entries, EntryId, Codec),
    /// A file elsewhere.
    File(&'a Path),
}

/// The changes that make the files of `source` what `patch` makes of its entries. `patched` is the overlay of the two.
///
/// # Errors
/// A name that cannot be a file name, or that two entries would have.
pub(crate) fn changes<'a>(
    source: &Source,
    patch: &Patch,
    patched: &'a Overlay<'a>,
) -> Result<Vec<Change<'a>>, ReplaceError> {
    let mut seen = BTreeSet::new();
    for name in patched
        .ids()
        .into_iter()
        .map(|id| patched.name(id).to_string())
    {
        if let Some(name) = seen.replace(name) {
            return Err(ReplaceError::Name(name));
        }
    }
    let mut list = Vec::new();
    for id in patch.changed_entries() {
        let to = (!patch.removes(id)).then(|| patched.name(id).to_string());
        let content = match source.packed() {
            _ if patch.bytes_of(id).is_empty() => Content::Same,
            Some(packed) => Content::Packed(patched, id, packed.codec),
            None => Content::Entry(patched, id),
        };
        let basis = Basis {
            stamp: source.stamp(id).cloned(),
            sha256: None,
        };
        let from = Some(source.name(id).to_string());
        list.push(Change {
            from,
            to,
            content,
            attributes: None,
            extended: &[],
            basis,
        });
    }
    for (name, _) in patch.created() {
        let id = patched
            .find(name)
            .ok_or_else(|| ReplaceError::Name(name.clone()))?;
        list.push(Change {
            from: None,
            to: Some(name.clone()),
            content: Content::Entry(patched, id),
            attributes: None,
            extended: &[],
            basis: Basis::default(),
        });
    }
    for name in list
        .iter()
        .filter(|change| !change.is_plain())
        .filter_map(|change| change.to.as_ref())
    {
        stays_inside(name).map_err(|_| ReplaceError::Name(name.clone()))?;
    }
    Ok(list)
}
