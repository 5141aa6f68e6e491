//! Changes to files, as opposed to entries.

use super::ReplaceError;
use super::attributes::{Attributes, ExtendedAttribute};
use crate::bytes::checksum::Checksum;
use crate::bytes::disk::Stamp;
use crate::bytes::overlay::Overlay;
use crate::bytes::packed::Codec;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, EntryId, Source, SourceShape, check_entry_name};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Where a transcript is stored: a file, or a folder of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Absolute and without symbolic links: a replacement goes to the file that a link points to.
    pub path: PathBuf,
    /// Whether this is a folder, whose entries are the files in it. A file is its own entry.
    pub folder: bool,
}

impl Location {
    /// # Errors
    /// The source is neither a file nor a folder, or its path cannot be resolved.
    pub fn of(source: &Source) -> Result<Self, ReplaceError> {
        let folder = match source.shape() {
            SourceShape::File => false,
            SourceShape::Folder => true,
            SourceShape::Archive | SourceShape::Database | SourceShape::Stream => {
                return Err(ReplaceError::Unsupported);
            }
        };
        let path = fs::canonicalize(source.path()).map_err(ReplaceError::at(source.path()))?;
        Ok(Self { path, folder })
    }

    /// The path of an entry.
    pub fn file(&self, name: &str) -> PathBuf {
        if self.folder && !name.is_empty() { self.path.join(name) } else { self.path.clone() }
    }
}

/// A change of one file.
pub(crate) struct FileChange<'a> {
    /// Entry name before the change; `None` for a new file.
    pub from: Option<String>,
    /// Entry name after the change; `None` if the file is removed.
    pub to: Option<String>,
    /// Content after the change.
    pub content: NewContent<'a>,
    /// Mode, owner and time to set; `None` keeps those of the old file, with the current time.
    pub attributes: Option<Attributes>,
    /// Extended attributes to set in addition to those of the old file.
    pub extended: &'a [ExtendedAttribute],
    /// The state of the old file that the change was planned on.
    pub baseline: PlannedState,
}

/// The state of a file that a change was planned on, as far as it is known. A file in any other
/// state is not replaced.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlannedState {
    /// Stamp of the file that was read.
    pub stamp: Option<Stamp>,
    /// Checksum of the bytes that were read.
    pub sha256: Option<Checksum>,
}

impl FileChange<'_> {
    /// Whether only the bytes change, not the name.
    pub(super) fn is_plain(&self) -> bool {
        self.from.is_some() && self.from == self.to
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        [self.from.as_deref(), self.to.as_deref()].into_iter().flatten()
    }
}

/// Where the bytes of a changed file come from.
#[derive(Copy, Clone)]
pub(crate) enum NewContent<'a> {
    /// Unchanged.
    Same,
    /// An entry, for example of an overlay.
    Entry(&'a dyn Entries, EntryId),
    /// An entry, to be compressed.
    Packed(&'a dyn Entries, EntryId, Codec),
    /// Another file.
    File(&'a Path),
}

/// The file changes that apply `patch` to `source`. `patched` is the overlay of the two.
///
/// # Errors
/// A name cannot be a file name, or two entries would have the same name.
pub(crate) fn changes<'a>(
    source: &Source,
    patch: &Patch,
    patched: &'a Overlay<'a>,
) -> Result<Vec<FileChange<'a>>, ReplaceError> {
    let mut seen = BTreeSet::new();
    for name in patched.ids().into_iter().map(|id| patched.name(id).to_string()) {
        if let Some(name) = seen.replace(name) {
            return Err(ReplaceError::Name(name));
        }
    }
    let mut list = Vec::new();
    for id in patch.changed_entries() {
        let to = (!patch.removes(id)).then(|| patched.name(id).to_string());
        let content = match source.packed() {
            _ if patch.bytes_of(id).is_empty() => NewContent::Same,
            Some(packed) => NewContent::Packed(patched, id, packed.codec),
            None => NewContent::Entry(patched, id),
        };
        let baseline = PlannedState { stamp: source.stamp(id).cloned(), sha256: None };
        let from = Some(source.name(id).to_string());
        list.push(FileChange { from, to, content, attributes: None, extended: &[], baseline });
    }
    for (name, _) in patch.created() {
        let id = patched.find(name).ok_or_else(|| ReplaceError::Name(name.clone()))?;
        list.push(FileChange {
            from: None,
            to: Some(name.clone()),
            content: NewContent::Entry(patched, id),
            attributes: None,
            extended: &[],
            baseline: PlannedState::default(),
        });
    }
    for name in
        list.iter().filter(|change| !change.is_plain()).filter_map(|change| change.to.as_ref())
    {
        check_entry_name(name).map_err(|_| ReplaceError::Name(name.clone()))?;
    }
    Ok(list)
}
