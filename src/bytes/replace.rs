//! Replaces files and folders so that at every moment either the old or the new bytes are there,
//! never a mix.
//!
//! [`stage()`] prepares everything next to the originals and changes nothing. The prepared bytes
//! are read and judged where they are ([`Staged::source`]). [`Staged::commit`] then puts them in
//! place, one unit at a time. A **unit** is what one rename or exchange replaces: a file, or the
//! smallest folder that contains all edited files. There is a second unit if a file outside that
//! folder changes as well; if a crash comes between the two, the intent record in the journal says
//! what to do.

mod attributes;
mod beside;
mod change;
mod commit;
mod error;
mod export;
mod flush;
mod fresh;
mod late_writes;
mod moment;
mod plan;
mod stage;
mod swap;
mod tree;
mod units;

use std::ffi::OsStr;

pub(crate) use attributes::ExtendedAttribute;
pub(crate) use beside::without_temp_name;
pub(crate) use change::{FileChange, Location, NewContent, PlannedState, changes};
pub(crate) use commit::CommitStep;
pub(crate) use error::ReplaceError;
pub(crate) use export::export;
pub(crate) use flush::sync_folder;
pub(crate) use fresh::{Existing, Readers, write_new_file};
pub use late_writes::LateWrites;
pub(crate) use late_writes::{FileSizes, missing_lines, new_files};
pub(crate) use stage::{Staged, stage};
pub(crate) use units::UnitState;
pub(crate) use units::{
    FileListing, FileState, Fingerprint, ReplaceUnit, UnitKind, Version, starts_with,
};

/// Suffix of a file that is being prepared.
const FILE_SUFFIX: &str = ".transcript-doctor-tmp";
/// Suffix of a folder that is being prepared.
const NEW_SUFFIX: &str = ".transcript-doctor-new";
/// Suffix of a replaced file or folder that a process may still write to.
const OLD_SUFFIX: &str = ".transcript-doctor-old";

/// Whether a run prepared the file of this name, or replaced and kept it. Such a file is not part
/// of a transcript.
pub(crate) fn is_prepared(name: &OsStr) -> bool {
    let is_named =
        |suffix| name.to_str().is_some_and(|name| beside::named_for(name, suffix).is_some());
    is_named(FILE_SUFFIX) || is_named(OLD_SUFFIX)
}

/// As [`is_prepared`], for folders too.
pub(crate) fn is_left_over(name: &OsStr) -> bool {
    let hidden = name.as_encoded_bytes().starts_with(b".");
    is_prepared(name)
        || (hidden
            && [NEW_SUFFIX, OLD_SUFFIX]
                .iter()
                .any(|suffix| name.as_encoded_bytes().ends_with(suffix.as_bytes())))
}

#[cfg(all(test, unix))]
pub(crate) use moment::{Moment, at_moments};

#[cfg(test)]
mod tests;
