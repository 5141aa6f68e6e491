//! Current clients continue from a record whose parent does not exist: with the record before it in time.

use super::ClaudeSession;
use super::ends::{BrokenParent, Goal};
use super::records::is_spoken;
use crate::formats::FormatContext;
use crate::transcript::EventId;

/// The longest time between the two, in microseconds.
const WIDEST: i64 = 5_000_000;
/// At most this many bookkeeping records between the two are skipped.
const MOST: usize = 64;

/// All records of the main conversation by time; empty if no parent is lost.
pub(super) struct Bridge {
    by_time: Vec<(i64, EventId)>,
}

impl Bridge {
    pub(super) fn of(context: &FormatContext<'_>, session: &ClaudeSession) -> Bridge {
        let t = context.transcript;
        let timed = |event: &EventId| Some((t.event(*event).time()?, *event));
        let mut by_time: Vec<(i64, EventId)> = Vec::new();
        if !session.recovered.broken.is_empty() {
            by_time.extend(session.tree.main.iter().filter_map(timed));
            by_time.sort_unstable();
        }
        Bridge { by_time }
    }

    /// Whether current clients continue from a broken record at the right place.
    pub(super) fn is_bridged(
        &self,
        context: &FormatContext<'_>,
        session: &ClaudeSession,
        broken: &BrokenParent,
    ) -> bool {
        let t = context.transcript;
        let (Goal::On(to), Some(time)) = (broken.to, t.event(broken.event).time()) else {
            return false;
        };
        let at = self
            .by_time
            .partition_point(|known| *known < (time, broken.event));
        let Some((before, mut above)) = at.checked_sub(1).map(|at| self.by_time[at]) else {
            return false;
        };
        if time.saturating_sub(before) > WIDEST {
            return false;
        }
        for _ in 0..MOST {
            if above == to || is_spoken(t, above) {
                break;
            }
            let Some(parent) = session.tree.bare[above] else {
                return false;
            };
            above = parent;
        }
        above == to
    }
}
