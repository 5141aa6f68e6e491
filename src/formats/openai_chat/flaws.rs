//! What a message shows that some server refuses, as a set.

/// A set of flaws.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Flaws(u32);

impl Flaws {
    /// The element is no object.
    pub(super) const NO_MESSAGE: Flaws = Flaws(1);
    /// The role is missing or not known, and nothing says what it was.
    pub(super) const NO_ROLE: Flaws = Flaws(1 << 1);
    /// The role is missing; the other members say what it was.
    pub(super) const LOST_ROLE: Flaws = Flaws(1 << 2);
    /// `tool_calls` is an empty list.
    pub(super) const EMPTY_CALLS: Flaws = Flaws(1 << 3);
    /// `tool_calls` is no list of calls.
    pub(super) const CALLS_KIND: Flaws = Flaws(1 << 4);
    /// The assistant says nothing at all.
    pub(super) const NOTHING: Flaws = Flaws(1 << 5);
    /// The assistant says an empty text.
    pub(super) const BLANK: Flaws = Flaws(1 << 6);
    /// Another role has no content.
    pub(super) const NO_CONTENT: Flaws = Flaws(1 << 7);
    /// The content is neither a text nor a list.
    pub(super) const CONTENT_KIND: Flaws = Flaws(1 << 8);
    /// A block of another interface, or none at all.
    pub(super) const FOREIGN: Flaws = Flaws(1 << 9);
    /// A call without a tool's name.
    pub(super) const NO_NAME: Flaws = Flaws(1 << 10);
    /// A call of the old kind, without id.
    pub(super) const OLD_CALL: Flaws = Flaws(1 << 15);

    /// Both sets together.
    pub(super) fn with(self, other: Flaws) -> Flaws {
        Flaws(self.0 | other.0)
    }

    /// Whether this one is in the set.
    pub(super) fn has(self, other: Flaws) -> bool {
        self.0 & other.0 != 0
    }

    /// The set as a number.
    pub(super) fn bits(self) -> u32 {
        self.0
    }

    /// The set of a number.
    pub(super) fn of_bits(bits: i64) -> Flaws {
        Flaws(u32::try_from(bits).unwrap_or(0))
    }
}
