//! S28: the images or documents of a conversation added up to more than a request may have.

use super::{About, Is, PreventsWhen, Story, Variant, may, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

/// What the provider says (anthropics/claude-code#3397, #24541, aaif-goose/goose#1267).
const REFUSED: &[&str] =
    &["Too much media", "too many images and documents", "more than 5 documents in a request"];

pub(super) const STORY: Story = Story {
    code: "S28",
    name: "images-added-up",
    title: "the images or documents of the conversation added up to more than a request may have",
    about: About::Finding,
    explains: &[Code::TooManyImages],
    of_whole_file: true,
    variants: &[Variant {
        certainty: Confidence::Certain,
        steps: &[
            must("first", Is::Damaged, "the oldest one that is still sent.").fact(),
            may("refused", Is::Failure(REFUSED), "the provider rejected a request for them.")
                .fact(),
        ],
        so: "So the conversation has more images or documents than a request may have. A client that sends all of \
            them is rejected, even when it asks for a summary.",
        ..Variant::BASE
    }],
    prevent: &[
        (
            PreventsWhen::By(hosts::CLAUDE_CODE.host),
            "use a current version: 2.1.329 sends only the newest images \
            (anthropics/claude-code#3397).",
        ),
        (
            PreventsWhen::Always,
            "leave old screenshots and documents out of requests, or replace them with texts.",
        ),
    ],
    ..Story::BASE
};
