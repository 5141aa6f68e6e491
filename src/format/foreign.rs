//! Lines of other text between the first records, which show that a text only quotes records: source code, a manual, a log of
//! another program.

use crate::json::tape::{Flags, Kind, RecordEnd, Tape};

/// This many lines may be added to a session by hand or by a merge, as the three markers of a conflict are.
const ADDED: u32 = 3;

/// Counts the lines that are neither JSON nor pieces of records.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct ForeignLines {
    count: u32,
    /// Whether the record before ends inside a string: what follows may be the rest of it, after a raw line feed.
    in_string: bool,
}

impl ForeignLines {
    /// Counts the next line, without white space around it.
    pub(crate) fn add(&mut self, line: &[u8], tape: &Tape) {
        let is_json = matches!(tape.end, RecordEnd::Whole | RecordEnd::Empty);
        if line.starts_with(b"{") {
            let last = tape.tokens.last();
            self.in_string = tape.end == RecordEnd::Torn
                && last
                    .is_some_and(|last| last.kind == Kind::String && last.flags.has(Flags::OPEN));
        } else if ends_record(line) {
            self.in_string = false;
        } else if !is_json && !self.in_string && !is_of_indented(line) {
            self.count = self.count.saturating_add(1);
        }
    }

    /// How many records of a host's format there must be between these lines for a session.
    pub(crate) fn least_records(self) -> u32 {
        self.count.saturating_sub(ADDED)
    }

    /// The same for messages as any program may write or quote them. A damaged file has a line of text here and there.
    pub(crate) fn least_messages(self) -> u32 {
        self.count.saturating_mul(2)
    }

    /// How many lines of other text there are, at least.
    pub(crate) fn count(self) -> u32 {
        self.count
    }
}

/// Whether a line may be the end of a record whose beginning is lost.
fn ends_record(line: &[u8]) -> bool {
    line.ends_with(b"}") && memchr::memchr(b'"', line).is_some()
}

/// Whether a line may be of a record that was written over several lines: a member, or brackets.
fn is_of_indented(line: &[u8]) -> bool {
    line.starts_with(b"\"") || line.iter().all(|byte| b"{}[],".contains(byte))
}
