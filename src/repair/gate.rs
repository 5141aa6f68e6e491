//! The gate: what a repair itself made is never written.

use hashbrown::HashSet;

use super::Taken;
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, EntryId};
use crate::containers::Layout;
use crate::engine::Judged;
use crate::formats::Claim;
use crate::formats::fit::{Detected, What, detect};
use crate::formats::head::Head;
use crate::rules::Finding;
use crate::transcript::Severity;

/// What tells a finding in two states of one conversation.
type Key = (&'static str, Vec<String>);

fn key(judged: &Judged, finding: &Finding) -> Key {
    let t = &judged.transcript;
    let mut calls: Vec<String> = finding.calls.iter().map(|id| t.ids.get(*id).to_owned()).collect();
    if calls.is_empty() {
        let ids = finding.labels.iter().filter_map(|label| t.event(label.event).id);
        calls = ids.map(|id| t.ids.get(id).to_owned()).collect();
    }
    calls.sort_unstable();
    (finding.rule.code, calls)
}

/// The ids of what a finding and its consequences are about: of the calls, else of the records.
pub fn ids(judged: &Judged, finding: &Finding) -> Vec<String> {
    let mut told = Vec::new();
    all(std::slice::from_ref(finding), &mut told);
    told.into_iter().flat_map(|finding| key(judged, finding).1).collect()
}

fn all<'a>(findings: &'a [Finding], into: &mut Vec<&'a Finding>) {
    for finding in findings {
        into.push(finding);
        all(&finding.consequences, into);
    }
}

/// Whether what the plan leaves is still recognised as some recording, where the format was recognised before: its host is
/// not told the format either, and an empty file is not healthy. Of a list of plain words the format need not stay the same.
pub(super) fn still_known(entries: &dyn Entries, patch: &Patch, name: &str, claim: &Claim) -> bool {
    let known = |entries: &dyn Entries| {
        let head = match claim.layout {
            Layout::Files(_) => Ok(Head::of_names(entries, name)),
            _ => Head::of_file(entries, EntryId(0), name),
        };
        match head.map(|head| detect(&head)) {
            Ok(Detected::Is(what)) => Some(what),
            _ => None,
        }
    };
    let as_before = |freely: What| matches!(freely, What::Read(own) if own.format.name == claim.format.name);
    // A single event that is left is known for what it is.
    patch.is_empty()
        || known(&Overlay::new(entries, patch)).is_some()
        || !known(entries).is_some_and(as_before)
}

/// Refuses a plan after which something is wrong with what it touched that was not wrong before. Damage that was hidden
/// behind what was mended is no such thing: nothing that the plan did concerns its calls.
pub(super) fn no_new_damage(before: &Judged, after: &Judged, taken: &[Taken]) -> Result<(), String> {
    if taken.is_empty() {
        return Ok(());
    }
    let mut old = Vec::new();
    all(&before.findings, &mut old);
    let known: HashSet<Key> = old.iter().map(|finding| key(before, finding)).collect();
    let mended: HashSet<&String> = taken.iter().flat_map(|taken| &taken.ids).collect();
    let severe = |finding: &&&Finding| finding.severity >= Severity::Error;
    let mut new = Vec::new();
    all(&after.findings, &mut new);
    let fresh = new.iter().filter(severe).find(|finding| {
        let key = key(after, finding);
        !known.contains(&key) && !key.1.is_empty() && key.1.iter().all(|id| mended.contains(id))
    });
    let count = |judged: &Judged| judged.findings.iter().filter(|f| f.severity >= Severity::Error).count();
    match fresh {
        Some(finding) if count(after) > count(before) => {
            Err(format!("it would make a {}", finding.rule.code))
        }
        _ => Ok(()),
    }
}
