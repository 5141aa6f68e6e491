//! TD408 bad-media.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::BadMedia,
    name: "bad-media",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "an image or document that the provider rejects",
    page: "\
An image or a document is empty, is not what its media type says, is cut short, or is larger than the provider takes. It
stays in the conversation, so every later request is refused for it.

Repair: the media type is set to what the first bytes say, the prefix of a data URI and blocks with nothing in them go.
Everything else is unsafe: a text takes the place of the image. One that is in order as far as can be seen gives way only
where the provider's own text refuses it, with `repair --unsafe --error TEXT`; a text that names no place means the newest.
",
    reported_by: &["dialects/anthropic", "formats/blamed"],
    check: claim::diagnostics,
};
