//! Repair: findings to treatments to one patch against the original, proved by reading it again.

pub mod actions;
mod bound;
mod branch;
mod choose;
mod gate;

use thiserror::Error;

use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::Entries;
use crate::containers::{Layout, ReadError};
use crate::engine::{ASKED, Ask, Judged, judge};
use crate::formats::head::Head;
use crate::formats::{Claim, recognise};
use crate::report::model::Action;
use crate::rules::{Rule, layer};
use crate::transcript::{Class, Place};

pub use actions::proposed;
pub use branch::WriteStyle;
pub use choose::{Focus, Policy, admitted};
pub use gate::ids as about;

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
    pub class: Class,
    /// The steps.
    pub actions: Vec<Action>,
    /// The calls, else the records, that it is about, by their ids.
    pub(crate) ids: Vec<String>,
}

/// Why there is no plan.
#[derive(Debug, Error)]
pub enum Refused {
    /// The conversation cannot be read.
    #[error("{0}")]
    Read(#[from] ReadError),
    /// The repair would not come to an end, or make new damage: a bug of ours. Nothing was written.
    #[error(
        "the repair was refused because it would not end well ({0}); nothing was written. This is a bug of transcript-doctor"
    )]
    Bug(String),
    /// Nobody would take what is left for a recording of its format.
    #[error(
        "what the repair leaves could not be recognised any more; nothing was written, every byte is where it was"
    )]
    NothingLeft,
    /// It cannot be written as the user wants it.
    #[error("it cannot be written as a branch: {0}; nothing was written. --write-style in-place repairs it")]
    Style(&'static str),
}

/// Works out what would be done to a conversation, through as many rounds as it takes.
///
/// # Errors
/// The conversation cannot be read, or the rounds do not converge.
pub fn plan(
    entries: &dyn Entries,
    name: &str,
    claim: &Claim,
    ask: &Ask,
    policy: &Policy,
) -> Result<Plan, Refused> {
    let mut before = judge(entries, name, claim, ask)?;
    // What is repaired must not change for whom it is judged: new ids may look like those of another provider.
    let assumed = before.target_from != ASKED;
    let ask = &Ask { target: Some(before.aim), assumed, ..ask.clone() };
    let rounds = before.findings.len() + before.findings.iter().map(|f| f.consequences.len()).sum::<usize>();
    let mut patch = Patch::default();
    let mut taken = Vec::new();
    let mut bound = 0;
    let mut now: Option<Judged> = None;
    for _ in 0..=rounds.saturating_mul(2) + usize::from(layer::STATE) + 1 {
        let next = {
            let overlay = Overlay::new(entries, &patch);
            let judged = now.as_ref().unwrap_or(&before);
            choose::round(&judged.scenes(&overlay, name, ask.live), judged, policy)
        };
        let Some(round) = next else {
            let left = now.as_mut().unwrap_or(&mut before);
            for at in choose::undoable(left, policy) {
                left.findings[at].treatments.clear();
            }
            let known = before.claim.format.habits.blames.is_some();
            let first = bound::first(now.as_ref().unwrap_or(&before), bound).filter(|_| known);
            let plan = Plan { before, patch, taken, bound: first, changed: now };
            gate::no_new_damage(&plan.before, plan.after(), &plan.taken).map_err(Refused::Bug)?;
            if !gate::still_known(entries, &plan.patch, name, claim) {
                return Err(Refused::NothingLeft);
            }
            return match policy.style {
                WriteStyle::Branch if !plan.patch.is_empty() => {
                    branch::instead(entries, name, ask, policy, plan)
                }
                _ => Ok(plan),
            };
        };
        taken.extend(round.taken);
        bound = bound.max(round.bound);
        patch = patch.then(round.patch, entries);
        let overlay = Overlay::new(entries, &patch);
        let claim = claim_again(&overlay, name, claim);
        let judged = judge(&overlay, name, &claim, ask)?;
        now = Some(Judged { target_from: before.target_from, ..judged });
    }
    Err(Refused::Bug("too many rounds".to_owned()))
}

/// Where the records are after a round: files may have come, gone or been renamed.
fn claim_again(entries: &dyn Entries, name: &str, claim: &Claim) -> Claim {
    if !matches!(claim.layout, Layout::Files(_)) {
        return claim.clone();
    }
    recognise(&Head::of_names(entries, name), Some(claim.format)).unwrap_or_else(|| claim.clone())
}
