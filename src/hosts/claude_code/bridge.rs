//! Current clients continue from a record whose parent does not exist, or is in a loop with it: with the record before it in
//! time. They do not from one that names no parent (run: 2.1.332).

use super::ClaudeSession;
use super::ends::{BrokenParent, Goal};
use super::records::is_spoken;
use crate::format::FormatContext;
use crate::transcript::{EventId, LinkKind};

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
        if session.recovered.broken.is_empty() {
            Bridge { by_time: Vec::new() }
        } else {
            Bridge::between_all(context, session)
        }
    }

    /// The same, also if no parent is lost.
    pub(super) fn between_all(context: &FormatContext<'_>, session: &ClaudeSession) -> Bridge {
        let t = context.transcript;
        let mut by_time: Vec<(i64, EventId)> = session
            .tree
            .main
            .iter()
            .filter_map(|event| Some((t.event(*event).time()?, *event)))
            .collect();
        by_time.sort_unstable();
        Bridge { by_time }
    }

    /// Whether current clients continue from a broken record at the right place.
    pub(super) fn is_bridged(
        &self,
        context: &FormatContext<'_>,
        session: &ClaudeSession,
        broken: &BrokenParent,
    ) -> bool {
        match broken.to {
            Goal::On(to) if names_parent(context, broken.event) => {
                self.leads(context, session, (broken.event, to), &[])
            }
            // All records of the loop are above the last one.
            Goal::Root => broken.is_loop,
            _ => false,
        }
    }

    /// Whether current clients continue from a record whose parent they do not find, wherever.
    pub(super) fn continues(
        &self,
        context: &FormatContext<'_>,
        event: EventId,
        unread: &[EventId],
    ) -> bool {
        names_parent(context, event) && self.before(context, event, unread).is_some()
    }

    /// Whether they continue from a record with this other one. `unread`: records that they do not see.
    pub(super) fn leads(
        &self,
        context: &FormatContext<'_>,
        session: &ClaudeSession,
        (event, to): (EventId, EventId),
        unread: &[EventId],
    ) -> bool {
        let t = context.transcript;
        let Some(mut above) = self.before(context, event, unread) else {
            return false;
        };
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

    /// The record before another one in time, if it is near enough.
    fn before(
        &self,
        context: &FormatContext<'_>,
        event: EventId,
        unread: &[EventId],
    ) -> Option<EventId> {
        let time = context.transcript.event(event).time()?;
        let at = self.by_time.partition_point(|known| *known < (time, event));
        let mut earlier = self.by_time[..at].iter().rev();
        let (before, record) = earlier.find(|(_, record)| !unread.contains(record))?;
        (time.saturating_sub(*before) <= WIDEST).then_some(*record)
    }
}

fn names_parent(context: &FormatContext<'_>, event: EventId) -> bool {
    context.transcript.link_of(event, LinkKind::Parent).is_some()
}
