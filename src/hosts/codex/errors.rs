//! Error and log texts of Codex.

use crate::targets::errors::{At, ErrorText};
use crate::transcript::Code;

#[rustfmt::skip]
pub(super) const ERRORS: &[ErrorText] = &[
    ErrorText::new("does not start with session metadata", &[Code::BadHeader, Code::ByteOrderMark], At::Nowhere, "the file does not begin with the session header"),
    ErrorText::new("empty session file", &[Code::BadHeader], At::Nowhere, "the file is empty")
        .hint("Nothing was recorded in this file."),
    ErrorText::new("expected ordinal [0-9]+, got [0-9]+", &[Code::RecordOrder], At::Nowhere, "the history of the app stops at a record whose number is not the next one")
        .hint("Codex before 0.154.0 stops there for good; newer versions skip a number that was already used. The transcript shows no such number anymore."),
    ErrorText::new("(?:missing an ordinal|thread history projection for .{1,80}expected ordinal)", &[Code::RecordOrder], At::Nowhere, "record numbers are not as Codex expects them"),
    ErrorText::new("failed to parse line as JSON", &[Code::TornTail, Code::UnreadableRecord, Code::GluedRecords, Code::NulPadding, Code::LoneSurrogate], At::Nowhere, "a line cannot be read and is skipped"),
    ErrorText::new("stream did not contain valid UTF-8", &[Code::InvalidUtf8], At::Nowhere, "invalid UTF-8"),
    ErrorText::new("Orphan (?:function call|custom tool call|tool search) output for call id: {id}", &[Code::OrphanResult, Code::CompactionSplitPair, Code::LinkMismatch], At::Nowhere, "a tool result without a call is dropped"),
    ErrorText::new("(?:Function call|Custom tool call|Local shell call|Tool search) output is missing for call id: {id}", &[Code::UnansweredCall, Code::LinkMismatch, Code::PendingCall], At::Nowhere, "a tool call has no result, and Codex sends a placeholder"),
    ErrorText::new("(?:No saved session found with ID|no rollout found for thread id)", &[Code::BadHeader, Code::ByteOrderMark, Code::SessionMismatch, Code::StaleSideFile], At::Nowhere, "Codex has no session with this id")
        .hint("Codex looks for the ID in its own folder only (`CODEX_HOME`): it does not find an ID of another program, nor a session that was moved, archived, or never saved. `codex resume --all` lists the sessions of all projects.")
        .seen("openai/codex#16066, openai/codex#21619; RunMaestro/Maestro#1043"),
    ErrorText::new("failed to parse thread ID", &[Code::SessionMismatch], At::Nowhere, "the file name is not that of a rollout")
        .hint("Rename the file: rollout-<date>T<time>-<thread id>.jsonl."),
    ErrorText::new("Cannot change this thread(?:'|’)?s model provider", &[], At::Nowhere, "the thread belongs to another provider")
        .hint("Nothing is wrong with the session: resume it with the provider that it was started with."),
];
