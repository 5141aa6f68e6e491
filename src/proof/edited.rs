//! The proof of edits: what they remove of a record, of bytes between records, or with a file.

use super::answered::{fragment_of, shows_lost_result};
use super::contents::solid;
use super::unread::bytes_of;
use super::{Case, Contents, Proof, Reason, TextKey};
use crate::bytes::edit::Edit;
use crate::bytes::source::{EntryId, Span};
use crate::json::node::Node;
use crate::json::record::Record;
use crate::rules::{Finding, layer};
use crate::transcript::{Code, EventId, State};
use hashbrown::HashSet;

/// A cache, which its host writes anew from the records. What only the cache still shows they do not have.
fn removed_file(case: &Case<'_>, finding: &Finding, file: EntryId) -> Proof {
    let entries = case.context.entries;
    let whole = Span { entry: file, start: 0, end: entries.len(file) };
    let bytes = entries.fetch(whole).unwrap_or_default();
    if finding.rule.code != Code::StaleSideFile || shows_lost_result(case, &bytes) {
        return Proof::None;
    }
    Proof::Removes(Reason::Rebuilt, Contents::of_bytes(bytes))
}

/// What the edits of a record remove.
pub(super) fn edited(case: &Case<'_>, finding: &Finding, event: EventId, edits: &[Edit]) -> Proof {
    let t = case.context.transcript;
    let file = edits.iter().find_map(|edit| match edit {
        Edit::Remove(file) => Some(*file),
        _ => None,
    });
    if let Some(file) = file {
        return removed_file(case, finding, file);
    }
    let at = t.event(event).at();
    // Only if the edits stay inside a record that was read can its contents be compared.
    let is_record = finding.layer != layer::BYTES
        && t.event(event).state == State::Whole
        && edits.iter().all(|edit| match edit {
            Edit::Bytes { at: own, .. } => {
                own.entry == at.entry && at.start <= own.start && own.end <= at.end
            }
            _ => false,
        });
    if !is_record {
        return edited_bytes(case, edits);
    }
    let old_bytes = bytes_of(case, event);
    let new_bytes = apply(&old_bytes, at, edits);
    let mut old = Contents::of_bytes(old_bytes.clone());
    let new = Contents::of_bytes(new_bytes.clone());
    if old.is_in(&new) {
        return if old.texts.len() > new.texts.len() {
            Proof::Removes(Reason::Derived, Contents::default())
        } else {
            Proof::Keeps
        };
    }
    let kept: HashSet<TextKey> = new.texts.iter().copied().collect();
    old.texts.retain(|text| !kept.contains(text));
    if is_derived(&old_bytes, &new_bytes, &old) {
        return Proof::Removes(Reason::Derived, old);
    }
    if old.only_placeholders { Proof::Removes(Reason::Placeholder, old) } else { Proof::None }
}

/// Whether edits insert all that the records in these bytes hold.
fn is_moved(old: &[u8], edits: &[Edit]) -> bool {
    let inserted = edits.iter().filter_map(|edit| match edit {
        Edit::Bytes { with, .. } => Some(with.split(|byte| *byte == b'\n')),
        _ => None,
    });
    let inserted = inserted.flatten().map(|line| Contents::of_bytes(line.to_vec()));
    let inserted: HashSet<TextKey> = inserted.flat_map(|own| own.texts).collect();
    let lines = old.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let mut records = lines.map(|line| Record::parse(line.to_vec()).filter(Record::is_whole));
    !inserted.is_empty()
        && records.all(|record| {
            let own = record.map(|record| Contents::of(record.root()));
            own.is_some_and(|own| own.texts.iter().all(|text| inserted.contains(text)))
        })
}

/// Whether all words of the lost texts are in the other texts of the record: a broken encoding of what it has in a second
/// member.
fn is_derived(old: &[u8], new: &[u8], lost: &Contents) -> bool {
    let lost_texts = texts_of(old).into_iter().filter(|text| {
        let own = Contents::of_text(text);
        own.texts.iter().any(|text| lost.texts.contains(text))
    });
    let all = texts_of(new).join("\n");
    // Of few words, most are in any text.
    const FEWEST: usize = 2;
    let lost_texts: Vec<String> = lost_texts.collect();
    let words = lost_texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    let enough = words.filter(|word| !word.is_empty()).count() >= FEWEST;
    enough
        && lost_texts.iter().all(|text| {
            let unescaped = text.replace("\\n", " ").replace("\\t", " ");
            unescaped.split(|c: char| !c.is_alphanumeric()).all(|word| all.contains(word))
        })
}

/// The strings and the keys of a record.
fn texts_of(bytes: &[u8]) -> Vec<String> {
    let Some(record) = Record::parse(bytes.to_vec()) else {
        return Vec::new();
    };
    let mut texts = Vec::new();
    add_texts(record.root(), &mut texts);
    texts
}

fn add_texts(value: Node<'_>, texts: &mut Vec<String>) {
    texts.extend(value.str().map(|text| text.into_owned()));
    for (key, member) in value.members() {
        texts.extend(key.str().map(|key| key.into_owned()));
        add_texts(member, texts);
    }
    value.items().for_each(|item| add_texts(item, texts));
}

/// The bytes of a record after the edits in it.
fn apply(old: &[u8], at: Span, edits: &[Edit]) -> Vec<u8> {
    let mut changes: Vec<(usize, usize, &[u8])> = Vec::new();
    for edit in edits {
        if let Edit::Bytes { at: own, with } = edit {
            let [start, end] = [own.start, own.end].map(|place| (place - at.start) as usize);
            changes.push((start, end, with));
        }
    }
    changes.sort_by_key(|(start, end, _)| (*start, *end));
    let (mut new, mut from) = (Vec::with_capacity(old.len()), 0);
    for (start, end, with) in changes {
        new.extend(old.get(from..start).unwrap_or_default());
        new.extend(with);
        from = end;
    }
    new.extend(old.get(from..).unwrap_or_default());
    new
}

/// What edits remove that separate, strip or escape bytes.
fn edited_bytes(case: &Case<'_>, edits: &[Edit]) -> Proof {
    let mut proof = Proof::Keeps;
    let inserted = edits.iter().filter_map(|edit| match edit {
        Edit::Bytes { with, .. } => Some(solid(with)),
        _ => None,
    });
    let inserted: Vec<String> = inserted.filter(|with| !with.is_empty()).collect();
    for edit in edits {
        let Edit::Bytes { at, with } = edit else {
            continue;
        };
        if at.start >= at.end {
            continue;
        }
        let old = case.context.entries.fetch(*at).unwrap_or_default();
        let kept = solid(&old);
        // Escaped in its place, or moved to another.
        if solid(with).contains(&kept)
            || inserted.iter().any(|with| with.contains(&kept))
            || is_moved(&old, edits)
        {
            continue;
        }
        match fragment_of(case, old, None) {
            Proof::None => return Proof::None,
            own => proof = own,
        }
    }
    proof
}
