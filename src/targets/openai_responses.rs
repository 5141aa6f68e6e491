//! OpenAI Responses, and servers with the same dialect.

use sha2::{Digest, Sha256};

use super::{Arguments, Interface, Needs, Target};
use crate::transcript::messages::Counting;
use crate::transcript::{Code, Severity};

/// Longest tool-call ID, in bytes.
const LONGEST: usize = 64;

/// `POST …/responses` of OpenAI and Azure. Texts as quoted in public reports.
pub(super) const OPENAI_RESPONSES: Target = Target {
    name: "openai-responses",
    title: "OpenAI Responses",
    counting: Counting { system: true, merges_turns: false },
    shortest_id: 1,
    longest_id: LONGEST,
    careful_id: LONGEST,
    id_marks: None,
    made_id: Some(made_id),
    reuse_accepted: true,
    results_anywhere: true,
    takes_final_answer: true,
    interface: Interface::Responses,
    needs: Needs {
        items: true,
        arguments: Arguments::Text,
        images_are_urls: true,
        hides_reasoning: Some(is_own_model),
        ..Needs::NONE
    },
    texts: &[
        (Code::LoneSurrogate, "no low surrogate in string"),
        (
            Code::RepeatedRecord,
            "Duplicate item found with id ID. Remove duplicate items from your input and try again.",
        ),
        (Code::MalformedRecord, "Missing required parameter: 'input[N].output'."),
        (Code::UnansweredCall, "No tool output found for function call ID."),
        (Code::OrphanResult, "No tool call found for function call output with call_id ID."),
        (Code::MissingCallId, "Missing required parameter: 'input[N].call_id'."),
        (Code::LinkMismatch, "No tool output found for custom tool call ID."),
        (
            Code::RepeatedCall,
            "Duplicate item found with id ID. Remove duplicate items from your input and try again.",
        ),
        (Code::ResultNotNext, "No tool output found for tool call ID (DeepSeek)"),
        (Code::FailedTurnWithCalls, "No tool call found for function call output with call_id ID."),
        (Code::ResultBeforeCall, "No tool call found for function call output with call_id ID."),
        (Code::CompactionSplitPair, "No tool call found for function call output with call_id ID."),
        (
            Code::DuplicateRecordId,
            "Duplicate item found with id ID. Remove duplicate items from your input and try again.",
        ),
        (Code::MissingInput, "Missing required parameter: 'input[N].arguments'."),
        (
            Code::BadInput,
            "Expecting ',' delimiter: line 1 column N (char N) (servers that parse the arguments)",
        ),
        (
            Code::BadToolName,
            "Invalid 'input[N].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        ),
        (
            Code::BadCallId,
            "Invalid 'input[N].call_id': string too long. Expected a string with maximum length 64, but got a string with length N instead.",
        ),
        (
            Code::BadMedia,
            "Invalid 'input[N].content[M].image_url'. Expected a base64-encoded data URL with an image MIME type",
        ),
        (
            Code::ReasoningItem,
            "Item 'ID' of type 'reasoning' was provided without its required following item.",
        ),
        (
            Code::ServerItem,
            "Item with id 'ID' not found. Items are not persisted when `store` is set to false.",
        ),
        (
            Code::ForeignBlock,
            "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
        ),
    ],
    severity: &[(Code::BadInput, Severity::Warning), (Code::EmptyErrorResult, Severity::Note)],
    alone: &[],
    id_shapes: &[],
    models: &["openai-responses", "codex-responses"],
    models_of_others: &[],
};

/// Whether OpenAI serves a model, or is the provider, of this name. It takes no readable reasoning: `Invalid
/// 'input[39].content': array too long. Expected an array with maximum length 0` (musistudio/claude-code-router issue 1783,
/// router-for-me/CLIProxyAPI issue 5825). Servers of open models record it, and want it back.
fn is_own_model(name: &str) -> bool {
    const OWN: &[&str] = &["gpt-", "o1", "o3", "o4", "codex", "openai", "azure"];
    let name = name.to_ascii_lowercase();
    let name = name.rsplit('/').next().unwrap_or_default();
    OWN.iter().any(|start| name.starts_with(start)) && !name.starts_with("gpt-oss")
}

/// Keeps an ID that fits. Shortens a longer one to its start and a hash.
fn made_id(old: &str, number: u64) -> String {
    const KEPT: usize = 55;
    let id = if number < 2 { old.trim().to_owned() } else { format!("{}_{number}", old.trim()) };
    if id.len() <= LONGEST {
        return id;
    }
    let hash = Sha256::digest(id.as_bytes());
    let hex: String = hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let mut kept = String::new();
    kept.extend(id.chars().take_while({
        let mut length = 0;
        move |c| {
            length += c.len_utf8();
            length <= KEPT
        }
    }));
    format!("{kept}_{hex}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_ids_keep_their_start() {
        let old = format!("call_{}", "p".repeat(70));
        let id = made_id(&old, 1);
        assert!(
            id.len() == LONGEST && id.starts_with(&old[..55]) && OPENAI_RESPONSES.takes_id(&id)
        );
        assert_eq!(id, made_id(&old, 1));
        assert_ne!(id, made_id(&old, 2));
        assert_eq!(made_id("call_1", 3), "call_1_3");
        assert!(made_id(&"é".repeat(60), 1).len() <= LONGEST);
    }
}
