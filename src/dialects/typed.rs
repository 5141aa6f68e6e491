//! Messages that are lists of blocks, of which a member says what each is.

use super::piece::{MemberRef, Piece, PieceHome, Places};
use super::placeholders;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::PartKind;

/// The members by which one program differs from others.
pub(crate) struct TypedBlocks {
    /// The blocks of a message.
    pub list: &'static str,
    /// The type of a block.
    pub kind: &'static str,
    /// What blocks of these types are. All others are texts.
    pub kinds: &'static [(&'static str, PartKind)],
    /// The ID of a call, in the call and in its result.
    pub id: &'static str,
    /// The name of the tool.
    pub tool: &'static str,
    /// The arguments of a call.
    pub input: &'static str,
    /// What a result says.
    pub output: &'static str,
}

impl TypedBlocks {
    /// The blocks of a message, if all that can be read have a type.
    pub(crate) fn blocks<'a>(&self, message: Node<'a>) -> Option<Node<'a>> {
        let list = message.get_kind(self.list, Kind::Array)?;
        let mut blocks = list.items();
        let all = blocks.all(|block| block.is_open() || block.has_kind(self.kind, Kind::String));
        all.then_some(list)
    }

    /// The parts of a message, one a block.
    pub(crate) fn pieces<'a>(&self, message: Node<'a>) -> Vec<Piece<'a>> {
        let Some(list) = message.get_kind(self.list, Kind::Array) else {
            return Vec::new();
        };
        (0..)
            .zip(list.items())
            .map(|(at, block)| self.piece(block, PieceHome { list, at }))
            .collect()
    }

    fn piece<'a>(&self, block: Node<'a>, home: PieceHome<'a>) -> Piece<'a> {
        let mut kinds = self.kinds.iter();
        let known = kinds.find(|(word, _)| block.has_str(self.kind, word));
        let kind = known.map_or(PartKind::Text, |(_, kind)| *kind);
        let mut piece = Piece::new(kind, 0);
        piece.homes = Places::One(home);
        match kind {
            PartKind::Call => piece.inputs = Places::One(MemberRef::of(block, self.input)),
            PartKind::Result => {
                piece.inputs = Places::One(MemberRef::of(block, self.output));
                piece.origin = placeholders::origin(block.get(self.output));
            }
            _ => {
                let said = block.get("text").or_else(|| block.get(self.output));
                piece.blank = said.is_some_and(|said| said.is_blank_str());
                return piece;
            }
        }
        piece.ids = Places::One(MemberRef::of(block, self.id));
        piece.names = block.get(self.tool).into();
        piece
    }
}
