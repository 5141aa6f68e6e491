//! Members of Anthropic's messages.

use super::{Holds, Shape, Which};

pub(crate) static MESSAGES: [Shape; 1] =
    [
        Shape::new(Which::All, &[&["content"]], &[(Holds::Text, &["content"])])
            .with(&[("content", &BLOCKS)]),
    ];

/// Blocks of a message.
static BLOCKS: [Shape; 7] = [
    Shape::new(
        Which::Word("type", &["text"]),
        &[&["text"]],
        &[(Holds::Text, &["text"]), (Holds::Extra, &["citations"])],
    ),
    Shape::new(
        Which::Word("type", &["tool_use", "server_tool_use", "mcp_tool_use"]),
        &[&["id"], &["name"], &["input"]],
        &[
            (Holds::Id, &["id"]),
            (Holds::Name, &["name", "server_name"]),
            (Holds::Input, &["input"]),
            (Holds::Refused, &["partialJson", "partialArgs"]),
        ],
    ),
    // An output may be missing.
    Shape::new(
        Which::Word("type", &["tool_result", "mcp_tool_result"]),
        &[&["tool_use_id"]],
        &[(Holds::Id, &["tool_use_id"]), (Holds::Result, &["content"])],
    )
    .with(&[("content", &IN_RESULTS)]),
    Shape::new(
        Which::Word("type", &["thinking"]),
        &[&["thinking"]],
        &[(Holds::Text, &["thinking"]), (Holds::Id, &["signature"])],
    ),
    Shape::new(
        Which::Word("type", &["redacted_thinking"]),
        &[&["data"]],
        &[(Holds::Text, &["data"])],
    ),
    Shape::new(
        Which::Word("type", &["image", "document"]),
        &[&["source"]],
        &[
            (Holds::Media, &["source"]),
            (Holds::Text, &["title", "context"]),
            (Holds::Extra, &["citations"]),
        ],
    ),
    Shape::new(
        Which::Without("type"),
        &[&["type"]],
        &[(Holds::Text, &["text"])],
    ),
];

/// Blocks of a result.
static IN_RESULTS: [Shape; 2] = [
    Shape::new(
        Which::Word("type", &["text"]),
        &[&["text"]],
        &[(Holds::Text, &["text"]), (Holds::Extra, &["citations"])],
    ),
    Shape::new(
        Which::Word("type", &["image", "document"]),
        &[&["source"]],
        &[
            (Holds::Media, &["source"]),
            (Holds::Text, &["title", "context"]),
            (Holds::Extra, &["citations"]),
        ],
    ),
];
