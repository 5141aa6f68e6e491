//! Members of the items of the Responses API.

use super::{Holds, Shape, Which};

pub(crate) static ITEMS: [Shape; 8] = [
    Shape::new(
        Which::Word("type", &["message"]),
        &[&["role"], &["content"]],
        &[(Holds::Text, &["content"])],
    )
    .with(&[("content", &BLOCKS)]),
    Shape::new(
        Which::Word("type", &["function_call"]),
        &[&["call_id"], &["name"], &["arguments"]],
        &[
            (Holds::Id, &["id", "call_id"]),
            (Holds::Name, &["name"]),
            (Holds::Arguments, &["arguments"]),
        ],
    ),
    Shape::new(
        Which::Word("type", &["custom_tool_call"]),
        &[&["call_id"], &["name"], &["input"]],
        &[
            (Holds::Id, &["id", "call_id"]),
            (Holds::Name, &["name"]),
            (Holds::Input, &["input"]),
        ],
    ),
    Shape::new(
        Which::Word("type", &["function_call_output", "custom_tool_call_output"]),
        &[&["call_id"], &["output"]],
        &[
            (Holds::Id, &["id", "call_id"]),
            (Holds::Result, &["output"]),
        ],
    ),
    Shape::new(
        Which::Word("type", &["reasoning"]),
        &[&["summary", "content", "encrypted_content"]],
        &[(Holds::Text, &["summary", "content", "encrypted_content"])],
    ),
    // A message of the short form.
    Shape::new(
        Which::Without("type"),
        &[&["role"], &["content"]],
        &[(Holds::Text, &["content"])],
    )
    .with(&[("content", &BLOCKS)]),
    Shape::new(
        Which::Word("type", &["item_reference"]),
        &[&["id"]],
        &[(Holds::Id, &["id"])],
    ),
    Shape::new(
        Which::Word("type", &["compaction"]),
        &[&["encrypted_content"]],
        &[(Holds::Text, &["encrypted_content"])],
    ),
];

static BLOCKS: [Shape; 3] = [
    Shape::new(
        Which::Word("type", &["input_text", "output_text", "text"]),
        &[&["text"]],
        &[(Holds::Text, &["text"])],
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
