//! The parts of a message, and what is checked of those that the reader marked.

use super::{kinds, own};
use crate::dialects::piece::{MemberRef, Piece, PieceHome, Places};
use crate::format::FormatContext;
use crate::json::cut::{self, RecordChange};
use crate::json::fields::{Fields, fields};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{
    Action, CHANGE, Code, Diagnostic, Effect, EventId, Instance, PartKind, Role, Subject,
};

fields! {
    /// Members of a message.
    pub(super) enum PiMessageKey {
        Role = "role",
        Content = "content",
        ExcludeFromContext = "excludeFromContext",
        StopReason = "stopReason",
        Provider = "provider",
        Api = "api",
        ToolName = "toolName",
        IsError = "isError",
        Details = "details",
    }
}

fields! {
    /// Members of a block of its content.
    pub(super) enum BlockField {
        Type = "type",
        Text = "text",
        Id = "id",
        Name = "name",
        Arguments = "arguments",
    }
}

/// The parts of a record.
pub(super) fn pieces(record: Node<'_>) -> Vec<Piece<'_>> {
    let message = message(record);
    let content = message.get("content");
    let role = message.string("role");
    match role.as_deref().map_or(Some(Role::User), kinds::role) {
        Some(Role::Assistant) => blocks(content).collect(),
        Some(Role::Tool) => vec![result(&Fields::of(message)).0],
        Some(Role::User)
            if matches!(role.as_deref(), None | Some("user" | "custom" | "hookMessage")) =>
        {
            content.map_or_else(|| vec![Piece::new(PartKind::Text, 0)], said)
        }
        Some(_) => vec![Piece::new(PartKind::Text, 0)],
        None => Vec::new(),
    }
}

/// The message of a record, or the record itself if it has the content.
pub(super) fn message(record: Node<'_>) -> Node<'_> {
    record.get("message").unwrap_or(record)
}

/// The parts of a content in the place of the user. Without blocks it is a text.
pub(super) fn said(content: Node<'_>) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = blocks(Some(content)).collect();
    if pieces.is_empty() {
        let blank = content.kind() != Kind::String || content.is_blank_str();
        pieces.push(Piece { blank, ..Piece::new(PartKind::Text, 0) });
    }
    pieces
}

fn blocks<'a>(list: Option<Node<'a>>) -> impl Iterator<Item = Piece<'a>> {
    list.into_iter().flat_map(|list| {
        (0_u32..).zip(list.items()).map(move |(at, node)| Piece {
            homes: Places::One(PieceHome { list, at }),
            ..block(&Fields::of(node))
        })
    })
}

/// A block of a content.
pub(super) fn block<'a>(block: &Fields<'a, BlockField>) -> Piece<'a> {
    let kind = block.string(BlockField::Type);
    match kind.as_deref() {
        Some("text") => {
            let text = block.get(BlockField::Text);
            let blank = text.is_none_or(|text| text.is_blank_str());
            Piece { blank, ..Piece::new(PartKind::Text, 0) }
        }
        Some("thinking") => Piece::new(PartKind::Thinking, 0),
        Some(kind) if kinds::is_call(kind) => {
            let id = block.get(BlockField::Id);
            let id = id.map_or(MemberRef::Missing(block.node(), "id"), MemberRef::At);
            let arguments = block.get(BlockField::Arguments);
            let arguments = arguments.map_or_else(|| arguments_of(block.node()), MemberRef::At);
            Piece {
                ids: Places::One(id),
                names: block.get(BlockField::Name).into(),
                inputs: Places::One(arguments),
                ..Piece::new(PartKind::Call, 0)
            }
        }
        _ => Piece::new(PartKind::Media, 0),
    }
}

/// The arguments of a call, in any known spelling.
fn arguments_of(call: Node<'_>) -> MemberRef<'_> {
    let found = kinds::ARGUMENTS.iter().find_map(|key| call.get(key));
    found.map_or(MemberRef::Missing(call, kinds::ARGUMENTS[0]), MemberRef::At)
}

/// A result, and the key of the ID of its call.
pub(super) fn result<'a>(message: &Fields<'a, PiMessageKey>) -> (Piece<'a>, &'static str) {
    let node = message.node();
    let id = kinds::RESULT_IDS.iter().find_map(|key| Some((*key, node.get(key)?)));
    let content = message.get(PiMessageKey::Content);
    let piece = Piece {
        ids: Places::One(
            id.map_or(MemberRef::Missing(node, kinds::RESULT_IDS[0]), |(_, id)| MemberRef::At(id)),
        ),
        names: message.get(PiMessageKey::ToolName).into(),
        inputs: Places::One(content.map_or(MemberRef::Missing(node, "content"), MemberRef::At)),
        status: message.get(PiMessageKey::IsError),
        ..Piece::new(PartKind::Result, 0)
    };
    (piece, id.map_or(kinds::RESULT_IDS[0], |(key, _)| key))
}

/// Checks every message of the sequence that the reader marked.
pub(super) fn check_messages(
    context: &FormatContext<'_>,
    openclaw: bool,
    sequence: &[EventId],
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut diagnostics = Vec::new();
    for event in sequence.iter().copied().filter(|event| t.has(*event, own::ODD)) {
        let record = t.event(event);
        let Ok(read) = context.record(event) else {
            continue;
        };
        let root = read.root();
        let mut check = MessageCheck { context, event, openclaw, diagnostics: &mut diagnostics };
        let message = root.get("message").unwrap_or(root);
        match record.role {
            Role::Assistant => check.calls(message),
            _ => check.result(message),
        }
    }
    diagnostics
}

struct MessageCheck<'a> {
    context: &'a FormatContext<'a>,
    event: EventId,
    openclaw: bool,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl MessageCheck<'_> {
    fn report(
        &mut self,
        code: Code,
        message: &'static str,
        instance: Option<Instance>,
        changes: Vec<RecordChange>,
    ) {
        let mut diagnostic = Diagnostic::about(code, message, Subject::Content, self.event);
        diagnostic.instance = instance;
        diagnostic.effect = Effect::Refused;
        let at = self.context.transcript.event(self.event).at();
        diagnostic.fix_safely([Action::edit_bytes(self.event, at, CHANGE, changes)]);
        self.diagnostics.push(diagnostic);
    }

    fn calls(&mut self, message: Node<'_>) {
        let mut foreign = Vec::new();
        let mut has_only_accepted = true;
        for block in message.items_of("content") {
            let Some(word) =
                block.get("type").filter(|kind| kind.str().is_some_and(|k| kinds::is_call(&k)))
            else {
                continue;
            };
            let arguments = kinds::ARGUMENTS.iter().find_map(|key| block.entry(key));
            let native = word.is_str("toolCall");
            if !native {
                foreign.push(cut::replace(word, r#""toolCall""#));
            }
            if let Some((key, _)) = arguments.filter(|(key, _)| !key.is_str(kinds::ARGUMENTS[0])) {
                foreign.push(cut::replace(key, r#""arguments""#));
            }
            has_only_accepted &= native || word.is_str("toolUse") || word.is_str("functionCall");
        }
        if !foreign.is_empty() {
            let spared = (self.openclaw && has_only_accepted).then_some(Instance::Spared);
            foreign.sort_by_key(|change| change.at.start);
            self.report(
                Code::ForeignBlock,
                "tool call written in another program's format",
                spared,
                foreign,
            );
        }
    }

    fn result(&mut self, message: Node<'_>) {
        let named = kinds::RESULT_IDS.iter().find_map(|key| message.entry(key));
        let Some((key, _)) = named.filter(|(key, _)| !key.is_str(kinds::RESULT_IDS[0])) else {
            return;
        };
        let change = cut::replace(key, r#""toolCallId""#);
        let message = "tool result names its call in another program's format";
        self.report(Code::ForeignBlock, message, None, vec![change]);
    }
}
