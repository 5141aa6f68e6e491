//! Members of the Bedrock Converse API, whose blocks have one member each.

use super::{Holds, Shape, Which};
use crate::dialects::converse::KEYS;

pub(crate) static MESSAGES: [Shape; 1] =
    [
        Shape::new(Which::All, &[&["content"]], &[(Holds::Text, &["content"])])
            .with(&[("content", &BLOCKS)]),
    ];

static BLOCKS: [Shape; 1] = [Shape::new(
    Which::All,
    &[KEYS],
    &[
        (Holds::Call, &["toolUse"]),
        (Holds::Result, &["toolResult"]),
        (Holds::Media, &["image", "document", "video", "audio"]),
        (Holds::Envelope, &["cachePoint"]),
        (Holds::Text, KEYS),
    ],
)
.with(&[("toolUse", &CALLS), ("toolResult", &RESULTS)])];

static CALLS: [Shape; 1] = [Shape::new(
    Which::All,
    &[&["toolUseId"], &["name"], &["input"]],
    &[
        (Holds::Id, &["toolUseId"]),
        (Holds::Name, &["name"]),
        (Holds::Input, &["input"]),
    ],
)];

static RESULTS: [Shape; 1] = [Shape::new(
    Which::All,
    &[&["toolUseId"], &["content"]],
    &[(Holds::Id, &["toolUseId"]), (Holds::Result, &["content"])],
)];
