//! Members of the items of the Responses API.

use super::{Holding, Shape, ShapeOf};

pub(crate) static ITEMS: [Shape; 8] = [
    Shape::new(
        ShapeOf::Word("type", &["message"]),
        &[&["role"], &["content"]],
        &[(Holding::Text, &["content"])],
    )
    .with(&[("content", &BLOCKS)]),
    Shape::new(
        ShapeOf::Word("type", &["function_call"]),
        &[&["call_id"], &["name"], &["arguments"]],
        &[
            (Holding::Id, &["id", "call_id"]),
            (Holding::Name, &["name"]),
            (Holding::Arguments, &["arguments"]),
        ],
    ),
    Shape::new(
        ShapeOf::Word("type", &["custom_tool_call"]),
        &[&["call_id"], &["name"], &["input"]],
        &[
            (Holding::Id, &["id", "call_id"]),
            (Holding::Name, &["name"]),
            (Holding::Input, &["input"]),
        ],
    ),
    Shape::new(
        ShapeOf::Word("type", &["function_call_output", "custom_tool_call_output"]),
        &[&["call_id"], &["output"]],
        &[(Holding::Id, &["id", "call_id"]), (Holding::Result, &["output"])],
    ),
    Shape::new(
        ShapeOf::Word("type", &["reasoning"]),
        &[&["summary", "content", "encrypted_content"]],
        &[(Holding::Text, &["summary", "content", "encrypted_content"])],
    ),
    // A message of the short form.
    Shape::new(
        ShapeOf::Without("type"),
        &[&["role"], &["content"]],
        &[(Holding::Text, &["content"])],
    )
    .with(&[("content", &BLOCKS)]),
    Shape::new(ShapeOf::Word("type", &["item_reference"]), &[&["id"]], &[(Holding::Id, &["id"])]),
    Shape::new(
        ShapeOf::Word("type", &["compaction"]),
        &[&["encrypted_content"]],
        &[(Holding::Text, &["encrypted_content"])],
    ),
];

static BLOCKS: [Shape; 3] = [
    Shape::new(
        ShapeOf::Word("type", &["input_text", "output_text", "text"]),
        &[&["text"]],
        &[(Holding::Text, &["text"])],
    ),
    Shape::new(
        ShapeOf::Word("type", &["refusal"]),
        &[&["refusal"]],
        &[(Holding::Text, &["refusal"])],
    ),
    Shape::new(ShapeOf::Without("type"), &[&["type"]], &[(Holding::Text, &["text"])]),
];
