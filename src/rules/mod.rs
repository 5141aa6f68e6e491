//! The rules: one kind of damage each, whatever the format it is found in.
//!
//! A rule claims fault codes, or standings of calls and results; no two rules claim the same. It never pairs and never
//! knows a field name. A new rule is a file and a line in [`ALL`].

mod bad_call_id;
mod bad_header;
mod bad_input;
mod bad_media;
mod bad_start;
mod bad_tool_name;
mod broken_parent;
pub(crate) mod by_hand;
mod byte_order_mark;
mod claim;
mod compaction_anchor;
mod compaction_split_pair;
mod conflicting_results;
mod cover;
mod duplicate_record_id;
mod empty_content;
mod empty_error_result;
mod ends_with_assistant;
mod failed_turn;
mod foreign_block;
mod fresh;
mod glued_records;
mod growing_tail;
mod host_state;
mod invalid_utf8;
mod leaf_pointer;
mod link_mismatch;
mod live_writer;
mod lone_surrogate;
mod malformed_record;
mod missing_call_id;
mod missing_final_newline;
mod missing_input;
mod nul_padding;
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
mod result_before_call;
mod result_not_next;
mod reused_call_id;
mod role_order;
mod session_mismatch;
mod split_batch;
mod split_record;
mod stale_side_file;
mod stranded_record;
mod stuck_status;
mod thinking;
mod torn_tail;
mod two_results;
mod unanswered_call;
mod unknown_record;
mod unreadable_record;

use crate::formats::{Client, Format};
use crate::targets::Target;
use crate::transcript::{
    Action, Applicability, Code, Confidence, Effect, EventId, Fix, Id, Inclusion, Label, LabelRole,
    Origin, PartId, Request, Severity, Subject, Transcript,
};

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// Stable code: `TD104`. Never reused for another meaning.
    pub code: Code,
    /// The name people say: `two-results`.
    pub name: &'static str,
    /// When it is repaired: lower layers first, see [`layer`].
    pub layer: u8,
    /// How bad, where neither the format nor the target says otherwise.
    pub severity: Severity,
    /// One line for tables.
    pub summary: &'static str,
    /// Its manual page.
    pub page: page::Page,
    /// Who reports its damage, besides what it finds itself: needs of providers, shapes of messages, formats, or containers. A
    /// folder of `src/`, or one of its parts.
    pub reported_by: &'static [&'static str],
    /// Finds its damage, and claims what is reported.
    pub check: fn(&'static Rule, &RuleContext<'_>, &mut Vec<Finding>),
}

/// The order of repair: a layer is taken only when no lower one found anything to do.
pub(crate) mod layer {
    /// Bytes of records.
    pub(crate) const BYTES: u8 = 0;
    /// File names, numbers and holes.
    pub(crate) const NAMES: u8 = 1;
    /// Ids of records and members that must be there.
    pub(crate) const IDS: u8 = 2;
    /// Parents and branches.
    pub(crate) const TREE: u8 = 3;
    /// Arguments and ids of calls.
    pub(crate) const CALLS: u8 = 4;
    /// The same call recorded twice.
    pub(crate) const COPIES: u8 = 5;
    /// More than one result for a call.
    pub(crate) const RESULTS: u8 = 6;
    /// The same id on different calls.
    pub(crate) const REUSE: u8 = 7;
    /// Where calls and results stand.
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

/// What a rule looks at.
#[derive(Copy, Clone)]
pub struct RuleContext<'a> {
    /// The facts.
    pub transcript: &'a Transcript,
    /// What would be sent.
    pub request: &'a Request,
    /// Who wrote it.
    pub format: &'static Format,
    /// Who would read it.
    pub target: &'static Target,
    /// Which kind of client would build the request.
    pub client: Client,
    /// The records are lines of a file.
    pub lines: bool,
    /// It is judged for all providers at once: as if the host healed nothing.
    pub strictest: bool,
    /// Somebody is writing it right now.
    pub live: bool,
    /// Which of several results to keep, of which calls.
    pub prefer: &'a [Preference],
    /// What to do about calls without a result.
    pub strategy: Strategy,
}

/// Which of several results of one call is kept.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Prefer {
    /// The one that is worth most, then the first.
    #[default]
    Rank,
    First,
    Last,
    /// Of those that differ the one with this number, from 1, where there is one.
    Choice(usize),
}

/// Which of several results to keep, and of which call.
#[derive(Clone, Debug)]
pub struct Preference {
    /// The result.
    pub keep: Prefer,
    /// The call's id, as printed, or its beginning; `None`: all calls.
    pub call: Option<String>,
}

/// What is done about calls that nothing answered.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// They are answered with a marked error result.
    #[default]
    LeastLoss,
    /// The response that made them goes, with the results of its other calls.
    RemoveTurn,
}

/// One damage, found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// When it is repaired, see [`layer`].
    pub layer: u8,
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
    pub fixes: Vec<Fix>,
    /// The results of which a person may choose one to keep, each with those that equal it.
    pub choices: Vec<Vec<PartId>>,
    /// Findings that this one explains.
    pub consequences: Vec<Finding>,
    /// The sight whose words and treatments these are: a number from 0.
    pub evaluation: usize,
    /// Everybody for whom it is a finding; filled in by the engine.
    pub seen_by: Vec<Seen>,
}

/// What a finding is for one of those for whom a conversation is judged.
#[derive(Copy, Clone, Debug)]
pub struct Seen {
    /// The number of the sight, from 0.
    pub evaluation: usize,
    /// How bad it is there.
    pub severity: Severity,
    /// What it does there.
    pub effect: Effect,
}

impl Finding {
    /// A certain finding with the severity that holds here; fill in the rest.
    pub fn new(rule: &'static Rule, case: &RuleContext<'_>, message: impl Into<String>) -> Finding {
        Finding {
            rule,
            layer: if case.format.traits.with_tree.contains(&rule.code) {
                layer::TREE
            } else {
                rule.layer
            },
            severity: policy::severity(case, rule),
            confidence: Confidence::Certain,
            effect: Effect::Refused,
            message: message.into(),
            labels: Vec::new(),
            calls: Vec::new(),
            about: Vec::new(),
            covers: Vec::new(),
            fixes: Vec::new(),
            choices: Vec::new(),
            consequences: Vec::new(),
            evaluation: 0,
            seen_by: Vec::new(),
        }
    }

    /// The class of the least lossy treatment; `Manual` where there is none.
    pub fn class(&self) -> Applicability {
        self.fixes
            .iter()
            .map(|t| t.class)
            .min()
            .unwrap_or(Applicability::Manual)
    }

    /// Adds the record of a part, and the id of its call.
    fn part(&mut self, case: &RuleContext<'_>, part: PartId, role: LabelRole) {
        let known = case.transcript.a_part(part);
        self.labels.push(Label::new(known.event, role));
        if let Some(id) = known.id.filter(|id| !self.calls.contains(id)) {
            self.calls.push(id);
        }
    }
}

impl RuleContext<'_> {
    /// What a result is in a finding.
    fn result_role(&self, result: PartId) -> LabelRole {
        match self.transcript.a_part(result).origin {
            Origin::Placeholder => LabelRole::Placeholder,
            _ => LabelRole::Result,
        }
    }

    /// Whether a record is sent, or would be if its other half were there.
    fn is_sent(&self, event: EventId) -> bool {
        matches!(
            self.request.inclusion(event),
            Inclusion::Sent | Inclusion::Dropped
        )
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
    &leaf_pointer::RULE,
    &record_order::RULE,
    &stuck_status::RULE,
    &host_state::RULE,
    &stale_side_file::RULE,
    &live_writer::RULE,
    &growing_tail::RULE,
];

/// A code is a rule's place in [`ALL`]: one without a rule, or a rule in the wrong place, does not compile.
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

/// A rule by its code, in any case, or by its name.
pub fn by_name(name: &str) -> Option<&'static Rule> {
    ALL.iter()
        .find(|rule| rule.code.as_str().eq_ignore_ascii_case(name) || rule.name == name)
        .copied()
}

/// Everything that is wrong, told once each: what another finding explains is a line of that one.
pub(crate) fn check(case: &RuleContext<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for rule in ALL {
        (rule.check)(rule, case, &mut found);
    }
    let format = case.format;
    let has_place = |action: &Action| {
        format.supports.contains(&action.kind())
            && (format.traits.has_place)(case.transcript, action)
    };
    for finding in &mut found {
        policy::heal(case, finding);
        finding
            .fixes
            .retain(|fix| fix.actions.iter().all(has_place));
    }
    replaced::judge(case, &mut found);
    cover::fold(found)
}

/// Puts findings in the order of their places.
pub(crate) fn sort(findings: &mut [Finding]) {
    let place = |finding: &Finding| {
        let first = finding.labels.iter().map(|label| label.event).min();
        // What names no record comes last.
        (first.is_none(), first, finding.rule.code)
    };
    findings.sort_by_cached_key(place);
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
        assert_eq!(
            by_name("two-results").map(|rule| rule.code),
            Some(Code::TwoResults)
        );
        assert!(by_name("TD999").is_none());
    }
}
