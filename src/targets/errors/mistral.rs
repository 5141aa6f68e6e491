//! What Mistral says, and servers that use its tokenizer package. It names ids and roles, never a place.

use super::{At, Table, Text};

/// The texts, as quoted in public reports and as mistral-common 1.13.1 says them.
pub(super) const TABLE: Table = Table {
    name: "mistral",
    title: "Mistral",
    texts: &[
        Text::new(
            "Not the same number of function calls and responses",
            &["TD101", "TD103", "TD104", "TD202", "TD201", "TD204"],
            At::Nowhere,
            "calls and results are not as many",
        ),
        Text::new(
            "Unexpected role {q}(?:RoleEnum\\.)?tool{q}",
            &["TD103", "TD204", "TD201"],
            At::Nowhere,
            "a result stands where no call is open",
        ),
        Text::new(
            "Unexpected role {q}user{q} after role {q}tool{q}",
            &["TD101", "TD201", "TD207"],
            At::Nowhere,
            "the user speaks directly behind a result",
        ),
        Text::new(
            "Unexpected role {q}system{q} after role {q}(?:assistant|tool){q}",
            &["TD207"],
            At::Nowhere,
            "instructions stand in the middle",
        ),
        Text::new(
            "Expected last role User or Tool",
            &["TD205"],
            At::Nowhere,
            "what was sent ends with the assistant",
        )
        .hint("A recording at rest may end so: the next word of the user mends it."),
        Text::new(
            "Tool call id was but must be",
            &["TD107"],
            At::Nowhere,
            "a call or a result has an empty id",
        ),
        Text::new(
            "Tool call id was {id} but must be",
            &["TD405", "TD107"],
            At::Nowhere,
            "a call's id is not of nine letters and digits",
        ),
        Text::new(
            "Tool call id (?:has to be defined|must be a non-empty)",
            &["TD107"],
            At::Nowhere,
            "a call or a result has no id",
        ),
        Text::new(
            "Unexpected tool call id {id} in tool results",
            &["TD103", "TD101", "TD108"],
            At::Nowhere,
            "a result does not belong to the calls before it",
        ),
        Text::new(
            "Duplicate tool call id {id} in tool results",
            &["TD104", "TD105"],
            At::Nowhere,
            "a call has more than one result",
        ),
        Text::new(
            "Duplicate tool call id {id} in assistant message",
            &["TD106", "TD109"],
            At::Nowhere,
            "two calls of one message have one id",
        ),
        Text::new(
            "Assistant message must have either content or tool_calls, but not (?:none|both)",
            &["TD401"],
            At::Nowhere,
            "a message of the assistant says nothing",
        ),
        Text::new(
            "Function name was .{0,200}but must be",
            &["TD404"],
            At::Nowhere,
            "a tool's name is refused",
        ),
        Text::new(
            "Assistant message with prefix True must be last message",
            &["TD205"],
            At::Nowhere,
            "a beginning for the model stands before the last message",
        ),
        Text::new(
            "(?:Unexpected role {q}[A-Za-z_.-]{1,40}{q}|Input should be {q}assistant{q})",
            &["TD013", "TD010"],
            At::Nowhere,
            "a message has a role that is not known",
        ),
    ],
};
