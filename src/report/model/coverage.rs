//! Which rules were asked.

use serde::Serialize;

use crate::transcript::Code;

/// Which rules were asked for the transcripts of one format that were checked against one provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleCoverage {
    /// The recorded format.
    pub format: &'static str,
    /// The provider; `strictest` for all.
    pub target: &'static str,
    /// The rules that were asked.
    pub ran: Vec<Code>,
    /// The other rules.
    pub not_run: Vec<NotRun>,
}

/// A rule that was not asked.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotRun {
    /// The rule.
    pub code: Code,
    /// Why, in a few words of ours.
    pub why: &'static str,
}
