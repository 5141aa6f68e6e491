//! The places in a message that may have calls and results, as bits.

/// Text, media, thinking in the content.
pub(crate) const CONTENT: u32 = 1;
/// `tool_calls[]`.
pub(crate) const TOOL_CALLS: u32 = 1 << 1;
/// `invalid_tool_calls[]`.
pub(crate) const INVALID: u32 = 1 << 2;
/// `additional_kwargs.tool_calls[]` next to other lists of calls, which the client reads instead.
pub(crate) const RAW: u32 = 1 << 3;
/// `additional_kwargs.tool_calls[]` or `tool_call_chunks[]`, from which the loader makes `tool_calls`.
pub(crate) const DERIVED: u32 = 1 << 4;
/// The same, from which the loader makes `invalid_tool_calls`.
pub(crate) const DERIVED_INVALID: u32 = 1 << 5;
/// `additional_kwargs.tool_use`, `toolUse`.
pub(crate) const HIDDEN: u32 = 1 << 6;
/// `additional_kwargs.function_call`.
pub(crate) const FUNCTION: u32 = 1 << 7;
/// Block `tool_use`.
pub(crate) const TOOL_USE: u32 = 1 << 8;
/// Block `tool_use` with `toolUseId` instead of `id`.
pub(crate) const CAMEL_CALL: u32 = 1 << 9;
/// Block of Converse, `toolUse`.
pub(crate) const NATIVE_CALL: u32 = 1 << 10;
/// Block `tool_call`.
pub(crate) const CALL_BLOCK: u32 = 1 << 11;
/// Block `invalid_tool_call`.
pub(crate) const INVALID_BLOCK: u32 = 1 << 12;
/// Block `function_call`.
pub(crate) const FUNCTION_BLOCK: u32 = 1 << 13;
/// Block `server_tool_use`.
pub(crate) const SERVER_CALL: u32 = 1 << 14;
pub(crate) const TOOL_MESSAGE: u32 = 1 << 15;
/// Block `tool_result` of a user message.
pub(crate) const TOOL_RESULT: u32 = 1 << 16;
/// Block of Converse, `toolResult`.
pub(crate) const NATIVE_RESULT: u32 = 1 << 17;

/// Places of calls that at least one client sends.
pub(crate) const SENT_SOMEWHERE: u32 = TOOL_CALLS
    | INVALID
    | DERIVED
    | DERIVED_INVALID
    | TOOL_USE
    | CAMEL_CALL
    | NATIVE_CALL
    | CALL_BLOCK
    | INVALID_BLOCK
    | SERVER_CALL;
