//! Compares the names of event files with their content.

use hashbrown::HashSet;

use super::tree::ConversationTree;
use crate::containers::{Layout, NAME_ID, Naming};
use crate::format::FormatContext;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Id, Instance, LinkKind, State, Subject,
};

/// Whether the SDK accepts this as an event ID in a file name.
pub(super) fn is_name_id(id: &str) -> bool {
    id.len() >= 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Reports files whose name the SDK does not recognize or cannot find, or that names another event
/// than they contain.
pub(super) fn check(context: &FormatContext<'_>, tree: &ConversationTree) -> Vec<Diagnostic> {
    let Layout::Files(files) = context.layout else {
        return Vec::new();
    };
    let Naming::Indexed { between: '-', .. } = files.naming else {
        return Vec::new();
    };
    let t = context.transcript;
    let named: HashSet<Id> =
        t.links.iter().filter(|l| l.kind != LinkKind::Forgets).filter_map(|l| l.to).collect();
    let mut diagnostics = Vec::new();
    for event in tree.records.iter().copied().filter(|event| t.event(*event).state == State::Whole)
    {
        let Some(in_name) = t.fact_id(event, NAME_ID) else {
            continue;
        };
        let id = t.event(event).id;
        if id.is_none() {
            diagnostics.push(nameless(context, tree, event, in_name));
            continue;
        }
        let name = context.entries.name(t.event(event).at().entry);
        let padded = files.naming.name(t.event(event).place().number(), t.ids.get(in_name));
        let (message, wrong) = match id {
            Some(id) if id != in_name => ("the file name has a different ID than the event", true),
            _ if !is_name_id(t.ids.get(in_name)) => {
                ("the SDK does not recognize this file name", true)
            }
            _ => (
                "the SDK does not find this file: the index in its name does not have five digits",
                false,
            ),
        };
        if wrong || padded.as_deref() != Some(name) {
            diagnostics.push(misnamed(context, tree, &named, event, in_name, message));
        }
    }
    diagnostics.extend(left_over(context, tree));
    diagnostics
}

/// An event without an ID. It gets the ID in its file name, if no other event has that.
fn nameless(
    context: &FormatContext<'_>,
    tree: &ConversationTree,
    event: EventId,
    in_name: Id,
) -> Diagnostic {
    let message = "event without an ID: the SDK makes up a new one at every load";
    let mut diagnostic = Diagnostic::about(Code::MalformedRecord, message, Subject::Content, event);
    let t = context.transcript;
    // Its children find it by the ID in its file name.
    if tree.id(t, event) == Some(in_name) {
        (diagnostic.instance, diagnostic.effect) = (Some(Instance::Corrected), Effect::None);
    } else {
        diagnostic.effect = Effect::LoadFails;
    }
    if tree.id(t, event) == Some(in_name) && is_name_id(t.ids.get(in_name)) {
        diagnostic.fix_safely([Action::AssignId(event)]);
    }
    diagnostic
}

/// A leftover file of an interrupted write. The SDK ignores it.
fn left_over(context: &FormatContext<'_>, tree: &ConversationTree) -> Option<Diagnostic> {
    let is_left_over = |name: &str| {
        let name = name.strip_prefix("events/").unwrap_or(name);
        name.starts_with(".event-") && name.ends_with(".tmp")
    };
    let mut ids = context.entries.ids().into_iter();
    ids.find(|id| is_left_over(context.entries.name(*id)))?;
    let message = "leftover file of an interrupted write; the SDK ignores it";
    let mut diagnostic = Diagnostic::new(Code::TornTail, message, *tree.records.last()?);
    diagnostic.instance = Some(Instance::Harmless);
    Some(diagnostic)
}

fn misnamed(
    context: &FormatContext<'_>,
    tree: &ConversationTree,
    named: &HashSet<Id>,
    event: EventId,
    in_name: Id,
    message: &'static str,
) -> Diagnostic {
    let t = context.transcript;
    let mut diagnostic = Diagnostic::about(Code::RecordOrder, message, Subject::Name, event);
    diagnostic.effect = Effect::LoadFails;
    let id = t.event(event).id;
    let fits = id.is_some_and(|id| is_name_id(t.ids.get(id)));
    let name_is_meant =
        id != Some(in_name) && named.contains(&in_name) && id.is_none_or(|id| !named.contains(&id));
    // If another event has the ID, the name refers to that one.
    let free = tree.by_id.get(&in_name).is_none_or(|other| *other == event);
    if name_is_meant && free && is_name_id(t.ids.get(in_name)) {
        diagnostic.fix_safely([Action::AssignId(event)]);
    } else if fits {
        diagnostic.fix_safely([Action::Renumber(event)]);
    }
    diagnostic
}
