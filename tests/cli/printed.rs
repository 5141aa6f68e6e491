//! Every command that is printed can be typed, and does what it promises.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use crate::bench::{Bench, Ran};
use crate::share::{is_every, one_of};

/// What begins a command.
const COMMANDS: [&str; 10] = [
    "check", "sessions", "explain", "diff", "repair", "undo", "redact", "rules", "formats",
    "schema",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The commands in a text, as words.
fn harvest(text: &str) -> BTreeSet<Vec<String>> {
    let mut all = BTreeSet::new();
    for line in text.lines().filter(|line| !line.contains("Usage:") && !line.starts_with('#')) {
        for (at, name) in line.match_indices("transcript-doctor ") {
            let rest = &line[at + name.len()..];
            // What follows is a comment, a column of a table, or another program.
            let ends = ["  ", " #", " |", " >", " <", " &&", "\\"];
            let quotes = ["`", "\""].into_iter();
            let quoted = quotes.filter(|quote| line[..at].ends_with(quote));
            let ends = ends.into_iter().chain(quoted);
            let end = ends.filter_map(|end| rest.find(end)).min();
            let command = &rest[..end.unwrap_or(rest.len())];
            let words = shlex::split(command).unwrap();
            // A word in capitals stands for what is typed there.
            let is_blank = |word: &String| word.bytes().all(|byte| byte.is_ascii_uppercase());
            if words.iter().any(is_blank) {
                continue;
            }
            if words.first().is_some_and(|word| COMMANDS.contains(&word.as_str())) {
                all.insert(words);
            }
        }
    }
    all
}

fn run(bench: &Bench, words: &[String]) -> Ran {
    bench.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Fails if a command is not understood.
fn is_understood(ran: &Ran, words: &[String]) {
    let refused = ["Usage:", "does not use", "invalid value", "expected "];
    let text = &ran.err;
    assert!(!refused.iter().any(|word| text.contains(word)), "{words:?}: {text}");
    assert!(![70, 101].contains(&ran.status), "{words:?}: {text}");
}

#[test]
fn commands_in_the_docs_are_understood() {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|item| item.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    files.push(root().join("README.md"));
    let mut all = BTreeSet::new();
    for path in files {
        // A command may go on in the next line of its paragraph; those are not whole.
        all.extend(harvest(&std::fs::read_to_string(path).unwrap()));
    }
    assert!(all.len() > 50, "{}", all.len());
    let bench = Bench::new();
    for words in &all {
        is_understood(&run(&bench, words), words);
    }
}

#[test]
fn commands_in_the_story_samples_are_understood() {
    let text = std::fs::read_to_string(root().join("fixtures/stories.txt")).unwrap();
    let bench = Bench::new();
    for words in harvest(&text) {
        is_understood(&run(&bench, &words), &words);
    }
}

/// Words after the first dot of a name: what is expected of a fixture.
const EXPECTED: [&str; 4] = ["report", "repaired", "unsafe", "answered"];

/// The fixtures in a folder, by name.
fn fixtures_in(folder: &Path) -> Vec<PathBuf> {
    let items = std::fs::read_dir(folder).unwrap();
    let mut all: Vec<PathBuf> = items.map(|item| item.unwrap().path()).collect();
    all.retain(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        let word = name.split('.').nth(1).unwrap_or_default();
        // A log is part of its database, and a script makes them.
        !EXPECTED.contains(&word) && !name.ends_with("-wal") && name != "make.py"
    });
    all.sort();
    all
}

/// Every fixture that may not be healthy; the first of a rule or a folder is also the first of its list.
fn damaged() -> Vec<Vec<PathBuf>> {
    let fixtures = root().join("fixtures");
    let flat = ["bytes", "databases", "foreign", "rows", "samples", "stories", "unclear"];
    let flat = flat.iter().map(|name| fixtures.join(name));
    let rules = fixtures_in(&fixtures.join("rules"));
    flat.chain(rules).map(|folder| fixtures_in(&folder)).collect()
}

/// A copy of a fixture and of what belongs to it, an hour old.
fn place(case: &Path) -> Bench {
    let bench = Bench::new();
    let log = PathBuf::from(format!("{}-wal", case.display()));
    for path in [case, &log] {
        let mut todo = vec![path.to_owned()];
        while let Some(path) = todo.pop() {
            if path.is_dir() {
                let items = std::fs::read_dir(&path).unwrap();
                todo.extend(items.map(|item| item.unwrap().path()));
            } else if path.is_file() {
                let below = path.strip_prefix(case.parent().unwrap()).unwrap();
                let copy = below.to_str().unwrap();
                bench.write(copy, std::fs::read(&path).unwrap());
                let file = std::fs::File::options().write(true).open(bench.path(copy));
                let hour = Duration::from_secs(3600);
                file.unwrap().set_modified(SystemTime::now() - hour).unwrap();
            }
        }
    }
    bench
}

/// The words as a shell gives them.
fn expanded(bench: &Bench, words: &[String]) -> Vec<String> {
    let home = bench.path("");
    let in_home = |rest: &str| home.join(rest).to_str().unwrap().to_owned();
    words.iter().map(|word| word.strip_prefix("~/").map_or(word.clone(), in_home)).collect()
}

/// Whether a command may end with this status without being refused.
fn may_exit(command: &str, status: i32) -> bool {
    match command {
        "repair" | "diff" | "check" => matches!(status, 0 | 1),
        _ => status == 0,
    }
}

/// What a command has in common with those of other fixtures of the same folder: its words without values.
fn shape(case: &Path, words: &[String]) -> String {
    let options: Vec<_> = words.iter().filter(|word| word.starts_with('-')).collect();
    format!("{} {} {options:?}", case.parent().unwrap().display(), words[0])
}

/// Runs the commands that a check of a fixture prints, those of one shape once, and, where `deep`, the commands that these
/// print. Returns how many repairs there were.
fn follow(case: &Path, deep: bool, seen: &Mutex<BTreeSet<String>>) -> usize {
    let name = case.file_name().unwrap().to_str().unwrap();
    let checked = place(case).run(&["check", name]);
    let commands = harvest(&checked.out);
    let is_explained = checked.out.contains("not checked") || checked.err.contains("not checked");
    assert!(
        checked.status == 0 || !commands.is_empty() || checked.status == 3 && is_explained,
        "{name}: no command in\n{}{}",
        checked.out,
        checked.err
    );
    let mut repairs = 0;
    let mut next = Vec::new();
    for words in &commands {
        let is_new = seen.lock().unwrap().insert(shape(case, words));
        if !is_new && !is_every() {
            continue;
        }
        let bench = place(case);
        let ran = tried(&bench, name, words);
        if words[0] == "repair" {
            // It does something, and nothing is left for it to do.
            let option = words.iter().position(|word| word == "-o");
            match option.and_then(|at| words.get(at + 1)) {
                Some(copy) => {
                    assert!(bench.path(copy).exists(), "{name}: {words:?}");
                    apply(&bench, words, &ran.out);
                }
                None => assert_eq!(bench.operations(), 1, "{name}: {words:?}"),
            }
            if deep && option.is_none() {
                run(&bench, &expanded(&bench, words));
                assert_eq!(bench.operations(), 1, "{name}: {words:?} again");
            }
            repairs += 1;
        }
        let printed = harvest(&ran.out);
        next.extend(printed.into_iter().map(|printed| (words, printed)));
    }
    let is_new = |words: &Vec<String>| deep && !commands.contains(words);
    for (first, words) in next.iter().filter(|(_, words)| is_new(words)) {
        let bench = place(case);
        run(&bench, &expanded(&bench, first));
        tried(&bench, name, words);
    }
    repairs
}

/// Runs the line of Python that applies a script to its database, as it is printed. The session is better with it.
fn apply(bench: &Bench, words: &[String], said: &str) {
    let Some(line) = said.lines().find_map(|line| line.split_once("python3 -c ")) else {
        return;
    };
    let Ok(out) = Command::new("sh")
        .args(["-c", &format!("python3 -c {}", line.1)])
        .current_dir(bench.path(""))
        .output()
    else {
        return;
    };
    let applied = String::from_utf8_lossy(&out.stdout);
    if out.status.code() != Some(127) {
        assert_eq!(
            applied.trim(),
            "applied",
            "{words:?}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
    }
    // Nothing is left for a second script.
    let second =
        |word: &String| if word.ends_with(".sql") { "2.sql".to_owned() } else { word.clone() };
    let again = run(bench, &words.iter().map(second).collect::<Vec<_>>());
    assert!(!bench.path("2.sql").exists(), "{words:?} again: {}\n{}", again.out, again.err);
}

fn tried(bench: &Bench, name: &str, words: &[String]) -> Ran {
    let ran = run(bench, &expanded(bench, words));
    is_understood(&ran, words);
    assert!(
        may_exit(&words[0], ran.status),
        "{name}: {words:?} gives {}\n{}\n{}",
        ran.status,
        ran.out,
        ran.err
    );
    ran
}

/// Every other fixture, checked: it prints a command or says why not. Then the commands are run, and of the first fixture of
/// each folder what these print. `EVERY_CASE=1` takes every fixture, and also commands that differ in their values only.
#[test]
fn commands_that_are_printed_do_what_they_promise() {
    let folders = damaged();
    let all: Vec<(&PathBuf, bool)> = folders
        .iter()
        .flat_map(|folder| folder.iter().enumerate().step_by(one_of(2)))
        .map(|(at, case)| (case, at == 0))
        .collect();
    assert!(all.len() > 500, "{}", all.len());
    let next = AtomicUsize::new(0);
    let repairs = AtomicUsize::new(0);
    let seen = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some((case, deep)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    repairs.fetch_add(follow(case, *deep, &seen), Ordering::Relaxed);
                }
            });
        }
    });
    let repairs = repairs.into_inner();
    assert!(repairs > 50, "{repairs}");
}
