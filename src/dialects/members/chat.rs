//! Members of Chat Completions.

use super::{Holds, Shape, Which};

pub(crate) static MESSAGES: [Shape; 4] = [
    Shape::new(
        Which::Word("role", &["tool"]),
        &[&["tool_call_id", "tool_call_ids"], &["content"]],
        &[
            (Holds::Id, &["tool_call_id", "tool_call_ids"]),
            (Holds::Result, &["content"]),
        ],
    )
    .with(&[("content", &BLOCKS)]),
    Shape::new(
        Which::Word("role", &["assistant"]),
        &[&["content", "tool_calls", "function_call", "refusal", "audio"]],
        &[
            (Holds::Text, &["content", "refusal"]),
            (Holds::Call, &["tool_calls", "function_call"]),
            (Holds::Media, &["audio"]),
        ],
    )
    .with(&[("content", &BLOCKS), ("tool_calls", &CALLS)]),
    Shape::new(
        Which::Word("role", &["system", "developer", "user", "function"]),
        &[&["content"]],
        &[(Holds::Text, &["content"])],
    )
    .with(&[("content", &BLOCKS)]),
    // A sub-agent's, or one whose role was lost.
    Shape::new(
        Which::All,
        &[&["content", "tool_calls"]],
        &[
            (Holds::Id, &["tool_call_id"]),
            (Holds::Text, &["content", "refusal"]),
            (Holds::Call, &["tool_calls", "function_call"]),
        ],
    )
    .with(&[("content", &BLOCKS), ("tool_calls", &CALLS)]),
];

static CALLS: [Shape; 1] = [Shape::new(
    Which::All,
    &[&["id"], &["function", "custom"]],
    &[
        (Holds::Id, &["id", "call_id"]),
        (Holds::Call, &["function", "custom"]),
    ],
)
.with(&[("function", &FUNCTIONS), ("custom", &CUSTOM)])];

static FUNCTIONS: [Shape; 1] = [Shape::new(
    Which::All,
    &[&["name"], &["arguments"]],
    &[(Holds::Name, &["name"]), (Holds::Arguments, &["arguments"])],
)];

static CUSTOM: [Shape; 1] = [Shape::new(
    Which::All,
    &[&["name"], &["input"]],
    &[(Holds::Name, &["name"]), (Holds::Input, &["input"])],
)];

static BLOCKS: [Shape; 5] = [
    Shape::new(
        Which::Word("type", &["text", "tool_output"]),
        &[&["text"]],
        &[(Holds::Text, &["text"])],
    ),
    Shape::new(
        Which::Word("type", &["image_url"]),
        &[&["image_url"]],
        &[(Holds::Media, &["image_url"])],
    ),
    Shape::new(
        Which::Word("type", &["input_audio"]),
        &[&["input_audio"]],
        &[(Holds::Media, &["input_audio"])],
    ),
    Shape::new(
        Which::Word("type", &["refusal"]),
        &[&["refusal"]],
        &[(Holds::Text, &["refusal"])],
    ),
    Shape::new(
        Which::Without("type"),
        &[&["type"]],
        &[(Holds::Text, &["text"])],
    ),
];
