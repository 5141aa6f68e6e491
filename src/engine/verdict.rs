//! The answer for one conversation.

use serde::Serialize;

/// The answer for one conversation. Worst wins: the order of the variants is from best to worst.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Recognized and examined, and nobody speaks in it: bookkeeping only.
    Empty,
    /// Nothing above a warning.
    Healthy,
    /// It waits for a tool or a person; not damage.
    Pending,
    /// It loads, but history is hidden or dropped.
    Lossy,
    /// The next request will be refused.
    Stuck,
    /// The host cannot open it, or we cannot read it.
    Unreadable,
    /// The format is not recognized.
    Unknown,
}
