//! Which rules were asked, by format and provider. What a rule is asked in a format that has none of its damage is not told.

use std::collections::BTreeSet;

use super::model::{Conversation, NotRun, RuleCoverage};
use crate::engine::RuleSelection;
use crate::format::Format;
use crate::hosts;
use crate::rules::{self, Rule};

/// The user did not ask for it.
const NOT_SELECTED: &str = "not selected";
/// What it looks for in requests, the host writes itself.
const REWRITTEN: &str = "the host writes this anew for each request, or does not record it";
/// It is about the process that writes a file.
const NO_WRITER: &str = "who writes this cannot be seen";

/// The prefix of requirements among those who report damage.
const REQUESTS: &str = "requests/";

/// Which rules were asked for these conversations. `ignored`: the rules that are ignored in one of them alone.
pub(crate) fn coverage(
    conversations: &[Conversation],
    selection: &RuleSelection,
    ignored: &dyn Fn(&Conversation) -> Vec<String>,
) -> Vec<RuleCoverage> {
    // Most runs have thousands of conversations and few kinds of them.
    let mut kinds = BTreeSet::new();
    for conversation in conversations {
        // Nobody can be seen who writes standard input, or rows.
        let has_writer = conversation.row.is_none() && conversation.path.exact() != "-";
        kinds.insert((conversation.format, conversation.target, has_writer, ignored(conversation)));
    }
    let kinds = kinds.into_iter().filter_map(|(format, target, has_writer, ignored)| {
        let mut selection = selection.clone();
        selection.ignore.extend(ignored);
        Some(of(hosts::by_name(format)?, target, has_writer, &selection))
    });
    let mut all: Vec<RuleCoverage> = Vec::new();
    for own in kinds {
        if !all.contains(&own) {
            all.push(own);
        }
    }
    all
}

fn of(
    format: &Format,
    target: &'static str,
    has_writer: bool,
    selection: &RuleSelection,
) -> RuleCoverage {
    let mut own =
        RuleCoverage { format: format.name, target, ran: Vec::new(), not_run: Vec::new() };
    for rule in rules::ALL {
        match why_not(rule, format, has_writer, selection) {
            Some(why) => own.not_run.push(NotRun { code: rule.code, why }),
            None => own.ran.push(rule.code),
        }
    }
    own
}

/// Why a rule is not asked. `None`: it is.
fn why_not(
    rule: &Rule,
    format: &Format,
    has_writer: bool,
    selection: &RuleSelection,
) -> Option<&'static str> {
    if !selection.admits(rule) {
        return Some(NOT_SELECTED);
    }
    if rules::needs_writer(rule) && !has_writer {
        return Some(NO_WRITER);
    }
    (is_of_requests(rule) && !is_needed(rule, format)).then_some(REWRITTEN)
}

/// Whether a rule takes only what requirements of requests report.
fn is_of_requests(rule: &Rule) -> bool {
    rules::takes_reports_only(rule) && rule.reported_by.iter().all(|by| by.starts_with(REQUESTS))
}

/// Whether one of those requirements is asked of this format.
fn is_needed(rule: &Rule, format: &Format) -> bool {
    let mut needs = format.wire.needs.iter();
    needs.any(|need| rule.reported_by.iter().any(|by| by.strip_prefix(REQUESTS) == Some(need.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn each_rule_was_asked_or_has_a_reason() {
        let report = sample::many();
        let all = coverage(&report.conversations, &RuleSelection::default(), &|_| Vec::new());
        assert!(!all.is_empty());
        for own in &all {
            assert_eq!(own.ran.len() + own.not_run.len(), rules::ALL.len());
            assert!(own.not_run.iter().all(|rule| rule.why != NOT_SELECTED));
        }
        let selection =
            RuleSelection { select: vec!["TD104".to_owned()], ..RuleSelection::default() };
        let all = coverage(&report.conversations, &selection, &|_| Vec::new());
        assert!(all.iter().all(|own| own.ran.len() == 1));
    }

    /// A format of a host that writes everything anew is not asked what only a provider requires.
    #[test]
    fn what_a_host_rewrites_is_not_asked() {
        let media = rules::by_name("too-many-images").unwrap();
        let is_asked = |name| is_needed(media, hosts::by_name(name).unwrap());
        assert!(is_of_requests(media));
        assert!(is_asked("anthropic-messages"));
        assert!(!is_asked("otel-genai"));
    }
}
