//! The texts that a transcript records, read without the program that is tested.

use std::collections::BTreeSet;

use memchr::memmem::Finder;

use crate::damages;
use crate::spots::{self, Kind, Shape};
use crate::support::Files;

/// Ends of the keys of an envelope: what says where a record is and of what kind, not what was said.
const ENVELOPE: &[&str] = &[
    "id",
    "uuid",
    "type",
    "role",
    "kind",
    "time",
    "timestamp",
    "date",
    "model",
    "version",
    "status",
    "reason",
    "ref",
    "parent",
    "signature",
    "hash",
    "name",
    "filename",
    "cwd",
    "branch",
    "at",
    "format",
    "provider",
    "api",
    "object",
    "level",
    "source",
    "subtype",
    "level",
    "mode",
    "class",
    "origin",
    "state",
    "schema",
    "path",
    "author",
    "on",
    "key",
    "data",
];

fn is_envelope(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    // `parentId`, `tool_call_id`, `created_at`, but not `said`.
    let is_word = |end: &&&str| {
        let Some(head) = lower.strip_suffix(**end) else {
            return false;
        };
        let first = key.as_bytes().get(head.len());
        head.is_empty() || head.ends_with('_') || first.is_some_and(u8::is_ascii_uppercase)
    };
    ENVELOPE.iter().find(is_word).is_some()
}

/// A text shorter than this says too little to be missed.
const SHORTEST: usize = 3;

/// What the texts of a transcript are in.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    /// Whole records.
    pub whole: BTreeSet<String>,
    /// Pieces of records, that no program reads.
    pub pieces: BTreeSet<String>,
}

/// The texts of all files, and those in strings that are JSON themselves.
pub(crate) fn recorded(files: &Files) -> Recorded {
    let mut recorded = Recorded::default();
    for bytes in files.values() {
        let shape = Shape::of(bytes);
        of_shape(bytes, &shape, &mut recorded.whole);
        let is_document = shape.spots.is_empty();
        let heads = heads(bytes, &shape);
        for region in unread(bytes, &shape) {
            of_region(region, is_document, &heads, &mut recorded);
        }
    }
    recorded.pieces.retain(|text| !recorded.whole.contains(text));
    recorded
}

/// The first keys of the records that are whole.
fn heads<'a>(bytes: &'a [u8], shape: &Shape) -> BTreeSet<&'a [u8]> {
    let spots = shape.spots.iter().enumerate();
    let whole = spots.filter(|(_, spot)| spot.parent.is_none());
    let first = |(number, _)| shape.spots[shape.inside(number).next()?].key.clone();
    whole.filter_map(first).map(|key| &bytes[key]).collect()
}

/// The texts of bytes that are not JSON. A record is whole if nothing is open around it, or, glued behind a piece, if it
/// ends with the line and begins like another one; in a document, if no other object is further outside.
fn of_region(region: &[u8], is_document: bool, heads: &BTreeSet<&[u8]>, recorded: &mut Recorded) {
    let objects = spots::objects(region);
    let least = objects.iter().map(|(_, depth)| *depth).min();
    let outside = if is_document { least.unwrap_or_default() } else { 0 };
    let mut rest = region.to_vec();
    for (at, depth) in objects.into_iter().rev() {
        let ends = !is_document && region[at.end..].trim_ascii().is_empty();
        let begins = || {
            let inside = region[at.start + 1..].trim_ascii_start();
            heads.iter().any(|head| inside.starts_with(head))
        };
        if depth == outside || (ends && begins()) {
            let bytes = &region[at.clone()];
            of_shape(bytes, &Shape::of(bytes), &mut recorded.whole);
            rest.drain(at);
        }
    }
    // Of what no program reads, only what may be the result of an open call is missed.
    if damages::is_result(&rest) {
        fragments(&rest, &mut recorded.pieces);
    }
}

fn of_shape(bytes: &[u8], shape: &Shape, texts: &mut BTreeSet<String>) {
    for (number, spot) in shape.spots.iter().enumerate() {
        // A string alone is no record.
        let is_alone = spot.parent.is_none();
        if spot.kind != Kind::Text || is_alone || is_of_envelope(bytes, shape, number) {
            continue;
        }
        let literal = &bytes[spot.at.clone()];
        let text = spots::string(literal).unwrap_or_else(|| lossy(literal));
        add(text, texts);
    }
}

/// The key that a value has, or the list that it is in.
fn is_of_envelope(bytes: &[u8], shape: &Shape, number: usize) -> bool {
    let mut at = Some(number);
    while let Some(spot) = at.map(|at| &shape.spots[at]) {
        if let Some(key) = &spot.key {
            return is_envelope(&spots::string(&bytes[key.clone()]).unwrap_or_default());
        }
        at = spot.parent;
    }
    false
}

fn add(text: String, texts: &mut BTreeSet<String>) {
    if let Some(inner) = encoded(&text).or_else(|| fenced(&text)) {
        return add(inner, texts);
    }
    let inner = text.trim_start();
    if inner.starts_with(['{', '['])
        && let Some(spots) = spots::of(text.trim().as_bytes())
    {
        let shape = Shape { spots, lines: Vec::new() };
        return of_shape(text.trim().as_bytes(), &shape, texts);
    }
    if inner.starts_with(['{', '[']) {
        // Nearly JSON: broken arguments.
        return fragments(text.as_bytes(), texts);
    }
    // The address of an image without any data.
    let is_empty_image = text.starts_with("data:") && text.ends_with(',');
    if text.trim().len() >= SHORTEST && !is_empty_image {
        texts.insert(text);
    }
}

/// What a text says that is a JSON string itself, as arguments that were encoded twice.
fn encoded(text: &str) -> Option<String> {
    let text = text.trim();
    let is_quoted = text.len() > 1 && text.starts_with('"') && text.ends_with('"');
    is_quoted.then(|| spots::string(text.as_bytes())).flatten()
}

/// What is inside a fence of Markdown, as arguments that a model wrote for people.
fn fenced(text: &str) -> Option<String> {
    let inside = text.trim().strip_prefix("```")?.strip_suffix("```")?;
    let (_language, inside) = inside.split_once('\n')?;
    Some(inside.to_owned())
}

/// The bytes that are not JSON: lines, or a document as a whole.
fn unread<'a>(bytes: &'a [u8], shape: &Shape) -> Vec<&'a [u8]> {
    if shape.spots.is_empty() {
        return vec![bytes];
    }
    let lines = shape.lines.iter().map(|line| &bytes[line.clone()]);
    lines.filter(|line| spots::of(line).is_none() && !line.trim_ascii().is_empty()).collect()
}

/// The values in bytes that are not JSON, as far as quotes show them.
fn fragments(bytes: &[u8], texts: &mut BTreeSet<String>) {
    let mut at = 0;
    while let Some(from) = memchr::memchr(b'"', &bytes[at..]).map(|from| from + at) {
        let mut to = from + 1;
        while to < bytes.len() && bytes[to] != b'"' {
            to += if bytes[to] == b'\\' { 2 } else { 1 };
        }
        let end = (to + 1).min(bytes.len());
        let behind = bytes[end..].trim_ascii_start().first();
        let is_key = behind == Some(&b':');
        if !is_key && !matches!(behind, Some(b',' | b'}' | b']')) {
            // A string that was cut, and the quote with which another one begins.
            at = to.max(from + 1).min(bytes.len());
            continue;
        }
        if !is_key && to < bytes.len() {
            let before = &bytes[..from];
            let key = key_before(before);
            if !key.is_some_and(|key| is_envelope(&key)) {
                let literal = &bytes[from..end];
                add(spots::string(literal).unwrap_or_else(|| lossy(literal)), texts);
            }
        }
        at = end;
    }
}

/// The key of a value that begins behind these bytes.
fn key_before(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.trim_ascii_end().strip_suffix(b":")?;
    let bytes = bytes.trim_ascii_end().strip_suffix(b"\"")?;
    let from = memchr::memrchr(b'"', bytes)?;
    Some(String::from_utf8_lossy(&bytes[from + 1..]).into_owned())
}

/// What a broken literal says: without quotes, NUL bytes and controls, with the simple escapes resolved.
fn lossy(literal: &[u8]) -> String {
    let text = String::from_utf8_lossy(literal);
    let text = text.trim_matches('"').replace('\u{fffd}', "");
    let text = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"");
    let mut parts = text.split("\\u");
    let first = parts.next().unwrap_or_default().to_owned();
    // Half of a character.
    let text = parts.fold(first, |text, part| text + part.get(4..).unwrap_or_default());
    text.chars().filter(|letter| *letter >= ' ').collect()
}

/// Everything that a transcript says, to look texts up in.
pub(crate) struct Said(Vec<u8>);

impl Said {
    pub(crate) fn by(files: &Files) -> Said {
        let mut all = Vec::new();
        let recorded = recorded(files);
        for text in recorded.whole.iter().chain(&recorded.pieces) {
            all.extend(squeezed(text));
            all.push(b'\n');
        }
        // Also keys, envelopes, and what is not JSON.
        for bytes in files.values() {
            all.extend(squeezed(&String::from_utf8_lossy(bytes)));
            all.push(b'\n');
        }
        Said(all)
    }

    pub(crate) fn holds(&self, text: &str) -> bool {
        Finder::new(&squeezed(text)).find(&self.0).is_some()
    }
}

/// A text without what repairs of bytes and of escapes change: spaces, controls, quotes, backslashes, what is not ASCII.
fn squeezed(text: &str) -> Vec<u8> {
    let kept = text.bytes().filter(|byte| (b'!'..0x7F).contains(byte) && !b"\"\\".contains(byte));
    kept.collect()
}
