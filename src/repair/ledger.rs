//! Keeps account of the fixes that rounds applied, so that the rounds end.

use hashbrown::{HashMap, HashSet};

use super::extent::{RecordOrigin, Trace};
use crate::engine::Judged;
use crate::rules::{self, Finding};
use crate::transcript::{Code, Event, Transcript};

/// Identifies a fix across rounds: its rule, and its calls and records as they were in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FixKey {
    code: Code,
    calls: Vec<String>,
    records: Vec<Option<RecordOrigin>>,
}

/// Where fixes are counted: a rule, at a record of the source. `None`: at anything that the repair inserted or moved.
type LedgerPlace = (Code, Option<RecordOrigin>);

/// How many fixes a rule may apply at one record, plus one for each part of the record.
const AT_A_RECORD: u64 = 2;

/// How often the fixes of a round are split to find the one that makes the gate fail. After that, whole rounds are left out.
const MOST_SPLITS: u32 = 40;

/// Which fixes were applied, and which must not be applied anymore.
///
/// The rounds end because [`Ledger::measure`] decreases with each of them: at a record of the source a rule may apply as many
/// fixes as the record has parts, plus two, and the numbers of rules, records and parts are finite.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Each with the reason, as the end of a sentence.
    withheld: HashMap<FixKey, &'static str>,
    /// Fixes of different groups are not applied in the same round, because one of them makes the gate fail.
    groups: HashMap<FixKey, u32>,
    /// The number of splits so far.
    splits: u32,
    /// Places at which a rule exhausted its budget.
    closed: HashSet<LedgerPlace>,
    taken: HashMap<LedgerPlace, u64>,
    spent: u64,
    /// The budget of a rule at each record of the source, in order.
    most: Vec<(RecordOrigin, u64)>,
    total: u64,
}

impl Ledger {
    /// An empty ledger for the records of the source.
    pub(super) fn new(source: &Transcript) -> Ledger {
        let budget = |event: &Event| {
            let at = event.at();
            ((at.entry, at.start), AT_A_RECORD + event.parts.len() as u64)
        };
        let mut most: Vec<(RecordOrigin, u64)> = source.events.iter().map(budget).collect();
        most.sort_unstable();
        most.dedup_by(|next, first| {
            let is_same = next.0 == first.0;
            first.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        let total = most.iter().map(|(_, own)| own).sum();
        Ledger { most, total, ..Ledger::default() }
    }

    /// The key of a fix.
    pub(super) fn key(judged: &Judged, finding: &Finding, trace: Trace<'_>) -> FixKey {
        let t = &judged.transcript;
        let mut calls: Vec<String> =
            finding.calls.iter().map(|id| t.ids.get(*id).to_owned()).collect();
        calls.sort_unstable();
        let mut records: Vec<Option<RecordOrigin>> =
            finding.labels.iter().map(|label| trace(t.event(label.event).at())).collect();
        records.sort_unstable();
        FixKey { code: finding.rule.code, calls, records }
    }

    /// Where a fix is counted: at the record of the source that contained its first record.
    fn place(&self, judged: &Judged, finding: &Finding, trace: Trace<'_>) -> LedgerPlace {
        let first = finding
            .labels
            .first()
            .and_then(|label| trace(judged.transcript.event(label.event).at()));
        let holder = first.and_then(|at| {
            let last = self.most.partition_point(|(own, _)| *own <= at).checked_sub(1)?;
            Some(self.most[last].0).filter(|own| own.0 == at.0)
        });
        (finding.rule.code, holder)
    }

    /// Whether a finding may be fixed.
    pub(super) fn admits(&self, judged: &Judged, finding: &Finding, trace: Trace<'_>) -> bool {
        if self.withheld.is_empty() && self.closed.is_empty() {
            return true;
        }
        let place = self.place(judged, finding, trace);
        !self.closed.contains(&place)
            && !self.withheld.contains_key(&Self::key(judged, finding, trace))
    }

    /// The budget of a rule at a record of the source.
    fn budget_at(&self, record: RecordOrigin) -> u64 {
        let at = self.most.binary_search_by_key(&record, |(own, _)| *own);
        at.map_or(0, |at| self.most[at].1)
    }

    /// Records a fix of a round. Returns false, and closes the place, if its rule has no budget left there.
    pub(super) fn spend(&mut self, judged: &Judged, finding: &Finding, trace: Trace<'_>) -> bool {
        let place = self.place(judged, finding, trace);
        let most = place.1.map_or(self.total, |record| self.budget_at(record));
        let taken = self.taken.entry(place).or_default();
        if *taken == most {
            self.closed.insert(place);
            return false;
        }
        *taken += 1;
        self.spent += 1;
        true
    }

    /// How many fixes can still be applied. Decreases with each round.
    pub(super) fn measure(&self) -> u64 {
        self.total.saturating_mul(2 * rules::ALL.len() as u64).saturating_sub(self.spent)
    }

    /// Excludes these fixes. Returns whether any of them was not excluded before.
    pub(super) fn withhold(
        &mut self,
        keys: impl IntoIterator<Item = FixKey>,
        why: &'static str,
    ) -> bool {
        let before = self.withheld.len();
        for key in keys {
            self.withheld.entry(key).or_insert(why);
        }
        self.withheld.len() > before
    }

    /// Handles the fixes of a round that makes the gate fail: a single one is withheld, several are split into halves that are
    /// tried separately. Returns whether this made progress.
    pub(super) fn suspect(&mut self, mut keys: Vec<FixKey>, why: &'static str) -> bool {
        let mut known = HashSet::new();
        keys.retain(|key| known.insert(key.clone()));
        if keys.len() < 2 || self.splits == MOST_SPLITS {
            return self.withhold(keys, why);
        }
        self.splits += 1;
        let half = keys.len() / 2;
        for (at, key) in keys.into_iter().enumerate() {
            self.groups.insert(key, 2 * self.splits - u32::from(at < half));
        }
        true
    }

    /// The group of a fix; 0 if it is not under suspicion.
    pub(super) fn group(&self, judged: &Judged, finding: &Finding, trace: Trace<'_>) -> u32 {
        if self.groups.is_empty() {
            return 0;
        }
        self.groups.get(&Self::key(judged, finding, trace)).copied().unwrap_or_default()
    }

    /// Whether any fix is excluded.
    pub(super) fn withholds(&self) -> bool {
        !self.withheld.is_empty() || !self.closed.is_empty()
    }

    /// The fixes that are excluded, each with the reason.
    pub(super) fn refused(self) -> HashMap<FixKey, &'static str> {
        self.withheld
    }

    /// Starts over with full budgets. What is withheld stays withheld.
    pub(super) fn restart(&mut self) {
        self.taken.clear();
        self.spent = 0;
    }
}
