//! Members of Anthropic's messages.

use super::{Holding, Shape, ShapeOf};

pub(crate) static MESSAGES: [Shape; 1] =
    [Shape::new(ShapeOf::All, &[&["content"]], &[(Holding::Text, &["content"])])
        .with(&[("content", &BLOCKS)])];

/// Blocks of a message.
static BLOCKS: [Shape; 7] = [
    Shape::new(
        ShapeOf::Word("type", &["text"]),
        &[&["text"]],
        &[(Holding::Text, &["text"]), (Holding::Extra, &["citations"])],
    ),
    Shape::new(
        ShapeOf::Word("type", &["tool_use", "server_tool_use", "mcp_tool_use"]),
        &[&["id"], &["name"], &["input"]],
        &[
            (Holding::Id, &["id"]),
            (Holding::Name, &["name", "server_name"]),
            (Holding::Input, &["input"]),
            (Holding::Refused, &["partialJson", "partialArgs"]),
        ],
    ),
    // An output may be missing.
    Shape::new(
        ShapeOf::Word("type", &["tool_result", "mcp_tool_result"]),
        &[&["tool_use_id"]],
        &[(Holding::Id, &["tool_use_id"]), (Holding::Result, &["content"])],
    )
    .with(&[("content", &IN_RESULTS)]),
    Shape::new(
        ShapeOf::Word("type", &["thinking"]),
        &[&["thinking"]],
        &[(Holding::Text, &["thinking"]), (Holding::Id, &["signature"])],
    ),
    Shape::new(
        ShapeOf::Word("type", &["redacted_thinking"]),
        &[&["data"]],
        &[(Holding::Text, &["data"])],
    ),
    Shape::new(
        ShapeOf::Word("type", &["image", "document"]),
        &[&["source"]],
        &[
            (Holding::Media, &["source"]),
            (Holding::Text, &["title", "context"]),
            (Holding::Extra, &["citations"]),
        ],
    ),
    Shape::new(ShapeOf::Without("type"), &[&["type"]], &[(Holding::Text, &["text"])]),
];

/// Blocks of a result.
static IN_RESULTS: [Shape; 2] = [
    Shape::new(
        ShapeOf::Word("type", &["text"]),
        &[&["text"]],
        &[(Holding::Text, &["text"]), (Holding::Extra, &["citations"])],
    ),
    Shape::new(
        ShapeOf::Word("type", &["image", "document"]),
        &[&["source"]],
        &[
            (Holding::Media, &["source"]),
            (Holding::Text, &["title", "context"]),
            (Holding::Extra, &["citations"]),
        ],
    ),
];
