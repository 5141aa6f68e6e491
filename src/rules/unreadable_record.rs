//! TD002 unreadable-record.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::UnreadableRecord,
    name: "unreadable-record",
    layer: layer::NAMES,
    severity: Severity::Error,
    summary: "a record is not JSON",
    page: RulePage {
        fix: "safe, unsafe, or you decide",
        means: "A record before the end cannot be read: it is cut off, or has wrong bytes in it. It may have been a tool call whose result comes later, or the result of an earlier \
            call. So problems that it may cause are listed below it, and nothing that depends on \
            it is repaired automatically. A line that ends with a mark such as `[REDACTED]` was \
            cut by a program that redacts.",
        causes: &[
            ("Any host", "a torn write, followed by a resume"),
            ("Editors and redaction tools", "lines that were cut or changed by hand"),
        ],
        repair: "Safe only if exactly one unanswered tool call comes directly before a cut-off \
            record, and the fragment is not text of the model or the user: then an error result \
            marked as ours takes its place. Wrong bytes are never changed: once they are fixed, \
            the record may be whole.",
        otherwise: "Fix the bytes in an editor. If the host cannot open the transcript because of the \
            record, `transcript-doctor repair --unsafe FILE` removes it and sets the parent of the next \
            record to the one before it. A host that skips the record can continue without a repair.",
        example: RuleExample {
            from: "openai-responses",
            options: &["--unsafe"],
            diff: br##" {"type":"message","role":"user","content":"Hi"}
-{"type":"message","role":"assistant","content":"Hello
 {"type":"message","role":"user","content":"Go on."}
"##,
        },
    },
    reported_by: &["containers"],
    check: reported::diagnostics,
};
