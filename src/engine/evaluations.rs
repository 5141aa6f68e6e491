//! The profiles that a conversation is checked against: a request for each, and one list of findings.

use std::sync::Arc;

use hashbrown::HashMap;

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
pub(super) fn merge(mut found: Vec<Vec<Finding>>) -> Vec<Finding> {
    if found.iter().all(Vec::is_empty) {
        return Vec::new();
    }
    if let [only] = &mut found[..] {
        only.iter_mut().for_each(|finding| _ = see(finding, 0));
        return std::mem::take(only);
    }
    let mut all: Vec<Finding> = Vec::new();
    let mut known: HashMap<(MergeKey, u32), usize> = HashMap::new();
    for (evaluation, findings) in found.into_iter().enumerate() {
        let mut times: HashMap<MergeKey, u32> = HashMap::new();
        for mut finding in findings {
            let affected = see(&mut finding, evaluation);
            let key = key(&finding);
            let nth = times.entry(key.clone()).or_default();
            let at = *known.entry((key, *nth)).or_insert(all.len());
            *nth += 1;
            match all.get_mut(at) {
                None => all.push(finding),
                Some(other) if other.severity < finding.severity => {
                    let seen = std::mem::take(&mut other.seen_by);
                    finding.seen_by.splice(0..0, seen);
                    *other = finding;
                }
                Some(other) => other.seen_by.push(affected),
            }
        }
    }
    all
}

/// Notes that an evaluation has a finding.
fn see(finding: &mut Finding, evaluation: usize) -> Seen {
    let seen = Seen { evaluation, severity: finding.severity, effect: finding.effect };
    finding.evaluation = evaluation;
    // Most are of one evaluation, and there may be many.
    finding.seen_by.reserve_exact(1);
    finding.seen_by.push(seen);
    seen
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
