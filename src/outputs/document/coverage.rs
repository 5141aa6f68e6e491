//! Which rules were asked, a line for each format and provider.

use std::collections::BTreeMap;

use super::{PageBlock, says};
use crate::report::model::{Report, RuleCoverage};

/// `Rules asked of codex, for openai-responses: 58 of 61; not asked: TD407 (not selected).`
pub(super) fn asked(report: &Report) -> impl Iterator<Item = PageBlock> {
    report.coverage.iter().map(|own| says(&line(own)))
}

fn line(own: &RuleCoverage) -> String {
    let all = own.ran.len() + own.not_run.len();
    let what = format!("Rules asked of {}, for {}", own.format, own.target);
    if own.not_run.is_empty() {
        return format!("{what}: all {all}.");
    }
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for rule in &own.not_run {
        reasons.entry(rule.why).or_default().push(rule.code.as_str());
    }
    let reasons: Vec<String> =
        reasons.iter().map(|(why, codes)| format!("{} ({why})", codes.join(", "))).collect();
    format!("{what}: {} of {all}; not asked: {}.", own.ran.len(), reasons.join("; "))
}
