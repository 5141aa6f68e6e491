//! The ledger of contents: every text of the source is in the result of a repair, or a proven reason covers it.

use hashbrown::HashSet;

use super::Taken;
use super::rounds::Rounds;
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::engine::Judged;
use crate::proof::{Contents, TextKey};
use crate::transcript::{State, Transcript};

/// Whether a text of the source is neither in the result nor covered by the reason of a removal.
pub(super) fn loses_text(
    rounds: &Rounds<'_>,
    patch: &Patch,
    overlay: &Overlay<'_>,
    after: &Judged,
    taken: &[Taken],
) -> bool {
    let source = &rounds.source.transcript;
    let is_changed = |at: Span| touches(patch, at);
    let mut missing = texts(rounds.entries, source, &is_changed);
    missing.extend(texts_of_removed_files(rounds, patch));
    for key in taken.iter().flat_map(|taken| &taken.covers) {
        missing.remove(key);
    }
    if missing.is_empty() {
        return false;
    }
    let Ok(inverse) = patch.inverse(rounds.entries) else {
        return true;
    };
    let is_new = |at: Span| touches(&inverse, at);
    remove_texts(&mut missing, overlay, &after.transcript, &is_new);
    if missing.is_empty() {
        return false;
    }
    // What is equal to a record that stays.
    let stays = |at: Span| !touches(patch, at);
    remove_texts(&mut missing, rounds.entries, source, &stays);
    !missing.is_empty()
}

/// The texts of side files that a patch removes, a cache for example, which no record of the source has.
fn texts_of_removed_files(rounds: &Rounds<'_>, patch: &Patch) -> HashSet<TextKey> {
    let (entries, source) = (rounds.entries, &rounds.source.transcript);
    let of_records: HashSet<EntryId> = source.events.iter().map(|event| event.at().entry).collect();
    let is_removed = |entry: &EntryId| patch.removes(*entry) && !of_records.contains(entry);
    let mut found = HashSet::new();
    for entry in entries.ids().into_iter().filter(is_removed) {
        let whole = Span::new(entry, 0, entries.len(entry));
        found.extend(entries.fetch(whole).map(Contents::of_bytes).unwrap_or_default().texts);
    }
    if !found.is_empty() {
        remove_texts(&mut found, entries, source, &|_| true);
    }
    found
}

/// Whether a patch changes a span, or something at its edge.
pub(super) fn touches(patch: &Patch, at: Span) -> bool {
    if patch.removes(at.entry) {
        return true;
    }
    let edits = patch.bytes_of(at.entry);
    let next = edits.partition_point(|edit| edit.end < at.start);
    edits.get(next).is_some_and(|edit| edit.start <= at.end)
}

/// The whole records of a transcript with these spans, each with its bytes.
fn records<'a>(
    entries: &'a dyn Entries,
    t: &'a Transcript,
    is_own: &'a dyn Fn(Span) -> bool,
) -> impl Iterator<Item = Contents> + 'a {
    let events = t.events.iter();
    let whole = events.filter(|event| event.state == State::Whole && event.within.is_none());
    let spans = whole.map(|event| event.at()).filter(move |at| is_own(*at));
    spans.filter_map(move |at| Some(Contents::of_bytes(entries.fetch(at).ok()?)))
}

fn texts(entries: &dyn Entries, t: &Transcript, is_own: &dyn Fn(Span) -> bool) -> HashSet<TextKey> {
    records(entries, t, is_own).flat_map(|own| own.texts).collect()
}

/// Removes the texts of these records, until none is left.
fn remove_texts(
    missing: &mut HashSet<TextKey>,
    entries: &dyn Entries,
    t: &Transcript,
    is_own: &dyn Fn(Span) -> bool,
) {
    for own in records(entries, t, is_own) {
        own.texts.iter().for_each(|text| {
            missing.remove(text);
        });
        if missing.is_empty() {
            return;
        }
    }
}
