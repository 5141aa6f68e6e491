//! Runs rounds until there is nothing left to fix.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use aho_corasick::AhoCorasick;
use hashbrown::{HashMap, HashSet};
use memchr::memmem;

use super::choose::{self, Chosen, Policy};
use super::extent::{Excess, Extent};
use super::gate::{self, Failure};
use super::ledger::{FixKey, Ledger};
use super::places::SourcePlaces;
use super::{Refused, Taken};
use crate::bytes::edit::Edit;
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::containers::{Layout, ReadError};
use crate::detect::{recognize, with_changed};
use crate::dialects::placeholders::{NO_RESULT, NOT_WHOLE};
use crate::engine::{CheckOptions, Judged, judge_changed};
use crate::format::head::Sample;
use crate::format::{Detection, FormatContext};
use crate::transcript::{Action, State};

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
#[derive(Default)]
pub(super) struct RoundsEnd {
    pub state: RoundsState,
    /// Why fixes were left out, because a state does not pass the gate.
    pub failures: Vec<Failure>,
    /// Whether fixes were left out.
    pub withheld: bool,
    /// The fixes that were, each with the reason.
    pub refused: HashMap<FixKey, &'static str>,
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
                    refused: ledger.refused(),
                });
            };
            // No single fix is guilty of that.
            if failure == Failure::NotJson {
                return Ok(RoundsEnd {
                    state: self.start(),
                    failures: vec![failure],
                    withheld: true,
                    refused: ledger.refused(),
                });
            }
            ledger.restart();
            let Some((_, guilty)) = self.run(&mut ledger, true)? else {
                continue;
            };
            failures.push(failure);
            // Bisecting finds the same failure several times.
            failures.dedup();
            if !ledger.suspect(guilty, failure.because()) {
                // There is nothing left to withhold: the start state passes the gate.
                return Ok(RoundsEnd {
                    state: self.start(),
                    failures,
                    withheld: true,
                    refused: ledger.refused(),
                });
            }
        }
    }

    fn start(&self) -> RoundsState {
        let RoundsState { patch, taken, bound, extent, .. } = self.start;
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
            let is_changed = !state.patch.is_empty();
            let round = choose::round(&contexts, judged, self.policy, ledger, &trace);
            all_read(&contexts)?;
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
            // Only now, because what is refused need not be described, and there may be very many.
            let (taken, bound) = choose::described(
                &contexts,
                judged,
                is_changed.then(|| SourcePlaces::new(&trace, &self.source.transcript)).as_ref(),
                &round.chosen,
            );
            all_read(&contexts)?;
            let keys = round
                .chosen
                .iter()
                .map(|(finding, _)| Ledger::key(judged, finding, &trace))
                .collect();
            done.push(FinishedRound { before: hash(&state.patch), taken: state.taken.len(), keys });
            let patch = self.with_true_placeholders(judged, &round.chosen, round.patch)?;
            state.patch = std::mem::take(&mut state.patch).then(patch, self.entries);
            state.taken.extend(taken);
            state.bound = state.bound.max(bound);
            // Dropped before the next state is read, so that only the source and one state are in memory.
            state.judged = None;
            state.judged = Some(self.judge(&state.patch)?);
            let now = hash(&state.patch);
            if let Some(first) = done.iter().position(|round| round.before == now) {
                state.taken.truncate(done[first].taken);
                let keys = done.drain(first..).flat_map(|round| round.keys);
                ledger.withhold(keys, "another fix would undo it");
            }
            if probe && self.failure(&state).is_none() {
                passed = done.len();
            }
            passed = passed.min(done.len());
        }
    }

    /// A placeholder says that no result was recorded. Where something of one was, in bytes of the source that cannot be read,
    /// it says that.
    fn with_true_placeholders(
        &self,
        judged: &Judged,
        chosen: &[Chosen<'_>],
        patch: Patch,
    ) -> Result<Patch, Refused> {
        let t = &judged.transcript;
        let actions = chosen.iter().flat_map(|(_, fix)| &fix.actions);
        let answered = actions.filter_map(|action| match action {
            Action::AnswerCall { call, .. } => Some(t.text(t.part(*call).id)),
            _ => None,
        });
        let cut = self.cut_off(answered.collect());
        // It takes gigabytes of IDs to fail.
        let Some(search) = AhoCorasick::new(&cut).ok().filter(|_| !cut.is_empty()) else {
            return Ok(patch);
        };
        let truth = |mut with: Vec<u8>| {
            if search.is_match(&with) {
                while let Some(at) = memmem::find(&with, NO_RESULT.as_bytes()) {
                    with.splice(at..at + NO_RESULT.len(), NOT_WHOLE.bytes());
                }
            }
            with
        };
        let edits = patch.edits().into_iter().map(|edit| match edit {
            Edit::Bytes { at, with } => Edit::bytes(at, truth(with)),
            Edit::Create { name, bytes } => Edit::Create { name, bytes: truth(bytes) },
            edit => edit,
        });
        Patch::new(edits.collect()).map_err(|error| Refused::Bug(error.to_string()))
    }

    /// Those of these IDs that bytes of the source show that cannot be read. All are searched for at once, because a hostile file
    /// has many of both.
    fn cut_off<'i>(&self, mut ids: Vec<&'i str>) -> Vec<&'i str> {
        ids.retain(|id| !id.is_empty());
        let events = self.source.transcript.events.iter();
        let mut broken = events
            .filter(|event| {
                matches!(event.state, State::Unreadable | State::Recovered | State::Padding)
            })
            .peekable();
        if ids.is_empty() || broken.peek().is_none() {
            return Vec::new();
        }
        let Ok(search) = AhoCorasick::new(&ids) else {
            return ids;
        };
        let mut shown = HashSet::new();
        for event in broken {
            let bytes = self.entries.fetch(event.at()).unwrap_or_default();
            shown.extend(search.find_overlapping_iter(&bytes).map(|found| ids[found.pattern()]));
        }
        shown.into_iter().collect()
    }

    fn excess(&self, extent: &Extent, judged: &Judged) -> Option<Excess> {
        let is_overridden = self.policy.with_unsafe && self.policy.format_named;
        if is_overridden { None } else { extent.excess(judged) }
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

/// What cannot be read is not what cannot be repaired.
fn all_read(contexts: &[FormatContext<'_>]) -> Result<(), ReadError> {
    let mut errors = contexts.iter().filter_map(|own| own.records.take_error());
    errors.next().map_or(Ok(()), |error| Err(error.into()))
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
            .map(|head| with_changed(detection.clone(), &head)),
    };
    now.unwrap_or_else(|| detection.clone())
}
