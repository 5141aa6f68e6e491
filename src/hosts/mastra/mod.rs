//! Messages of Mastra in its format 2: the parts of AI SDK 4 in the content of a message.

use super::ai_sdk_4::{self, AI_SDK_4, body};
use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::members::{Holding, Members};
use crate::format::head::Sample;
use crate::format::policy::PolicyRow;
use crate::format::records::list_on;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, Host, HostTraits, Rank, Verification};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::Code;

pub(crate) const MASTRA: Format = Format {
    name: "mastra",
    host: &Host::new("mastra", "Mastra"),
    title: "Mastra messages",
    page: include_str!("page.md"),
    checked: Verification::Run("@mastra/core 1.71.0"),
    rank: Rank::Host,
    recognize,
    explains: owns,
    records: RecordReader::new(owns, ai_sdk_4::read).of_messages(),
    project: |context| ai_sdk_4::request(context, &MASTRA.traits),
    traits: HostTraits {
        words: Some(WordSet::of(&["format:-"])),
        pending_note: "Mastra leaves it out of the next request",
        cannot_load: &[],
        members: Members::own(&[
            (Holding::Details, "toolInvocation experimental_attachments providerMetadata"),
            (Holding::Envelope, "state step"),
            (Holding::Id, "resourceId"),
        ]),
        policy: POLICY,
        ..AI_SDK_4.traits
    },
    after_write: "Load the messages again, or write them back to the storage of the memory.",
    ..AI_SDK_4
};

/// What the host makes of damage: it sends no call that has no result.
const POLICY: &[PolicyRow] = &[PolicyRow::loses(Code::UnansweredCall)];

/// A list, the list of a document, or lines.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    const WAYS: [&[PathStep]; 2] = [&[], &[PathStep::Key("messages")]];
    head.list(|entry, root| list_on(&WAYS, entry, root, owns), || head.nodes().any(owns))
}

/// Whether a value is a message: its content has the number of the format, and parts.
fn owns(message: Node<'_>) -> bool {
    let content = body(message);
    ai_sdk_4::role(message).is_some()
        && message.has_kind("content", Kind::Object)
        && content.get("format").is_some_and(|format| format.raw().as_ref() == b"2")
        && content.has_kind("parts", Kind::Array)
}
