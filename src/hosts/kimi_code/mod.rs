//! Sessions of Kimi Code: a journal from which the host builds the conversation each time it resumes.

mod errors;
mod history;
mod home;
mod read;

use super::checked;
use crate::containers::RecordReader;
use crate::containers::rewrite::CannotDo;
use crate::dialects::members::{Holding, Members};
use crate::dialects::placeholders::NO_RESULT;
use crate::format::about::{AboutPlaces, member};
use crate::format::policy::PolicyRow;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, SentResult, Verification};
use crate::json::build::NewValue;
use crate::requests::Wire;
use crate::rewrite::{Schema, in_order, nearest};
use crate::shapes::chat::write::{self, ListWriting};
use crate::shapes::chat::{self, diagnostics};
use crate::transcript::pairs::{PairPolicy, Paired, Pairs};
use crate::transcript::request::{Inclusion, Sent};
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{
    Action, ActionKind, Code, Diagnostic, Effect, EventId, Fix, PartId, Request, Role, Severity,
    State, Subject, Transcript,
};
use history::History;

crate::transcript::fact::own_facts! {
    /// The step of a part, or the one that begins.
    STEP,
    /// A message of a person, which an undo counts.
    PROMPT,
    /// The turns that an undo takes back.
    TURNS,
    /// A step that failed does not end.
    FAILED,
    /// The model that was asked.
    MODEL,
}

pub(crate) const KIMI_CODE: Format = Format {
    name: "kimi-code",
    host: &Host::new("kimi-code", "Kimi Code"),
    title: "Kimi Code session",
    page: include_str!("page.md"),
    checked: Verification::Suite(checked::KIMI_CODE, "the source of 0.38.0"),
    rank: Rank::Host,
    recognize: |head| head.lines(read::is_sign),
    explains: read::owns,
    records: RecordReader::new(read::owns, read::read),
    pieces: read::pieces,
    project,
    wire: Wire::NONE,
    supports: WRITING.schema.supports,
    planner: |context, request| write::planner(context, &WRITING, request),
    text: read::text,
    model: |_| Some("openai-chat".to_owned()),
    traits: HostTraits {
        words: Some(WordSet::of(&["metadata", "context."])),
        pairs: PairPolicy::LISTS,
        sends_result: SentResult::First,
        takes_reused_ids: true,
        sent: &[&["message"], &["event"]],
        shared_api: Some(|t| t.all_texts(own::MODEL).last()),
        unreadable: UNREADABLE,
        has_place: |t, action| {
            action.kind() == ActionKind::EditBytes || t.ids.find("agent.switched").is_none()
        },
        errors: errors::ERRORS,
        members: Members::own(&[
            (
                Holding::Details,
                "event message part origin result display llmTiming disclosure meta",
            ),
            (Holding::Text, "think systemPrompt contextSummary"),
            (
                Holding::Envelope,
                "agentId turnId step stepUuid parentUuid durationMs finishReason protocol_version \
                created_at promptId queueItemId providerMessageId count compactedCount keptUserMessageCount \
                messageCount tokensBefore tokensAfter trigger turnStep time",
            ),
        ]),
        about: AboutPlaces {
            titles: &[],
            folders: &[member("config.update", &["cwd"])],
            versions: &[],
            models: &[member("llm.request", &["model"])],
        },
        homes: home::HOMES,
        resume: home::resume,
        pending_note: "Kimi Code answers it with a placeholder when the session continues",
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Resume it with `kimi --session SESSION_ID`. A running Kimi Code keeps the old records, and appends to \
        them.",
};

/// What damage is to the host. What it corrects, it corrects in memory, each time it builds a request (since 0.22.2;
/// `agent/contextMemory/loopEventFold.ts`, `agent/contextProjector/projection.ts`).
const POLICY: &[PolicyRow] = &[
    PolicyRow::is(Code::ByteOrderMark, Severity::Warning),
    PolicyRow::is(Code::InvalidUtf8, Severity::Warning),
    PolicyRow::is(Code::GluedRecords, Severity::Error),
    PolicyRow::is(Code::SplitRecord, Severity::Error),
    PolicyRow::is(Code::NulPadding, Severity::Error),
    PolicyRow::refuses_file(Code::MalformedRecord, Severity::Fatal),
    PolicyRow::is(Code::StrandedRecord, Severity::Error),
    // "Tool execution was interrupted before its result was recorded …".
    PolicyRow::loses(Code::UnansweredCall),
    // A result counts between its call and the next step, and only the first one.
    PolicyRow::loses(Code::OrphanResult),
    PolicyRow::loses(Code::ResultNotNext),
    PolicyRow::loses(Code::ResultBeforeCall),
    PolicyRow::sends_first(Code::TwoResults),
    PolicyRow::sends_first(Code::ConflictingResults),
    PolicyRow::mends(Code::SplitBatch),
    PolicyRow::mends(Code::RepeatedCall),
];

const WRITING: ListWriting = ListWriting {
    schema: Schema::LIST,
    answer,
    // A result comes after all calls of its step.
    beside: |t, event| t.has(event, own::STEP) && t.event(event).role == Role::Assistant,
    follow_up: |_, _| {},
};

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let history = History::replay(t);
    let paired = Paired {
        joined: &|before, event| is_one_response(t, before, event),
        ..Paired::events(&history.sequence)
    };
    let pairs = Pairs::find(t, KIMI_CODE.traits.pairs, &paired);
    let mut diagnostics = unreadable(t, &pairs);
    diagnostics.extend(stranded(&history.stranded));
    let mut order = chat::items(t, &history.sent);
    if let Some((at, compaction)) = history.summary {
        let before = &history.sent[..at];
        let at = order.iter().take_while(|item| before.contains(&item.event)).count();
        order.insert(at, Sent::summary(compaction));
    }
    let mut inclusion = chat::inclusions(t, &history.sent, &history.forgotten);
    for event in history.undone.iter().chain(&history.stranded) {
        inclusion[*event] = Some(Inclusion::OffBranch);
    }
    let branch = history.sent;
    let mut request = Request {
        inclusion,
        branch: branch.into(),
        order: order.into(),
        pairs,
        diagnostics,
        ..Request::default()
    };
    // Of NUL bytes at the end, nothing is lost but themselves.
    let last = t.records().next_back();
    request.unharmed.extend(last.filter(|last| t.event(*last).state == State::Padding));
    context.count_messages(&mut request, |before, next| {
        before.event == next.event || is_one_response(t, before.event, next.event)
    });
    request
}

/// Whether two messages are of one step of the model.
fn is_one_response(t: &Transcript, before: EventId, event: EventId) -> bool {
    let step = t.fact_id(before, own::STEP);
    let answers = [before, event].iter().all(|event| t.event(*event).role == Role::Assistant);
    step.is_some() && answers && step == t.fact_id(event, own::STEP)
}

/// Since version 2 the host removes a line that it cannot read, and all after it, from the file for good when it resumes the
/// session; the first time it keeps `wire.jsonl.bak`. Older versions refuse the session (0.38.0). It needs none of its records.
const UNREADABLE: OnUnreadable = OnUnreadable { may_lack: true, ..OnUnreadable::SKIPS };

fn unreadable(t: &Transcript, pairs: &Pairs) -> Vec<Diagnostic> {
    let mut found = diagnostics::unreadable(t, pairs, UNREADABLE);
    for diagnostic in found.iter_mut().filter(|found| found.code == Code::UnreadableRecord) {
        let event = diagnostic.labels[0].event;
        let after = t.records().rev().take_while(|later| *later > event).count();
        diagnostic.effect = Effect::Hides(u32::try_from(after).unwrap_or(u32::MAX).max(1));
        diagnostic
            .message
            .to_mut()
            .push_str("; Kimi Code removes it and everything after it when it resumes the session");
        if diagnostic.fixes.is_empty() {
            diagnostic.fixes = vec![Fix::with_guess(vec![Action::Remove(event)])];
        }
    }
    found
}

/// Parts of a step without its beginning, which the host leaves out.
fn stranded(parts: &[EventId]) -> impl Iterator<Item = Diagnostic> {
    parts.iter().map(|event| {
        let message = "leftover part of a message whose start is missing";
        let mut found = Diagnostic::about(Code::StrandedRecord, message, Subject::Content, *event);
        found.effect = Effect::Hides(1);
        found
    })
}

/// A result that failed, in the layout of the nearest one. Sessions that were migrated from Kimi CLI have calls in messages, all of
/// them answered by the migration.
fn answer(context: &FormatContext<'_>, call: PartId, _: usize) -> Result<Vec<u8>, CannotDo> {
    let t = context.transcript;
    let part = t.part(call);
    let neighbor = nearest(t, part.event, |event| {
        t.kind(event) == read::RESULT && t.event(event).state == State::Whole
    });
    let asks = context.record(part.event)?;
    let asks = asks.root();
    let event = asks.get("event").ok_or(CannotDo("a call in a message is not answered"))?;
    let model = context.record(neighbor.unwrap_or(part.event))?;
    let shape = neighbor.map(|_| model.root());
    let failed = ("isError", NewValue::Raw("true".into()));
    let result = NewValue::object([("output", NewValue::text(NO_RESULT)), failed]);
    let said = [
        ("type", Some(NewValue::text(read::RESULT))),
        ("parentUuid", event.get("uuid").map(NewValue::copy)),
        ("toolCallId", Some(NewValue::text(t.text(part.id)))),
        ("result", Some(result)),
    ];
    let said = said.into_iter().filter_map(|(key, value)| Some((key, value?)));
    let like = shape.and_then(|shape| shape.get("event"));
    let members = [
        ("type", Some(NewValue::text(read::LOOP_EVENT))),
        ("agentId", asks.get("agentId").map(NewValue::copy)),
        ("event", Some(in_order(said, like))),
        ("time", asks.get("time").map(NewValue::copy)),
    ];
    let members = members.into_iter().filter_map(|(key, value)| Some((key, value?)));
    Ok(model.writer().write(&in_order(members, shape)))
}
