//! Replaces files and folders so that at every moment the old or the new bytes are there, never a mix.
//!
//! [`stage()`] prepares everything beside the originals and changes nothing; the bytes are then read and judged where they
//! lie ([`Staged::source`]); [`Staged::commit`] puts them in place, unit by unit. A **unit** is what one rename or
//! exchange replaces: a file, or the smallest folder that has all edited files. A second unit exists where a file outside
//! that folder changes too; for the moment between the two the journal's intent record tells what to do.

mod attributes;
mod beside;
mod came;
mod change;
mod commit;
mod error;
mod export;
mod flush;
mod fresh;
mod moment;
mod plan;
mod stage;
mod swap;
mod tree;
mod units;

use std::ffi::OsStr;

pub(crate) use attributes::Extended;
pub(crate) use beside::nameless;
pub use came::Came;
pub(crate) use came::{Names, missing, new_files};
pub(crate) use change::{Basis, Change, Content, Place, changes};
pub(crate) use commit::Moved;
pub(crate) use error::ReplaceError;
pub(crate) use export::export;
pub(crate) use flush::sync_folder;
pub(crate) use fresh::{Who, fresh};
pub(crate) use stage::{Staged, stage};
pub(crate) use units::State;
pub(crate) use units::{FileState, Kind, Listing, Print, Side, Unit, begins};

/// How the names of files end that are being prepared.
const FILE_SUFFIX: &str = ".transcript-doctor-tmp";
/// How the names of folders end that are being prepared.
const NEW_SUFFIX: &str = ".transcript-doctor-new";
/// How the names of old files and folders end that were replaced and may still be written to.
const OLD_SUFFIX: &str = ".transcript-doctor-old";

/// Is this the name of what some run prepares, or replaced and keeps? It is not part of a recording.
pub(crate) fn is_prepared(name: &OsStr) -> bool {
    let is_named = |suffix| {
        name.to_str()
            .is_some_and(|name| beside::named_for(name, suffix).is_some())
    };
    is_named(FILE_SUFFIX) || is_named(OLD_SUFFIX)
}

/// As [`is_prepared`], or of a folder.
pub(crate) fn is_left_over(name: &OsStr) -> bool {
    let ours = |suffix: &&str| name.as_encoded_bytes().ends_with(suffix.as_bytes());
    let hidden = name.as_encoded_bytes().starts_with(b".");
    is_prepared(name) || (hidden && [NEW_SUFFIX, OLD_SUFFIX].iter().any(ours))
}

#[cfg(test)]
pub(crate) use moment::{Moment, at_moments};

#[cfg(test)]
mod tests;
