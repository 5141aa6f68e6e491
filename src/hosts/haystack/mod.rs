//! Messages of Haystack, as `ChatMessage.to_dict` writes them: each part is an object with one member, which says what it is.

use crate::containers::rewrite::CannotDo;
use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::Piece;
use crate::dialects::members::{Holding, Members};
use crate::dialects::piece::{ArgumentsForm, MemberRef, PieceHome, Places};
use crate::dialects::placeholders::{self, NO_RESULT};
use crate::format::about::{AboutPlaces, member};
use crate::format::head::Sample;
use crate::format::policy::PolicyRow;
use crate::format::records::list_on;
use crate::format::vocabulary::WordSet;
use crate::format::words::words;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::requests::arguments::{self, RecordedArguments};
use crate::requests::{Wire, tool_names};
use crate::rewrite::{Schema, in_order, nearest};
use crate::shapes::chat::write::{self, ListWriting};
use crate::shapes::chat::{self, diagnostics};
use crate::transcript::pairs::{PairPolicy, Paired, Pairs};
use crate::transcript::{
    Code, EventId, PartId, PartKind, Request, Role, Severity, State, Transcript,
};

crate::transcript::fact::own_facts! {
    /// The model that answered.
    MODEL,
}

pub(crate) const HAYSTACK: Format = Format {
    name: "haystack",
    host: &Host::new("haystack", "Haystack"),
    title: "Haystack chat messages",
    page: include_str!("page.md"),
    checked: Verification::Run("haystack-ai 3.4.1"),
    rank: Rank::Host,
    recognize,
    explains: owns,
    records: RecordReader::new(owns, read).of_messages(),
    pieces,
    project,
    wire: Wire {
        needs: &[&tool_names::NEED, &arguments::NEED],
        calls: RecordedArguments::OBJECTS,
        ..Wire::NONE
    },
    supports: WRITING.schema.supports,
    planner: |context, request| write::planner(context, &WRITING, request),
    text,
    model: |t| t.all_texts(own::MODEL).last().map(str::to_owned),
    traits: HostTraits {
        noun: "message",
        words: Some(WordSet::of(&["content:[", "_content:["])),
        pairs: PairPolicy::LISTS,
        takes_reused_ids: true,
        blocks: &[&["content"], &["_content"]],
        sent: &[&["role"], &["content"], &["name"]],
        members: Members::own(&[
            (
                Holding::Details,
                "tool_call tool_call_result reasoning image file origin _content _meta extra",
            ),
            (Holding::Text, "reasoning_text"),
            (Holding::Envelope, "meta _role _name validation detail error"),
        ]),
        about: AboutPlaces {
            models: &[member("assistant", &["meta", "model"])],
            ..AboutPlaces::NOTHING
        },
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Load the messages again with `ChatMessage.from_dict`: a process that has them in memory keeps the old ones.",
};

/// A part that `ChatMessage.from_dict` does not know ends the loading.
const POLICY: &[PolicyRow] = &[PolicyRow::refuses_file(Code::MalformedRecord, Severity::Fatal)];

const WRITING: ListWriting =
    ListWriting { schema: Schema::LIST, answer, beside: |_, _| false, follow_up: |_, _| {} };

/// What parts are, by their only member.
const PARTS: &[(&str, PartKind)] = &[
    ("text", PartKind::Text),
    (CALL, PartKind::Call),
    (RESULT, PartKind::Result),
    ("reasoning", PartKind::Thinking),
    ("image", PartKind::Media),
    ("file", PartKind::Media),
];
const CALL: &str = "tool_call";
const RESULT: &str = "tool_call_result";

/// A list, the list of a document, or lines.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    const WAYS: [&[PathStep]; 2] = [&[], &[PathStep::Key("messages")]];
    head.list(|entry, root| list_on(&WAYS, entry, root, is_signed), || head.nodes().any(is_signed))
}

fn role(message: Node<'_>) -> Option<Role> {
    let role = message.string("role").or_else(|| message.string("_role"))?;
    Some(match role.as_ref() {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => return None,
    })
}

/// The parts of a message; versions 2.9 to 2.11 wrote them as `_content`.
fn content(message: Node<'_>) -> Option<Node<'_>> {
    let list = message.get("content").or_else(|| message.get("_content"))?;
    (list.kind() == Kind::Array).then_some(list)
}

/// What a part is, and what it holds.
fn known(part: Node<'_>) -> Option<(PartKind, Node<'_>)> {
    PARTS.iter().find_map(|(key, kind)| Some((*kind, part.get(key)?)))
}

/// Whether a value is a message.
fn owns(message: Node<'_>) -> bool {
    let is_part = |part: Node<'_>| part.is_open() || known(part).is_some();
    role(message).is_some() && content(message).is_some_and(|list| list.items().all(is_part))
}

/// Whether a message has what only Haystack writes: its calls and results, or its members around parts without a type.
fn is_signed(message: Node<'_>) -> bool {
    let is_own = |part: Node<'_>| {
        part.get(CALL).is_some_and(|call| call.get("tool_name").is_some())
            || part.get(RESULT).is_some_and(|result| result.get("origin").is_some())
    };
    let is_whole = message.get("_content").is_some()
        || message.has_kind("meta", Kind::Object) && message.get("name").is_some();
    let has =
        |is: &dyn Fn(Node<'_>) -> bool| content(message).is_some_and(|list| list.items().any(is));
    owns(message) && (has(&is_own) || is_whole && !has(&|part| part.get("type").is_some()))
}

fn read(message: Node<'_>, t: &mut Transcript) {
    if t.newest_mut().role == Role::HostState {
        return;
    }
    let word = message.string("role").or_else(|| message.string("_role")).unwrap_or_default();
    chat::read(message, t, (&word, role(message).unwrap_or(Role::User)), pieces);
    if t.newest_mut().state != State::Unreadable {
        for piece in pieces(message) {
            t.note_flaws(piece.input_flaw(ArgumentsForm::Object));
        }
    }
    t.set_text(own::MODEL, message.at(&["meta", "model"]));
}

/// The parts of a message. A result alone is the whole message.
fn pieces(message: Node<'_>) -> Vec<Piece<'_>> {
    let Some(list) = content(message) else {
        return Vec::new();
    };
    let is_alone = list.items().nth(1).is_none();
    let mut pieces: Vec<Piece<'_>> = (0..)
        .zip(list.items())
        .map(|(at, part)| Piece { homes: Places::One(PieceHome { list, at }), ..piece(part) })
        .collect();
    if let [only] = &mut pieces[..]
        && is_alone
        && only.kind == PartKind::Result
    {
        only.homes = Places::None;
    }
    pieces
}

fn piece(part: Node<'_>) -> Piece<'_> {
    let Some((kind, held)) = known(part) else {
        return Piece::new(PartKind::Media, 0);
    };
    let mut piece = Piece::new(kind, 0);
    match kind {
        PartKind::Call => {
            piece.ids = Places::One(MemberRef::of(held, "id"));
            piece.names = held.get("tool_name").into();
            piece.inputs = Places::One(MemberRef::of(held, "arguments"));
        }
        PartKind::Result => {
            let origin = held.get("origin");
            piece.ids = origin.map(|origin| MemberRef::of(origin, "id")).into();
            piece.names = origin.and_then(|origin| origin.get("tool_name")).into();
            piece.inputs = Places::One(MemberRef::of(held, "result"));
            piece.origin = placeholders::origin(held.get("result"));
            piece.status = held.get("error");
        }
        PartKind::Text => piece.blank = held.is_blank_str(),
        _ => {}
    }
    piece
}

/// A generator sends what it is given as it is. An agent puts its system prompt before the messages of each run, so equal ones are
/// no copies.
fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let mut sent = chat::messages(t);
    let spoken = chat::without_system(t, &sent);
    let (copies, mut found) = diagnostics::copies(context, &spoken);
    sent.retain(|event| copies.binary_search(event).is_err());
    let pairs = Pairs::find(t, HAYSTACK.traits.pairs, &Paired::events(&sent));
    found.extend(diagnostics::unreadable(t, &pairs, HAYSTACK.traits.unreadable));
    chat::request(context, sent, &[], pairs, found)
}

/// What the parts of a message say.
fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let parts = content(record.root())?.items().filter_map(known);
    let said: Vec<String> = parts
        .filter_map(|(kind, held)| match kind {
            PartKind::Text => words(held),
            PartKind::Result => words(held.get("result")?),
            _ => None,
        })
        .collect();
    (!said.is_empty()).then(|| said.join("\n"))
}

/// A message with a result that failed: its origin is the call. Generators take one result a message.
fn answer(context: &FormatContext<'_>, call: PartId, _: usize) -> Result<Vec<u8>, CannotDo> {
    let t = context.transcript;
    let event = t.part(call).event;
    let neighbor = nearest(t, event, |other| {
        t.event(other).role == Role::Tool && t.event(other).state == State::Whole
    });
    let asks = context.record(event)?;
    let model = context.record(neighbor.unwrap_or(event))?;
    let at = t.event(event).parts.position_of(call);
    let list = content(asks.root()).ok_or(CannotDo("a call cannot be found again"))?;
    let origin = list.items().nth(at).and_then(|part| part.get(CALL));
    let origin = origin.ok_or(CannotDo("a call cannot be found again"))?;
    let members = ["tool_name", "arguments", "id", "extra"];
    let members =
        members.into_iter().filter_map(|key| Some((key, NewValue::copy(origin.get(key)?))));
    let result = NewValue::object([
        ("result", NewValue::text(NO_RESULT)),
        ("origin", NewValue::object(members)),
        ("error", NewValue::Raw("true".into())),
    ]);
    let is_old = asks.root().get("_content").is_some();
    let names = if is_old {
        ["_role", "_meta", "_name", "_content"]
    } else {
        ["role", "meta", "name", "content"]
    };
    let values = [
        NewValue::text("tool"),
        NewValue::object([]),
        NewValue::NULL,
        NewValue::List(vec![NewValue::object([(RESULT, result)])]),
    ];
    Ok(model.writer().write(&in_order(names.into_iter().zip(values), Some(model.root()))))
}
