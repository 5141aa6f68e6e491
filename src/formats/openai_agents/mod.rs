//! Sessions of the OpenAI Agents SDK in a SQLite database: Responses items, a row each. Only a database has them, so no file is
//! recognized as this format.

use super::openai_responses::OPENAI_RESPONSES;
use super::policy::Row;
use super::{Checked, Format, Host, HostTraits, OnUnreadable};
use crate::transcript::{Code, Severity};

pub(crate) const OPENAI_AGENTS: Format = Format {
    name: "openai-agents-sqlite",
    host: &Host {
        name: "openai-agents",
        title: "the Agents SDK",
    },
    title: "OpenAI Agents SDK sessions",
    page: include_str!("page.md"),
    checked: Checked::Run("openai-agents 0.24.0"),
    explains: |_| false,
    traits: HostTraits {
        // Its code skips rows that are not JSON.
        unreadable: OnUnreadable::SKIPS,
        rows: false,
        policy: POLICY,
        ..OPENAI_RESPONSES.traits
    },
    after_write: "Load the list into the session: `await session.clear_session()`, then `await session.add_items(items)`.",
    ..OPENAI_RESPONSES
};

/// It leaves calls without an output out of each request, with the reasoning before them; the rest is as for the API.
const POLICY: &[Row] = &[
    Row::loses(Code::UnansweredCall),
    Row::is(Code::RepeatedRecord, Severity::Fatal),
    Row::is(Code::MalformedRecord, Severity::Fatal),
    Row::is(Code::DuplicateRecordId, Severity::Fatal),
];
