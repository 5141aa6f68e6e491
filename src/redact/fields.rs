//! Which members of a record are structure. This lists what stays, not what is removed: every other
//! member is text.

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::formats::{Format, StructuralFields};

/// The kind of a member, by its key.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// Its key stays, and its value if that has the shape of an ID, a time, an identifier or a
    /// number.
    Structure,
    /// As [`Field::Structure`] in an object that describes a call, else as [`Field::Known`].
    Name,
    /// Its key stays, and its content is redacted recursively.
    Known,
    /// As [`Field::Known`]; a string may hold a list of records as JSON text.
    Records,
    /// Its key stays; its content has no structure that a host reads.
    Free,
    /// As [`Field::Free`]; a string contains JSON.
    Arguments,
    /// As [`Field::Arguments`], but a list contains records.
    Input,
    /// Its key stays; a string contains the bytes of an image or a document.
    Media,
    /// A key of the user, or of an unknown host.
    Foreign,
}

/// Ids of records, calls and conversations.
const IDS: &str = "id uuid parentUuid parent_id parentId logicalParentUuid leafUuid leaf_event_id tool_use_id \
    tool_call_id toolUseId toolUseID toolCallId call_id callId item_id response_id message_id messageId msg_id \
    session_id sessionId thread_id threadId conversation_id turn_id turnId run_id task_id agent_id agentId action_id \
    llm_response_id previous_response_id requestId request_id parent_tool_use_id sourceToolAssistantUUID \
    approval_request_id firstKeptEntryId targetId fromId appendParentId headUuid anchorUuid tailUuid \
    forgotten_event_ids forgotten_events_start_id forgotten_events_end_id checkpoint_id parent_checkpoint_id \
    checkpoint_ns tool_id error_id custom_id instance_id trajectory_id traj_id";

/// Identifiers, times, counts.
const WORDS: &str = "type role kind subtype status stop_reason stopReason finish_reason finishReason model modelId \
    modelVersion model_provider provider api version cli_version anthropic_version ls_provider ls_model_name timestamp \
    ts created_at updated_at createdAt updatedAt startTime lastUpdated ordinal seq index is_error isError success \
    media_type mimeType mime_type format encoding phase mode origin originator userType entrypoint level operation \
    execution_status schema_version protocol_version history_mode trajectory_format lc tool_name toolName \
    function_name customType isSidechain isApiErrorMessage summary_offset firstKeptEntryIndex cutoff_index \
    server_name source record_type schemaType object cut keeps replaces";

/// Members that contain other members, or text.
const KNOWN: &str = "message messages content text thinking signature parts functionCall functionResponse \
    function_response function tool_calls toolCalls tool_call tool_call_chunks invalid_tool_calls toolCall toolUse \
    toolResult tool_use tool_result tool_results function_call payload request body response_metadata contents steps \
    events event history items reasoning reasoning_content reasoningContent reasoningText \
    thought thoughts thoughtSignature thought_signature thinkingSignature redacted_thinking redactedContent \
    encrypted_content encryptedContent refusal summary system prompt completion chosen rejected chosen_messages rejected_messages choices values channel_values params inputs projectHash result results custom \
    checkpoint config configurable kwargs additional_kwargs llm_message llm_messages llm_response llm_interactions \
    agent_steps input_messages observation action action_type error detail details outcome caller citations cache_control cachePoint \
    tools thinking_blocks usage metadata compactMetadata preservedSegment preservedMessages attachment \
    replacement_history info state execution artifact generations system_prompt instructions output outputs item \
    inputBodyJson outputBodyJson dynamic_context context extras snapshot header session_meta session \
    conversation_manager_state condensation agents server writes request_body requestBody responseBody output_body \
    input_body lastPrompt customTitle title agentName cwd $set recall value author name_ display errorMessage last \
    apiError task toolUseResult cache logprobs annotations search_result searchResult guardContent \
    executable_code executableCode code_execution_result codeExecutionResult video_metadata videoMetadata \
    media_resolution mediaResolution stop_sequence critic_result toolAddition toolRemoval toolRequest toolResponse \
    rejection_reason rejection_source clientHistory extended_content hookMessage fill final_thought headers \
    contextManagement images image document audio video file inlineData inline_data fileData file_data_ image_url \
    input_image location blob container_upload branchSummary usage_metadata tool_call_metadata model_response \
    response excludeFromContext openclawSyntheticMissingToolResult synthetic side state_ json number";

/// Lists of records, as lists or as text.
const RECORDS: &str = "messages conversation conversations trajectory traj stringValue gen_ai.input.messages \
    gen_ai.output.messages";

/// Arguments and other JSON of tools.
const ARGUMENTS: &str = "arguments args parameters input_schema inputSchema partialJson \
    structuredContent";

/// Bytes of images and documents, and their addresses.
const MEDIA: &str = "data bytes url uri file_data image_base64";

/// Whether a member contains an ID, by the end of its key.
fn is_id_key(key: &str) -> bool {
    let ends = ["id", "Id", "ID", "uuid", "Uuid", "UUID", "ids", "Ids"]
        .iter()
        .any(|end| key.ends_with(end));
    (ends && key != "modelId") || key == "$rewindTo"
}

/// Whether a member shows that its object describes a call or a result.
pub(crate) fn is_of_calls(key: &str) -> bool {
    matches!(
        key,
        "arguments"
            | "input"
            | "args"
            | "parameters"
            | "input_schema"
            | "inputSchema"
            | "response"
            | "tool_call_id"
            | "tool_use_id"
            | "toolUseId"
            | "toolCallId"
            | "call_id"
            | "callId"
    )
}

/// Whether the value of a member describes a call.
fn holds_call(key: &str) -> bool {
    [
        "function",
        "function_call",
        "functionCall",
        "functionResponse",
        "toolUse",
        "toolCall",
        "custom",
    ]
    .contains(&key)
}

/// What a key says about its member.
#[derive(Copy, Clone, Debug)]
pub(crate) struct MemberRole {
    pub field: Field,
    /// Whether it contains an ID.
    pub is_id: bool,
    /// Whether its value describes a call.
    pub is_call: bool,
}

impl MemberRole {
    /// A member whose key cannot be read.
    pub(crate) const UNNAMED: MemberRole = MemberRole {
        field: Field::Foreign,
        is_id: false,
        is_call: false,
    };

    fn of(key: &str, field: Field) -> MemberRole {
        MemberRole {
            field,
            is_id: is_id_key(key),
            is_call: holds_call(key),
        }
    }
}

static SHARED: LazyLock<HashMap<&'static str, Field>> = LazyLock::new(|| {
    let mut table = HashMap::new();
    for (words, field) in [
        (KNOWN, Field::Known),
        (RECORDS, Field::Records),
        (ARGUMENTS, Field::Arguments),
        (MEDIA, Field::Media),
        (WORDS, Field::Structure),
        (IDS, Field::Structure),
    ] {
        table.extend(words.split_ascii_whitespace().map(|word| (word, field)));
    }
    table.insert("name", Field::Name);
    table.insert("input", Field::Input);
    table.insert("json_data", Field::Input);
    table
});

/// The members of one format.
#[derive(Debug)]
pub(crate) struct FormatMembers {
    /// By bytes: that a key is UTF-8, the scanner knows.
    known: HashMap<&'static [u8], MemberRole>,
}

impl FormatMembers {
    pub(crate) fn of(format: &Format) -> FormatMembers {
        let StructuralFields { structure, known } = format.traits.fields;
        let known = known
            .split_ascii_whitespace()
            .map(|word| (word, Field::Known));
        let structure = structure
            .split_ascii_whitespace()
            .map(|word| (word, Field::Structure));
        let shared = SHARED.iter().map(|(word, field)| (*word, *field));
        let all = shared.chain(known).chain(structure);
        FormatMembers {
            known: all
                .map(|(word, field)| (word.as_bytes(), MemberRole::of(word, field)))
                .collect(),
        }
    }

    /// The kind of a member with this key.
    pub(crate) fn member(&self, key: &[u8]) -> MemberRole {
        let known = self.known.get(key).copied();
        known.unwrap_or_else(|| MemberRole::of(&String::from_utf8_lossy(key), Field::Foreign))
    }
}
