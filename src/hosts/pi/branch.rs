//! Writes a repair without changing the file: the repaired end of the path is appended as a new
//! branch.

use hashbrown::{HashMap, HashSet};

use super::answer::unused;
use super::path::PiPath;
use super::write::SCHEMA;
use super::{own, session};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::containers::Layout;
use crate::containers::rewrite::{CannotDo, apply_changes};
use crate::format::FormatContext;
use crate::rewrite::MemberChanges;
use crate::transcript::{EventId, FactValue, Transcript};

/// Members that name other records.
const POINTERS: [&str; 3] = ["firstKeptEntryId", "targetId", "fromId"];

/// The lines to append to a file so that its path becomes that of its repaired state.
///
/// # Errors
/// The repair cannot be appended, only made in place.
pub(super) fn append(
    original: &FormatContext<'_>,
    repaired: &FormatContext<'_>,
) -> Result<Vec<Edit>, CannotDo> {
    let (old, new) = (PiPath::find(original), PiPath::find(repaired));
    let t = original.transcript;
    if old.tree.flat || version(t, &old) < 3 {
        return Err(CannotDo("files before version 3 have no branches that every host keeps"));
    }
    let mut same = 0;
    for (before, after) in old.tree.branch.iter().zip(&new.tree.branch) {
        if bytes(original, *before)? != bytes(repaired, *after)? {
            break;
        }
        same += 1;
    }
    if same == new.tree.branch.len() && same == old.tree.branch.len() {
        return Err(CannotDo(
            "the damage is not on the active branch, and appending removes nothing",
        ));
    }
    let changed = old.tree.branch.get(same).copied().unwrap_or(t.events.end());
    let has_after = |kind: &str| {
        old.tree.records.iter().any(|event| *event >= changed && t.kind(*event) == kind)
    };
    if old.openclaw && has_after("reset") {
        return Err(CannotDo("after a reset, the host would attach a new branch to the old end"));
    }
    if old.openclaw && has_after("leaf") {
        return Err(CannotDo("a pointer after the damage names the end of the old branch"));
    }
    if old
        .tree
        .branch
        .get(same..)
        .is_some_and(|rest| rest.iter().any(|event| t.has(*event, own::MALFORMED)))
    {
        return Err(CannotDo("a record that the host cannot use would stay in the file"));
    }
    // If only the end is removed, a copy of the last remaining record is the new end.
    let from = same.min(new.tree.branch.len().saturating_sub(1));
    let tail = new.tree.branch.get(from..).filter(|tail| !tail.is_empty());
    let tail = tail.ok_or(CannotDo("nothing would be left of the conversation"))?;
    let before = from.checked_sub(1).and_then(|at| new.tree.branch.get(at)).copied();
    let lines = copies(original, repaired, before, tail)?;
    appended(original, lines)
}

/// The version in the header; the newest if the header is unreadable.
fn version(t: &Transcript, path: &PiPath) -> i64 {
    let header = path.headers.first().and_then(|header| t.value_of(*header, own::VERSION));
    if let Some(FactValue::Number(version)) = header { version } else { 3 }
}

/// A record without the ending of its line.
fn bytes(context: &FormatContext<'_>, event: EventId) -> Result<Vec<u8>, CannotDo> {
    let bytes = context.entries.fetch(context.transcript.event(event).at());
    let bytes = bytes.map_err(|_| CannotDo("a record cannot be read again"))?;
    Ok(bytes.trim_ascii_end().to_vec())
}

/// The end of the repaired path after `before`, with new IDs. Records that the repair inserted
/// already have one.
fn copies(
    original: &FormatContext<'_>,
    repaired: &FormatContext<'_>,
    before: Option<EventId>,
    tail: &[EventId],
) -> Result<Vec<Vec<u8>>, CannotDo> {
    let (known, t) = (original.transcript, repaired.transcript);
    let session = session(original).unwrap_or_default();
    let mut new_ids: HashMap<&str, String> = HashMap::new();
    let mut used: HashSet<String> = HashSet::new();
    // All IDs first, because a record may point to a later one.
    for event in tail {
        let old = id(t, *event).ok_or(CannotDo("a record without an ID cannot be copied"))?;
        let is_known = |id: &str| known.ids.find(id).is_some();
        let words = format!("{session}|{old}|branch");
        let own = if is_known(old) {
            unused(&words, &|id| is_known(id) || used.contains(id))
        } else {
            old.to_owned()
        };
        used.insert(own.clone());
        if new_ids.insert(old, own).is_some() {
            return Err(CannotDo("two records of the active branch have the same ID"));
        }
    }
    let mut members = MemberChanges::new(&SCHEMA);
    let mut parent = before.and_then(|before| id(t, before)).map(str::to_owned);
    for event in tail {
        members.set_text(*event, "parentId", parent.as_deref());
        parent = id(t, *event).and_then(|old| new_ids.get(old)).cloned();
        if let Some(own) = &parent {
            members.set_text(*event, "id", Some(own));
        }
    }
    let mut lines = Vec::with_capacity(tail.len());
    for event in tail {
        let record = repaired.record(*event)?;
        for key in POINTERS {
            let named = record.root().string(key);
            if let Some(id) = named.and_then(|old| new_ids.get(old.as_ref())) {
                members.set_text(*event, key, Some(id));
            }
        }
        let changes = members.changes(repaired.source(), *event)?;
        lines.push(apply_changes(record.bytes(), &changes));
    }
    Ok(lines)
}

fn id(t: &Transcript, event: EventId) -> Option<&str> {
    t.event(event).id.map(|id| t.ids.get(id))
}

/// The edit that appends lines to the file, with its line endings.
fn appended(context: &FormatContext<'_>, lines: Vec<Vec<u8>>) -> Result<Vec<Edit>, CannotDo> {
    let Layout::Lines(entry) = context.layout else {
        return Err(CannotDo("only line files have branches"));
    };
    let length = context.entries.len(*entry);
    let tail = Span::new(*entry, length.saturating_sub(2), length);
    let tail =
        context.entries.fetch(tail).map_err(|_| CannotDo("the end of the file cannot be read"))?;
    let ending = context.line_ending(EventId::FIRST).as_bytes();
    let mut with = if tail.ends_with(b"\n") { Vec::new() } else { ending.to_vec() };
    for line in lines {
        with.extend_from_slice(line.trim_ascii_end());
        with.extend_from_slice(ending);
    }
    Ok(vec![Edit::bytes(Span::new(*entry, length, length), with)])
}
