//! `diff --as messages` shows every change to what is sent: for all repairs of all fixtures, and
//! for any changed text.
//!
//! The tests determine what is sent in their own way: the records of the request without the
//! members that no provider gets, parsed by `serde_json`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::{ProptestConfig, any};
use proptest::{prop_assume, proptest, test_runner::FileFailurePersistence};
use serde_json::Value;
use support::{Opened, on_disk};
use transcript_doctor::testing::bytes::overlay::Overlay;
use transcript_doctor::testing::bytes::source::Entries;
use transcript_doctor::testing::diff::messages::{RequestText, write};
use transcript_doctor::testing::engine::{CheckOptions, Judged};
use transcript_doctor::testing::find::find;
use transcript_doctor::testing::find::name_of;
use transcript_doctor::testing::outputs::OutputStyle;
use transcript_doctor::testing::repair::Policy;
use transcript_doctor::testing::report::redact::{People, RedactMode, Redactor};
use transcript_doctor::testing::transcript::{Role, State};

/// Members of a record that its host does not send.
const UNSENT: &[&str] = &[
    "id",
    "uuid",
    "parentUuid",
    "parent_id",
    "parentId",
    "logicalParentUuid",
    "timestamp",
    "sessionId",
    "action_id",
    "cause",
    "sourceToolAssistantUUID",
    "toolUseResult",
    "ordinal",
    "firstKeptEntryId",
    "firstKeptEntryIndex",
    "requestId",
    "offset",
    "summary_offset",
    "forgotten_event_ids",
    "tokensBefore",
    "kind",
    "message_id",
    "action",
    "usage",
    "details",
    "llm_response_id",
    "critic_result",
    "classification",
    "status",
    "resultDisplay",
    "isSidechain",
    "cwd",
    "extras",
    "origin",
    "isError",
];

/// The records that are sent, as values. `None` if one of them is damaged itself.
fn sent(entries: &dyn Entries, judged: &Judged) -> Option<Vec<Value>> {
    let t = &judged.transcript;
    let order = judged.request().order.iter();
    let mut events: Vec<_> = order.map(|sent| sent.event).collect();
    events.dedup();
    let value = |event| {
        let bytes = entries.fetch(t.event(event).at()).unwrap();
        let mut value: Value = serde_json::from_slice(&bytes).ok()?;
        strip(&mut value);
        Some(value)
    };
    let whole = events.iter().all(|event| t.event(*event).state == State::Whole);
    events.into_iter().map(value).collect::<Option<Vec<Value>>>().filter(|_| whole)
}

fn strip(value: &mut Value) {
    for level in [Some("message"), None] {
        let held = match level {
            Some(key) => value.get_mut(key),
            None => Some(&mut *value),
        };
        if let Some(members) = held.and_then(Value::as_object_mut) {
            members.retain(|key, _| !UNSENT.contains(&key.as_str()));
        }
    }
}

/// What the diff shows.
fn shown(old: (&dyn Entries, &Judged), new: (&dyn Entries, &Judged), name: &str) -> (String, bool) {
    let mut out = Vec::new();
    let reader = Redactor::for_file(RedactMode::Content, People::default());
    let (a, b) = (
        RequestText::of(old.0, old.1, name, &reader).unwrap(),
        RequestText::of(new.0, new.1, name, &reader).unwrap(),
    );
    let differs = write(&a, &b, &mut out, &OutputStyle::default()).unwrap();
    (String::from_utf8(out).unwrap(), differs)
}

fn fixtures(folder: &str) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(folder))
            .unwrap()
            .map(|item| item.unwrap().path())
            .collect();
    folders.sort();
    let below = |folder: &PathBuf| {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let wanted = |path: &PathBuf| {
        let mark = name_of(path).split('.').nth(1).unwrap_or_default().to_owned();
        !["report", "repaired", "unsafe", "answered"].contains(&mark.as_str())
    };
    folders.iter().flat_map(below).filter(wanted).collect()
}

fn open(path: &Path) -> Option<Opened> {
    let found = find(&[path.to_owned()], None).found.pop()?.open().ok()?;
    let one = !found.detection.conversations.are_rows();
    one.then(|| Opened {
        name: name_of(&found.path),
        source: found.source,
        detection: found.detection,
    })
}

#[test]
fn every_change_to_the_request_is_shown() {
    let (mut compared, mut hidden) = (0, Vec::new());
    for path in fixtures("rules") {
        let Some(opened) = open(&path) else { continue };
        for with_unsafe in [false, true] {
            let policy = Policy { with_unsafe, ..Policy::default() };
            let Ok(done) = opened.plan(&CheckOptions::default(), &policy) else {
                continue;
            };
            if done.patch.is_empty() {
                continue;
            }
            let patched = Overlay::new(&opened.source, &done.patch);
            let (old, new) = (
                (&opened.source as &dyn Entries, &done.before),
                (&patched as &dyn Entries, done.after()),
            );
            let both = (sent(old.0, old.1), sent(new.0, new.1));
            let changes = matches!(both, (Some(old), Some(new)) if old != new);
            let (text, differs) = shown(old, new, &opened.name);
            assert_eq!(differs, !text.is_empty(), "{}", path.display());
            if changes && !differs {
                hidden.push(path.display().to_string());
            }
            compared += usize::from(changes);
        }
        let judged = opened.judge(&CheckOptions::default());
        if let Ok(judged) = &judged {
            let same = shown((&opened.source, judged), (&opened.source, judged), &opened.name);
            assert_eq!(same, (String::new(), false), "{}", path.display());
        }
    }
    assert!(hidden.is_empty(), "nothing is shown of {hidden:#?}");
    assert!(compared > 100, "{compared}");
}

/// Healthy transcripts in a single file.
fn healthy() -> Vec<PathBuf> {
    let mut paths = fixtures("healthy");
    paths.retain(|path| path.is_file() && name_of(path) != "README.md");
    paths
}

/// Byte ranges of the sent texts in a file, without the quotes.
fn texts(judged: &Judged, bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let t = &judged.transcript;
    let order = judged
        .request()
        .order
        .iter()
        .filter(|sent| sent.role != Role::Nobody && !sent.parts.is_empty());
    let mut out = Vec::new();
    for at in order.map(|sent| t.event(sent.event).at()) {
        let record = &bytes[at.start as usize..at.end as usize];
        // Members that hosts store with a result for themselves are not sent.
        let own = [&b"\"toolUseResult\""[..], b"\"details\""];
        let end =
            own.iter().filter_map(|key| find_bytes(record, key)).min().unwrap_or(record.len());
        for key in ["\"text\":", "\"content\":", "\"output\":"] {
            let mut from = 0;
            while let Some(found) = find_bytes(&record[from..end], key.as_bytes()) {
                let mut start = from + found + key.len();
                start += record[start..].iter().take_while(|byte| **byte == b' ').count();
                from = start;
                if record.get(start) == Some(&b'"') {
                    let length = record[start + 1..]
                        .iter()
                        .take_while(|byte| byte.is_ascii_alphanumeric())
                        .count();
                    let start = at.start as usize + start + 1;
                    out.extend((length > 0).then(|| start..start + length));
                }
            }
        }
    }
    out
}

fn find_bytes(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 128,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_changed_letter_is_shown(number in any::<u16>(), place in any::<u16>(), letter in any::<u16>()) {
        let paths = healthy();
        let path = &paths[usize::from(number) % paths.len()];
        let name = name_of(path);
        let bytes = on_disk(path).and_then(|files| files.into_values().next()).unwrap();
        let Some(old) = open(path).filter(|opened| opened.source.ids().len() == 1) else { return Ok(()) };
        let Ok(judged) = old.judge(&CheckOptions::default()) else { return Ok(()) };
        let places = texts(&judged, &bytes);
        prop_assume!(!places.is_empty());
        let text = places[usize::from(place) % places.len()].clone();
        let at = text.start + usize::from(letter) % text.len();
        let mut changed = bytes;
        changed[at] = if changed[at] == b'x' { b'y' } else { b'x' };
        let Some(new) = Opened::of_bytes(&name, &changed) else { return Ok(()) };
        let Ok(after) = new.judge(&CheckOptions::default()) else { return Ok(()) };
        let (text, differs) = shown((&old.source, &judged), (&new.source, &after), &name);
        proptest::prop_assert!(differs, "{}: byte {at}: {text}", path.display());
    }
}
