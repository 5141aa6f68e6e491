//! TD411 too-many-images.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::TooManyImages,
    name: "too-many-images",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "more images or documents than the provider accepts in one request",
    page: RulePage {
        fix: "unsafe",
        means: "Each request contains all images so far, and the provider limits their number: Anthropic \
            accepts 100 for models with a context window of 200,000 tokens, and 600 for all others, and pages of PDFs \
            count as images. From then on \
            every request is rejected, even the one that would compact the conversation. Amazon Bedrock Converse \
            accepts 5 documents.",
        causes: &[
            (
                "Any host",
                "screenshots of a browser or of a computer, one for each step",
            ),
            (
                "Claude Code",
                "version 2.1.20 sends all images; version 2.1.329 sends only the newest, so it is not stuck",
            ),
        ],
        repair: "Nothing: the transcript does not show which images and documents the model still needs.",
        otherwise: "`transcript-doctor repair --unsafe FILE` replaces the oldest ones with a text, so that 100 \
            images or 5 documents are left.",
        example: RuleExample {
            from: "anthropic-messages",
            options: &["--unsafe"],
            diff: br##"-{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYGAHAAALAAiZkvd0AAAAAElFTkSuQmCC"}}]}
+{"role":"user","content":[{"type":"text","text":"[image removed by transcript-doctor: a request may have 100 images]"}]}
 {"role":"assistant","content":"Next"}
 {"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYGAHAAALAAiZkvd0AAAAAElFTkSuQmCC"}}]}
 {"role":"assistant","content":"Next"}
* the 2 lines above 99 more times
"##,
        },
    },
    reported_by: &["requests/documents", "requests/image_count"],
    check: reported::diagnostics,
};
