use super::running::{CompletedStep, RunningOperation};
use super::*;
use crate::bytes::edit::Edit;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, Source, Span};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

mod crash;
mod undo;
#[cfg(unix)]
mod writers;
mod writing;

/// Transcripts and a journal in a temporary folder.
struct Desk {
    dir: tempfile::TempDir,
    journal: Journal,
}

const EVENTS: [&str; 4] =
    ["base_state.json", "events/0-a.json", "events/1-b.json", "events/2-c.json"];

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("log");
        fs::create_dir_all(root.join("events")).unwrap();
        for (name, text) in EVENTS.iter().zip(["{state}", "{a}", "{b}", "{c}"]) {
            fs::write(root.join(name), text).unwrap();
        }
        fs::write(root.join("events/.lock"), "").unwrap();
        fs::write(dir.path().join("log.jsonl"), "one\ntwo\nthree\n").unwrap();
        let journal = Journal::at(dir.path().join("state"));
        Self { dir, journal }
    }

    /// The number of the operation that an undo of a file would take back.
    fn latest(&self, path: &Path) -> Option<u64> {
        Some(self.journal.latest_undoable(path).unwrap()?.head.op)
    }

    fn file(&self) -> Source {
        Source::file(&self.dir.path().join("log.jsonl")).unwrap()
    }

    fn folder(&self) -> Source {
        Source::folder(&self.dir.path().join("log"), EVENTS.map(String::from).to_vec()).unwrap()
    }

    /// Every file with its text, mode and time, except the journal.
    fn recordings(&self) -> BTreeMap<String, (String, u32, SystemTime)> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.dir.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let (path, meta) = (entry.path(), entry.metadata().unwrap());
                if path == self.journal.root || path.ends_with("elsewhere") {
                    continue;
                }
                if meta.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path
                    .strip_prefix(self.dir.path())
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .replace('\\', "/");
                found.insert(
                    name,
                    (fs::read_to_string(&path).unwrap(), mode(&meta), meta.modified().unwrap()),
                );
            }
        }
        found
    }

    fn texts(&self) -> BTreeMap<String, String> {
        self.recordings().into_iter().map(|(name, (text, ..))| (name, text)).collect()
    }
}

#[cfg(unix)]
fn mode(meta: &fs::Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::mode(meta)
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> u32 {
    0
}

fn how() -> WriteOptions {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_753_000_000);
    WriteOptions {
        now,
        plan: None,
        keep_mtime: false,
        backup: true,
        batch: RunPosition::Alone,
        undisturbed: false,
    }
}

fn put(source: &Source, name: &str, start: u64, end: u64, with: &str) -> Edit {
    Edit::bytes(Span { entry: source.find(name).unwrap(), start, end }, with.into())
}

/// Removes the second line and changes the third.
fn line_patch(source: &Source) -> Patch {
    Patch::new(vec![put(source, "log.jsonl", 4, 8, ""), put(source, "log.jsonl", 8, 13, "THREE")])
        .unwrap()
}

/// Removes, renames, creates and edits; and changes the state file outside the folder.
fn folder_patch(source: &Source) -> Patch {
    let id = |name: &str| source.find(name).unwrap();
    let edits = vec![
        Edit::Remove(id("events/1-b.json")),
        Edit::Rename(id("events/2-c.json"), "events/1-c.json".into()),
        Edit::Create { name: "events/2-d.json".into(), bytes: b"{d}".to_vec() },
        put(source, "events/0-a.json", 1, 2, "A"),
        put(source, "base_state.json", 1, 6, "STATE"),
    ];
    Patch::new(edits).unwrap()
}

fn good(_: &Source) -> Result<(), Objection> {
    Ok(())
}

fn write(desk: &Desk, source: &Source, patch: &Patch) -> u64 {
    desk.journal.write(source, patch, &how(), &mut good).unwrap().unwrap()
}
