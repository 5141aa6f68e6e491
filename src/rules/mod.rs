//! The rules: one kind of damage each, in every format.
//!
//! A rule reports the diagnostics with its code, or a status of calls and results; no two rules report the same one. A rule
//! does not pair anything and does not know any field name. A new rule is a file and a line in [`ALL`].

mod bad_call_id;
mod bad_header;
mod bad_input;
mod bad_media;
mod bad_start;
mod bad_tool_name;
mod broken_parent;
pub(crate) mod by_hand;
mod byte_order_mark;
mod compaction_anchor;
mod compaction_split_pair;
mod conflicting_results;
mod cover;
mod duplicate_record_id;
mod empty_content;
mod empty_error_result;
mod ends_with_assistant;
mod failed_turn;
mod finding;
mod foreign_block;
pub(crate) mod fresh;
mod glued_records;
mod growing_tail;
mod host_state;
mod invalid_utf8;
mod leaf_pointer;
pub(crate) mod life;
mod link_mismatch;
mod live_writer;
mod lone_surrogate;
mod malformed_record;
mod missing_call_id;
mod missing_final_newline;
mod missing_input;
mod nul_padding;
pub(crate) mod offered;
mod orphan_result;
pub(crate) mod page;
mod parent_cycle;
mod pending_call;
mod place;
mod policy;
mod raw_line_separator;
mod reasoning_item;
mod record_order;
mod repeated_call;
mod repeated_record;
mod replaced;
mod reported;
mod result_before_call;
mod result_not_next;
mod reused_call_id;
mod role_order;
mod server_item;
mod session_mismatch;
mod sources;
mod split_batch;
mod split_record;
mod stale_side_file;
mod stranded_record;
mod stuck_status;
mod thinking;
mod too_many_images;
mod torn_tail;
mod two_results;
mod unanswered_call;
mod undeclared_call;
mod unknown_record;
mod unreadable_record;

pub use sources::REQUIREMENTS;

pub use finding::Finding;
pub(crate) use finding::Seen;

use crate::containers::Layout;
use crate::format::{Client, Format, Host};
use crate::targets::Target;
use crate::transcript::{
    Code, EventId, Inclusion, LabelRole, Origin, PartId, Request, Severity, Transcript,
};

#[derive(Debug)]
pub struct Rule {
    /// Stable code: `TD104`. Never reused for another meaning.
    pub code: Code,
    /// The name: `two-results`.
    pub name: &'static str,
    /// When it is repaired. Lower layers come first, see [`layer`].
    pub layer: u8,
    /// How bad it is, if neither the format nor the target overrides it.
    pub severity: Severity,
    /// A summary for tables.
    pub summary: &'static str,
    pub page: page::RulePage,
    /// Who else reports its damage: a folder of `src/` or a module in one.
    pub reported_by: &'static [&'static str],
    /// Finds its damage, and takes the diagnostics with its code.
    pub check: RuleCheck,
}

/// Finds the damage of a rule.
pub(crate) type RuleCheck = fn(&'static Rule, &RuleContext<'_>, &mut Vec<Finding>);

/// The order of repair: a layer is repaired only when no lower layer has anything left to repair.
pub(crate) mod layer {
    /// Bytes of records.
    pub(crate) const BYTES: u8 = 0;
    /// File names, numbers and unreadable records.
    pub(crate) const NAMES: u8 = 1;
    /// IDs of records and required members.
    pub(crate) const IDS: u8 = 2;
    /// Parents and branches.
    pub(crate) const TREE: u8 = 3;
    /// Arguments and IDs of calls.
    pub(crate) const CALLS: u8 = 4;
    /// The same call recorded twice.
    pub(crate) const COPIES: u8 = 5;
    /// More than one result for a call.
    pub(crate) const RESULTS: u8 = 6;
    /// Different calls with the same ID.
    pub(crate) const REUSE: u8 = 7;
    /// The places of calls and results.
    pub(crate) const ORDER: u8 = 8;
    /// Results without a call.
    pub(crate) const ORPHANS: u8 = 9;
    /// Calls without a result.
    pub(crate) const OPEN: u8 = 10;
    /// Compactions and their boundaries.
    pub(crate) const COMPACTION: u8 = 11;
    /// The host's state.
    pub(crate) const STATE: u8 = 12;
}

/// What a rule checks.
#[derive(Copy, Clone)]
pub struct RuleContext<'a> {
    pub transcript: &'a Transcript,
    pub request: &'a Request,
    /// The format of the transcript.
    pub format: &'static Format,
    /// Which of its hosts wrote the transcript, as far as the transcript and its name show.
    pub host: &'static Host,
    /// The provider that it is checked against.
    pub target: &'static Target,
    /// The kind of client that would build the request.
    pub client: Client,
    pub layout: &'a Layout,
    /// It is checked against all providers at once, as if the host corrected nothing.
    pub strictest: bool,
    /// The transcript shows, or the user said, that it is for this provider.
    pub is_certain: bool,
    /// A process is writing it right now.
    pub live: bool,
    /// Which of several results to keep, for which calls.
    pub prefer: &'a [Preference],
    /// How to fix calls without a result.
    pub strategy: Strategy,
}

/// Which of several results of one call to keep.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Prefer {
    /// The best one; of equally good ones, the first.
    #[default]
    Rank,
    First,
    Last,
    /// The one with this number, from 1, among those that differ.
    Choice(usize),
}

/// Which of several results to keep, and for which call.
#[derive(Clone, Debug)]
pub struct Preference {
    /// The result.
    pub keep: Prefer,
    /// The call's ID as printed, or a prefix of it; `None`: all calls.
    pub call: Option<String>,
}

/// How to fix calls without a result.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Answer them with a placeholder result.
    #[default]
    LeastLoss,
    /// Remove the response with the calls, and the results of its other calls.
    RemoveTurn,
}

impl RuleContext<'_> {
    /// The role of a result in a finding.
    fn result_role(&self, result: PartId) -> LabelRole {
        match self.transcript.part(result).origin {
            Origin::Placeholder => LabelRole::Placeholder,
            _ => LabelRole::Result,
        }
    }

    /// Whether a record is sent, or would be if its other half were not missing.
    fn is_sent(&self, event: EventId) -> bool {
        matches!(self.request.inclusion(event), Inclusion::Sent | Inclusion::Dropped)
    }
}

/// All rules, in the order of their codes.
pub const ALL: &[&Rule] = &[
    &torn_tail::RULE,
    &unreadable_record::RULE,
    &glued_records::RULE,
    &split_record::RULE,
    &nul_padding::RULE,
    &byte_order_mark::RULE,
    &raw_line_separator::RULE,
    &invalid_utf8::RULE,
    &lone_surrogate::RULE,
    &unknown_record::RULE,
    &bad_header::RULE,
    &repeated_record::RULE,
    &malformed_record::RULE,
    &missing_final_newline::RULE,
    &unanswered_call::RULE,
    &pending_call::RULE,
    &orphan_result::RULE,
    &two_results::RULE,
    &conflicting_results::RULE,
    &reused_call_id::RULE,
    &missing_call_id::RULE,
    &link_mismatch::RULE,
    &repeated_call::RULE,
    &result_not_next::RULE,
    &split_batch::RULE,
    &failed_turn::RULE,
    &result_before_call::RULE,
    &ends_with_assistant::RULE,
    &bad_start::RULE,
    &role_order::RULE,
    &broken_parent::RULE,
    &parent_cycle::RULE,
    &stranded_record::RULE,
    &compaction_split_pair::RULE,
    &compaction_anchor::RULE,
    &duplicate_record_id::RULE,
    &session_mismatch::RULE,
    &empty_content::RULE,
    &missing_input::RULE,
    &bad_input::RULE,
    &bad_tool_name::RULE,
    &bad_call_id::RULE,
    &empty_error_result::RULE,
    &thinking::RULE,
    &bad_media::RULE,
    &reasoning_item::RULE,
    &foreign_block::RULE,
    &too_many_images::RULE,
    &server_item::RULE,
    &undeclared_call::RULE,
    &leaf_pointer::RULE,
    &record_order::RULE,
    &stuck_status::RULE,
    &host_state::RULE,
    &stale_side_file::RULE,
    &live_writer::RULE,
    &growing_tail::RULE,
];

/// A code is the index of its rule in [`ALL`]. A code without a rule, or a rule at the wrong index, does not compile.
const _: () = {
    assert!(ALL.len() == Code::ALL.len());
    let mut at = 0;
    while at < ALL.len() {
        assert!(ALL[at].code as usize == at);
        at += 1;
    }
};

/// The rule with this code.
pub(crate) fn of(code: Code) -> &'static Rule {
    ALL[code as usize]
}

/// Finds a rule by its code, in upper or lower case, or by its name.
pub fn by_name(name: &str) -> Option<&'static Rule> {
    ALL.iter()
        .find(|rule| rule.code.as_str().eq_ignore_ascii_case(name) || rule.name == name)
        .copied()
}

/// Whether a rule finds nothing itself: it takes the diagnostics with its code.
pub(crate) fn takes_reports_only(rule: &Rule) -> bool {
    let check: RuleCheck = reported::diagnostics;
    std::ptr::fn_addr_eq(rule.check, check)
}

/// Whether a rule is about the process that writes a file.
pub(crate) fn needs_writer(rule: &Rule) -> bool {
    matches!(rule.code, Code::LiveWriter | Code::GrowingTail)
}

/// Checks all rules. Each problem is reported once: a finding that another one explains becomes a consequence of that one.
pub(crate) fn check(cx: &RuleContext<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for rule in ALL {
        (rule.check)(rule, cx, &mut found);
    }
    for finding in &mut found {
        finding.name_calls_once();
        policy::apply_host_corrections(cx, finding);
        policy::apply_doubt(cx, finding);
        offered::keep_possible(cx, finding);
    }
    replaced::drop_unreliable(cx, &mut found);
    let mut found = cover::fold_consequences(cx, found);
    offered::order(cx.transcript, &mut found);
    found
}

/// Sorts findings by their first record.
pub(crate) fn sort(findings: &mut [Finding]) {
    findings.sort_by_cached_key(|finding| {
        let first = finding.labels.iter().map(|label| label.event).min();
        // Findings without a record come last.
        (first.is_none(), first, finding.rule.code)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_are_unique_and_in_order() {
        assert!(ALL.windows(2).all(|pair| pair[0].code < pair[1].code));
        let mut names: Vec<_> = ALL.iter().map(|rule| rule.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }

    #[test]
    fn rules_are_found_by_code_and_by_name() {
        assert_eq!(by_name("td104").map(|rule| rule.name), Some("two-results"));
        assert_eq!(by_name("two-results").map(|rule| rule.code), Some(Code::TwoResults));
        assert!(by_name("TD999").is_none());
    }
}
