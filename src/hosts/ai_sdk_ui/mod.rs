//! Messages of the AI SDK's user interface (`UIMessage`), as applications keep them: a part of a message is a call with its result.

mod approvals;
pub(super) mod read;
mod version_4;

use super::checked;
use super::openai_chat::OPENAI_CHAT;
use crate::containers::rewrite::CannotDo;
use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::members::{Holding, Members, shapes};
use crate::dialects::placeholders::NO_RESULT;
use crate::format::head::Sample;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::record::Record;
use crate::requests::documents::{self, RecordedDocuments};
use crate::requests::{Wire, reasoning_parts};
use crate::rewrite::{Schema, set_member};
use crate::shapes::chat::{self, inside};
use crate::transcript::pairs::PairPolicy;
use crate::transcript::{Code, Effect, EventId, PartKind, Request, Role, Transcript};

crate::transcript::fact::own_facts! {
    /// The model that an application notes with an answer.
    MODEL,
    /// A call that a user had to approve has no result.
    ASKED,
    /// Reasoning has the ID of an item of the Responses API.
    ITEM,
}

pub(crate) const AI_SDK_UI: Format = Format {
    name: "ai-sdk-ui",
    host: &Host::new("ai-sdk", "the AI SDK"),
    title: "AI SDK UI messages",
    page: include_str!("page.md"),
    checked: Verification::Suite(checked::AI_SDK_UI, "5.0.277"),
    rank: Rank::Api,
    recognize,
    explains: read::owns,
    records: RecordReader::new(read::owns, read::read).of_messages(),
    pieces: read::pieces,
    project,
    wire: Wire {
        needs: &[&reasoning_parts::NEED, &documents::NEED],
        documents: RecordedDocuments {
            find: read::documents,
            // `@ai-sdk/amazon-bedrock` 5.0.61 takes the extension away.
            without_extension: true,
            as_text: Some(|text| format!("{{\"type\":\"text\",\"text\":{}}}", quote(text))),
        },
        ..Wire::NONE
    },
    supports: SCHEMA.supports,
    planner: |context, request| inside::planner(context, &SCHEMA, changes, request),
    text: read::text,
    model,
    traits: HostTraits {
        noun: "message",
        words: Some(WordSet::of(&["parts:"])),
        pairs: PairPolicy::LISTS,
        takes_reused_ids: true,
        joined: "parts",
        members: Members::own(&[
            (Holding::Details, "errorText rawInput approval toolInvocation"),
            (Holding::Envelope, "state providerExecuted preliminary approved"),
        ])
        .shaped(&shapes::UI_MESSAGES),
        rows: true,
        ..HostTraits::NONE
    },
    after_write: OPENAI_CHAT.after_write,
};

const SCHEMA: Schema = Schema { supports: inside::SUPPORTS, ..Schema::PLAIN };

/// A list, the list of a document, or lines.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    const WAYS: [&[PathStep]; 2] = [&[], &[PathStep::Key("messages")]];
    head.list(
        |entry, root| crate::format::records::list_on(&WAYS, entry, root, read::owns),
        || head.nodes().any(read::owns),
    )
}

/// The model that an application notes. Only the Responses API has IDs of items.
fn model(t: &Transcript) -> Option<String> {
    if t.is_known(own::ITEM) {
        return Some("openai-responses".to_owned());
    }
    t.all_texts(own::MODEL).last().map(str::to_owned)
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let messages = chat::messages(t);
    let (mut left_out, diagnostics) = inside::repeated_calls(context, &messages);
    let (undecided, approvals) = approvals::check(context, &messages);
    left_out.extend(undecided);
    left_out.sort_unstable();
    let mut request = chat::project_without(context, &AI_SDK_UI.traits, &left_out);
    // Providers take a text twice, but not all of them a call.
    for diagnostic in &mut request.diagnostics {
        let is_taken = context.target.reuse_accepted
            || t.part_of(diagnostic.labels[0].event, PartKind::Call).is_none();
        if diagnostic.code == Code::RepeatedRecord && is_taken {
            (diagnostic.instance, diagnostic.effect) = (None, Effect::None);
        }
    }
    request.diagnostics.extend(diagnostics);
    request.diagnostics.extend(approvals);
    request
        .diagnostics
        .extend(messages.iter().find(|event| t.event(**event).role == Role::System).map(|event| {
        let message =
            "a system message in the list, which AI SDK 7 takes only with `allowSystemInMessages`";
        let mut note = chat::diagnostics::note(*event, message);
        note.effect = Effect::Elsewhere;
        note
    }));
    request
}

fn changes(
    context: &FormatContext<'_>,
    event: EventId,
    _: Node<'_>,
    inside: &inside::InsideRecord,
) -> Result<Vec<RecordChange>, CannotDo> {
    inside::change_parts(context, event, inside, fail)
}

/// Lets a call end with an error, marked as ours. One that waited for the user ends as denied: the SDK takes no other end of it.
fn fail(_: &Record, part: Node<'_>) -> Vec<RecordChange> {
    if let Some(changes) = approvals::deny(part) {
        return changes;
    }
    let mut changes: Vec<RecordChange> = part
        .get("state")
        .map(|state| cut::replace(state, "\"output-error\""))
        .into_iter()
        .collect();
    let text = quote(NO_RESULT);
    // The SDK takes no call without an input. Two members cannot come to the same place.
    let mut after = "input";
    if part.get("input").is_none() {
        changes.push(cut::insert_member(part, Some("state"), "input", "{}"));
        after = "toolCallId";
    }
    changes.push(set_member(part, Some(after), "errorText", &text));
    changes
}
