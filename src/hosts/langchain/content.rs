//! Message content that the provider, or the client before it, rejects.

use super::clients::LangchainClient;
use super::{PartLocations, own};
use crate::dialects::langchain::{Form, locations};
use crate::dialects::{MemberRef, converse};
use crate::format::FormatContext;
use crate::json::build::{NewValue, ValueWriter};
use crate::json::cut::RecordChange;
use crate::json::node::Node;
use crate::requests::documents::RecordedDocument;
use crate::requests::refused;
use crate::transcript::{
    Applicability, Code, Diagnostic, EventId, Fix, Label, LabelRole, PartId, PartKind, Role,
    Subject, Transcript,
};

/// Finds rejected content in the messages that are sent.
pub(super) fn check(
    context: &FormatContext<'_>,
    locations: &PartLocations,
    client: LangchainClient,
    sent: &[EventId],
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut diagnostics: Vec<Diagnostic> =
        sent.iter().flat_map(|event| foreign(context, locations, client, *event)).collect();
    if !client.passes_blocks_on {
        return diagnostics;
    }
    diagnostics.extend(second_system(t, sent));
    diagnostics
}

/// The documents of a message as the client for Converse sends them (langchain-aws 1.7.3, `_format_data_content_block`).
/// It names those without a name.
pub(super) fn documents(root: Node<'_>) -> Vec<RecordedDocument<'_>> {
    let Some(form) = Form::of(root) else {
        return Vec::new();
    };
    let native = converse::documents(form.body).map(|(block, document)| RecordedDocument {
        block,
        name: Some(MemberRef::of(document, "name")),
    });
    let files = form.body.items_of("content").filter(|block| block.has_str("type", "file"));
    let files = files.map(|block| RecordedDocument { block, name: name_of(block) });
    native.chain(files).collect()
}

/// The name of a file, in the first place where the client finds one.
fn name_of(file: Node<'_>) -> Option<MemberRef<'_>> {
    const PLACES: &[&[&str]] = &[
        &["name"],
        &["filename"],
        &["metadata", "name"],
        &["extras", "name"],
        &["extras", "filename"],
    ];
    let mut places = PLACES.iter().filter_map(|path| file.at(path));
    places.find(|name| !name.is_null() && !name.is_str("")).map(MemberRef::At)
}

fn content(root: Node<'_>) -> Option<Node<'_>> {
    Form::of(root)?.body.get("content")
}

/// Blocks that the client sends unchanged or cannot convert, and messages of a type that it has no
/// role for.
fn foreign(
    context: &FormatContext<'_>,
    locations: &PartLocations,
    client: LangchainClient,
    event: EventId,
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut diagnostics = Vec::new();
    if t.has(event, own::FOREIGN) && !client.takes_any_kind {
        diagnostics.push(refused(
            Code::ForeignBlock,
            "a message type that LangChain cannot convert",
            event,
        ));
    }
    let foreign: Vec<PartId> = t
        .event(event)
        .parts
        .clone()
        .filter(|part| locations.get(*part) & client.refused != 0)
        .collect();
    if foreign.is_empty() {
        return diagnostics;
    }
    let spelling = locations::NATIVE_CALL | locations::CALL_BLOCK | locations::CAMEL_CALL;
    let is_respelled =
        foreign.iter().all(|part| locations.get(*part) & client.refused & !spelling == 0);
    let message = if is_respelled {
        "tool call written in another program's format"
    } else {
        "a block of a type that the provider does not have"
    };
    let mut diagnostic = refused(Code::ForeignBlock, message, event);
    let labels = foreign.iter().map(|part| {
        let is_call = t.part(*part).kind == PartKind::Call;
        Label::of(t, *part, if is_call { LabelRole::Call } else { LabelRole::Result })
    });
    diagnostic.labels = labels.collect();
    // A client that never sends call blocks would lose a call in the right spelling.
    let keeps_all = client.sent & locations::TOOL_USE != 0
        || foreign.iter().all(|part| locations.get(*part) & client.sent != 0);
    if is_respelled && keeps_all {
        let action = context.change(event, respell_calls);
        diagnostic.fixes = Fix::only(Applicability::Safe, action);
    }
    diagnostics.push(diagnostic);
    diagnostics
}

/// Rewrites calls in another provider's spelling as `tool_use` blocks.
fn respell_calls(root: Node<'_>) -> Vec<RecordChange> {
    let Some(content) = content(root) else {
        return Vec::new();
    };
    let writer = ValueWriter::of(&root.raw());
    let mut changes = Vec::new();
    for block in content.items() {
        let native = block.get("toolUse");
        let kind = block.string("type").unwrap_or_default();
        let (holder, id, input) = match (native, kind.as_ref()) {
            (Some(native), "") => (native, "toolUseId", "input"),
            (None, "tool_call") => (block, "id", "args"),
            (None, "tool_use") if block.get("id").is_none() => (block, "toolUseId", "input"),
            _ => continue,
        };
        let value = NewValue::object([
            ("type", NewValue::text("tool_use")),
            ("id", copy(holder, id)),
            ("name", copy(holder, "name")),
            ("input", copy(holder, input)),
        ]);
        let written = writer.at(block).write(&value);
        changes.push(RecordChange::new(block.span(), written));
    }
    changes
}

fn copy(holder: Node<'_>, key: &str) -> NewValue {
    holder.get(key).map_or(NewValue::NULL, NewValue::copy)
}

/// The client accepts system messages in one place only.
fn second_system(t: &Transcript, sent: &[EventId]) -> Vec<Diagnostic> {
    let mut runs: Vec<&[EventId]> = sent
        .chunk_by(|a, b| (t.event(*a).role == Role::System) == (t.event(*b).role == Role::System))
        .collect();
    runs.retain(|run| t.event(run[0]).role == Role::System);
    let runs = runs.into_iter().skip(1);
    runs.map(|run| {
        let mut diagnostic = refused(Code::RoleOrder, "system messages in several places", run[0]);
        diagnostic.about = vec![Subject::Name(run[0])];
        diagnostic
    })
    .collect()
}
