//! Repair: findings to treatments to one patch against the original, proved by reading it again.

pub mod actions;
mod choose;
mod gate;

use thiserror::Error;

use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, Shape};
use crate::containers::{Layout, ReadError};
use crate::engine::{Ask, Judged, judge};
use crate::formats::head::Head;
use crate::formats::{Claim, Scene, recognise};
use crate::report::model::{Action, Applied};
use crate::rules::{Finding, Rule, layer};
use crate::transcript::Class;

pub use actions::proposed;
pub use choose::Policy;

/// What a repair would do.
#[derive(Debug)]
pub struct Plan {
    /// The conversation as it is.
    pub before: Judged,
    /// The conversation as it would be.
    pub after: Judged,
    /// The difference, against the original bytes.
    pub patch: Patch,
    /// What is mended, in the order of the rounds.
    pub taken: Vec<Taken>,
    /// How many records of each fate.
    pub counts: Applied,
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
    let before = judge(entries, name, claim, ask)?;
    let rounds = before.findings.len() + before.findings.iter().map(|f| f.consequences.len()).sum::<usize>();
    let mut patch = Patch::default();
    let mut taken = Vec::new();
    let mut counts = Applied::default();
    let mut now: Option<Judged> = None;
    for _ in 0..=rounds.saturating_mul(2) + usize::from(layer::STATE) + 1 {
        let next = {
            let overlay = Overlay::new(entries, &patch);
            let judged = now.as_ref().unwrap_or(&before);
            let scene = Scene {
                entries: &overlay,
                layout: &judged.claim.layout,
                transcript: &judged.transcript,
                target: judged.target,
                name,
                live: ask.live,
            };
            choose::round(&scene, judged, policy)
        };
        let Some(round) = next else {
            return finish(entries, before, now, patch, taken, counts, name, ask);
        };
        taken.extend(round.taken);
        counts.add(&round.counts);
        patch = patch.then(round.patch, entries);
        let overlay = Overlay::new(entries, &patch);
        let claim = claim_again(&overlay, name, claim);
        now = Some(judge(&overlay, name, &claim, ask)?);
    }
    Err(Refused::Bug("too many rounds".to_owned()))
}

#[allow(clippy::too_many_arguments)]
fn finish(
    entries: &dyn Entries,
    before: Judged,
    after: Option<Judged>,
    patch: Patch,
    taken: Vec<Taken>,
    mut counts: Applied,
    name: &str,
    ask: &Ask,
) -> Result<Plan, Refused> {
    let after = match after {
        Some(after) => after,
        None => judge(entries, name, &before.claim, ask)?,
    };
    gate::no_new_damage(&before, &after, &taken).map_err(Refused::Bug)?;
    counts.kept = before.records().saturating_sub(counts.parked + counts.moved + counts.replaced);
    Ok(Plan { before, after, patch, taken, counts })
}

/// Where the records are after a round: files may have come, gone or been renamed.
fn claim_again(entries: &dyn Entries, name: &str, claim: &Claim) -> Claim {
    if !matches!(claim.layout, Layout::Files(_)) {
        return claim.clone();
    }
    recognise(&Head::of_names(entries, name), Some(claim.format)).unwrap_or_else(|| claim.clone())
}

/// Whether a source of this shape can be written in its place.
pub fn in_place(shape: Shape) -> bool {
    matches!(shape, Shape::File | Shape::Folder)
}

/// Findings that a repair leaves, and that count.
pub fn left(plan: &Plan) -> impl Iterator<Item = &Finding> {
    plan.after.findings.iter()
}
