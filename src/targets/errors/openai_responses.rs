//! What OpenAI Responses says, and the servers that speak the same dialect.

use super::{At, Table, Text};

const ORPHAN: &[&str] = &["TD103", "TD204", "TD304", "TD108", "TD203"];
const OPEN: &[&str] = &["TD101", "TD107", "TD108", "TD204", "TD201", "TD303", "TD102"];

/// The texts, as quoted in public reports.
pub(super) const TABLE: Table = Table {
    name: "openai-responses",
    title: "OpenAI Responses",
    texts: &[
        Text::new(
            "No tool call found for (?:function call|custom tool call|local shell call|shell call|apply patch call|computer call|tool search) output with call_id {ids}",
            ORPHAN,
            At::Nowhere,
            "a result has no call",
        ),
        Text::new(
            "No tool output found for tool call {id}",
            &["TD201", "TD101", "TD107", "TD102"],
            At::Nowhere,
            "the result of a call is not directly behind it",
        ),
        Text::new(
            "No tool output found for (?:function|custom tool|local shell|shell|apply patch|computer|tool search) call {ids}",
            OPEN,
            At::Nowhere,
            "a call has no result",
        ),
        Text::new(
            "Item {q}{id}{q} of type {q}reasoning{q} was provided without its required following item",
            &["TD409"],
            At::Nowhere,
            "thinking stands without what followed it",
        )
        .hint("The item that followed the thinking was taken out; the recording cannot tell which."),
        Text::new(
            "of type {q}reasoning{q} was provided without its required following item",
            &["TD409"],
            At::Nowhere,
            "thinking stands without what followed it",
        )
        .hint("The item that followed the thinking was taken out; the recording cannot tell which."),
        Text::new(
            "Item {q}{id}{q} of type {q}[a-z_]{1,40}{q} was provided without its required {q}reasoning{q} item",
            &["TD409"],
            At::Nowhere,
            "an item stands without the thinking before it",
        )
        .hint("The server remembers the pair, the recording does not: without its own id the item is taken as a new one."),
        Text::new(
            "Duplicate item found with id {id}",
            &["TD012", "TD306", "TD109"],
            At::Nowhere,
            "two items have one id",
        ),
        Text::new(
            "input\\[{n}\\]\\.call_id{q}: string too long",
            &["TD405"],
            At::This,
            "a call's id is too long",
        ),
        Text::new(
            "(?:input\\[{n}\\]\\.call_id{q}: (?:empty string|expected [^.]{0,60}got null)|Missing required parameter: {q}input\\[[0-9]+\\]\\.call_id)",
            &["TD107"],
            At::This,
            "a call or a result has no id",
        ),
        Text::new(
            "input\\[{n}\\]\\.id{q}: {q}{id}{q}\\. Expected an ID",
            &["TD405"],
            At::This,
            "an item's own id is refused",
        ),
        Text::new(
            "input\\[{n}\\]\\.id{q}: (?:{q}|string too long)",
            &["TD405"],
            At::This,
            "an item's own id is refused",
        ),
        Text::new(
            "input\\[{n}\\]\\.name{q}: string (?:does not match|too long)",
            &["TD404"],
            At::This,
            "a tool's name is refused",
        ),
        Text::new(
            "Item with id {q}{id}{q} not found",
            &["TD409"],
            At::Nowhere,
            "an item only names one on the server, and the server does not know it",
        )
        .hint("The request was not stored (`store: false`), so an item must be sent whole or not at all."),
        Text::new(
            "encrypted content [A-Za-z0-9+/=._…-]{1,80} could not be verified",
            &["TD409"],
            At::Nowhere,
            "thinking was encrypted for another account, region or model",
        )
        .hint("Nothing in the recording shows it: the thinking has to go if the provider stays another one."),
        Text::new(
            "(?:Missing required parameter: |Invalid type for ){q}input\\[{n}\\]\\.arguments",
            &["TD402", "TD013"],
            At::This,
            "the arguments of a call are missing, or no text",
        ),
        Text::new(
            "(?:Missing required parameter: |Invalid type for ){q}input\\[{n}\\]\\.[a-z_.]{1,60}{q}",
            &["TD013", "TD401"],
            At::This,
            "a member is missing or of the wrong kind",
        ),
        Text::new(
            "(?:Invalid value: {q}[a-z_]{1,40}{q}\\. Supported values are: {q}(?:output_text|input_text){q}|Unknown parameter: {q}input\\[{n}\\])",
            &["TD410"],
            At::This,
            "a part or a member is not known",
        ),
        Text::new(
            "input\\[(?:{n}|[a-z])\\]\\.[a-z]{1,20}{q}: array too long",
            &["TD410", "TD304"],
            At::This,
            "a list is too long",
        ),
        Text::new(
            "Previous response with id {q}[A-Za-z0-9_-]{1,100}{q} not found",
            &[],
            At::Nowhere,
            "the response to go on from is not on the server",
        )
        .hint("This is no damage of the transcript: the program has to send the whole conversation again."),
        Text::new(
            "reasoning_text in the thinking mode must be passed back",
            &["TD407"],
            At::Nowhere,
            "thinking is missing",
        )
        .hint("The server wants the thinking of its answers back; the program that sends them leaves it out."),
    ],
};
