//! Whatever happens to a transcript: nothing panics, nothing is lost, and a repair ends and does no
//! damage.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "fuzz/mod.rs"]
mod fuzz;
#[path = "support/program.rs"]
mod program;
mod support;

use std::fs;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof};
use proptest::{proptest, test_runner::FileFailurePersistence};
use support::damage::{Damage, broken, broken_folder, damage, folder_damage};
use support::{Files, Opened, keeps_its_promises, on_disk, tell};
use transcript_doctor::testing::engine::CheckOptions;
use transcript_doctor::testing::repair::{Policy, Refused, WriteStyle};
use transcript_doctor::testing::rules::{self, Finding, Prefer, Preference};

/// Healthy line files.
fn healthy() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/healthy/openhands");
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    paths.into_iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Healthy line files of every format, with their names. Large ones would take most of the time.
fn of_every_format() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/healthy");
    let formats = fs::read_dir(folder).unwrap().map(|item| item.unwrap());
    let mut paths: Vec<_> = formats
        .flat_map(|format| fs::read_dir(format.path()).unwrap())
        .map(|item| item.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    paths.sort();
    let named = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, fs::read(path).unwrap())
    };
    let files = paths.iter().map(named);
    files.filter(|(_, bytes)| bytes.len() < 30_000).collect()
}

fn a_file() -> impl Strategy<Value = usize> {
    0..of_every_format().len()
}

/// Its number: the bytes would hide the message of a failing test.
fn a_recording() -> impl Strategy<Value = usize> {
    0..healthy().len()
}

fn policy() -> impl Strategy<Value = (CheckOptions, Policy)> {
    let prefer =
        prop_oneof![4 => Just(Prefer::Rank), 1 => Just(Prefer::First), 1 => Just(Prefer::Last)];
    let strategy =
        prop_oneof![3 => Just(rules::Strategy::LeastLoss), 1 => Just(rules::Strategy::RemoveTurn)];
    (any::<bool>(), any::<bool>(), prefer, strategy).prop_map(|chosen| {
        let (with_unsafe, answer_pending, prefer, strategy) = chosen;
        let ask = CheckOptions {
            prefer: vec![Preference { keep: prefer, call: None }],
            strategy,
            ..CheckOptions::default()
        };
        (ask, Policy { with_unsafe, answer_pending, ..Policy::default() })
    })
}

/// Healthy persistence folders.
fn folders() -> Vec<Files> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/healthy/openhands");
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()).collect();
    paths.retain(|path| path.is_dir());
    paths.sort();
    let inner =
        |path: &std::path::PathBuf| fs::read_dir(path).unwrap().next().unwrap().unwrap().path();
    paths
        .iter()
        .map(inner)
        .filter(|path| path.join("base_state.json").is_file())
        .filter_map(|path| on_disk(&path))
        .collect()
}

fn a_folder() -> impl Strategy<Value = usize> {
    0..folders().len()
}

/// Judges and repairs, and checks every promise. Returns whether it was a transcript at all.
fn survives(file: &[u8], ask: &CheckOptions, policy: &Policy) -> bool {
    let opened = Opened::of_bytes("log.jsonl", file);
    opened.is_some_and(|opened| keeps(&opened, ask, policy))
}

fn keeps(opened: &Opened, ask: &CheckOptions, policy: &Policy) -> bool {
    match opened.plan(ask, policy) {
        Ok(done) => {
            keeps_its_promises(opened, ask, policy, &done);
            let (was, is) = (done.before.verdict, done.after().verdict);
            assert!(is <= was, "{was:?} becomes {is:?} by {}", tell::taken(&done));
        }
        Err(Refused::Read(_) | Refused::Excess(_)) => {}
        Err(Refused::Bug(why)) => panic!("{why}"),
        Err(Refused::Style(why)) => assert_eq!(policy.style, WriteStyle::Branch, "{why}"),
        // An archive with a damaged member stays as it is.
        Err(Refused::UnreadableMember(_)) => {}
    }
    true
}

/// Whether a repair does something if the check offers a fix. After several damages it may not, because one fix can make
/// another one impossible.
fn does_what_is_offered(opened: &Opened, ask: &CheckOptions, policy: &Policy) {
    let (Ok(judged), Ok(done)) = (opened.judge(ask), opened.plan(ask, policy)) else {
        return;
    };
    let offers = |finding: &&Finding| policy.admits(&judged, finding).is_some();
    if let Some(offered) = judged.findings.iter().find(offers) {
        let is_done = !done.patch.is_empty() || !done.withheld.is_empty();
        assert!(is_done, "offered, but not done: {}", offered.message);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 96,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..ProptestConfig::default()
    })]

    #[test]
    fn damaged_transcripts_are_repaired_without_loss(
        number in a_recording(),
        damages in vec(damage(), 1..4),
        (ask, policy) in policy(),
    ) {
        survives(&broken(&healthy()[number], &damages), &ask, &policy);
    }

    #[test]
    fn damaged_transcripts_of_every_format_are_repaired_without_loss(
        number in a_file(),
        damages in vec(damage(), 1..4),
        (ask, policy) in policy(),
    ) {
        let (name, bytes) = of_every_format().swap_remove(number);
        let opened = Opened::of_bytes(&name, &broken(&bytes, &damages));
        // Rows are repaired one by one.
        if let Some(opened) = opened.filter(|opened| !opened.detection.conversations.are_rows()) {
            keeps(&opened, &ask, &policy);
            if damages.len() == 1 {
                does_what_is_offered(&opened, &ask, &policy);
            }
        }
    }

    #[test]
    fn damaged_folders_are_repaired_without_loss(
        number in a_folder(),
        damages in vec(folder_damage(), 1..4),
        (ask, policy) in policy(),
    ) {
        if let Some(opened) = Opened::of("a folder", broken_folder(&folders()[number], &damages)) {
            keeps(&opened, &ask, &policy);
        }
    }

    #[test]
    fn arbitrary_bytes_among_records_are_harmless(
        number in a_recording(),
        noise in vec((any::<u16>(), vec(any::<u8>(), 0..24)), 1..6),
        (ask, policy) in policy(),
    ) {
        let mut file = healthy().swap_remove(number);
        for (at, bytes) in noise {
            let at = usize::from(at) % (file.len() + 1);
            file.splice(at..at, bytes);
        }
        survives(&file, &ask, &policy);
    }

    #[test]
    fn pages_survive_the_same_damage_as_lines(
        number in a_recording(),
        damages in vec(damage(), 1..3),
        (ask, policy) in policy(),
    ) {
        // Only damage that keeps every line a JSON value can be put into a page.
        let file = broken(&healthy()[number], &damages);
        let is_json = |line: &&[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok();
        let lines: Vec<&[u8]> = file.split(|byte| *byte == b'\n').filter(is_json).collect();
        survives(&[b"{\"items\":[\n", &lines.join(&b",\n"[..])[..], b"]}"].concat(), &ask, &policy);
    }
}

fn first() -> Vec<u8> {
    healthy().swap_remove(0)
}

fn holds(file: &[u8]) -> bool {
    let safe = Policy::default();
    let guessed = Policy { with_unsafe: true, answer_pending: true, ..Policy::default() };
    survives(file, &CheckOptions::default(), &guessed);
    survives(file, &CheckOptions::default(), &safe)
}

/// The file with this member value added to its second line.
fn with_value(value: &str) -> Vec<u8> {
    let text = String::from_utf8(first()).unwrap();
    let (head, tail) = text.split_at(text.find('\n').unwrap() + 1);
    format!("{head}{{\"x\":{value},{}", &tail[1..]).into_bytes()
}

#[test]
fn depth_is_limited_without_a_crash() {
    for deep in [100_usize, 1023, 1024, 1_000_000] {
        let value = format!("{}{}", "[".repeat(deep), "]".repeat(deep));
        for bytes in [with_value(&value), with_value(&"{\"a\":".repeat(deep))] {
            let opened = Opened::of_bytes("log.jsonl", &bytes).unwrap();
            let judged = opened.judge(&CheckOptions::default()).unwrap();
            let is_told =
                judged.findings.iter().any(|finding| finding.message.contains("deeper than 1024"));
            assert_eq!(is_told, deep >= 1024, "{deep}");
        }
    }
}

/// The result says that nothing comes before it. Its call, which would be its parent, names the
/// result as its own parent.
#[test]
fn a_parent_that_would_create_a_cycle_is_not_set() {
    let events = [
        r#"{"id":"00000000-0000-4000-8000-000000000000","timestamp":"2026-03-01T00:00:00","source":"user","parent_id":"__root__","llm_message":{"role":"user","content":[{"type":"text","text":"t"}]},"kind":"MessageEvent"}"#,
        r#"{"id":"00000001-0000-4000-8000-000000000001","timestamp":"2026-03-01T00:00:01","source":"agent","parent_id":"00000002-0000-4000-8000-000000000002","thought":[],"thinking_blocks":[],"action":{"thought":"b","kind":"ThinkAction"},"tool_name":"think","tool_call_id":"toolu_010000000000000000000001","tool_call":{"id":"toolu_010000000000000000000001","name":"think","arguments":"{}","origin":"completion"},"llm_response_id":"r1","kind":"ActionEvent"}"#,
        r#"{"id":"00000002-0000-4000-8000-000000000002","timestamp":"2026-03-01T00:00:02","source":"environment","parent_id":"__root__","tool_name":"think","tool_call_id":"toolu_010000000000000000000001","observation":{"content":[{"type":"text","text":"text 0"}],"is_error":false,"kind":"ThinkObservation"},"action_id":"00000001-0000-4000-8000-000000000001","kind":"ObservationEvent"}"#,
        r#"{"id":"00000003-0000-4000-8000-000000000003","timestamp":"2026-03-01T00:00:03","source":"environment","parent_id":"00000000-0000-4000-8000-000000000000","tool_name":"think","tool_call_id":"toolu_010000000000000000000001","observation":{"content":[{"type":"text","text":"text 1"}],"is_error":false,"kind":"ThinkObservation"},"action_id":"00000001-0000-4000-8000-000000000001","kind":"ObservationEvent"}"#,
        r#"{"id":"00000004-0000-4000-8000-000000000004","timestamp":"2026-03-01T00:00:04","source":"user","parent_id":"00000003-0000-4000-8000-000000000003","llm_message":{"role":"user","content":[{"type":"text","text":"t"}]},"kind":"MessageEvent"}"#,
    ];
    assert!(holds((events.join("\n") + "\n").as_bytes()));
}

/// Messages of which the third is nested too deeply, followed by a call without a result.
fn deep_messages() -> [String; 5] {
    let deep = format!("{}{}", "[".repeat(1100), "]".repeat(1100));
    [
        r#"{"role":"user","content":"hi"}"#.to_owned(),
        r#"{"role":"assistant","content":"hello"}"#.to_owned(),
        format!(r#"{{"role":"user","content":"look","x":{deep}}}"#),
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{}"}}]}"#.to_owned(),
        r#"{"role":"user","content":"well?"}"#.to_owned(),
    ]
}

#[test]
fn a_record_that_is_too_deep_blocks_repairs_but_not_checks() {
    let messages = deep_messages();
    let files = [
        ("messages.jsonl", messages.join("\n") + "\n"),
        ("messages.json", format!("[{}]", messages.join(",\n"))),
        ("messages.json", format!("{{\"messages\":[{}]}}", messages.join(", "))),
    ];
    for (name, text) in files {
        let opened = Opened::of_bytes(name, text.as_bytes()).unwrap();
        let judged = opened.judge(&CheckOptions::default()).unwrap();
        assert_eq!(judged.records(), 5, "{name}");
        let codes: Vec<String> =
            judged.findings.iter().map(|finding| finding.rule.code.to_string()).collect();
        assert!(
            ["TD002", "TD101"].iter().all(|code| codes.iter().any(|own| own == code)),
            "{name}: {codes:?}"
        );
        assert!(judged.findings.iter().all(|finding| finding.fixes.is_empty()), "{name}");
    }
}

#[test]
fn a_row_that_is_too_deep_does_not_block_the_others() {
    let messages = deep_messages();
    let row = |messages: &[String]| format!("{{\"messages\":[{}]}}\n", messages.join(","));
    let rows = [row(&messages[..2]), row(&messages), row(&messages[..2])].concat();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.jsonl");
    std::fs::write(&file, rows).unwrap();
    let run = program::command(folder.path()).arg("check").arg(&file).output().unwrap();
    let told = String::from_utf8_lossy(&run.stdout);
    assert_eq!(run.status.code(), Some(3), "{told}");
    assert!(
        told.contains("2 healthy") && told.contains("line 2: nested deeper than 1024 levels"),
        "{told}"
    );
}

#[test]
fn long_lines_are_read_and_kept() {
    let long = "ab\\\"c\\u00e9".repeat(1 << 20);
    let file = with_value(&format!("\"{long}\""));
    assert!(holds(&file));
    let lines: Vec<&[u8]> = file.split_inclusive(|byte| *byte == b'\n').collect();
    // The long line is moved, doubled, truncated and glued.
    let shuffled =
        |order: &[usize]| order.iter().flat_map(|at| lines[*at].to_vec()).collect::<Vec<u8>>();
    assert!(holds(&shuffled(&[0, 2, 1, 3, 4, 5, 6, 7])));
    assert!(holds(&shuffled(&[0, 1, 1, 2, 3, 4, 5, 6, 7])));
    assert!(holds(&broken(&file, &[Damage::Glue(1)])));
    assert!(holds(&broken(&file, &[Damage::Cut(1, 60_000)])));
}

#[test]
fn odd_files_are_rejected_or_survive() {
    let file = first();
    let doubled: Vec<u8> = String::from_utf8(file.clone())
        .unwrap()
        .replace("{\"id\":", "{\"id\":1,\"id\":")
        .into_bytes();
    for bytes in [
        Vec::new(),
        b"\n".to_vec(),
        b"\xEF\xBB\xBF".to_vec(),
        vec![0; 1 << 20],
        vec![0xFF; 1 << 16],
        b"[".to_vec(),
        b"{".to_vec(),
        b"[]".to_vec(),
        b"{\"items\":[]}".to_vec(),
        b"\"".to_vec(),
        b"null\n".repeat(1000),
        "\u{2028}".repeat(1000).into_bytes(),
        b"{\"kind\":\"MessageEvent\"}\n".to_vec(),
    ] {
        assert!(!holds(&bytes), "{:?}", &bytes[..bytes.len().min(20)]);
    }
    assert!(holds(&doubled));
    assert!(holds(&[&file[..], &[0; 1 << 20]].concat()));
    assert!(holds(&[&[0xFF; 100], &file[..]].concat()));
    assert!(holds(&[b"\n\n\n", &file[..]].concat()));
    assert!(holds(&file.repeat(40)));
    assert!(holds(&file.iter().filter(|byte| **byte != b'\n').copied().collect::<Vec<u8>>()));
}
