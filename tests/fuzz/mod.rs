//! Any bytes at all: nothing may panic, hang, or break a promise. Inputs are fixtures with a few random changes, in this process.
//!
//! `FUZZ=600` runs each target for so many seconds, `FUZZ_SEED` begins elsewhere, `FUZZ_KEEP` is a folder for what fails. A run ends
//! with the number of executions; one that fails prints its input, which becomes a fixture.

use std::env;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::support::cases::{below, root, two_below};
use crate::support::{Opened, files};
use transcript_doctor::testing::bytes::edit::Edit;
use transcript_doctor::testing::bytes::overlay::Overlay;
use transcript_doctor::testing::bytes::patch::Patch;
use transcript_doctor::testing::bytes::source::{EntryId, Source, Span};
use transcript_doctor::testing::engine::CheckOptions;
use transcript_doctor::testing::find::find;
use transcript_doctor::testing::fuzzing;
use transcript_doctor::testing::json::scan::{ScanMode, Scanner, scan};
use transcript_doctor::testing::json::tape::Tape;
use transcript_doctor::testing::redact::copy;
use transcript_doctor::testing::repair::Policy;
use transcript_doctor::testing::report::redact::People;

/// Executions of each target if nothing is said: so few that they take no time, in the same order each time.
const FEW: u64 = 40;
/// One execution that takes longer hangs.
const LONGEST: Duration = Duration::from_secs(20);
/// Larger fixtures would take most of the time.
const LARGEST: u64 = 12_000;
/// What formats are made of, which a change of one byte would never find.
const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\n",
    "\r\n",
    "\0\0\0\0",
    "\u{feff}",
    "\\ud83d",
    "null",
    "true",
    "{}",
    "[]",
    "\"\"",
    "-1",
    "1e999",
    "18446744073709551616",
    "\"role\":\"tool\"",
    "\"type\":\"tool_use\"",
    "\"tool_calls\":[",
    "\"id\":\"\"",
    "\"content\":[]",
    "\"parentUuid\":null",
    "{\"items\":[",
    "\"call_id\":",
    "\u{202e}",
    "\u{1b}[2J",
    "call_1",
    "toolu_01A",
];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() >> 16).unwrap_or_default() % limit.max(1)
    }
}

type Corpus = Vec<(String, Vec<u8>)>;

/// The files of fixtures whose names end so; of folders, each file.
fn corpus(endings: &[&str]) -> Corpus {
    let flat = ["bytes", "databases", "rows", "unclear", "foreign", "samples"];
    let flat = flat.iter().flat_map(|folder| below(&root().join(folder)));
    let mut paths: Vec<PathBuf> =
        two_below("healthy").into_iter().chain(two_below("rules")).chain(flat).collect();
    let mut all = Corpus::new();
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(fs::read_dir(&path).unwrap().map(|item| item.unwrap().path()));
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_small = path.metadata().unwrap().len() <= LARGEST || endings.contains(&".db");
        if is_small && endings.iter().any(|ending| name.ends_with(ending)) {
            all.push((name, fs::read(path).unwrap()));
        }
    }
    all.sort();
    assert!(!all.is_empty(), "{endings:?}");
    all
}

/// A member of the corpus after a few changes.
fn mutant(corpus: &Corpus, random: &mut Random) -> (String, Vec<u8>) {
    let (name, mut bytes) = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len() + 1);
        let most = 1 << random.below(9);
        let length = random.below(most);
        let end = (at + length).min(bytes.len());
        match random.below(9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => {
                bytes[at] = u8::try_from(random.below(256)).unwrap_or_default()
            }
            2 => drop(bytes.drain(at..end)),
            3 => bytes.truncate(at),
            4 => {
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            5 => bytes[at..end].fill(0),
            6 => {
                let (_, other) = &corpus[random.below(corpus.len())];
                let from = random.below(other.len() + 1);
                let until = (from + 4 * length).min(other.len());
                bytes.splice(at..end, other[from..until].iter().copied());
            }
            _ => {
                let word = WORDS[random.below(WORDS.len())];
                bytes.splice(at..at, word.bytes());
            }
        }
    }
    (name, bytes)
}

/// Runs a target until its time is over.
fn fuzz(target: &str, corpus: &Corpus, run: &dyn Fn(&str, &[u8])) {
    // Without optimization, each error text is compared with all known ones for a long time.
    let few = if target == "error texts" { FEW / 5 } else { FEW };
    let seconds: Option<u64> = env::var("FUZZ").ok().and_then(|seconds| seconds.parse().ok());
    let seed: u64 = env::var("FUZZ_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    // Targets with the same corpus get other bytes of the same seed.
    let own = target.bytes().fold(seed, |own, byte| own.wrapping_mul(31).wrapping_add(byte.into()));
    let mut random = Random((own | 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let start = Instant::now();
    let mut executions = 0;
    loop {
        let is_over = match seconds {
            Some(seconds) => start.elapsed() >= Duration::from_secs(seconds),
            None => executions >= few,
        };
        if is_over {
            break;
        }
        let (name, bytes) = mutant(corpus, &mut random);
        let begun = Instant::now();
        let done = catch_unwind(AssertUnwindSafe(|| run(&name, &bytes)));
        executions += 1;
        if done.is_err() || begun.elapsed() > LONGEST {
            keep(target, &name, &bytes);
            let shown: String = String::from_utf8_lossy(&bytes).chars().take(3000).collect();
            panic!(
                "{target}, seed {seed}, execution {executions}, {:?}, {name}: {shown}",
                begun.elapsed()
            );
        }
    }
    println!("{target}: {executions} executions, seed {seed}, {:?}", start.elapsed());
}

fn keep(target: &str, name: &str, bytes: &[u8]) {
    if let Some(folder) = env::var_os("FUZZ_KEEP") {
        let folder = Path::new(&folder);
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join(format!("{target}-{name}")), bytes).unwrap();
    }
}

const TEXTS: &[&str] = &[".json", ".jsonl"];

#[test]
fn fuzz_scanner() {
    let corpus = corpus(TEXTS);
    fuzz("scanner", &corpus, &|_, bytes| {
        for mode in [ScanMode::Line, ScanMode::Document] {
            scan(bytes, mode);
            // In pieces, as it comes from a disk.
            let (mut scanner, mut tape) = (Scanner::new(mode), Tape::default());
            scanner.start(&mut tape);
            let is_over = bytes.chunks(7).any(|piece| scanner.feed(piece, &mut tape).is_some());
            if !is_over {
                scanner.finish(&mut tape);
            }
        }
    });
}

#[test]
fn fuzz_readers() {
    let corpus = corpus(TEXTS);
    fuzz("readers", &corpus, &|name, bytes| {
        if let Some(opened) = Opened::of_bytes(name, bytes) {
            let _ = opened.judge(&CheckOptions::default());
        }
    });
}

#[test]
fn fuzz_repair() {
    let corpus = corpus(TEXTS);
    fuzz("repair", &corpus, &|name, bytes| {
        let Some(opened) = Opened::of_bytes(name, bytes) else {
            return;
        };
        // Rows are repaired one by one.
        if opened.detection.conversations.are_rows() {
            return;
        }
        if let Ok(done) = opened.plan(&CheckOptions::default(), &Policy::default()) {
            let back = done.patch.inverse(&opened.source).unwrap();
            let overlay = Overlay::new(&opened.source, &done.patch);
            assert_eq!(files(&Overlay::new(&overlay, &back)), files(&opened.source));
        }
    });
}

/// Opens bytes as a file on disk, as any command does, and judges everything in it.
fn judge_file(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    for located in find(&[path], None).found.iter().take(3) {
        if let Ok(found) = located.open() {
            let opened =
                Opened { source: found.source, detection: found.detection, name: name.to_owned() };
            let _ = opened.judge(&CheckOptions::default());
        }
    }
    for item in fs::read_dir(folder).unwrap() {
        fs::remove_file(item.unwrap().path()).unwrap();
    }
}

#[test]
fn fuzz_containers() {
    use std::io::Write;
    let mut packed = Corpus::new();
    for (name, bytes) in corpus(TEXTS).into_iter().step_by(9) {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&bytes).unwrap();
        packed.push((format!("{name}.gz"), gzip.finish().unwrap()));
    }
    packed.extend(corpus(&[".eval", ".zip", ".gz", ".zst"]));
    let folder = tempfile::tempdir().unwrap();
    fuzz("containers", &packed, &|name, bytes| judge_file(folder.path(), name, bytes));
}

#[test]
fn fuzz_databases() {
    let corpus = corpus(&[".db", ".sqlite", ".db-wal", ".sqlite-wal"]);
    let folder = tempfile::tempdir().unwrap();
    fuzz("databases", &corpus, &|name, bytes| judge_file(folder.path(), name, bytes));
}

#[test]
fn fuzz_msgpack() {
    let seeds: &[&[u8]] = &[
        b"\x82\xa4role\xa4user\xa7content\xa5hello",
        b"\x93\x01\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00\xc0",
        b"\xc7\x08\x05\x93\xa1a\xa1b\x82\xa1x",
        b"\xdc\x00\x03\xc2\xc3\xd9\x02hi",
        b"\xdf\x00\x00\x00\x01\xa1k\xc4\x02\xff\xfe",
    ];
    let corpus: Corpus = seeds.iter().map(|seed| ("value".to_owned(), seed.to_vec())).collect();
    fuzz("msgpack", &corpus, &|_, bytes| {
        if let Some(json) = fuzzing::msgpack(bytes) {
            let read = serde_json::from_slice::<serde::de::IgnoredAny>(&json);
            assert!(read.is_ok(), "not JSON: {}", String::from_utf8_lossy(&json));
        }
    });
}

/// Edits at the places and with the bytes that the input names.
fn edits(bytes: &[u8], length: u64) -> Vec<Edit> {
    let pieces = bytes.chunks(6).take(12);
    let edit = |piece: &[u8]| {
        let number = |at: usize| u64::from(piece.get(at).copied().unwrap_or_default());
        let start = (number(0) << 8 | number(1)) % (length + 1);
        let end = (start + number(2) % 16).min(length);
        Edit::Bytes {
            at: Span { entry: EntryId(0), start, end },
            with: piece.get(3..).unwrap_or_default().to_vec(),
        }
    };
    pieces.map(edit).collect()
}

#[test]
fn fuzz_patch() {
    let corpus = corpus(TEXTS);
    fuzz("patch", &corpus, &|name, bytes| {
        let source = Source::memory(name, vec![(name.to_owned(), bytes.to_vec())]);
        let length = bytes.len() as u64;
        let Ok(first) = Patch::new(edits(bytes, length)) else {
            return;
        };
        let patched = Overlay::new(&source, &first);
        let middle = files(&patched);
        let back = first.inverse(&source).unwrap();
        assert_eq!(files(&Overlay::new(&patched, &back)), files(&source), "the inverse");
        let new_length = middle.values().map(|bytes| bytes.len() as u64).sum();
        let Ok(second) = Patch::new(edits(bytes.get(9..).unwrap_or_default(), new_length)) else {
            return;
        };
        let both = files(&Overlay::new(&patched, &second));
        let joined = first.clone().then(second, &source);
        assert_eq!(files(&Overlay::new(&source, &joined)), both, "two patches as one");
    });
}

const ERRORS: &[&str] = &[
    "API Error: 400 {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01A. Each `tool_use` block must have a corresponding `tool_result` block in the next message.\"}}",
    "BadRequestError: 400 An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1, call_2",
    "No tool output found for function call call_Zk3.",
    "ValidationException: Expected toolResult blocks at messages.4.content for the following Ids: tooluse_1",
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
];

#[test]
fn fuzz_error_texts() {
    // Texts of providers among the words of transcripts.
    let mut corpus = corpus(TEXTS);
    corpus.retain(|(_, bytes)| bytes.len() < 1500);
    for text in ERRORS {
        corpus.extend(vec![("error".to_owned(), text.as_bytes().to_vec()); 40]);
    }
    fuzz("error texts", &corpus, &|_, bytes| {
        fuzzing::error_text(&String::from_utf8_lossy(bytes));
    });
}

#[test]
fn fuzz_redaction() {
    let corpus = corpus(TEXTS);
    let folder = tempfile::tempdir().unwrap();
    let people = People::default();
    fuzz("redaction", &corpus, &|name, bytes| {
        let Some(opened) = Opened::of_bytes(name, bytes) else {
            return;
        };
        let inside = folder.path().join("copy");
        fs::create_dir(&inside).unwrap();
        let _ =
            copy(&opened.source, &opened.detection, name, &people, bytes.len() % 2 == 0, &inside);
        fs::remove_dir_all(inside).unwrap();
    });
}
