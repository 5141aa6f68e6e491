//! The repair that repaired what an error text is about.

use super::meant;
use crate::app::diff::opened;
use crate::app::{App, owner};
use crate::bytes::replace::Existing;
use crate::explain::error::Paste;
use crate::find::Found;
use crate::journal::{Journal, OperationHead};

/// The last repair of a transcript, if it repaired what the text is about: it leads to damage in what the journal has from before.
pub(super) fn by(
    app: &App<'_>,
    found: &Found,
    world: &owner::Once,
    paste: &Paste,
) -> Option<OperationHead> {
    let journal = Journal::standard()?;
    let entry = journal.latest_undoable(&found.path).ok()??;
    let past = journal.past(&entry).ok()?;
    let folder = tempfile::tempdir().ok()?;
    let copy = folder.path().join(found.path.file_name()?);
    past.export(&copy, Existing::Refused).ok()?;
    let before = opened(app, &copy, &found.path).ok()??;
    let mut is_mended = false;
    meant::each(app, &before, world, paste, true, &mut |meant| {
        is_mended |= meant.blame.is_none() && !meant.decoded.findings.is_empty();
    })
    .ok()?;
    is_mended.then_some(entry.head)
}
