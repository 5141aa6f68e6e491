//! New call IDs that nothing else in the transcript has.

use hashbrown::{HashMap, HashSet};

use super::RuleContext;
use crate::transcript::PartKind;

/// How the IDs begin that calls without one get: they are a sign of no provider.
pub(crate) const MADE: &str = "call_td";

/// Makes new call IDs in the style of the target.
pub(super) struct NewIds<'a> {
    cx: &'a RuleContext<'a>,
    used: Option<HashSet<String>>,
    /// For each old ID, the number to try next.
    next: HashMap<String, u64>,
}

impl<'a> NewIds<'a> {
    pub(super) fn new(cx: &'a RuleContext<'a>) -> NewIds<'a> {
        NewIds { cx, used: None, next: HashMap::new() }
    }

    /// This ID if it is free, otherwise a similar one.
    pub(super) fn unique(&mut self, wanted: &str) -> String {
        if self.used().insert(wanted.to_owned()) {
            wanted.to_owned()
        } else {
            self.derive(wanted, 2)
        }
    }

    fn used(&mut self) -> &mut HashSet<String> {
        let t = self.cx.transcript;
        self.used.get_or_insert_with(|| {
            let parts = t
                .parts
                .iter()
                .filter(|part| matches!(part.kind, PartKind::Call | PartKind::Result));
            let ids = parts.flat_map(|part| [part.id, part.sent_id]).flatten();
            ids.map(|id| t.ids.get(id).to_owned()).collect()
        })
    }

    /// A new ID for an old one, with the first number from `first` on that makes it unique.
    pub(super) fn derive(&mut self, old: &str, first: u64) -> String {
        let mut number = self.next.get(old).copied().unwrap_or(first);
        loop {
            let id = self.cx.target.new_id(old, number);
            number += 1;
            if !id.is_empty() && self.used().insert(id.clone()) {
                self.next.insert(old.to_owned(), number);
                return id;
            }
        }
    }
}
