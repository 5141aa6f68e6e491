//! Members of the AI SDK's two kinds of messages.

use super::{Holding, Shape, ShapeOf};

/// Messages of its user interface. Before version 5, content and parts said the same.
pub(crate) static UI_MESSAGES: [Shape; 1] = [Shape::new(
    ShapeOf::All,
    &[&["parts"]],
    &[
        (Holding::Text, &["parts"]),
        (
            Holding::Extra,
            &["content", "toolInvocations", "reasoning", "data", "experimental_attachments"],
        ),
    ],
)];

/// Messages for a model.
pub(crate) static MODEL_MESSAGES: [Shape; 1] =
    [Shape::new(ShapeOf::All, &[&["content"]], &[(Holding::Text, &["content"])])
        .with(&[("content", &BLOCKS)])];

static BLOCKS: [Shape; 3] = [
    Shape::new(
        ShapeOf::Word("type", &["text", "reasoning"]),
        &[&["text"]],
        &[(Holding::Text, &["text"])],
    ),
    Shape::new(
        ShapeOf::Word("type", &["tool-call"]),
        &[&["toolCallId"], &["toolName"], &["input", "args"]],
        &[
            (Holding::Id, &["toolCallId"]),
            (Holding::Name, &["toolName"]),
            (Holding::Input, &["input", "args"]),
        ],
    ),
    Shape::new(
        ShapeOf::Word("type", &["tool-result"]),
        &[&["toolCallId"], &["toolName"], &["output", "result"]],
        &[
            (Holding::Id, &["toolCallId"]),
            (Holding::Name, &["toolName"]),
            (Holding::Result, &["output", "result", "experimental_content"]),
        ],
    ),
];
