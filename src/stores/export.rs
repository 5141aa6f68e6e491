//! A session of a database as its host reads it back.

use std::collections::BTreeMap;
use std::io;

use super::Reading;
use crate::bytes::source::{Entries, Span};
use crate::containers::Layout;
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::RecordEnd;

/// Why a session cannot be written as its host reads it back.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unwritable {
    #[error("{0} is not JSON, so the host cannot read it back: correct or delete that row first")]
    Broken(String),
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The records of a session, in the order of their entries or lines, with the names of the entries.
pub(crate) struct ExportedRecords<'w> {
    records: Vec<(&'w str, Vec<u8>)>,
}

/// The document that the host of a database reads back, from the entries of a session.
///
/// # Errors
/// A record cannot be read, or is not JSON.
pub(crate) fn write(
    reading: &Reading,
    entries: &dyn Entries,
    layout: &Layout,
) -> Result<Vec<u8>, Unwritable> {
    let mut records = Vec::new();
    for entry in entries.ids() {
        let (start, end) = (0, entries.len(entry));
        let bytes = entries.fetch(Span { entry, start, end })?;
        let parts: Vec<&[u8]> = if layout.is_lines() {
            bytes.split(|byte| *byte == b'\n').collect()
        } else {
            vec![&bytes]
        };
        for (line, part) in (1..).zip(parts) {
            if layout.is_lines() && part.trim_ascii().is_empty() {
                continue;
            }
            if !matches!(scan(part, ScanMode::Document).end, RecordEnd::Whole) {
                let row = entries.row_name(entry, line).map(str::to_owned);
                let row = row.unwrap_or_else(|| layout.below_folder(entries.name(entry)).into());
                return Err(Unwritable::Broken(row));
            }
            records.push((entries.name(entry), part.trim_ascii().to_vec()));
        }
    }
    Ok((reading.export)(&ExportedRecords { records }))
}

impl ExportedRecords<'_> {
    fn all(&self) -> impl Iterator<Item = &[u8]> {
        self.records.iter().map(|(_, bytes)| bytes.as_slice())
    }
}

/// A list, one value a line.
fn list<'b>(values: impl Iterator<Item = &'b [u8]>) -> Vec<u8> {
    let values: Vec<&[u8]> = values.collect();
    let mut out = b"[\n".to_vec();
    out.extend(values.join(&b",\n"[..]));
    out.extend(b"\n]");
    out
}

/// A list of items.
pub(super) fn agents(written: &ExportedRecords<'_>) -> Vec<u8> {
    let mut out = list(written.all());
    out.push(b'\n');
    out
}

/// The state of a thread, as it is read.
pub(super) fn state(written: &ExportedRecords<'_>) -> Vec<u8> {
    let mut out: Vec<u8> = written.all().flatten().copied().collect();
    out.push(b'\n');
    out
}

/// The members of the session, how many messages it has, and those as one of them.
pub(super) fn goose(written: &ExportedRecords<'_>) -> Vec<u8> {
    session(written, |count| format!("\"message_count\":{count},\n\"conversation\":"))
}

/// The members of the session, and its messages as one of them.
pub(super) fn hermes(written: &ExportedRecords<'_>) -> Vec<u8> {
    session(written, |_| "\"messages\":".to_owned())
}

/// The members of the first record, these for the number of all others, and their list.
fn session(written: &ExportedRecords<'_>, last: impl Fn(usize) -> String) -> Vec<u8> {
    let mut records = written.all();
    let session = records.next().unwrap_or(b"{}");
    let members = session.get(1..session.len() - 1).unwrap_or_default();
    // A first line that is whole would be a record.
    let mut out = b"{\n".to_vec();
    if !members.is_empty() {
        out.extend(members);
        out.extend(b",\n");
    }
    let messages: Vec<&[u8]> = records.collect();
    out.extend(last(messages.len()).into_bytes());
    out.extend(list(messages.into_iter()));
    out.extend(b"}\n");
    out
}

/// A message of opencode with its parts.
#[derive(Default)]
struct OpencodeMessage<'w> {
    info: Option<&'w [u8]>,
    parts: Vec<&'w [u8]>,
}

/// The session, and its messages with their parts.
pub(super) fn opencode(written: &ExportedRecords<'_>) -> Vec<u8> {
    let mut messages: BTreeMap<&str, OpencodeMessage<'_>> = BTreeMap::new();
    let mut session: &[u8] = b"{}";
    for (name, bytes) in &written.records {
        let mut steps = name.trim_end_matches(".json").split('/');
        match (steps.next(), steps.next(), steps.next()) {
            (Some("message"), _, Some(id)) => messages.entry(id).or_default().info = Some(bytes),
            (Some("part"), Some(id), _) => messages.entry(id).or_default().parts.push(bytes),
            _ => session = bytes,
        }
    }
    let messages: Vec<Vec<u8>> = messages
        .values()
        .filter_map(|message| {
            let mut out = b"{\"info\":".to_vec();
            out.extend(message.info?);
            out.extend(b",\"parts\":");
            out.extend(list(message.parts.iter().copied()));
            out.push(b'}');
            Some(out)
        })
        .collect();
    let mut out = b"{\n\"info\":".to_vec();
    out.extend(session);
    out.extend(b",\n\"messages\":");
    out.extend(list(messages.iter().map(Vec::as_slice)));
    out.extend(b"}\n");
    out
}
