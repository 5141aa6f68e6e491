//! What the client for each interface does with the messages that it sends.
//!
//! Verified with langchain-core 1.7.2, langchain-aws 1.9.1, langchain-anthropic 1.7.7,
//! langchain-openai 1.7.3.

use crate::dialects::langchain::locations::{
    CALL_BLOCK, CAMEL_CALL, DERIVED, DERIVED_INVALID, INVALID, INVALID_BLOCK, NATIVE_CALL,
    NATIVE_RESULT, SERVER_CALL, TOOL_CALLS, TOOL_MESSAGE, TOOL_RESULT, TOOL_USE,
};
use crate::targets::Interface;

/// The behavior of a client.
#[derive(Copy, Clone, Debug)]
pub(super) struct LangchainClient {
    /// Places whose content is sent as calls and results.
    pub sent: u32,
    /// Places whose content is sent unchanged or cannot be converted: the provider or the client
    /// rejects it.
    pub refused: u32,
    /// Tool results and user messages become one message, and system messages are taken out of the
    /// sequence.
    pub merges_users: bool,
    /// Consecutive messages of the model become one.
    pub merges_answers: bool,
    /// It has a role for every kind of message.
    pub takes_any_kind: bool,
    /// Content blocks are sent unchanged.
    pub passes_blocks_on: bool,
    /// Greatest length of an ID, in bytes, that does no harm although the provider rejects its
    /// characters.
    pub harmless_id: usize,
}

const CONVERSE: LangchainClient = LangchainClient {
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

const CHAT: LangchainClient = LangchainClient {
    sent: TOOL_CALLS | DERIVED | DERIVED_INVALID | INVALID | TOOL_MESSAGE,
    refused: NATIVE_CALL | SERVER_CALL | TOOL_RESULT | NATIVE_RESULT,
    merges_users: false,
    merges_answers: false,
    takes_any_kind: true,
    passes_blocks_on: false,
    harmless_id: 64,
};

/// This client replaces IDs that the provider rejects.
const MESSAGES: LangchainClient = LangchainClient {
    sent: TOOL_CALLS | DERIVED | DERIVED_INVALID | INVALID | TOOL_USE | TOOL_MESSAGE | TOOL_RESULT,
    refused: CAMEL_CALL | NATIVE_CALL | CALL_BLOCK | INVALID_BLOCK | NATIVE_RESULT,
    merges_users: true,
    merges_answers: false,
    takes_any_kind: false,
    passes_blocks_on: true,
    harmless_id: usize::MAX,
};

/// Not verified. We assume the client that converts the least.
const OTHER: LangchainClient =
    LangchainClient { passes_blocks_on: false, harmless_id: 0, ..MESSAGES };

pub(super) fn client(interface: Interface) -> LangchainClient {
    match interface {
        Interface::Converse => CONVERSE,
        Interface::Chat => CHAT,
        Interface::Messages => MESSAGES,
        Interface::Responses | Interface::MistralChat | Interface::Contents => OTHER,
    }
}
