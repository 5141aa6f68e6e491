//! The exit status: one number for what a run found.

/// Done; nothing at or above the level of `--fail-on` is left.
pub(crate) const DONE: u8 = 0;
/// Findings remain, damage remains or is only planned, or there are differences.
pub(crate) const LEFT: u8 = 1;
/// The command line cannot be understood.
pub(crate) const USAGE: u8 = 2;
/// Not everything could be examined.
pub(crate) const NOT_EXAMINED: u8 = 3;
/// Refused; nothing was written.
pub(crate) const REFUSED: u8 = 4;
/// No transcript matched.
pub(crate) const NOTHING: u8 = 5;
/// Written, but not confirmed: the new bytes are in place, and something failed after that.
pub(crate) const UNCONFIRMED: u8 = 6;
/// A fault of this program.
pub(crate) const BUG: u8 = 70;

/// What a run came to.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunOutcome {
    /// At least one source was written, and something failed after that.
    pub unconfirmed: bool,
    /// At least one source was refused: a live writer, no backup, a failed verification.
    pub refused: bool,
    /// Something could not be examined: missing, unreadable, of unknown format, changed while it was read.
    pub not_examined: bool,
    /// Findings at or above the level, planned changes, or differences are left.
    pub left: bool,
    /// No transcript matched, and that was not allowed.
    pub nothing: bool,
}

impl RunOutcome {
    /// The exit status; the worst wins: 6, 4, 3, 1, 5, 0.
    pub(crate) fn status(self) -> u8 {
        match self {
            RunOutcome { unconfirmed: true, .. } => UNCONFIRMED,
            RunOutcome { refused: true, .. } => REFUSED,
            RunOutcome { not_examined: true, .. } => NOT_EXAMINED,
            RunOutcome { left: true, .. } => LEFT,
            RunOutcome { nothing: true, .. } => NOTHING,
            _ => DONE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_wins() {
        let bits = |n: u8| RunOutcome {
            unconfirmed: n & 16 > 0,
            refused: n & 8 > 0,
            not_examined: n & 4 > 0,
            left: n & 2 > 0,
            nothing: n & 1 > 0,
        };
        let written = [0, 5, 1, 1, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4];
        for (n, status) in (0..32).zip(written.into_iter().chain([6; 16])) {
            assert_eq!(bits(n).status(), status, "{:?}", bits(n));
        }
    }
}
