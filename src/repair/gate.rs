//! The gate: a repair that causes new problems is never written.

use std::hash::{DefaultHasher, Hash, Hasher};

use hashbrown::HashSet;

use super::rounds::Rounds;
use super::{Taken, texts};
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::containers::items;
use crate::engine::{Judged, Verdict, judge, provider, recognized};
use crate::formats::fit::Recognized;
use crate::formats::{Detection, recognize};
use crate::json::tape::RecordEnd;
use crate::rules::Finding;
use crate::transcript::{Code, Effect, Severity, State, Transcript};

/// Identifies a finding in different states of one conversation.
type GateKey = (Code, Vec<String>);

/// The same as a number, which does not contain any text of the transcript.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FindingKey(u64);

impl FindingKey {
    pub(crate) fn of(judged: &Judged, finding: &Finding) -> FindingKey {
        let mut hasher = DefaultHasher::new();
        key(judged, finding).hash(&mut hasher);
        FindingKey(hasher.finish())
    }
}

fn key(judged: &Judged, finding: &Finding) -> GateKey {
    let t = &judged.transcript;
    let mut calls: Vec<String> = finding
        .calls
        .iter()
        .map(|id| t.ids.get(*id).to_owned())
        .collect();
    if calls.is_empty() {
        let ids = finding
            .labels
            .iter()
            .filter_map(|label| t.event(label.event).id);
        calls = ids.map(|id| t.ids.get(id).to_owned()).collect();
    }
    calls.sort_unstable();
    (finding.rule.code, calls)
}

/// The IDs of the calls that a finding and its consequences are about; of the records, if they are not about calls.
pub(crate) fn ids(judged: &Judged, finding: &Finding) -> Vec<String> {
    let mut findings = Vec::new();
    flatten(std::slice::from_ref(finding), &mut findings);
    findings
        .into_iter()
        .flat_map(|finding| key(judged, finding).1)
        .collect()
}

fn flatten<'a>(findings: &'a [Finding], into: &mut Vec<&'a Finding>) {
    for finding in findings {
        into.push(finding);
        flatten(&finding.consequences, into);
    }
}

/// Why a state of a repair must not be written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// What the repair changed has new problems.
    NewDamage,
    /// Its verdict is worse than that of the source.
    Worse,
    /// Something became unreadable.
    Unreadable,
    /// Bytes were escaped as if they were in a string, and the document is still not JSON: they are not.
    NoString,
    /// The document is still not JSON, so what was read of it may be wrong.
    NotJson,
    /// It is not recognized as a transcript.
    NotRecognized,
    /// The conversation would be searched for in another list of the document.
    Elsewhere,
    /// A text of the source would be lost without a reason.
    LosesText,
    /// A check that does not know the source has another result.
    ReadsOtherwise,
    /// Each repair would require another one.
    NoEnd,
}

impl Failure {
    /// The failure as text for the user.
    pub(super) fn why(self) -> &'static str {
        match self {
            Failure::NoEnd => "All fixes were left out: each repair would require another one.",
            Failure::NewDamage => "A fix was left out: it would cause new problems.",
            Failure::Worse => "A fix was left out: it would make the verdict worse.",
            Failure::Unreadable => "A fix was left out: it would make something unreadable.",
            Failure::NoString => {
                "A fix was left out: the document would still not be JSON, so what looks like text may be structure."
            }
            Failure::NotJson => {
                "All fixes were left out: the document would still not be JSON, so what is read of it may be wrong."
            }
            Failure::NotRecognized => {
                "A fix was left out: the format of the result would not be \
                recognized."
            }
            Failure::Elsewhere => {
                "A fix was left out: without what it removes, another list would be taken for the messages."
            }
            Failure::LosesText => {
                "A fix was left out: it would remove a recorded text without a reason."
            }
            Failure::ReadsOtherwise => {
                "A fix was left out: it removes the only sign of the format or provider, so the \
                result would be checked differently. --unsafe applies it."
            }
        }
    }
}

/// Why the state after these fixes must not be written, if there is a reason.
pub(super) fn failure(
    rounds: &Rounds<'_>,
    (patch, overlay): (&Patch, &Overlay<'_>),
    after: &Judged,
    taken: &[Taken],
) -> Option<Failure> {
    let before = rounds.before();
    let source = (rounds.entries, rounds.name);
    if !recognized::stays(source, overlay, rounds.detection) {
        return Some(Failure::NotRecognized);
    }
    if reads_less(rounds, overlay, after) {
        return Some(Failure::Unreadable);
    }
    if escapes_structure(rounds, overlay, taken) {
        return Some(Failure::NoString);
    }
    if stays_broken(rounds, overlay) {
        return Some(Failure::NotJson);
    }
    let is_draft = rounds.policy.is_draft;
    if !is_draft && badness(after) > badness(before) {
        return Some(Failure::Worse);
    }
    if is_elsewhere(rounds, overlay, after) {
        return Some(Failure::Elsewhere);
    }
    if reads_otherwise(rounds, overlay, after) {
        return Some(Failure::ReadsOtherwise);
    }
    if !is_draft && new_damage(before, after, taken) {
        return Some(Failure::NewDamage);
    }
    texts::loses_text(rounds, patch, overlay, after, taken).then_some(Failure::LosesText)
}

/// How bad a conversation is: its verdict (a pending call is not damage), then the number of hidden messages.
fn badness(judged: &Judged) -> (Verdict, u64) {
    let hides = |finding: &Finding| match finding.effect {
        Effect::Hides(messages) => u64::from(messages),
        _ => 0,
    };
    (
        judged.verdict.max(Verdict::Pending),
        judged.at_least(Severity::Error).map(hides).sum(),
    )
}

/// Whether a document is JSON, a byte order mark before it aside.
fn is_json(entries: &dyn Entries, entry: EntryId) -> bool {
    let tape = items::padding(entries, entry)
        .and_then(|padding| items::skim(entries, entry, padding.end, 0));
    tape.is_ok_and(|tape| matches!(tape.end, RecordEnd::Whole))
}

/// Whether raw bytes in a string were escaped in a document that is still not JSON. A string that lost its end runs on into
/// the structure behind it.
fn escapes_structure(rounds: &Rounds<'_>, overlay: &Overlay<'_>, taken: &[Taken]) -> bool {
    let layout = &rounds.detection.layout;
    let escapes = || {
        taken
            .iter()
            .any(|taken| taken.rule.code == Code::SplitRecord)
    };
    layout
        .entry()
        .is_some_and(|entry| layout.is_document() && escapes() && !is_json(overlay, entry))
}

/// Whether a document is still not JSON. Then nothing in it is changed unasked.
fn stays_broken(rounds: &Rounds<'_>, overlay: &Overlay<'_>) -> bool {
    let policy = rounds.policy;
    if policy.with_unsafe || policy.is_draft || policy.focus.is_some() || !policy.only.is_empty() {
        return false;
    }
    let layout = &rounds.detection.layout;
    let entry = layout.entry().filter(|_| layout.is_document());
    entry.is_some_and(|entry| !is_json(overlay, entry))
}

/// Whether a record became unreadable, or a document is not JSON anymore.
fn reads_less(rounds: &Rounds<'_>, overlay: &Overlay<'_>, after: &Judged) -> bool {
    let layout = &rounds.detection.layout;
    if let Some(entry) = layout.entry().filter(|_| layout.is_document())
        && is_json(rounds.entries, entry)
        && !is_json(overlay, entry)
    {
        return true;
    }
    let t = &rounds.source.transcript;
    let of_state = |t: &Transcript, state| -> Vec<Span> {
        t.events
            .iter()
            .filter(|event| event.state == state)
            .map(|event| event.at())
            .collect()
    };
    let unreadable = of_state(&after.transcript, State::Unreadable);
    if unreadable.is_empty() {
        return false;
    }
    let whole: HashSet<(EntryId, u64)> = of_state(t, State::Whole)
        .into_iter()
        .map(|at| (at.entry, at.start))
        .collect();
    let origin = |at: &Span| Some((at.entry, overlay.origin(at.entry, at.start)?));
    unreadable
        .iter()
        .filter_map(origin)
        .any(|at| whole.contains(&at))
}

/// Whether the messages are now found in another list of the document.
fn is_elsewhere(rounds: &Rounds<'_>, overlay: &dyn Entries, after: &Judged) -> bool {
    let Detection { layout, format, .. } = &after.detection;
    let found = |entries: &dyn Entries| {
        recognize(
            &recognized::sample(entries, rounds.name, rounds.detection)?,
            Some(format),
        )
        .map(|detection| detection.layout)
    };
    layout.is_document()
        && found(overlay).is_some_and(|now| now != *layout)
        && found(rounds.entries).is_some_and(|before| before == *layout)
}

/// Whether a check that does not know the source has another verdict, or would repair more. A repair may remove the only sign
/// of a format or a provider.
fn reads_otherwise(rounds: &Rounds<'_>, overlay: &dyn Entries, after: &Judged) -> bool {
    let (name, was) = (rounds.name, rounds.detection);
    let Some(Recognized::Read(detection)) = recognized::detected(overlay, name, was) else {
        return false;
    };
    let is_detected = recognized::is_detected(rounds.entries, name, was);
    if detection.conversations.are_rows() || !is_detected {
        return false;
    }
    let same_format = detection.format.name == after.detection.format.name;
    let same_provider = || provider(rounds.asked, after).name() == after.target_choice.name();
    if same_format && same_provider() {
        return false;
    }
    let Ok(again) = judge(overlay, rounds.name, &detection, rounds.asked) else {
        return true;
    };
    let repairs_more = again
        .findings
        .iter()
        .any(|finding| rounds.policy.admits(&again, finding).is_some());
    // Plain messages without findings may be of any format.
    let has_findings = |judged: &Judged| judged.at_least(Severity::Warning).next().is_some();
    let differs = again.verdict != after.verdict
        || (!same_format && (has_findings(&again) || has_findings(after)));
    repairs_more || (differs && !rounds.policy.with_unsafe)
}

/// Whether what the fixes changed has new problems, however many old ones are gone. Problems that fixed ones had hidden do not
/// count: no fix was about their calls.
pub(super) fn new_damage(before: &Judged, after: &Judged, taken: &[Taken]) -> bool {
    let mut old = Vec::new();
    flatten(&before.findings, &mut old);
    let known: HashSet<GateKey> = old.iter().map(|finding| key(before, finding)).collect();
    let fixed: HashSet<&String> = taken.iter().flat_map(|taken| &taken.ids).collect();
    let is_severe = |finding: &&&Finding| finding.severity >= Severity::Error;
    let mut new = Vec::new();
    flatten(&after.findings, &mut new);
    new.iter().filter(is_severe).any(|finding| {
        let key = key(after, finding);
        !known.contains(&key) && !key.1.is_empty() && key.1.iter().all(|id| fixed.contains(id))
    })
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
