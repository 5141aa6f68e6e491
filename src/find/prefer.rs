//! Transcripts without a sign of their format, decided by the target that the user names.

use super::Finds;
use super::name_of;
use crate::bytes::source::EntryId;
use crate::detect;
use crate::format::head::Sample;

impl Finds {
    /// Reads transcripts without a sign of any format as the format of this target, if it has one.
    pub fn prefer(&mut self, target: &str) {
        for located in &mut self.found {
            let Some(other) = located.detection.other.filter(|other| other.target == target) else {
                continue;
            };
            // A file that cannot be opened now is reported when it is checked.
            let Ok(found) = located.open() else { continue };
            let name = name_of(&found.path);
            let Ok(head) = Sample::of_file(&found.source, EntryId(0), &name) else {
                continue;
            };
            let detection = detect::read_as(&head, other.format, found.detection.conversations);
            if let Some(detection) = detection {
                located.detection = detection;
            }
        }
    }
}
