//! What the content of a record shows that some provider refuses.

use super::event::attr;
use super::fact::Value;
use super::facts::Transcript;
use super::index::EventId;

/// A set of flaws. A reader notes them; whether they do harm is known only with the next request.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flaws(u32);

impl Flaws {
    /// Nothing is wrong with it.
    pub(crate) const NONE: Flaws = Flaws(0);
    /// It is not written as its dialect asks for, or lacks a member.
    pub(crate) const SHAPE: Flaws = Flaws(1);
    /// A text that is empty or white space only, or no content at all.
    pub(crate) const EMPTY: Flaws = Flaws(1 << 1);
    /// A call without arguments.
    pub(crate) const NO_INPUT: Flaws = Flaws(1 << 2);
    /// Arguments of a call that are not a JSON object.
    pub(crate) const BAD_INPUT: Flaws = Flaws(1 << 9);
    /// Arguments of a call that are an object where its text belongs.
    pub(crate) const OTHER_INPUT: Flaws = Flaws(1 << 10);
    /// The name of a tool.
    pub(crate) const NAME: Flaws = Flaws(1 << 3);
    /// The ID of a call that the provider runs.
    pub(crate) const HOSTED_ID: Flaws = Flaws(1 << 4);
    /// Half of a surrogate pair.
    pub(crate) const HALF_PAIR: Flaws = Flaws(1 << 11);
    /// An error result that says nothing.
    pub(crate) const EMPTY_ERROR: Flaws = Flaws(1 << 5);
    /// Thinking without its signature, or with nothing in it.
    pub(crate) const THINKING: Flaws = Flaws(1 << 6);
    /// An image or a document.
    pub(crate) const MEDIA: Flaws = Flaws(1 << 7);
    /// A part, or a member, of another dialect.
    pub(crate) const FOREIGN: Flaws = Flaws(1 << 8);
    /// The message is a beginning that the model goes on with.
    pub(crate) const PREFIX: Flaws = Flaws(1 << 12);
    /// The model says what it says in a refusal, a sound, or a call of an old kind only.
    pub(crate) const SAYS_OTHERWISE: Flaws = Flaws(1 << 13);
    /// It is not a message.
    pub(crate) const NO_MESSAGE: Flaws = Flaws(1 << 14);
    /// The role is missing or not known, and nothing says what it was.
    pub(crate) const NO_ROLE: Flaws = Flaws(1 << 15);
    /// The role is missing; the other members say what it was.
    pub(crate) const LOST_ROLE: Flaws = Flaws(1 << 16);
    /// The list of calls is empty.
    pub(crate) const EMPTY_CALLS: Flaws = Flaws(1 << 17);
    /// The list of calls is not a list of calls.
    pub(crate) const BAD_CALLS: Flaws = Flaws(1 << 18);
    /// The model says nothing at all.
    pub(crate) const NOTHING: Flaws = Flaws(1 << 19);
    /// The model says an empty text.
    pub(crate) const BLANK: Flaws = Flaws(1 << 20);
    /// Another role has no content.
    pub(crate) const NO_CONTENT: Flaws = Flaws(1 << 21);
    /// The content is neither a text nor a list.
    pub(crate) const BAD_CONTENT: Flaws = Flaws(1 << 22);
    /// A call without the name of a tool.
    pub(crate) const NO_NAME: Flaws = Flaws(1 << 23);
    /// A call of the old kind, without an ID.
    pub(crate) const OLD_CALL: Flaws = Flaws(1 << 24);
    /// All of them.
    pub(crate) const ALL: Flaws = Flaws(u32::MAX);

    /// Whether one of these is among them.
    pub(crate) fn has(self, any: Flaws) -> bool {
        self.0 & any.0 != 0
    }

    /// The others.
    pub(crate) fn without(self, these: Flaws) -> Flaws {
        Flaws(self.0 & !these.0)
    }
}

impl std::ops::BitOr for Flaws {
    type Output = Flaws;

    fn bitor(self, other: Flaws) -> Flaws {
        Flaws(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for Flaws {
    fn bitor_assign(&mut self, other: Flaws) {
        *self = *self | other;
    }
}

impl Transcript {
    /// Notes flaws of the open event.
    pub(crate) fn note_flaws(&mut self, flaws: Flaws) {
        if flaws == Flaws::NONE {
            return;
        }
        self.attr(attr::FLAWS, Value::Number(i64::from(flaws.0)));
    }

    /// What a reader noted of an event.
    pub(crate) fn flaws(&self, event: EventId) -> Flaws {
        let noted = self.values_of(event, attr::FLAWS);
        noted.fold(Flaws::NONE, |all, value| match value {
            Value::Number(bits) => all | Flaws(u32::try_from(bits).unwrap_or_default()),
            _ => all,
        })
    }
}
