//! Every command that is printed can be typed, and does what it promises.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::bench::{Bench, Ran};

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

/// A transcript of each rule, checked; then every command that was printed is run.
#[test]
fn commands_that_a_check_prints_do_what_they_promise() {
    let mut rules: Vec<PathBuf> = std::fs::read_dir(root().join("fixtures/rules"))
        .unwrap()
        .map(|item| item.unwrap().path())
        .collect();
    rules.sort();
    let mut repaired = 0;
    assert!(rules.len() > 50, "{}", rules.len());
    for rule in rules {
        let mut cases: Vec<PathBuf> = std::fs::read_dir(&rule)
            .unwrap()
            .map(|item| item.unwrap().path())
            .filter(|path| path.is_file() && path.to_string_lossy().matches('.').count() == 1)
            .collect();
        cases.sort();
        let Some(case) = cases.first() else { continue };
        let name = case.file_name().unwrap().to_str().unwrap();
        let bytes = std::fs::read(case).unwrap();
        let place = |bench: &Bench| {
            bench.write(name, &bytes);
            let hour = Duration::from_secs(3600);
            let file = std::fs::File::options().write(true).open(bench.path(name));
            file.unwrap().set_modified(SystemTime::now() - hour).unwrap();
        };
        let bench = Bench::new();
        place(&bench);
        for words in harvest(&bench.run(&["check", name]).out) {
            let bench = Bench::new();
            place(&bench);
            let ran = run(&bench, &words);
            is_understood(&ran, &words);
            let statuses: &[i32] = match words[0].as_str() {
                "repair" | "diff" | "check" => &[0, 1],
                _ => &[0],
            };
            assert!(
                statuses.contains(&ran.status),
                "{name}: {words:?} gives {}\n{}{}",
                ran.status,
                ran.out,
                ran.err
            );
            if words[0] == "repair" {
                // It does something, and nothing is left for it to do.
                assert_eq!(bench.operations(), 1, "{name}: {words:?}");
                run(&bench, &words);
                assert_eq!(bench.operations(), 1, "{name}: {words:?} again");
                repaired += 1;
            }
        }
    }
    assert!(repaired > 30, "{repaired}");
}
