//! For whom a conversation is judged: a view each, and one list of findings.

use hashbrown::HashMap;

use super::{TargetChoice, Verdict};
use crate::formats::{Client, Format};
use crate::rules::{Finding, Seen};
use crate::targets::{self, Target};
use crate::transcript::{Code, Confidence, Effect, EventId, Id, Request, Severity};

/// Who looks at a conversation: a provider, behind one kind of client of the host.
#[derive(Copy, Clone, Debug)]
pub struct Profile {
    /// The provider.
    pub target: &'static Target,
    /// The client that builds the request.
    pub client: Client,
}

/// What one of them would be sent, and how that ends.
#[derive(Debug)]
pub struct Evaluation {
    /// Who looks.
    pub lens: Profile,
    /// What would be sent.
    pub request: Request,
    /// The answer for this one.
    pub verdict: Verdict,
}

/// Everybody for whom a conversation of this format is judged; the first one's view is the one that is shown.
pub(super) fn lenses(format: &Format, aim: TargetChoice, client: Option<Client>) -> Vec<Profile> {
    let targets = match &aim {
        TargetChoice::At(target) => std::slice::from_ref(target),
        TargetChoice::Strictest => targets::STRICTEST,
    };
    let all = format.traits.clients;
    let clients: Vec<Client> = match client.filter(|client| all.contains(client)) {
        Some(client) => vec![client],
        None if all.is_empty() => vec![Client::Current],
        None => all.to_vec(),
    };
    let with = |target| {
        clients.iter().map(move |client| Profile {
            target,
            client: *client,
        })
    };
    targets.iter().flat_map(|target| with(*target)).collect()
}

/// What makes findings of several sights one: the rule, the calls, the records.
type Key = (Code, Vec<Id>, Vec<EventId>);

fn key(finding: &Finding) -> Key {
    let mut calls = finding.calls.clone();
    calls.sort_unstable();
    let mut events: Vec<EventId> = finding.labels.iter().map(|label| label.event).collect();
    events.sort_unstable();
    events.dedup();
    (finding.rule.code, calls, events)
}

/// Joins what each of them finds. A finding that several make is told once, as the one says it to whom it is worst. One of them
/// may find the same several times, where parts of one record have the same id: the first of these is joined with the first
/// of another, and so on.
pub(super) fn join(found: Vec<Vec<Finding>>) -> Vec<Finding> {
    let several = found.len() > 1;
    let mut all: Vec<Finding> = Vec::new();
    let mut known: HashMap<(Key, u32), usize> = HashMap::new();
    for (sight, findings) in found.into_iter().enumerate() {
        let mut times: HashMap<Key, u32> = HashMap::new();
        for mut finding in findings {
            finding.sight = sight;
            let own = Seen {
                sight,
                severity: finding.severity,
                effect: finding.effect,
            };
            finding.seen_by.push(own);
            if !several {
                all.push(finding);
                continue;
            }
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
                Some(other) => other.seen_by.push(own),
            }
        }
    }
    all
}

/// The answer for the one with this number. Worst wins.
pub(super) fn verdict(findings: &[Finding], sight: usize, request: &Request) -> Verdict {
    let sure = findings
        .iter()
        .filter(|finding| finding.confidence > Confidence::Guess);
    let seen: Vec<&Seen> = sure
        .flat_map(|finding| finding.seen_by.iter().filter(|seen| seen.sight == sight))
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
    let open = request
        .pairs
        .batches
        .iter()
        .any(|batch| batch.pending && batch.has_open(&request.pairs));
    if open {
        Verdict::Pending
    } else {
        Verdict::Healthy
    }
}
