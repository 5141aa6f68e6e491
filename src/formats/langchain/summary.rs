//! By what the messages are known that a program wrote in the place of older ones.

use crate::dialects::langchain::{Form, Speaker};

/// How a summary begins that stands in the user's place.
const USER: &[&str] = &[
    "Here is a summary of the conversation to date:",
    "You are in the middle of a conversation that has been summarized.",
];

/// How a summary begins that stands in the system's place.
const SYSTEM: &[&str] =
    &["[Conversation Summary]", "[Fallback Summary - ", "Summary of the conversation so far:"];

/// Whether a message is such a summary.
pub(super) fn is_summary(form: &Form<'_>) -> bool {
    let source = form.body.at(&["additional_kwargs", "lc_source"]);
    let begins = |with: &[&str]| {
        let text = form.body.get("content").and_then(|content| content.str());
        text.is_some_and(|text| with.iter().any(|beginning| text.starts_with(beginning)))
    };
    match form.speaker {
        Speaker::User => source.is_some_and(|source| source.is_str("summarization")) || begins(USER),
        Speaker::System => begins(SYSTEM),
        _ => false,
    }
}
