//! Whether changed rows would be read as the repair planned it: what a script is worth depends on it.

use crate::bytes::source::{Entries, Span};
use crate::json::node::Node;
use crate::json::record::Record;
use crate::json::tape::Kind;
use crate::stores::content::StoreContent;

/// Whether each planned record is read with all that it says. Rows may say more: what their host writes into each.
pub(super) fn is_planned(planned: &dyn Entries, after: &StoreContent) -> bool {
    let ids = planned.ids();
    if ids.len() != after.entries.len() {
        return false;
    }
    let mut read: Vec<(&str, &[u8])> =
        after.entries.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
    read.sort_unstable();
    let mut wanted = Vec::new();
    for entry in ids {
        let (start, end) = (0, planned.len(entry));
        let Ok(bytes) = planned.fetch(Span { entry, start, end }) else {
            return false;
        };
        wanted.push((planned.name(entry).to_owned(), bytes));
    }
    wanted.sort_unstable();
    let mut pairs = wanted.iter().zip(read);
    if after.lines.is_empty() && after.entries.len() == 1 {
        return pairs
            .all(|((_, wanted), (_, read))| has_record(wanted, read) || has_values(wanted, read));
    }
    let is_lines = !after.lines.is_empty();
    pairs.all(|((name, wanted), (own, read))| {
        name == own && if is_lines { has_lines(wanted, read) } else { has_record(wanted, read) }
    })
}

fn has_lines(wanted: &[u8], read: &[u8]) -> bool {
    let lines = |bytes| {
        <[u8]>::split(bytes, |byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty())
    };
    lines(wanted).count() == lines(read).count()
        && lines(wanted).zip(lines(read)).all(|(wanted, read)| has_record(wanted, read))
}

/// Whether a record has the members of another one.
fn has_record(wanted: &[u8], read: &[u8]) -> bool {
    if wanted.trim_ascii() == read.trim_ascii() {
        return true;
    }
    let parse = |bytes: &[u8]| Record::parse(bytes.to_vec()).filter(Record::is_whole);
    let (Some(wanted), Some(read)) = (parse(wanted), parse(read)) else {
        return false;
    };
    let (wanted, read) = (wanted.root(), read.root());
    let is_there = |(key, value): (Node<'_>, Node<'_>)| {
        key.str().and_then(|key| read.get(&key)).is_some_and(|own| own.same_as(&value))
    };
    wanted.kind() == Kind::Object && wanted.members().all(is_there)
}

/// Whether two states of LangGraph have the same values, and the same nodes are next.
fn has_values(wanted: &[u8], read: &[u8]) -> bool {
    let (Some(wanted), Some(read)) = (Record::parse(wanted.to_vec()), Record::parse(read.to_vec()))
    else {
        return false;
    };
    ["values", "next"].iter().all(|key| match (wanted.root().get(key), read.root().get(key)) {
        (Some(wanted), Some(read)) => wanted.same_as(&read),
        _ => false,
    })
}
