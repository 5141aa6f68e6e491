//! Sessions of opencode as exported documents: a part of a message is a call with its result.

mod read;

use super::about::{About, member};
use super::chat::{self, diagnostics, inside};
use super::home::Resume;
use super::policy::Row;
use super::vocabulary::Words;
use super::{Checked, Fields, Format, FormatContext, Host, HostTraits, list_on};
use crate::containers::rewrite::CannotDo;
use crate::containers::{Layout, RecordReader, Step};
use crate::dialects::placeholders::NO_RESULT;
use crate::formats::head::Sample;
use crate::json::build::Value;
use crate::json::cut::{self, Change};
use crate::json::node::Node;
use crate::json::record::Record;
use crate::live::Signals;
use crate::requests::arguments::{self, Calls};
use crate::requests::{Wire, tool_names};
use crate::rewrite::Schema;
use crate::targets;
use crate::transcript::pairs::{PairPolicy, Paired, Pairs};
use crate::transcript::request::{Inclusion, Request};
use crate::transcript::{
    Applicability, Code, Diagnostic, Effect, EventId, Fact, Fix, Id, Label, LabelRole, Severity,
    Subject, Transcript, fact,
};

/// Names of the facts that only this format reads.
mod own {
    use crate::transcript::{Fact, fact::facts};

    facts! {
        Fact::OWN, Fact::END;
        /// An answer: its provider.
        pub(super) PROVIDER,
        /// An answer: its model.
        pub(super) MODEL,
        /// A whole summary: the message that asked for it.
        pub(super) SUMMARIZES,
        /// A message that asks for a compaction.
        pub(super) COMPACTS,
        /// The first message that this compaction keeps.
        pub(super) TAIL,
        /// Around the messages: the first one that the user took back.
        pub(super) REVERT,
        /// Around the messages: the folder.
        pub(super) FOLDER,
    }
}

/// The format.
pub(crate) const OPENCODE: Format = Format {
    name: "opencode",
    host: &Host {
        name: "opencode",
        title: "opencode",
    },
    title: "opencode session",
    page: include_str!("page.md"),
    checked: Checked::Run("opencode 1.18.33"),
    step: 4,
    recognize,
    explains: read::owns,
    records: RecordReader::new(read::owns, read::read),
    project,
    wire: Wire {
        needs: &[&tool_names::NEED, &arguments::NEED],
        calls: Calls::OBJECTS,
        pieces: read::pieces,
        ..Wire::NONE
    },
    supports: SCHEMA.supports,
    plan_edits: |context, request, actions| {
        inside::plan_edits(context, &SCHEMA, changes, request, actions)
    },
    in_place: |_| true,
    session: |context| {
        let t = context.transcript;
        Some(t.ids.get(t.event(t.host_state()?).id?).to_owned())
    },
    text: read::text,
    model,
    policy: POLICY,
    traits: HostTraits {
        noun: "message",
        words: Some(Words::of(&["parts:"])),
        pairs: PairPolicy::LISTS,
        takes_reused_ids: true,
        joined: "parts",
        fields: Fields {
            structure: "name callID sessionID messageID parentID projectID providerID modelID tail_start_id tool start \
                end created completed compacted mode agent finish slug summary synthetic ignored \
                providerExecuted interrupted auto reason",
            known: "directory time tokens path cost revert attachments raw files",
        },
        has_place: chat::leaves_some,
        about: About {
            titles: &[member("session", &["info", "title"])],
            folders: &[member("session", &["info", "directory"])],
            versions: &[member("session", &["info", "version"])],
            models: &[member("assistant", &["info", "modelID"])],
        },
        resume,
        ..HostTraits::NONE
    },
    signs: |_, _| Signals::default(),
    after_write: "opencode reads its database, not this file. `opencode session delete ID`, then \
        `opencode import FILE`: an import changes nothing of a session that is still there.",
};

/// opencode sends an error for a call that has not ended, in each request anew. An import stops at a part that lacks members.
const POLICY: &[Row] = &[
    Row::loses(Code::UnansweredCall),
    Row::refuses_file(Code::MalformedRecord, Severity::Fatal),
];

const SCHEMA: Schema = Schema {
    supports: inside::SUPPORTS,
    pieces: read::pieces,
    ..Schema::PLAIN
};

/// A document about a session, or what the server lists of its messages.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    const WAYS: &[&[Step]] = &[&[Step::Key("messages")], &[]];
    head.list(
        |entry, root| list_on(WAYS, entry, root, read::owns),
        || false,
    )
}

/// The provider of the last answer, or whose model it is.
fn model(t: &Transcript) -> Option<String> {
    let newest = |fact| {
        let events = t.events.ids().rev();
        events.into_iter().find_map(|event| text_of(t, event, fact))
    };
    let target = match newest(own::PROVIDER)? {
        "anthropic" => "anthropic",
        "amazon-bedrock" => "bedrock",
        "google" | "google-vertex" => "gemini",
        "mistral" => "mistral",
        "openai" => "openai-responses",
        _ => newest(own::MODEL)
            .and_then(targets::by_model)
            .map_or("openai-chat", |target| target.name),
    };
    Some(target.to_owned())
}

fn text_of(t: &Transcript, event: EventId, fact: Fact) -> Option<&str> {
    Some(t.ids.get(id_of(t, event, fact)?))
}

fn id_of(t: &Transcript, event: EventId, fact: Fact) -> Option<Id> {
    match t.value_of(event, fact)? {
        fact::Value::Text(id) => Some(id),
        _ => None,
    }
}

fn resume(context: &FormatContext<'_>, _: &std::path::Path) -> Option<Resume> {
    let t = context.transcript;
    let id = t.ids.get(t.event(t.host_state()?).id?);
    let folder = chat::state_text(t, own::FOLDER);
    Resume::of(&["opencode", "--session"], id, folder, false)
}

/// The place of the message with this ID.
fn find(t: &Transcript, messages: &[EventId], id: Id) -> Option<usize> {
    messages
        .iter()
        .position(|event| t.event(*event).id == Some(id))
}

/// The question of the last compaction that is whole, and its summary: places in the list.
fn compaction(t: &Transcript, messages: &[EventId]) -> Option<(usize, usize)> {
    let whole = |(at, event): (usize, &EventId)| {
        let asked = find(t, messages, id_of(t, *event, own::SUMMARIZES)?)?;
        let asks = t.value_of(messages[asked], own::COMPACTS).is_some();
        (asks && asked < at).then_some((asked, at))
    };
    messages.iter().enumerate().rev().find_map(whole)
}

/// What a compaction leaves of these messages, in the order in which they are sent.
fn window(t: &Transcript, all: &[EventId]) -> Result<Vec<EventId>, EventId> {
    let Some((asked, summary)) = compaction(t, all) else {
        return Ok(all.to_vec());
    };
    let kept = match id_of(t, all[asked], own::TAIL) {
        Some(id) => find(t, all, id).filter(|kept| *kept < asked),
        None => Some(asked),
    };
    let kept = kept.ok_or(all[asked])?;
    // The summary comes before the messages that it leaves.
    Ok([
        &all[asked..=summary],
        &all[kept..asked],
        &all[summary + 1..],
    ]
    .concat())
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let mut all = chat::messages(t);
    let (copies, mut found) = diagnostics::copies(context, &all);
    all.retain(|event| copies.binary_search(event).is_err());
    for copy in &mut found {
        // An import takes each ID once.
        (copy.severity, copy.effect) = (Some(Severity::Warning), Effect::None);
    }
    let reverted = t
        .host_state()
        .and_then(|state| id_of(t, state, own::REVERT));
    let end = reverted.and_then(|id| find(t, &all, id));
    let there = &all[..end.unwrap_or(all.len())];
    let mut sent = window(t, there).unwrap_or_else(|asks| {
        found.push(lost_tail(context, asks));
        there.to_vec()
    });
    let is_failed = |event: &EventId| t.event(*event).failed;
    let failed: Vec<EventId> = sent.iter().copied().filter(is_failed).collect();
    sent.retain(|event| !is_failed(event));
    let mut stored = sent.clone();
    stored.sort_unstable();
    let (repeated, diagnostics) = inside::repeated_calls(context, &stored, read::pieces);
    let paired = Paired {
        is_sent: &|part| repeated.binary_search(&part).is_err(),
        ..Paired::events(&stored)
    };
    let pairs = Pairs::find(t, OPENCODE.traits.pairs, &paired);
    found.extend(diagnostics);
    found.extend(diagnostics::unreadable(
        t,
        &pairs,
        OPENCODE.traits.unreadable,
    ));
    all.retain(|event| stored.binary_search(event).is_err());
    let mut request = chat::request(context, sent, &all, pairs, found);
    for event in failed {
        request.inclusion[event] = Some(Inclusion::Failed);
    }
    request
}

/// A compaction that keeps messages from one on that is not there, or comes later: opencode then sends everything.
fn lost_tail(context: &FormatContext<'_>, asks: EventId) -> Diagnostic {
    let message = "the compaction keeps messages from one on that is not before it";
    let mut diagnostic = Diagnostic::new(Code::CompactionAnchor, message, asks);
    diagnostic.labels = vec![Label::new(asks, LabelRole::Compaction)];
    diagnostic.about = vec![Subject::Content(asks)];
    diagnostic.effect = Effect::None;
    let action = context.change(asks, |root| {
        let compacts = root.items_of("parts").filter(read::compacts);
        let tails = compacts.filter_map(|part| {
            let at = part.members().position(|(key, _)| key.is_str(read::TAIL))?;
            Some(cut::remove_members(part, &[at as u32]))
        });
        tails.flatten().collect()
    });
    diagnostic.fixes = Fix::only(Applicability::Unsafe, action);
    diagnostic
}

fn changes(
    context: &FormatContext<'_>,
    event: EventId,
    _: Node<'_>,
    inside: &inside::Inside,
) -> Result<Vec<Change>, CannotDo> {
    inside::change_parts(context, event, inside, read::pieces, fail)
}

/// Lets a call end with an error, marked as ours, at the time at which it began.
fn fail(record: &Record, part: Node<'_>) -> Vec<Change> {
    let Some(state) = part.get("state") else {
        return Vec::new();
    };
    let raw = |node: Node<'_>| Value::Raw(String::from_utf8_lossy(&node.raw()).into_owned().into());
    let began = state.at(&["time", "start"]);
    let began = began.or_else(|| record.root().at(&["info", "time", "created"]));
    let began = began.map_or(Value::Raw("0".into()), raw);
    let time = Value::object([("start", began.clone()), ("end", began)]);
    let input = state.get("input").map_or(Value::Raw("{}".into()), raw);
    let mut members = vec![
        ("status", Value::text("error")),
        ("input", input),
        ("error", Value::text(NO_RESULT)),
    ];
    members.extend(
        state
            .get("metadata")
            .map(|metadata| ("metadata", raw(metadata))),
    );
    members.push(("time", time));
    let with = record.writer().at(state).write(&Value::object(members));
    vec![Change::new(state.span(), with)]
}
