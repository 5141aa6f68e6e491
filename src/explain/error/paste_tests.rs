//! The catalogue of texts, each as people paste it.

use super::super::best_match;
use super::super::ids::tests::recording;
use super::super::ids::{KnownIds, MatchKind};
use super::*;
use crate::transcript::Code;

const A: &str = "toolu_01EvREYhc5WD2xswPAvEc8ir";
const B: &str = "tooluse_ab.c:1-2";

/// Target, text, first code, number, ids. `A` and `B` stand for ids.
type Case = (&'static str, &'static str, &'static str, Option<u32>, &'static str);

const CATALOGUE: &[Case] = &[
    (
        "gemini",
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
        "TD101",
        None,
        "",
    ),
    (
        "gemini",
        "Please ensure that the number of function response parts should be equal to number of function call parts of the function call turn.",
        "TD101",
        None,
        "",
    ),
    (
        "gemini",
        "Please ensure that function response turn comes immediately after a function call turn.",
        "TD103",
        None,
        "",
    ),
    (
        "gemini",
        "Please ensure that function call turn come immediately after a user turn or after a function response turn.",
        "TD207",
        None,
        "",
    ),
    (
        "gemini",
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:list_directory` , position 4. Please refer to https://ai.google.dev for more details.",
        "TD407",
        Some(4),
        "",
    ),
    (
        "gemini",
        "Unable to submit request because function call `list_directory` in the 6. content block is missing a `thought_signature`.",
        "TD407",
        Some(6),
        "",
    ),
    (
        "gemini",
        "* GenerateContentRequest.contents[2].parts: contents.parts must not be empty.",
        "TD401",
        Some(2),
        "",
    ),
    (
        "gemini",
        "* GenerateContentRequest.contents[2].parts[0].data: required oneof field 'data' must have one initialized field",
        "TD401",
        Some(2),
        "",
    ),
    (
        "gemini",
        "Unable to submit request because it must include at least one parts field, which describes the prompt input.",
        "TD401",
        None,
        "",
    ),
    (
        "gemini",
        "Please ensure that multiturn requests alternate between user and model.",
        "TD207",
        None,
        "",
    ),
    ("gemini", "Requests ending with a model turn are not supported.", "TD205", None, ""),
    ("gemini", "Please use a valid role: user, model.", "TD013", None, ""),
    (
        "gemini",
        "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.",
        "TD404",
        Some(2),
        "",
    ),
    (
        "gemini",
        "Invalid value at 'contents[1].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct), \"x\"",
        "TD403",
        Some(1),
        "",
    ),
    (
        "gemini",
        "Invalid JSON payload received. Unknown name \"foo\" at 'contents[3].parts[0]': Cannot find field.",
        "TD410",
        Some(3),
        "",
    ),
    (
        "anthropic",
        "messages.21: `tool_use` ids were found without `tool_result` blocks immediately after: A, B. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        "TD101",
        Some(21),
        "AB",
    ),
    (
        "anthropic",
        "messages.2: Did not find 1 `tool_result` block(s) at the beginning of this message. Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks.",
        "TD101",
        Some(2),
        "",
    ),
    (
        "anthropic",
        "messages.4.content.0: unexpected `tool_use_id` found in `tool_result` blocks: A. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
        "TD103",
        Some(4),
        "A",
    ),
    (
        "anthropic",
        "messages.6.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: A",
        "TD104",
        Some(6),
        "A",
    ),
    ("anthropic", "messages.3.content.1: `tool_use` ids must be unique", "TD109", Some(3), ""),
    (
        "anthropic",
        "messages.5.content.1.tool_use.name: String should have at most 200 characters",
        "TD404",
        Some(5),
        "",
    ),
    (
        "anthropic",
        "messages.5.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        "TD405",
        Some(5),
        "",
    ),
    ("anthropic", "messages.5.content.1.tool_use.input: Field required", "TD402", Some(5), ""),
    (
        "anthropic",
        "messages.5.content.1.tool_use.input: Input should be a valid dictionary",
        "TD403",
        Some(5),
        "",
    ),
    (
        "anthropic",
        "messages.5.content.1.tool_result.tool_use_id: Field required",
        "TD107",
        Some(5),
        "",
    ),
    ("anthropic", "messages.5.content.1.thinking.signature: Field required", "TD407", Some(5), ""),
    ("anthropic", "messages.5.content.1.text.text: Field required", "TD013", Some(5), ""),
    ("anthropic", "messages.5.content: Input should be a valid list", "TD013", Some(5), ""),
    (
        "anthropic",
        "messages.5.content.1.thinking.cache_control: Extra inputs are not permitted",
        "TD410",
        None,
        "",
    ),
    (
        "anthropic",
        "messages.5.content.1.tool_use.caller: Extra inputs are not permitted",
        "TD410",
        Some(5),
        "",
    ),
    (
        "anthropic",
        "messages.5.content.1: Input tag 'function_call' found using 'type' does not match any of the expected tags: 'text', 'image'",
        "TD410",
        Some(5),
        "",
    ),
    (
        "anthropic",
        "messages: Unexpected role \"system\". The Messages API accepts a top-level `system` parameter",
        "TD410",
        None,
        "",
    ),
    ("anthropic", "messages: first message must use the \"user\" role", "TD206", None, ""),
    ("anthropic", "messages: text content blocks must be non-empty", "TD401", None, ""),
    (
        "anthropic",
        "messages: text content blocks must contain non-whitespace text",
        "TD401",
        None,
        "",
    ),
    (
        "anthropic",
        "messages.7: all messages must have non-empty content except for the optional final assistant message",
        "TD401",
        Some(7),
        "",
    ),
    (
        "anthropic",
        "messages.7.content.1.text: cache_control cannot be set for empty text blocks",
        "TD401",
        Some(7),
        "",
    ),
    (
        "anthropic",
        "messages.7.content.1.tool_result: content cannot be empty if `is_error` is true",
        "TD406",
        Some(7),
        "",
    ),
    (
        "anthropic",
        "messages: final assistant content cannot end with trailing whitespace",
        "TD205",
        None,
        "",
    ),
    (
        "anthropic",
        "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
        "TD407",
        Some(1),
        "",
    ),
    (
        "anthropic",
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        "TD407",
        Some(1),
        "",
    ),
    (
        "anthropic",
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled",
        "TD407",
        Some(1),
        "",
    ),
    ("anthropic", "Could not process image", "TD408", None, ""),
    (
        "anthropic",
        "messages.3.content.1.image.source.base64.data: Image does not match the provided media type image/png",
        "TD408",
        Some(3),
        "",
    ),
    (
        "anthropic",
        "The request body is not valid JSON: no low surrogate in string: line 1 column 9 (char 8)",
        "TD009",
        None,
        "",
    ),
    (
        "bedrock",
        "Expected toolResult blocks at messages.12.content for the following Ids: A, B",
        "TD101",
        Some(12),
        "AB",
    ),
    (
        "bedrock",
        "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.",
        "TD103",
        Some(2),
        "",
    ),
    (
        "bedrock",
        "The toolResult blocks at messages.2.content contain duplicate Ids: B",
        "TD104",
        Some(2),
        "B",
    ),
    (
        "bedrock",
        "The toolUse blocks at messages.1.content contain duplicate Ids: B",
        "TD106",
        Some(1),
        "B",
    ),
    (
        "bedrock",
        "messages.3: Did not find 1 tool_result block(s) at the beginning of this message. Messages following tool_use blocks must begin with a matching number of tool_result blocks.",
        "TD201",
        Some(3),
        "",
    ),
    (
        "bedrock",
        "messages.1: tool_use ids were found without tool_result blocks immediately after: B. Each tool_use block must have a corresponding tool_result block in the next message.",
        "TD101",
        Some(1),
        "B",
    ),
    (
        "bedrock",
        "messages.4.content: Conversation blocks and tool result blocks cannot be provided in the same turn.",
        "TD410",
        Some(4),
        "",
    ),
    (
        "bedrock",
        "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
        "TD207",
        None,
        "",
    ),
    (
        "bedrock",
        "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
        "TD206",
        None,
        "",
    ),
    (
        "bedrock",
        "This model does not support assistant message prefill. The conversation must end with a user message.",
        "TD205",
        None,
        "",
    ),
    (
        "bedrock",
        "Your API request included an `assistant` message in the final position, which would pre-fill the `assistant` response.",
        "TD205",
        None,
        "",
    ),
    (
        "bedrock",
        "The text field in the ContentBlock object at messages.1.content.0 is blank. Add text to the text field, and try again.",
        "TD401",
        Some(1),
        "",
    ),
    (
        "bedrock",
        "The content field in the Message object at messages.7 is empty. Add a ContentBlock object to the content field and try again.",
        "TD401",
        Some(7),
        "",
    ),
    (
        "bedrock",
        "The content field at messages.2.content.0.toolResult cannot be empty when status value is error.",
        "TD406",
        Some(2),
        "",
    ),
    (
        "bedrock",
        "The format of the value at messages.2.content.0.toolResult.content.0.json is invalid. Provide a json object for the field and try again.",
        "TD013",
        Some(2),
        "",
    ),
    (
        "bedrock",
        "The format of the value at messages.2.content.0.toolUse.input is invalid. Provide a json object for the field and try again.",
        "TD403",
        Some(2),
        "",
    ),
    (
        "bedrock",
        "1 validation error detected: Value at 'messages.2.member.content.1.member.toolUse.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
        "TD404",
        Some(2),
        "",
    ),
    (
        "bedrock",
        "1 validation error detected: Value at 'messages.2.member.content.1.member.toolResult.toolUseId' failed to satisfy constraint: Member must have length less than or equal to 64",
        "TD405",
        Some(2),
        "",
    ),
    (
        "bedrock",
        "Parameter validation failed: Missing required parameter in messages[3].content[0].toolUse: \"input\"",
        "TD402",
        Some(3),
        "",
    ),
    (
        "bedrock",
        "Invalid type for parameter messages[3].content[0].toolUse.toolUseId, value: None, type: <class 'NoneType'>",
        "TD107",
        Some(3),
        "",
    ),
    (
        "bedrock",
        "Unknown parameter in messages[3].content[0]: \"type\", must be one of: text, image",
        "TD410",
        Some(3),
        "",
    ),
    (
        "openai-chat",
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: A, B",
        "TD101",
        None,
        "AB",
    ),
    (
        "openai-chat",
        "An assistant message with \"tool_calls\" must be followed by tool messages responding to each \"tool_call_id\". (insufficient tool messages following tool_calls message)",
        "TD101",
        None,
        "",
    ),
    (
        "openai-chat",
        "<400> InternalError.Algo.InvalidParameter: An assistant message with \"tool_calls\" must be followed by tool messages responding to each \"tool_call_id\". The following tool_call_ids did not have response messages: message[855].role",
        "TD101",
        Some(855),
        "",
    ),
    (
        "openai-chat",
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        "TD103",
        None,
        "",
    ),
    (
        "openai-chat",
        "Messages with role \"tool\" must be a response to a preceding message with \"tool_calls\"",
        "TD103",
        None,
        "",
    ),
    (
        "openai-chat",
        "Invalid parameter: 'tool_call_id' of 'A' not found in 'tool_calls' of previous message.",
        "TD108",
        None,
        "A",
    ),
    (
        "openai-chat",
        "Invalid parameter: Duplicate value for 'tool_call_id' of 'A', in messages[7] and messages[8].",
        "TD104",
        Some(7),
        "A",
    ),
    (
        "openai-chat",
        "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 43 instead.",
        "TD405",
        Some(2),
        "",
    ),
    (
        "openai-chat",
        "Invalid 'messages[2].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        "TD404",
        Some(2),
        "",
    ),
    ("openai-chat", "Invalid value for 'content': expected a string, got null.", "TD401", None, ""),
    (
        "openai-chat",
        "Invalid 'messages[3].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        "TD401",
        Some(3),
        "",
    ),
    (
        "openai-chat",
        "Invalid value: 'exit'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
        "TD013",
        None,
        "",
    ),
    (
        "openai-chat",
        "Missing required parameter: 'messages[3].tool_calls[0].id'.",
        "TD107",
        Some(3),
        "",
    ),
    (
        "openai-chat",
        "Missing required parameter: 'messages[3].content[0].type'.",
        "TD410",
        Some(3),
        "",
    ),
    (
        "openai-chat",
        "Missing required parameter: 'messages[3].tool_calls[0].function.arguments'.",
        "TD402",
        Some(3),
        "",
    ),
    (
        "openai-chat",
        "Unterminated string starting at: line 1 column 14 (char 13)",
        "TD403",
        None,
        "",
    ),
    ("openai-chat", "Invalid \\escape: line 1 column 14 (char 13)", "TD403", None, ""),
    (
        "openai-chat",
        "Missing `reasoning_content` field in the assistant message at message index 2.",
        "TD407",
        Some(2),
        "",
    ),
    ("openai-chat", "tool_call_id  is not found", "TD107", None, ""),
    ("openai-chat", "tool_call_id A is not found", "TD103", None, "A"),
    ("openai-chat", "tool call result does not follow tool call (2013)", "TD103", None, ""),
    (
        "openai-chat",
        "After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.",
        "TD207",
        None,
        "",
    ),
    ("openai-chat", "Tool results are missing for tool calls A, B.", "TD101", None, "AB"),
    ("mistral", "Not the same number of function calls and responses", "TD101", None, ""),
    ("mistral", "Unexpected role 'tool' after role 'user'", "TD103", None, ""),
    ("mistral", "Unexpected role RoleEnum.tool", "TD103", None, ""),
    ("mistral", "Unexpected role 'user' after role 'tool'", "TD101", None, ""),
    ("mistral", "Unexpected role 'system' after role 'assistant'", "TD207", None, ""),
    (
        "mistral",
        "Expected last role User or Tool (or Assistant with prefix) for serving but got assistant",
        "TD205",
        None,
        "",
    ),
    (
        "mistral",
        "Tool call id was A but must be a-z, A-Z, 0-9, with a length of 9.",
        "TD405",
        None,
        "A",
    ),
    (
        "mistral",
        "Tool call id was  but must be a-z, A-Z, 0-9, with a length of 9.",
        "TD107",
        None,
        "",
    ),
    ("mistral", "Tool call id has to be defined.", "TD107", None, ""),
    ("mistral", "Unexpected tool call id A in tool results", "TD103", None, "A"),
    ("mistral", "Duplicate tool call id A in tool results", "TD104", None, "A"),
    ("mistral", "Duplicate tool call id A in assistant message", "TD106", None, "A"),
    (
        "mistral",
        "Assistant message must have either content or tool_calls, but not none.",
        "TD401",
        None,
        "",
    ),
    (
        "mistral",
        "Function name was a.b but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.",
        "TD404",
        None,
        "",
    ),
    ("mistral", "Assistant message with prefix True must be last message", "TD205", None, ""),
    ("mistral", "Unexpected role 'developer'", "TD013", None, ""),
    ("openai-chat", "No tool output found for function call A.", "TD101", None, "A"),
    (
        "openai-chat",
        "No tool call found for function call output with call_id A.",
        "TD103",
        None,
        "A",
    ),
    (
        "bedrock",
        "Found AIMessages with tool_calls that do not have a corresponding ToolMessage. Here are the first few of those tool calls: [{'name': 'f', 'args': {'id': 'decoy-1'}, 'id': 'A', 'type': 'tool_call'}, {'name': 'g', 'args': {}, 'id': 'B', 'type': 'tool_call'}].",
        "TD101",
        None,
        "AB",
    ),
    ("anthropic", "KeyError: 'A'", "TD104", None, "A"),
    ("anthropic", "tool call id A is duplicated", "TD106", None, "A"),
    (
        "anthropic",
        "API Error: 400 due to tool use concurrency issues. Run /rewind to recover",
        "TD101",
        None,
        "",
    ),
    ("anthropic", "prompt is too long: 210000 tokens > 200000 maximum", "", None, ""),
    (
        "anthropic",
        "An error occurred (ThrottlingException) when calling the Converse operation",
        "",
        None,
        "",
    ),
    (
        "bedrock",
        "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
        "",
        None,
        "",
    ),
    ("openai-responses", "No tool output found for function call A.", "TD101", None, "A"),
    ("openai-responses", "No tool output found for custom tool call A.", "TD101", None, "A"),
    ("openai-responses", "No tool output found for tool call A", "TD201", None, "A"),
    (
        "openai-responses",
        "No tool call found for function call output with call_id A.",
        "TD103",
        None,
        "A",
    ),
    (
        "openai-responses",
        "No tool call found for custom tool call output with call_id A.",
        "TD103",
        None,
        "A",
    ),
    (
        "openai-responses",
        "Item 'A' of type 'reasoning' was provided without its required following item.",
        "TD409",
        None,
        "A",
    ),
    (
        "openai-responses",
        "Item 'A' of type 'function_call' was provided without its required 'reasoning' item: 'rs_Y'.",
        "TD409",
        None,
        "A",
    ),
    (
        "openai-responses",
        "Duplicate item found with id A. Remove duplicate items from your input and try again.",
        "TD012",
        None,
        "A",
    ),
    (
        "openai-responses",
        "Invalid 'input[5].call_id': string too long. Expected a string with maximum length 64, but got a string with length 69 instead.",
        "TD405",
        Some(5),
        "",
    ),
    ("openai-responses", "Invalid 'input[5].call_id': empty string.", "TD107", Some(5), ""),
    ("openai-responses", "Missing required parameter: 'input[5].call_id'.", "TD107", None, ""),
    (
        "openai-responses",
        "Invalid 'input[2].id': 'A'. Expected an ID that begins with 'fc'.",
        "TD405",
        Some(2),
        "A",
    ),
    (
        "openai-responses",
        "Invalid 'input[716].id': string too long. Expected a string with maximum length 64.",
        "TD405",
        Some(716),
        "",
    ),
    (
        "openai-responses",
        "Invalid 'input[16].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        "TD404",
        Some(16),
        "",
    ),
    (
        "openai-responses",
        "Item with id 'A' not found. Items are not persisted when `store` is set to false.",
        "TD409",
        None,
        "A",
    ),
    (
        "openai-responses",
        "The encrypted content gAAA...wXBV could not be verified.",
        "TD409",
        None,
        "",
    ),
    ("openai-responses", "Missing required parameter: 'input[4].arguments'.", "TD402", Some(4), ""),
    ("openai-responses", "Missing required parameter: 'input[4].type'.", "TD013", Some(4), ""),
    (
        "openai-responses",
        "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
        "TD410",
        None,
        "",
    ),
    ("openai-responses", "Unknown parameter: 'input[3].metadata'.", "TD410", Some(3), ""),
    (
        "openai-responses",
        "Invalid 'input[7].content': array too long. Expected an array with maximum length 16.",
        "TD410",
        Some(7),
        "",
    ),
    (
        "openai-responses",
        "The reasoning_text in the thinking mode must be passed back to the API.",
        "TD407",
        None,
        "",
    ),
];

/// Texts as people shorten them, and as hosts look for them: without the place in front, in lower
/// case.
const FRAGMENTS: &[(&str, &str, &str)] = &[
    ("`tool_use` ids were found without `tool_result` blocks immediately after: A", "TD101", "A"),
    ("tool_use ids were found without `tool_result` blocks immediately after", "TD101", ""),
    (
        "each `tool_use` block must have a corresponding `tool_result` block in the next message",
        "TD101",
        "",
    ),
    (
        "each `tool_result` block must have a corresponding `tool_use` block in the previous message",
        "TD103",
        "",
    ),
    ("unexpected `tool_use_id` found in `tool_result` blocks: A", "TD103", "A"),
    ("each tool_use must have a single result", "TD104", ""),
    ("found multiple `tool_result` blocks with id: A", "TD104", "A"),
    ("`tool_use` ids must be unique", "TD109", ""),
    ("tool_use.input: Field required", "TD402", ""),
    ("tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", "TD405", ""),
    ("cache_control cannot be set for empty text blocks", "TD401", ""),
    ("Expected `thinking` … but found", "TD407", ""),
    ("blocks in the latest assistant message cannot be modified", "TD407", ""),
    ("The block is bound to a different conversation.", "TD407", ""),
    ("image.source.base64: invalid base64 data", "TD408", ""),
    ("number of toolResult blocks at messages.2.content exceeds…", "TD103", ""),
    (
        "content field at messages.2.content.1.toolResult cannot be empty when status value is error",
        "TD406",
        "",
    ),
    ("number of function response parts is equal to…", "TD101", ""),
    ("must be followed by tool messages responding to each 'tool_call_id'", "TD101", ""),
    ("an assistant message with 'tool_calls' must be followed by …", "TD101", ""),
    ("Invalid 'input[x].content': array too long", "TD410", ""),
    ("missing an ordinal", "TD502", ""),
    ("Tool result(s) … missing for tool call(s) A", "TD101", "A"),
    ("json.decoder.JSONDecodeError: Extra data", "TD403", ""),
    ("thread history projection for 0199 expected ordinal 7", "TD502", ""),
    ("failed to parse thread ID", "TD307", ""),
    ("Run /rewind to recover the conversation.", "TD101", ""),
    ("An image in the conversation could not be processed and was removed.", "TD408", ""),
    (
        "Tool call metadata should NOT be None when function calling is enabled for agent actions.",
        "TD107",
        "",
    ),
    ("Unknown event type: {'id': 3}", "TD010", ""),
    ("Invalid configuration of the optional fields.", "TD305", ""),
    ("Invalid JSON in file /s/messages/message_3.json: Expecting value", "TD001", ""),
    ("Messages directory missing from agent: /s/agents/a", "TD502", ""),
    ("session history has mismatched toolUse/toolResult pairing, rebuilding", "TD101", ""),
    ("orphaned toolResult with no preceding toolUse", "TD103", ""),
    ("Session file is corrupted (line 12: missing field `toolCallId`)", "TD013", ""),
    ("Session file is corrupted (line 12: Unterminated string in JSON)", "TD001", ""),
    ("No session or task matched", "", ""),
    ("stream did not contain valid UTF-8", "TD008", ""),
];

/// The text as JSON programs quote it.
fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// The text as Python prints it.
fn python(text: &str) -> String {
    let text = text.replace('\\', "\\\\");
    if text.contains('\'') && !text.contains('"') {
        format!("\"{text}\"")
    } else {
        format!("'{}'", text.replace('\'', "\\'"))
    }
}

/// Broken hard, as terminals do, with an indentation.
fn broken(text: &str, columns: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    chars
        .chunks(columns)
        .map(|line| line.iter().collect::<String>())
        .collect::<Vec<_>>()
        .join("\n  ")
}

fn pastes(text: &str) -> Vec<(&'static str, String)> {
    let inner = json(&format!("{{\"message\":{}}}", json(text)));
    let mut out = vec![
        ("plain", text.to_owned()),
        (
            "boto",
            format!(
                "botocore.errorfactory.ValidationException: An error occurred (ValidationException) when calling the ConverseStream operation: The model returned the following errors: {text}"
            ),
        ),
        (
            "litellm",
            format!(
                "litellm.BadRequestError: BedrockException - {{\"message\":{}}}. Received Model Group=claude\nAvailable Model Group Fallbacks=None",
                json(text)
            ),
        ),
        (
            "sdk",
            format!(
                "Error code: 400 - {{'type': 'error', 'error': {{'type': 'invalid_request_error', 'message': {}}}, 'request_id': 'req_011'}}",
                python(text)
            ),
        ),
        (
            "router",
            format!(
                "{{\"error\":{{\"message\":\"Provider returned error\",\"metadata\":{{\"raw\":{inner}}}}}}}"
            ),
        ),
        (
            "bytes",
            format!(
                "VertexAIException BadRequestError - b{}",
                python(&format!("{{\"error\":{{\"message\":{}}}}}", json(text)))
            ),
        ),
        (
            "exception",
            format!(
                "Traceback (most recent call last):\n  File \"x.py\", line 3, in f\nValueError({})",
                python(text)
            ),
        ),
        (
            "openai",
            format!(
                "unexpected status 400 Bad Request: {{\"error\":{{\"message\":{},\"type\":\"invalid_request_error\",\"param\":\"input\",\"code\":null}}}}",
                json(text)
            ),
        ),
        (
            "pretty",
            format!(
                "{{\n  \"error\": {{\n    \"message\": {},\n    \"type\": \"invalid_request_error\",\n    \"code\": null\n  }}\n}}",
                json(text)
            ),
        ),
        (
            "members",
            format!(
                "BadRequestError: {{ message: {text}, type: invalid_request_error, code: 400 }}"
            ),
        ),
        ("fields", format!("BadRequestError(message={text}, type=invalid_request_error)")),
        ("colored", format!("\u{1b}[31m╭──────╮\u{1b}[0m\n│ {text} │\n╰──────╯")),
    ];
    let wrapped: Vec<(&str, String)> = out
        .iter()
        .flat_map(|(name, text)| [80, 53].map(|columns| (*name, broken(text, columns))))
        .collect();
    out.extend(wrapped);
    out
}

fn matched(
    paste: &str,
    target: &'static str,
    recorded: &[&str],
) -> (Option<&'static str>, Option<u32>, Vec<(String, MatchKind)>) {
    let read = Paste::read(paste);
    let t = recording(recorded);
    let own = Preferred { target, format: "" };
    let (matched, hits) = best_match(&read, own, &KnownIds::of(&t));
    let first = matched.and_then(<[Matched]>::first);
    let code =
        first.map(|matched| read.text(matched).codes.first().map_or("", |code| code.as_str()));
    // With all ids there, what is no id of the recording is no id at all.
    assert!(
        !recorded.starts_with(&[A, B]) || hits.iter().all(|(_, hit)| hit.is_some()),
        "{hits:?} in {paste:?}"
    );
    let ids = hits.into_iter().filter_map(|(_, hit)| hit.map(|hit| (hit.id, hit.kind))).collect();
    (code, first.and_then(|matched| matched.index), ids)
}

#[test]
fn every_pattern_is_one() {
    for table in tables::all() {
        for text in table.texts {
            for form in 0..=DENSE {
                assert!(compiled(text.pattern, form).is_some(), "{}", text.pattern);
            }
        }
    }
}

#[test]
fn the_catalogue_however_it_is_wrapped() {
    for (target, text, code, index, ids) in CATALOGUE {
        let wanted: Vec<&str> = ids.chars().map(|name| if name == 'A' { A } else { B }).collect();
        let text = filled(text);
        for (name, paste) in pastes(&text) {
            let (found, number, hits) = matched(&paste, target, &[A, B]);
            let hits: Vec<&str> = hits.iter().map(|(id, _)| id.as_str()).collect();
            assert_eq!(found, Some(*code), "{name}: {paste}");
            assert_eq!((number, &hits), (*index, &wanted), "{name}: {paste}");
        }
    }
}

#[test]
fn fragments_are_known() {
    for (text, code, ids) in FRAGMENTS {
        let wanted: Vec<&str> = ids.chars().map(|_| A).collect();
        for (name, paste) in pastes(&filled(text)) {
            let (found, _, hits) = matched(&paste, "anthropic", &[A, B]);
            let hits: Vec<&str> = hits.iter().map(|(id, _)| id.as_str()).collect();
            assert_eq!((found, hits), (Some(*code), wanted.clone()), "{name}: {paste}");
        }
    }
}

#[test]
fn blanks_may_be_lost_or_won() {
    let lost = |text: &str| text.split_whitespace().collect::<String>();
    let won = |text: &str| broken(text, 7).replace("\n  ", " ");
    for (target, text, code, index, ids) in CATALOGUE {
        let wanted: Vec<&str> = ids.chars().map(|name| if name == 'A' { A } else { B }).collect();
        let text = filled(text);
        // A blank within the quotes of a Python list is one of the id's own.
        let won = (!text.contains("[{")).then(|| won(&text));
        for paste in [lost(&text), lost(&format!("API Error: 400 {text}"))].into_iter().chain(won) {
            let (found, number, hits) = matched(&paste, target, &[A, B]);
            let hits: Vec<&str> = hits.iter().map(|(id, _)| id.as_str()).collect();
            assert_eq!((found, number, &hits), (Some(*code), *index, &wanted), "{paste}");
        }
    }
}

/// `A` and `B` that stand alone become ids.
fn filled(text: &str) -> String {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    for (at, c) in chars.iter().enumerate() {
        let alone =
            at > 0 && !is_word(chars.get(at - 1).copied()) && !is_word(chars.get(at + 1).copied());
        let article = chars.get(at + 1) == Some(&' ')
            && at.checked_sub(2).is_none_or(|before| chars[before] == '.');
        match c {
            'A' if alone && !article => out.push_str(A),
            'B' if alone => out.push_str(B),
            c => out.push(*c),
        }
    }
    out
}

#[test]
fn ids_of_which_others_are_a_part_never_match() {
    let others: Vec<String> =
        (1..A.len()).map(|n| A[..n].to_owned()).chain([format!("{A}x"), format!("x{A}")]).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    for (_, text, ..) in CATALOGUE.iter().filter(|(.., ids)| ids.contains('A')) {
        for (name, paste) in pastes(&filled(text)) {
            let hits = matched(&paste, "anthropic", &others).2;
            assert!(hits.is_empty(), "{name}: {paste}: {hits:?}");
        }
    }
}

#[test]
fn the_recordings_own_provider_decides_between_two_readings() {
    let text = "messages.2: Did not find 1 tool_result block(s) at the beginning of this message";
    let paste = Paste::read(text);
    let own = |name: &str| {
        let matched =
            paste.forms[0].iter().find(|matched| paste.table(&matched[0]).name == name).unwrap();
        paste.text(&matched[0]).codes[0]
    };
    assert_eq!((own("anthropic"), own("bedrock")), (Code::UnansweredCall, Code::ResultNotNext));
}

#[test]
fn several_faults_in_one_text_are_all_taken() {
    let text = "2 validation errors detected: Value at 'messages.2.member.content.1.member.toolUse.name' failed to satisfy constraint: x; Value at 'messages.4.member.content.1.member.toolUse.toolUseId' failed to satisfy constraint: y";
    let paste = Paste::read(text);
    let all: Vec<(&str, Option<u32>)> = paste.forms[0][0]
        .iter()
        .map(|matched| (paste.text(matched).codes[0].as_str(), matched.index))
        .collect();
    assert_eq!(all, [("TD404", Some(2)), ("TD405", Some(4))]);
}

#[test]
fn the_number_may_stand_in_the_parameter() {
    let text = "Error code: 400 - {'error': {'message': \"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.\", 'type': 'invalid_request_error', 'param': 'messages.[27].role', 'code': None}}";
    assert_eq!(matched(text, "openai-chat", &[]).1, Some(27));
}

#[test]
fn any_text_can_be_read() {
    for text in [
        "",
        "messages",
        "[{",
        "\\",
        "\u{0}\u{1b}[",
        "messages.99999999999999999999: tool_use ids were found without tool_result blocks immediately after: ,,,",
    ] {
        assert!(matched(text, "anthropic", &[A]).2.is_empty());
    }
    assert_eq!(matched("hello", "anthropic", &[A]).0, None);
}

#[test]
fn what_is_searched_for_stands_in_the_recording() {
    let needles = |text: &str| Paste::read(text).needles();
    let twice = "messages.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: ";
    assert_eq!(needles(&format!("{twice}toolu_01A")), ["toolu_01A"]);
    assert_eq!(needles(&format!("{twice}toolu_019Mg…DRQe")), ["toolu_019Mg"]);
    assert_eq!(
        needles("Something failed for call_7 and functions.read:0."),
        ["call_7", "functions.read:0"]
    );
    assert_eq!(needles("messages.1: text content blocks must be non-empty"), [""; 0]);
    assert_eq!(needles("something broke"), [""; 0]);
    assert_eq!(needle("tooluse_ab.Eachtool_use").as_deref(), Some("tooluse_ab"));
    assert_eq!((needle("x_1"), needle("…T7p")), (None, None));
}
