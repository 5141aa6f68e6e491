//! Messages as evaluation programs record them: a call holds the name of its tool and its arguments itself, and a result says
//! in a member of its own whose it is.

use crate::dialects::piece::{MemberRef, Piece, PieceHome, Places};
use crate::dialects::placeholders;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::PartKind;

/// The members by which one program differs from others.
#[derive(Copy, Clone, Debug)]
pub(crate) struct PlainDialect {
    /// The name of the tool, in a call.
    pub tool: &'static str,
    /// The ID of the call, in a result.
    pub call_id: &'static str,
    /// A member without which a call may be of any program; "": none.
    pub call_sign: &'static str,
    /// Members that only messages of this program have.
    pub signs: &'static [&'static str],
}

impl PlainDialect {
    /// Whether a value is a message.
    pub(crate) fn owns(&self, message: Node<'_>) -> bool {
        let role = message.string("role");
        let is_known = role.is_some_and(|role| super::ROLES.contains(&role.as_ref()));
        let says = ["content", "tool_calls"].iter().any(|key| message.get(key).is_some());
        is_known && says
    }

    /// Whether a message has a call or a member as only this program writes them.
    pub(crate) fn is_signed(&self, message: Node<'_>) -> bool {
        if !self.owns(message) {
            return false;
        }
        let has_sign = |sign: &&str| {
            let value = message.get(sign);
            value.is_some_and(|value| !matches!(value.kind(), Kind::Array | Kind::Object))
        };
        message.items_of("tool_calls").any(|call| self.is_call(call))
            || self.signs.iter().any(has_sign)
    }

    fn is_call(&self, call: Node<'_>) -> bool {
        call.string(self.tool).is_some()
            && (self.call_sign.is_empty() || call.get(self.call_sign).is_some())
            && call.has_kind("arguments", Kind::Object)
    }

    /// The parts of a message: a tool's is a result as a whole; of others the text, then the calls.
    pub(crate) fn pieces<'a>(&self, message: Node<'a>) -> Vec<Piece<'a>> {
        let content = message.get("content").filter(|content| !content.is_null());
        if is_result(message) {
            return vec![self.result(message, content)];
        }
        let text = content.map(|content| {
            let mut piece = Piece::new(PartKind::Text, 0);
            piece.blank = content.is_blank_str();
            piece
        });
        let list = message.get("tool_calls");
        let calls = list.into_iter().flat_map(|list| {
            let entries = (0_u32..).zip(list.items());
            entries.map(move |(at, entry)| self.call(entry, PieceHome { list, at }))
        });
        text.into_iter().chain(calls).collect()
    }

    fn call<'a>(&self, entry: Node<'a>, home: PieceHome<'a>) -> Piece<'a> {
        let mut piece = Piece::new(PartKind::Call, 0);
        piece.ids = Places::One(MemberRef::of(entry, "id"));
        piece.names = entry.get(self.tool).into();
        piece.inputs = Places::One(MemberRef::of(entry, "arguments"));
        piece.homes = Places::One(home);
        piece
    }

    fn result<'a>(&self, message: Node<'a>, content: Option<Node<'a>>) -> Piece<'a> {
        let mut piece = Piece::new(PartKind::Result, 0);
        piece.ids = Places::One(MemberRef::of(message, self.call_id));
        piece.names = message.get(self.tool).filter(|name| !name.is_null()).into();
        piece.inputs = Places::One(MemberRef::of(message, "content"));
        piece.origin = placeholders::origin(content);
        piece
    }
}

fn is_result(message: Node<'_>) -> bool {
    message.has_str("role", "tool")
}
