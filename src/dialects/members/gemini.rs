//! Members of the Gemini API, in either spelling.

use super::{Holding, Shape, ShapeOf};
use crate::dialects::gemini::DATA;

pub(crate) static CONTENTS: [Shape; 1] =
    [Shape::new(ShapeOf::All, &[&["parts"]], &[(Holding::Text, &["parts"])])
        .with(&[("parts", &PARTS)])];

static PARTS: [Shape; 1] = [Shape::new(
    ShapeOf::All,
    &[DATA],
    &[
        (Holding::Call, &["functionCall", "function_call"]),
        (Holding::Result, &["functionResponse", "function_response"]),
        (Holding::Refused, &["toolCall", "toolResponse"]),
        (Holding::Text, DATA),
    ],
)
.with(&[
    ("functionCall", &CALLS),
    ("function_call", &CALLS),
    ("functionResponse", &RESULTS),
    ("function_response", &RESULTS),
])];

static CALLS: [Shape; 1] = [Shape::new(
    ShapeOf::All,
    &[&["name"]],
    &[
        (Holding::Id, &["id"]),
        (Holding::Name, &["name"]),
        (Holding::Arguments, &["args", "partialArgs", "partial_args"]),
    ],
)];

static RESULTS: [Shape; 1] = [Shape::new(
    ShapeOf::All,
    &[&["name"], &["response"]],
    &[
        (Holding::Id, &["id"]),
        (Holding::Name, &["name"]),
        (Holding::Result, &["response", "parts"]),
    ],
)];
