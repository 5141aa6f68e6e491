//! Mistral's chat completions, and servers that use its tokenizer package.

use sha2::{Digest, Sha256};

use super::{Arguments, Interface, Needs, Target};
use crate::transcript::messages::Counting;
use crate::transcript::{Code, Severity};

/// `POST /v1/chat/completions`. Texts as quoted in public reports and in mistral-common.
pub(super) const MISTRAL: Target = Target {
    name: "mistral",
    title: "Mistral",
    counting: Counting { system: true, merges_turns: false },
    longest_id: 9,
    shortest_id: 9,
    careful_id: 9,
    id_marks: Some(""),
    made_id: Some(made_id),
    reuse_accepted: true,
    results_anywhere: false,
    takes_final_answer: false,
    interface: Interface::MistralChat,
    needs: Needs {
        arguments: Arguments::ObjectOrText,
        answers_say_something: true,
        results_name_tools: true,
        strict_order: true,
        ..Needs::NONE
    },
    texts: &[
        (Code::LoneSurrogate, "no low surrogate in string"),
        (Code::MalformedRecord, "Unexpected role 'developer'"),
        (Code::UnansweredCall, "Not the same number of function calls and responses"),
        (Code::OrphanResult, "Unexpected tool call id ID in tool results"),
        (Code::TwoResults, "Duplicate tool call id ID in tool results"),
        (Code::ConflictingResults, "Duplicate tool call id ID in tool results"),
        (Code::ReusedCallId, "Duplicate tool call id ID in assistant message"),
        (Code::MissingCallId, "Tool call id has to be defined."),
        (Code::LinkMismatch, "Unexpected tool call id ID in tool results"),
        (Code::RepeatedCall, "Duplicate tool call id ID in assistant message"),
        (Code::ResultNotNext, "Unexpected role 'tool' after role 'user'"),
        (Code::SplitBatch, "Not the same number of function calls and responses"),
        (Code::ResultBeforeCall, "Unexpected role 'tool' after role 'user'"),
        (
            Code::EndsWithAssistant,
            "Expected last role User or Tool (or Assistant with prefix) for serving but got assistant",
        ),
        (Code::RoleOrder, "Unexpected role 'user' after role 'tool'"),
        (Code::CompactionSplitPair, "Not the same number of function calls and responses"),
        (
            Code::EmptyContent,
            "Assistant message must have either content or tool_calls, but not none.",
        ),
        (
            Code::BadToolName,
            "Function name was NAME but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.",
        ),
        (Code::BadCallId, "Tool call id was ID but must be a-z, A-Z, 0-9, with a length of 9."),
    ],
    severity: &[(Code::BadInput, Severity::Fatal)],
    alone: &[],
    id_shapes: &[],
    models: &["mistral", "mixtral", "ministral", "codestral", "devstral", "magistral", "pixtral"],
    models_of_others: &[],
};

/// Mistral with IDs of any shape, because the IDs of all other providers violate its pattern.
pub(super) const WITH_ANY_IDS: Target = Target {
    longest_id: 64,
    shortest_id: 1,
    careful_id: 64,
    id_marks: None,
    made_id: None,
    ..MISTRAL
};

/// Length of an ID in characters.
const LENGTH: usize = 9;

/// The hash of the old ID as a number, its first nine digits in base 62.
fn made_id(old: &str, number: u64) -> String {
    let mut hasher = Sha256::new();
    hasher.update(old);
    if number > 1 {
        hasher.update(format!("#{number}"));
    }
    let digits = base_62(hasher.finalize().into());
    digits.iter().take(LENGTH).copied().map(char::from).collect()
}

/// The base-62 digits of a number, most significant first.
fn base_62(mut number: [u8; 32]) -> Vec<u8> {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut digits = Vec::new();
    while number.iter().any(|byte| *byte != 0) {
        let mut rest = 0_u32;
        for byte in &mut number {
            let part = rest << 8 | u32::from(*byte);
            *byte = u8::try_from(part / 62).unwrap_or(u8::MAX);
            rest = part % 62;
        }
        digits.extend(DIGITS.get(rest as usize));
    }
    digits.reverse();
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_ids_are_the_hash_in_base_62() {
        let mut number = [0; 32];
        number[30] = 1;
        assert_eq!(base_62(number), b"48");
        let id = made_id("call_abc", 1);
        assert_eq!(id.len(), LENGTH);
        assert!(
            MISTRAL.takes_id(&id) && !MISTRAL.takes_id("call_abc_1") && !MISTRAL.takes_id("short")
        );
        assert_eq!(id, "uCUSbrUmq");
        assert_ne!(id, made_id("call_abc", 2));
    }
}
