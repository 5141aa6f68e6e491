//! OpenAI Chat Completions, and servers with the same dialect.

use sha2::{Digest, Sha256};

use super::{Arguments, Interface, Needs, Target, WantsThinking};
use crate::transcript::messages::Counting;
use crate::transcript::{Code, Severity};

/// `POST …/chat/completions`. Texts as quoted in public reports.
pub(super) const OPENAI_CHAT: Target = Target {
    name: "openai-chat",
    title: "OpenAI Chat Completions",
    counting: Counting { system: true, merges_turns: false },
    longest_id: 64,
    shortest_id: 1,
    careful_id: 40,
    id_marks: None,
    made_id: Some(made_id),
    reuse_accepted: true,
    results_anywhere: false,
    takes_final_answer: true,
    interface: Interface::Chat,
    needs: Needs {
        arguments: Arguments::Text,
        parses_arguments: &["qwen", "kimi", "moonshot", "vllm"],
        images_are_urls: true,
        // A call without a type: langchain-ai/langchain-azure #35. A name with a space: langchain-ai/langchain #35054.
        checks_members: true,
        wants_thinking: WANTS_THINKING,
        ..Needs::NONE
    },
    texts: &[
        (Code::LoneSurrogate, "no low surrogate in string"),
        (
            Code::UnansweredCall,
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ID",
        ),
        (
            Code::OrphanResult,
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        ),
        (
            Code::TwoResults,
            "Invalid parameter: Duplicate value for 'tool_call_id' of 'ID', in messages[N] and messages[N].",
        ),
        (
            Code::MissingCallId,
            "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
        ),
        (
            Code::LinkMismatch,
            "Invalid parameter: 'tool_call_id' of 'ID' not found in 'tool_calls' of previous message.",
        ),
        (
            Code::ResultNotNext,
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
        ),
        (
            Code::SplitBatch,
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
        ),
        (
            Code::ResultBeforeCall,
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        ),
        (
            Code::BadInput,
            "Unterminated string starting at: line 1 column N (char N) (servers that parse the arguments)",
        ),
        (
            Code::BadCallId,
            "Invalid 'messages[N].tool_calls[0].id': string too long. Expected a string with maximum length 64",
        ),
        (
            Code::BadMedia,
            "Invalid 'messages[N].content[M].image_url.url'. Expected a base64-encoded data URL with an image MIME type",
        ),
    ],
    severity: &[(Code::BadInput, Severity::Warning)],
    alone: &[Code::BadToolName, Code::BadCallId, Code::BadMedia],
    id_shapes: &["call_", "chatcmpl-tool-"],
    models: &["gpt", "openai-completions", "openai/", "litellm_proxy/openai"],
    models_of_others: &["kimi", "moonshot", "deepseek", "qwen"],
};

/// DeepSeek: "Between two user messages, if the model performed a tool call, the intermediate assistant's reasoning_content must
/// participate" (api-docs.deepseek.com/guides/thinking_mode). Kimi: "reasoning_content is missing in assistant tool call message"
/// (continuedev/continue pull request 11806). MiMo: NousResearch/hermes-agent issue 24443.
const WANTS_THINKING: &[WantsThinking] = &[
    WantsThinking { model: "deepseek", whole_turns: true },
    WantsThinking { model: "kimi", whole_turns: false },
    WantsThinking { model: "moonshot", whole_turns: false },
    WantsThinking { model: "mimo", whole_turns: false },
];

/// Keeps an ID that fits, with the number appended. Shortens a longer one to 55 characters and its
/// hash.
fn made_id(old: &str, number: u64) -> String {
    let old = old.trim();
    let (id, hashed) = if number < 2 {
        (old.to_owned(), old.to_owned())
    } else {
        (format!("{old}_{number}"), format!("{old}#{number}"))
    };
    if id.len() <= OPENAI_CHAT.longest_id {
        return id;
    }
    let mut start: String = old.chars().take(55).collect();
    while start.len() > 55 {
        start.pop();
    }
    let hash: String =
        Sha256::digest(hashed).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("{start}_{hash}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_ids_keep_their_start() {
        let old = format!("call_{}", "q".repeat(70));
        let id = made_id(&old, 1);
        assert!(id.len() == 64 && id.starts_with(&old[..55]) && OPENAI_CHAT.takes_id(&id));
        assert_ne!(made_id(&old, 2), id);
        assert_eq!((made_id("a", 1), made_id("a", 2)), ("a".to_owned(), "a_2".to_owned()));
        assert!(made_id(&"é".repeat(40), 1).len() <= 64);
    }
}
