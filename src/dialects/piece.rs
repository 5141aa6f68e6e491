//! A part of a message, with the places where it is stored.

use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::scan::scan_outermost;
use crate::json::tape::{Kind, RecordEnd, Token};
use crate::transcript::{Flaws, Interner, Origin, Part, PartKind, Transcript};

/// A member of an object, or the place where it is missing.
#[derive(Copy, Clone, Debug)]
pub(crate) enum MemberRef<'a> {
    /// The value, which may be null.
    At(Node<'a>),
    /// A missing member: its object and its key.
    Missing(Node<'a>, &'static str),
}

impl<'a> MemberRef<'a> {
    /// The member with this key.
    pub(crate) fn of(object: Node<'a>, key: &'static str) -> MemberRef<'a> {
        object.get(key).map_or(MemberRef::Missing(object, key), MemberRef::At)
    }

    /// The string, if there is one.
    pub(crate) fn str(&self) -> Option<std::borrow::Cow<'a, str>> {
        match self {
            MemberRef::At(node) => node.str(),
            MemberRef::Missing(..) => None,
        }
    }

    /// The value, if there is one.
    pub(crate) fn node(&self) -> Option<Node<'a>> {
        match self {
            MemberRef::At(node) => Some(*node),
            MemberRef::Missing(..) => None,
        }
    }

    /// Whether the member is absent or null.
    pub(crate) fn is_null_or_missing(&self) -> bool {
        self.node().is_none_or(|node| node.is_null())
    }

    /// What is wrong with arguments at this place.
    pub(crate) fn input_flaw(&self, written: ArgumentsForm) -> Flaws {
        let Some(input) = self.node().filter(|input| !input.is_null()) else {
            return Flaws::NO_INPUT;
        };
        match (written, input.kind()) {
            (ArgumentsForm::Object | ArgumentsForm::Either, Kind::Object) => Flaws::NONE,
            (ArgumentsForm::Text, Kind::Object) => Flaws::OTHER_INPUT,
            (ArgumentsForm::Text | ArgumentsForm::Either, Kind::String)
                if is_object_text(input) =>
            {
                Flaws::NONE
            }
            _ => Flaws::BAD_INPUT,
        }
    }

    /// The change that sets this string. `None`: it is already here.
    pub(crate) fn set(&self, text: &str, after: &[&str]) -> Option<RecordChange> {
        let is_here = self.node().is_some_and(|node| node.is_str(text));
        (!is_here).then(|| self.put(&quote(text), after))
    }

    /// The change that sets this raw value. A missing member is inserted after the first of the `after` members that its object
    /// has, or at the end.
    pub(crate) fn put(&self, raw: &str, after: &[&str]) -> RecordChange {
        match self {
            MemberRef::At(node) => cut::replace(*node, raw),
            MemberRef::Missing(object, key) => {
                let after = after.iter().find(|after| object.get(after).is_some());
                cut::insert_member(*object, after.copied(), key, raw)
            }
        }
    }
}

/// How a dialect writes the arguments of calls.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentsForm {
    Object,
    /// As the text of one.
    Text,
    Either,
}

/// An array item that is a part, or a copy of one.
#[derive(Copy, Clone, Debug)]
pub(crate) struct PieceHome<'a> {
    pub list: Node<'a>,
    /// The position, from 0.
    pub at: u32,
}

/// The places of something in a record. There is almost always exactly one, which does not need a vector.
#[derive(Clone, Debug, Default)]
pub(crate) enum Places<T> {
    #[default]
    None,
    One(T),
    Many(Vec<T>),
}

impl<T> Places<T> {
    pub(crate) fn push(&mut self, place: T) {
        *self = match std::mem::take(self) {
            Places::None => Places::One(place),
            Places::One(first) => Places::Many(vec![first, place]),
            Places::Many(mut all) => {
                all.push(place);
                Places::Many(all)
            }
        };
    }
}

impl<T> std::ops::Deref for Places<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Places::None => &[],
            Places::One(place) => std::slice::from_ref(place),
            Places::Many(all) => all,
        }
    }
}

impl<T> Extend<T> for Places<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, places: I) {
        places.into_iter().for_each(|place| self.push(place));
    }
}

impl<T> FromIterator<T> for Places<T> {
    fn from_iter<I: IntoIterator<Item = T>>(places: I) -> Self {
        let mut all = Places::None;
        all.extend(places);
        all
    }
}

impl<T> From<Option<T>> for Places<T> {
    fn from(place: Option<T>) -> Self {
        place.map_or(Places::None, Places::One)
    }
}

/// Reads the pieces of a record, from which its parts are made: in their order, as many, of the same kinds.
pub(crate) type Pieces = for<'a> fn(Node<'a>) -> Vec<Piece<'a>>;

/// Pieces for which a list has room at first. Most messages have fewer, and larger blocks of memory take longer to find.
pub(crate) const USUAL: usize = 2;

/// A part of a message.
#[derive(Clone, Debug)]
pub(crate) struct Piece<'a> {
    pub kind: PartKind,
    /// The kinds of its places, as bits that its dialect defines.
    pub locations: u32,
    /// Call or result: every place of its ID, first the one that the host pairs by.
    pub ids: Places<MemberRef<'a>>,
    /// Call or result: every place of the name of the tool.
    pub names: Places<Node<'a>>,
    /// The list items with this part. Empty: it is the whole message.
    pub homes: Places<PieceHome<'a>>,
    /// Call: its arguments, first the copy that is sent. Result: its content.
    pub inputs: Places<MemberRef<'a>>,
    /// Call: its arguments may be any text.
    pub takes_any_input: bool,
    /// Result: who wrote it.
    pub origin: Origin,
    /// Text: it is empty or only white space.
    pub blank: bool,
    /// Result: the tool's status as written.
    pub status: Option<Node<'a>>,
}

impl<'a> Piece<'a> {
    /// A piece of this kind without places.
    pub(crate) fn new(kind: PartKind, locations: u32) -> Piece<'a> {
        Piece {
            kind,
            locations,
            ids: Places::None,
            names: Places::None,
            homes: Places::None,
            inputs: Places::None,
            takes_any_input: false,
            origin: Origin::Real,
            blank: false,
            status: None,
        }
    }

    /// The ID that the host pairs by.
    pub(crate) fn id(&self) -> Option<std::borrow::Cow<'a, str>> {
        self.ids.iter().find_map(MemberRef::str)
    }

    /// The name of the tool.
    pub(crate) fn name(&self) -> Option<std::borrow::Cow<'a, str>> {
        self.names.iter().find_map(Node::str)
    }

    /// What is wrong with the arguments of a call.
    pub(crate) fn input_flaw(&self, written: ArgumentsForm) -> Flaws {
        let is_call = matches!(self.kind, PartKind::Call | PartKind::Hosted);
        let input = self.inputs.first();
        match input.filter(|_| is_call && !self.takes_any_input) {
            Some(input) => input.input_flaw(written),
            None => Flaws::NONE,
        }
    }

    /// Whether a result reports that the tool, or its caller, failed.
    pub(crate) fn reports_error(&self) -> bool {
        self.status.is_some_and(|status| status.as_bool() == Some(true) || status.is_str("error"))
    }

    /// Makes the part of the current event.
    pub(crate) fn part(&self, t: &mut Transcript) -> Part {
        let digest = self.digest(&t.ids);
        self.part_with(digest, t)
    }

    /// What copies of it have in common: the content of a result, the name and arguments of a call.
    pub(crate) fn digest(&self, ids: &Interner) -> u64 {
        ids.digest_of(|out| {
            let input = self.inputs.first().and_then(MemberRef::node);
            for node in input.iter().chain(self.status.iter()) {
                match self.kind {
                    PartKind::Result => node.feed_meaning(out),
                    _ => out(&node.raw()),
                }
            }
            if self.kind == PartKind::Call {
                out(&first_text(self.names.iter().copied()).unwrap_or_default());
            }
        })
    }

    /// Makes the part of the current event, with this digest.
    pub(crate) fn part_with(&self, digest: u64, t: &mut Transcript) -> Part {
        let id = self.ids.iter().filter_map(MemberRef::node);
        let id = first_text(id).map(|id| t.ids.intern_utf8(&id));
        let name = first_text(self.names.iter().copied());
        let tool = name.as_deref().map(|name| t.ids.intern_utf8(name));
        Part {
            kind: self.kind,
            event: t.newest(),
            id,
            sent_id: id,
            tool,
            origin: self.origin,
            blank: self.blank,
            bad_input: false,
            runnable: true,
            reports_error: self.reports_error(),
            digest,
        }
    }
}

/// The text of the first of these values that is a string.
fn first_text<'a>(
    mut values: impl Iterator<Item = Node<'a>>,
) -> Option<std::borrow::Cow<'a, [u8]>> {
    values.find_map(|value| value.utf8())
}

/// Whether two values have the same JSON, except for white space.
pub(crate) fn is_same_json(one: Node<'_>, other: Node<'_>) -> bool {
    let (left, right) = (tokens(one), tokens(other));
    left.len() == right.len()
        && left.iter().zip(right).all(|(a, b)| {
            let is_leaf = !matches!(a.kind, Kind::Object | Kind::Array);
            a.kind == b.kind
                && a.next - one.index() == b.next - other.index()
                && (!is_leaf || one.bytes(a.start, a.end) == other.bytes(b.start, b.end))
        })
}

/// The tokens of a value and of what is in it.
fn tokens<'a>(node: Node<'a>) -> &'a [Token] {
    let all = &node.tape().tokens;
    let start = node.index() as usize;
    let end = all.get(start).map_or(0, |token| token.next as usize);
    all.get(start..end).unwrap_or_default()
}

/// Whether a string is the JSON of an object.
pub(crate) fn is_object_text(string: Node<'_>) -> bool {
    if string.is_plain_object_text() {
        return true;
    }
    let Some(text) = string.str_bytes() else {
        return false;
    };
    let tape = scan_outermost(&text);
    tape.end == RecordEnd::Whole
        && tape.tokens.first().is_some_and(|root| root.kind == Kind::Object)
}
