//! Repair: from findings over fixes to one patch against the original, which is verified by reading the result.

mod bound;
mod branch;
mod choose;
mod extent;
mod gate;
mod ledger;
mod rounds;
mod steps;
mod texts;

use thiserror::Error;

use crate::bytes::patch::Patch;
use crate::bytes::source::Entries;
use crate::containers::ReadError;
use crate::engine::habits::Habits;
use crate::engine::{CheckOptions, Judged, TargetFrom, judge};
use crate::formats::Detection;
use crate::proof::TextKey;
use crate::rules::Rule;
use crate::transcript::{Applicability, Place};

pub use branch::WriteStyle;
pub use choose::Policy;
pub(crate) use choose::{Focus, admitted};
pub(crate) use extent::{Excess, applicability_of, changes_safely};
pub use extent::{FEW_RECORDS, FEW_TURNS, ONE_RECORD_IN, ONE_TURN_IN};
use gate::Failure;
pub(crate) use gate::{FindingKey, ids as about};
use rounds::{Rounds, RoundsEnd, RoundsState};
pub(crate) use steps::{Op, RepairStep, proposed};

/// What a repair would do.
#[derive(Debug)]
pub struct RepairPlan {
    /// The conversation as it is.
    pub before: Judged,
    /// The difference, against the original bytes.
    pub patch: Patch,
    /// The findings that it fixes, in the order of the rounds.
    pub taken: Vec<Taken>,
    /// The first remaining thinking after a change: some models reject thinking if the text before it has changed.
    pub bound: Option<Place>,
    /// Records change in more than their bytes, IDs and numbers, or calls get placeholder results.
    pub changes_records: bool,
    /// Why fixes that the policy admits were left out, as text for the user.
    pub withheld: Vec<&'static str>,
    /// The conversation after the repair; `None`: it does not change.
    changed: Option<Judged>,
}

impl RepairPlan {
    /// The conversation after the repair.
    pub fn after(&self) -> &Judged {
        self.changed.as_ref().unwrap_or(&self.before)
    }
}

/// A finding that the plan fixes.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The rule.
    pub rule: &'static Rule,
    /// What was wrong.
    pub message: String,
    /// The applicability of its fix.
    pub applicability: Applicability,
    /// The steps.
    pub steps: Vec<RepairStep>,
    /// The IDs of the calls that it is about, or of the records if it is not about calls.
    pub(crate) ids: Vec<String>,
    /// The texts that it removes, each with a proven reason.
    pub(crate) covers: Vec<TextKey>,
}

/// Why there is no plan.
#[derive(Debug, Error)]
pub enum Refused {
    /// The conversation cannot be read.
    #[error("{0}")]
    Read(#[from] ReadError),
    /// The edits conflict, which is a bug of this program. Nothing was written.
    #[error(
        "the repair was refused ({0}); nothing was written. This is a bug of transcript-doctor"
    )]
    Bug(String),
    /// It would change more than any transcript of its format needs.
    #[error("{0}; nothing was written. {hint}", hint = .0.hint())]
    Excess(Excess),
    /// It cannot be written in the style that the user asked for.
    #[error(
        "it cannot be written as a branch: {0}; nothing was written. --write-style in-place repairs it"
    )]
    Style(&'static str),
}

/// Plans the repair of a conversation, in as many rounds as it takes.
///
/// # Errors
/// The conversation cannot be read, or its repair is refused as a whole.
pub fn plan(
    entries: &dyn Entries,
    name: &str,
    detection: &Detection,
    asked: &CheckOptions,
    policy: &Policy,
) -> Result<RepairPlan, Refused> {
    let mut before = judge(entries, name, detection, asked)?;
    // The repair must not change the provider: new IDs may look like those of another one.
    let found_by = Some(before.target_from).filter(|from| *from != TargetFrom::ASKED);
    let options = &CheckOptions {
        target: Some(before.target_choice),
        found_by,
        // Nor what counts as a habit.
        habits: match &asked.habits {
            Habits::Counted => Habits::Known(Default::default(), before.habits.clone()),
            known => known.clone(),
        },
        ..asked.clone()
    };
    let (state, failures) = repeat_until_stable(&|start| {
        Rounds {
            entries,
            name,
            detection,
            options,
            asked,
            policy,
            source: &before,
            start,
        }
        .all()
    })?;
    let RoundsState {
        patch,
        taken,
        bound,
        extent,
        judged,
    } = state;
    // Later rounds may have undone earlier ones.
    let mut changed = judged.filter(|_| !patch.is_empty());
    let left = changed.as_mut().unwrap_or(&mut before);
    for at in choose::impossible(left, policy) {
        left.findings[at].fixes.clear();
    }
    let known = detection.format.traits.blames.is_some();
    let bound = bound::first(changed.as_ref().unwrap_or(&before), bound).filter(|_| known);
    let mut withheld: Vec<&'static str> = failures.iter().map(|failure| failure.why()).collect();
    withheld.dedup();
    let changes_records = !extent.is_empty();
    let plan = RepairPlan {
        before,
        patch,
        taken,
        bound,
        changes_records,
        withheld,
        changed,
    };
    match policy.style {
        WriteStyle::Branch if !plan.patch.is_empty() => {
            branch::as_branch(entries, name, options, policy, plan)
        }
        _ => Ok(plan),
    }
}

/// At most this many repairs in a row are tried if fixes were left out.
const MOST_REPAIRS: usize = 4;

/// Repeats the repair until a further one changes nothing. If no fix was left out, one is enough, because its last round
/// found nothing to do. Otherwise a fix that was left out on the way may be possible at the end.
fn repeat_until_stable(
    repair: &dyn Fn(&RoundsState) -> Result<RoundsEnd, Refused>,
) -> Result<(RoundsState, Vec<Failure>), Refused> {
    let mut state = RoundsState::default();
    let mut failures = Vec::new();
    for _ in 0..MOST_REPAIRS {
        let end = repair(&state)?;
        failures.extend(end.failures);
        if end.state.patch == state.patch {
            return Ok((state, failures));
        }
        state = end.state;
        if !end.withheld {
            return Ok((state, failures));
        }
    }
    failures.push(Failure::NoEnd);
    Ok((RoundsState::default(), failures))
}
