//! Every row judged, one after the other.

use crate::bytes::patch::Patch;
use crate::bytes::source::Entries;
use crate::containers::ReadError;
use crate::engine::{self, CheckOptions, Judged};
use crate::formats::Detection;
use crate::repair::{Excess, Plan, Policy, Refused, Taken};

use super::Row;
use super::walk::{Spot, Step, Walk, What};
use super::window::Window;

/// What was seen of a recording's rows.
pub(crate) enum Seen<'a> {
    /// A conversation.
    Row {
        /// Which one.
        row: &'a Row,
        /// Where its bytes are.
        at: Spot,
        /// Its bytes; the places in what was found count from their first.
        window: &'a Window<'a>,
        /// What was found.
        judged: &'a Judged,
        /// What would be done about it, if that was asked.
        plan: Option<&'a Plan>,
    },
    /// Lines that hold no conversation.
    Lines {
        /// The first of them.
        row: &'a Row,
        /// What they are.
        what: What,
        /// Their bytes.
        window: &'a Window<'a>,
        /// What was found.
        judged: &'a Judged,
        /// What is done about them.
        taken: Vec<Taken>,
        /// How.
        patch: &'a Patch,
    },
    /// A row that holds no conversation.
    Skipped,
    /// A row that could not be looked at, and why.
    Missed(Row, String),
}

/// What becomes of all that is seen.
pub(crate) type Each<'f> = &'f mut dyn FnMut(Seen<'_>);

/// Judges every row of a recording, and hands it on. A row that cannot be read stops nothing.
///
/// # Errors
/// The recording's bytes cannot be had. Damage is not an error.
pub(crate) fn judge(
    entries: &dyn Entries,
    name: &str,
    claim: &Detection,
    ask: &CheckOptions,
    each: Each<'_>,
) -> Result<(), ReadError> {
    let policy = Policy::default();
    let walk = Walk::of(claim, ask, &policy);
    let done = walk.all(entries, &claim.layout, &mut |step| {
        let step = match step {
            Step::Row {
                row,
                at,
                window,
                claim,
            } => {
                let judged = engine::judge(window, name, claim, ask)?;
                each(Seen::Row {
                    row,
                    at,
                    window,
                    judged: &judged,
                    plan: None,
                });
                return Ok(Vec::new());
            }
            other => other,
        };
        others(step, each);
        Ok(Vec::new())
    });
    done.map(|_| ())
}

/// Works out what would be done to every row: one patch of the recording.
///
/// # Errors
/// The recording's bytes cannot be had, or the repair is refused as a whole: more rows would change than one program
/// damages.
pub(crate) fn plan(
    entries: &dyn Entries,
    name: &str,
    claim: &Detection,
    ask: &CheckOptions,
    policy: &Policy,
    each: Each<'_>,
) -> Result<Patch, Refused> {
    let walk = Walk::of(claim, ask, policy);
    let mut refused = None;
    let (mut changed, mut all) = (0, 0);
    let edits = walk.all(entries, &claim.layout, &mut |step| {
        let step = match step {
            Step::Row {
                row,
                at,
                window,
                claim,
            } => {
                all += 1;
                match crate::repair::plan(window, name, claim, ask, policy) {
                    Ok(plan) => {
                        changed += usize::from(plan.changes_records);
                        each(Seen::Row {
                            row,
                            at,
                            window,
                            judged: &plan.before,
                            plan: Some(&plan),
                        });
                        return Ok(plan.patch.edits());
                    }
                    Err(Refused::Read(error)) => return Err(error),
                    // The row stays as it is, and the others are repaired.
                    Err(Refused::Excess(_)) => {
                        let judged = crate::engine::judge(window, name, claim, ask)?;
                        each(Seen::Row {
                            row,
                            at,
                            window,
                            judged: &judged,
                            plan: None,
                        });
                        return Ok(Vec::new());
                    }
                    Err(other) => {
                        refused.get_or_insert(other);
                        return Ok(Vec::new());
                    }
                }
            }
            other => other,
        };
        others(step, each);
        Ok(Vec::new())
    })?;
    let insists = policy.with_unsafe && policy.format_named;
    let excess = Excess::of_rows(claim.format, changed, all).filter(|_| !insists);
    match refused.or(excess.map(Refused::Excess)) {
        Some(refused) => Err(refused),
        None => {
            Patch::new(edits).map_err(|_| Refused::Bug("the edits of two rows overlap".to_owned()))
        }
    }
}

fn others(step: Step<'_>, each: Each<'_>) {
    match step {
        Step::Row { .. } => {}
        Step::Lines {
            row,
            what,
            window,
            judged,
            taken,
            patch,
        } => {
            each(Seen::Lines {
                row,
                what,
                window,
                judged,
                taken,
                patch,
            });
        }
        Step::Skipped => each(Seen::Skipped),
        Step::Missed(row, why) => each(Seen::Missed(row, why)),
    }
}
