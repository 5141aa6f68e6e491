//! TD408 bad-media.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::BadMedia,
    name: "bad-media",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "an image or document that the provider rejects",
    page: RulePage {
        fix: "safe or unsafe",
        means: "An image or document is empty, cut off, too large, or not of the type it declares. \
            It stays in the conversation, so every later request is rejected.",
        causes: &[
            ("Any host", "screenshots larger than 8000 pixels or 5 MB; a wrong file extension"),
        ],
        repair: "The media type is set to what the first bytes say. The prefix of a data URI and \
            empty blocks are removed.",
        otherwise: "`transcript-doctor repair --unsafe FILE` replaces the image with a text. If it looks \
            fine, only the provider's error shows that it is rejected: `repair --unsafe --error \
            TEXT`.",
        example: RuleExample {
            from: "anthropic-messages",
            options: &[],
            diff: br##"-{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}}]}
+{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}}]}
 {"role":"assistant","content":"A dot"}
"##,
        },
    },
    reported_by: &["format/blamed", "requests/media"],
    check: reported::diagnostics,
};
