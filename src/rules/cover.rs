//! Reports one cause once: a finding that another one explains becomes a consequence of that one.

use hashbrown::HashMap;

use super::{Finding, RuleContext, policy};
use crate::transcript::{Confidence, Effect, Severity, Subject};

/// Moves every finding whose subjects are all covered by one other finding under that one, or under the first of several
/// findings that cover them together. If two findings cover each other, the one of the lower layer stays.
pub(super) fn fold_consequences(cx: &RuleContext<'_>, mut found: Vec<Finding>) -> Vec<Finding> {
    // Cached, because a stable sort has room for all findings once more.
    found.sort_by_cached_key(|finding| finding.layer);
    let mut covered_by: HashMap<Subject, Vec<usize>> = HashMap::new();
    for (number, finding) in found.iter().enumerate() {
        for subject in &finding.covers {
            covered_by.entry(*subject).or_default().push(number);
        }
    }
    let mut owner: Vec<Option<usize>> = vec![None; found.len()];
    for number in 0..found.len() {
        let Some((first, rest)) = found[number].about.split_first() else {
            continue;
        };
        let others = |subject: &Subject| {
            let by = covered_by.get(subject).into_iter().flatten().copied();
            by.filter(|other| *other != number && owner[*other] != Some(number))
        };
        owner[number] = others(first)
            .find(|other| rest.iter().all(|subject| others(subject).any(|by| by == *other)))
            .or_else(|| {
                others(first)
                    .next()
                    .filter(|_| rest.iter().all(|subject| others(subject).next().is_some()))
            });
    }
    // A chain of causes ends at a finding that no other one covers.
    let root = |mut number: usize| {
        for _ in 0..owner.len() {
            match owner[number] {
                Some(next) => number = next,
                None => return Some(number),
            }
        }
        None
    };
    let roots: Vec<Option<usize>> =
        (0..found.len()).map(|number| owner[number].and_then(root)).collect();
    // In their list, because there may be very many.
    for (number, root) in roots.iter().enumerate() {
        let Some(root) = *root else { continue };
        let moved = Finding::of_file(found[number].rule, "");
        let finding = std::mem::replace(&mut found[number], moved);
        let owner = &mut found[root];
        worsen(cx, owner, &finding);
        // Most explain one, and a list that grows has room for four.
        if owner.consequences.is_empty() {
            owner.consequences.reserve_exact(1);
        }
        owner.consequences.push(finding);
    }
    let mut roots = roots.iter();
    found.retain(|_| roots.next().is_none_or(Option::is_none));
    found
}

/// Makes a finding as bad as one that it explains: the provider still rejects the request. Not if the host cannot load the
/// transcript, is still writing it, or corrects the cause itself.
fn worsen(cx: &RuleContext<'_>, owner: &mut Finding, consequence: &Finding) {
    let is_rejected =
        consequence.severity == Severity::Fatal && consequence.confidence > Confidence::Guess;
    let may_be_sent = owner.effect != Effect::LoadFails && owner.severity > Severity::Note;
    let is_handled = owner.is_judged || policy::is_corrected(cx, owner.rule);
    if is_rejected && may_be_sent && !is_handled {
        owner.severity = Severity::Fatal;
        owner.effect = Effect::Refused;
    }
}
