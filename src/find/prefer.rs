//! Recordings without a sign of their format: the target that the user names decides.

use super::{Finds, Found, Located};
use crate::bytes::source::{Entries, EntryId, Shape};
use crate::formats::head::Head;
use crate::formats::{self, Claim, Format};
use crate::report::build::name_of;

impl Finds {
    /// Reads what shows no sign of any format as the format of this target, if there is one for such recordings.
    pub fn prefer(&mut self, target: &str) {
        let format =
            formats::ALL.iter().find(|format| format.habits.unsigned.is_some_and(|(own, _)| own == target));
        let Some((format, (_, recognise))) =
            format.and_then(|format| Some((*format, format.habits.unsigned?)))
        else {
            return;
        };
        let others = |located: &&mut Located| {
            located.claim.format.name != format.name && located.claim.format.step >= format.step
        };
        for located in self.found.iter_mut().filter(others) {
            // What cannot be opened now is told when it is to be checked.
            let Ok(found) = located.open() else { continue };
            if found.source.shape() == Shape::Folder || found.source.ids().len() != 1 {
                continue;
            }
            let name = name_of(&found.path);
            let Ok(head) = Head::of_file(&found.source, EntryId(0), &name) else { continue };
            let was = found.claim.conversations;
            let claim = match was.are_rows() {
                true => formats::each_row(&head, format, was.is_forced(), true),
                false => recognise(&head).map(|layout| Claim {
                    format,
                    layout,
                    conversations: formats::Conversations::One,
                }),
            };
            located.claim = claim.unwrap_or_else(|| found.claim.clone());
        }
    }
}

/// The target that makes a recording another format's, and that format: where nothing in it shows whose it is.
pub fn alternative(found: &Found) -> Option<(&'static str, &'static Format)> {
    let fits = |format: &&&'static Format| {
        found.claim.format.name != format.name && found.claim.format.step >= format.step
    };
    let mut unsigned =
        formats::ALL.iter().filter(fits).filter_map(|format| Some((*format, format.habits.unsigned?)));
    if found.source.shape() == Shape::Folder || found.source.ids().len() != 1 {
        return None;
    }
    let name = name_of(&found.path);
    let head = Head::of_file(&found.source, EntryId(0), &name).ok()?;
    let (format, (target, _)) = unsigned.find(|(_, (_, recognise))| recognise(&head).is_some())?;
    Some((target, format))
}
