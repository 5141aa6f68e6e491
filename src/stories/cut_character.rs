//! S27: a text was cut in the middle of a character.

use super::{About, Is, PreventsWhen, Story, Variant, must};
use crate::transcript::{Code, Confidence};

pub(super) const STORY: Story = Story {
    code: "S27",
    name: "cut-character",
    title: "a text was cut in the middle of a character",
    about: About::Finding,
    explains: &[Code::LoneSurrogate],
    variants: &[Variant {
        certainty: Confidence::Likely,
        steps: &[must(
            "cut",
            Is::Damaged,
            "a text in this record has one half of a character, such as an emoji.",
        )
        .fact()],
        so: "So a program that counts UTF-16 units cut the text in the middle of that \
            character{sure}. The other half was not recorded.",
        doubt: "A tool may also have printed the half.",
        ..Variant::BASE
    }],
    prevent: &[(
        PreventsWhen::Always,
        "shorten texts between characters; in JavaScript, `toWellFormed()` replaces what a cut leaves.",
    )],
    ..Story::BASE
};
