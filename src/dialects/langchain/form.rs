//! The four forms of a message, which its members distinguish.

use crate::dialects::converse;
use crate::json::node::Node;
use crate::json::tape::Kind;

/// How a message is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum MessageShape {
    /// `{"lc":1,"type":"constructor","id":[…],"kwargs":{…}}`.
    Constructor,
    /// `{"type":"ai","data":{…}}` of message_to_dict.
    Dict,
    /// `{"type":"ai","content":…}` of model_dump.
    Flat,
    /// `{"role":"assistant","content":…}`.
    Role,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// `human`, `user`.
    User,
    /// `ai`, `assistant`.
    Assistant,
    /// `system`, `developer`.
    System,
    /// `tool`.
    Tool,
    /// `function` and `chat`. No known client can convert them for all providers.
    Other,
    /// An operation of LangGraph, not a message.
    Remove,
}

/// A message with its form.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Form<'a> {
    pub shape: MessageShape,
    pub speaker: Speaker,
    /// The object with `content`.
    pub body: Node<'a>,
    /// The class or type as written.
    pub kind: &'static str,
}

/// The speakers of types.
const TYPES: &[(&str, Speaker)] = &[
    ("human", Speaker::User),
    ("ai", Speaker::Assistant),
    ("system", Speaker::System),
    ("tool", Speaker::Tool),
    ("function", Speaker::Other),
    ("chat", Speaker::Other),
    ("remove", Speaker::Remove),
    ("user", Speaker::User),
    ("assistant", Speaker::Assistant),
    ("AIMessageChunk", Speaker::Assistant),
    ("HumanMessageChunk", Speaker::User),
    ("SystemMessageChunk", Speaker::System),
    ("ToolMessageChunk", Speaker::Tool),
    ("FunctionMessageChunk", Speaker::Other),
    ("ChatMessageChunk", Speaker::Other),
];
const ROLES: &[(&str, Speaker)] = &[
    ("user", Speaker::User),
    ("assistant", Speaker::Assistant),
    ("system", Speaker::System),
    ("developer", Speaker::System),
    ("tool", Speaker::Tool),
    ("function", Speaker::Other),
    ("human", Speaker::User),
    ("ai", Speaker::Assistant),
];
/// Class names of the constructor form, without `Chunk`.
const CLASSES: &[(&str, Speaker)] = &[
    ("HumanMessage", Speaker::User),
    ("AIMessage", Speaker::Assistant),
    ("SystemMessage", Speaker::System),
    ("ToolMessage", Speaker::Tool),
    ("FunctionMessage", Speaker::Other),
    ("ChatMessage", Speaker::Other),
    ("RemoveMessage", Speaker::Remove),
];

fn among(list: &[(&'static str, Speaker)], word: &str) -> Option<(&'static str, Speaker)> {
    list.iter().find(|(known, _)| *known == word).copied()
}

impl<'a> Form<'a> {
    /// The form of a message; `None`: it is not a message of this dialect.
    pub(crate) fn of(record: Node<'a>) -> Option<Form<'a>> {
        if record.kind() != Kind::Object {
            return None;
        }
        if record.get("lc").is_some_and(|lc| matches!(lc.as_u64(), Some(1 | 2))) {
            return Form::constructor(record);
        }
        let kind = record.string("type");
        let kind = kind.and_then(|kind| among(TYPES, &kind));
        if let (Some((kind, speaker)), Some(body)) =
            (kind, record.get("data").filter(|data| data.kind() == Kind::Object))
        {
            return Some(Form { shape: MessageShape::Dict, speaker, body, kind });
        }
        if let Some(role) = record.string("role") {
            return Form::role(record, &role);
        }
        let has_content =
            record.get("content").is_some() || matches!(kind, Some((_, Speaker::Remove)));
        let (kind, speaker) = kind.filter(|_| has_content)?;
        Some(Form { shape: MessageShape::Flat, speaker, body: record, kind })
    }

    fn constructor(record: Node<'a>) -> Option<Form<'a>> {
        let is_constructor = record.has_str("type", "constructor");
        let class = record.get("id")?.items().last()?.str()?;
        let (kind, speaker) = among(CLASSES, class.strip_suffix("Chunk").unwrap_or(&class))?;
        let body = record.get("kwargs").filter(|_| is_constructor)?;
        Some(Form { shape: MessageShape::Constructor, speaker, body, kind })
    }

    fn role(record: Node<'a>, role: &str) -> Option<Form<'a>> {
        let (kind, speaker) = among(ROLES, role)?;
        let has_calls = record.get("tool_calls").is_some();
        record.get("content").or_else(|| record.get("tool_calls"))?;
        if !has_calls && (converse::owns(record) || is_anthropic(record)) {
            return None;
        }
        Some(Form { shape: MessageShape::Role, speaker, body: record, kind })
    }

    /// The ID of the message.
    pub(crate) fn id(&self) -> Option<Node<'a>> {
        self.body.get("id").filter(|_| self.shape != MessageShape::Role)
    }
}

/// Whether a message has blocks in the shape of the Anthropic API.
fn is_anthropic(record: Node<'_>) -> bool {
    let blocks = record.items_of("content");
    blocks
        .filter_map(|block| block.get("type"))
        .any(|kind| kind.is_str("tool_use") || kind.is_str("tool_result"))
}
