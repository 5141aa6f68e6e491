//! What is known of an ID that a text names.

/// The status of an ID that the text names.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// A call without a result.
    Unanswered,
    /// A call that waits for its result at the end of the transcript.
    Waits,
    /// Its result is in the wrong place.
    Elsewhere,
    /// More than one result.
    Several,
    /// A result without a call.
    NoCall,
    /// Something else is wrong with it.
    Damaged,
    /// A call or a record with which nothing is wrong that we know.
    Proper,
    /// No ID of a call or a record, but a member of these records holds it.
    Mentioned,
    /// It is only in records that are never sent.
    NotSent,
    /// It was shortened, and several IDs fit.
    Unclear,
    /// It is not in this transcript.
    Absent,
}

impl Status {
    pub(super) fn is_about_damage(self) -> bool {
        !matches!(self, Status::Proper | Status::Mentioned | Status::Unclear | Status::Absent)
    }
}

pub(super) fn word(status: Status) -> &'static str {
    match status {
        Status::Unanswered => "unanswered",
        Status::Waits => "waits",
        Status::Elsewhere => "elsewhere",
        Status::Several => "several",
        Status::NoCall => "no_call",
        Status::Damaged => "damaged",
        Status::Proper => "proper",
        Status::Mentioned => "mentioned",
        Status::NotSent => "not_sent",
        Status::Unclear => "unclear",
        Status::Absent => "absent",
    }
}

pub(super) fn sentence(status: Status) -> &'static str {
    match status {
        Status::Unanswered => "has no result",
        Status::Waits => "is waiting for its result at the end of the transcript",
        Status::Elsewhere => "has its result in the wrong place",
        Status::Several => "has more than one result",
        Status::NoCall => "is a tool result without its call",
        Status::Damaged => "is damaged",
        Status::Proper => "is here, and we see nothing wrong with it",
        Status::Mentioned => "is here, and we see nothing wrong with it",
        Status::NotSent => "is only in a part of this session that is never sent",
        Status::Unclear => "matches several IDs: type more of it",
        Status::Absent => "is not in this transcript",
    }
}
