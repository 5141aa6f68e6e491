//! A transcript, its journal, and a folder for temporary files, in which the program runs again and again from the same state.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use crate::program;

/// What is done to what.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Scenario {
    pub name: &'static str,
    /// A damaged transcript below `fixtures/`, which a safe repair makes healthy.
    pub fixture: &'static str,
    pub act: Act,
    /// The journal is on another file system than the transcript.
    pub far: bool,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Repair,
    /// The undo of a repair.
    Undo,
    /// A repair into a copy.
    Copy,
}

/// A file or folder: its bytes, if it is a file, and its mode.
pub(crate) type Node = (Option<Vec<u8>>, u32);
pub(crate) type Tree = BTreeMap<PathBuf, Node>;

pub(crate) struct Desk {
    pub scenario: Scenario,
    /// Everything but the journal is in here.
    dir: tempfile::TempDir,
    /// The journal is in here.
    state: tempfile::TempDir,
    /// Before the run, and after one without a fault.
    pub old: Tree,
    pub new: Tree,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ran {
    /// `None`: a signal.
    pub status: Option<i32>,
    /// What it printed, on either stream.
    pub told: String,
}

/// A suffix of names that a run gives to what it prepares or keeps.
const OURS: &str = "transcript-doctor-";

pub(crate) fn is_leftover(path: &Path) -> bool {
    path.iter().any(|name| name.to_string_lossy().contains(OURS))
}

/// A tree without what a run prepared or kept next to the transcript.
pub(crate) fn without_leftovers(tree: &Tree) -> Tree {
    let own = tree.iter().filter(|(path, _)| !is_leftover(path));
    own.map(|(path, node)| (path.clone(), node.clone())).collect()
}

impl Desk {
    /// `None`: there is no second file system here.
    pub(crate) fn new(scenario: Scenario) -> Option<Desk> {
        // In memory if possible: thousands of runs wait for a disk otherwise.
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let state = if scenario.far {
            second_file_system(dir.path())?
        } else {
            tempfile::tempdir_in(dir.path()).unwrap()
        };
        let mut desk = Desk { scenario, dir, state, old: Tree::new(), new: Tree::new() };
        desk.reset();
        desk.old = without_leftovers(&desk.tree());
        let ran = desk.run(Command::new(env!("CARGO_BIN_EXE_transcript-doctor")), &desk.words());
        assert_eq!(ran.status, Some(0), "{}: {}", desk.scenario.name, ran.told);
        let left = desk.tree().into_keys().any(|path| is_leftover(&path));
        let is_told = ran.told.contains("The journal is on another file system");
        assert!(!left || is_told, "{}: {}", desk.scenario.name, ran.told);
        desk.new = without_leftovers(&desk.tree());
        assert_ne!(desk.old, desk.new, "{}", desk.scenario.name);
        Some(desk)
    }

    pub(crate) fn root(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.state.path().join("transcript-doctor")
    }

    /// The folders in which the program may write.
    pub(crate) fn places(&self) -> [PathBuf; 2] {
        [self.dir.path(), self.state.path()].map(|path| fs::canonicalize(path).unwrap())
    }

    fn target(&self) -> PathBuf {
        let name = Path::new(self.scenario.fixture).file_name().unwrap();
        self.root().join("place").join(name)
    }

    /// The state before the run that is disturbed.
    pub(crate) fn reset(&self) {
        for folder in ["place", "tmp"] {
            let _ = fs::remove_dir_all(self.root().join(folder));
            fs::create_dir(self.root().join(folder)).unwrap();
        }
        let _ = fs::remove_dir_all(self.journal());
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        copy(&fixtures.join(self.scenario.fixture), &self.target());
        if self.scenario.act == Act::Undo {
            self.repair();
        }
    }

    fn repair(&self) {
        let path = self.target();
        let path = path.to_str().unwrap();
        let words = ["repair", path, "--yes", "--force-live", "--isolated"];
        let ran = self
            .run(Command::new(env!("CARGO_BIN_EXE_transcript-doctor")), &words.map(String::from));
        assert_eq!(ran.status, Some(0), "{}", ran.told);
    }

    /// The words of the run that is disturbed.
    pub(crate) fn words(&self) -> Vec<String> {
        let path = self.target().to_str().unwrap().to_owned();
        let copy = self.root().join("place/copy").to_str().unwrap().to_owned();
        let words: &[&str] = match self.scenario.act {
            Act::Repair => &["repair", &path, "--yes", "--force-live", "--isolated"],
            Act::Undo => &["undo", "1", "--yes", "--force-live"],
            Act::Copy => &["repair", &path, "--yes", "--isolated", "-o", &copy],
        };
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    /// Runs a program with these words, in an environment of its own.
    pub(crate) fn run(&self, command: Command, words: &[String]) -> Ran {
        let mut run = program::within(command.get_program(), self.root());
        run.args(command.get_args()).args(words);
        run.env("XDG_STATE_HOME", self.state.path()).env("TMPDIR", self.root().join("tmp"));
        run.stdin(Stdio::null());
        let ran = run.output().unwrap();
        let told = [ran.stdout, ran.stderr].concat();
        Ran { status: ran.status.code(), told: String::from_utf8_lossy(&told).into_owned() }
    }

    /// The undisturbed program.
    pub(crate) fn again(&self, words: &[&str]) -> Ran {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        self.run(Command::new(env!("CARGO_BIN_EXE_transcript-doctor")), &words)
    }

    /// Everything around the transcript.
    pub(crate) fn tree(&self) -> Tree {
        tree(&self.root().join("place"))
    }

    /// Temporary files, in their folder and in the journal.
    pub(crate) fn temporary(&self) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = tree(&self.root().join("tmp")).into_keys().collect();
        all.extend(
            tree(&self.journal())
                .into_keys()
                .filter(|path| path.extension().is_some_and(|end| end == "tmp")),
        );
        all
    }
}

fn second_file_system(first: &Path) -> Option<tempfile::TempDir> {
    use std::os::unix::fs::MetadataExt;
    let other = tempfile::tempdir().ok()?;
    let device = |path: &Path| fs::metadata(path).map(|facts| facts.dev()).ok();
    (device(first) != device(other.path())).then_some(other)
}

/// Copies a file or folder. Its files get old times, because a file that just changed may have a writer.
fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir(to).unwrap();
        for item in fs::read_dir(from).unwrap() {
            let item = item.unwrap();
            copy(&item.path(), &to.join(item.file_name()));
        }
        return;
    }
    fs::write(to, fs::read(from).unwrap()).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::new(1_767_000_000, 123_456_700);
    fs::File::options().append(true).open(to).unwrap().set_modified(long_ago).unwrap();
}

fn tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        let Ok(facts) = fs::symlink_metadata(&path) else {
            continue;
        };
        if facts.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|item| item.unwrap().path()));
        }
        let bytes = facts.is_file().then(|| fs::read(&path).unwrap());
        if path != root {
            let name = path.strip_prefix(root).unwrap().to_owned();
            tree.insert(name, (bytes, facts.permissions().mode()));
        }
    }
    tree
}
