//! Judges or plans every conversation of a transcript, in order.

use crate::bytes::edit::Edit;
use crate::bytes::patch::Patch;
use crate::bytes::source::Entries;
use crate::containers::{ReadError, Scanned};
use crate::detect::rows::FoundConversation;
use crate::engine::{self, CheckOptions, Judged, RuleSelection};
use crate::format::Detection;
use crate::repair::{self, Excess, Policy, Refused, RepairPlan, Taken};
use crate::transcript::Code;

use super::Row;
use super::habits::RowHabits;
use super::place::{LinesKind, RowPlace};
use super::walk::RowWalk;
use crate::bytes::window::Window;

/// What comes of one part of a transcript.
pub(crate) enum Examined<'a> {
    Conversation(OneConversation<'a>),
    /// Lines of a file of rows that contain no conversation.
    Lines {
        /// The first line.
        row: Row,
        kind: LinesKind,
        /// The bytes of the lines.
        window: &'a Window<'a>,
        judged: &'a Judged,
        /// The fixes that the policy admits for them.
        taken: Vec<Taken>,
        patch: &'a Patch,
    },
    /// A row without a conversation.
    Skipped,
    /// A row that could not be checked, and why.
    NotChecked(Row, String),
    /// A member of an archive cannot be read, whether it is a row or not: no copy can be written. Which, and why.
    UnreadableMember(String),
}

/// A conversation: all of a transcript, or one row of it.
pub(crate) struct OneConversation<'a> {
    /// The row and where its bytes are; `None` for the whole transcript.
    pub row: Option<(&'a Row, RowPlace)>,
    /// The bytes of the conversation. Offsets in findings start at its first byte.
    pub entries: &'a dyn Entries,
    pub checked: Checked,
}

/// A conversation after the engine has judged it and perhaps planned a repair.
pub(crate) enum Checked {
    Judged(Box<Judged>),
    Planned(Box<RepairPlan>),
    /// The repair would change too much, so the conversation stays as it is.
    Refused(Box<Judged>, Excess),
}

impl Checked {
    /// The state before any repair.
    pub(crate) fn judged(&self) -> &Judged {
        match self {
            Checked::Judged(judged) | Checked::Refused(judged, _) => judged,
            Checked::Planned(plan) => &plan.before,
        }
    }
}

impl Checked {
    /// Adds what only the whole file shows. No repair ends it.
    pub(super) fn add(&mut self, code: Code, message: String, selection: &RuleSelection) {
        match self {
            Checked::Judged(judged) | Checked::Refused(judged, _) => {
                judged.add(code, message, selection);
            }
            Checked::Planned(plan) => plan.add(code, message, selection),
        }
    }
}

impl OneConversation<'_> {
    /// The state before any repair.
    pub(crate) fn judged(&self) -> &Judged {
        self.checked.judged()
    }

    /// The plan of its repair, if one was made.
    pub(crate) fn plan(&self) -> Option<&RepairPlan> {
        match &self.checked {
            Checked::Planned(plan) => Some(plan),
            Checked::Judged(_) | Checked::Refused(..) => None,
        }
    }
}

/// Receives every part, in the order of the transcript.
pub(crate) type EachExamined<'f> = &'f mut dyn FnMut(Examined<'_>);

/// Judges or plans one conversation, on any thread.
pub(super) type ConversationWork<'f> = &'f (
        dyn Fn(
    &dyn Entries,
    Option<Scanned<'_>>,
    &Detection,
    &CheckOptions,
) -> Result<Checked, Refused>
            + Sync
    );

/// Judges every conversation. A row that cannot be read stops nothing.
///
/// # Errors
/// The bytes of the transcript cannot be read. Damage is not an error.
pub(crate) fn judge(
    entries: &dyn Entries,
    name: &str,
    detection: &Detection,
    options: &CheckOptions,
    each: EachExamined<'_>,
) -> Result<(), ReadError> {
    let work = judging(name);
    let source = (entries, name);
    judged(check_all(source, detection, options, &Policy::default(), &work, each).map(|_| ()))
}

/// Judges an entry that is one row, like [`judge`], given its line without the ending and the conversations in it.
///
/// # Errors
/// As [`judge`].
pub(crate) fn judge_scanned(
    entries: &dyn Entries,
    row: (Scanned<'_>, &[FoundConversation]),
    name: &str,
    detection: &Detection,
    options: &CheckOptions,
    each: EachExamined<'_>,
) -> Result<(), ReadError> {
    let walk = RowWalk {
        detection,
        options,
        policy: &Policy::default(),
        work: &judging(name),
        // The other rows are not known.
        habits: &RowHabits::new(None),
    };
    judged(walk.only(entries, row, each))
}

/// The work of judging.
fn judging(
    name: &str,
) -> impl Fn(&dyn Entries, Option<Scanned<'_>>, &Detection, &CheckOptions) -> Result<Checked, Refused>
+ Sync {
    let policy = Policy::default();
    move |entries, scanned, detection, options| {
        let judged = engine::judge_scanned(entries, scanned, name, detection, options)?;
        // What is called safe, a repair applies: the planner is asked, where there is anything to repair.
        if !repair::admits_any(&judged, &policy) {
            return Ok(Checked::Judged(Box::new(judged)));
        }
        let planned = checked(repair::plan_of(judged, entries, name, detection, options, &policy))?;
        match planned {
            // What was planned for a row is counted; here it would only fill memory.
            Checked::Planned(plan) if !detection.is_row => {
                Ok(Checked::Judged(Box::new(plan.before)))
            }
            planned => Ok(planned),
        }
    }
}

/// What comes of a plan.
fn checked(
    planned: Result<RepairPlan, (Refused, Option<Box<Judged>>)>,
) -> Result<Checked, Refused> {
    match planned {
        Ok(plan) => Ok(Checked::Planned(Box::new(plan))),
        Err((Refused::Excess(excess), Some(judged))) => Ok(Checked::Refused(judged, excess)),
        Err((other, _)) => Err(other),
    }
}

fn judged(done: Result<(), Refused>) -> Result<(), ReadError> {
    match done {
        Err(Refused::Read(error)) => Err(error),
        // Only planning can refuse for another reason.
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Plans the repair of every conversation: one patch of the transcript.
///
/// # Errors
/// The bytes of the transcript cannot be read, or the repair is refused as a whole, because it
/// would change more than one program damages. Even then, `each` has received every conversation.
pub(crate) fn plan(
    entries: &dyn Entries,
    name: &str,
    detection: &Detection,
    options: &CheckOptions,
    policy: &Policy,
    each: EachExamined<'_>,
) -> Result<Patch, Refused> {
    let work = |entries: &dyn Entries,
                _: Option<Scanned<'_>>,
                detection: &Detection,
                options: &CheckOptions| {
        let judged = engine::judge(entries, name, detection, options)?;
        checked(repair::plan_of(judged, entries, name, detection, options, policy))
    };
    let mut whole_excess = None;
    let (mut changed, mut rows) = (0, 0);
    let edits = check_all((entries, name), detection, options, policy, &work, &mut |examined| {
        if let Examined::Conversation(conversation) = &examined {
            match (&conversation.row, &conversation.checked) {
                (None, Checked::Refused(_, excess)) => whole_excess = Some(excess.clone()),
                (None, _) => {}
                (Some(_), _) => {
                    rows += 1;
                    changed +=
                        usize::from(conversation.plan().is_some_and(|plan| plan.changes_records));
                }
            }
        }
        each(examined);
    })?;
    // Only now, because each conversation is reported even if nothing may be written.
    if let Some(excess) = whole_excess {
        return Err(Refused::Excess(excess));
    }
    let is_forced = policy.with_unsafe && policy.format_named;
    if let Some(excess) = Excess::of_rows(detection.format, changed, rows).filter(|_| !is_forced) {
        return Err(Refused::Excess(excess));
    }
    Patch::new(edits).map_err(|_| Refused::Bug("the edits of two rows overlap".to_owned()))
}

/// Calls `work` for every conversation and passes the parts to `each`, in order. Returns the edits
/// of all plans.
fn check_all(
    (entries, name): (&dyn Entries, &str),
    detection: &Detection,
    options: &CheckOptions,
    policy: &Policy,
    work: ConversationWork<'_>,
    each: EachExamined<'_>,
) -> Result<Vec<Edit>, Refused> {
    if detection.conversations.are_rows() {
        let walk = RowWalk {
            detection,
            options,
            policy,
            work,
            habits: &RowHabits::new(Some((entries, name))),
        };
        let edits = walk.all(entries, each)?;
        let Err(why) = entries.check_members() else {
            return Ok(edits);
        };
        each(Examined::UnreadableMember(why.to_string()));
        return match edits[..] {
            [] => Ok(edits),
            _ => Err(Refused::UnreadableMember(why)),
        };
    }
    let conversation =
        OneConversation { row: None, entries, checked: work(entries, None, detection, options)? };
    let edits = conversation.plan().map(|plan| plan.patch.edits());
    each(Examined::Conversation(conversation));
    Ok(edits.unwrap_or_default())
}
