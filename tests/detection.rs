//! Every fixture is recognized as its own format, without help, and as no other one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "support/share.rs"]
mod share;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use transcript_doctor::testing::bytes::source::{EntryId, Source, SourceShape};
use transcript_doctor::testing::detect::candidates::{
    Detected, FormatCandidate, Recognized, candidates, detect,
};
use transcript_doctor::testing::find::name_of;
use transcript_doctor::testing::find::{Found, find};
use transcript_doctor::testing::format::head::Sample;
use transcript_doctor::testing::format::{Format, Rank};
use transcript_doctor::testing::hosts;
use transcript_doctor::testing::json::node::Node;
use transcript_doctor::testing::json::scan::{ScanMode, scan};
use transcript_doctor::testing::json::tape::Kind;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn below(folder: &Path) -> Vec<PathBuf> {
    // A format that only databases have has no folder.
    let items = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = items.map(|item| item.unwrap().path()).collect();
    paths.sort();
    paths
}

/// A fixture and its format; `None` if its name does not say.
type Fixture = (PathBuf, Option<&'static Format>);

/// The format whose name a file name starts with. Of `openhands` and `openhands-v0`, the longer
/// match.
fn named_by(name: &str) -> &'static Format {
    let begins = |format: &&&'static Format| {
        name.strip_prefix(format.name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
    };
    let named = hosts::ALL.iter().filter(begins).max_by_key(|format| format.name.len());
    named.unwrap_or_else(|| panic!("{name} does not begin with the name of a format"))
}

/// All shipped transcripts: damaged, repaired and healthy.
fn fixtures() -> Vec<Fixture> {
    let rules = below(&root().join("rules")).into_iter().flat_map(|rule| below(&rule));
    let damaged = rules.chain(below(&root().join("bytes")));
    let mut all: Vec<Fixture> = damaged
        .filter(|path| !name_of(path).ends_with(".report.txt"))
        .map(|path| (Some(named_by(&name_of(&path))), path))
        .map(|(format, path)| (path, format))
        .collect();
    for format in below(&root().join("healthy")) {
        let named = hosts::by_name(&name_of(&format)).expect("a folder is named like a format");
        all.extend(below(&format).into_iter().map(|path| (path, Some(named))));
    }
    for folder in ["stories", "samples"] {
        let recordings =
            below(&root().join(folder)).into_iter().filter(|path| !name_of(path).ends_with(".txt"));
        all.extend(recordings.map(|path| (path, None)));
    }
    all
}

/// Of each rule one transcript of each format, and all healthy ones. `EVERY_CASE=1`: all fixtures.
fn sampled() -> Vec<Fixture> {
    let mut all = fixtures();
    if share::is_every() {
        return all;
    }
    let healthy = root().join("healthy");
    let mut seen = BTreeSet::new();
    all.retain(|(path, format)| {
        let folder = path.parent().map(Path::to_owned);
        path.starts_with(&healthy) || seen.insert((folder, format.map(|format| format.name)))
    });
    all
}

/// Whether its report says that there is nothing to check.
fn is_no_recording(fixture: &Path) -> bool {
    let name = name_of(fixture);
    let stem = name.split('.').next().unwrap_or_default();
    let report = fs::read_to_string(fixture.with_file_name(format!("{stem}.report.txt")));
    report.is_ok_and(|report| report.contains("\nnot checked"))
}

/// The transcripts in a fixture, as they are found without naming a format.
fn found(fixture: &Path) -> Vec<Found> {
    find(&[fixture.to_owned()], None).found.iter().map(|located| located.open().unwrap()).collect()
}

/// The sample of a transcript that formats examine.
fn head<'a>(source: &'a Source, name: &'a str) -> Sample<'a> {
    match source.shape() {
        SourceShape::Folder | SourceShape::Archive => Sample::of_names(source, name),
        _ => Sample::of_file(source, EntryId(0), name).unwrap(),
    }
}

/// The detected format of a transcript; its candidates if that is unclear, none if it is not a
/// transcript.
fn told(source: &Source, name: &str) -> Result<&'static str, Vec<&'static str>> {
    match detect(&head(source, name)) {
        Detected::Is(Recognized::Read(detection)) => Ok(detection.format.name),
        Detected::Is(Recognized::Named(_)) => Err(Vec::new()),
        Detected::Unclear(candidates) => {
            Err(candidates.iter().map(FormatCandidate::name).collect())
        }
    }
}

#[test]
fn every_transcript_has_its_own_format() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (path, named) in fixtures() {
        let found = found(&path);
        if found.is_empty() && !is_no_recording(&path) {
            wrong.push(format!("{} is of no format", path.display()));
        }
        for one in &found {
            seen += 1;
            if named.is_some_and(|named| named.name != one.detection.format.name) {
                wrong.push(format!("{} is read as {}", path.display(), one.detection.format.name));
            }
        }
    }
    assert!(seen > 0 && wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether only plain text is left, which several formats share: the user then decides.
fn shows_nothing(source: &Source, name: &str) -> bool {
    let Ok(head) = Sample::of_file(source, EntryId(0), name) else {
        return false;
    };
    let mut unsigned = hosts::ALL.iter().filter_map(|format| format.traits.unsigned);
    unsigned.any(|(_, recognize)| recognize(&head).is_some())
}

/// Formats whose messages are those of another one, where only the document around them, or the first of them, says
/// which host keeps them.
const BY_DOCUMENT: &[(&str, &str)] = &[
    ("mini-swe-agent", "openai-chat"),
    ("swe-agent", "openai-chat"),
    ("hermes", "openai-chat"),
    ("cline-roo", "anthropic-messages"),
    ("cline-roo", "openai-responses"),
    // Messages without a call.
    ("ag-ui", "openai-chat"),
    ("ag-ui", "langchain"),
    ("ai-sdk-4", "openai-chat"),
    ("ai-sdk-4", "ai-sdk-ui"),
    // The older of messages of two versions.
    ("ai-sdk-ui", "ai-sdk-4"),
];

/// Parts of a file as left by a kill, a window without its start, or a paste without its end.
fn pieces(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut pieces: Vec<Vec<u8>> = [2, 3, 10]
        .into_iter()
        .map(|part| bytes[..bytes.len() - bytes.len() / part].to_vec())
        .collect();
    pieces.extend([10, 2].map(|part| bytes[..bytes.len() / part].to_vec()));
    let behind_first =
        bytes.iter().position(|byte| *byte == b'\n').map(|at| bytes[at + 1..].to_vec());
    pieces.extend(behind_first);
    pieces.push(bytes[bytes.len() / 2..].to_vec());
    pieces.push([b"\xEF\xBB\xBF", bytes].concat());
    pieces.push([b"\0\0\n", bytes].concat());
    pieces
}

/// Whether a complete record is left: a line, or an element of a list in the document or in a
/// member of it. A start like `[{"role": "user", "content": [` fits several formats.
fn holds_a_record(piece: &[u8]) -> bool {
    let is_object =
        |line: &[u8]| serde_json::from_slice::<serde_json::Map<_, serde_json::Value>>(line).is_ok();
    if piece.split(|byte| *byte == b'\n').any(is_object) {
        return true;
    }
    let start = piece.iter().position(|byte| matches!(byte, b'[' | b'{')).unwrap_or(piece.len());
    let document = &piece[start..];
    let tape = scan(document, ScanMode::Document);
    let is_whole = |node: Node<'_>| node.kind() == Kind::Object && !node.is_open();
    let root = Node::root(&tape, &document);
    root.is_some_and(|root| {
        root.items().any(is_whole) || root.members().any(|(_, value)| value.items().any(is_whole))
    })
}

#[test]
fn a_part_of_a_transcript_has_no_other_format() {
    let (mut wrong, mut right) = (Vec::new(), 0);
    for (path, named) in sampled().into_iter().filter(|(path, _)| path.is_file()) {
        let (Some(named), Ok(bytes)) = (named, fs::read(&path)) else {
            continue;
        };
        let pieces = pieces(&bytes).into_iter().enumerate();
        for (number, piece) in pieces.filter(|(_, piece)| holds_a_record(piece)) {
            let source = Source::memory("piece", vec![("piece".to_owned(), piece)]);
            let is = told(&source, "piece");
            right += usize::from(is == Ok(named.name));
            if let Some(other) = is.ok().filter(|other| *other != named.name)
                && !BY_DOCUMENT.contains(&(named.name, other))
                && !shows_nothing(&source, "piece")
            {
                wrong.push(format!("piece {number} of {} is read as {other}", path.display()));
            }
        }
    }
    assert!(right > 0 && wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Members that hold the list of records in the documents of some format.
const MEMBERS: &[&str] =
    &["items", "events", "history", "trajectory", "messages", "steps", "transcript"];

/// The records of a file: its lines, the elements of its list, or those of a list in it.
fn records(bytes: &[u8]) -> Vec<serde_json::Value> {
    use serde_json::Value;
    let document = serde_json::from_slice(bytes);
    let list = match document {
        Ok(Value::Array(list)) => Some(list),
        Ok(Value::Object(mut members)) => {
            MEMBERS.iter().find_map(|key| match members.remove(*key) {
                Some(Value::Array(list)) => Some(list),
                _ => None,
            })
        }
        _ => None,
    };
    let lines =
        || bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    list.unwrap_or_else(|| lines().collect())
}

/// The name of a transcript, and its entries by name.
type Container = (String, Vec<(String, Vec<u8>)>);

/// These records in every container of a single file, and in folders of numbered files.
fn containers(records: &[serde_json::Value]) -> Vec<Container> {
    let file = |name: &str, bytes: Vec<u8>| (name.to_owned(), vec![(name.to_owned(), bytes)]);
    let list = serde_json::Value::from(records.to_vec());
    let lines: Vec<Vec<u8>> =
        records.iter().map(|record| serde_json::to_vec(record).unwrap()).collect();
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
fn records_show_their_format_in_every_container() {
    let (mut wrong, mut right) = (Vec::new(), 0);
    for (path, named) in sampled().into_iter().filter(|(path, _)| path.is_file()) {
        let (Some(named), Ok(bytes)) = (named, fs::read(&path)) else {
            continue;
        };
        // As many as detection examines.
        let records: Vec<serde_json::Value> = records(&bytes).into_iter().take(20).collect();
        if records.is_empty() {
            continue;
        }
        for (name, entries) in containers(&records) {
            let source = Source::memory(&name, entries);
            match told(&source, &name) {
                Ok(own) if own == named.name => right += 1,
                Ok(other) if BY_DOCUMENT.contains(&(named.name, other)) => {}
                Ok(other) if !shows_nothing(&source, &name) => {
                    wrong.push(format!("{} as {name} is read as {other}", path.display()));
                }
                _ => {}
            }
        }
    }
    assert!(right > 0 && wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Files that may be of any of the formats that their names list, as `A-and-B`, and texts that only quote records.
#[test]
fn unclear_files_name_their_candidates() {
    let mut wrong = Vec::new();
    for path in below(&root().join("unclear")) {
        let name = name_of(&path);
        let source = Source::file(&path).unwrap();
        let is = told(&source, &name);
        let right = is.as_ref().is_err_and(|candidates| {
            !candidates.is_empty() && candidates.iter().all(|candidate| name.contains(candidate))
        });
        if !right {
            wrong.push(format!("{name} is told to be {is:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What other programs write in a similar layout is of no format, and `--from` is named where one comes close.
#[test]
fn files_of_other_programs_are_claimed_by_no_format() {
    let mut wrong = Vec::new();
    for path in below(&root().join("foreign")) {
        let name = name_of(&path);
        let source = Source::file(&path).unwrap();
        if let Ok(format) = told(&source, &name) {
            wrong.push(format!("{name} is read as {format}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A file is found by its first records if they say enough. Of two sessions in one file, they say no more than all.
#[test]
fn the_beginning_of_a_file_does_not_hide_a_second_session() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mixed.jsonl");
    let lines = |path: &Path| -> Vec<Vec<u8>> {
        let bytes = fs::read(path).unwrap();
        bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    let of = |format: &&'static Format| {
        let all = below(&root().join("healthy").join(format.name));
        let files = all.iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
        files.map(|path| lines(path)).max_by_key(|lines| lines.len().min(20))
    };
    let sessions: Vec<Vec<Vec<u8>>> = hosts::ALL.iter().filter_map(of).collect();
    let mut wrong = Vec::new();
    for (first, second) in
        sessions.iter().flat_map(|first| sessions.iter().map(move |second| (first, second)))
    {
        for count in [4, 7, 10] {
            let mixed = first.iter().take(count).chain(second.iter().take(12));
            fs::write(&path, mixed.flatten().copied().collect::<Vec<u8>>()).unwrap();
            let is = told(&Source::file(&path).unwrap(), "mixed.jsonl").ok();
            let found = found(&path).first().map(|found| found.detection.format.name);
            if is != found {
                wrong.push(format!("{count} lines, then others: {is:?}, not {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a record is kept, by its index and the number of records.
type Keep = fn(usize, usize) -> bool;

/// Subsets of the records, as people cut and sample them.
const PARTS: &[(&str, Keep)] = &[
    ("all records", |_, _| true),
    ("the first half", |at, all| 2 * at < all),
    ("the last half", |at, all| 2 * at >= all),
    ("every second one", |at, _| at % 2 == 0),
    ("a random half", |at, _| is_drawn(at, 1)),
    ("another random half", |at, _| is_drawn(at, 2)),
];

/// Whether a record is drawn: the top bit of a hash of its index, so that each run draws the same half.
fn is_drawn(at: usize, seed: u64) -> bool {
    // SplitMix64.
    let mut x = (at as u64).wrapping_add(seed << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (x ^ (x >> 31)) >> 63 == 1
}

/// A transcript with only some of its records: lines, or elements of the list in a document.
fn part(bytes: &[u8], keep: Keep) -> Vec<u8> {
    use serde_json::Value;
    let some = |list: Vec<Value>| {
        let all = list.len();
        let kept = list.into_iter().enumerate().filter(|(at, _)| keep(*at, all));
        Value::from(kept.map(|(_, value)| value).collect::<Vec<_>>())
    };
    match serde_json::from_slice(bytes) {
        Ok(Value::Array(list)) => serde_json::to_vec(&some(list)).unwrap(),
        Ok(Value::Object(mut members)) => {
            let lists = members.values_mut().filter(|value| value.is_array());
            if let Some(longest) = lists.max_by_key(|value| value.as_array().map_or(0, Vec::len)) {
                let list = longest.as_array_mut().map(std::mem::take);
                *longest = some(list.unwrap_or_default());
            }
            serde_json::to_vec(&members).unwrap()
        }
        _ => {
            let lines: Vec<&[u8]> =
                bytes.split(|byte| *byte == b'\n').filter(|l| !l.is_empty()).collect();
            let all = lines.len();
            let kept = lines.into_iter().enumerate().filter(|(at, _)| keep(*at, all));
            kept.flat_map(|(_, line)| [line, b"\n"].concat()).collect()
        }
    }
}

/// How well a format fits the transcripts of another one: how many it explains, and which share of
/// their records.
#[derive(Default)]
struct Column {
    recordings: usize,
    least: Option<(u32, u32)>,
    most: Option<(u32, u32)>,
}

impl Column {
    fn add(&mut self, (own, of): (u32, u32)) {
        self.recordings += 1;
        let less = |a: (u32, u32), b: (u32, u32)| a.0 * b.1.max(1) < b.0 * a.1.max(1);
        let fit = (own, of);
        if self.least.is_none_or(|least| less(fit, least)) {
            self.least = Some(fit);
        }
        if self.most.is_none_or(|most| less(most, fit)) {
            self.most = Some(fit);
        }
    }
}

/// The formats that may fit a transcript, with how many of its records they explain.
fn fits(source: &Source, name: &str) -> Vec<(&'static str, (u32, u32))> {
    let found = candidates(&head(source, name), true);
    found.iter().map(|candidate| (candidate.name(), candidate.fit.count())).collect()
}

/// Every fixture against every format, complete and in parts. `--nocapture` prints how many
/// fixtures of each format the other formats may claim, and which share of the first records they
/// explain; the bounds of `detect::candidates` were chosen from this.
#[test]
fn formats_are_distinguishable() {
    let mut table: BTreeMap<(&str, &str), BTreeMap<&str, Column>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (path, named) in sampled().into_iter().filter(|(path, _)| path.is_file()) {
        let Ok(bytes) = fs::read(&path) else { continue };
        let name = name_of(&path);
        let whole = Source::memory(&name, vec![(name.clone(), bytes.clone())]);
        let Ok(own) = named.map_or_else(|| told(&whole, &name), |named| Ok(named.name)) else {
            continue;
        };
        for (kept, keep) in PARTS {
            let source = Source::memory(&name, vec![(name.clone(), part(&bytes, *keep))]);
            let fits = fits(&source, &name);
            for (format, count) in &fits {
                table.entry((own, kept)).or_default().entry(format).or_default().add(*count);
            }
            // A part without any sign of its format may fit any format of plain texts, or none.
            let shows_own =
                fits.iter().any(|(format, _)| *format == own) && !shows_nothing(&source, &name);
            let told = told(&source, &name);
            let is_like = |other: &&str| *other == own || BY_DOCUMENT.contains(&(own, other));
            let is_alike = match &told {
                Ok(other) => is_like(other),
                Err(candidates) => candidates.contains(&own) && candidates.iter().all(is_like),
            };
            if shows_own && told != Ok(own) && !is_alike {
                wrong.push(format!("{kept} of {}: {fits:?}", path.display()));
            }
        }
    }
    for ((own, kept), columns) in &table {
        println!("{own}, {kept}");
        for (format, Column { recordings, least, most }) in columns {
            let share = |fit: &Option<(u32, u32)>| {
                fit.map_or(String::new(), |(own, of)| format!("{own}/{of}"))
            };
            println!("  {format:<40} {recordings:>4}  {:>5} to {:>5}", share(least), share(most));
        }
    }
    assert!(!table.is_empty() && wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A transcript with a damaged start, which does not change its format.
fn damaged(bytes: &[u8]) -> Vec<Vec<u8>> {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
        return Vec::new();
    };
    let (first, rest) = (&bytes[..end], &bytes[end..]);
    let torn = [&first[..first.len() / 2], rest].concat();
    let begun_late = [&first[first.len() / 2..], rest].concat();
    let padded = [&[0; 512], bytes].concat();
    let zeroed = [vec![0; end], rest.to_vec()].concat();
    let glued = [first, &rest[1..]].concat();
    vec![torn, begun_late, padded, zeroed, glued]
}

#[test]
fn a_damaged_start_does_not_change_the_format() {
    let mut wrong = Vec::new();
    let lines = |path: &Path| path.extension().is_some_and(|ending| ending == "jsonl");
    for (path, named) in sampled().into_iter().filter(|(path, _)| lines(path)) {
        let (Some(named), Ok(bytes)) = (named, fs::read(&path)) else {
            continue;
        };
        if bytes.iter().filter(|byte| **byte == b'\n').count() < 4 {
            continue;
        }
        for (number, damaged) in damaged(&bytes).into_iter().enumerate() {
            let source = Source::memory("damaged", vec![("damaged".to_owned(), damaged)]);
            let is = told(&source, "damaged");
            let by_document = is.as_ref().is_ok_and(|is| BY_DOCUMENT.contains(&(named.name, is)));
            if is != Ok(named.name) && !by_document && !shows_nothing(&source, "damaged") {
                wrong.push(format!("damage {number} of {}: {is:?}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The first record of one line file of each format, as an exotic record among others.
fn exotic() -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let unclear = below(&root().join("unclear"));
    let unclear = unclear.into_iter().map(|path| (name_of(&path), path));
    let read =
        fixtures().into_iter().filter_map(|(path, named)| Some((named?.name.to_owned(), path)));
    for (name, path) in unclear.chain(read) {
        let Ok(bytes) = fs::read(&path) else { continue };
        let line = bytes
            .split(|byte| *byte == b'\n')
            .find(|line| line.starts_with(b"{") && line.len() > 2);
        if let Some(line) =
            line.filter(|_| path.extension().is_some_and(|ending| ending == "jsonl"))
        {
            all.entry(name).or_insert_with(|| line.to_vec());
        }
    }
    all
}

#[test]
fn one_exotic_record_decides_nothing() {
    let (exotic, mut wrong, mut seen) = (exotic(), Vec::new(), 0);
    for format in hosts::ALL {
        for path in below(&root().join("healthy").join(format.name)) {
            let Some(bytes) =
                fs::read(&path).ok().filter(|_| path.extension() == Some("jsonl".as_ref()))
            else {
                continue;
            };
            let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
            let own = Source::memory("a", vec![("a".to_owned(), bytes.clone())]);
            if lines.len() < 4 || told(&own, "a") != Ok(format.name) {
                continue;
            }
            for (from, line) in &exotic {
                for at in [0, lines.len() / 2] {
                    let (before, after) = lines.split_at(at);
                    let mixed = [&before.concat(), line, &b"\n"[..], &after.concat()].concat();
                    let source = Source::memory("a", vec![("a".to_owned(), mixed)]);
                    seen += 1;
                    let is = told(&source, "a");
                    // The message formats are general: every line must be a message, or no format
                    // is detected. One record alone may say whose messages these are.
                    let by_document = BY_DOCUMENT.iter().any(|(own, _)| *own == format.name);
                    let is_general = format.rank >= Rank::Api || by_document;
                    if is == Ok(format.name) || (is.is_err() && is_general) {
                        continue;
                    }
                    // If another format explains everything, the records belong to that one.
                    let fits = fits(&source, "a");
                    if !fits.iter().any(|(name, (own, of))| *name != format.name && own == of) {
                        wrong.push(format!("{from} at {at} of {}: {fits:?}", path.display()));
                    }
                }
            }
        }
    }
    assert!(seen > 0 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_format_has_healthy_fixtures() {
    let with = |format: &&&Format| {
        let database = root().join("databases").join(format!("{}.db", format.name));
        let folder = root().join("healthy").join(format.name);
        !database.is_file() && below(&folder).is_empty()
    };
    let without: Vec<&str> = hosts::ALL.iter().filter(with).map(|format| format.name).collect();
    assert!(without.is_empty(), "formats without healthy recordings: {}", without.join(", "));
}

/// A transcript as the only element of a list: a document as it is, lines as a list of them.
fn in_list(bytes: &[u8]) -> Option<Vec<u8>> {
    use serde_json::Value;
    let whole: Value = serde_json::from_slice(bytes).unwrap_or_else(|_| {
        let lines = bytes.split(|byte| *byte == b'\n');
        Value::from_iter(lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok()))
    });
    let is_empty = whole.as_array().is_some_and(Vec::is_empty);
    (!is_empty).then(|| serde_json::to_vec(&[whole]).unwrap())
}

/// A part of a transcript, and a transcript in a list, may have lost the sign of its format. Then no
/// other format has it.
#[test]
fn no_other_format_takes_a_part() {
    let (mut wrong, mut right) = (Vec::new(), 0);
    for (path, named) in sampled().into_iter().filter(|(path, _)| path.is_file()) {
        let (Some(named), Ok(bytes)) = (named, fs::read(&path)) else {
            continue;
        };
        let parts = PARTS.iter().map(|(kept, keep)| (*kept, Some(part(&bytes, *keep))));
        for (kept, part) in parts.chain([("an element of a list", in_list(&bytes))]) {
            let Some(part) = part else { continue };
            let source = Source::memory("part", vec![("part".to_owned(), part)]);
            match told(&source, "part") {
                Ok(own) if own == named.name => right += 1,
                Ok(other) if BY_DOCUMENT.contains(&(named.name, other)) => {}
                Ok(other) if !shows_nothing(&source, "part") => {
                    wrong.push(format!("{kept} of {} is read as {other}", path.display()));
                }
                _ => {}
            }
        }
    }
    assert!(right > 0 && wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A turn with a call, which shows whose API it is. The formats that have messages with a role.
fn telling() -> [(&'static str, serde_json::Value); 4] {
    let chat = json!([
        {"role": "assistant", "content": null,
         "tool_calls": [{"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "a"},
    ]);
    let anthropic = json!([
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a"}]},
    ]);
    let responses = json!([
        {"type": "function_call", "call_id": "c", "name": "ls", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "a"},
    ]);
    let sdk = json!([
        {"role": "assistant",
         "content": [{"type": "tool-call", "toolCallId": "c", "toolName": "ls", "input": {}}]},
        {"role": "tool",
         "content": [{"type": "tool-result", "toolCallId": "c", "toolName": "ls",
                      "output": {"type": "text", "value": "a"}}]},
    ]);
    [
        ("openai-chat", chat),
        ("anthropic-messages", anthropic),
        ("openai-responses", responses),
        ("ai-sdk-model", sdk),
    ]
}

fn lines(values: &[serde_json::Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

#[test]
fn text_before_the_first_call_does_not_hide_the_format() {
    let said = |role: &str, text: String| json!({"role": role, "content": text});
    let blocks = |role: &str| json!({"role": role, "content": [{"type": "text", "text": "K"}]});
    for (wanted, turn) in telling() {
        let turn = turn.as_array().unwrap();
        let with = |before: Vec<serde_json::Value>| [before, turn.clone()].concat();
        let mut files = Vec::new();
        for pairs in [1, 15, 200] {
            let pair =
                |at: usize| [said("user", format!("K{at}")), said("assistant", "L".to_owned())];
            files.push(with((0..pairs).flat_map(pair).collect()));
            files.push(with(
                (0..pairs).flat_map(|_| [blocks("user"), blocks("assistant")]).collect(),
            ));
        }
        // A message that is longer than what is read of a file first.
        files.push(with(vec![said("user", "K".repeat(1 << 21))]));
        files.push(with(vec![said("user", "K".to_owned()), said("user", "K".repeat(1 << 21))]));
        for messages in files {
            let first = &messages[..messages.len().min(6) - turn.len()];
            let row = |messages: &[serde_json::Value]| json!({"messages": messages});
            let others = if messages.len() < 6 { 0 } else { 30 };
            let rows = [vec![row(first); others], vec![row(&messages); 5]].concat();
            let texts = [
                lines(&messages),
                json!(messages).to_string(),
                serde_json::to_string_pretty(&messages).unwrap(),
                serde_json::to_string_pretty(&row(&messages)).unwrap(),
                lines(&rows),
            ];
            for text in texts {
                let begin: String = text.chars().take(60).collect();
                let size = text.len();
                let source = Source::memory("part", vec![("part".to_owned(), text.into_bytes())]);
                let found = told(&source, "part");
                assert!(found == Ok(wanted), "{wanted}, {size} bytes, {begin}: {found:?}");
            }
        }
    }
}
