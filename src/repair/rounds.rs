//! Runs rounds until there is nothing left to fix.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use super::choose::{self, Chosen, Policy};
use super::extent::{Excess, Extent};
use super::gate::{self, Failure};
use super::ledger::{FixKey, Ledger};
use super::{Refused, Taken};
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::containers::{Layout, ReadError};
use crate::engine::{CheckOptions, Judged, judge_changed};
use crate::formats::head::Sample;
use crate::formats::{Detection, recognize};

/// What to repair, and how.
pub(super) struct Rounds<'a> {
    pub entries: &'a dyn Entries,
    pub name: &'a str,
    pub detection: &'a Detection,
    /// The options, with the provider that the source was checked against.
    pub options: &'a CheckOptions,
    /// The options of the user. A later check of the result has only these, without the provider found in the source.
    pub asked: &'a CheckOptions,
    pub policy: &'a Policy,
    pub source: &'a Judged,
    /// The state before the first round.
    pub start: &'a RoundsState,
}

/// The result of some rounds.
#[derive(Default)]
pub(super) struct RoundsState {
    pub patch: Patch,
    pub taken: Vec<Taken>,
    /// The number of parts of thinking that are sent after what is changed.
    pub bound: usize,
    pub extent: Extent,
    /// The conversation after the rounds; `None`: it did not change.
    pub judged: Option<Judged>,
}

/// The result of all rounds.
pub(super) struct RoundsEnd {
    pub state: RoundsState,
    /// Why fixes were left out, because a state does not pass the gate.
    pub failures: Vec<Failure>,
    /// Whether fixes were left out.
    pub withheld: bool,
}

/// A finished round.
struct FinishedRound {
    /// A hash of the patch before it.
    before: u64,
    /// The number of fixes before it.
    taken: usize,
    keys: Vec<FixKey>,
}

impl Rounds<'_> {
    /// Runs rounds until no fix is left. If rounds return to earlier bytes, their fixes undo each other and are withheld. If the
    /// final state does not pass the gate, the first round after the last state that passes is bisected for the fix that causes
    /// the failure; that fix is withheld and the rounds start over. They also start over if a rule exhausts its budget.
    ///
    /// # Errors
    /// The repair is refused as a whole.
    pub(super) fn all(&self) -> Result<RoundsEnd, Refused> {
        let mut ledger = Ledger::new(&self.source.transcript);
        let mut failures = Vec::new();
        loop {
            ledger.restart();
            let Some((state, _)) = self.run(&mut ledger, false)? else {
                continue;
            };
            let Some(failure) = self.failure(&state) else {
                return Ok(RoundsEnd {
                    state,
                    failures,
                    withheld: ledger.withholds(),
                });
            };
            // No single fix is guilty of that.
            if failure == Failure::NotJson {
                return Ok(RoundsEnd {
                    state: self.start(),
                    failures: vec![failure],
                    withheld: true,
                });
            }
            ledger.restart();
            let Some((_, guilty)) = self.run(&mut ledger, true)? else {
                continue;
            };
            failures.push(failure);
            // Bisecting finds the same failure several times.
            failures.dedup();
            if !ledger.suspect(guilty) {
                // There is nothing left to withhold: the start state passes the gate.
                return Ok(RoundsEnd {
                    state: self.start(),
                    failures,
                    withheld: true,
                });
            }
        }
    }

    fn start(&self) -> RoundsState {
        let RoundsState {
            patch,
            taken,
            bound,
            extent,
            ..
        } = self.start;
        RoundsState {
            patch: patch.clone(),
            taken: taken.clone(),
            bound: *bound,
            extent: extent.clone(),
            judged: None,
        }
    }

    /// The conversation before the first round.
    pub(super) fn before(&self) -> &Judged {
        self.start.judged.as_ref().unwrap_or(self.source)
    }

    fn failure(&self, state: &RoundsState) -> Option<Failure> {
        let after = state.judged.as_ref()?;
        let overlay = Overlay::new(self.entries, &state.patch);
        gate::failure(self, (&state.patch, &overlay), after, &state.taken)
    }

    /// One run of rounds. With `probe`, it also returns the fixes of the first round after the last state that passes the gate.
    /// `None`: a rule exhausted its budget, which the ledger has noted.
    fn run(
        &self,
        ledger: &mut Ledger,
        probe: bool,
    ) -> Result<Option<(RoundsState, Vec<FixKey>)>, Refused> {
        let mut state = self.start();
        let mut done: Vec<FinishedRound> = Vec::new();
        let mut passed = 0;
        loop {
            let measure = ledger.measure();
            let overlay = Overlay::new(self.entries, &state.patch);
            let trace = |at: Span| Some((at.entry, overlay.origin(at.entry, at.start)?));
            let judged = state.judged.as_ref().unwrap_or_else(|| self.before());
            let contexts = judged.contexts(&overlay, self.name, self.options.live);
            let round = choose::round(&contexts, judged, self.policy, ledger, &trace);
            // What cannot be read is not what cannot be repaired.
            let mut errors = contexts.iter().filter_map(|own| own.records.take_error());
            if let Some(error) = errors.next() {
                return Err(ReadError::from(error).into());
            }
            let Some(round) = round else {
                let guilty = done.into_iter().nth(passed).map(|round| round.keys);
                return Ok(Some((state, guilty.unwrap_or_default())));
            };
            let mut has_budget = true;
            for (finding, fix) in &round.chosen {
                state.extent.add(judged, finding, fix, &trace);
                has_budget &= ledger.spend(judged, finding, &trace);
            }
            if !has_budget {
                return Ok(None);
            }
            debug_assert!(ledger.measure() < measure, "each round applies a fix");
            if let Some(excess) = self.excess(&state.extent, judged) {
                return Err(Refused::Excess(excess));
            }
            let key = |(finding, _): &Chosen<'_>| Ledger::key(judged, finding, &trace);
            let keys = round.chosen.iter().map(key).collect();
            done.push(FinishedRound {
                before: hash(&state.patch),
                taken: state.taken.len(),
                keys,
            });
            let (patch, taken, bound) = (round.patch, round.taken, round.bound);
            state.patch = std::mem::take(&mut state.patch).then(patch, self.entries);
            state.taken.extend(taken);
            state.bound = state.bound.max(bound);
            // Dropped before the next state is read, so that only the source and one state are in memory.
            state.judged = None;
            state.judged = Some(self.judge(&state.patch)?);
            let now = hash(&state.patch);
            if let Some(first) = done.iter().position(|round| round.before == now) {
                state.taken.truncate(done[first].taken);
                ledger.withhold(done.drain(first..).flat_map(|round| round.keys));
            }
            if probe && self.failure(&state).is_none() {
                passed = done.len();
            }
            passed = passed.min(done.len());
        }
    }

    fn excess(&self, extent: &Extent, judged: &Judged) -> Option<Excess> {
        let is_overridden = self.policy.with_unsafe && self.policy.format_named;
        if is_overridden {
            None
        } else {
            extent.excess(judged)
        }
    }

    /// Reads and checks the patched conversation.
    pub(super) fn judge(&self, patch: &Patch) -> Result<Judged, Refused> {
        let overlay = Overlay::new(self.entries, patch);
        let detection = detect_again(&overlay, self.name, self.detection);
        let base = &self.source.transcript;
        let judged = judge_changed(&overlay, self.name, &detection, self.options, base)?;
        Ok(judged)
    }
}

fn hash(patch: &Patch) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(patch)
}

/// Detects the format and layout again after a round: files may have been added, removed or renamed, and the signs of the
/// format or provider may have changed.
fn detect_again(entries: &dyn Entries, name: &str, detection: &Detection) -> Detection {
    let now = match detection.layout {
        Layout::Files(_) => recognize(&Sample::of_names(entries, name), Some(detection.format)),
        _ => Sample::of_file(entries, EntryId(0), name)
            .ok()
            .map(|head| detection.clone().with_changed(&head)),
    };
    now.unwrap_or_else(|| detection.clone())
}
