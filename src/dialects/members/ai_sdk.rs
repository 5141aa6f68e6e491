//! Members of the AI SDK's two kinds of messages.

use super::{Holds, Shape, Which};

/// Messages of its user interface. Before version 5, content and parts said the same.
pub(crate) static UI_MESSAGES: [Shape; 1] = [Shape::new(
    Which::All,
    &[&["parts"]],
    &[
        (Holds::Text, &["parts"]),
        (
            Holds::Extra,
            &[
                "content",
                "toolInvocations",
                "reasoning",
                "data",
                "experimental_attachments",
            ],
        ),
    ],
)];

/// Messages for a model.
pub(crate) static MODEL_MESSAGES: [Shape; 1] =
    [
        Shape::new(Which::All, &[&["content"]], &[(Holds::Text, &["content"])])
            .with(&[("content", &BLOCKS)]),
    ];

static BLOCKS: [Shape; 3] = [
    Shape::new(
        Which::Word("type", &["text", "reasoning"]),
        &[&["text"]],
        &[(Holds::Text, &["text"])],
    ),
    Shape::new(
        Which::Word("type", &["tool-call"]),
        &[&["toolCallId"], &["toolName"], &["input", "args"]],
        &[
            (Holds::Id, &["toolCallId"]),
            (Holds::Name, &["toolName"]),
            (Holds::Input, &["input", "args"]),
        ],
    ),
    Shape::new(
        Which::Word("type", &["tool-result"]),
        &[&["toolCallId"], &["toolName"], &["output", "result"]],
        &[
            (Holds::Id, &["toolCallId"]),
            (Holds::Name, &["toolName"]),
            (Holds::Result, &["output", "result", "experimental_content"]),
        ],
    ),
];
