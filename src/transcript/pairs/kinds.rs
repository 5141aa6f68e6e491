//! Calls and results of several kinds: what may answer what.

use std::collections::BTreeSet;

use hashbrown::HashSet;

use super::PartId;
use super::conversation::Finder;
use crate::transcript::ids::Id;

/// Calls and results of several kinds.
pub(super) struct Kinds<'a> {
    /// Whether a result (second) may answer a call (first).
    pub fits: &'a dyn Fn(PartId, PartId) -> bool,
    /// Open calls before the current place.
    pub open: BTreeSet<PartId>,
    /// The ids that results have.
    pub named: HashSet<Id>,
}

/// Open calls that are looked at for one that fits.
const MOST_OPEN: usize = 16;

impl<'a> Kinds<'a> {
    pub(super) fn new(fits: &'a dyn Fn(PartId, PartId) -> bool) -> Kinds<'a> {
        Kinds {
            fits,
            open: BTreeSet::new(),
            named: HashSet::new(),
        }
    }
}

impl Finder<'_> {
    /// Of open calls with one id the newest that a result fits.
    pub(super) fn newest_fitting(&self, open: &[PartId], result: PartId) -> Option<PartId> {
        let kinds = self.kinds.as_ref()?;
        let free = |call: &PartId| !self.answered[*call] && (kinds.fits)(*call, result);
        open.iter().rev().take(MOST_OPEN).copied().find(free)
    }

    /// The one open call that a result may belong to which says nothing, or names none: one that no other result names.
    pub(super) fn only_fitting(&self, result: PartId) -> Option<PartId> {
        let kinds = self
            .kinds
            .as_ref()
            .filter(|kinds| kinds.open.len() <= MOST_OPEN)?;
        let nameless = self.real_id(result).is_none();
        let free = |call: &PartId| match self.real_id(*call) {
            Some(id) => nameless && !kinds.named.contains(&id),
            None => true,
        };
        let mut fitting = kinds
            .open
            .iter()
            .filter(|call| free(call) && (kinds.fits)(**call, result));
        fitting.next().copied().filter(|_| fitting.next().is_none())
    }
}
