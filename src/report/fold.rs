//! Folds findings with the same cause, which differ only in their places, into one finding that
//! names all places.

use crate::transcript::{Applicability, Code, Confidence, Severity};
use hashbrown::HashMap;
use sha2::{Digest, Sha256};

use super::model::{Conversation, ReportedFinding};

/// Most records, calls and steps that one finding names.
const MOST: usize = 1000;
/// Most findings of a transcript that are reported for themselves, each of which takes 2 to 7 KB of memory.
pub(crate) const MOST_FINDINGS: usize = 10_000;

/// What findings with the same cause have in common.
pub(crate) type Cause =
    (Code, String, Severity, Confidence, (bool, bool), Applicability, Vec<&'static str>);

/// The cause of a finding; `None` if it has no equals. Only damage inside single records has the
/// same cause elsewhere; findings about calls and results are reported separately.
pub(crate) fn cause(finding: &ReportedFinding) -> Option<Cause> {
    let f = finding;
    let effect = (f.effect.load_fails, f.effect.runs_again);
    (f.identity.is_local && f.consequences.is_empty()).then(|| {
        (
            f.code,
            f.message.clone(),
            f.severity,
            f.confidence,
            effect,
            f.resolution.fix.applicability,
            f.affected.seen_by.clone(),
        )
    })
}

/// Lets a finding have the cause of all others of its kind, whatever it is about, so that it is only counted.
pub(crate) fn generalize(finding: &mut ReportedFinding) {
    finding.identity.is_local = true;
    finding.consequences.clear();
}

/// A conversation with its findings folded.
pub(crate) fn folded(entry: Conversation) -> Conversation {
    Conversation { findings: fold(entry.findings).0, ..entry }
}

/// Folds findings with the same cause, each at the index of the first of them. Also returns the new
/// index of each old finding.
pub(crate) fn fold(
    findings: impl IntoIterator<Item = ReportedFinding>,
) -> (Vec<ReportedFinding>, Vec<usize>) {
    let mut out: Vec<ReportedFinding> = Vec::new();
    let mut known: HashMap<Cause, usize> = HashMap::new();
    let mut places = Vec::new();
    for finding in findings {
        let at = cause(&finding).map_or(out.len(), |key| *known.entry(key).or_insert(out.len()));
        places.push(at);
        match out.get_mut(at) {
            Some(first) => join(first, finding),
            None => out.push(finding),
        }
    }
    (out, places)
}

/// Adds the places of a finding to one with the same cause.
pub(crate) fn join(first: &mut ReportedFinding, other: ReportedFinding) {
    first.identity.count = first.identity.count.saturating_add(other.identity.count);
    first.effect.hides = first.effect.hides.saturating_add(other.effect.hides);
    extend(&mut first.records, other.records);
    extend(&mut first.resolution.fix.actions, other.resolution.fix.actions);
    first.identity.keys.extend(other.identity.keys);
    for id in other.call_ids {
        if first.call_ids.len() < MOST && !first.call_ids.contains(&id) {
            first.call_ids.push(id);
        }
    }
    for (target, index) in other.affected.api_index {
        first.affected.api_index.entry(target).or_insert(index);
    }
    extend(&mut first.identity.fingerprints, other.identity.fingerprints);
    let both =
        Sha256::digest(format!("{} {}", first.identity.fingerprint, other.identity.fingerprint));
    first.identity.fingerprint = both.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
}

fn extend<T>(list: &mut Vec<T>, more: Vec<T>) {
    let room = MOST.saturating_sub(list.len());
    list.extend(more.into_iter().take(room));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    fn local(message: &str) -> ReportedFinding {
        let mut finding = sample::two_results();
        (finding.message, finding.identity.is_local) = (message.to_owned(), true);
        finding
    }

    #[test]
    fn what_has_one_cause_is_told_once() {
        let between = sample::two_results();
        let all = vec![
            local("empty"),
            between.clone(),
            local("other"),
            local("empty"),
            between,
            local("empty"),
        ];
        let records = all[0].records.len();
        let (folded, places) = fold(all);
        assert_eq!(places, [0, 1, 2, 0, 3, 0]);
        assert_eq!(
            folded.iter().map(|finding| finding.identity.count).collect::<Vec<_>>(),
            [3, 1, 1, 1]
        );
        assert_eq!(folded[0].records.len(), 3 * records);
        assert_ne!(folded[0].identity.fingerprint, folded[2].identity.fingerprint);
    }

    #[test]
    fn what_is_named_is_bounded() {
        let (folded, _) = fold(vec![local("empty"); 2 * MOST]);
        assert_eq!((folded.len(), folded[0].identity.count), (1, 2 * MOST as u64));
        assert!(folded[0].records.len() <= MOST && folded[0].resolution.fix.actions.len() <= MOST);
    }
}
