//! Training rows whose turns are only texts: ShareGPT and its dialects (`from`, `value`), the blocks of LLaMA-Factory 1.0 (`type`,
//! `value`), and the trajectories that Nebius published (`role`, `text`). Calls and results are texts, too, so there is nothing
//! to pair and nothing that a provider rejects.

use super::openai_chat::OPENAI_CHAT;
use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::Piece;
use crate::dialects::members::{Holding, Members};
use crate::format::head::Sample;
use crate::format::records::list_on;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification, rows};
use crate::json::embedded::is_json;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::requests::Wire;
use crate::shapes::chat::{self, diagnostics, spoken};
use crate::transcript::pairs::{Paired, Pairs};
use crate::transcript::{
    ActionKind, Code, Diagnostic, Effect, EventId, FactValue, Instance, PartKind, Request, Role,
    State, Transcript,
};

crate::transcript::fact::own_facts! {
    /// A block of this turn is a call.
    CALL,
}

pub(crate) const SHAREGPT: Format = Format {
    name: "sharegpt",
    host: &Host::nameless("sharegpt"),
    title: "ShareGPT conversations",
    page: include_str!("page.md"),
    checked: Verification::Read("the source of LLaMA-Factory, axolotl, and TRL"),
    rank: Rank::Api,
    recognize,
    explains: owns,
    records: RecordReader::new(owns, read).of_messages(),
    pieces,
    project,
    wire: Wire::NONE,
    supports: &[ActionKind::EditBytes, ActionKind::Remove],
    model: |_| None,
    text: |context, event| {
        let record = context.record(event).ok()?;
        let texts = (TurnDialect::of(record.root())?.texts)(record.root());
        let texts: Vec<_> = texts.iter().filter_map(|text| text.str()).collect();
        Some(texts.join("\n"))
    },
    traits: HostTraits {
        noun: "message",
        words: Some(WordSet::of(&["value:-", "text:-", "system_prompt:-"])),
        sent: &[&["from"], &["value"], &["role"], &["text"]],
        beside: &[],
        members: Members::own(&[
            (Holding::Details, "chosen rejected tools system"),
            (Holding::Envelope, "from mask weight"),
        ]),
        row_words: Some(WordSet::NONE.and_paths(WAYS)),
        row_lists: &[&[PathStep::Key("conversations")], &[PathStep::Key("conversation")]],
        conversations: Some(|head| rows::texts(head, &["conversations", "conversation"])),
        in_place: |_| true,
        policy: &[],
        ..OPENAI_CHAT.traits
    },
    after_write: "Programs read such a file when they start: start the training again.",
    ..OPENAI_CHAT
};

/// How a turn names its speaker and its text.
struct TurnDialect {
    speaker: &'static str,
    /// The texts of a turn; empty: it is not of this dialect.
    texts: fn(Node<'_>) -> Vec<Node<'_>>,
    /// Who speaks, next to people.
    speakers: &'static [(&'static str, Role)],
}

const DIALECTS: [TurnDialect; 3] = [
    TurnDialect {
        speaker: "from",
        texts: |turn| member(turn, "value"),
        speakers: &[
            ("system", Role::System),
            ("gpt", Role::Assistant),
            ("assistant", Role::Assistant),
            ("chatgpt", Role::Assistant),
            ("model", Role::Assistant),
            ("bot", Role::Assistant),
            ("function_call", Role::Assistant),
            ("observation", Role::Tool),
            ("tool", Role::Tool),
            ("tool_response", Role::Tool),
            ("function_response", Role::Tool),
            ("function", Role::Tool),
        ],
    },
    TurnDialect {
        speaker: "role",
        texts: blocks,
        speakers: &[("system", Role::System), ("assistant", Role::Assistant), ("tool", Role::Tool)],
    },
    TurnDialect {
        speaker: "role",
        texts: |turn| {
            let is_ours = turn.get("content").is_none() && turn.get("parts").is_none();
            let keys = ["text", "system_prompt"].into_iter().filter(|_| is_ours);
            keys.flat_map(|key| member(turn, key)).collect()
        },
        speakers: &[("system", Role::System), ("ai", Role::Assistant)],
    },
];

/// The texts in the blocks of a message.
fn blocks(message: Node<'_>) -> Vec<Node<'_>> {
    let blocks = message.items_of("content");
    let typed = blocks.filter(|block| block.get("type").is_some());
    typed.flat_map(|block| member(block, "value")).collect()
}

fn member<'a>(node: Node<'a>, key: &str) -> Vec<Node<'a>> {
    let text = node.get_kind(key, Kind::String);
    text.into_iter().collect()
}

impl TurnDialect {
    fn of(turn: Node<'_>) -> Option<&'static TurnDialect> {
        DIALECTS.iter().find(|dialect| {
            turn.string(dialect.speaker).is_some() && !(dialect.texts)(turn).is_empty()
        })
    }

    fn role(&self, name: &str) -> Role {
        let known = self.speakers.iter().find(|(known, _)| *known == name);
        known.map_or(Role::User, |(_, role)| *role)
    }
}

fn owns(turn: Node<'_>) -> bool {
    TurnDialect::of(turn).is_some()
}

/// A list of turns, or a row with one. Only messages with blocks are lines.
/// Ways from a row to its turns.
const WAYS: &[&[PathStep]] = &[
    &[],
    &[PathStep::Key("messages")],
    &[PathStep::Key("conversations")],
    &[PathStep::Key("conversation")],
    &[PathStep::Key("trajectory")],
];

fn recognize(head: &Sample<'_>) -> Option<Layout> {
    head.list(
        |entry, root| list_on(WAYS, entry, root, owns),
        || head.nodes().any(|message| !blocks(message).is_empty()),
    )
}

/// A turn is one text.
fn pieces(_: Node<'_>) -> Vec<Piece<'_>> {
    vec![Piece::new(PartKind::Text, 0)]
}

fn read(turn: Node<'_>, t: &mut Transcript) {
    if t.newest_mut().role == Role::HostState {
        return around(turn, t);
    }
    let Some(dialect) = TurnDialect::of(turn) else {
        return;
    };
    let name = turn.string(dialect.speaker).unwrap_or_default();
    let kind = t.ids.intern(&name);
    let event = t.newest_mut();
    event.kind = Some(kind);
    event.role = dialect.role(&name);
    let is_read = event.state != State::Unreadable;
    if is_read {
        t.add_part(t.blank_part(PartKind::Text));
    }
    if is_read && name == "function_call" && !is_call(turn) {
        stops(t, Code::BadInput, "call that is not JSON: LLaMA-Factory stops at it");
    }
    let mut blocks = turn.items_of("content");
    if blocks.any(|block| block.has_str("type", "tool_call")) {
        t.set_fact(own::CALL, FactValue::Yes);
    }
}

/// The row around the turns.
fn around(row: Node<'_>, t: &mut Transcript) {
    let tools = row.string("tools").filter(|tools| !tools.is_empty());
    if tools.is_some_and(|tools| !is_json(&tools)) {
        stops(t, Code::MalformedRecord, "tools that are not JSON: LLaMA-Factory stops at them");
    }
}

/// Whether a turn is a call that LLaMA-Factory can read: JSON, perhaps after a thought (`FunctionFormatter` in
/// src/llamafactory/data/formatter.py of hiyouga/LlamaFactory).
fn is_call(turn: Node<'_>) -> bool {
    let text = turn.string("value").unwrap_or_default();
    let after = text.split_once("</think>").filter(|_| text.trim_start().starts_with("<think>"));
    is_json(after.map_or(&text, |(_, after)| after))
}

/// Reports what stops a trainer.
fn stops(t: &mut Transcript, code: Code, message: &'static str) {
    let found = diagnostics::report(t, code, message);
    (found.instance, found.effect) = (Some(Instance::Stops), Effect::None);
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let all = chat::messages(t);
    let pairs = Pairs::find(t, SHAREGPT.traits.pairs, &Paired::events(&[]));
    let mut found = diagnostics::unreadable(t, &pairs, SHAREGPT.traits.unreadable);
    found.extend(calls_apart(t, &all).or_else(|| {
        let spoken = spoken::find(context, &all, SHAREGPT.text)?;
        Some(spoken.note)
    }));
    found.extend(out_of_turn(t, &all));
    found.extend(diagnostics::no_messages(t));
    chat::request(context, all, &[], pairs, found)
}

/// Calls that are a turn or a block of their own.
fn calls_apart(t: &Transcript, turns: &[EventId]) -> Option<Diagnostic> {
    let call =
        turns.iter().find(|turn| t.kind(**turn) == "function_call" || t.has(**turn, own::CALL))?;
    Some(spoken::note(*call, "a turn or block of its own"))
}

/// The first turn for which LLaMA-Factory skips the conversation: after the instructions, every second turn must be the
/// model's. Only a conversation that has no other speakers than it knows is written for it.
fn out_of_turn(t: &Transcript, turns: &[EventId]) -> Option<Diagnostic> {
    const ASKS: &[&str] = &["human", "observation"];
    const ANSWERS: &[&str] = &["gpt", "function_call"];
    let has_system = turns.first().is_some_and(|first| t.kind(*first) == "system");
    let turns = &turns[usize::from(has_system)..];
    if !turns.iter().all(|turn| [ASKS, ANSWERS].concat().contains(&t.kind(*turn))) {
        return None;
    }
    let sides = [ASKS, ANSWERS].into_iter().cycle();
    let mut placed = turns.iter().zip(sides);
    let (turn, _) = placed.find(|(turn, side)| !side.contains(&t.kind(**turn)))?;
    Some(diagnostics::note(*turn, "turn out of order: LLaMA-Factory skips such a conversation"))
}
