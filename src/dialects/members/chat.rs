//! Members of Chat Completions.

use super::{Holding, Shape, ShapeOf};

pub(crate) static MESSAGES: [Shape; 4] = [
    Shape::new(
        ShapeOf::Word("role", &["tool"]),
        &[&["tool_call_id", "tool_call_ids"], &["content"]],
        &[(Holding::Id, &["tool_call_id", "tool_call_ids"]), (Holding::Result, &["content"])],
    )
    .with(&[("content", &BLOCKS)]),
    Shape::new(
        ShapeOf::Word("role", &["assistant"]),
        &[&["content", "tool_calls", "function_call", "refusal", "audio"]],
        &[
            (Holding::Text, &["content", "refusal"]),
            (Holding::Call, &["tool_calls", "function_call"]),
            (Holding::Media, &["audio"]),
        ],
    )
    .with(&[("content", &BLOCKS), ("tool_calls", &CALLS)]),
    Shape::new(
        ShapeOf::Word("role", &["system", "developer", "user", "function"]),
        &[&["content"]],
        &[(Holding::Text, &["content"])],
    )
    .with(&[("content", &BLOCKS)]),
    // A sub-agent's, or one whose role was lost.
    Shape::new(
        ShapeOf::All,
        &[&["content", "tool_calls"]],
        &[
            (Holding::Id, &["tool_call_id"]),
            (Holding::Text, &["content", "refusal"]),
            (Holding::Call, &["tool_calls", "function_call"]),
        ],
    )
    .with(&[("content", &BLOCKS), ("tool_calls", &CALLS)]),
];

static CALLS: [Shape; 1] = [Shape::new(
    ShapeOf::All,
    &[&["id"], &["function", "custom"]],
    &[(Holding::Id, &["id", "call_id"]), (Holding::Call, &["function", "custom"])],
)
.with(&[("function", &FUNCTIONS), ("custom", &CUSTOM)])];

static FUNCTIONS: [Shape; 1] = [Shape::new(
    ShapeOf::All,
    &[&["name"], &["arguments"]],
    &[(Holding::Name, &["name"]), (Holding::Arguments, &["arguments"])],
)];

static CUSTOM: [Shape; 1] = [Shape::new(
    ShapeOf::All,
    &[&["name"], &["input"]],
    &[(Holding::Name, &["name"]), (Holding::Input, &["input"])],
)];

static BLOCKS: [Shape; 5] = [
    Shape::new(
        ShapeOf::Word("type", &["text", "tool_output"]),
        &[&["text"]],
        &[(Holding::Text, &["text"])],
    ),
    Shape::new(
        ShapeOf::Word("type", &["image_url"]),
        &[&["image_url"]],
        &[(Holding::Media, &["image_url"])],
    ),
    Shape::new(
        ShapeOf::Word("type", &["input_audio"]),
        &[&["input_audio"]],
        &[(Holding::Media, &["input_audio"])],
    ),
    Shape::new(
        ShapeOf::Word("type", &["refusal"]),
        &[&["refusal"]],
        &[(Holding::Text, &["refusal"])],
    ),
    Shape::new(ShapeOf::Without("type"), &[&["type"]], &[(Holding::Text, &["text"])]),
];
