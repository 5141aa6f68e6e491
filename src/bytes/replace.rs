//! Replaces files and folders so that at every moment the old or the new bytes are there, never a mix.
//!
//! [`stage`] prepares everything beside the originals and changes nothing; the bytes are then read and judged where they
//! lie ([`Staged::source`]); [`Staged::commit`] puts them in place, unit by unit. A **unit** is what one rename or
//! exchange replaces: a file, or the smallest folder that has all edited files. A second unit exists where a file outside
//! that folder changes too; for the moment between the two the journal's intent record tells what to do.

mod attributes;
mod beside;
mod change;
mod commit;
mod error;
mod export;
mod flush;
mod fresh;
mod plan;
mod stage;
mod tree;
mod units;

use std::ffi::OsStr;

pub use attributes::{Attributes, Extended};
pub(crate) use beside::nameless;
pub use change::{Change, Content, Place, changes};
pub use commit::Moved;
pub use error::ReplaceError;
pub use export::export;
pub use flush::sync_folder;
pub use fresh::{Who, fresh};
pub use stage::{Staged, stage};
pub use units::{FileState, Kind, Listing, Print, Side, State, Unit};

/// How the names of files end that are being prepared.
const FILE_SUFFIX: &str = ".transcript-doctor-tmp";
/// How the names of folders end that are being prepared.
const NEW_SUFFIX: &str = ".transcript-doctor-new";
/// How the names of old folders end, where two renames replace them.
const OLD_SUFFIX: &str = ".transcript-doctor-old";

/// Is this the name of a file that some run prepares, or that an interrupted one left? It is no part of a recording.
pub fn is_prepared(name: &OsStr) -> bool {
    name.to_str().and_then(beside::prepared_for).is_some()
}

#[cfg(test)]
mod tests;
