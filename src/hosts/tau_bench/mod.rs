//! Results of tau2-bench: a document whose simulations each hold the messages of an agent, a simulated user, and their tools.
//! Results of the first tau-bench are rows of Chat Completions.

use super::inspect::INSPECT;
use super::openai_chat;
use crate::containers::RecordReader;
use crate::dialects::Piece;
use crate::dialects::chat::plain::PlainDialect;
use crate::dialects::members::{Holding, Members};
use crate::dialects::placeholders::NO_RESULT;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, Host, HostTraits, Verification};
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::requests::Wire;
use crate::shapes::chat::{plain, write};
use crate::transcript::Role;

pub(crate) const TAU_BENCH: Format = Format {
    name: "tau-bench",
    host: &Host::new("tau-bench", "tau2-bench"),
    title: "tau2-bench results",
    page: include_str!("page.md"),
    checked: Verification::Read("the source of tau2-bench"),
    recognize: |head| plain::recognize(&PLAIN, head, is_simulation),
    explains: |message| PLAIN.owns(message),
    records: RecordReader::new(
        |message| PLAIN.owns(message),
        |message, t| plain::read(&PLAIN, message, t),
    )
    .of_messages(),
    pieces,
    project: |context| openai_chat::project(context, &TAU_BENCH.traits),
    wire: Wire::NONE,
    planner: |context, request| write::planner(context, &WRITING, request),
    traits: HostTraits {
        noun: "message",
        words: Some(WordSet::of(&[
            "arguments:{",
            "turn_idx:",
            "requestor:",
            "termination_reason:",
        ])),
        sent: &[&["role"], &["content"], &["tool_calls"], &["id"]],
        members: Members::own(&[
            (Holding::Details, "simulations tasks info agent_info reward_info raw_data usage"),
            (Holding::Envelope, "requestor turn_idx termination_reason trial task_id llm"),
        ]),
        rows_in: &["simulations"],
        agent_model: |document, _| document.get("info")?.get("agent_info")?.get("llm"),
        row_file: HostTraits::NONE.row_file,
        ..INSPECT.traits
    },
    after_write: "tau2-bench never continues a simulation: a repaired one is for replay, training, and evidence.",
    ..INSPECT
};

const PLAIN: PlainDialect = PlainDialect {
    tool: "name",
    call_id: "id",
    call_sign: "requestor",
    signs: &["turn_idx", "requestor"],
};

fn pieces(message: Node<'_>) -> Vec<Piece<'_>> {
    PLAIN.pieces(message)
}

const WRITING: write::ListWriting = write::ListWriting {
    answer: |context, call, _| {
        let t = context.transcript;
        let part = t.part(call);
        // The simulated user has tools of its own.
        let requestor = match t.event(part.event).role {
            Role::User => "user",
            _ => "assistant",
        };
        let members = vec![
            ("id", NewValue::text(t.text(part.id))),
            ("role", NewValue::text("tool")),
            ("content", NewValue::text(NO_RESULT)),
            ("requestor", NewValue::text(requestor)),
            ("error", NewValue::Raw("true".into())),
        ];
        plain::answer(context, call, members)
    },
    ..openai_chat::WRITING
};

fn is_simulation(root: Node<'_>) -> bool {
    root.get("termination_reason").is_some()
}
