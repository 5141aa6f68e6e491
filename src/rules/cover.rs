//! Reports one cause once: a finding that another one explains becomes a consequence of that one.

use hashbrown::HashMap;

use super::{Finding, RuleContext, policy};
use crate::transcript::{Confidence, Effect, Severity, Subject};

/// Moves every finding whose subjects are all covered by one other finding under that one, or under the first of several
/// findings that cover them together. If two findings cover each other, the one of the lower layer stays.
pub(super) fn fold_consequences(cx: &RuleContext<'_>, mut found: Vec<Finding>) -> Vec<Finding> {
    found.sort_by_key(|finding| finding.layer);
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
    let mut slots: Vec<Option<Finding>> = found.into_iter().map(Some).collect();
    for (number, root) in roots.iter().enumerate() {
        let Some(root) = root else { continue };
        if let Some(finding) = slots[number].take()
            && let Some(owner) = slots[*root].as_mut()
        {
            worsen(cx, owner, &finding);
            owner.consequences.push(finding);
        }
    }
    slots.into_iter().flatten().collect()
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
