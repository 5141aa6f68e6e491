//! Two promises of every repair: it ends, and it is small compared with the transcript.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof};
use proptest::{prop_assert, prop_assert_eq, proptest, test_runner::FileFailurePersistence};
use serde_json::{Value, json};
use support::{Opened, keeps_its_promises};
use transcript_doctor::testing::engine::CheckOptions;
use transcript_doctor::testing::repair::{
    FEW_RECORDS, FEW_TURNS, ONE_RECORD_IN, ONE_TURN_IN, Policy, Refused,
};
use transcript_doctor::testing::transcript::replaced::{FEWEST_RECORDS, ONE_ID_IN};
use transcript_doctor::testing::transcript::{Code, Severity};

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 48,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..ProptestConfig::default()
    }
}

// A repair is small.

/// A kind of transcript, with damage that a safe repair would fix.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// Claude Code lines, some of which lost their content.
    Lines,
    /// Anthropic messages, some of which have empty content.
    Messages,
    /// OpenAI messages, some of whose calls have no result.
    Calls,
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![0..1_u8, 1..2_u8, 2..3_u8].prop_map(|n| match n {
        0 => Kind::Lines,
        1 => Kind::Messages,
        _ => Kind::Calls,
    })
}

/// A stored transcript of `turns` turns, of which `damaged` are damaged.
fn transcript(kind: Kind, turns: usize, damaged: &BTreeSet<usize>) -> (&'static str, Vec<u8>) {
    let mut records = Vec::new();
    if kind == Kind::Messages {
        // These show the provider of the messages.
        let call = json!([{"type": "tool_use", "id": "toolu_01", "name": "look", "input": {}}]);
        let result = json!([{"type": "tool_result", "tool_use_id": "toolu_01", "content": "seen"}]);
        let sign = [
            ("user", json!("look")),
            ("assistant", call),
            ("user", result),
            ("assistant", json!("seen")),
        ];
        records.extend(sign.map(|(role, content)| json!({"role": role, "content": content})));
    }
    for turn in 0..turns {
        let is_damaged = damaged.contains(&turn);
        let speaker = ["user", "assistant"][turn % 2];
        match kind {
            Kind::Lines => {
                let id = |number: usize| format!("{number:08x}-0000-4000-8000-000000000000");
                let parent = turn.checked_sub(1).map(|_| id(turn));
                let content = match (speaker, is_damaged) {
                    (_, true) => Value::Null,
                    ("user", _) => json!(format!("question {turn}")),
                    _ => json!([{"type": "text", "text": format!("answer {turn}")}]),
                };
                records.push(json!({
                    "parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": "/home/dev/demo",
                    "sessionId": id(0x1000_0000), "version": "2.1.150", "type": speaker, "uuid": id(turn + 1),
                    "message": {"role": speaker, "content": content},
                    "timestamp": format!("2026-03-01T10:{:02}:{:02}.000Z", turn / 60, turn % 60),
                }));
                let record = records.last_mut().unwrap();
                if speaker == "assistant" {
                    record["message"]["id"] = json!(format!("msg_01{turn:022}"));
                    record["message"]["type"] = json!("message");
                    record["message"]["model"] = json!("claude-opus-4-8");
                }
            }
            Kind::Messages => {
                let words = json!([{"type": "text", "text": format!("words {turn}")}]);
                let content = if is_damaged { json!([]) } else { words };
                records.push(json!({"role": speaker, "content": content}));
            }
            Kind::Calls => {
                let id = format!("call_{turn:024}");
                let call = json!({"id": id, "type": "function", "function": {"name": "look", "arguments": "{}"}});
                records.push(json!({"role": "user", "content": format!("question {turn}")}));
                records.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
                if !is_damaged {
                    records.push(json!({"role": "tool", "tool_call_id": id, "content": "seen"}));
                }
            }
        }
    }
    match kind {
        Kind::Lines => {
            let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
            ("session.jsonl", lines.into_bytes())
        }
        Kind::Messages | Kind::Calls => ("messages.json", serde_json::to_vec(&records).unwrap()),
    }
}

/// The elements or lines of a file.
fn records(bytes: &[u8]) -> Vec<Value> {
    match serde_json::from_slice(bytes) {
        Ok(Value::Array(list)) => list,
        _ => bytes
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect(),
    }
}

/// Whether a repair of this many damaged turns is within the documented bounds.
fn is_small(kind: Kind, turns: usize, damaged: usize) -> bool {
    let (few, one_in, all) = match kind {
        Kind::Calls => (FEW_TURNS, ONE_TURN_IN, turns),
        Kind::Lines => (FEW_RECORDS, ONE_RECORD_IN, turns),
        Kind::Messages => (FEW_RECORDS, ONE_RECORD_IN, turns + 4),
    };
    damaged <= few || damaged * one_in <= all
}

proptest! {
    #![proptest_config(config())]

    /// Below the bounds, damage is repaired. Above them it is refused, unless the user names the
    /// format and accepts the guess.
    #[test]
    fn a_repair_is_small_or_refused(
        kind in kind(),
        turns in 8..160_usize,
        share in 0.0..1.0_f64,
        seed in any::<u64>(),
    ) {
        // The next request would start with the last one, so it is left alone.
        let wanted = ((turns - 2) as f64 * share * share) as usize;
        let mut order: Vec<usize> = (0..turns - 1).collect();
        order.sort_by_key(|turn| (*turn as u64 + 1).wrapping_mul(seed | 1).rotate_left(17));
        let damaged: BTreeSet<usize> = order.into_iter().take(wanted).collect();
        let (name, bytes) = transcript(kind, turns, &damaged);
        let opened = Opened::of_bytes(name, &bytes).unwrap();
        let ask = CheckOptions::default();
        let policy = |with_unsafe, format_named| Policy { with_unsafe, format_named, ..Policy::default() };
        for (with_unsafe, named) in [(false, false), (false, true), (true, false), (true, true)] {
            let policy = policy(with_unsafe, named);
            let small = is_small(kind, turns, damaged.len());
            match opened.plan(&ask, &policy) {
                Ok(done) => {
                    prop_assert!(small || (with_unsafe && named), "{} of {turns} were repaired", damaged.len());
                    prop_assert_eq!(done.patch.is_empty(), damaged.is_empty());
                    let files = keeps_its_promises(&opened, &ask, &policy, &done);
                    let after = records(files.values().next().unwrap());
                    let stay = records(&bytes).into_iter().filter(|record| after.contains(record)).count();
                    let changed = records(&bytes).len() - stay;
                    let expected = if kind == Kind::Calls { 0 } else { damaged.len() };
                    prop_assert_eq!(changed, expected);
                }
                Err(Refused::Excess(_)) => prop_assert!(!(small || with_unsafe && named)),
                Err(other) => panic!("{other}"),
            }
        }
    }
}

// IDs that other programs replaced.

proptest! {
    #![proptest_config(config())]

    /// One ID on some records is damage, each time. On most records it was written by another
    /// program, and is reported once.
    #[test]
    fn an_id_on_most_records_is_a_placeholder(turns in 4..40_usize, share in 0.0..1.0_f64) {
        let (name, bytes) = transcript(Kind::Lines, turns, &BTreeSet::new());
        let shared = 2 + ((turns - 2) as f64 * share) as usize;
        let mut all = records(&bytes);
        let (first, mut before) = (all[0]["uuid"].clone(), Value::Null);
        for (number, record) in all.iter_mut().enumerate() {
            record["parentUuid"] = before;
            if number < shared {
                record["uuid"] = first.clone();
            }
            before = record["uuid"].clone();
        }
        let lines: String = all.iter().map(|record| format!("{record}\n")).collect();
        let opened = Opened::of_bytes(name, lines.as_bytes()).unwrap();
        let judged = opened.judge(&CheckOptions::default()).unwrap();
        let told: Vec<_> = judged.at_least(Severity::Warning).filter(|f| f.rule.code == Code::DuplicateRecordId).collect();
        let replaced = shared >= FEWEST_RECORDS && shared * ONE_ID_IN >= turns;
        if replaced {
            prop_assert_eq!(judged.at_least(Severity::Warning).count(), 1);
            prop_assert!(told[0].severity == Severity::Warning && told[0].fixes.is_empty());
            prop_assert!(opened.plan(&CheckOptions::default(), &Policy::default()).unwrap().patch.is_empty());
        } else {
            prop_assert_eq!(told.len(), shared - 1);
            for finding in told {
                // One that explains something fatal is as bad: the first ones may leave a loop of parents behind.
                let explains = finding.consequences.iter().map(|finding| finding.severity).max();
                let expected = explains.filter(|severity| *severity == Severity::Fatal).unwrap_or(Severity::Error);
                prop_assert_eq!(finding.severity, expected);
            }
        }
    }
}

// A repair ends.

/// All healthy files.
fn healthy() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/healthy");
    let below = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()).collect()
    };
    let mut files: Vec<PathBuf> = below(&root).iter().flat_map(|format| below(format)).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "json" || end == "jsonl"));
    files.sort();
    files
}

/// What a careless program does to the records of a transcript. Numbers are taken modulo the number
/// of records.
#[derive(Clone, Debug)]
enum Change {
    Drop(u16),
    Double(u16, u16),
    Move(u16, u16),
    /// A value of another type replaces a record.
    Bare(u16, u8),
    /// A value in a record is replaced by the same value of another record.
    Take(u16, u16, u16),
    /// A value in a record is emptied.
    Empty(u16, u16, u8),
    /// Each of these records names the next one as its parent.
    Backwards(u16, u16),
    /// A record gets another role.
    Role(u16, u8),
}

fn change() -> impl Strategy<Value = Change> {
    let (a, b, c, d) = (any::<u16>(), any::<u16>(), any::<u16>(), any::<u8>());
    prop_oneof![
        2 => a.prop_map(Change::Drop),
        2 => (a, b).prop_map(|(a, b)| Change::Double(a, b)),
        2 => (a, b).prop_map(|(a, b)| Change::Move(a, b)),
        1 => (a, d).prop_map(|(a, d)| Change::Bare(a, d)),
        4 => (a, b, c).prop_map(|(a, b, c)| Change::Take(a, b, c)),
        2 => (a, c, d).prop_map(|(a, c, d)| Change::Empty(a, c, d)),
        1 => (a, b).prop_map(|(a, b)| Change::Backwards(a, b)),
        1 => (a, d).prop_map(|(a, d)| Change::Role(a, d)),
    ]
}

/// Values that are not records.
fn bare(number: u8) -> Value {
    let all = [
        Value::Null,
        json!(true),
        json!(7),
        json!("tool"),
        json!([]),
        json!([{"role": "user"}]),
        json!({}),
    ];
    all[usize::from(number) % all.len()].clone()
}

/// JSON pointers to all values inside one.
fn pointers(value: &Value, at: &str, into: &mut Vec<String>) {
    let mut child = |key: String, value: &Value| {
        let own = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        into.push(own.clone());
        pointers(value, &own, into);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(key, value)| child(key.clone(), value)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, value)| child(at.to_string(), value))
        }
        _ => {}
    }
}

fn make(list: &mut Vec<Value>, change: &Change) {
    let count = list.len();
    if count == 0 {
        return;
    }
    let at = |number: &u16| usize::from(*number) % count;
    let some = |record: &Value, number: &u16| {
        let mut all = Vec::new();
        pointers(record, "", &mut all);
        (!all.is_empty()).then(|| all[usize::from(*number) % all.len()].clone())
    };
    match change {
        Change::Drop(a) => _ = list.remove(at(a)),
        Change::Double(a, b) => list.insert(at(b), list[at(a)].clone()),
        Change::Move(a, b) => {
            let moved = list.remove(at(a));
            list.insert(usize::from(*b) % count, moved);
        }
        Change::Bare(a, kind) => list[at(a)] = bare(*kind),
        Change::Take(a, b, c) => {
            let Some(pointer) = some(&list[at(a)], c) else {
                return;
            };
            if let Some(value) = list[at(b)].pointer(&pointer).cloned() {
                *list[at(a)].pointer_mut(&pointer).unwrap() = value;
            }
        }
        Change::Empty(a, c, kind) => {
            if let Some(pointer) = some(&list[at(a)], c) {
                *list[at(a)].pointer_mut(&pointer).unwrap() = bare(*kind);
            }
        }
        Change::Backwards(a, b) => {
            let (from, to) = (at(a).min(at(b)), at(a).max(at(b)));
            for (id, parent) in [("uuid", "parentUuid"), ("id", "parentId"), ("id", "parent_id")] {
                let ids: Vec<Value> = list.iter().map(|record| record[id].clone()).collect();
                for number in from..=to {
                    let named = if number == to { &ids[from] } else { &ids[number + 1] };
                    if let Some(link) = list[number].get_mut(parent) {
                        *link = named.clone();
                    }
                }
            }
        }
        Change::Role(a, role) => {
            let name = ["user", "assistant", "model", "tool", "system"][usize::from(*role) % 5];
            if let Some(role) = list[at(a)].get_mut("role") {
                *role = json!(name);
            }
        }
    }
}

/// The longest list of objects in a document: its records.
fn longest(value: &Value) -> Option<String> {
    let mut all = vec![String::new()];
    pointers(value, "", &mut all);
    let length =
        |pointer: &String| value.pointer(pointer).and_then(Value::as_array).map_or(0, Vec::len);
    all.into_iter().filter(|pointer| length(pointer) > 0).max_by_key(length)
}

fn changed(bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    if let Ok(mut document) = serde_json::from_slice::<Value>(bytes) {
        let Some(pointer) = longest(&document) else {
            return bytes.to_vec();
        };
        if let Some(Value::Array(list)) = document.pointer_mut(&pointer) {
            changes.iter().for_each(|change| make(list, change));
        }
        return serde_json::to_vec(&document).unwrap();
    }
    let mut list = records(bytes);
    changes.iter().for_each(|change| make(&mut list, change));
    list.iter().flat_map(|record| format!("{record}\n").into_bytes()).collect()
}

/// Repairs, and checks every promise. JSON must stay JSON.
fn ends(name: &str, bytes: &[u8], policy: &Policy) {
    let Some(opened) = Opened::of_bytes(name, bytes) else {
        return;
    };
    if opened.detection.conversations.are_rows() {
        return;
    }
    let ask = CheckOptions::default();
    match opened.plan(&ask, policy) {
        Ok(done) => {
            let files = keeps_its_promises(&opened, &ask, policy, &done);
            let is_json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).is_ok();
            let was_json = is_json(bytes) && opened.detection.layout.is_document();
            assert!(!was_json || files.values().all(|file| is_json(file)), "it was JSON");
            let found = Opened::of(
                name,
                files
                    .into_values()
                    .next()
                    .map(|file| (name.to_owned(), file))
                    .into_iter()
                    .collect(),
            );
            let fresh = found.and_then(|found| found.judge(&ask).ok());
            if let Some(fresh) = fresh.filter(|_| !policy.with_unsafe && !done.patch.is_empty()) {
                assert_eq!(fresh.verdict, done.after().verdict, "a fresh look");
            }
            assert!(
                done.after().verdict <= done.before.verdict.max(done.after().verdict.min(PENDING))
            );
        }
        Err(Refused::Read(_) | Refused::Excess(_)) => {}
        Err(other) => panic!("{other}"),
    }
}

const PENDING: transcript_doctor::testing::engine::Verdict =
    transcript_doctor::testing::engine::Verdict::Pending;

proptest! {
    #![proptest_config(config())]

    /// Whatever a program did to the records: the rounds end, a second repair does nothing, and
    /// nothing is judged worse.
    #[test]
    fn every_repair_ends(
        number in any::<u16>(),
        changes in vec(change(), 1..5),
        with_unsafe in any::<bool>(),
        format_named in any::<bool>(),
    ) {
        let files = healthy();
        let path = &files[usize::from(number) % files.len()];
        let name = path.file_name().unwrap().to_str().unwrap();
        let policy = Policy { with_unsafe, format_named, ..Policy::default() };
        ends(name, &changed(&fs::read(path).unwrap(), &changes), &policy);
    }
}

/// Cycles and chains in reverse order of any length: more records than a finding lists, or than
/// rounds were once allowed.
#[test]
fn repairs_of_long_cycles_end() {
    for length in [2, 3, 16, 17, 18, 40] {
        for insists in [false, true] {
            let (name, bytes) = transcript(Kind::Lines, length, &BTreeSet::new());
            let policy =
                Policy { with_unsafe: insists, format_named: insists, ..Policy::default() };
            let last = u16::try_from(length - 1).unwrap();
            ends(name, &changed(&bytes, &[Change::Backwards(0, last)]), &policy);
            let mut list = records(&bytes);
            list[0]["parentUuid"] = list[length - 1]["uuid"].clone();
            let circle: Vec<u8> =
                list.iter().flat_map(|record| format!("{record}\n").into_bytes()).collect();
            ends(name, &circle, &policy);
        }
    }
}
