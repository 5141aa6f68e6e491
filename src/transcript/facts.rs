//! Facts that all formats share, so that stories can read them in any format.

use super::fact::{Fact, facts};

facts! {
    0, Fact::OF_CONTAINERS;
    /// Text: the new status of the host, in an event that records a change of it; the current status, in the host's
    /// state. The values are `idle`, `running`, `paused`, `waiting_for_confirmation`, `finished`, `error` and `stuck`;
    /// formats translate their own names into these.
    pub STATUS,
    /// A placeholder that the host wrote when it loaded the conversation and found a call without a result.
    pub RECOVERY,
    /// Text: the JSON pointer of an event inside a record, from the start of that record.
    pub POINTER,
    /// Number, from 0: the position of a record in the second list of a document that has two lists of records.
    pub IN_SECOND,
    /// A write stopped in the middle. An unreadable record has this fact if only its end is missing, and so has a
    /// record that was appended to such a fragment on the same line.
    pub TORN,
    /// An unreadable record that is a JSON value, but not an object. Yes: one without content, such as `null` and `[]`.
    pub BARE,
    /// An unreadable record that is more than the start of one: with a few bytes corrected it may be whole.
    pub DAMAGED,
    /// An unreadable record that is nested too deeply for this program. Its host may be able to read it.
    pub TOO_DEEP,
    /// The response, or its tools, were stopped here; by the user, if the host says so.
    pub STOPPED,
    /// An error of the provider or the host, with the error text as the text of the record.
    pub FAILURE,
    /// Written by the host or an extension of it, in the role of the user or the model.
    pub BY_HOST,
    /// A summary that replaces older messages.
    pub SUMMARY,
    /// Host state: when the session continues, the host calls the model without a new user message.
    pub MODEL_IS_NEXT,
    /// Text, in the host's state: the ID of a call whose result is only there. A repair inserts that one.
    pub RECORDED,
    /// A record of a sub-agent, which may be between those of the main conversation.
    pub SIDE,
    /// A redaction mark replaces its time.
    pub TIME_REPLACED,
    /// An unreadable record whose line ends with a redaction mark.
    pub CUT_BY_MARK,
    /// The first call of a message does not have the signature of the thinking before it.
    pub UNSIGNED_CALL,
    /// A call of a message has such a signature.
    pub SIGNED_CALL,
    /// Thinking with an ID but without encrypted content.
    pub NOT_ENCRYPTED,
    /// The host requests a compaction, on its own or on command.
    pub ASKS_COMPACTION,
    /// [`Flaws`](super::Flaws) of its content, as a number.
    pub FLAWS,
    /// Number: how many images it has, and from bit 32 on how many pages its documents have, as far as that shows.
    pub MEDIA,
    /// Number: how many cache marks it has.
    pub MARKS,
}
