//! A first look at content, which finds the pieces and what the API may reject in them. It must be fast, because most
//! messages have no flaws.

use super::kinds::BlockKind;
use super::{calls, hosted, kinds, media, pieces, thinking};
use crate::dialects::piece::{ArgumentsForm, MemberRef, Piece, PieceHome, Places, USUAL};
use crate::json::fields::{Fields, fields};
use crate::json::node::Node;
use crate::json::tape;
use crate::transcript::{FactValue, Flaws, Role, Transcript, facts};

/// The result of a first look at the content of a message.
#[derive(Default)]
pub(crate) struct ContentLook<'a> {
    /// One piece for each block, or one for a string.
    pub pieces: Vec<Piece<'a>>,
    /// What the API may reject, wherever the message is.
    pub flaws: Flaws,
    /// The number of images, including those inside results.
    pub images: u32,
    /// The number of pages of documents.
    pub pages: u32,
    /// The number of cache marks.
    pub marks: u32,
}

fields! {
    /// The members that are read.
    pub(super) enum BlockKey {
        Type = "type",
        Text = "text",
        Id = "id",
        Name = "name",
        Input = "input",
        ToolUseId = "tool_use_id",
        Content = "content",
        IsError = "is_error",
        Thinking = "thinking",
        Signature = "signature",
        Data = "data",
        CacheControl = "cache_control",
    }
}

/// A block with its members, which are found in one pass.
pub(super) struct ContentBlock<'a> {
    /// `None` if it is not a block of this dialect.
    pub kind: Option<&'static BlockKind>,
    members: Fields<'a, BlockKey>,
}

impl<'a> ContentBlock<'a> {
    pub(super) fn of(node: Node<'a>) -> ContentBlock<'a> {
        let mut block = ContentBlock { kind: None, members: Fields::of(node) };
        block.kind = block.string(BlockKey::Type).and_then(|kind| kinds::of(&kind.text_bytes()));
        block
    }

    /// A member; if several have this key, the last one.
    pub(super) fn get(&self, key: BlockKey) -> Option<Node<'a>> {
        self.members.get(key)
    }

    /// The place of a member.
    pub(super) fn member(&self, key: BlockKey) -> MemberRef<'a> {
        self.get(key).map_or_else(
            || MemberRef::Missing(self.members.node(), Fields::name(key)),
            MemberRef::At,
        )
    }

    pub(super) fn is(&self, name: &str) -> bool {
        self.kind.is_some_and(|kind| kind.name == name)
    }

    /// Whether it has a member that blocks of its kind do not have.
    fn is_foreign(&self, kind: &BlockKind) -> bool {
        self.members.names().any(|key| !kind.knows(key.as_bytes()))
            || (self.members.has_others()
                && (self.members.node().members()).any(|(key, _)| !kind.knows(&key.text_bytes())))
    }

    fn lacks(&self, key: &str) -> bool {
        let member = self.members.node().get(key);
        member.is_none_or(|member| member.is_null())
    }

    /// What the API may reject in it, in a message of this role; `None`: inside a result.
    fn flaws(&self, role: Option<Role>) -> Flaws {
        if self.members.node().kind() != tape::Kind::Object {
            return Flaws::SHAPE;
        }
        let Some(kind) = self.kind else {
            return Flaws::FOREIGN;
        };
        if kind.misplaced(role).is_some() {
            return Flaws::FOREIGN;
        }
        let flaws_if = |is_flawed: bool, flaws| if is_flawed { flaws } else { Flaws::NONE };
        let own = match kind.name {
            "text" => match self.string(BlockKey::Text) {
                None => Flaws::SHAPE,
                // Inside a result white space is accepted.
                Some(text) if role.is_none() => flaws_if(text.is_str(""), Flaws::EMPTY),
                Some(text) => flaws_if(text.is_blank_str(), Flaws::EMPTY),
            },
            "tool_use" | "server_tool_use" | "mcp_tool_use" => {
                calls::name_flaw(self) | flaws_if(hosted::has_bad_id(self), Flaws::HOSTED_ID)
            }
            "tool_result" => self.result_flaws(),
            "thinking" | "redacted_thinking" => {
                flaws_if(thinking::flaw(self).is_some(), Flaws::THINKING)
            }
            "image" | "document" => media::flaws(self.members.node()),
            _ => flaws_if(kind.needs.iter().any(|key| self.lacks(key)), Flaws::SHAPE),
        };
        own | flaws_if(self.is_foreign(kind), Flaws::FOREIGN)
    }

    /// A member that is a string.
    pub(super) fn string(&self, key: BlockKey) -> Option<Node<'a>> {
        self.get(key).filter(|member| member.kind() == tape::Kind::String)
    }

    /// What the API may reject in the content of a result.
    fn result_flaws(&self) -> Flaws {
        let content = self.get(BlockKey::Content).filter(|content| !content.is_null());
        let is_error = self.get(BlockKey::IsError).is_some_and(|flag| flag.as_bool() == Some(true));
        let mut flaws = Flaws::NONE;
        let is_empty = match content.map(|content| (content, content.kind())) {
            None => true,
            Some((content, tape::Kind::String)) => content.is_str(""),
            Some((content, tape::Kind::Array)) => {
                let mut is_empty = true;
                for block in content.items() {
                    is_empty = false;
                    flaws |= ContentBlock::of(block).flaws(None);
                }
                is_empty
            }
            Some(_) => {
                flaws |= Flaws::SHAPE;
                false
            }
        };
        if is_error && is_empty {
            flaws |= Flaws::EMPTY_ERROR;
        }
        flaws
    }
}

/// More pages are not counted.
const MOST_PAGES: u32 = i32::MAX as u32;

impl ContentLook<'_> {
    /// Notes in the current event what the provider may reject, on its own or together with other messages.
    pub(crate) fn note(&self, t: &mut Transcript) {
        t.note_flaws(self.flaws);
        let media = i64::from(self.pages.min(MOST_PAGES)) << 32 | i64::from(self.images);
        for (name, count) in [(facts::MEDIA, media), (facts::MARKS, i64::from(self.marks))] {
            if count > 0 {
                t.set_fact(name, FactValue::Number(count));
            }
        }
    }
}

/// Takes a first look at the content of a message.
pub(crate) fn look(content: Node<'_>, role: Role) -> ContentLook<'_> {
    let mut found = ContentLook::default();
    match content.kind() {
        tape::Kind::String => {
            found.pieces = pieces::pieces(content);
            if content.is_blank_str() {
                found.flaws = Flaws::EMPTY;
            }
        }
        tape::Kind::Array => {
            // Most messages have few blocks: one allocation is enough.
            found.pieces.reserve_exact(USUAL);
            for (at, node) in (0_u32..).zip(content.items()) {
                let block = ContentBlock::of(node);
                let mut piece = pieces::piece(&block);
                found.flaws |= piece.input_flaw(ArgumentsForm::Object);
                piece.homes = Places::One(PieceHome { list: content, at });
                found.pieces.push(piece);
                found.flaws |= block.flaws(Some(role));
                found.images += images(&block);
                if block.is("document") {
                    found.pages = found.pages.saturating_add(media::pages(node));
                }
                let mark = block.get(BlockKey::CacheControl);
                found.marks += u32::from(mark.is_some_and(|mark| !mark.is_null()));
            }
            if found.pieces.is_empty() {
                found.flaws = Flaws::EMPTY;
            }
        }
        _ => found.flaws = Flaws::SHAPE,
    }
    found
}

/// The number of images in a block.
fn images(block: &ContentBlock<'_>) -> u32 {
    let inner = block.get(BlockKey::Content).into_iter().flat_map(|content| content.items());
    let inner = inner.filter(|block| kinds::is(*block, "image"));
    let inner = u32::try_from(inner.count()).unwrap_or(u32::MAX);
    inner.saturating_add(u32::from(block.is("image")))
}
