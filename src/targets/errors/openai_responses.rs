//! Error texts of OpenAI Responses, and of servers with the same dialect.

use super::{At, ErrorTable, ErrorText};
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
#[rustfmt::skip]
pub(super) const TABLE: ErrorTable = ErrorTable {
    name: "openai-responses",
    title: "OpenAI Responses",
    source: "issues of openai/codex, openai/openai-agents-python, and vercel/ai",
    texts: &[
        ErrorText::new("No tool call found for (?:function call|custom tool call|local shell call|shell call|apply patch call|computer call|tool search) output with call_id {ids}", ORPHAN, At::Nowhere, "tool result without a call"),
        ErrorText::new("No tool output found for tool call {id}", &[Code::ResultNotNext, Code::UnansweredCall, Code::MissingCallId, Code::PendingCall], At::Nowhere, "a tool call without its result directly after it"),
        ErrorText::new("No tool output found for (?:function|custom tool|local shell|shell|apply patch|computer|tool search) call {ids}", OPEN, At::Nowhere, "tool call without a result"),
        ErrorText::new("Item {q}{id}{q} of type {q}reasoning{q} was provided without its required following item", &[Code::ReasoningItem], At::Nowhere, "a reasoning item without the item that followed it")
            .hint("The item that followed the reasoning was removed; the transcript does not show which one it was."),
        ErrorText::new("of type {q}reasoning{q} was provided without its required following item", &[Code::ReasoningItem], At::Nowhere, "a reasoning item without the item that followed it")
            .hint("The item that followed the reasoning was removed; the transcript does not show which one it was."),
        ErrorText::new("Item {q}{id}{q} of type {q}[a-z_]{1,40}{q} was provided without its required {q}reasoning{q} item", &[Code::ReasoningItem], At::Nowhere, "an item without the reasoning item before it")
            .hint("The server remembers the pair, but the transcript does not: without its id, the item counts as a new one."),
        ErrorText::new("Duplicate item found with id {id}", &[Code::RepeatedRecord, Code::DuplicateRecordId, Code::RepeatedCall], At::Nowhere, "two items with the same id"),
        ErrorText::new("input\\[{n}\\]\\.call_id{q}: string too long", &[Code::BadCallId], At::This, "a tool call id that is too long"),
        ErrorText::new("(?:input\\[{n}\\]\\.call_id{q}: (?:empty string|expected [^.]{0,60}got null)|Missing required parameter: {q}input\\[[0-9]+\\]\\.call_id)", &[Code::MissingCallId], At::This, "a tool call or tool result without an id"),
        ErrorText::new("input\\[{n}\\]\\.id{q}: {q}{id}{q}\\. Expected an ID", &[Code::BadCallId], At::This, "an item id that is rejected"),
        ErrorText::new("input\\[{n}\\]\\.id{q}: (?:{q}|string too long)", &[Code::BadCallId], At::This, "an item id that is rejected"),
        ErrorText::new("input\\[{n}\\]\\.name{q}: string (?:does not match|too long)", &[Code::BadToolName], At::This, "a tool name that is rejected"),
        ErrorText::new("input\\[{n}\\]\\.(?:content|output)\\[{m}\\]\\.image_url", &[Code::BadMedia], At::This, "an image that is rejected")
            .seen("openai/codex#5346, openai/codex#32287"),
        ErrorText::new("Item with id {q}{id}{q} not found", &[Code::ServerItem, Code::ReasoningItem], At::Nowhere, "a reference to an item that is not on the server")
            .hint("A request that is not stored (`store: false`) must have each item whole, or not at all. Nothing that is sent of the transcript has this ID."),
        ErrorText::new("encrypted content for item {id} could not be verified", &[Code::ServerItem], At::Nowhere, "an item that was encrypted for another account, region, or provider")
            .hint("Nothing that is sent of the transcript has this ID. Encrypted items are only for the account and the provider that made them."),
        ErrorText::new("encrypted content {id} could not be verified", &[Code::ServerItem], At::Nowhere, "an item that was encrypted for another account, region, or provider")
            .hint("Nothing that is sent of the transcript begins and ends like that. Encrypted items are only for the account and the provider that made them."),
        ErrorText::new("The encrypted content (?:for item )?{id}", &[Code::ServerItem], At::Nowhere, "an item that was encrypted for another account, region, or provider")
            .hint("Nothing that is sent of the transcript has this. Encrypted items are only for the account and the provider that made them.")
            .piece(),
        ErrorText::new("(?:Missing required parameter: |Invalid type for ){q}input\\[{n}\\]\\.arguments", &[Code::MissingInput, Code::MalformedRecord], At::This, "tool call arguments that are missing or not a string"),
        ErrorText::new("(?:Missing required parameter: |Invalid type for ){q}input\\[{n}\\]\\.[a-z_.]{1,60}{q}", &[Code::MalformedRecord, Code::EmptyContent], At::This, "a field that is missing or has the wrong type"),
        ErrorText::new("(?:Invalid value: {q}[a-z_]{1,40}{q}\\. Supported values are: {q}(?:output_text|input_text){q}|Unknown parameter: {q}input\\[{n}\\])", &[Code::ForeignBlock], At::This, "an unknown part or field"),
        ErrorText::new("input\\[{n}\\]\\.content{q}: array too long\\. Expected an array with maximum length 0", &[Code::ReasoningItem, Code::ForeignBlock], At::This, "a reasoning item with readable content")
            .hint("OpenAI takes no readable reasoning; servers of open models record it."),
        ErrorText::new("input\\[(?:{n}|[a-z])\\]\\.[a-z]{1,20}{q}: array too long", &[Code::ForeignBlock, Code::CompactionSplitPair], At::This, "a list that is too long"),
        ErrorText::new("System messages are not allowed", &[], At::Nowhere, "a message with the role system, which the ChatGPT endpoint of Codex does not take")
            .hint("The transcript is not damaged: that endpoint takes `developer` messages and `instructions`, so the program that sends the request must change the role.")
            .seen("router-for-me/CLIProxyAPI#3510, james-6-23/codex2api#409, finch-xu/cc-router#33"),
        ErrorText::new("Previous response with id {q}[A-Za-z0-9_-]{1,100}{q} not found", &[], At::Nowhere, "the response to continue from is not on the server")
            .hint("The transcript is not damaged: the program must send the whole conversation again."),
        ErrorText::new("reasoning_text in the thinking mode must be passed back", &[Code::Thinking], At::Nowhere, "thinking is missing")
            .hint("The server requires the thinking of its own responses; the program that sends them leaves it out."),
    ],
};
