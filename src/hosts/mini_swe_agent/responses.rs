//! Trajectories of mini-SWE-agent whose model is asked by the Responses API: a response is one element, with all its items in
//! `output`, and each result is an item of its own. The agent takes the responses apart before it sends them.

use super::{MINI_SWE_AGENT, is_response, is_run};
use crate::containers::rewrite::CannotDo;
use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::Piece;
use crate::dialects::members::{Holding, Members};
use crate::dialects::piece::{ArgumentsForm, PieceHome, Places};
use crate::dialects::placeholders::NO_RESULT;
use crate::dialects::responses::ResponseItem;
use crate::format::head::Sample;
use crate::format::words::words;
use crate::format::{Format, FormatContext, HostTraits, Verification};
use crate::hosts::openai_chat::{self, OPENAI_CHAT};
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::requests::{Wire, arguments, tool_names};
use crate::rewrite::Schema;
use crate::shapes::chat::{self, plain, write};
use crate::shapes::items;
use crate::transcript::request::{Request, Sent};
use crate::transcript::{EventId, Flaws, IdRange, PartId, Role, State, Transcript};

pub(crate) const MINI_SWE_AGENT_RESPONSES: Format = Format {
    name: "mini-swe-agent-responses",
    title: "mini-SWE-agent trajectory (Responses API)",
    page: include_str!("responses.md"),
    checked: Verification::Run("mini-swe-agent 2.4.6"),
    recognize,
    explains,
    records: RecordReader::new(owns, read).of_messages(),
    pieces,
    project,
    wire: Wire {
        needs: &[&tool_names::NEED, &arguments::NEED],
        calls: arguments::RecordedArguments::TEXTS,
        ..Wire::NONE
    },
    planner: |context, request| write::planner(context, &WRITING, request),
    text,
    model: |_| Some("openai-responses".to_owned()),
    traits: HostTraits {
        sent: &[&["role"], &["content"], &["output"], &["call_id"], &["type"]],
        members: Members::own(&[
            (Holding::Details, "info messages extra model_stats config output"),
            (Holding::Envelope, "trajectory_format exit_status mini_version object"),
        ]),
        ..MINI_SWE_AGENT.traits
    },
    ..MINI_SWE_AGENT
};

const WRITING: write::ListWriting = write::ListWriting {
    schema: Schema { supports: OPENAI_CHAT.supports, ..Schema::PLAIN },
    answer,
    ..openai_chat::WRITING
};

/// A signed document with at least one response.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    let root = head.only()?;
    let mut messages = root.get("messages")?.items();
    let path = vec![PathStep::Key("messages")];
    (is_run(root) && messages.any(is_response)).then_some(Layout::enclosed(head.single?, path))
}

fn explains(element: Node<'_>) -> bool {
    super::explains(element) || owns(element)
}

fn owns(element: Node<'_>) -> bool {
    is_response(element) || ResponseItem::of(element).sort().is_some()
}

/// The items of a response, or the element itself.
fn items_of(element: Node<'_>) -> Vec<Node<'_>> {
    if is_response(element) { element.items_of("output").collect() } else { vec![element] }
}

/// The parts of a response or of an item. Those of a response can be cut out of its `output`.
fn pieces(element: Node<'_>) -> Vec<Piece<'_>> {
    let list = element.get("output").filter(|_| is_response(element));
    let pieces = (0..).zip(items_of(element)).map(|(at, node)| {
        let item = ResponseItem::of(node);
        let homes = list.map(|list| PieceHome { list, at });
        Some(Piece { homes: Places::from(homes), ..item.piece(item.sort()?)? })
    });
    pieces.flatten().collect()
}

fn read(element: Node<'_>, t: &mut Transcript) {
    let (role, state) = (t.newest_mut().role, t.newest_mut().state);
    if role == Role::HostState {
        return;
    }
    let item = ResponseItem::of(element);
    let kind = ["role", "type", "object"];
    let kind = kind.iter().find_map(|key| element.string(key));
    let kind = kind.map(|kind| t.ids.intern(&kind));
    let event = t.newest_mut();
    event.kind = kind;
    event.role = match item.sort() {
        _ if is_response(element) => Role::Assistant,
        Some(sort) => item.role(sort),
        None => Role::User,
    };
    if state == State::Unreadable {
        return;
    }
    chat::keep_digest(element, t);
    for piece in pieces(element) {
        let mut part = piece.part(t);
        let flaw = piece.input_flaw(ArgumentsForm::Text);
        part.bad_input = flaw != Flaws::NONE;
        t.add_part(part);
        t.note_flaws(flaw);
    }
}

/// What the agent would send: the items of each response one by one.
fn project(context: &FormatContext<'_>) -> Request {
    let mut request = openai_chat::project(context, &MINI_SWE_AGENT_RESPONSES.traits);
    request.order = request
        .order
        .iter()
        .flat_map(|sent| {
            let (event, role) = (sent.event, sent.role);
            sent.parts
                .clone()
                .map(move |part| Sent::new(event, role, IdRange::new(part, part.next())))
        })
        .collect();
    items::count(&mut request, context);
    request
}

fn answer(context: &FormatContext<'_>, call: PartId, _: usize) -> Result<Vec<u8>, CannotDo> {
    let t = context.transcript;
    let members = vec![
        ("type", NewValue::text("function_call_output")),
        ("call_id", NewValue::text(t.text(t.part(call).id))),
        ("output", NewValue::text(NO_RESULT)),
    ];
    plain::answer(context, call, members)
}

fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let texts: Vec<String> = items_of(record.root())
        .into_iter()
        .filter_map(|item| {
            let keys = ["content", "output", "summary", "arguments"];
            keys.iter().find_map(|key| words(item.get(key)?))
        })
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
