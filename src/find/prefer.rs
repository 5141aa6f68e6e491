//! Recordings without a sign of their format: the target that the user names decides.

use super::Finds;
use super::name_of;
use crate::bytes::source::EntryId;
use crate::formats;
use crate::formats::head::Sample;

impl Finds {
    /// Reads what shows no sign of any format as the format of this target, if there is one for such recordings.
    pub fn prefer(&mut self, target: &str) {
        for located in &mut self.found {
            let Some(other) = located.claim.other.filter(|other| other.target == target) else {
                continue;
            };
            // What cannot be opened now is told when it is to be checked.
            let Ok(found) = located.open() else { continue };
            let name = name_of(&found.path);
            let Ok(head) = Sample::of_file(&found.source, EntryId(0), &name) else {
                continue;
            };
            let was = found.claim.conversations;
            let claim = match was.are_rows() {
                true => formats::each_row(&head, other.format, was.is_forced(), true),
                false => formats::unsigned(&head, other.format),
            };
            if let Some(claim) = claim {
                located.claim = claim;
            }
        }
    }
}
