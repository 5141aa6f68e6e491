//! How to recognize messages that a program wrote in place of older ones.

use crate::dialects::langchain::{Form, Speaker};
use crate::format::host_text::{HostText, begins};

/// Beginnings of summaries in user messages.
const USER: &[HostText] = &[
    begins("Here is a summary of the conversation to date:"),
    begins("You are in the middle of a conversation that has been summarized."),
];

/// Beginnings of summaries in system messages.
const SYSTEM: &[HostText] = &[
    begins("[Conversation Summary]"),
    begins("[Fallback Summary - "),
    begins("Summary of the conversation so far:"),
];

pub(super) const TEXTS: &[&[HostText]] = &[USER, SYSTEM];

/// Whether a message is such a summary.
pub(super) fn is_summary(form: &Form<'_>) -> bool {
    let source = form.body.at(&["additional_kwargs", "lc_source"]);
    match form.speaker {
        Speaker::User => {
            source.is_some_and(|source| source.is_str("summarization")) || begins_with(form, USER)
        }
        Speaker::System => begins_with(form, SYSTEM),
        _ => false,
    }
}

fn begins_with(form: &Form<'_>, known: &[HostText]) -> bool {
    let text = form.body.string("content");
    text.is_some_and(|text| known.iter().any(|known| text.starts_with(known.start)))
}
