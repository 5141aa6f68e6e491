//! What fixture tests and property tests share: transcripts opened, judged, repaired, and reported
//! in stable lines.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use transcript_doctor::testing::bytes::overlay::Overlay;
use transcript_doctor::testing::bytes::patch::{ByteEdit, Patch};
use transcript_doctor::testing::bytes::source::{Entries, EntryId, Source, Span};
use transcript_doctor::testing::containers::{Layout, ReadError};
use transcript_doctor::testing::detect;
use transcript_doctor::testing::engine::{CheckOptions, Judged, judge};
use transcript_doctor::testing::find::find;
use transcript_doctor::testing::find::name_of;
use transcript_doctor::testing::format::Detection;
use transcript_doctor::testing::format::head::Sample;
use transcript_doctor::testing::repair::{Policy, Refused, RepairPlan, plan};

pub(crate) mod cases;
pub(crate) mod damage;
pub(crate) mod refuted;
pub(crate) mod show;
pub(crate) mod shown;
pub(crate) mod tell;

/// Entries by name.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A conversation that can be judged.
pub(crate) struct Opened {
    pub source: Source,
    /// Its format and layout.
    pub detection: Detection,
    /// Name of its file or folder.
    pub name: String,
}

impl Opened {
    /// Opens bytes in memory as a file of this name, or as a folder if no entry has the name.
    /// `None` if the format is unknown.
    pub(crate) fn of(name: &str, files: Files) -> Option<Opened> {
        let single = files.len() == 1 && files.contains_key(name);
        let source = Source::memory(name, files.into_iter().collect());
        let detection = if single {
            let head = Sample::of_file(&source, EntryId(0), name).unwrap();
            detect::recognize(&head, None)
        } else {
            detect::recognize(&Sample::of_names(&source, name), None)
        }?;
        Some(Opened { source, detection, name: name.to_owned() })
    }

    /// One line file or document in memory.
    pub(crate) fn of_bytes(name: &str, bytes: &[u8]) -> Option<Opened> {
        Opened::of(name, Files::from([(name.to_owned(), bytes.to_vec())]))
    }

    /// The only transcript at a path; the error says why there is none.
    pub(crate) fn at(path: &Path) -> Result<Opened, String> {
        let mut finds = find(&[path.to_owned()], None);
        match (finds.found.pop(), finds.missed.first()) {
            (Some(located), None) if finds.found.is_empty() => {
                let found = located.open().map_err(|error| error.to_string())?;
                Ok(Opened {
                    name: name_of(&found.path),
                    source: found.source,
                    detection: found.detection,
                })
            }
            (None, Some(missed)) => Err(format!("not checked: {}\n", missed.why)),
            _ => panic!("not one recording: {}", path.display()),
        }
    }

    pub(crate) fn judge(&self, ask: &CheckOptions) -> Result<Judged, ReadError> {
        judge(&self.source, &self.name, &self.detection, ask)
    }

    pub(crate) fn plan(&self, ask: &CheckOptions, policy: &Policy) -> Result<RepairPlan, Refused> {
        plan(&self.source, &self.name, &self.detection, ask, policy)
    }

    /// The entries after a patch.
    pub(crate) fn patched(&self, patch: &Patch) -> Files {
        files(&Overlay::new(&self.source, patch))
    }
}

/// All bytes of all entries.
pub(crate) fn files(entries: &dyn Entries) -> Files {
    let ids = entries.ids().into_iter();
    ids.map(|id| (entries.name(id).to_owned(), bytes(entries, id))).collect()
}

fn bytes(entries: &dyn Entries, id: EntryId) -> Vec<u8> {
    let mut bytes = Vec::new();
    entries.open(id).unwrap().read_to_end(&mut bytes).unwrap();
    let span = Span { entry: id, start: 0, end: entries.len(id) };
    assert_eq!(bytes, entries.fetch(span).unwrap(), "reading and fetching give the same bytes");
    bytes
}

/// Findings without the counts of habits: a repair may remove a record that was counted.
fn without_counts(findings: &str) -> String {
    let lines = findings.lines().map(|line| match line.split_once(": a habit of the program") {
        Some((before, after)) => {
            let said = before.rsplit_once(", in ").map_or(before, |(said, _)| said);
            // The number of its records is one of the counts.
            let (habit, _) = after.split_once(" | ").unwrap_or((after, ""));
            format!("{said}: a habit{habit}\n")
        }
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// Checks what every repair must preserve, and returns the repaired entries.
pub(crate) fn keeps_its_promises(
    opened: &Opened,
    ask: &CheckOptions,
    policy: &Policy,
    done: &RepairPlan,
) -> Files {
    let repaired = opened.patched(&done.patch);
    is_invertible(opened, &done.patch, &repaired);
    leaves_the_rest(opened, &done.patch);
    if done.patch.is_empty() {
        assert!(done.taken.is_empty(), "a treatment without an edit");
        return repaired;
    }
    assert!(!done.taken.is_empty(), "edits without a treatment");
    assert!(done.taken.iter().all(|taken| !taken.steps.is_empty()), "a treatment without a step");
    for taken in &done.taken {
        for step in &taken.steps {
            let has_reason = step.removes.is_none() || step.reason_name().is_some();
            assert!(has_reason, "no reason to {}", step.says);
        }
    }
    if !policy.with_unsafe {
        keeps_texts(opened, done, &repaired);
    }
    let mut again =
        Opened::of(&opened.name, repaired.clone()).expect("what was repaired is still a recording");
    if again.detection.format.name != opened.detection.format.name {
        // The only sign of the format was removed.
        again.detection = opened.detection.clone();
    }
    let second = again.plan(ask, policy).unwrap();
    assert_eq!(second.patch, Patch::default(), "a second repair takes {}", tell::taken(&second));
    // New IDs may look like those of another provider.
    if second.before.target_choice.name() == done.before.target_choice.name() {
        let (again, planned) = (tell::findings(&second.before), tell::findings(done.after()));
        let (again, planned) = (without_counts(&again), without_counts(&planned));
        assert_eq!(again, planned, "the written bytes judged again");
    } else {
        assert_eq!(
            second.before.verdict,
            done.after().verdict,
            "the written bytes judged for another"
        );
    }
    repaired
}

/// Checks that a safe repair keeps what was said: the texts of whole records are in the result, unless one of its steps removes
/// something with a reason.
fn keeps_texts(opened: &Opened, done: &RepairPlan, repaired: &Files) {
    let steps = done.taken.iter().flat_map(|taken| &taken.steps);
    let mut reasons = steps.filter_map(|step| step.reason_name());
    if reasons.any(|reason| reason != "nothing" && reason != "mark") {
        return;
    }
    let texts = |files: &Files| {
        let mut texts = BTreeSet::new();
        let values = files.values().flat_map(|bytes| {
            let whole = serde_json::from_slice(bytes).ok();
            let lines = bytes.split(|byte| *byte == b'\n');
            let lines = lines.filter_map(|line| serde_json::from_slice(line).ok());
            whole.into_iter().chain(lines).collect::<Vec<Value>>()
        });
        values.for_each(|value| add_texts(&value, &mut texts));
        texts
    };
    let (before, after) = (texts(&files(&opened.source)), texts(repaired));
    let lost: Vec<&String> = before.difference(&after).collect();
    assert!(lost.is_empty(), "texts without a reason: {lost:?}");
}

/// Adds the sentences in a value: strings with a space.
fn add_texts(value: &Value, texts: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => match serde_json::from_str(text) {
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => add_texts(&inner, texts),
            _ if text.trim().contains(' ') && !text.contains(['{', '\u{fffd}']) => {
                texts.insert(text.trim().to_owned());
            }
            _ => {}
        },
        Value::Array(items) => items.iter().for_each(|item| add_texts(item, texts)),
        Value::Object(members) => {
            let envelope = ["name", "timestamp"];
            let own = members.iter().filter(|(key, _)| !envelope.contains(&key.as_str()));
            own.for_each(|(_, item)| add_texts(item, texts));
        }
        _ => {}
    }
}

/// Checks that the inverse of a patch restores the original: nothing is lost.
fn is_invertible(opened: &Opened, patch: &Patch, repaired: &Files) {
    let back = patch.inverse(&opened.source).unwrap();
    let overlay = Overlay::new(&opened.source, patch);
    assert_eq!(
        files(&Overlay::new(&overlay, &back)),
        files(&opened.source),
        "the inverse gives the original"
    );
    assert_eq!(&files(&overlay), repaired);
}

/// Checks that lines and files without an edit are unchanged, and that remaining lines keep their
/// order.
fn leaves_the_rest(opened: &Opened, patch: &Patch) {
    let overlay = Overlay::new(&opened.source, patch);
    for id in opened.source.ids().into_iter().filter(|id| !patch.removes(*id)) {
        let (before, after) = (bytes(&opened.source, id), bytes(&overlay, id));
        let edits = patch.bytes_of(id);
        if edits.is_empty() {
            assert_eq!(before, after, "a file without an edit");
        }
        if !matches!(opened.detection.layout, Layout::Lines(_)) {
            continue;
        }
        let mut start = 0;
        // Line starts: a cut from one to another leaves the lines around it complete.
        let mut starts = vec![0];
        let mut after = after.split_inclusive(|byte| *byte == b'\n');
        for line in before.split_inclusive(|byte| *byte == b'\n') {
            let (from, to) = (start, start + line.len() as u64);
            start = to;
            // An insertion at the start of a line goes before it, at its end after it.
            let inside = |edit: &ByteEdit| edit.start < to && from < edit.end;
            let joins = |edit: &ByteEdit| edit.end == from && !starts.contains(&edit.start);
            let touched = edits.iter().any(|edit| inside(edit) || joins(edit));
            let ended = line.ends_with(b"\n");
            assert!(
                touched || !ended || after.any(|other| other == line),
                "a line without an edit"
            );
            starts.push(to);
        }
    }
}

/// A file, or all files in a folder by relative path. A single file is named `name`.
pub(crate) fn on_disk(path: &Path) -> Option<Files> {
    if path.is_file() {
        let name = path.file_name()?.to_str()?.to_owned();
        return Some(Files::from([(name, std::fs::read(path).ok()?)]));
    }
    let mut files = Files::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for item in std::fs::read_dir(folder).ok()? {
            let item = item.ok()?.path();
            if item.is_dir() {
                folders.push(item);
            } else {
                let name = item.strip_prefix(path).ok()?.to_str()?.replace('\\', "/");
                files.insert(name, std::fs::read(&item).ok()?);
            }
        }
    }
    Some(files)
}
