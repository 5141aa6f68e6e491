//! Chats of Gemini CLI: records, of which the last one with an ID counts, and older documents.

mod answer;
mod content;
mod errors;
mod header;
mod history;
mod home;
mod layout;
mod message;
mod read;
mod unreadable;
mod void;
mod write;

use super::checked;
use crate::containers::RecordReader;
use crate::dialects::members::{Holding, Members};
use crate::format::about::{AboutPlaces, member};
use crate::format::policy::PolicyRow;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification, words};
use crate::requests::{Wire, refused, result_names};
use crate::shapes::chat;
use crate::transcript::pairs::{PairPolicy, Paired, Pairs};
use crate::transcript::request::{Inclusion, Request, Sent};
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, IdRange, Instance, PartKind, Role, Severity,
    Subject, Transcript,
};
use history::GeminiHistory;

crate::transcript::fact::own_facts! {
    /// The session's ID.
    SESSION,
    /// The hash of its project.
    PROJECT,
    /// A record that rewinds to before a message.
    REWINDS,
    /// A record whose list of messages replaces all earlier ones.
    REPLACES,
    /// The number of parts in a message's own turn; the others are responses to its calls.
    OWN,
    /// A user message with a call, or a model message with a response.
    MISPLACED,
    /// Which kinds of empty parts a message has.
    VOID,
    /// A user message that is not sent.
    SKIPPED,
}

pub(crate) const GEMINI_CLI: Format = Format {
    name: "gemini-cli",
    host: &Host::new("gemini-cli", "Gemini CLI"),
    title: "Gemini CLI chat",
    page: include_str!("page.md"),
    checked: Verification::Suite(checked::GEMINI_CLI, ""),
    rank: Rank::Host,
    recognize: layout::recognize,
    explains: layout::explains,
    records: RecordReader {
        removes_fragments: true,
        is_outermost: layout::is_outermost,
        ..RecordReader::new(layout::owns, read::read)
    },
    pieces: message::pieces,
    project,
    wire: WIRE,
    supports: write::SCHEMA.supports,
    planner: write::planner,
    text,
    model: |_| Some("gemini".to_owned()),
    traits: HostTraits {
        words: Some(WordSet::of(&["projectHash:", "$set:", "$rewindTo:", "gemini"])),
        replaces_by_id: true,
        texts: &[message::SKIPPED],
        sent: &[&["type"], &["content"], &["toolCalls"], &["role"], &["parts"]],
        takes_reused_ids: true,
        ids_are_optional: true,
        pairs: PairPolicy::TURNS,
        unreadable: OnUnreadable { appends: true, ..OnUnreadable::SKIPS },
        pending_hint: "Gemini CLI does not answer it, so resuming fails until you repair with \
            --answer-pending",
        errors: errors::ERRORS,
        about: AboutPlaces {
            titles: &[member("", &["summary"])],
            folders: &[],
            versions: &[],
            models: &[member("", &["model"])],
        },
        homes: home::HOMES,
        started_by: home::started_by,
        resume: home::resume,
        members: Members::own(&[
            (Holding::Details, "displayName"),
            (Holding::Envelope, "$rewindTo"),
        ]),
        pending_note: "Gemini CLI does not answer it, so resuming fails until `repair \
            --answer-pending`",
        session,
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Resume it with `gemini --resume SESSION_ID` in its project folder. A running \
        Gemini CLI keeps the old messages.",
};

/// How the host reacts to damage.
const POLICY: &[PolicyRow] = &[PolicyRow::refuses_file(Code::ByteOrderMark, Severity::Error)];

fn session(context: &FormatContext<'_>) -> Option<String> {
    let t = context.transcript;
    let mut newest = t.events.ids().rev();
    newest.find_map(|event| Some(t.fact_text(event, own::SESSION)?.to_owned()))
}

/// The text of a message.
fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    words::words(record.root().get("content")?)
}

/// The number of an event's parts in its own turn.
fn own_parts(t: &Transcript, event: EventId) -> u32 {
    t.fact_number(event, own::OWN).and_then(|count| u32::try_from(count).ok()).unwrap_or(0)
}

/// What is sent of a message: its own turn, and the responses as a user turn. Thinking is dropped.
fn items(t: &Transcript, event: EventId) -> Vec<Sent> {
    let parts = t.event(event).parts.clone();
    let middle = parts.at(own_parts(t, event) as usize);
    if t.event(event).role != Role::Assistant {
        return chat::items_as(t, &[event], &|_| Role::User, &|part| {
            t.part(part).kind == PartKind::Result
        });
    }
    let own = (Role::Assistant, IdRange::new(parts.start(), middle));
    let responses = (Role::Tool, IdRange::new(middle, parts.end()));
    [own, responses]
        .into_iter()
        .filter(|(_, parts)| parts.clone().any(|part| t.part(part).kind != PartKind::Thinking))
        .map(|(role, parts)| Sent::new(event, role, parts))
        .collect()
}

/// The request. Consecutive messages of one side are one turn, and the place of responses in it
/// does not matter.
fn order(t: &Transcript, history: &GeminiHistory) -> Vec<Sent> {
    let sent = history.messages.iter().map(|message| message.event).filter(|event| {
        matches!(t.event(*event).role, Role::User | Role::Assistant) && !t.has(*event, own::SKIPPED)
    });
    let mut order: Vec<Sent> = sent.flat_map(|event| items(t, event)).collect();
    for turn in order.chunk_by_mut(same_side) {
        if turn[0].role != Role::Assistant {
            turn.sort_by_key(|sent| sent.role != Role::Tool);
        }
    }
    order
}

fn same_side(before: &Sent, next: &Sent) -> bool {
    (before.role == Role::Assistant) == (next.role == Role::Assistant)
}

/// What reaches the provider as recorded.
const WIRE: Wire = Wire {
    needs: &[&result_names::NEED],
    response: content::response,
    renames_tools: true,
    ..Wire::NONE
};

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let history = GeminiHistory::of(t, context.layout.is_lines());
    let order = order(t, &history);
    let mut pairs = Pairs::find(t, GEMINI_CLI.traits.pairs, &Paired::order(&order));
    clear_pending(t, &history, &mut pairs);
    let mut diagnostics = unreadable::check(t, &pairs);
    diagnostics.extend(header::check(context, &history));
    diagnostics.extend(history.lost.iter().map(|(event, count)| lost(*event, *count)));
    let mut sent: Vec<EventId> = order.iter().map(|sent| sent.event).collect();
    sent.dedup();
    let odd = sent.iter().filter(|event| t.has(**event, own::MISPLACED));
    let message = "function call in a user turn, or function response in a model turn";
    diagnostics.extend(odd.map(|event| refused(Code::RoleOrder, message, *event)));
    diagnostics.extend(void::check(context, &order));
    let mut inclusion = chat::inclusions(t, &sent, &history.forgotten);
    let replaced = history.messages.iter().flat_map(|message| &message.before);
    replaced.for_each(|event| inclusion[*event] = Some(Inclusion::OffBranch));
    let branch = history.messages.iter().map(|message| message.event).collect();
    let mut request = Request {
        inclusion,
        branch,
        order: order.into(),
        pairs,
        diagnostics,
        ..Request::default()
    };
    context.count_messages(&mut request, same_side);
    request
}

/// The last calls are pending only if no later message of the user or the model is in the chat,
/// sent or not.
fn clear_pending(t: &Transcript, history: &GeminiHistory, pairs: &mut Pairs) {
    let Some(batch) = pairs.batches.last_mut() else {
        return;
    };
    let Some(call_event) = batch.calls.iter().map(|call| t.part(*call).event).next_back() else {
        return;
    };
    let mut later = history.messages.iter().rev().take_while(|message| message.event != call_event);
    if later.any(|message| speaks(t, message.event)) {
        batch.pending = false;
    }
}

/// Whether a message of the user or the model has more than results.
fn speaks(t: &Transcript, event: EventId) -> bool {
    let mut parts = t.event(event).parts.clone();
    let only_results = !parts.is_empty() && parts.all(|part| t.part(part).kind == PartKind::Result);
    matches!(t.event(event).role, Role::User | Role::Assistant) && !only_results
}

/// A rewind to a message that does not exist: the client forgets everything before it.
fn lost(event: EventId, count: u32) -> Diagnostic {
    let message =
        "the chat rewinds to a message that does not exist, so everything before it is lost";
    let mut diagnostic =
        Diagnostic::about(Code::CompactionAnchor, message, Subject::Content, event);
    diagnostic.effect = Effect::Hides(count);
    if count == 0 {
        diagnostic.instance = Some(Instance::Harmless);
    }
    diagnostic.fix_with_guess([Action::Remove(event)]);
    diagnostic
}
