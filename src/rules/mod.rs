//! The rules: one kind of damage each, whatever the format it is found in.
//!
//! A rule claims fault codes, or standings of calls and results; no two rules claim the same. It never pairs and never
//! knows a field name. A new rule is a file and a line in [`ALL`].

use crate::formats::Format;
use crate::targets::Target;
use crate::transcript::{
    Class, Confidence, Effect, EventNo, Fault, Id, Label, LabelRole, PartNo, Severity, Subject, Transcript, Treatment, View,
};

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// Stable code: `TD104`. Never reused for another meaning.
    pub code: &'static str,
    /// The name people say: `two-results`.
    pub name: &'static str,
    /// When it is repaired: lower layers first, see [`layer`].
    pub layer: u8,
    /// How bad, where neither the format nor the target says otherwise.
    pub severity: Severity,
    /// One line for tables.
    pub summary: &'static str,
    /// The manual page, Markdown.
    pub page: &'static str,
    /// Finds its damage.
    pub check: fn(&Case<'_>, &mut Vec<Finding>),
}

/// The order of repair: a layer is taken only when no lower one found anything to do.
pub mod layer {
    /// Bytes of records.
    pub const BYTES: u8 = 0;
    /// File names, numbers and holes.
    pub const NAMES: u8 = 1;
    /// Ids of records and members that must be there.
    pub const IDS: u8 = 2;
    /// Parents and branches.
    pub const TREE: u8 = 3;
    /// Arguments and ids of calls.
    pub const CALLS: u8 = 4;
    /// The same call recorded twice.
    pub const COPIES: u8 = 5;
    /// More than one result for a call.
    pub const RESULTS: u8 = 6;
    /// The same id on different calls.
    pub const REUSE: u8 = 7;
    /// Where calls and results stand.
    pub const ORDER: u8 = 8;
    /// Results without a call.
    pub const ORPHANS: u8 = 9;
    /// Calls without a result.
    pub const OPEN: u8 = 10;
    /// Compactions and their boundaries.
    pub const COMPACTION: u8 = 11;
    /// The host's state.
    pub const STATE: u8 = 12;
}

/// What a rule looks at.
#[derive(Copy, Clone)]
pub struct Case<'a> {
    /// The facts.
    pub transcript: &'a Transcript,
    /// What would be sent.
    pub view: &'a View,
    /// Who wrote it.
    pub format: &'static Format,
    /// Who would read it.
    pub target: &'static Target,
}

/// One damage, found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// How bad it is here.
    pub severity: Severity,
    /// How sure.
    pub confidence: Confidence,
    /// What it does.
    pub effect: Effect,
    /// What is wrong, in our own words: no text of the recording.
    pub message: String,
    /// The records involved.
    pub labels: Vec<Label>,
    /// The calls involved.
    pub calls: Vec<Id>,
    /// What it is about.
    pub about: Vec<Subject>,
    /// What it explains besides.
    pub covers: Vec<Subject>,
    /// What may be done, least loss first.
    pub treatments: Vec<Treatment>,
    /// Findings that this one explains.
    pub consequences: Vec<Finding>,
}

impl Finding {
    /// The class of the least lossy treatment; `Manual` where there is none.
    pub fn class(&self) -> Class {
        self.treatments.iter().map(|t| t.class).min().unwrap_or(Class::Manual)
    }
}
