//! TD901 live-writer.

use super::page::{RuleExample, RulePage};
use super::{Finding, Rule, RuleContext, layer};
use crate::transcript::{Code, Effect, Label, LabelRole, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::LiveWriter,
    name: "live-writer",
    layer: layer::STATE,
    severity: Severity::Note,
    summary: "file is being written by another process",
    page: RulePage {
        fix: "nothing to fix",
        means: "A lease, a lock, an open file, or growth shows that a process has the transcript \
            open. `check` reads up to the last whole record.",
        causes: &[("Any host", "the session is open")],
        repair: "`repair` refuses to write in place (exit status 4): the process would write from \
            what it has in memory.",
        otherwise: "Close it, wait for it with `--wait SECS`, or repair a copy with `-o`.",
        example: RuleExample {
            from: "pi",
            options: &[],
            diff: br##" {"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}
 {"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Hi"}}
! another process has the file open
"##,
        },
    },
    reported_by: &[],
    check,
};

fn check(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    if !cx.live {
        return;
    }
    let mut finding = Finding::new(rule, cx, "file is being written by another process");
    finding.effect = Effect::None;
    let last = cx.transcript.host_state().or_else(|| cx.transcript.records().next_back());
    finding.labels.extend(last.map(|event| Label::new(event, LabelRole::State)));
    found.push(finding);
}
