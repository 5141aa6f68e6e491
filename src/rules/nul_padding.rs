//! TD005 nul-padding.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::NulPadding,
    name: "nul-padding",
    layer: layer::BYTES,
    severity: Severity::Error,
    summary: "NUL bytes around a record",
    page: RulePage {
        fix: "safe",
        means: "Some file systems leave NUL bytes where a write was promised but never reached the \
            disk.",
        causes: &[
            ("Any host", "power loss, a virtual machine that was stopped hard"),
        ],
        repair: "The NUL bytes are removed. They contain no information.",
        otherwise: "",
        example: RuleExample {
            from: "pi",
            options: &[],
            diff: b" {\"type\":\"session\",\"version\":3,\"id\":\"s1\",\"timestamp\":\"2026-01-05T09:00:00Z\",\"cwd\":\"/w\"}\n\
-\0\0\0\0{\"type\":\"message\",\"id\":\"m1\",\"parentId\":null,\"timestamp\":\"2026-01-05T09:00:01Z\",\"message\":{\"role\":\"user\",\"content\":\"Hi\"}}\n\
+{\"type\":\"message\",\"id\":\"m1\",\"parentId\":null,\"timestamp\":\"2026-01-05T09:00:01Z\",\"message\":{\"role\":\"user\",\"content\":\"Hi\"}}\n",
        },
    },
    reported_by: &["containers"],
    check: reported::diagnostics,
};
