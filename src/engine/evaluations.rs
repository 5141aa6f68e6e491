//! The profiles that a conversation is checked against: a request for each, and one list of findings.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::{TargetChoice, Verdict};
use crate::format::{Client, Format};
use crate::rules::{Finding, Seen};
use crate::targets::{self, Target};
use crate::transcript::{Code, Confidence, Effect, EventId, Id, Request, Severity, distinct};

/// A provider and a kind of client of the host.
#[derive(Copy, Clone, Debug)]
pub struct Profile {
    pub target: &'static Target,
    /// The client that builds the request.
    pub client: Client,
}

/// What one profile would be sent, and the verdict.
#[derive(Debug)]
pub struct Evaluation {
    pub profile: Profile,
    /// The next request, which several kinds of clients may share.
    pub request: Arc<Request>,
    /// The verdict for this profile.
    pub verdict: Verdict,
}

/// The profiles to judge a conversation of this format for, and those whose verdict is only
/// mentioned: people update their clients, so older kinds than the one that wrote last do not
/// matter. The request of the first is the one that is shown.
pub(super) fn profiles(
    format: &Format,
    choice: TargetChoice,
    client: Option<Client>,
    recorded_by: Option<Client>,
) -> (Vec<Profile>, Vec<Profile>) {
    let targets = match &choice {
        TargetChoice::At(target) => std::slice::from_ref(target),
        TargetChoice::Strictest => targets::STRICTEST,
    };
    let all: Vec<Client> = format.traits.clients.iter().map(|kind| kind.client).collect();
    let at = |client| all.iter().position(|own| *own == client);
    let (clients, older) = match (client.and_then(at), recorded_by.and_then(at)) {
        (Some(named), _) => (&all[named..=named], &all[..0]),
        (None, Some(recorded)) => all.split_at(recorded.saturating_add(1)),
        (None, None) if all.is_empty() => (&[Client::Current][..], &all[..]),
        (None, None) => (&all[..], &all[..0]),
    };
    let profiles = |clients: &[Client]| {
        let all = targets
            .iter()
            .flat_map(|target| clients.iter().map(|client| (*target, *client)).collect::<Vec<_>>());
        all.map(|(target, client)| Profile { target, client }).collect()
    };
    (profiles(clients), profiles(older))
}

/// The evaluations of these requests. `is_empty`: the transcript has nothing that a host would send.
pub(super) fn of(
    requests: Vec<(Profile, Arc<Request>)>,
    findings: &[Finding],
    is_empty: bool,
) -> Vec<Evaluation> {
    requests
        .into_iter()
        .enumerate()
        .map(|(number, request)| {
            let (profile, request) = request;
            let verdict = match verdict(findings, number, &request) {
                Verdict::Healthy if is_empty => Verdict::Empty,
                verdict => verdict,
            };
            Evaluation { profile, request, verdict }
        })
        .collect()
}

/// Identifies the same finding in several evaluations: rule, calls, records.
type MergeKey = (Code, Vec<Id>, Vec<EventId>);

fn key(finding: &Finding) -> MergeKey {
    let mut calls = finding.calls.clone();
    calls.sort_unstable();
    let events: Vec<EventId> = distinct(finding.labels.iter().map(|label| label.event));
    (finding.rule.code, calls, events)
}

/// Merges the findings of all evaluations. A finding of several is reported once, in the words of
/// the evaluation where it is most severe. One evaluation may report the same finding several times
/// if parts of one record have the same ID: then the first is merged with the first of another, and
/// so on.
pub(super) fn merge(found: Vec<Vec<Finding>>) -> Vec<Finding> {
    let is_alone = found.len() < 2;
    let mut merged = Merged::default();
    for (evaluation, mut findings) in found.into_iter().enumerate() {
        findings.iter_mut().for_each(|finding| see(finding, evaluation));
        if is_alone {
            return findings;
        }
        merged.times.clear();
        merged.all.reserve_exact(if evaluation == 0 { findings.len() } else { 0 });
        findings.into_iter().for_each(|finding| merged.add(finding));
    }
    merged.all
}

/// The findings of some evaluations. There may be very many, so their keys are not kept.
#[derive(Default)]
struct Merged {
    all: Vec<Finding>,
    /// How many findings with its key are before each, in its evaluation.
    nth: Vec<u32>,
    /// The indices of all, by key and that number.
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// How often the current evaluation had the key of a finding, by the index of the first with that key.
    times: HashMap<u32, u32>,
}

impl Merged {
    fn add(&mut self, mut finding: Finding) {
        let key = key(&finding);
        let nth = match self.find(&key, 0) {
            Some(first) => *self.times.entry(first).and_modify(|nth| *nth += 1).or_default(),
            None => 0,
        };
        let Some(at) = self.find(&key, nth) else {
            let at = self.all.len() as u32;
            if nth == 0 {
                self.times.insert(at, 0);
            }
            self.all.push(finding);
            self.nth.push(nth);
            let Merged { all, nth: nths, table, hasher, .. } = self;
            let hash = hasher.hash_one((&key, nth));
            table.insert_unique(hash, at, |at| {
                let at = *at as usize;
                hasher.hash_one((self::key(&all[at]), nths[at]))
            });
            return;
        };
        let other = &mut self.all[at as usize];
        if other.severity < finding.severity {
            let seen = std::mem::take(&mut other.seen_by);
            finding.seen_by.splice(0..0, seen);
            *other = finding;
        } else {
            other.seen_by.reserve_exact(finding.seen_by.len());
            other.seen_by.append(&mut finding.seen_by);
        }
    }

    /// The finding with this key that has so many before it.
    fn find(&self, key: &MergeKey, nth: u32) -> Option<u32> {
        let hash = self.hasher.hash_one((key, nth));
        let is_same = |at: &u32| {
            let at = *at as usize;
            self.nth[at] == nth && self::key(&self.all[at]) == *key
        };
        self.table.find(hash, is_same).copied()
    }
}

/// Notes that an evaluation has a finding.
fn see(finding: &mut Finding, evaluation: usize) {
    let seen = Seen { evaluation, severity: finding.severity, effect: finding.effect };
    finding.evaluation = evaluation;
    // Most are of one evaluation, and there may be many.
    finding.seen_by.reserve_exact(1);
    finding.seen_by.push(seen);
}

/// The verdict for one evaluation. The worst finding decides.
pub(super) fn verdict(findings: &[Finding], evaluation: usize, request: &Request) -> Verdict {
    let sure = findings.iter().filter(|finding| finding.confidence > Confidence::Guess);
    let seen: Vec<&Seen> = sure
        .flat_map(|finding| finding.seen_by.iter().filter(|seen| seen.evaluation == evaluation))
        .collect();
    let any = |test: &dyn Fn(&Seen) -> bool| seen.iter().any(|seen| test(seen));
    if any(&|seen| seen.effect == Effect::LoadFails && seen.severity >= Severity::Error) {
        return Verdict::Unreadable;
    }
    if any(&|seen| seen.severity == Severity::Fatal) {
        return Verdict::Stuck;
    }
    if any(&|seen| seen.severity == Severity::Error) {
        return Verdict::Lossy;
    }
    let open =
        request.pairs.batches.iter().any(|batch| batch.pending && batch.has_open(&request.pairs));
    if open { Verdict::Pending } else { Verdict::Healthy }
}
