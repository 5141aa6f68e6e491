//! Logs of Inspect: a document whose samples each hold the messages of one conversation. The program never continues with them.

use super::openai_chat::{self, OPENAI_CHAT};
use crate::containers::RecordReader;
use crate::dialects::Piece;
use crate::dialects::chat::plain::PlainDialect;
use crate::dialects::members::{Holding, Members};
use crate::dialects::placeholders::NO_RESULT;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, Host, HostTraits, Rank, Verification};
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::requests::Wire;
use crate::shapes::chat::{plain, write};

pub(crate) const INSPECT: Format = Format {
    name: "inspect",
    host: &Host::new("inspect", "Inspect"),
    title: "Inspect log",
    page: include_str!("page.md"),
    checked: Verification::Run("inspect-ai 0.3.285"),
    rank: Rank::Api,
    recognize: |head| plain::recognize(&PLAIN, head, is_sample),
    explains: |message| PLAIN.owns(message),
    records: RecordReader::new(
        |message| PLAIN.owns(message),
        |message, t| plain::read(&PLAIN, message, t),
    )
    .of_messages(),
    pieces,
    project: |context| openai_chat::project(context, &INSPECT.traits),
    wire: Wire::NONE,
    planner: |context, request| write::planner(context, &WRITING, request),
    model: |_| None,
    traits: HostTraits {
        noun: "message",
        words: Some(WordSet::of(&["arguments:{", "function:-", "epoch:"])),
        sent: &[&["role"], &["content"], &["tool_calls"], &["tool_call_id"]],
        beside: &[],
        members: Members::own(&[
            (Holding::Details, "samples eval plan stats events output scores attachments"),
            (Holding::Envelope, "tool_call_id epoch status source"),
        ]),
        row_words: None,
        rows_in: &["samples"],
        shared_api: None,
        agent_model: |document, _| document.get("eval")?.get("model"),
        row_file: sample_of,
        conversations: HostTraits::NONE.conversations,
        in_place: |_| false,
        policy: &[],
        ..OPENAI_CHAT.traits
    },
    after_write: "Inspect never continues a conversation from a log: a repaired one is for replay, training, and evidence.",
    ..OPENAI_CHAT
};

const PLAIN: PlainDialect =
    PlainDialect { tool: "function", call_id: "tool_call_id", call_sign: "", signs: &["function"] };

fn pieces(message: Node<'_>) -> Vec<Piece<'_>> {
    PLAIN.pieces(message)
}

const WRITING: write::ListWriting = write::ListWriting {
    answer: |context, call, _| {
        let t = context.transcript;
        let part = t.part(call);
        let error = [("type", NewValue::text("unknown")), ("message", NewValue::text(NO_RESULT))];
        let members = vec![
            ("content", NewValue::text(NO_RESULT)),
            ("role", NewValue::text("tool")),
            ("tool_call_id", NewValue::text(t.text(part.id))),
            ("function", NewValue::text(t.text(part.tool))),
            ("error", NewValue::object(error)),
        ];
        plain::answer(context, call, members)
    },
    ..openai_chat::WRITING
};

fn is_sample(root: Node<'_>) -> bool {
    root.get("epoch").is_some() && root.get("input").is_some()
}

/// The ID in the name of a sample of an `.eval` archive: `samples/ID_epoch_1.json`.
fn sample_of(name: &str) -> Option<&str> {
    let stem = name.strip_prefix("samples/")?.strip_suffix(".json")?;
    let (id, epoch) = stem.rsplit_once("_epoch_")?;
    let is_number = !epoch.is_empty() && epoch.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then_some(id)
}
