//! Rounds until nothing is left to be done.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use super::choose::{self, Chosen, Policy};
use super::extent::{Excess, Extent};
use super::gate::{self, Failure};
use super::ledger::{FixKey, Ledger};
use super::{Refused, Taken};
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::containers::Layout;
use crate::engine::{CheckOptions, Judged, judge_changed};
use crate::formats::head::Sample;
use crate::formats::{Detection, recognize};

/// What is repaired, and how.
pub(super) struct Rounds<'a> {
    pub entries: &'a dyn Entries,
    pub name: &'a str,
    pub claim: &'a Detection,
    /// With the provider for which the source is judged.
    pub ask: &'a CheckOptions,
    /// As the user asked: whoever looks at the result does not know for whom the source was judged.
    pub asked: &'a CheckOptions,
    pub policy: &'a Policy,
    pub source: &'a Judged,
    /// Where they begin.
    pub start: &'a State,
}

/// What rounds come to.
#[derive(Default)]
pub(super) struct State {
    pub patch: Patch,
    pub taken: Vec<Taken>,
    /// Parts of thinking that are sent behind what is changed.
    pub bound: usize,
    pub extent: Extent,
    /// The conversation then; `None`: as it is.
    pub judged: Option<Judged>,
}

/// The end of all rounds.
pub(super) struct End {
    pub state: State,
    /// Why fixes were left out, because a state does not pass the gate.
    pub failures: Vec<Failure>,
    /// Fixes were left out.
    pub withheld: bool,
}

/// A round that was done.
struct Done {
    /// A hash of the patch before it.
    before: u64,
    /// Fixes taken before it.
    taken: usize,
    keys: Vec<FixKey>,
}

impl Rounds<'_> {
    /// Takes rounds until no fix is left. Where rounds come back to where they were, their fixes undo each other: they are
    /// withheld. Where a state does not pass the gate, the fix that does it is looked for in the first round after the last state
    /// that passes, and withheld, and the rounds begin anew; so they do where a rule comes to no end at a record.
    ///
    /// # Errors
    /// The repair is refused as a whole.
    pub(super) fn all(&self) -> Result<End, Refused> {
        let mut ledger = Ledger::new(&self.source.transcript);
        let mut failures = Vec::new();
        loop {
            ledger.begin();
            let Some((state, _)) = self.run(&mut ledger, false)? else {
                continue;
            };
            let Some(failure) = self.failure(&state) else {
                return Ok(End {
                    state,
                    failures,
                    withheld: ledger.withholds(),
                });
            };
            ledger.begin();
            let Some((_, guilty)) = self.run(&mut ledger, true)? else {
                continue;
            };
            failures.push(failure);
            // One of several fixes is looked for; that is one reason.
            failures.dedup();
            if !ledger.suspect(guilty) {
                // Nothing is left to be withheld: where they begin passes its own gate.
                return Ok(End {
                    state: self.start(),
                    failures,
                    withheld: true,
                });
            }
        }
    }

    fn start(&self) -> State {
        let State {
            patch,
            taken,
            bound,
            extent,
            ..
        } = self.start;
        State {
            patch: patch.clone(),
            taken: taken.clone(),
            bound: *bound,
            extent: extent.clone(),
            judged: None,
        }
    }

    /// The conversation where they begin.
    pub(super) fn before(&self) -> &Judged {
        self.start.judged.as_ref().unwrap_or(self.source)
    }

    fn failure(&self, state: &State) -> Option<Failure> {
        let after = state.judged.as_ref()?;
        let overlay = Overlay::new(self.entries, &state.patch);
        gate::failure(self, &overlay, after, &state.taken)
    }

    /// One run. `probe`: the fixes of the first round after the last state that passes the gate are the second answer. `None`:
    /// a rule came to no end, and the ledger knows.
    fn run(
        &self,
        ledger: &mut Ledger,
        probe: bool,
    ) -> Result<Option<(State, Vec<FixKey>)>, Refused> {
        let mut state = self.start();
        let mut done: Vec<Done> = Vec::new();
        let mut passed = 0;
        loop {
            let measure = ledger.measure();
            let overlay = Overlay::new(self.entries, &state.patch);
            let trace = |at: Span| Some((at.entry, overlay.origin(at.entry, at.start)?));
            let judged = state.judged.as_ref().unwrap_or_else(|| self.before());
            let scenes = judged.contexts(&overlay, self.name, self.ask.live);
            let Some(round) = choose::round(&scenes, judged, self.policy, ledger, &trace) else {
                let guilty = done.into_iter().nth(passed).map(|round| round.keys);
                return Ok(Some((state, guilty.unwrap_or_default())));
            };
            let mut goes_on = true;
            for (finding, fix) in &round.chosen {
                state.extent.add(judged, finding, fix, &trace);
                goes_on &= ledger.take(judged, finding, &trace);
            }
            if !goes_on {
                return Ok(None);
            }
            debug_assert!(ledger.measure() < measure, "each round takes a fix");
            if let Some(excess) = self.excess(&state.extent, judged) {
                return Err(Refused::Excess(excess));
            }
            let key = |(finding, _): &Chosen<'_>| Ledger::key(judged, finding, &trace);
            let keys = round.chosen.iter().map(key).collect();
            done.push(Done {
                before: hash(&state.patch),
                taken: state.taken.len(),
                keys,
            });
            let (patch, taken, bound) = (round.patch, round.taken, round.bound);
            state.patch = std::mem::take(&mut state.patch).then(patch, self.entries);
            state.taken.extend(taken);
            state.bound = state.bound.max(bound);
            // Before the next state is read: only the source and one state are in memory at a time.
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
        let insists = self.policy.with_unsafe && self.policy.format_named;
        if insists { None } else { extent.excess(judged) }
    }

    /// The conversation as a patch leaves it.
    fn judge(&self, patch: &Patch) -> Result<Judged, Refused> {
        let overlay = Overlay::new(self.entries, patch);
        let claim = claim_again(&overlay, self.name, self.claim);
        let base = &self.source.transcript;
        let judged = judge_changed(&overlay, self.name, &claim, self.ask, base)?;
        Ok(Judged {
            target_from: self.source.target_from,
            ..judged
        })
    }
}

fn hash(patch: &Patch) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(patch)
}

/// What the conversation is after a round: files may have come, gone or been renamed, and what showed whose messages
/// they are may have changed.
fn claim_again(entries: &dyn Entries, name: &str, claim: &Detection) -> Detection {
    let now = match claim.layout {
        Layout::Files(_) => recognize(&Sample::of_names(entries, name), Some(claim.format)),
        _ => Sample::of_file(entries, EntryId(0), name)
            .ok()
            .map(|head| claim.clone().with_changed(&head)),
    };
    now.unwrap_or_else(|| claim.clone())
}
