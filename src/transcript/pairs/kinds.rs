//! Calls and results of several kinds: a result only answers a call of its kind.

use super::PartId;
use super::conversation::ConversationFinder;

/// At most this many open calls are searched for one that fits.
const MOST_OPEN: usize = 16;

impl ConversationFinder<'_> {
    /// The newest of several open calls with one ID that a result fits.
    pub(super) fn newest_fitting(&self, open: &[PartId], result: PartId) -> Option<PartId> {
        let kinds = self.kinds.as_ref()?;
        open.iter()
            .rev()
            .take(MOST_OPEN)
            .copied()
            .find(|call| !self.found.has_result(*call) && (kinds.fits)(*call, result))
    }

    /// The only open call that fits a result without an ID, or with an ID that no call has. Calls with the ID of another
    /// result do not count.
    pub(super) fn only_fitting(&self, result: PartId) -> Option<PartId> {
        let kinds = self.kinds.as_ref().filter(|kinds| kinds.open.len() <= MOST_OPEN)?;
        let has_no_id = self.real_id(result).is_none();
        let free = |call: &PartId| match self.real_id(*call) {
            Some(id) => has_no_id && kinds.named.binary_search(&id).is_err(),
            None => true,
        };
        let mut fitting =
            kinds.open.iter().filter(|call| free(call) && (kinds.fits)(**call, result));
        fitting.next().copied().filter(|_| fitting.next().is_none())
    }
}
