//! Checks the content of sent messages that the reader marked.

use super::{kinds, own};
use crate::dialects::piece::{MemberRef, Piece, PieceHome, Places};
use crate::format::FormatContext;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Instance, PartKind, Role, Subject,
};

/// The parts of a record in the order of the reader, with the names of tools.
pub(super) fn pieces(record: Node<'_>) -> Vec<Piece<'_>> {
    let message = message(record);
    let role = message.string("role");
    if role.and_then(|role| kinds::role(&role)) == Some(Role::Tool) {
        let mut piece = Piece::new(PartKind::Result, 0);
        piece.names = message.get("toolName").into_iter().collect();
        piece.inputs = Places::One(MemberRef::of(message, "content"));
        return vec![piece];
    }
    let Some(list) = message.get("content") else {
        return Vec::new();
    };
    if list.kind() == Kind::String {
        let mut piece = Piece::new(PartKind::Text, 0);
        piece.blank = list.is_blank_str();
        return vec![piece];
    }
    let blocks = (0_u32..).zip(list.items());
    let pieces = blocks.map(|(at, node)| {
        let mut piece = block(node);
        piece.homes = Places::One(PieceHome { list, at });
        piece
    });
    pieces.collect()
}

/// The message of a record, or the record itself if it has the content.
pub(super) fn message(record: Node<'_>) -> Node<'_> {
    record.get("message").unwrap_or(record)
}

fn block(block: Node<'_>) -> Piece<'_> {
    let kind = block.string("type");
    match kind.as_deref() {
        Some("text") => {
            let mut piece = Piece::new(PartKind::Text, 0);
            piece.blank = block.get("text").is_none_or(|text| text.is_blank_str());
            piece
        }
        Some("thinking") => Piece::new(PartKind::Thinking, 0),
        Some(kind) if kinds::is_call(kind) => {
            let mut piece = Piece::new(PartKind::Call, 0);
            piece.names = block.get("name").into_iter().collect();
            piece.inputs = Places::One(arguments(block));
            piece
        }
        _ => Piece::new(PartKind::Media, 0),
    }
}

/// The arguments of a call, in any known spelling.
pub(super) fn arguments(call: Node<'_>) -> MemberRef<'_> {
    let found = kinds::ARGUMENTS.iter().find_map(|key| call.get(key));
    found.map_or(MemberRef::Missing(call, kinds::ARGUMENTS[0]), MemberRef::At)
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
        message: &str,
        instance: Option<Instance>,
        changes: Vec<RecordChange>,
    ) {
        let mut diagnostic = Diagnostic::about(code, message, Subject::Content, self.event);
        diagnostic.instance = instance;
        diagnostic.effect = Effect::Refused;
        let at = self.context.transcript.event(self.event).at();
        diagnostic.fix_safely([Action::edit_bytes(self.event, at, "rename", changes)]);
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
                "tool call in another program's spelling",
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
        let message = "tool result refers to its call in another program's spelling";
        self.report(Code::ForeignBlock, message, None, vec![change]);
    }
}
