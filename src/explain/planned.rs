//! What `repair` would do with a transcript. Nothing is written.

use crate::transcript::Code;
use serde::Serialize;

use crate::report::model::{Applied, Verdict};
use crate::report::redact::redact_fields;
use crate::report::text::Shown;

#[derive(Debug, Serialize)]
pub struct Planned {
    pub counts: Applied,
    /// The first steps, in their order.
    pub steps: Vec<PlannedStep>,
    /// Number of further steps.
    pub more: usize,
    /// The verdict after the repair.
    pub verdict: Verdict,
    /// The codes of the findings that remain.
    pub left: Vec<Code>,
}

/// A step of a repair.
#[derive(Debug, Serialize)]
pub struct PlannedStep {
    /// What it does: `remove line 5`.
    pub says: String,
    /// The first words of what it removes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Shown>,
}

redact_fields! {
    Planned { counts, steps }
    PlannedStep { text }
}
