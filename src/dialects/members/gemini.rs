//! Members of the Gemini API, in either spelling.

use super::{Holds, Shape, Which};
use crate::dialects::gemini::DATA;

pub(crate) static CONTENTS: [Shape; 1] =
    [
        Shape::new(Which::All, &[&["parts"]], &[(Holds::Text, &["parts"])])
            .with(&[("parts", &PARTS)]),
    ];

static PARTS: [Shape; 1] = [Shape::new(
    Which::All,
    &[DATA],
    &[
        (Holds::Call, &["functionCall", "function_call"]),
        (Holds::Result, &["functionResponse", "function_response"]),
        (Holds::Text, DATA),
    ],
)
.with(&[
    ("functionCall", &CALLS),
    ("function_call", &CALLS),
    ("functionResponse", &RESULTS),
    ("function_response", &RESULTS),
])];

static CALLS: [Shape; 1] = [Shape::new(
    Which::All,
    &[&["name"]],
    &[
        (Holds::Id, &["id"]),
        (Holds::Name, &["name"]),
        (Holds::Arguments, &["args", "partialArgs", "partial_args"]),
    ],
)];

static RESULTS: [Shape; 1] = [Shape::new(
    Which::All,
    &[&["name"], &["response"]],
    &[
        (Holds::Id, &["id"]),
        (Holds::Name, &["name"]),
        (Holds::Result, &["response", "parts"]),
    ],
)];
