//! Ids that nobody in the recording has.

use hashbrown::{HashMap, HashSet};

use super::RuleContext;
use crate::transcript::PartKind;

/// Makes new call ids in the target's manner.
pub(super) struct Fresh<'a> {
    case: &'a RuleContext<'a>,
    used: Option<HashSet<String>>,
    /// The number to try next, by the old id.
    next: HashMap<String, u64>,
}

impl<'a> Fresh<'a> {
    pub(super) fn new(case: &'a RuleContext<'a>) -> Fresh<'a> {
        Fresh {
            case,
            used: None,
            next: HashMap::new(),
        }
    }

    /// This id if nobody has it, else one like it.
    pub(super) fn like(&mut self, wanted: &str) -> String {
        if self.used().insert(wanted.to_owned()) {
            wanted.to_owned()
        } else {
            self.id(wanted, 2)
        }
    }

    fn used(&mut self) -> &mut HashSet<String> {
        let t = self.case.transcript;
        self.used.get_or_insert_with(|| {
            let parts = t
                .parts
                .iter()
                .filter(|part| matches!(part.kind, PartKind::Call | PartKind::Result));
            let ids = parts.flat_map(|part| [part.id, part.sent_id]).flatten();
            ids.map(|id| t.ids.get(id).to_owned()).collect()
        })
    }

    /// The id in the place of an old one, with the first number from `first` on that makes it new.
    pub(super) fn id(&mut self, old: &str, first: u64) -> String {
        let mut number = self.next.get(old).copied().unwrap_or(first);
        loop {
            let id = self.case.target.new_id(old, number);
            number += 1;
            if !id.is_empty() && self.used().insert(id.clone()) {
                self.next.insert(old.to_owned(), number);
                return id;
            }
        }
    }
}
