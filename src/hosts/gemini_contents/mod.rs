//! Turns of the Gemini API as they are sent: request bodies, saved histories, checkpoints of Gemini CLI.

mod layout;
mod read;
mod turns;
mod write;

use crate::containers::RecordReader;
use crate::dialects::members::{Members, shapes};
use crate::format::policy::PolicyRow;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::json::node::Node;
use crate::requests::arguments::{self, RecordedArguments};
use crate::requests::empty_content::{self, EmptyMessages};
use crate::requests::{
    Wire, result_names, results_together, roles_alternate, signed_calls, starts_with_user,
    tool_names,
};
use crate::shapes::chat::{self, diagnostics};
use crate::transcript::pairs::{PairPolicy, Paired, Pairs};
use crate::transcript::request::{Request, Sent};
use crate::transcript::{Code, EventId, PartKind, Role, Severity, Transcript, messages};

crate::transcript::fact::own_facts! {
    /// Around the list: the model.
    MODEL,
    /// The calls of the turn are spelled in snake_case.
    SNAKE,
}

pub(crate) const GEMINI_CONTENTS: Format = Format {
    name: "gemini-contents",
    host: &Host::nameless("gemini"),
    title: "Gemini contents",
    page: include_str!("page.md"),
    checked: Verification::Read(
        "reports of what the API rejects; requests of @google/gemini-cli 0.61.0",
    ),
    rank: Rank::Api,
    recognize: layout::recognize,
    explains: read::owns,
    records: RecordReader::new(read::owns, read::read).of_messages(),
    pieces,
    project,
    wire: WIRE,
    supports: write::WRITING.schema.supports,
    planner: |context, request| chat::blocks::planner(context, &write::WRITING, request),
    text,
    model: |_| Some("gemini".to_owned()),
    traits: HostTraits {
        members: Members::NONE.shaped(&shapes::CONTENTS),
        noun: "message",
        words: Some(WordSet::of(&["parts:"])),
        pairs: PairPolicy::TURNS,
        beside: &[&["systemInstruction"], &["system_instruction"], &["tools"]],
        blocks: &[&["parts"]],
        takes_reused_ids: true,
        ids_are_optional: true,
        rows: true,
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Reload the history: a process that has it open keeps the old turns.",
};

/// What damage is to the host.
const POLICY: &[PolicyRow] = &[
    PolicyRow::is(Code::RepeatedRecord, Severity::Fatal),
    PolicyRow::is(Code::MalformedRecord, Severity::Fatal),
];

/// What reaches the provider as it is recorded.
const WIRE: Wire = Wire {
    needs: &[
        &starts_with_user::NEED,
        &roles_alternate::NEED,
        &results_together::NEED,
        &tool_names::NEED,
        &result_names::NEED,
        &signed_calls::NEED,
        &arguments::NEED,
        &empty_content::NEED,
    ],
    calls: RecordedArguments { optional: true, ..RecordedArguments::OBJECTS },
    response: turns::response,
    model: "model",
    texts: EmptyMessages {
        has_no_data: Some(crate::dialects::gemini::is_empty),
        ..EmptyMessages::BLOCKS
    },
    ..Wire::NONE
};

fn pieces(record: Node<'_>) -> Vec<crate::dialects::Piece<'_>> {
    crate::dialects::gemini::pieces(record)
}

/// What a turn says in words.
fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    crate::format::words::words(record.root().get("parts")?)
}

/// Who really speaks: turns of nothing but results are the user's, of nothing but calls the model's.
fn role(t: &Transcript, event: EventId) -> Role {
    let parts = t.event(event).parts.clone();
    let all = |kind| !parts.is_empty() && parts.clone().all(|part| t.part(part).kind == kind);
    match t.event(event).role {
        Role::Assistant if all(PartKind::Result) => Role::User,
        Role::User if all(PartKind::Call) => Role::Assistant,
        role => role,
    }
}

/// The items of the request: of each turn the results first, because their place in it says nothing.
fn items(t: &Transcript, turns: &[EventId]) -> Vec<Sent> {
    let mut order = chat::items_as(t, turns, &|event| role(t, event), &|part| {
        t.part(part).kind == PartKind::Result
    });
    for turn in order.chunk_by_mut(|a, b| a.event == b.event) {
        if role(t, turn[0].event) == Role::User {
            turn.sort_by_key(|sent| sent.role != Role::Tool);
        }
    }
    order
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let mut all = chat::messages(t);
    let (copies, mut diagnostics) = turns::copies(context, &all);
    all.retain(|event| copies.binary_search(event).is_err());
    let order = items(t, &all);
    let pairs = Pairs::find(t, GEMINI_CONTENTS.traits.pairs, &Paired::order(&order));
    diagnostics.extend(diagnostics::unreadable(t, &pairs, GEMINI_CONTENTS.traits.unreadable));
    let model = t.host_state().and_then(|state| t.fact_id(state, own::MODEL));
    let mut request = Request {
        model,
        inclusion: chat::inclusions(t, &all, &[]),
        branch: all.into(),
        order: order.into(),
        pairs,
        diagnostics,
        ..Request::default()
    };
    context.count_messages(&mut request, messages::are_one_record);
    request
}
