//! The gate: a repair that causes new problems is never written.

use std::hash::{DefaultHasher, Hash, Hasher};

use hashbrown::HashSet;

use super::rounds::Rounds;
use super::{Taken, texts};
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::containers::items;
use crate::detect::candidates::Recognized;
use crate::detect::recognize;
use crate::engine::recognized::{self, Recognition};
use crate::engine::{Judged, Verdict, judge, provider};
use crate::format::Detection;
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
    let mut calls: Vec<String> = finding.calls.iter().map(|id| t.ids.get(*id).to_owned()).collect();
    if calls.is_empty() {
        let ids = finding.labels.iter().filter_map(|label| t.event(label.event).id);
        calls = ids.map(|id| t.ids.get(id).to_owned()).collect();
    }
    calls.sort_unstable();
    (finding.rule.code, calls)
}

/// The IDs of the calls that a finding and its consequences are about; of the records, if they are not about calls.
pub(crate) fn ids(judged: &Judged, finding: &Finding) -> Vec<String> {
    let mut findings = Vec::new();
    flatten(std::slice::from_ref(finding), &mut findings);
    findings.into_iter().flat_map(|finding| key(judged, finding).1).collect()
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
    /// Why its fix was refused, as the end of a sentence.
    pub(super) fn because(self) -> &'static str {
        match self {
            Failure::NoEnd => "each repair would require another one",
            Failure::NewDamage => "it would cause new problems",
            Failure::Worse => "it would make the verdict worse",
            Failure::Unreadable => "it would make something unreadable",
            Failure::NoString => {
                "the document would still not be JSON, so what looks like text may be structure"
            }
            Failure::NotJson => {
                "the document would still not be JSON, so what is read of it may be wrong"
            }
            Failure::NotRecognized => "the format of the result would not be recognized",
            Failure::Elsewhere => {
                "without what it removes, another list would be taken for the messages"
            }
            Failure::LosesText => "it would remove a recorded text without a reason",
            Failure::ReadsOtherwise => {
                "it removes the only sign of the format or provider, so the result would be \
                checked differently"
            }
        }
    }

    /// The failure as text for the user.
    pub(super) fn why(self) -> String {
        let what = match self {
            Failure::NoEnd | Failure::NotJson => "All fixes were left out",
            _ => "A fix was left out",
        };
        let more = match self {
            Failure::ReadsOtherwise => " --unsafe applies it.",
            _ => "",
        };
        format!("{what}: {}.{more}", self.because())
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
    let seen = Recognition::of(overlay, rounds.name, rounds.detection);
    let source = || Recognition::of(rounds.entries, rounds.name, rounds.detection);
    if !seen.stays(source, rounds.detection) {
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
    if reads_otherwise(rounds, seen, overlay, after) {
        return Some(Failure::ReadsOtherwise);
    }
    // A repair of the start state knows nothing of the fixes that led to it.
    let since_start = &taken[rounds.start.taken.len().min(taken.len())..];
    let is_new = || {
        new_damage(before, after, since_start)
            || new_damage_by_place(rounds, (patch, overlay), after)
    };
    if !is_draft && is_new() {
        return Some(Failure::NewDamage);
    }
    texts::loses_text(rounds, patch, overlay, after, taken).then_some(Failure::LosesText)
}

/// How bad a conversation is: its verdict (a pending call is not damage), then the number of hidden messages.
fn badness(judged: &Judged) -> (Verdict, u64) {
    (
        judged.verdict.max(Verdict::Pending),
        judged
            .at_least(Severity::Error)
            .map(|finding| match finding.effect {
                Effect::Hides(messages) => u64::from(messages),
                _ => 0,
            })
            .sum(),
    )
}

/// Whether a document is JSON, a byte order mark before it aside.
fn is_json(entries: &dyn Entries, entry: EntryId) -> bool {
    let tape = items::padding(entries, entry)
        .and_then(|padding| items::skim(entries, entry, padding.end, 0));
    tape.is_ok_and(|tape| matches!(tape.end, RecordEnd::Whole))
}

/// Whether raw bytes in a string were escaped in a document that is still not JSON. A string that lost its end runs on into
/// the structure after it.
fn escapes_structure(rounds: &Rounds<'_>, overlay: &Overlay<'_>, taken: &[Taken]) -> bool {
    let layout = &rounds.detection.layout;
    layout.entry().is_some_and(|entry| {
        layout.is_document()
            && taken.iter().any(|taken| taken.rule.code == Code::SplitRecord)
            && !is_json(overlay, entry)
    })
}

/// Whether a document is still not JSON. Then nothing in it is changed unasked.
fn stays_broken(rounds: &Rounds<'_>, overlay: &Overlay<'_>) -> bool {
    if !rounds.policy.is_unasked() {
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
        t.events.iter().filter(|event| event.state == state).map(|event| event.at()).collect()
    };
    let unreadable = of_state(&after.transcript, State::Unreadable);
    if unreadable.is_empty() {
        return false;
    }
    let whole: HashSet<(EntryId, u64)> =
        of_state(t, State::Whole).into_iter().map(|at| (at.entry, at.start)).collect();
    unreadable
        .iter()
        .filter_map(|at| Some((at.entry, overlay.origin(at.entry, at.start)?)))
        .any(|at| whole.contains(&at))
}

/// Whether the messages are now found in another list of the document.
fn is_elsewhere(rounds: &Rounds<'_>, overlay: &dyn Entries, after: &Judged) -> bool {
    let Detection { layout, format, .. } = &after.detection;
    let found = |entries: &dyn Entries| {
        recognize(&recognized::sample(entries, rounds.name, rounds.detection)?, Some(format))
            .map(|detection| detection.layout)
    };
    layout.is_document()
        && found(overlay).is_some_and(|now| now != *layout)
        && found(rounds.entries).is_some_and(|before| before == *layout)
}

/// Whether a check that does not know the source has another verdict, or would repair more. A repair may remove the only sign
/// of a format or a provider.
fn reads_otherwise(
    rounds: &Rounds<'_>,
    seen: Recognition,
    overlay: &dyn Entries,
    after: &Judged,
) -> bool {
    let Some(Recognized::Read(detection)) = seen.detected else {
        return false;
    };
    if detection.conversations.are_rows() {
        return false;
    }
    let same_format = detection.format.name == after.detection.format.name;
    if same_format && (provider(rounds.asked, after).name() == after.target_choice.name()) {
        return false;
    }
    if !Recognition::of(rounds.entries, rounds.name, rounds.detection).is_detected(rounds.detection)
    {
        return false;
    }
    let Ok(again) = judge(overlay, rounds.name, &detection, rounds.asked) else {
        return true;
    };
    let repairs_more =
        again.findings.iter().any(|finding| rounds.policy.admits(&again, finding).is_some());
    // Plain messages without findings may be of any format.
    let has_findings = |judged: &Judged| judged.at_least(Severity::Warning).next().is_some();
    let differs = again.verdict != after.verdict
        || (!same_format && (has_findings(&again) || has_findings(after)));
    repairs_more || (differs && !rounds.policy.with_unsafe)
}

/// The severe findings of a conversation, and those that they explain.
fn severe(judged: &Judged) -> impl Iterator<Item = &Finding> {
    let mut all = Vec::new();
    flatten(&judged.findings, &mut all);
    all.into_iter().filter(|finding| finding.severity >= Severity::Error)
}

/// Whether what the fixes changed has new problems, however many old ones are gone. Problems that fixed ones had hidden do not
/// count: no fix was about their calls.
pub(super) fn new_damage(before: &Judged, after: &Judged, taken: &[Taken]) -> bool {
    let mut old = Vec::new();
    flatten(&before.findings, &mut old);
    let known: HashSet<GateKey> = old.iter().map(|finding| key(before, finding)).collect();
    let fixed: HashSet<&String> = taken.iter().flat_map(|taken| &taken.ids).collect();
    severe(after).any(|finding| {
        let key = key(after, finding);
        !known.contains(&key) && !key.1.is_empty() && key.1.iter().all(|id| fixed.contains(id))
    })
}

/// Whether a finding is about the place of its records: it has no IDs, or only says which record comes first or last, or next.
pub(super) fn is_by_place(judged: &Judged, finding: &Finding) -> bool {
    let order = [Code::BadStart, Code::EndsWithAssistant, Code::RoleOrder];
    order.contains(&finding.rule.code) || key(judged, finding).1.is_empty()
}

/// The same for problems of places: they are at records that the patch changed or put side by side, and that could be read
/// before.
fn new_damage_by_place(
    rounds: &Rounds<'_>,
    (patch, overlay): (&Patch, &Overlay<'_>),
    after: &Judged,
) -> bool {
    let mut found: Vec<&Finding> =
        severe(after).filter(|finding| is_by_place(after, finding)).collect();
    if found.is_empty() {
        return false;
    }
    let before = rounds.before();
    let mut old = Vec::new();
    flatten(&before.findings, &mut old);
    let started = Overlay::new(rounds.entries, &rounds.start.patch);
    let places = |judged: &Judged, finding: &Finding, overlay: &Overlay<'_>| {
        let labels = finding.labels.iter();
        let place = |event| origin(overlay, judged.transcript.event(event).at());
        let places = labels.filter_map(|label| Some((finding.rule.code, place(label.event)?)));
        places.collect::<Vec<_>>()
    };
    let known: HashSet<(Code, (EntryId, u64))> =
        old.iter().flat_map(|finding| places(before, finding, &started)).collect();
    found.retain(|finding| {
        let own = places(after, finding, overlay);
        !own.iter().any(|place| known.contains(place))
    });
    if found.is_empty() {
        return false;
    }
    let Ok(inverse) = patch.inverse(rounds.entries) else {
        return true;
    };
    // Collected once: a hostile file has many findings, and each has several records.
    let whole = before.transcript.events.iter().filter(|event| event.state == State::Whole);
    let whole: HashSet<_> = whole.filter_map(|event| origin(&started, event.at())).collect();
    let t = &after.transcript;
    let mut records: Vec<Span> =
        t.events.iter().filter(|event| event.within.is_none()).map(|event| event.at()).collect();
    records.sort_unstable_by_key(|at| (at.entry, at.start));
    found.into_iter().any(|finding| {
        let mut places = finding.labels.iter().map(|label| t.event(label.event).at());
        let is_changed = places.clone().any(|at| texts::touches(&inverse, room(&records, at)));
        // What was inserted was in no state before.
        is_changed
            && places.all(|at| origin(overlay, at).is_none_or(|place| whole.contains(&place)))
    })
}

/// Where a record was in the source.
fn origin(overlay: &Overlay<'_>, at: Span) -> Option<(EntryId, u64)> {
    Some((at.entry, overlay.origin(at.entry, at.start)?))
}

/// A record with the space around it, up to the records before and after it. `records`: all, in the order of their places.
fn room(records: &[Span], at: Span) -> Span {
    let in_entry = |own: &&Span| own.entry == at.entry;
    let ends_before = |own: &Span| (own.entry, own.end) <= (at.entry, at.start);
    let starts_before = |own: &Span| (own.entry, own.start) < (at.entry, at.end);
    let before = records[..records.partition_point(ends_before)].last().filter(in_entry);
    let after = records[records.partition_point(starts_before)..].first().filter(in_entry);
    let start = before.map_or(0, |own| own.end);
    Span::new(at.entry, start, after.map_or(u64::MAX, |own| own.start))
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
