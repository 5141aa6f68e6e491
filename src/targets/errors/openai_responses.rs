//! Error texts of OpenAI Responses, and of servers with the same dialect.

use super::{At, ErrorTable, Text};
use crate::transcript::Code;

const ORPHAN: &[Code] = &[
    Code::OrphanResult,
    Code::ResultBeforeCall,
    Code::CompactionSplitPair,
    Code::LinkMismatch,
    Code::FailedTurnWithCalls,
];
const OPEN: &[Code] = &[
    Code::UnansweredCall,
    Code::MissingCallId,
    Code::LinkMismatch,
    Code::ResultBeforeCall,
    Code::ResultNotNext,
    Code::StrandedRecord,
    Code::PendingCall,
];

/// The texts, as quoted in public reports.
pub(super) const TABLE: ErrorTable = ErrorTable {
    name: "openai-responses",
    title: "OpenAI Responses",
    texts: &[
        Text::new(
            "No tool call found for (?:function call|custom tool call|local shell call|shell call|apply patch call|computer call|tool search) output with call_id {ids}",
            ORPHAN,
            At::Nowhere,
            "tool result without a call",
        ),
        Text::new(
            "No tool output found for tool call {id}",
            &[Code::ResultNotNext, Code::UnansweredCall, Code::MissingCallId, Code::PendingCall],
            At::Nowhere,
            "the result of a call is not directly behind it",
        ),
        Text::new(
            "No tool output found for (?:function|custom tool|local shell|shell|apply patch|computer|tool search) call {ids}",
            OPEN,
            At::Nowhere,
            "tool call without a result",
        ),
        Text::new(
            "Item {q}{id}{q} of type {q}reasoning{q} was provided without its required following item",
            &[Code::ReasoningItem],
            At::Nowhere,
            "thinking stands without what followed it",
        )
        .hint("The item that followed the thinking was taken out; the recording cannot tell which."),
        Text::new(
            "of type {q}reasoning{q} was provided without its required following item",
            &[Code::ReasoningItem],
            At::Nowhere,
            "thinking stands without what followed it",
        )
        .hint("The item that followed the thinking was taken out; the recording cannot tell which."),
        Text::new(
            "Item {q}{id}{q} of type {q}[a-z_]{1,40}{q} was provided without its required {q}reasoning{q} item",
            &[Code::ReasoningItem],
            At::Nowhere,
            "an item stands without the thinking before it",
        )
        .hint("The server remembers the pair, the recording does not: without its own id the item is taken as a new one."),
        Text::new(
            "Duplicate item found with id {id}",
            &[Code::RepeatedRecord, Code::DuplicateRecordId, Code::RepeatedCall],
            At::Nowhere,
            "two items have one id",
        ),
        Text::new(
            "input\\[{n}\\]\\.call_id{q}: string too long",
            &[Code::BadCallId],
            At::This,
            "a call's id is too long",
        ),
        Text::new(
            "(?:input\\[{n}\\]\\.call_id{q}: (?:empty string|expected [^.]{0,60}got null)|Missing required parameter: {q}input\\[[0-9]+\\]\\.call_id)",
            &[Code::MissingCallId],
            At::This,
            "a tool call or tool result without an id",
        ),
        Text::new(
            "input\\[{n}\\]\\.id{q}: {q}{id}{q}\\. Expected an ID",
            &[Code::BadCallId],
            At::This,
            "an item's own id is refused",
        ),
        Text::new(
            "input\\[{n}\\]\\.id{q}: (?:{q}|string too long)",
            &[Code::BadCallId],
            At::This,
            "an item's own id is refused",
        ),
        Text::new(
            "input\\[{n}\\]\\.name{q}: string (?:does not match|too long)",
            &[Code::BadToolName],
            At::This,
            "a tool's name is refused",
        ),
        Text::new(
            "Item with id {q}{id}{q} not found",
            &[Code::ReasoningItem],
            At::Nowhere,
            "an item only names one on the server, and the server does not know it",
        )
        .hint("The request was not stored (`store: false`), so an item must be sent whole or not at all."),
        Text::new(
            "encrypted content [A-Za-z0-9+/=._…-]{1,80} could not be verified",
            &[Code::ReasoningItem],
            At::Nowhere,
            "thinking was encrypted for another account, region or model",
        )
        .hint("Nothing in the recording shows it: the thinking has to go if the provider stays another one."),
        Text::new(
            "(?:Missing required parameter: |Invalid type for ){q}input\\[{n}\\]\\.arguments",
            &[Code::MissingInput, Code::MalformedRecord],
            At::This,
            "the arguments of a call are missing, or no text",
        ),
        Text::new(
            "(?:Missing required parameter: |Invalid type for ){q}input\\[{n}\\]\\.[a-z_.]{1,60}{q}",
            &[Code::MalformedRecord, Code::EmptyContent],
            At::This,
            "a member is missing or of the wrong kind",
        ),
        Text::new(
            "(?:Invalid value: {q}[a-z_]{1,40}{q}\\. Supported values are: {q}(?:output_text|input_text){q}|Unknown parameter: {q}input\\[{n}\\])",
            &[Code::ForeignBlock],
            At::This,
            "a part or a member is not known",
        ),
        Text::new(
            "input\\[(?:{n}|[a-z])\\]\\.[a-z]{1,20}{q}: array too long",
            &[Code::ForeignBlock, Code::CompactionSplitPair],
            At::This,
            "a list is too long",
        ),
        Text::new(
            "Previous response with id {q}[A-Za-z0-9_-]{1,100}{q} not found",
            &[],
            At::Nowhere,
            "the response to go on from is not on the server",
        )
        .hint("The transcript is not damaged: the program has to send the whole conversation again."),
        Text::new(
            "reasoning_text in the thinking mode must be passed back",
            &[Code::Thinking],
            At::Nowhere,
            "thinking is missing",
        )
        .hint("The server wants the thinking of its answers back; the program that sends them leaves it out."),
    ],
};
