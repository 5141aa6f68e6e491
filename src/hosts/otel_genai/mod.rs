//! Spans of OpenTelemetry (OTLP in JSON) with the messages of requests to models, as JSON text in an attribute. A span records what
//! was sent, so it is read and never repaired.

use super::openai_chat::OPENAI_CHAT;
use crate::containers::{PathStep, RecordReader};
use crate::dialects::members::{Holding, Members};
use crate::dialects::piece::{MemberRef, Piece};
use crate::format::head::Sample;
use crate::format::records::{follow, list_on};
use crate::format::vocabulary::WordSet;
use crate::format::{Format, Host, HostTraits, Rank, Verification, rows};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::requests::Wire;
use crate::shapes::chat;
use crate::transcript::pairs::PairPolicy;
use crate::transcript::{PartKind, Role, State, Transcript};

pub(crate) const OTEL_GENAI: Format = Format {
    name: "otel-genai",
    host: &Host::nameless("otel-genai"),
    title: "OpenTelemetry GenAI spans",
    page: include_str!("page.md"),
    checked: Verification::Read(
        "the semantic conventions for generative AI and their JSON schema, versions 1.37 to 1.41",
    ),
    rank: Rank::Document,
    recognize: |head: &Sample<'_>| {
        head.list(|entry, root| list_on(&[&[]], entry, root, owns), || false)
    },
    explains: owns,
    records: RecordReader::new(owns, read).of_messages(),
    pieces,
    project: |context| chat::project(context, &OTEL_GENAI.traits),
    wire: Wire::NONE,
    supports: &[],
    text: |context, event| {
        let record = context.record(event).ok()?;
        let parts = record.root().items_of("parts");
        let texts: Vec<_> = parts.filter_map(|part| part.string("content")).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    },
    model: |_| None,
    traits: HostTraits {
        noun: "message",
        words: Some(WordSet::of(&["parts:"])),
        pairs: PairPolicy::LISTS,
        sent: &[&["role"], &["parts"]],
        instead_of_repair: Some(
            "spans only record what was sent; fix the application, or the session that it keeps",
        ),
        rows: true,
        row_words: Some(WordSet::of(&["parts:", "attributes:["])),
        rows_in: &["resourceSpans"],
        agent_model,
        conversations: Some(conversations),
        members: Members::own(&[
            (Holding::Details, "resourceSpans scopeSpans spans attributes value parts response"),
            (Holding::Envelope, "finish_reason traceId spanId parentSpanId key"),
        ]),
        in_place: |_| false,
        ..HostTraits::NONE
    },
    after_write: "",
    ..OPENAI_CHAT
};

/// The attribute of a span with the model that it asks.
const MODEL: &str = "gen_ai.request.model";
/// The attribute of a span with the messages of its request.
const INPUT: &str = "gen_ai.input.messages";

/// Whether a value is a message: its parts have types, as those of Gemini have not.
fn owns(message: Node<'_>) -> bool {
    let mut parts = message.items_of("parts").peekable();
    message.string("role").is_some()
        && parts.peek().is_some()
        && parts.all(|part| {
            let text = part.has_str("type", "text") && part.get("content").is_some();
            text || KINDS.iter().any(|(kind, _)| part.has_str("type", kind))
        })
        && message.get("id").is_none()
}

/// Types of parts other than texts.
const KINDS: &[(&str, PartKind)] = &[
    ("tool_call", PartKind::Call),
    ("tool_call_response", PartKind::Result),
    ("reasoning", PartKind::Thinking),
    ("server_tool_call", PartKind::Media),
    ("server_tool_call_response", PartKind::Media),
    ("blob", PartKind::Media),
    ("file", PartKind::Media),
    ("uri", PartKind::Media),
];

/// The requests of a line, or of the spans of one resource. Later spans of a trace repeat the messages of earlier ones, so only
/// the last of those that continue each other counts.
fn conversations(head: &Sample<'_>) -> Vec<rows::InsideRow> {
    let Some(root) = head.only() else {
        return Vec::new();
    };
    let mut requests: Vec<SpanMessages<'_>> = Vec::new();
    for request in requests_in(root) {
        requests.pop_if(|last| request.continues(last));
        requests.push(request);
    }
    requests.into_iter().map(|request| rows::InsideRow::Text(request.path)).collect()
}

/// The messages of a span.
struct SpanMessages<'a> {
    trace: Option<Node<'a>>,
    text: Node<'a>,
    path: Vec<PathStep>,
}

impl SpanMessages<'_> {
    /// Whether it has the messages of an earlier request of its trace, and more.
    fn continues(&self, earlier: &SpanMessages<'_>) -> bool {
        let (Some(own_trace), Some(its_trace)) = (self.trace, earlier.trace) else {
            return false;
        };
        let (own, its) = (self.text.raw(), earlier.text.raw());
        let start = its.strip_suffix(b"]\"").unwrap_or(&its);
        own_trace.raw() == its_trace.raw() && own.starts_with(start)
    }
}

fn requests_in(root: Node<'_>) -> Vec<SpanMessages<'_>> {
    let resources = match root.get("resourceSpans") {
        Some(_) => each(vec![(root, Vec::new())], "resourceSpans"),
        None => vec![(root, Vec::new())],
    };
    let spans = each(each(resources, "scopeSpans"), "spans");
    spans.into_iter().filter_map(request_of).collect()
}

fn request_of<'a>((span, path): (Node<'a>, Vec<PathStep>)) -> Option<SpanMessages<'a>> {
    let attributes = each(vec![(span, path)], "attributes").into_iter();
    let mut input = attributes.filter(|(attribute, _)| attribute.has_str("key", INPUT));
    let (attribute, mut path) = input.next()?;
    path.extend([PathStep::Key("value"), PathStep::Key("stringValue")]);
    let text = attribute.at(&["value", "stringValue"])?;
    let trace = span.get("traceId");
    (text.kind() == Kind::String).then_some(SpanMessages { trace, text, path })
}

/// The model of the span with the messages at this path.
fn agent_model<'a>(root: Node<'a>, messages: &[PathStep]) -> Option<Node<'a>> {
    let attributes =
        messages.iter().rposition(|step| matches!(step, PathStep::Key("attributes")))?;
    let attributes = follow(root, messages.get(..=attributes)?)?;
    let mut models = attributes.items().filter(|own| own.has_str("key", MODEL));
    models.next()?.at(&["value", "stringValue"])
}

/// The elements of a list in each of these values, with their paths.
fn each<'a>(
    from: Vec<(Node<'a>, Vec<PathStep>)>,
    key: &'static str,
) -> Vec<(Node<'a>, Vec<PathStep>)> {
    let elements = from.into_iter().flat_map(|(node, path)| {
        let items = (0..).zip(node.items_of(key).collect::<Vec<_>>());
        items.map(move |(at, item)| {
            let steps = [PathStep::Key(key), PathStep::At(at)];
            (item, path.iter().copied().chain(steps).collect())
        })
    });
    elements.collect()
}

fn pieces(message: Node<'_>) -> Vec<Piece<'_>> {
    message.items_of("parts").map(piece).collect()
}

fn piece(part: Node<'_>) -> Piece<'_> {
    let mut kinds = KINDS.iter();
    let kind = kinds.find(|(kind, _)| part.has_str("type", kind));
    let mut piece = Piece::new(kind.map_or(PartKind::Text, |(_, kind)| *kind), 0);
    let input = match piece.kind {
        PartKind::Call => "arguments",
        PartKind::Result => "response",
        _ => return piece,
    };
    piece.ids = part.get("id").map(MemberRef::At).into();
    piece.names = part.get("name").into();
    let input = part.get(input).or_else(|| part.get("result"));
    piece.inputs = input.map(MemberRef::At).into();
    piece.takes_any_input = true;
    piece
}

fn read(message: Node<'_>, t: &mut Transcript) {
    let role = message.string("role").unwrap_or_default();
    let kind = t.ids.intern(&role);
    let event = t.newest_mut();
    if event.role == Role::HostState {
        return;
    }
    event.kind = Some(kind);
    event.role = match role.as_ref() {
        "system" | "developer" => Role::System,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => Role::User,
    };
    if event.state == State::Unreadable {
        return;
    }
    chat::keep_digest(message, t);
    for piece in pieces(message) {
        let part = piece.part(t);
        t.add_part(part);
    }
}
