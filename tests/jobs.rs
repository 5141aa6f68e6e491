//! Ten jobs of people with a damaged transcript, as sessions at a terminal: `fixtures/jobs/*.txt` hold what they type and what the
//! program prints. `UPDATE_JOBS=1 cargo test --test jobs` rewrites what it prints; read that diff as a user would.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/program.rs"]
mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use similar::TextDiff;

/// Claude Code's sessions of the project: the newest first, each an hour older than the one before.
const SESSIONS: &[&str] = &[
    "samples/claude-code.jsonl",
    "rules/conflicting-results/claude-code-two-real-results.jsonl",
    "rules/broken-parent/claude-code-phantom-parent.jsonl",
];

/// What a team keeps in its repository.
const RECORDINGS: &[(&str, &str)] = &[
    ("run-01.jsonl", "samples/stuck.jsonl"),
    ("run-02.json", "healthy/openai-chat/finished.json"),
    ("run-03.json", "rules/two-results/ai-sdk-ui-aborted.json"),
];

/// Bytes of the path of the home folder, which sessions hold.
const LENGTH: usize = 180;

struct Home {
    _dir: tempfile::TempDir,
    path: PathBuf,
}

impl Home {
    fn new() -> Home {
        let dir = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(dir.path()).unwrap();
        // However long the path of temporary folders is, this one has the same length, and is left out of what is printed.
        let rest = LENGTH.saturating_sub(path.as_os_str().len() + 1);
        let path = path.join("h".repeat(rest));
        let home = Home { _dir: dir, path };
        let project = home.path.join("shop");
        let folder = encoded(&project);
        for (hours, name) in (1..).zip(SESSIONS) {
            let text = fs::read_to_string(fixtures().join(name)).unwrap();
            let own = |key: &str| {
                let (_, value) = text.split_once(&format!("\"{key}\":\"")).unwrap();
                value.split_once('"').unwrap().0.to_owned()
            };
            let file = format!(".claude/projects/{folder}/{}.jsonl", own("sessionId"));
            let text = text.replace(&own("cwd"), &project.to_string_lossy());
            home.write(&file, text.as_bytes(), hours);
        }
        for (name, from) in RECORDINGS {
            let bytes = fs::read(fixtures().join(from)).unwrap();
            home.write(&format!("shop/recordings/{name}"), &bytes, 100);
        }
        home
    }

    fn write(&self, name: &str, bytes: &[u8], hours: u64) {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        // What changed just now may be open in an agent.
        let time = SystemTime::now() - Duration::from_secs(hours * 3600 + 60);
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(time).unwrap();
    }

    /// What a command prints, on both streams, and its exit status where it is not 0.
    fn run(&self, line: &str) -> String {
        let words = shlex::split(line).unwrap();
        let ran = program::command(&self.path)
            .args(words)
            .current_dir(self.path.join("shop"))
            .output()
            .unwrap();
        let mut text = String::from_utf8(ran.stderr).unwrap();
        text.push_str(&String::from_utf8(ran.stdout).unwrap());
        let text = text.replace(&*self.path.to_string_lossy(), "/home/ana");
        let text = text.replace(&encoded(&self.path), "-home-ana");
        let mut lines: String = text.lines().map(|line| format!("{line}\n")).collect();
        if ran.status.code() != Some(0) {
            lines.push_str(&format!("[exit status {}]\n", ran.status.code().unwrap()));
        }
        lines
    }
}

/// The folder that Claude Code keeps the sessions of a project in.
fn encoded(path: &Path) -> String {
    let path = path.to_string_lossy();
    path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// A job: its commands are run, and what they print replaces what the file has. Before the first command it says who does what.
fn played(text: &str) -> String {
    let home = Home::new();
    let (who, _) = text.split_once("$ transcript-doctor").unwrap();
    let mut out = format!("{}\n", who.trim_end());
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("$ transcript-doctor") {
            out.push_str(&format!("\n{line}\n{}", home.run(command)));
        }
    }
    out
}

#[test]
fn jobs_are_done_as_shown() {
    let update = std::env::var_os("UPDATE_JOBS").is_some();
    let mut files: Vec<PathBuf> =
        fs::read_dir(fixtures().join("jobs")).unwrap().map(|item| item.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 10);
    for file in files {
        let kept = fs::read_to_string(&file).unwrap();
        let made = played(&kept);
        if update {
            fs::write(&file, &made).unwrap();
        }
        assert!(
            kept == made || update,
            "{} is stale: run `UPDATE_JOBS=1 cargo test --test jobs` and read what changed\n{}",
            file.display(),
            TextDiff::from_lines(&kept, &made).unified_diff()
        );
        assert!(!made.contains("/tmp/"), "{}: {made}", file.display());
    }
}
