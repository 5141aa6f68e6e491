//! Several records on one line. Current clients read the first of them (run: 2.1.150 and 2.1.332).

use hashbrown::HashMap;

use super::bridge::Bridge;
use super::paths::hinted;
use super::records::is_spoken;
use super::{ClaudeSession, own};
use crate::format::{Client, FormatContext};
use crate::shapes::glued::{self, GluedLine};
use crate::transcript::EventId;
use crate::transcript::request::{Cut, Sent};

/// The first records of lines of which the client sends everything although it does not read the others.
pub(super) fn unharmed(context: &FormatContext<'_>, session: &ClaudeSession) -> Vec<EventId> {
    let mut lines = glued::lines(context.transcript);
    if context.client != Client::Current || lines.is_empty() {
        return Vec::new();
    }
    let bridge = Bridge::between_all(context, session);
    lines.retain(|line| is_unharmed(context, session, &bridge, line));
    lines.into_iter().map(|line| line.first).collect()
}

/// Where the request begins if the client does not find what is before the unread records of a line. Where current clients do
/// not, older ones do not either, which read less of such a line.
pub(super) fn cut(
    context: &FormatContext<'_>,
    session: &ClaudeSession,
    order: &[Sent],
) -> Option<Cut> {
    let lines = glued::lines(context.transcript);
    if lines.is_empty() {
        return None;
    }
    let mut unread: Vec<EventId> = lines.into_iter().flat_map(|line| line.rest).collect();
    unread.sort_unstable();
    let is_unread = |event: &EventId| unread.binary_search(event).is_ok();
    let path = session.current.records.as_slice();
    // The read records after unread ones, by these.
    let pairs = path.iter().zip(path.iter().skip(1));
    let after: HashMap<EventId, EventId> = pairs
        .filter(|(event, next)| is_unread(event) && !is_unread(next))
        .map(|(event, next)| (*event, *next))
        .collect();
    let bridge = Bridge::between_all(context, session);
    let is_lost = |event: EventId| {
        let next = after.get(&event);
        next.is_some_and(|next| !bridge.continues(context, *next, &unread))
    };
    glued::cut(context.transcript, (path, order), is_lost)
}

fn is_unharmed(
    context: &FormatContext<'_>,
    session: &ClaudeSession,
    bridge: &Bridge,
    line: &GluedLine,
) -> bool {
    let t = context.transcript;
    let path = &session.current;
    let unread = |event: &EventId| line.rest.contains(event);
    let changes = [own::RESTARTS, own::STRIPS, own::QUEUED];
    if line
        .rest
        .iter()
        .any(|event| is_spoken(t, *event) || changes.iter().any(|fact| t.has(*event, *fact)))
    {
        return false;
    }
    // Without the last pointer the one before it counts, or else the last record of the file.
    if path.hint.as_ref().is_some_and(unread) {
        let pointers = t.records().rev().filter(|event| !unread(event));
        let mut named = pointers.filter_map(|event| hinted(t, &session.tree, event));
        let leads_here = match named.next() {
            Some(event) => path.has(event),
            None => session.tree.main.last().copied() == path.end(),
        };
        if !leads_here {
            return false;
        }
    }
    // The end may not be read, but what comes after a record that is not must find the one before it.
    path.records.windows(2).all(|pair| {
        let [above, event] = *pair else { return true };
        if !unread(&above) || unread(&event) {
            return true;
        }
        let at = path.records.iter().position(|record| *record == above);
        let before = at.and_then(|at| path.records[..at].iter().rev().find(|event| !unread(event)));
        before.is_some_and(|to| bridge.leads(context, session, (event, *to), &line.rest))
    })
}
