//! What the client for each interface does with the messages that it sends.
//!
//! Verified with langchain-core 1.7.2, langchain-aws 1.9.1, langchain-anthropic 1.7.7, langchain-openai 1.7.3.

use crate::dialects::langchain::seats::{
    CALL_BLOCK, CAMEL_CALL, DERIVED, DERIVED_INVALID, INVALID, INVALID_BLOCK, NATIVE_CALL,
    NATIVE_RESULT, SERVER_CALL, TOOL_CALLS, TOOL_MESSAGE, TOOL_RESULT, TOOL_USE,
};
use crate::targets::Interface;

/// What a client does.
#[derive(Copy, Clone, Debug)]
pub(super) struct Client {
    /// Places that are sent as calls and results.
    pub sent: u32,
    /// Places that are sent as they are, or not converted at all: the provider or the client refuses them.
    pub refused: u32,
    /// Results and the user's words become one message, and system messages leave the sequence.
    pub merges_users: bool,
    /// Neighboring messages of the model become one.
    pub merges_answers: bool,
    /// It has a role for every kind of message.
    pub takes_any_kind: bool,
    /// What is in blocks is sent as it is.
    pub passes_blocks_on: bool,
    /// Longest ID that harms nobody, although the provider refuses its characters.
    pub harmless_id: usize,
}

const CONVERSE: Client = Client {
    sent: TOOL_CALLS
        | DERIVED
        | TOOL_USE
        | NATIVE_CALL
        | CALL_BLOCK
        | INVALID_BLOCK
        | TOOL_MESSAGE
        | TOOL_RESULT
        | NATIVE_RESULT,
    refused: CAMEL_CALL | SERVER_CALL,
    merges_users: true,
    merges_answers: true,
    takes_any_kind: false,
    passes_blocks_on: false,
    harmless_id: 0,
};

const CHAT: Client = Client {
    sent: TOOL_CALLS | DERIVED | DERIVED_INVALID | INVALID | TOOL_MESSAGE,
    refused: NATIVE_CALL | SERVER_CALL | TOOL_RESULT | NATIVE_RESULT,
    merges_users: false,
    merges_answers: false,
    takes_any_kind: true,
    passes_blocks_on: false,
    harmless_id: 64,
};

/// It replaces IDs that the provider refuses.
const MESSAGES: Client = Client {
    sent: TOOL_CALLS | DERIVED | DERIVED_INVALID | INVALID | TOOL_USE | TOOL_MESSAGE | TOOL_RESULT,
    refused: CAMEL_CALL | NATIVE_CALL | CALL_BLOCK | INVALID_BLOCK | NATIVE_RESULT,
    merges_users: true,
    merges_answers: false,
    takes_any_kind: false,
    passes_blocks_on: true,
    harmless_id: usize::MAX,
};

/// Not verified: taken as the client that converts least.
const OTHER: Client = Client {
    passes_blocks_on: false,
    harmless_id: 0,
    ..MESSAGES
};

/// The client for an interface.
pub(super) fn client(interface: Interface) -> Client {
    match interface {
        Interface::Converse => CONVERSE,
        Interface::Chat => CHAT,
        Interface::Messages => MESSAGES,
        Interface::Responses | Interface::MistralChat | Interface::Contents => OTHER,
    }
}
