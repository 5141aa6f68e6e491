//! Contexts of Kimi CLI: lines that are messages of Chat Completions, and lines of the host between them whose roles begin with `_`.

use std::path::Path;

use md5::{Digest, Md5};

use super::openai_chat::{self, OPENAI_CHAT};
use crate::containers::{Layout, RecordReader};
use crate::dialects::chat as dialect;
use crate::format::head::Sample;
use crate::format::home::{Home, HomeFolder, Resume, Root, is_uuid};
use crate::format::policy::PolicyRow;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification, records};
use crate::json::node::Node;
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{Code, Role, Severity, Transcript};

pub(crate) const KIMI_CLI: Format = Format {
    name: "kimi-cli",
    host: &Host::new("kimi-cli", "Kimi CLI"),
    title: "Kimi CLI context",
    page: include_str!("page.md"),
    checked: Verification::Read("its source, version 1.49.0"),
    rank: Rank::Extended,
    recognize,
    explains,
    records: RecordReader::new(explains, read).of_messages(),
    project: |context| openai_chat::project(context, &KIMI_CLI.traits),
    traits: HostTraits {
        words: Some(WordSet::of(OWN)),
        beside: &[],
        rows: false,
        unreadable: OnUnreadable { appends: true, ..OnUnreadable::SKIPS },
        homes: HOMES,
        resume,
        conversations: HostTraits::NONE.conversations,
        in_place: |_| true,
        policy: POLICY,
        ..OPENAI_CHAT.traits
    },
    after_write: "Kimi CLI reads the file when the session is continued.",
    ..OPENAI_CHAT
};

/// What damage is to the host.
const POLICY: &[PolicyRow] = &[
    PolicyRow::is(Code::RepeatedRecord, Severity::Fatal),
    PolicyRow::is(Code::MalformedRecord, Severity::Fatal),
    // The service parses the arguments of every call in the history.
    PolicyRow::is(Code::BadInput, Severity::Fatal),
];

/// Roles of the host's own records.
const OWN: &[&str] = &["_system_prompt", "_checkpoint", "_usage"];

/// A session is a folder with its ID for a name, in the folder of its project.
const HOMES: &[Home] = &[Home {
    name: "kimi-cli",
    roots: &[Root {
        var: "KIMI_SHARE_DIR",
        below_var: "",
        at_home: &[".kimi"],
        places: &[HomeFolder::files_in("sessions/*", "context.jsonl", |name| {
            is_uuid(name).then_some(name)
        })],
    }],
    project: |folder| {
        let hash = Md5::digest(folder.to_str()?.as_bytes());
        Some(hash.iter().map(|byte| format!("{byte:02x}")).collect())
    },
}];

/// The client is shown the ID, in the folder of the project, which the context does not name.
fn resume(_: &FormatContext<'_>, path: &Path) -> Option<Resume> {
    let folder = path.parent()?;
    let id = folder.file_name()?.to_str()?;
    let at_home = folder.ancestors().nth(2)?.ends_with("sessions");
    Resume::of(&["kimi", "--session"], id, None, at_home)
}

fn is_own(record: Node<'_>) -> bool {
    let role = record.string("role");
    role.is_some_and(|role| OWN.contains(&role.as_ref()))
}

/// Messages, and records of the host among them. The client writes lines; people export lists.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    let layout = (OPENAI_CHAT.recognize)(head).or_else(|| head.line_file().map(Layout::Lines))?;
    let is_signed = records::records(head, &layout).into_iter().any(is_own);
    is_signed.then_some(layout)
}

fn explains(record: Node<'_>) -> bool {
    is_own(record) || dialect::speaks(record)
}

/// The host's own records are for nobody; the others are messages.
fn read(record: Node<'_>, t: &mut Transcript) {
    if is_own(record) {
        let role = record.string("role");
        let kind = t.ids.intern(&role.unwrap_or_default());
        let event = t.newest_mut();
        (event.kind, event.role) = (Some(kind), Role::Nobody);
    } else {
        (OPENAI_CHAT.records.read)(record, t);
    }
}
