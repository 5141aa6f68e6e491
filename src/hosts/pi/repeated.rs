//! Entries that share an ID.

use super::path::PiPath;
use crate::bytes::edit::Edit;
use crate::containers::change;
use crate::format::FormatContext;
use crate::json::cut;
use crate::json::quote::quote;
use crate::transcript::{Action, Code, Diagnostic, Effect, EventId, LabelRole, LinkKind, Subject};

/// Reports IDs that different entries share.
pub(super) fn check(context: &FormatContext<'_>, path: &PiPath) -> Vec<Diagnostic> {
    let mut groups: Vec<&[EventId]> = path.tree.shared_ids().collect();
    groups.sort_unstable();
    groups.into_iter().map(|group| shared(context, path, group)).collect()
}

fn shared(context: &FormatContext<'_>, path: &PiPath, group: &[EventId]) -> Diagnostic {
    let t = context.transcript;
    let first = group[0];
    let mut diagnostic = Diagnostic::new(
        Code::DuplicateRecordId,
        "different records have the same ID: only the last one is kept",
        first,
    );
    diagnostic.label(&group[1..], LabelRole::Copy);
    diagnostic.about = vec![Subject::Name(first)];
    diagnostic.effect = Effect::LoadFails;
    let edits: Option<Vec<Vec<Edit>>> = (1..)
        .zip(group.iter().skip(1))
        .map(|(number, event)| rename_edits(context, path, *event, number))
        .collect();
    if let Some(edits) = edits.filter(|_| t.event(first).id.is_some()) {
        let last = group[group.len() - 1];
        let action = Action::edits(last, "give {} an ID of its own", edits.concat());
        diagnostic.fix_with_guess([action]);
    }
    diagnostic
}

/// The edits that give an entry a new ID, also in later entries that name it.
fn rename_edits(
    context: &FormatContext<'_>,
    path: &PiPath,
    event: EventId,
    number: u32,
) -> Option<Vec<Edit>> {
    let t = context.transcript;
    let old = t.event(event).id?;
    let id = super::answer::fresh(t, &format!("{}|{number}|copy", t.ids.get(old)));
    let mut edits = vec![set(context, event, "id", &id)?];
    for child in path.tree.records.iter().copied().filter(|child| *child > event) {
        let names = t.link_of(child, LinkKind::Parent).is_some_and(|link| link.to == Some(old));
        if names && path.tree.resolve(old, child) == Some(event) {
            edits.push(set(context, child, "parentId", &id)?);
        }
    }
    Some(edits)
}

/// The edit that sets a string member of a record.
pub(super) fn set(
    context: &FormatContext<'_>,
    event: EventId,
    key: &str,
    value: &str,
) -> Option<Edit> {
    let record = context.record(event).ok()?;
    let change = cut::replace(record.root().get(key)?, &quote(value));
    change::edits(context.transcript.event(event).at(), vec![change]).next()
}
