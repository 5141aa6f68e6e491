//! Messages as the AI SDK hands them to a model (`ModelMessage`, earlier `CoreMessage`): calls and results are blocks of their content.

mod read;

use super::ai_sdk_ui::AI_SDK_UI;
use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::members::{Holding, Members, shapes};
use crate::dialects::placeholders::NO_RESULT;
use crate::format::head::Sample;
use crate::format::records::list_on;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, HostTraits, Rank};
use crate::json::build::NewValue;
use crate::requests::documents::{self, RecordedDocuments};
use crate::requests::{Wire, reasoning_parts, tool_names};
use crate::shapes::chat::blocks::{self, BlockWriting};
use crate::shapes::chat::{self};
use crate::transcript::{PartId, Role};

crate::transcript::fact::own_facts! {
    /// A call or a result as version 4 writes it: `args` and `result`, later `input` and `output`.
    VERSION_4,
    /// Reasoning has the ID of an item of the Responses API.
    ITEM,
}

pub(crate) const AI_SDK_MODEL: Format = Format {
    name: "ai-sdk-model",
    title: "AI SDK model messages",
    page: include_str!("page.md"),
    rank: Rank::Api,
    recognize,
    explains: read::owns,
    records: RecordReader::new(read::owns, read::read).of_messages(),
    // The SDK itself refuses calls without results (`AI_MissingToolResultsError`).
    pieces: read::pieces,
    project: |context| chat::project(context, &AI_SDK_MODEL.traits),
    wire: Wire {
        needs: &[&tool_names::NEED, &reasoning_parts::NEED, &documents::NEED],
        documents: RecordedDocuments { find: read::documents, ..AI_SDK_UI.wire.documents },
        ..Wire::NONE
    },
    supports: blocks::SUPPORTS,
    planner: |context, request| blocks::planner(context, &WRITING, request),
    text: chat::text,
    model: |t| t.is_known(own::ITEM).then(|| "openai-responses".to_owned()),
    traits: HostTraits {
        words: Some(WordSet::of(&["toolCallId:", "approvalId:"])),
        blocks: &[&["content"]],
        sent: &[&["role"], &["content"]],
        members: Members::own(&[
            (Holding::Details, "args experimental_content providerOptions"),
            (Holding::Envelope, "isError providerExecuted approvalId approved"),
        ])
        .shaped(&shapes::MODEL_MESSAGES),
        ..AI_SDK_UI.traits
    },
    ..AI_SDK_UI
};

const WRITING: BlockWriting =
    BlockWriting { results: (Role::Tool, "tool"), answer, ..BlockWriting::MESSAGES };

/// A list, the list of a document, or lines, with a call or a result among their messages.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    const WAYS: [&[PathStep]; 2] = [&[], &[PathStep::Key("messages")]];
    head.list(
        |entry, root| list_on(&WAYS, entry, root, read::has_tools),
        || head.nodes().any(read::has_tools),
    )
}

/// A block that answers a call with an error, as the version that wrote the call does.
fn answer(context: &FormatContext<'_>, call: PartId) -> NewValue {
    let t = context.transcript;
    let part = t.part(call);
    let mut members = vec![
        ("type", NewValue::text("tool-result")),
        ("toolCallId", NewValue::text(t.text(part.id))),
        ("toolName", NewValue::text(t.text(part.tool))),
    ];
    if t.has(part.event, own::VERSION_4) {
        members.push(("result", NewValue::text(NO_RESULT)));
        members.push(("isError", NewValue::Raw("true".into())));
    } else {
        let output = [("type", NewValue::text("error-text")), ("value", NewValue::text(NO_RESULT))];
        members.push(("output", NewValue::object(output)));
    }
    NewValue::object(members)
}
