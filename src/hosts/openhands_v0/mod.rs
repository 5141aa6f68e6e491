//! OpenHands V0, openhands-ai up to 0.62.0: one event stream in trajectory lists and session
//! folders.
//!
//! Its memory repairs the history by dropping: a response is sent to the model once all of its
//! calls have results, and is silently left out otherwise.

mod answer;
mod checks;
mod errors;
mod fold;
mod history;
mod home;
mod kinds;
mod layout;
mod members;
mod pages;
mod places;
mod read;
mod text;
mod twice;
mod unreadable;
mod write;

use std::path::Path;

use hashbrown::HashSet;

use crate::containers::{Layout, RecordReader};
use crate::dialects::members::{Holding, Members};
use crate::format::home::is_below;
use crate::format::policy::PolicyRow;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, SentResult, Verification};
use crate::live::Signals;
use crate::requests::Wire;
use crate::transcript::pairs::{PairPolicy, Paired, Pairs};
use crate::transcript::request::Request;
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{Code, EventId, PartId, Role, Severity, State, Transcript};
use fold::V0Response;
use history::V0History;
use twice::RepeatedEvents;

pub(crate) use read::owns as is_event;

crate::transcript::fact::own_facts! {
    /// An action, not an observation: the two use the same names.
    ACTION,
    /// The host removes it before anything else.
    LEFT_OUT,
    /// A call that the model made, without `tool_call_metadata`.
    NO_METADATA,
    /// The ID of a call of the response that the record contains; one for each call.
    CALL_IDS,
    /// The model of the response.
    MODEL,
    /// The ID of the action that an observation names.
    CAUSE,
    /// A condensation of a range: the first ID.
    FIRST,
    /// A condensation of a range: the last ID.
    LAST,
    /// A condensation with a summary: where it goes.
    SUMMARY_OFFSET,
}

pub(crate) const OPENHANDS_V0: Format = Format {
    name: "openhands-v0",
    host: &Host::new("openhands", "OpenHands"),
    title: "OpenHands V0 event stream",
    page: include_str!("page.md"),
    checked: Verification::Run("openhands-ai 0.62.0"),
    rank: Rank::Document,
    recognize: layout::recognize,
    explains: read::owns,
    records: RecordReader {
        is_outermost: |_| Some(true),
        ..RecordReader::new(read::owns, read::read)
    },
    pieces: read::pieces,
    project,
    wire: Wire::NONE,
    supports: write::SCHEMA.supports,
    planner: write::planner,
    text: text::text,
    model,
    traits: HostTraits {
        noun: "event",
        words: Some(WordSet::of(&["action:", "observation:"])),
        texts: &[kinds::STUBS],
        pairs: PairPolicy::WHOLE_RESPONSES,
        unreadable: OnUnreadable { may_lack: true, ..OnUnreadable::FAILS },
        // The text of most observations is made from `extras`: outputs of a delegate, exit codes,
        // pages.
        sent: &[
            &["source"],
            &["action"],
            &["args"],
            &["observation"],
            &["content"],
            &["extras"],
            &["tool_call_metadata"],
        ],
        errors: errors::ERRORS,
        sends_result: SentResult::First,
        homes: home::HOMES,
        members: Members::own(&[
            (Holding::Details, "args extras"),
            (Holding::Envelope, "confirmation_state action observation cause agent_state start_id"),
        ]),
        has_place: write::has_place,
        rows: true,
        session,
        signs,
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Restart the server or reopen the session: a process that has it open keeps the \
        old events.",
};

/// How the host reacts to damage.
const POLICY: &[PolicyRow] = &[
    // The host silently drops what a provider would reject.
    PolicyRow::is(Code::TornTail, Severity::Error),
    PolicyRow::is(Code::UnreadableRecord, Severity::Error),
    PolicyRow::is(Code::UnansweredCall, Severity::Error),
    PolicyRow::is(Code::TwoResults, Severity::Error),
    PolicyRow::is(Code::CompactionSplitPair, Severity::Error),
    PolicyRow::is(Code::OrphanResult, Severity::Warning),
    PolicyRow::is(Code::LinkMismatch, Severity::Warning),
    // Its client library replaces the characters.
    PolicyRow::is(Code::BadCallId, Severity::Note),
];

fn session(context: &FormatContext<'_>) -> Option<String> {
    matches!(context.layout, Layout::Files(_)).then(|| context.name.to_owned())
}

/// The host has no lock and no lease: only recent files in its home show that it runs.
fn signs(path: &Path, _: &Transcript) -> Signals {
    Signals { at_home: is_below(path, &[".openhands"]), ..Signals::default() }
}

fn model(t: &Transcript) -> Option<String> {
    t.all_texts(own::MODEL).next().map(str::to_owned)
}

/// What projecting and planning edits both need.
struct V0Parts {
    history: V0History,
    /// By batch.
    responses: Vec<V0Response>,
    pairs: Pairs,
    repeated: RepeatedEvents,
}

impl V0Parts {
    fn of(context: &FormatContext<'_>) -> V0Parts {
        let t = context.transcript;
        let repeated = twice::repeated(context);
        let history = V0History::of(t, &repeated.copies);
        let superseded = history::superseded(t, &history.kept);
        let adopted = fold::adopted_results(t, &history.kept);
        let adopted_events: HashSet<EventId> = adopted.values().copied().collect();
        let sequence: Vec<EventId> = history
            .kept
            .iter()
            .copied()
            .filter(|event| {
                let record = t.event(*event);
                let speaks = record.role.is_sent() || record.state == State::Unreadable;
                let is_relevant = speaks || t.kind(*event) == kinds::CONDENSATION;
                is_relevant && !superseded.contains(event) && !adopted_events.contains(event)
            })
            .collect();
        let pairs = Pairs::find(t, OPENHANDS_V0.traits.pairs, &Paired::events(&sequence));
        let responses = fold::responses(t, &pairs, &superseded, &adopted);
        V0Parts { history, responses, pairs, repeated }
    }

    /// The response of a call. Its index is that of its batch in `pairs`.
    fn response_of(&self, pairs: &Pairs, call: PartId) -> Option<&V0Response> {
        self.responses.get(pairs.batch_number(call)?)
    }
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let V0Parts { history, responses, pairs, repeated } = V0Parts::of(context);
    let mut diagnostics = repeated.diagnostics;
    diagnostics.extend(checks::without_metadata(t, &history));
    diagnostics.extend(unreadable::check(context, &pairs, &history));
    diagnostics.extend(checks::causes(t, &history, &pairs, &repeated.ambiguous));
    diagnostics.extend(checks::unrecorded(t, &history, &responses));
    diagnostics.extend(checks::split(t, &history, &responses));
    diagnostics.extend(places::moved_by_host(context, &history, &pairs));
    diagnostics.extend(places::check_ids(context));
    diagnostics.extend(pages::check(context));
    let no_place = places::no_place(context, &pairs, &responses);
    let folded = fold::fold(t, &history, &responses);
    let mut request = Request {
        branch: history.kept.into(),
        order: folded.order.into(),
        inclusion: folded.inclusion,
        pairs,
        no_place,
        diagnostics,
        ..Request::default()
    };
    context.count_messages(&mut request, |before, next| {
        before.role == Role::Assistant
            && next.role == Role::Assistant
            && checks::share_response(t, before.event, next.event)
    });
    request
}
