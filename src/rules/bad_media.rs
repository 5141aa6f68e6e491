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
        means: "An image or document is empty, cut off, too large, or not of the type it declares. With the APIs of \
            OpenAI, the URL of an image is a path or a data URL that is cut off. With Amazon Bedrock Converse, the \
            name of a document has characters that are not allowed (a dot is not), or another document of the \
            conversation has the same name. It stays in the conversation, so every later request is rejected.",
        causes: &[
            ("Any host", "screenshots larger than 8000 pixels or 5 MB; a wrong file extension"),
            ("Codex", "version 0.144.0 keeps images without data"),
            ("opencode", "version 1.18.4 sends the file names of attachments to Bedrock as they are"),
        ],
        repair: "The media type is set to what the first bytes say. The prefix of a data URI and \
            images without data are removed. Documents get a name that is accepted, each another one.",
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
    reported_by: &["format/blamed", "requests/documents", "requests/image_urls", "requests/media"],
    check: reported::diagnostics,
};
