//! Amazon Bedrock, the Converse API. InvokeModel with a Claude body follows the rules of the
//! Anthropic API.

use crate::transcript::Code;
use crate::transcript::messages::Counting;
use sha2::{Digest, Sha256};

use super::{Documents, FirstMessage, Interface, Needs, Roles, Target};

/// `Converse` and `ConverseStream` of `bedrock-runtime`. Texts as quoted in public reports.
pub(super) const BEDROCK: Target = Target {
    name: "bedrock",
    title: "Amazon Bedrock Converse",
    counting: Counting { system: false, merges_turns: false },
    longest_id: 64,
    shortest_id: 1,
    careful_id: 64,
    id_marks: Some("_.:-"),
    made_id: Some(made_id),
    reuse_accepted: true,
    results_anywhere: false,
    takes_final_answer: false,
    interface: Interface::Converse,
    needs: Needs {
        first_message: FirstMessage::User,
        errors_say_something: true,
        merges_sides: true,
        no_blank_texts: true,
        roles: Roles::Alternate,
        // Names: AWS, API reference of `DocumentBlock`; `_` is accepted and a wide space is not: vercel/ai #20366 and
        // aws-samples/generative-ai-use-cases #1671, tried on the service. Number: AWS, Bedrock user guide, "API restrictions".
        documents: Some(Documents { marks: " -()[]_", longest: 200, most: 5 }),
        ..Needs::NONE
    },
    texts: &[
        (Code::LoneSurrogate, "no low surrogate in string"),
        (
            Code::MalformedRecord,
            "The format of the value at messages.N.content.M.toolResult.content.K.json is invalid. Provide a json object for the field and try again.",
        ),
        (
            Code::UnansweredCall,
            "Expected toolResult blocks at messages.N.content for the following Ids: ID",
        ),
        (
            Code::OrphanResult,
            "The number of toolResult blocks at messages.N.content exceeds the number of toolUse blocks of previous turn.",
        ),
        (Code::TwoResults, "The toolResult blocks at messages.N.content contain duplicate Ids: ID"),
        (
            Code::ConflictingResults,
            "The toolResult blocks at messages.N.content contain duplicate Ids: ID",
        ),
        (Code::ReusedCallId, "The toolUse blocks at messages.N.content contain duplicate Ids: ID"),
        (Code::RepeatedCall, "The toolUse blocks at messages.N.content contain duplicate Ids: ID"),
        (
            Code::ResultNotNext,
            "messages.N: Did not find K tool_result block(s) at the beginning of this message. Messages following tool_use blocks must begin with a matching number of tool_result blocks.",
        ),
        (
            Code::SplitBatch,
            "Expected toolResult blocks at messages.N.content for the following Ids: ID",
        ),
        (
            Code::FailedTurnWithCalls,
            "The number of toolResult blocks at messages.N.content exceeds the number of toolUse blocks of previous turn.",
        ),
        (
            Code::ResultBeforeCall,
            "Expected toolResult blocks at messages.N.content for the following Ids: ID",
        ),
        (
            Code::EndsWithAssistant,
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        ),
        (
            Code::BadStart,
            "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
        ),
        (
            Code::RoleOrder,
            "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
        ),
        (
            Code::CompactionSplitPair,
            "The number of toolResult blocks at messages.N.content exceeds the number of toolUse blocks of previous turn.",
        ),
        (
            Code::EmptyContent,
            "The text field in the ContentBlock object at messages.N.content.M is blank. Add text to the text field, and try again.",
        ),
        (
            Code::MissingInput,
            "Missing required parameter in messages[N].content[M].toolUse: \"input\"",
        ),
        (
            Code::BadInput,
            "The format of the value at messages.N.content.M.toolUse.input is invalid. Provide a json object for the field and try again.",
        ),
        (
            Code::BadToolName,
            "Value at 'messages.N.member.content.M.member.toolUse.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
        ),
        (
            Code::BadCallId,
            "Value at 'messages.N.member.content.M.member.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+",
        ),
        (
            Code::EmptyErrorResult,
            "The content field at messages.N.content.M.toolResult cannot be empty when status value is error.",
        ),
        (
            Code::Thinking,
            "messages.N.content.M.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block",
        ),
        (
            Code::BadMedia,
            "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character.",
        ),
        (
            Code::ForeignBlock,
            "Invalid number of parameters set for tagged union structure messages[N].content[M].",
        ),
        (
            Code::TooManyImages,
            "You can't include more than 5 documents in a request. Reduce the number of documents and retry your request.",
        ),
    ],
    severity: &[],
    alone: &[],
    id_shapes: &["tooluse_"],
    models: &["amazon_bedrock", "bedrock_converse", "nova"],
    models_of_others: &[],
};

/// Makes an ID in Bedrock's own style: `tooluse_` and 22 characters of base64url, here from the
/// hash of the old ID.
fn made_id(old: &str, number: u64) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut hasher = Sha256::new();
    hasher.update(old);
    hasher.update([0]);
    hasher.update(number.to_string());
    let hash = hasher.finalize();
    let id: String = (0..22)
        .map(|at| {
            let (byte, shift) = (at * 6 / 8, at * 6 % 8);
            let pair = u16::from(hash[byte]) << 8 | u16::from(hash[byte + 1]);
            char::from(DIGITS[usize::from(pair >> (10 - shift) & 63)])
        })
        .collect();
    format!("tooluse_{id}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_ids_are_base64url_of_the_hash() {
        let id = made_id("a", 1);
        assert!(BEDROCK.takes_id(&id) && id.len() == 30);
        assert_eq!(id, "tooluse_BanFaaGFrGD1UR-XYLw_Gs");
        assert_ne!(id, made_id("a", 2));
    }

    #[test]
    fn names_of_documents() {
        let documents = BEDROCK.needs.documents.unwrap();
        for name in ["report", "report 2", "a-b (1) [x]_y", " a ", &"n".repeat(200)] {
            assert!(documents.takes(name), "{name}");
        }
        for name in ["", "report.pdf", "a  b", "a\u{3000}b", "r\u{e9}sum\u{e9}", &"n".repeat(201)] {
            assert!(!documents.takes(name), "{name}");
            assert!(documents.takes(&documents.fit(name, 1)), "{name}");
        }
        assert_eq!(documents.fit("slack-file://F0AB", 1), "slack-file F0AB");
        assert_eq!(documents.fit("report", 2), "report 2");
        assert_eq!(documents.fit("\u{5206}\u{671f}", 3), "document 3");
        assert_eq!(documents.fit(&"n".repeat(300), 12).len(), 200);
    }
}
