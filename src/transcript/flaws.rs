//! What is wrong with the content of a record for at least one provider.

use super::conversation::Transcript;
use super::fact::FactValue;
use super::facts;
use super::index::EventId;

/// A set of flaws. Readers note them; whether a flaw matters depends on the request and the provider.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flaws(u32);

impl Flaws {
    /// No flaw.
    pub(crate) const NONE: Flaws = Flaws(0);
    /// It is not in the shape of its dialect, or a member is missing.
    pub(crate) const SHAPE: Flaws = Flaws(1);
    /// A text that is empty or only white space, or no content.
    pub(crate) const EMPTY: Flaws = Flaws(1 << 1);
    /// A call without arguments.
    pub(crate) const NO_INPUT: Flaws = Flaws(1 << 2);
    /// Arguments of a call that are not a JSON object.
    pub(crate) const BAD_INPUT: Flaws = Flaws(1 << 9);
    /// Arguments of a call that are an object where the dialect has the text of one.
    pub(crate) const OTHER_INPUT: Flaws = Flaws(1 << 10);
    /// The name of a tool, or of who speaks, has bad characters or a bad length.
    pub(crate) const NAME: Flaws = Flaws(1 << 3);
    /// The ID of a call that the provider runs is bad.
    pub(crate) const HOSTED_ID: Flaws = Flaws(1 << 4);
    /// A lone surrogate.
    pub(crate) const HALF_PAIR: Flaws = Flaws(1 << 11);
    /// An error result without content.
    pub(crate) const EMPTY_ERROR: Flaws = Flaws(1 << 5);
    /// Thinking that is empty or has no signature.
    pub(crate) const THINKING: Flaws = Flaws(1 << 6);
    /// A bad image or document.
    pub(crate) const MEDIA: Flaws = Flaws(1 << 7);
    /// A part, or a member, of another dialect.
    pub(crate) const FOREIGN: Flaws = Flaws(1 << 8);
    /// The message is a prefix that the model continues.
    pub(crate) const PREFIX: Flaws = Flaws(1 << 12);
    /// The content of an assistant message is only a refusal, audio, or a call of the old kind.
    pub(crate) const ONLY_OTHER_CONTENT: Flaws = Flaws(1 << 13);
    /// The record is not a message.
    pub(crate) const NO_MESSAGE: Flaws = Flaws(1 << 14);
    /// The role is missing or unknown, and no other member implies it.
    pub(crate) const NO_ROLE: Flaws = Flaws(1 << 15);
    /// The role is missing, but other members imply it.
    pub(crate) const LOST_ROLE: Flaws = Flaws(1 << 16);
    /// The list of calls is empty.
    pub(crate) const EMPTY_CALLS: Flaws = Flaws(1 << 17);
    /// The list of calls is not a list of calls.
    pub(crate) const BAD_CALLS: Flaws = Flaws(1 << 18);
    /// An assistant message without any content.
    pub(crate) const NOTHING: Flaws = Flaws(1 << 19);
    /// An assistant message with an empty text.
    pub(crate) const BLANK: Flaws = Flaws(1 << 20);
    /// A message of another role without content.
    pub(crate) const NO_CONTENT: Flaws = Flaws(1 << 21);
    /// The content is neither a text nor a list.
    pub(crate) const BAD_CONTENT: Flaws = Flaws(1 << 22);
    /// A call without the name of a tool.
    pub(crate) const NO_NAME: Flaws = Flaws(1 << 23);
    /// A call of the old kind, without an ID.
    pub(crate) const OLD_CALL: Flaws = Flaws(1 << 24);
    /// A listed call without a type.
    pub(crate) const NO_TYPE: Flaws = Flaws(1 << 29);
    /// A document, whose name and number matter to some providers.
    pub(crate) const DOCUMENT: Flaws = Flaws(1 << 30);
    /// Reasoning with content for people.
    pub(crate) const READABLE: Flaws = Flaws(1 << 25);
    /// Thinking that is only the ID of an item of the Responses API.
    pub(crate) const ITEM_ID: Flaws = Flaws(1 << 26);
    /// All flaws.
    pub(crate) const ALL: Flaws = Flaws(u32::MAX);

    /// Whether the two sets have a flaw in common.
    pub(crate) fn has(self, any: Flaws) -> bool {
        self.0 & any.0 != 0
    }

    /// All flaws of this set that are not in `these`.
    pub(crate) const fn without(self, these: Flaws) -> Flaws {
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
    /// Notes flaws of the current event.
    pub(crate) fn note_flaws(&mut self, flaws: Flaws) {
        if flaws == Flaws::NONE {
            return;
        }
        self.set_fact(facts::FLAWS, FactValue::Number(i64::from(flaws.0)));
    }

    /// The flaws that a reader noted for an event.
    pub(crate) fn flaws(&self, event: EventId) -> Flaws {
        let noted = self.values_of(event, facts::FLAWS);
        noted.fold(Flaws::NONE, |all, value| match value {
            FactValue::Number(bits) => all | Flaws(u32::try_from(bits).unwrap_or_default()),
            _ => all,
        })
    }
}
