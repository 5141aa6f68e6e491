//! A home of its own in which the program runs, in this process, on one mutant after the other.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use transcript_doctor::testing::cli::status_of;

use crate::mutant::{Fixture, entries};
use crate::support::Files;

/// What `main` sets, because a process cannot change its own surroundings safely.
pub(crate) const HOME: &str = "MUTANTS_HOME";

/// One run of the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    pub status: u8,
    /// Its report in JSON; null if it made none.
    pub report: Value,
}

/// A file or folder on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// `None`: a folder.
    pub bytes: Option<Vec<u8>>,
    pub mode: u32,
    /// When it was modified. `None`: a folder.
    pub time: Option<SystemTime>,
}

/// Everything below a path, by relative path.
pub(crate) type Tree = BTreeMap<PathBuf, Node>;

/// What the program did with a mutant.
#[derive(Debug)]
pub(crate) struct Observed {
    /// What was damaged.
    pub fixture: Fixture,
    /// Nothing was damaged.
    pub is_whole: bool,
    pub before: Tree,
    pub check: Run,
    pub preview: Run,
    pub repair: Run,
    pub after: Tree,
    /// A second check, repair, what that left, and what `undo` did. `None`: nothing was written.
    pub later: Option<Later>,
}

#[derive(Debug)]
pub(crate) struct Later {
    pub check: Run,
    pub repair: Run,
    pub after: Tree,
    pub undo: Run,
    pub undone: Tree,
}

/// The exit status of what was not written.
const REFUSED: u8 = 4;

fn home() -> PathBuf {
    std::env::var_os(HOME).map(PathBuf::from).expect("main sets it")
}

/// Runs `transcript-doctor` with these words, on a path.
pub(crate) fn run(words: &[&str], path: &Path) -> Run {
    let report = home().join("report.json");
    let _ = fs::remove_file(&report);
    let mut line: Vec<OsString> = vec!["transcript-doctor".into()];
    line.extend(words.iter().map(OsString::from));
    line.push(path.into());
    line.push("-qq".into());
    if words[0] != "undo" {
        let mut wanted = OsString::from("json=");
        wanted.push(&report);
        line.extend(["--isolated".into(), "--report".into(), wanted]);
    }
    let status = status_of(line);
    let bytes = fs::read(&report).unwrap_or_default();
    Run { status, report: serde_json::from_slice(&bytes).unwrap_or_default() }
}

/// Everything at a path.
pub(crate) fn tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        let Ok(facts) = fs::symlink_metadata(&path) else {
            continue;
        };
        let is_file = facts.is_file();
        let node = Node {
            bytes: is_file.then(|| fs::read(&path).unwrap()),
            mode: facts.permissions().mode(),
            time: is_file.then(|| facts.modified().unwrap()),
        };
        if facts.is_dir() {
            let items = fs::read_dir(&path).unwrap();
            open.extend(items.map(|item| item.unwrap().path()));
        }
        let name = path.strip_prefix(root).unwrap_or(&path).to_owned();
        tree.insert(name, node);
    }
    tree
}

/// The files of a tree as the entries of a transcript; those of an archive unpacked.
pub(crate) fn files(fixture: &Fixture, tree: &Tree) -> Files {
    let mut files = Files::new();
    for (path, node) in tree {
        let Some(bytes) = &node.bytes else {
            continue;
        };
        match entries(bytes).filter(|_| fixture.is_archive) {
            Some(inner) => files.extend(inner),
            None => _ = files.insert(path.to_string_lossy().into_owned(), bytes.clone()),
        }
    }
    files
}

/// The time and the mode of every file, so that what a repair or an undo does with them is seen.
fn age(root: &Path) {
    let mut long_ago = SystemTime::UNIX_EPOCH + Duration::new(1_767_000_000, 123_456_700);
    let modes = [0o640, 0o600, 0o644, 0o664];
    for (number, (path, node)) in tree(root).into_iter().enumerate() {
        if node.bytes.is_none() {
            continue;
        }
        long_ago += Duration::from_secs(61);
        let file = fs::OpenOptions::new().append(true).open(root.join(path)).unwrap();
        file.set_modified(long_ago).unwrap();
        let mode = fs::Permissions::from_mode(modes[number % modes.len()]);
        file.set_permissions(mode).unwrap();
    }
}

/// Writes a mutant and does with it what people do.
pub(crate) fn observe(fixture: &Fixture, files: &Files) -> Observed {
    let place = home().join("place");
    let _ = fs::remove_dir_all(&place);
    let _ = fs::remove_dir_all(home().join("state"));
    let path = fixture.write(files, &place);
    age(&place);
    let before = tree(&place);
    let check = run(&["check"], &path);
    let preview = run(&["repair", "-n"], &path);
    let mut repair = run(&["repair", "--yes"], &path);
    let mut after = tree(&place);
    if after == before && repair.status == REFUSED && !fixture.is_database() {
        // What no host reads back is written only as a copy.
        let copies = home().join("copies");
        let _ = fs::remove_dir_all(&copies);
        fs::create_dir_all(&copies).unwrap();
        let copy = copies.join(&fixture.name);
        let words = ["repair", "--yes", "-o", copy.to_str().unwrap()];
        repair = run(&words, &path);
        if copy.exists() {
            after = tree(&copies);
        }
        return Observed {
            fixture: fixture.clone(),
            is_whole: *files == fixture.files,
            before,
            check,
            preview,
            repair,
            after,
            later: None,
        };
    }
    let later = (after != before).then(|| {
        let check = run(&["check"], &path);
        let repair = run(&["repair", "--yes"], &path);
        let after = tree(&place);
        let undo = run(&["undo", "--yes"], &path);
        let undone = tree(&place);
        Later { check, repair, after, undo, undone }
    });
    Observed {
        fixture: fixture.clone(),
        is_whole: *files == fixture.files,
        before,
        check,
        preview,
        repair,
        after,
        later,
    }
}
