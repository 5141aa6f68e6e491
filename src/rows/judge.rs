//! Every conversation of a transcript, judged or planned one after the other.

use crate::bytes::edit::Edit;
use crate::bytes::patch::Patch;
use crate::bytes::source::Entries;
use crate::containers::{ReadError, Scanned};
use crate::engine::{self, CheckOptions, Judged};
use crate::formats::Detection;
use crate::repair::{self, Excess, Plan, Policy, Refused, Taken};

use super::Row;
use super::walk::{Spot, Walk, What};
use crate::bytes::window::Window;

/// Something in a transcript.
pub(crate) enum Seen<'a> {
    Conversation(Conversation<'a>),
    /// Lines of a file of rows that hold no conversation.
    Lines {
        /// The first of them.
        row: Row,
        what: What,
        /// Their bytes.
        window: &'a Window<'a>,
        judged: &'a Judged,
        /// What is done about them.
        taken: Vec<Taken>,
        patch: &'a Patch,
    },
    /// A row that holds no conversation.
    Skipped,
    /// A row that could not be looked at, and why.
    Missed(Row, String),
}

/// A conversation: all of a transcript, or one row of it.
pub(crate) struct Conversation<'a> {
    /// Which row it is, and where its bytes are; `None`: it is the whole transcript.
    pub row: Option<(&'a Row, Spot)>,
    /// Its bytes; places in what was found count from the first of them.
    pub entries: &'a dyn Entries,
    pub known: Known,
}

/// What is known of a conversation.
pub(crate) enum Known {
    Judged(Box<Judged>),
    Planned(Box<Plan>),
    /// Its repair would change too much, so it stays as it is.
    Refused(Box<Judged>, Excess),
}

impl Conversation<'_> {
    /// What was found.
    pub(crate) fn judged(&self) -> &Judged {
        match &self.known {
            Known::Judged(judged) | Known::Refused(judged, _) => judged,
            Known::Planned(plan) => &plan.before,
        }
    }

    /// What would be done about it, if that was asked and can be done.
    pub(crate) fn plan(&self) -> Option<&Plan> {
        match &self.known {
            Known::Planned(plan) => Some(plan),
            Known::Judged(_) | Known::Refused(..) => None,
        }
    }
}

/// Receives everything in a transcript, in its order.
pub(crate) type Each<'f> = &'f mut dyn FnMut(Seen<'_>);

/// Judges or plans one conversation, on any thread.
pub(super) type Work<'f> =
    &'f (dyn Fn(&dyn Entries, Option<Scanned<'_>>, &Detection) -> Result<Known, Refused> + Sync);

/// Judges every conversation. A row that cannot be read stops nothing.
///
/// # Errors
/// The bytes of the transcript cannot be read. Damage is not an error.
pub(crate) fn judge(
    entries: &dyn Entries,
    name: &str,
    claim: &Detection,
    ask: &CheckOptions,
    each: Each<'_>,
) -> Result<(), ReadError> {
    let work = |entries: &dyn Entries, scanned: Option<Scanned<'_>>, claim: &Detection| {
        let judged = engine::judge_scanned(entries, scanned, name, claim, ask)?;
        Ok(Known::Judged(Box::new(judged)))
    };
    match all(entries, claim, ask, &Policy::default(), &work, each) {
        Err(Refused::Read(error)) => Err(error),
        // Nothing else is refused where nothing is planned.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Plans the repair of every conversation: one patch of the transcript.
///
/// # Errors
/// The bytes of the transcript cannot be read, or the repair is refused as a whole: more would change than one program
/// damages. Then `each` has received every conversation nevertheless.
pub(crate) fn plan(
    entries: &dyn Entries,
    name: &str,
    claim: &Detection,
    ask: &CheckOptions,
    policy: &Policy,
    each: Each<'_>,
) -> Result<Patch, Refused> {
    let work = |entries: &dyn Entries, _: Option<Scanned<'_>>, claim: &Detection| {
        Ok(match repair::plan(entries, name, claim, ask, policy) {
            Ok(plan) => Known::Planned(Box::new(plan)),
            Err(Refused::Excess(excess)) => {
                let judged = engine::judge(entries, name, claim, ask)?;
                Known::Refused(Box::new(judged), excess)
            }
            Err(other) => return Err(other),
        })
    };
    let mut whole = None;
    let (mut changed, mut rows) = (0, 0);
    let edits = all(entries, claim, ask, policy, &work, &mut |seen| {
        if let Seen::Conversation(own) = &seen {
            match (&own.row, &own.known) {
                (None, Known::Refused(_, excess)) => whole = Some(excess.clone()),
                (None, _) => {}
                (Some(_), _) => {
                    rows += 1;
                    changed += usize::from(own.plan().is_some_and(|plan| plan.changes_records));
                }
            }
        }
        each(seen);
    })?;
    let insists = policy.with_unsafe && policy.format_named;
    let excess = || Excess::of_rows(claim.format, changed, rows).filter(|_| !insists);
    match whole.or_else(excess) {
        Some(excess) => Err(Refused::Excess(excess)),
        None => {
            Patch::new(edits).map_err(|_| Refused::Bug("the edits of two rows overlap".to_owned()))
        }
    }
}

/// Every conversation, in order. The answer: what the plans change in the transcript.
fn all(
    entries: &dyn Entries,
    claim: &Detection,
    ask: &CheckOptions,
    policy: &Policy,
    work: Work<'_>,
    each: Each<'_>,
) -> Result<Vec<Edit>, Refused> {
    if claim.conversations.are_rows() {
        let walk = Walk {
            claim,
            ask,
            policy,
            work,
        };
        return walk.all(entries, each);
    }
    let own = Conversation {
        row: None,
        entries,
        known: work(entries, None, claim)?,
    };
    let edits = own.plan().map(|plan| plan.patch.edits());
    each(Seen::Conversation(own));
    Ok(edits.unwrap_or_default())
}
