//! Plain messages of the Anthropic Messages API: arrays, bodies of requests, lines. They have no host that would correct them.

mod layout;
mod order;
mod read;
mod roles;
mod start;
pub(super) mod write;

use crate::containers::RecordReader;
use crate::dialects::anthropic::pieces;
use crate::dialects::members::{Members, shapes};
use crate::format::blamed::Means;
use crate::format::policy::PolicyRow;
use crate::format::vocabulary::{CUT_OFF, WordSet};
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::requests::arguments::{self, RecordedArguments};
use crate::requests::empty_content::{self, EmptyMessages};
use crate::requests::error_results::{self, Results};
use crate::requests::{
    Wire, cache_marks, call_names, ends_with_user, foreign_parts, hosted_ids, hosted_pairs,
    image_count, media, message_shape, reused_hosted_ids, starts_with_user, thinking,
};
use crate::shapes::chat::{self, diagnostics, spoken};
use crate::targets::{Interface, refuses_prefill};
use crate::transcript::messages::SystemPrompt;
use crate::transcript::pairs::{Paired, Pairs};
use crate::transcript::request::NextIsModel;
use crate::transcript::{
    Code, Diagnostic, EventId, Flaws, Instance, PartKind, Request, Role, Severity, messages,
};

crate::transcript::fact::own_facts! {
    Fact::OWN, Fact::OF_HOST;
    /// Members other than role and content.
    EXTRA,
    /// Such members that are from a response.
    RESPONSE,
    /// The role is missing.
    NO_ROLE,
    /// The role is missing, but the blocks show it.
    BLOCKS_DECIDE,
    /// The role is not one of this API.
    BAD_ROLE,
    /// A system message that says nothing, and only changes the settings from there on.
    DIRECTIVE,

    /// Around the list: the model, so it is a request. Of a response: the model that gave it.
    MODEL,
    /// Around the list: there is a system prompt.
    SYSTEM,
    /// Around the list: the offset of its key in the document, in bytes.
    LIST_KEY,
    /// Around the list: the number of bytes of white space before its key.
    LIST_LEAD,
}

pub(crate) const ANTHROPIC: Format = Format {
    name: "anthropic-messages",
    host: &Host::nameless("anthropic"),
    title: "Anthropic messages",
    page: include_str!("page.md"),
    checked: Verification::Read("reports of what the API rejects"),
    rank: Rank::Api,
    recognize: layout::recognize,
    explains: layout::explains,
    records: RecordReader {
        plain: true,
        messages: true,
        ..RecordReader::new(layout::is_message, read::read)
    },
    pieces: |message| message.get("content").map(pieces).unwrap_or_default(),
    project,
    wire: WIRE,
    supports: write::WRITING.schema.supports,
    planner: |context, request| chat::blocks::planner(context, &write::WRITING, request),
    text: chat::text,
    model: |_| Some("anthropic".to_owned()),
    traits: HostTraits {
        members: Members::NONE.shaped(&shapes::ANTHROPIC),
        noun: "message",
        words: Some(WordSet::of(&["anthropic_version:", "max_tokens:", "content:[", CUT_OFF])),
        beside: &[&["system"], &["tools"]],
        blocks: &[&["content"]],
        names_by_place: true,
        blames: Some(&Means { message: |record| Some(record), strip: |_| None, shifts: false }),
        rows: true,
        unsigned: Some(("anthropic", layout::unsigned)),
        shared_api: Some(|t| {
            chat::state_text(t, own::MODEL).or_else(|| t.all_texts(own::MODEL).last())
        }),
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Reload the messages: a program that has them in memory keeps the old ones.",
};

/// How damage affects the host.
const POLICY: &[PolicyRow] = &[
    PolicyRow::is(Code::RepeatedRecord, Severity::Note),
    PolicyRow::is(Code::MalformedRecord, Severity::Fatal),
];

/// What is sent as recorded.
const WIRE: Wire = Wire {
    needs: &[
        &starts_with_user::NEED,
        &ends_with_user::NEED,
        &arguments::NEED,
        &error_results::NEED,
        &empty_content::NEED,
        &thinking::NEED,
        &message_shape::NEED,
        &foreign_parts::NEED,
        &call_names::NEED,
        &media::NEED,
        &image_count::NEED,
        &hosted_ids::NEED,
        &hosted_pairs::NEED,
        &reused_hosted_ids::NEED,
        &cache_marks::NEED,
    ],
    calls: RecordedArguments::BLOCKS,
    texts: EmptyMessages { last_may_be_empty: true, ..EmptyMessages::BLOCKS },
    results: Results::BLOCKS,
    beginning: Some(start::beginning),
    ..Wire::NONE
};

fn project(context: &FormatContext<'_>) -> Request {
    let sent = chat::messages(context.transcript);
    request(context, &ANTHROPIC, KeptMessages::all(sent))
}

/// What a host sends of the messages that it keeps.
pub(super) struct KeptMessages {
    /// The messages that it sends, in order.
    pub sent: Vec<EventId>,
    /// Those that it leaves out.
    pub forgotten: Vec<EventId>,
    /// Texts answer the calls, so there is nothing to pair.
    pub unpaired: bool,
    /// The flaws that it corrects before it sends them to this API.
    pub corrected: Flaws,
    /// It records the results of one response in several messages, so a result that comes late is late, not apart.
    pub scatters: bool,
}

impl KeptMessages {
    /// All messages, as they are.
    pub(super) fn all(sent: Vec<EventId>) -> KeptMessages {
        KeptMessages {
            sent,
            forgotten: Vec::new(),
            unpaired: false,
            corrected: Flaws::NONE,
            scatters: false,
        }
    }
}

/// What the host of this format would send.
pub(super) fn request(context: &FormatContext<'_>, format: &Format, kept: KeptMessages) -> Request {
    let (t, host) = (context.transcript, &format.traits);
    let all = kept.sent;
    let role = |event: EventId| t.event(event).role;
    let talk = chat::without_system(t, &all);
    let turns = order::Turns::of(t, &talk);
    let twice = order::RepeatedCalls::of(t, &turns);
    let is_sent = |part| !kept.unpaired && read::counts_as_pair(t, part) && !twice.is_hidden(part);
    let joined = |before, next| role(before) == Role::Assistant && role(next) == Role::Assistant;
    let paired = Paired { is_sent: &is_sent, joined: &joined, ..Paired::events(&talk) };
    let mut pairs = Pairs::find(t, host.pairs, &paired);
    order::mark_pending(t, &talk, &mut pairs);
    let order = chat::items_as(t, &talk, &role, &|part| {
        t.part(part).kind == PartKind::Result && is_sent(part)
    });
    let mut diagnostics = diagnostics::unreadable(t, &pairs, host.unreadable);
    diagnostics.extend(twice.diagnostics(t));
    if !kept.scatters {
        diagnostics.extend(order::split_results(t, &turns, &pairs));
    }
    diagnostics.extend(same_again(context, &all));
    diagnostics.extend(roles::check(context, format, &all));
    diagnostics.extend(spoken::find(context, &talk, chat::text).map(|list| list.note));
    // A program that sends it to another API rewrites it.
    let corrected = match context.target.interface {
        Interface::Messages => kept.corrected,
        _ => Flaws::ALL,
    };
    let model = chat::state_text(t, own::MODEL);
    let next_is_model =
        model.filter(|model| refuses_prefill(model)).map(|_| NextIsModel { refuses_prefill: true });
    let mut request = Request {
        next_is_model,
        corrected,
        inclusion: chat::inclusions(t, &all, &kept.forgotten),
        branch: all.into(),
        order: order.into(),
        pairs,
        diagnostics,
        ..Request::default()
    };
    context.count_messages_as_sent(&mut request, SystemPrompt::Recorded, messages::are_one_record);
    request
}

/// Messages that are byte for byte the same as the one before them. Users may really repeat a message.
fn same_again(context: &FormatContext<'_>, all: &[EventId]) -> Vec<Diagnostic> {
    let (_, mut diagnostics) = diagnostics::copies(context, all);
    for diagnostic in &mut diagnostics {
        diagnostic.instance = Some(Instance::Harmless);
        diagnostic.message = "same message as the one before it".into();
        diagnostic.fixes.clear();
    }
    diagnostics
}
