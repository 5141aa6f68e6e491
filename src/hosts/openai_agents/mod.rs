//! Sessions of the OpenAI Agents SDK in a SQLite database: Responses items, a row each. Only a database has them, so no file is
//! recognized as this format.

use super::checked;
use super::openai_responses::{self, OPENAI_RESPONSES};
use crate::format::policy::PolicyRow;
use crate::format::{Format, FormatContext, Host, HostTraits, SentResult, Verification};
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{Code, Effect, Instance, Request, Severity};

pub(crate) const OPENAI_AGENTS: Format = Format {
    name: "openai-agents-sqlite",
    host: &Host { name: "openai-agents", title: "the Agents SDK" },
    title: "OpenAI Agents SDK sessions",
    page: include_str!("page.md"),
    checked: Verification::Suite(checked::OPENAI_AGENTS_SQLITE, ""),
    explains: |_| false,
    project,
    traits: HostTraits {
        // Its code skips rows that are not JSON.
        unreadable: OnUnreadable::SKIPS,
        rows: false,
        sends_result: SentResult::Last,
        takes_reused_ids: false,
        policy: POLICY,
        ..OPENAI_RESPONSES.traits
    },
    after_write: "Load the list into the session: `await session.clear_session()`, then `await session.add_items(items)`.",
    ..OPENAI_RESPONSES
};

/// It leaves calls without an output out of each request, with the reasoning before them. Of several calls, or several outputs,
/// with one call ID it sends the last (`deduplicate_input_items_preferring_latest`, 0.24.0, run). The rest is as for the API.
const POLICY: &[PolicyRow] = &[
    PolicyRow::loses(Code::UnansweredCall),
    PolicyRow::loses(Code::TwoResults),
    PolicyRow::mends(Code::RepeatedCall),
    PolicyRow::is(Code::RepeatedRecord, Severity::Fatal),
    PolicyRow::is(Code::MalformedRecord, Severity::Fatal),
    PolicyRow::is(Code::DuplicateRecordId, Severity::Fatal),
];

/// Of several items of one type with one ID it sends the last, too, but for messages.
fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let mut request = openai_responses::project_with(context, OPENAI_AGENTS.traits.unreadable);
    for diagnostic in &mut request.diagnostics {
        let [first, last] = diagnostic.labels.as_slice() else { continue };
        let (first, last) = (first.event, last.event);
        if t.kind(first) != t.kind(last) || matches!(t.kind(last), "" | "message") {
            continue;
        }
        let sends_one = match diagnostic.code {
            Code::RepeatedRecord => (Instance::Corrected, Effect::None),
            Code::DuplicateRecordId => (Instance::Dropped, Effect::Hides(1)),
            _ => continue,
        };
        (diagnostic.instance, diagnostic.effect) = (Some(sends_one.0), sends_one.1);
    }
    request
}
