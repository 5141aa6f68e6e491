//! What `repair` would do about a recording: tried, not written.

use crate::transcript::Code;
use serde::Serialize;

use crate::report::model::{Applied, Verdict};
use crate::report::redact::redact_fields;
use crate::report::text::Shown;

/// A repair that was tried.
#[derive(Debug, Serialize)]
pub struct Planned {
    /// In numbers.
    pub counts: Applied,
    /// Record by record, a few of them.
    pub steps: Vec<Step>,
    /// Records besides.
    pub more: usize,
    /// The verdict afterwards.
    pub verdict: Verdict,
    /// The codes of what is left afterwards.
    pub left: Vec<Code>,
}

/// A record that it would change.
#[derive(Debug, Serialize)]
pub struct Step {
    /// `park`, `insert`, `move`, `change`.
    pub what: &'static str,
    /// The number that people find the record by; of an inserted one there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<u64>,
    /// Its kind.
    pub kind: Shown,
    /// Its id.
    pub id: Shown,
}

redact_fields! {
    Planned { counts, steps }
    Step { kind, id }
}
