//! Anthropic Messages API.

use super::{FirstMessage, Interface, MostImages, Needs, Target};
use crate::transcript::Code;
use crate::transcript::messages::Counting;

/// `POST /v1/messages`. Texts as quoted in public reports.
pub(super) const ANTHROPIC: Target = Target {
    name: "anthropic",
    title: "Anthropic",
    counting: Counting { system: false, merges_turns: true },
    longest_id: 64,
    shortest_id: 1,
    careful_id: 64,
    id_marks: Some("_-"),
    made_id: Some(made_id),
    reuse_accepted: false,
    results_anywhere: false,
    takes_final_answer: false,
    interface: Interface::Messages,
    needs: Needs {
        first_message: FirstMessage::User,
        // Claude Code 2.1.329 writes such requests for Opus 4.8, without a beta header.
        takes_system_after_user: Some(takes_system_after_user),
        errors_say_something: true,
        merges_sides: true,
        no_blank_texts: true,
        // https://platform.claude.com/docs/en/build-with-claude/vision
        most_images: Some(MostImages { small_window: 100, any_window: 600, has_small_window }),
        ..Needs::NONE
    },
    texts: &[
        (Code::LoneSurrogate, "The request body is not valid JSON: no low surrogate in string"),
        (Code::MalformedRecord, "messages.N.content: Input should be a valid list"),
        (
            Code::UnansweredCall,
            "messages.N: `tool_use` ids were found without `tool_result` blocks immediately after: ID. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        ),
        (
            Code::OrphanResult,
            "messages.N.content.M: unexpected `tool_use_id` found in `tool_result` blocks: ID. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
        ),
        (
            Code::TwoResults,
            "messages.N.content.M: each tool_use must have a single result. Found multiple `tool_result` blocks with id: ID",
        ),
        (
            Code::ConflictingResults,
            "messages.N.content.M: each tool_use must have a single result. Found multiple `tool_result` blocks with id: ID",
        ),
        (Code::ReusedCallId, "messages.N.content.M: `tool_use` ids must be unique"),
        (Code::MissingCallId, "messages.N.content.M.tool_result.tool_use_id: Field required"),
        (Code::RepeatedCall, "messages.N.content.M: `tool_use` ids must be unique"),
        (
            Code::ResultNotNext,
            "messages.N: `tool_use` ids were found without `tool_result` blocks immediately after: ID",
        ),
        (
            Code::SplitBatch,
            "messages.N: `tool_use` ids were found without `tool_result` blocks immediately after: ID",
        ),
        (
            Code::FailedTurnWithCalls,
            "messages.N.content.M: unexpected `tool_use_id` found in `tool_result` blocks: ID",
        ),
        (
            Code::ResultBeforeCall,
            "messages.N.content.M: unexpected `tool_use_id` found in `tool_result` blocks: ID",
        ),
        (
            Code::EndsWithAssistant,
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        ),
        (Code::BadStart, "messages: first message must use the \"user\" role"),
        (
            Code::StrandedRecord,
            "messages.N.content.M: unexpected `tool_use_id` found in `tool_result` blocks: ID",
        ),
        (
            Code::CompactionSplitPair,
            "messages.N.content.M: unexpected `tool_use_id` found in `tool_result` blocks: ID",
        ),
        (Code::EmptyContent, "messages: text content blocks must be non-empty"),
        (Code::MissingInput, "messages.N.content.M.tool_use.input: Field required"),
        (Code::BadInput, "messages.N.content.M.tool_use.input: Input should be a valid dictionary"),
        (
            Code::BadToolName,
            "messages.N.content.M.tool_use.name: String should have at most 200 characters",
        ),
        (
            Code::BadCallId,
            "messages.N.content.M.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        ),
        (
            Code::EmptyErrorResult,
            "messages.N.content.M.tool_result: content cannot be empty if `is_error` is true",
        ),
        (Code::Thinking, "messages.N.content.M.thinking.signature: Field required"),
        (Code::BadMedia, "Could not process image"),
        (Code::TooManyImages, "Too much media: 0 document pages + 103 images > 100"),
        (
            Code::ForeignBlock,
            "messages.N.content.M: Input tag 'X' found using 'type' does not match any of the expected tags: 'text', …",
        ),
    ],
    severity: &[],
    alone: &[
        Code::ReusedCallId,
        Code::EndsWithAssistant,
        Code::BadStart,
        Code::EmptyContent,
        Code::BadToolName,
        Code::BadCallId,
        Code::EmptyErrorResult,
        Code::Thinking,
        Code::TooManyImages,
    ],
    id_shapes: &["toolu_", "srvtoolu_"],
    models: &["claude", "anthropic"],
    models_of_others: &[],
};

/// Whether a model rejects requests that end with an assistant message. Claude from 4.6 on does.
pub(crate) fn refuses_prefill(model: &str) -> bool {
    version(model).is_some_and(|version| version >= (4, 6))
}

/// Whether a model accepts a system message after a user turn. Claude from Opus 4.8 on does.
fn takes_system_after_user(model: &str) -> bool {
    version(model).is_some_and(|version| version >= (4, 8))
}

/// The version in the name of a model: of `claude-opus-4-6`, 4 and 6.
fn version(model: &str) -> Option<(u32, u32)> {
    let (_, name) = model.split_once("claude-")?;
    let numbers = name.split(['-', '.', ':', '_', '@']).filter_map(|word| word.parse().ok());
    // The date follows the version: `claude-sonnet-4-20250514` is 4.0.
    let mut version = numbers.take_while(|number: &u32| *number < 1000);
    let major = version.next()?;
    Some((major, version.next().unwrap_or(0)))
}

/// Whether a model has a context window of 200,000 tokens and none of a million.
fn has_small_window(model: &str) -> bool {
    const SMALL: &[&str] = &[
        "claude-2",
        "claude-3",
        "claude-haiku-4",
        "claude-opus-4-1",
        "claude-opus-4-2025",
        "claude-opus-4-5",
    ];
    SMALL.iter().any(|name| model.contains(name))
}

/// A number after a hyphen makes an ID distinct: Claude Code takes `ID_2` for `ID`, if that is there too, and answers the call in
/// place of its result (run: 2.1.332).
fn made_id(old: &str, number: u64) -> String {
    let mut id = ANTHROPIC.fit_id(old);
    if number < 2 {
        return id;
    }
    let end = format!("-{number}");
    id.truncate(ANTHROPIC.longest_id.saturating_sub(end.len()));
    id + &end
}

#[cfg(test)]
mod tests {
    use super::{made_id, refuses_prefill, takes_system_after_user};

    #[test]
    fn newer_models_take_no_prefill() {
        for model in
            ["eu.anthropic.claude-sonnet-4-6", "claude-opus-4.6", "anthropic.claude-opus-5-v1:0"]
        {
            assert!(refuses_prefill(model), "{model}");
        }
        for model in [
            "anthropic.claude-sonnet-4-20250514-v1:0",
            "claude-haiku-4-5",
            "amazon.nova-pro-v1:0",
            "claude-3-7-sonnet",
        ] {
            assert!(!refuses_prefill(model), "{model}");
        }
    }

    #[test]
    fn numbers_follow_a_hyphen() {
        assert_eq!(
            (made_id("functions.ls:0", 1), made_id("a", 2)),
            ("functions_ls_0".into(), "a-2".into())
        );
        assert_eq!(made_id(&"q".repeat(80), 12).len(), 64);
    }

    #[test]
    fn system_messages_are_taken_from_opus_4_8_on() {
        for model in ["claude-opus-4-8", "anthropic/claude-opus-4.8", "claude-opus-5"] {
            assert!(takes_system_after_user(model), "{model}");
        }
        for model in ["claude-opus-4-7", "claude-3-7-sonnet", "claude-opus-4-20250514"] {
            assert!(!takes_system_after_user(model), "{model}");
        }
    }
}
