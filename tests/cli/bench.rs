//! A private folder with transcripts and a journal, in which the program runs.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::rc::Rc;
use std::time::SystemTime;

use crate::program;

/// The records of a stuck conversation: a call, a placeholder, then the real result.
pub(crate) const STUCK: [&str; 5] = [
    r#"{"id":"00000000-0000-4000-8000-000000000000","timestamp":"2026-01-21T09:48:00.000000","source":"agent","system_prompt":{"type":"text","text":"s"},"tools":[],"kind":"SystemPromptEvent"}"#,
    r#"{"id":"00000000-0000-4000-8000-000000000001","timestamp":"2026-01-21T09:48:01.000000","source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"private words"}]},"kind":"MessageEvent"}"#,
    r#"{"id":"00000000-0000-4000-8000-000000000002","timestamp":"2026-01-21T09:48:05.911000","source":"agent","thought":[],"thinking_blocks":[],"action":{"command":"ls","kind":"TerminalAction"},"tool_name":"terminal","tool_call_id":"toolu_01A","tool_call":{"id":"toolu_01A","name":"terminal","arguments":"{\"command\":\"ls\"}","origin":"completion"},"llm_response_id":"r1","kind":"ActionEvent"}"#,
    r#"{"id":"00000000-0000-4000-8000-000000000003","timestamp":"2026-01-21T09:48:16.588000","source":"agent","tool_name":"terminal","tool_call_id":"toolu_01A","error":"A restart occurred while this tool was in progress. This may indicate a fatal memory error.","kind":"AgentErrorEvent"}"#,
    r#"{"id":"00000000-0000-4000-8000-000000000004","timestamp":"2026-01-21T09:48:18.847000","source":"environment","tool_name":"terminal","tool_call_id":"toolu_01A","observation":{"content":[{"type":"text","text":"private output"}],"is_error":false,"kind":"TerminalObservation"},"action_id":"00000000-0000-4000-8000-000000000002","kind":"ObservationEvent"}"#,
];

pub(crate) struct Bench {
    dir: Rc<tempfile::TempDir>,
    /// Working directory of the program, relative to the folder.
    inside: String,
}

/// The result of a run of the program.
pub(crate) struct Ran {
    pub out: String,
    pub err: String,
    pub status: i32,
}

impl Bench {
    pub(crate) fn new() -> Bench {
        Bench { dir: Rc::new(tempfile::tempdir().unwrap()), inside: String::new() }
    }

    /// The same folder, with a subfolder as working directory.
    pub(crate) fn inside(other: &Bench, folder: &str) -> Bench {
        Bench { dir: Rc::clone(&other.dir), inside: folder.to_owned() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Writes a line file with these records.
    pub(crate) fn lines(&self, name: &str, records: &[&str]) {
        self.write(name, format!("{}\n", records.join("\n")));
    }

    /// Writes the folder of a conversation with these records.
    pub(crate) fn folder(&self, name: &str, records: &[&str]) {
        for (n, record) in records.iter().enumerate() {
            let id = record.split('"').nth(3).unwrap();
            self.write(&format!("{name}/events/event-{n:05}-{id}.json"), record);
        }
        let state = r#"{"id":"81625941-4327-4ac6-a9a4-4ba08aafa96f","execution_status":"idle"}"#;
        self.write(&format!("{name}/base_state.json"), state);
    }

    /// All files in a folder, with their bytes.
    pub(crate) fn tree(&self, name: &str) -> Vec<(String, Vec<u8>)> {
        let root = self.path(name);
        let mut out = Vec::new();
        let mut todo = vec![root.clone()];
        while let Some(path) = todo.pop() {
            if path.is_dir() {
                todo.extend(fs::read_dir(path).unwrap().map(|item| item.unwrap().path()));
            } else {
                let below = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
                out.push((below, fs::read(&path).unwrap()));
            }
        }
        out.sort();
        out
    }

    /// All files in a folder, with their bytes, times and modes.
    pub(crate) fn faces(&self, name: &str) -> Vec<(String, Vec<u8>, SystemTime, bool)> {
        let face = |(below, bytes): (String, Vec<u8>)| {
            let meta = fs::metadata(self.path(name).join(&below)).unwrap();
            let (time, mode) = (meta.modified().unwrap(), meta.permissions().readonly());
            (below, bytes, time, mode)
        };
        self.tree(name).into_iter().map(face).collect()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = program::command(self.dir.path());
        command.args(args).current_dir(self.path(&self.inside));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::from(self.command(args).output().unwrap())
    }

    pub(crate) fn run_with(&self, args: &[&str], input: &[u8]) -> Ran {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        Ran::from(child.wait_with_output().unwrap())
    }

    /// Number of operations in the journal.
    pub(crate) fn operations(&self) -> usize {
        let log =
            fs::read_to_string(self.path("state/transcript-doctor/ops.jsonl")).unwrap_or_default();
        log.lines().filter(|line| line.contains(r#""state":"intent""#)).count()
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
            status: output.status.code().unwrap(),
        }
    }
}

impl Ran {
    /// Checks the exit status; a failure shows everything that was printed.
    #[track_caller]
    pub(crate) fn exits(self, status: i32) -> Ran {
        assert_eq!(self.status, status, "\n--- out\n{}\n--- err\n{}", self.out, self.err);
        self
    }

    /// Checks that a text appears, wherever its lines break.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Ran {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            self.out.contains(text) || words(&self.out).contains(&words(text)),
            "{text:?} is not in\n{}\n--- err\n{}",
            self.out,
            self.err
        );
        self
    }

    #[track_caller]
    pub(crate) fn complains(self, text: &str) -> Ran {
        assert!(self.err.contains(text), "{text:?} is not in\n{}\n--- out\n{}", self.err, self.out);
        self
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap()
    }
}

/// The healthy form of [`STUCK`].
pub(crate) fn healthy() -> Vec<&'static str> {
    let mut records = STUCK.to_vec();
    records.remove(3);
    records
}

pub(crate) fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
