//! Gemini `generateContent`: the Gemini API and Vertex AI.

use super::{FirstMessage, Interface, Needs, Roles, Target, ToolNames};
use crate::transcript::Code;
use crate::transcript::messages::Counting;

/// `…:generateContent` and `:streamGenerateContent`. Texts as quoted in public reports.
pub(super) const GEMINI: Target = Target {
    name: "gemini",
    title: "Gemini",
    counting: Counting { system: false, merges_turns: false },
    longest_id: usize::MAX,
    shortest_id: 1,
    careful_id: usize::MAX,
    id_marks: None,
    made_id: None,
    reuse_accepted: true,
    results_anywhere: false,
    takes_final_answer: false,
    interface: Interface::Contents,
    needs: Needs {
        tool_names: ToolNames { marks: "_-.:", longest: 128 },
        first_message: FirstMessage::NoCalls,
        signs_calls: Some(wants_signatures),
        merges_sides: true,
        blocks_have_data: true,
        roles: Roles::CallsAfterUser,
        ..Needs::NONE
    },
    texts: &[
        (
            Code::MalformedRecord,
            "* GenerateContentRequest.contents[N].parts[M].function_response.name: Name cannot be empty.",
        ),
        (Code::UnansweredCall, NUMBER),
        (Code::OrphanResult, RESPONSE),
        (Code::TwoResults, NUMBER),
        (Code::ConflictingResults, NUMBER),
        (Code::RepeatedCall, NUMBER),
        (Code::ResultNotNext, RESPONSE),
        (Code::SplitBatch, NUMBER),
        (Code::ResultBeforeCall, RESPONSE),
        (Code::EndsWithAssistant, "Requests ending with a model turn are not supported."),
        (Code::BadStart, CALL),
        (Code::RoleOrder, CALL),
        (
            Code::EmptyContent,
            "* GenerateContentRequest.contents[N].parts: contents.parts must not be empty.",
        ),
        (
            Code::BadInput,
            "Invalid value at 'contents[N].parts[M].function_call.args' (type.googleapis.com/google.protobuf.Struct)",
        ),
        (Code::BadToolName, "[FIELD_INVALID] Invalid function name"),
        (
            Code::Thinking,
            "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly",
        ),
        (
            Code::ForeignBlock,
            "Invalid JSON payload received. Unknown name \"…\" at 'contents[N].parts[M]': Cannot find field.",
        ),
    ],
    severity: &[],
    alone: &[],
    id_shapes: &[],
    models: &["gemini", "google_genai", "google_vertexai", "vertexai"],
    models_of_others: &[],
};

const NUMBER: &str = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
const RESPONSE: &str =
    "Please ensure that function response turn comes immediately after a function call turn.";
const CALL: &str = "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";

/// Whether a model requires the thought signature on the first call of each step.
fn wants_signatures(model: &str) -> bool {
    let version =
        model.rsplit_once("gemini-").map(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()));
    version
        .and_then(|mut numbers| numbers.next()?.parse::<u32>().ok())
        .is_some_and(|major| major >= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_required_from_gemini_3_on() {
        for model in ["gemini-3-pro-preview", "models/gemini-3.1-flash", "google/gemini-10"] {
            assert!(wants_signatures(model), "{model}");
        }
        for model in ["gemini-2.5-pro", "gemini-pro", "gemini", "claude-3", ""] {
            assert!(!wants_signatures(model), "{model}");
        }
    }
}
