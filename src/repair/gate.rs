//! The gate: what a repair itself made is never written.

use std::hash::{DefaultHasher, Hash, Hasher};

use hashbrown::HashSet;

use super::Taken;
use super::rounds::Rounds;
use crate::bytes::overlay::Overlay;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::containers::{Layout, items};
use crate::engine::{Judged, Verdict, judge, provider};
use crate::formats::fit::{Detected, What, detect};
use crate::formats::head::Sample;
use crate::formats::{Detection, recognize};
use crate::json::tape::End;
use crate::rules::Finding;
use crate::transcript::{Code, Effect, Severity, State, Transcript};

/// What tells a finding in two states of one conversation.
type Key = (Code, Vec<String>);

/// The same, as a number that holds nothing of the transcript.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FindingKey(u64);

impl FindingKey {
    pub(crate) fn of(judged: &Judged, finding: &Finding) -> FindingKey {
        let mut hasher = DefaultHasher::new();
        key(judged, finding).hash(&mut hasher);
        FindingKey(hasher.finish())
    }
}

fn key(judged: &Judged, finding: &Finding) -> Key {
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

/// The ids of what a finding and its consequences are about: of the calls, else of the records.
pub(crate) fn ids(judged: &Judged, finding: &Finding) -> Vec<String> {
    let mut told = Vec::new();
    all(std::slice::from_ref(finding), &mut told);
    told.into_iter()
        .flat_map(|finding| key(judged, finding).1)
        .collect()
}

fn all<'a>(findings: &'a [Finding], into: &mut Vec<&'a Finding>) {
    for finding in findings {
        into.push(finding);
        all(&finding.consequences, into);
    }
}

/// Why a state of a repair is never written, whatever its fixes promise.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Something is wrong with what the repair touched that was not wrong before.
    NewDamage,
    /// It is judged worse than the source.
    Worse,
    /// Something cannot be read that could be read in the source.
    Unreadable,
    /// Nobody would take it for a recording.
    NotRecognized,
    /// The conversation would be looked for in another list of the document.
    Elsewhere,
    /// Whoever looks at it without knowing the source judges it otherwise.
    ReadsOtherwise,
    /// A second repair would go on, and a third.
    NoEnd,
}

impl Failure {
    /// Why its fixes are left out.
    pub(super) fn why(self) -> &'static str {
        match self {
            Failure::NoEnd => "All fixes were left out: each repair would require another one.",
            Failure::NewDamage => "A fix was left out: it would cause new problems.",
            Failure::Worse => "A fix was left out: it would make the verdict worse.",
            Failure::Unreadable => "A fix was left out: it would make something unreadable.",
            Failure::NotRecognized => {
                "A fix was left out: the format of the result would not be \
                recognized."
            }
            Failure::Elsewhere => {
                "A fix was left out: without what it removes, another list would be taken for the messages."
            }
            Failure::ReadsOtherwise => {
                "A fix was left out: it removes the only sign of the format or provider, so the \
                result would be checked differently. --unsafe applies it."
            }
        }
    }
}

/// What speaks against the state that these fixes lead to.
pub(super) fn failure(
    rounds: &Rounds<'_>,
    overlay: &Overlay<'_>,
    after: &Judged,
    taken: &[Taken],
) -> Option<Failure> {
    let before = rounds.before();
    if !still_known(rounds, overlay) {
        return Some(Failure::NotRecognized);
    }
    if reads_less(rounds, overlay, after) {
        return Some(Failure::Unreadable);
    }
    if badness(after) > badness(before) {
        return Some(Failure::Worse);
    }
    if is_elsewhere(rounds, overlay, after) {
        return Some(Failure::Elsewhere);
    }
    if reads_otherwise(rounds, overlay, after) {
        return Some(Failure::ReadsOtherwise);
    }
    new_damage(before, after, taken).then_some(Failure::NewDamage)
}

/// How bad a conversation is: its verdict, where a call that waits is no damage, then the messages that nobody sees.
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

/// The first records of a recording.
fn head<'a>(entries: &'a dyn Entries, name: &'a str, was: &Detection) -> Option<Sample<'a>> {
    match was.layout {
        Layout::Files(_) => Some(Sample::of_names(entries, name)),
        _ => Sample::of_file(entries, EntryId(0), name).ok(),
    }
}

/// What a recording is to somebody who was not told its format.
fn freely(entries: &dyn Entries, name: &str, was: &Detection) -> Option<What> {
    match detect(&head(entries, name, was)?) {
        Detected::Is(what) => Some(what),
        Detected::Unclear(_) => None,
    }
}

/// Whether a recording is found to be of this format by everybody.
fn is_found(rounds: &Rounds<'_>) -> bool {
    let found = freely(rounds.entries, rounds.name, rounds.claim);
    matches!(found, Some(What::Read(own)) if own.format.name == rounds.claim.format.name)
}

/// Whether what the repair leaves is still recognized as some recording, where the format was recognized before: its host is
/// not told the format either, and an empty file is not healthy. A single event that is left is known for what it is.
fn still_known(rounds: &Rounds<'_>, overlay: &dyn Entries) -> bool {
    freely(overlay, rounds.name, rounds.claim).is_some() || !is_found(rounds)
}

/// Whether a record that could be read cannot be read any more, or a document that was JSON is none.
fn reads_less(rounds: &Rounds<'_>, overlay: &Overlay<'_>, after: &Judged) -> bool {
    let is_json = |entries: &dyn Entries, entry| {
        items::skim(entries, entry, 0, 0).is_ok_and(|tape| matches!(tape.end, End::Whole))
    };
    let layout = &rounds.claim.layout;
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
            .map(|event| event.at)
            .collect()
    };
    let holes = of_state(&after.transcript, State::Unreadable);
    if holes.is_empty() {
        return false;
    }
    let whole: HashSet<(EntryId, u64)> = of_state(t, State::Whole)
        .into_iter()
        .map(|at| (at.entry, at.start))
        .collect();
    let origin = |at: &Span| Some((at.entry, overlay.origin(at.entry, at.start)?));
    holes
        .iter()
        .filter_map(origin)
        .any(|at| whole.contains(&at))
}

/// Whether a recording of this format is found elsewhere in the source than it was judged: in another list of a document.
fn is_elsewhere(rounds: &Rounds<'_>, overlay: &dyn Entries, after: &Judged) -> bool {
    let Detection { layout, format, .. } = &after.claim;
    let found = |entries: &dyn Entries| {
        recognize(&head(entries, rounds.name, rounds.claim)?, Some(format))
            .map(|claim| claim.layout)
    };
    layout.is_document()
        && found(overlay).is_some_and(|now| now != *layout)
        && found(rounds.entries).is_some_and(|before| before == *layout)
}

/// Whether somebody who does not know the source comes to another verdict, or would repair more: a repair may remove the only sign of a format, or of
/// a provider.
fn reads_otherwise(rounds: &Rounds<'_>, overlay: &dyn Entries, after: &Judged) -> bool {
    let Some(What::Read(claim)) = freely(overlay, rounds.name, rounds.claim) else {
        return false;
    };
    if claim.conversations.are_rows() || !is_found(rounds) {
        return false;
    }
    let same_format = claim.format.name == after.claim.format.name;
    let same_provider = || provider(rounds.asked, after).name() == after.target_choice.name();
    if same_format && same_provider() {
        return false;
    }
    let Ok(again) = judge(overlay, rounds.name, &claim, rounds.asked) else {
        return true;
    };
    let goes_on = again
        .findings
        .iter()
        .any(|finding| rounds.policy.admits(&again, finding).is_some());
    // Plain words that nobody minds may be anybody's.
    let minds = |judged: &Judged| judged.at_least(Severity::Warning).next().is_some();
    let differs =
        again.verdict != after.verdict || (!same_format && (minds(&again) || minds(after)));
    goes_on || (differs && !rounds.policy.with_unsafe)
}

/// Whether something is wrong with what the fixes touched that was not wrong before. Damage that was hidden behind what was
/// mended is no such thing: nothing that was done concerns its calls.
pub(super) fn new_damage(before: &Judged, after: &Judged, taken: &[Taken]) -> bool {
    let mut old = Vec::new();
    all(&before.findings, &mut old);
    let known: HashSet<Key> = old.iter().map(|finding| key(before, finding)).collect();
    let mended: HashSet<&String> = taken.iter().flat_map(|taken| &taken.ids).collect();
    let severe = |finding: &&&Finding| finding.severity >= Severity::Error;
    let mut new = Vec::new();
    all(&after.findings, &mut new);
    let fresh = new.iter().filter(severe).any(|finding| {
        let key = key(after, finding);
        !known.contains(&key) && !key.1.is_empty() && key.1.iter().all(|id| mended.contains(id))
    });
    let count = |judged: &Judged| {
        judged
            .findings
            .iter()
            .filter(|f| f.severity >= Severity::Error)
            .count()
    };
    fresh && count(after) > count(before)
}
