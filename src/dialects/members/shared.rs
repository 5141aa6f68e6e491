//! Members that most formats share, and those that gateways add.

use std::sync::LazyLock;

use hashbrown::HashMap;

use super::{Holding, Words};

/// Members of most formats. The last row that has a word counts.
const SHARED: &[Words] = &[
    (
        Holding::Details,
        "signature response_metadata projectHash checkpoint config configurable kwargs action_type \
            cache_control cachePoint usage thoughtSignature thought_signature thinkingSignature metadata compactMetadata preservedSegment preservedMessages \
            info state execution dynamic_context context extras snapshot header session_meta session \
            conversation_manager_state agents server writes agentName cwd $set author name_ display task cache \
            video_metadata videoMetadata media_resolution mediaResolution stop_sequence rejection_source headers \
            contextManagement usage_metadata tool_call_metadata excludeFromContext \
            openclawSyntheticMissingToolResult number gitBranch date slug time updated created tokens usageMetadata \
            cacheControl",
    ),
    (
        Holding::Text,
        "message messages content text thinking parts contents reasoningContent reasoningText thought \
            thoughts redacted_thinking redactedContent \
            encrypted_content encryptedContent summary system prompt completion chosen rejected chosen_messages \
            rejected_messages params inputs error detail details outcome attachment system_prompt instructions \
            output outputs item body payload request response request_body requestBody responseBody output_body \
            input_body inputBodyJson outputBodyJson lastPrompt last value state_ errorMessage apiError \
            search_result searchResult guardContent executable_code executableCode code_execution_result \
            codeExecutionResult rejection_reason extended_content hookMessage fill final_thought image image_url \
            input_image document video file inlineData inline_data fileData file_data_ branchSummary \
            model_response llm_message llm_messages llm_response input_messages history items steps events event \
            replacement_history generations condensation recall clientHistory toolAddition toolRemoval synthetic \
            side container_upload json location blob llm_interactions agent_steps choices values channel_values \
            title customTitle",
    ),
    (
        Holding::Call,
        "functionCall function tool_calls toolCalls tool_call tool_call_chunks invalid_tool_calls toolCall \
            toolUse tool_use function_call toolRequest custom action toolInvocations toolInvocation tool_uses tools",
    ),
    (
        Holding::Result,
        "functionResponse function_response toolResult tool_result tool_results toolResponse result results \
            observation toolUseResult critic_result run tool_call_result",
    ),
    (
        Holding::Records,
        "messages conversation conversations trajectory traj stringValue gen_ai.input.messages \
            gen_ai.output.messages",
    ),
    (
        Holding::Arguments,
        "arguments args parameters input_schema inputSchema partialJson structuredContent",
    ),
    (Holding::Media, "data bytes url uri file_data image_base64"),
    (
        Holding::Envelope,
        "type role kind subtype status stop_reason stopReason finish_reason finishReason model modelId \
            modelVersion model_provider provider api version cli_version anthropic_version ls_provider \
            ls_model_name timestamp ts created_at updated_at createdAt updatedAt startTime lastUpdated ordinal \
            seq index is_error isError success media_type mimeType mime_type format encoding phase mode origin \
            originator userType entrypoint mediaType mime level operation execution_status schema_version protocol_version \
            history_mode trajectory_format lc tool_name toolName function_name customType isSidechain \
            isApiErrorMessage summary_offset firstKeptEntryIndex cutoff_index server_name source record_type \
            schemaType object cut keeps replaces",
    ),
    (
        Holding::Id,
        "id uuid parentUuid parent_id parentId logicalParentUuid leafUuid leaf_event_id tool_use_id \
            tool_call_id toolUseId toolUseID toolCallId call_id callId item_id response_id message_id messageId \
            msg_id session_id sessionId thread_id threadId conversation_id turn_id turnId run_id task_id \
            agent_id agentId action_id llm_response_id previous_response_id requestId request_id \
            parent_tool_use_id sourceToolAssistantUUID approval_request_id firstKeptEntryId targetId fromId \
            appendParentId headUuid anchorUuid tailUuid forgotten_event_ids forgotten_events_start_id \
            forgotten_events_end_id checkpoint_id parent_checkpoint_id checkpoint_ns tool_id error_id custom_id \
            instance_id trajectory_id traj_id itemId",
    ),
    (Holding::Name, "name filename"),
    (Holding::Input, "input json_data"),
];

/// What gateways, servers and libraries add to messages and their parts, each with who writes it.
const EXTRAS: &[(&str, &str)] = &[
    ("OpenAI", "refusal annotations audio logprobs"),
    ("Anthropic", "citations caller container context_management output_config stop_details"),
    ("AI SDK", "providerMetadata providerOptions openai reasoningEncryptedContent"),
    ("DeepSeek, vLLM, Qwen", "reasoning_content reasoning"),
    ("OpenRouter", "reasoning_details images"),
    ("LiteLLM", "provider_specific_fields thinking_blocks function_call"),
    ("Perplexity", "sources search_results"),
    ("LangChain", "additional_kwargs response_metadata usage_metadata artifact example"),
    ("Ollama", "thinking"),
    ("tau2-bench", "requestor turn_idx cost usage raw_data"),
    ("Strands", "_metadata"),
    ("Open WebUI", "codeInterpreter statusHistory"),
    ("applications", "finish_reason created_at usage metadata extra extras meta"),
];

/// What each of them holds.
pub(super) static TABLE: LazyLock<HashMap<&'static [u8], Holding>> =
    LazyLock::new(|| rows(&[]).map(|(word, holds)| (word.as_bytes(), holds)).collect());

/// The words of all rows, with those of a format at the end.
pub(super) fn rows(own: &'static [Words]) -> impl Iterator<Item = (&'static str, Holding)> {
    let extras = EXTRAS.iter().map(|(_, words)| (Holding::Extra, *words));
    let rows = extras.chain(SHARED.iter().copied()).chain(own.iter().copied());
    rows.flat_map(|(holds, words)| words.split_ascii_whitespace().map(move |word| (word, holds)))
}
