//! What the rounds have taken so far, so that they end.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::extent::{Origin, Trace};
use crate::engine::Judged;
use crate::rules::{self, Finding};
use crate::transcript::{Code, Transcript};

/// What tells a fix from others, whatever the rounds between: the rule and the calls, else the records as they were in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FixKey {
    code: Code,
    calls: Vec<String>,
    records: Vec<Option<Origin>>,
}

/// Where fixes are counted: a rule, at a record of the source. `None`: at what the repair put there or moved.
type Place = (Code, Option<Origin>);

/// Fixes that a rule may take at one record, and once more for each part of it.
const AT_A_RECORD: u64 = 2;

/// How often the fixes of a round are parted to find the one that the gate minds; after that all of a round go.
const MOST_SPLITS: u32 = 40;

/// Which fixes were taken, and which are taken no more.
///
/// The rounds end because [`Ledger::measure`] falls with each of them: a rule may take as many fixes at a record of the source
/// as it has parts, and two more; there are only so many rules, records and parts.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    withheld: HashSet<FixKey>,
    /// Fixes that are not taken in one round with those of another group, because one of them leads to what the gate refuses.
    groups: HashMap<FixKey, u32>,
    /// How often groups were made.
    splits: u32,
    /// Places at which a rule came to no end.
    closed: HashSet<Place>,
    taken: HashMap<Place, u64>,
    spent: u64,
    /// Fixes that a rule may take at each record of the source.
    most: BTreeMap<Origin, u64>,
    total: u64,
}

impl Ledger {
    /// For the records of the source.
    pub(super) fn new(source: &Transcript) -> Ledger {
        let mut most: BTreeMap<Origin, u64> = BTreeMap::new();
        for event in &source.events {
            *most.entry((event.at.entry, event.at.start)).or_default() +=
                AT_A_RECORD + event.parts.len() as u64;
        }
        let total = most.values().sum();
        Ledger {
            most,
            total,
            ..Ledger::default()
        }
    }

    /// The key of a fix.
    pub(super) fn key(judged: &Judged, finding: &Finding, trace: Trace<'_>) -> FixKey {
        let t = &judged.transcript;
        let mut calls: Vec<String> = finding
            .calls
            .iter()
            .map(|id| t.ids.get(*id).to_owned())
            .collect();
        calls.sort_unstable();
        let mut records: Vec<Option<Origin>> = finding
            .labels
            .iter()
            .map(|label| trace(t.event(label.event).at))
            .collect();
        records.sort_unstable();
        FixKey {
            code: finding.rule.code,
            calls,
            records,
        }
    }

    /// Where a fix counts: at the record of the source that holds what its first record was.
    fn place(&self, judged: &Judged, finding: &Finding, trace: Trace<'_>) -> Place {
        let first = finding
            .labels
            .first()
            .and_then(|label| trace(judged.transcript.event(label.event).at));
        let holder = first.and_then(|at| {
            self.most
                .range(..=at)
                .next_back()
                .filter(|(own, _)| own.0 == at.0)
        });
        (finding.rule.code, holder.map(|(own, _)| *own))
    }

    /// Whether a finding may be fixed.
    pub(super) fn admits(&self, judged: &Judged, finding: &Finding, trace: Trace<'_>) -> bool {
        if self.withheld.is_empty() && self.closed.is_empty() {
            return true;
        }
        let place = self.place(judged, finding, trace);
        !self.closed.contains(&place) && !self.withheld.contains(&Self::key(judged, finding, trace))
    }

    /// Notes a fix that a round takes. The answer: whether its rule may go on there; else it is closed.
    pub(super) fn take(&mut self, judged: &Judged, finding: &Finding, trace: Trace<'_>) -> bool {
        let place = self.place(judged, finding, trace);
        let most = place.1.map_or(self.total, |record| {
            self.most.get(&record).copied().unwrap_or_default()
        });
        let taken = self.taken.entry(place).or_default();
        if *taken == most {
            self.closed.insert(place);
            return false;
        }
        *taken += 1;
        self.spent += 1;
        true
    }

    /// Fixes that could still be taken: falls with each round.
    pub(super) fn measure(&self) -> u64 {
        self.total
            .saturating_mul(2 * rules::ALL.len() as u64)
            .saturating_sub(self.spent)
    }

    /// Takes these fixes no more.
    pub(super) fn withhold(&mut self, keys: impl IntoIterator<Item = FixKey>) -> bool {
        let before = self.withheld.len();
        self.withheld.extend(keys);
        self.withheld.len() > before
    }

    /// Fixes of a round that leads to what the gate refuses: one alone is withheld, of several the halves are tried apart. The
    /// answer: whether that leaves less to be tried.
    pub(super) fn suspect(&mut self, mut keys: Vec<FixKey>) -> bool {
        let mut known = HashSet::new();
        keys.retain(|key| known.insert(key.clone()));
        if keys.len() < 2 || self.splits == MOST_SPLITS {
            return self.withhold(keys);
        }
        self.splits += 1;
        let half = keys.len() / 2;
        for (at, key) in keys.into_iter().enumerate() {
            self.groups
                .insert(key, 2 * self.splits - u32::from(at < half));
        }
        true
    }

    /// The group of a fix; 0: with all that nobody suspects.
    pub(super) fn group(&self, judged: &Judged, finding: &Finding, trace: Trace<'_>) -> u32 {
        if self.groups.is_empty() {
            return 0;
        }
        self.groups
            .get(&Self::key(judged, finding, trace))
            .copied()
            .unwrap_or_default()
    }

    /// Whether some fix is taken no more.
    pub(super) fn withholds(&self) -> bool {
        !self.withheld.is_empty() || !self.closed.is_empty()
    }

    /// Begins anew: what is withheld stays so.
    pub(super) fn begin(&mut self) {
        self.taken.clear();
        self.spent = 0;
    }
}
