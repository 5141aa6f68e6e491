//! Every fixture is told to be of its own format, by itself, and of no other one.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use transcript_doctor::bytes::source::{EntryId, Shape, Source};
use transcript_doctor::find::{Found, find};
use transcript_doctor::formats::head::Head;
use transcript_doctor::formats::{self, Format};
use transcript_doctor::json::node::Node;
use transcript_doctor::json::scan::{Mode, scan};
use transcript_doctor::json::tape::Kind;
use transcript_doctor::report::build::name_of;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()).collect();
    paths.sort();
    paths
}

/// A fixture and the format that it says it is of; `None`: it does not say.
type Fixture = (PathBuf, Option<&'static Format>);

/// The format whose name a file's name begins with. Of `openhands` and `openhands-v0` the longer one.
fn named_by(name: &str) -> &'static Format {
    let begins = |format: &&&'static Format| {
        name.strip_prefix(format.name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
    };
    let named = formats::ALL.iter().filter(begins).max_by_key(|format| format.name.len());
    named.unwrap_or_else(|| panic!("{name} does not begin with the name of a format"))
}

/// All recordings that are shipped: damaged, repaired and healthy.
fn fixtures() -> Vec<Fixture> {
    let rules = below(&root().join("rules")).into_iter().flat_map(|rule| below(&rule));
    let damaged = rules.chain(below(&root().join("bytes")));
    let mut all: Vec<Fixture> = damaged
        .filter(|path| !name_of(path).ends_with(".report.txt"))
        .map(|path| (Some(named_by(&name_of(&path))), path))
        .map(|(format, path)| (path, format))
        .collect();
    for format in below(&root().join("healthy")) {
        let named = formats::by_name(&name_of(&format)).expect("a folder is named like a format");
        all.extend(below(&format).into_iter().map(|path| (path, Some(named))));
    }
    for folder in ["stories", "samples"] {
        let recordings =
            below(&root().join(folder)).into_iter().filter(|path| !name_of(path).ends_with(".txt"));
        all.extend(recordings.map(|path| (path, None)));
    }
    all
}

/// Its report says that there is nothing to be looked at.
fn is_no_recording(fixture: &Path) -> bool {
    let name = name_of(fixture);
    let stem = name.split('.').next().unwrap_or_default();
    let report = fs::read_to_string(fixture.with_file_name(format!("{stem}.report.txt")));
    report.is_ok_and(|report| report.starts_with("not examined"))
}

/// The recordings behind a fixture, as they are found without being told what they are.
fn found(fixture: &Path) -> Vec<Found> {
    find(&[fixture.to_owned()], None).found
}

/// Looks at a recording as a format does.
fn claimed_by<'a>(source: &Source, name: &str, formats: &'a [&'static Format]) -> Vec<&'a &'static Format> {
    let head = match source.shape() {
        Shape::Folder | Shape::Archive => Head::of_names(source, name),
        _ => Head::of_file(source, EntryId(0), name).unwrap(),
    };
    formats.iter().filter(|format| formats::recognise(&head, Some(format)).is_some()).collect()
}

#[test]
fn every_recording_is_of_its_own_format() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (path, named) in fixtures() {
        let found = found(&path);
        if found.is_empty() && !is_no_recording(&path) {
            wrong.push(format!("{} is of no format", path.display()));
        }
        for one in &found {
            seen += 1;
            if named.is_some_and(|named| named.name != one.claim.format.name) {
                wrong.push(format!("{} is read as {}", path.display(), one.claim.format.name));
            }
        }
    }
    assert!(seen > 0 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_order_of_formats_decides_nothing() {
    let mut wrong = Vec::new();
    for (path, _) in fixtures() {
        for one in found(&path) {
            let claims = claimed_by(&one.source, &name_of(&one.path), formats::ALL);
            let lowest = claims.iter().map(|format| format.step).min();
            let first: Vec<&str> =
                claims.iter().filter(|f| Some(f.step) == lowest).map(|format| format.name).collect();
            if first != [one.claim.format.name] {
                wrong.push(format!("{} is claimed at one step by {}", path.display(), first.join(", ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether nothing but words is left, which is of several formats alike: what the user says then decides.
fn shows_nothing(source: &Source, name: &str) -> bool {
    let Ok(head) = Head::of_file(source, EntryId(0), name) else { return false };
    let mut unsigned = formats::ALL.iter().filter_map(|format| format.habits.unsigned);
    unsigned.any(|(_, recognise)| recognise(&head).is_some())
}

/// Pieces of a file as they are left by a kill, a window that lost its beginning, a paste that lost its end.
fn pieces(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut pieces: Vec<Vec<u8>> =
        [2, 3, 10].into_iter().map(|part| bytes[..bytes.len() - bytes.len() / part].to_vec()).collect();
    pieces.extend([10, 2].map(|part| bytes[..bytes.len() / part].to_vec()));
    let behind_first = bytes.iter().position(|byte| *byte == b'\n').map(|at| bytes[at + 1..].to_vec());
    pieces.extend(behind_first);
    pieces.push(bytes[bytes.len() / 2..].to_vec());
    pieces.push([b"\xEF\xBB\xBF", bytes].concat());
    pieces.push([b"\0\0\n", bytes].concat());
    pieces
}

/// Whether a whole record is left: a line, or an element of a list in the document or in a member of it. A beginning like
/// `[{"role": "user", "content": [` is of no format more than of another.
fn holds_a_record(piece: &[u8]) -> bool {
    let is_object =
        |line: &[u8]| serde_json::from_slice::<serde_json::Map<_, serde_json::Value>>(line).is_ok();
    if piece.split(|byte| *byte == b'\n').any(is_object) {
        return true;
    }
    let start = piece.iter().position(|byte| matches!(byte, b'[' | b'{')).unwrap_or(piece.len());
    let document = &piece[start..];
    let tape = scan(document, Mode::Document);
    let is_whole = |node: Node<'_>| node.kind() == Kind::Object && !node.is_open();
    let root = Node::root(&tape, &document);
    root.is_some_and(|root| {
        root.items().any(is_whole) || root.members().any(|(_, value)| value.items().any(is_whole))
    })
}

#[test]
fn what_is_left_of_a_recording_is_of_no_other_format() {
    let (mut wrong, mut told) = (Vec::new(), 0);
    for (path, named) in fixtures().into_iter().filter(|(path, _)| path.is_file()) {
        let (Some(named), Ok(bytes)) = (named, fs::read(&path)) else { continue };
        let pieces = pieces(&bytes).into_iter().enumerate();
        for (number, piece) in pieces.filter(|(_, piece)| holds_a_record(piece)) {
            let source = Source::memory("piece", vec![("piece".to_owned(), piece)]);
            let others = claimed_by(&source, "piece", formats::ALL).into_iter();
            let lowest = others.min_by_key(|format| format.step);
            told += usize::from(lowest.is_some());
            let other = lowest.filter(|format| format.name != named.name);
            if let Some(other) = other.filter(|_| !shows_nothing(&source, "piece")) {
                wrong.push(format!("piece {number} of {} is read as {}", path.display(), other.name));
            }
        }
    }
    assert!(told > 0 && wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Members that hold the list of records in some format's documents.
const MEMBERS: &[&str] = &["items", "events", "history", "trajectory", "messages", "steps", "transcript"];

/// The records of a file: its lines, the elements of its list, or those of a list in it.
fn records(bytes: &[u8]) -> Vec<serde_json::Value> {
    use serde_json::Value;
    let document = serde_json::from_slice(bytes);
    let list = match document {
        Ok(Value::Array(list)) => Some(list),
        Ok(Value::Object(mut members)) => MEMBERS.iter().find_map(|key| match members.remove(*key) {
            Some(Value::Array(list)) => Some(list),
            _ => None,
        }),
        _ => None,
    };
    let lines = || bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    list.unwrap_or_else(|| lines().collect())
}

/// The name of a recording, and its entries by name.
type Container = (String, Vec<(String, Vec<u8>)>);

/// These records in every container that a single file can be, and in folders of numbered files.
fn containers(records: &[serde_json::Value]) -> Vec<Container> {
    let file = |name: &str, bytes: Vec<u8>| (name.to_owned(), vec![(name.to_owned(), bytes)]);
    let list = serde_json::Value::from(records.to_vec());
    let lines: Vec<Vec<u8>> = records.iter().map(|record| serde_json::to_vec(record).unwrap()).collect();
    let mut all = vec![
        file("lines", lines.join(&b'\n')),
        file("list", serde_json::to_vec(&list).unwrap()),
        file("indented list", serde_json::to_vec_pretty(&list).unwrap()),
    ];
    for key in MEMBERS {
        let document = serde_json::json!({ "id": 1, *key: list });
        all.push(file(key, serde_json::to_vec(&document).unwrap()));
        all.push(file(&format!("indented {key}"), serde_json::to_vec_pretty(&document).unwrap()));
    }
    let numbered = lines.into_iter().enumerate();
    let numbered = numbered.map(|(at, line)| (format!("events/{at}.json"), line)).collect();
    all.push(("numbered files".to_owned(), numbered));
    all
}

#[test]
fn records_tell_their_format_in_every_container() {
    let (mut wrong, mut right) = (Vec::new(), 0);
    for (path, named) in fixtures().into_iter().filter(|(path, _)| path.is_file()) {
        let (Some(named), Ok(bytes)) = (named, fs::read(&path)) else { continue };
        // As many as are looked at.
        let records: Vec<serde_json::Value> = records(&bytes).into_iter().take(20).collect();
        if records.is_empty() {
            continue;
        }
        for (name, entries) in containers(&records) {
            let source = Source::memory(&name, entries);
            let claims = claimed_by(&source, &name, formats::ALL).into_iter();
            match claims.min_by_key(|format| format.step) {
                Some(other) if other.name != named.name && !shows_nothing(&source, &name) => {
                    wrong.push(format!("{} as {name} is read as {}", path.display(), other.name));
                }
                Some(_) => right += 1,
                None => {}
            }
        }
    }
    assert!(right > 0 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_format_ships_healthy_recordings() {
    let with = |format: &&&Format| {
        let folder = root().join("healthy").join(format.name);
        !folder.is_dir() || below(&folder).is_empty()
    };
    let without: Vec<&str> = formats::ALL.iter().filter(with).map(|format| format.name).collect();
    assert!(without.is_empty(), "formats without healthy recordings: {}", without.join(", "));
}
