//! Ids that nobody in the recording has.

use hashbrown::{HashMap, HashSet};

use super::Case;
use crate::transcript::PartKind;

/// Makes new call ids in the target's manner.
pub(super) struct Fresh<'a> {
    case: &'a Case<'a>,
    used: Option<HashSet<String>>,
    /// The number to try next, by the old id.
    next: HashMap<String, u64>,
}

impl<'a> Fresh<'a> {
    pub(super) fn new(case: &'a Case<'a>) -> Fresh<'a> {
        Fresh { case, used: None, next: HashMap::new() }
    }

    /// The id in the place of an old one, with the first number from `first` on that makes it new.
    pub(super) fn id(&mut self, old: &str, first: u64) -> String {
        let t = self.case.transcript;
        let used = self.used.get_or_insert_with(|| {
            let parts = t.parts.iter().filter(|part| matches!(part.kind, PartKind::Call | PartKind::Result));
            parts
                .flat_map(|part| [part.id, part.sent_id])
                .flatten()
                .map(|id| t.ids.get(id).to_owned())
                .collect()
        });
        let number = self.next.entry(old.to_owned()).or_insert(first);
        loop {
            let id = self.case.target.new_id(old, *number);
            *number += 1;
            if !id.is_empty() && used.insert(id.clone()) {
                return id;
            }
        }
    }
}
