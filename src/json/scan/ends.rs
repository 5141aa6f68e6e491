//! How a record ends: truncated, broken or complete; and the `\r` of a line ending.

use super::{ScanMode, ScanState, ScanStep, Scanner, StringState};
use crate::json::tape::{Flags, FlawKind, Kind, RecordEnd, Tape};

impl Scanner {
    /// Handles a `
    /// ` in a line, inside a string, number or literal.
    pub(super) fn newline_inside(&mut self, i: usize, tape: &mut Tape) -> ScanStep {
        self.end_of_input(self.at(i), tape);
        ScanStep::Stop(i)
    }

    /// Handles a `\r` in a line, inside a string, number or literal.
    pub(super) fn hold_cr(&mut self, i: usize) -> ScanStep {
        self.held = self.state;
        self.state = ScanState::HeldCr;
        ScanStep::On(i + 1)
    }

    pub(super) fn held_cr(&mut self, chunk: &[u8], i: usize, tape: &mut Tape) -> ScanStep {
        let Some(&byte) = chunk.get(i) else {
            return ScanStep::More;
        };
        let cr = self.at(i).saturating_sub(1);
        self.state = self.held;
        if byte == b'\n' {
            self.end_of_input(cr, tape);
            return ScanStep::Stop(i);
        }
        if self.state == ScanState::Text && self.part == StringState::Plain {
            tape.flaw(FlawKind::RawControl, cr, cr.saturating_add(1));
            return ScanStep::On(i);
        }
        if self.state == ScanState::Number && self.number.is_complete() {
            self.end_number(cr, tape);
            return ScanStep::On(i);
        }
        self.broken(i, cr, RecordEnd::Bad { at: cr }, tape)
    }

    /// Ends a record that is broken at offset `at`; `i` is the index into the chunk.
    #[cold]
    pub(super) fn broken(
        &mut self,
        i: usize,
        at: u32,
        end: RecordEnd,
        tape: &mut Tape,
    ) -> ScanStep {
        let state = if self.state == ScanState::HeldCr { self.held } else { self.state };
        if state == ScanState::Text {
            self.break_text(at, tape);
        }
        self.close_all(at, tape);
        tape.end = end;
        if self.mode == ScanMode::Document {
            self.state = ScanState::Done;
            return ScanStep::Stop(i);
        }
        self.state = ScanState::Skip;
        ScanStep::On(i)
    }

    /// Ends a record where the input or line ends; `content` is the offset after its last byte that
    /// counts.
    pub(super) fn end_of_input(&mut self, content: u32, tape: &mut Tape) {
        let kind = match self.state {
            ScanState::Text => {
                self.break_text(content, tape);
                None
            }
            ScanState::Number if self.stack.is_empty() && self.number.is_complete() => {
                self.end_number(content, tape);
                None
            }
            ScanState::Number => Some(Kind::Number),
            ScanState::Literal => Some(self.literal.kind()),
            _ => None,
        };
        if let Some(kind) = kind
            && self.recorded
        {
            tape.push(kind, self.start, content, Flags::OPEN);
        }
        tape.end = match self.state {
            ScanState::After => RecordEnd::Whole,
            ScanState::Value if self.stack.is_empty() => RecordEnd::Empty,
            _ => RecordEnd::Torn,
        };
        self.close_all(content, tape);
        self.state = ScanState::Done;
    }

    /// Marks all containers as open, ending at `at`.
    fn close_all(&mut self, at: u32, tape: &mut Tape) {
        while self.leave(at, Flags::OPEN, tape) {}
    }
}
