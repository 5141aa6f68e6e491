//! Members of the Bedrock Converse API, whose blocks have one member each.

use super::{Holding, Shape, ShapeOf};
use crate::dialects::converse::KEYS;

pub(crate) static MESSAGES: [Shape; 1] =
    [Shape::new(ShapeOf::All, &[&["content"]], &[(Holding::Text, &["content"])])
        .with(&[("content", &BLOCKS)])];

static BLOCKS: [Shape; 1] = [Shape::new(
    ShapeOf::All,
    &[KEYS],
    &[
        (Holding::Call, &["toolUse"]),
        (Holding::Result, &["toolResult"]),
        (Holding::Media, &["image", "document", "video", "audio"]),
        (Holding::Envelope, &["cachePoint"]),
        (Holding::Text, KEYS),
    ],
)
.with(&[("toolUse", &CALLS), ("toolResult", &RESULTS)])];

static CALLS: [Shape; 1] = [Shape::new(
    ShapeOf::All,
    &[&["toolUseId"], &["name"], &["input"]],
    &[(Holding::Id, &["toolUseId"]), (Holding::Name, &["name"]), (Holding::Input, &["input"])],
)];

static RESULTS: [Shape; 1] = [Shape::new(
    ShapeOf::All,
    &[&["toolUseId"], &["content"]],
    &[(Holding::Id, &["toolUseId"]), (Holding::Result, &["content"])],
)];
