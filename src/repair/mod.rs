//! Repair: findings to treatments to one patch against the original, proved by reading it again.

mod bound;
mod branch;
mod choose;
mod extent;
mod gate;
mod ledger;
mod rounds;
mod steps;

use thiserror::Error;

use crate::bytes::patch::Patch;
use crate::bytes::source::Entries;
use crate::containers::ReadError;
use crate::engine::{ASKED, CheckOptions, Judged, judge};
use crate::formats::Detection;
use crate::rules::Rule;
use crate::transcript::{Applicability, Place};

pub use branch::WriteStyle;
pub use choose::Policy;
pub(crate) use choose::{Focus, admitted};
pub(crate) use extent::{Excess, changes_safely, class_of};
pub use extent::{FEW_RECORDS, FEW_TURNS, ONE_RECORD_IN, ONE_TURN_IN};
use gate::Failure;
pub(crate) use gate::{FindingKey, ids as about};
use rounds::{End, Rounds, State};
pub(crate) use steps::{Op, Step, proposed};

/// What a repair would do.
#[derive(Debug)]
pub struct Plan {
    /// The conversation as it is.
    pub before: Judged,
    /// The difference, against the original bytes.
    pub patch: Patch,
    /// What is mended, in the order of the rounds.
    pub taken: Vec<Taken>,
    /// The first thinking behind what is changed that stays: some models bind it to the text before it.
    pub bound: Option<Place>,
    /// Records change, beyond their bytes, ids and numbers, or calls get placeholder results.
    pub changes_records: bool,
    /// Why fixes were left out that policy admits, in words for the user.
    pub withheld: Vec<&'static str>,
    /// The conversation as it would be; `None`: as it is.
    changed: Option<Judged>,
}

impl Plan {
    /// The conversation as it would be.
    pub fn after(&self) -> &Judged {
        self.changed.as_ref().unwrap_or(&self.before)
    }
}

/// One finding that the plan mends.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The rule.
    pub rule: &'static Rule,
    /// What was wrong.
    pub message: String,
    /// The class of its treatment.
    pub class: Applicability,
    /// The steps.
    pub steps: Vec<Step>,
    /// The calls, else the records, that it is about, by their ids.
    pub(crate) ids: Vec<String>,
}

/// Why there is no plan.
#[derive(Debug, Error)]
pub enum Refused {
    /// The conversation cannot be read.
    #[error("{0}")]
    Read(#[from] ReadError),
    /// The edits do not go together: a bug of ours. Nothing was written.
    #[error(
        "the repair was refused ({0}); nothing was written. This is a bug of transcript-doctor"
    )]
    Bug(String),
    /// It would change more than a transcript of its format ever needs.
    #[error("{0}; nothing was written. {hint}", hint = .0.hint())]
    Excess(Excess),
    /// It cannot be written as the user wants it.
    #[error(
        "it cannot be written as a branch: {0}; nothing was written. --write-style in-place repairs it"
    )]
    Style(&'static str),
}

/// Works out what would be done to a conversation, through as many rounds as it takes.
///
/// # Errors
/// The conversation cannot be read, or its repair is refused as a whole.
pub fn plan(
    entries: &dyn Entries,
    name: &str,
    claim: &Detection,
    asked: &CheckOptions,
    policy: &Policy,
) -> Result<Plan, Refused> {
    let mut before = judge(entries, name, claim, asked)?;
    // What is repaired must not change for whom it is judged: new ids may look like those of another provider.
    let assumed = before.target_from != ASKED;
    let ask = &CheckOptions {
        target: Some(before.target_choice),
        assumed,
        ..asked.clone()
    };
    let (state, failures) = settled(&|start| {
        Rounds {
            entries,
            name,
            claim,
            ask,
            asked,
            policy,
            source: &before,
            start,
        }
        .all()
    })?;
    let State {
        patch,
        taken,
        bound,
        extent,
        judged,
    } = state;
    // What was done may have been undone again.
    let mut changed = judged.filter(|_| !patch.is_empty());
    let left = changed.as_mut().unwrap_or(&mut before);
    for at in choose::undoable(left, policy) {
        left.findings[at].fixes.clear();
    }
    let known = claim.format.traits.blames.is_some();
    let bound = bound::first(changed.as_ref().unwrap_or(&before), bound).filter(|_| known);
    let mut withheld: Vec<&'static str> = failures.iter().map(|failure| failure.why()).collect();
    withheld.dedup();
    let changes_records = !extent.is_empty();
    let plan = Plan {
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
            branch::instead(entries, name, ask, policy, plan)
        }
        _ => Ok(plan),
    }
}

/// Repairs, one after the other, that a plan takes together where fixes were left out.
const MOST_REPAIRS: usize = 4;

/// A state that a second repair leaves alone. It does where no fix was left out: the last round found nothing to do. Else it
/// is tried: what is left out on the way may fit at the end.
fn settled(
    repair: &dyn Fn(&State) -> Result<End, Refused>,
) -> Result<(State, Vec<Failure>), Refused> {
    let mut state = State::default();
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
    Ok((State::default(), failures))
}
