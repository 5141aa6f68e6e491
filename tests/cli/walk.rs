//! Walks: each file is checked, part of a conversation, or reported with the reason why it was
//! skipped.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::bench::{Bench, STUCK, healthy};

#[test]
fn files_next_to_a_conversation_are_checked() {
    let bench = Bench::new();
    bench.folder("run", &healthy());
    bench.write("run/TASKS.json", "[]");
    bench.write("run/logs/notes.txt", "words\n");
    bench.lines("run/other.jsonl", &STUCK);
    bench.lines("run/logs/deep.jsonl", &STUCK);
    bench.folder("run/events/old", &STUCK);
    let before = bench.tree("run");
    let ran = bench.run(&["check", "run"]).exits(1).says("4 conversations: 3 stuck, 1 healthy.");
    ran.says("Skipped 1 file that is not a transcript (list: -v).");
    bench.run(&["repair", "run", "-o", "copy"]).exits(0);
    bench.run(&["check", "copy"]).exits(0).says("4 conversations: 4 healthy.");
    assert_eq!(bench.tree("run"), before);
    bench.run(&["repair", "run", "--yes"]).exits(0);
    bench.run(&["check", "run"]).exits(0).says("4 conversations: 4 healthy.");
    assert_eq!(bench.tree("run"), bench.tree("copy"));
}

/// The skipped paths in a report, with their reasons.
fn skipped(report: &serde_json::Value) -> Vec<(String, String)> {
    let list = report["skipped"].as_array().unwrap();
    let text = |item: &serde_json::Value, key: &str| item[key].as_str().unwrap().to_owned();
    list.iter().map(|item| (text(item, "path"), text(item, "why"))).collect()
}

#[test]
fn a_named_folder_is_walked_completely() {
    let bench = Bench::new();
    bench.write(".gitignore", "p\n");
    bench.write("p/.gitignore", "logs\n*.old.jsonl\n");
    for name in [".claude/a.jsonl", ".b.jsonl", "logs/c.jsonl", "d.old.jsonl", "e.jsonl"] {
        bench.lines(&format!("p/{name}"), &healthy());
    }
    for name in [".git/f.jsonl", "node_modules/m/g.jsonl"] {
        bench.lines(&format!("p/{name}"), &healthy());
    }
    let report = bench.run(&["check", "-f", "json", "p"]).exits(0).json();
    assert_eq!(report["summary"]["conversations"], 5);
    let wanted = [
        ("p/.git", "git's own folder"),
        ("p/.gitignore", "not a transcript"),
        ("p/node_modules", "installed packages"),
    ];
    assert_eq!(skipped(&report), wanted.map(|(path, why)| (path.to_owned(), why.to_owned())));
    bench.run(&["check", "--hidden", "p"]).exits(0).says("6 conversations: 6 healthy.");
    bench
        .run(&["check", "--hidden", "--no-ignore", "p"])
        .exits(0)
        .says("7 conversations: 7 healthy.");
    let ran = bench.run(&["check", "-v", "p"]).exits(0).says("skipped  p/.git  git's own folder\n");
    ran.says("Skipped 3: 1 git's own folder; 1 installed packages; 1 not a transcript.\n");
    bench.run(&["check", "-f", "concise", "p"]).exits(0).says("5 healthy; skipped 3\n");
    bench
        .run(&["check", "-f", "markdown", "-v", "p"])
        .exits(0)
        .says("`p/node_modules`: ")
        .says("installed packages");
}

#[test]
fn walks_report_hidden_and_ignored_files() {
    let bench = Bench::new();
    let folder = format!(".openhands/conversations/{}", "a".repeat(32));
    for name in [".hidden/a.jsonl", "b.old.jsonl", "c.jsonl"] {
        bench.lines(&format!("{folder}/{name}"), &healthy());
    }
    bench.write(&format!("{folder}/.ignore"), "*.old.jsonl\n");
    let report = bench.run(&["check", "-f", "json", "@openhands"]).exits(0).json();
    assert_eq!(report["summary"]["conversations"], 1);
    let found: Vec<(String, String)> = skipped(&report)
        .into_iter()
        .map(|(path, why)| (path.rsplit('/').next().unwrap().to_owned(), why))
        .collect();
    let wanted = [
        (".hidden", "hidden"),
        (".ignore", "hidden"),
        ("b.old.jsonl", "ignored by .gitignore or .ignore"),
    ];
    assert_eq!(found, wanted.map(|(path, why)| (path.to_owned(), why.to_owned())));
    bench.run(&["check", "--hidden", "@openhands"]).exits(0).says("2 conversations");
    bench.run(&["check", "--hidden", "--no-ignore", "@openhands"]).exits(0).says("3 conversations");
}

#[test]
fn every_skipped_file_has_a_reason() {
    let bench = Bench::new();
    bench.lines("p/run.jsonl", &healthy());
    bench.write("p/empty.jsonl", "");
    bench.write("p/spans.json", "{\"resourceSpans\":[{\"scopeSpans\":[]}]}\n");
    bench.write("p/notes.txt", "words\n");
    bench.write("p/.run.jsonl.AbCd12.transcript-doctor-tmp", "{}\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("run.jsonl", bench.path("p/link.jsonl")).unwrap();
    let ran = bench.run(&["check", "-v", "p"]).exits(0).says("1 conversation: 1 healthy.");
    let ran = ran
        .says("p/empty.jsonl  empty file")
        .says("p/spans.json  recognized as OpenTelemetry spans");
    let ran = ran.says("p/notes.txt  not a transcript").says("left by an interrupted repair");
    bench.folder("c", &healthy());
    bench.write("c/.run.jsonl.AbCd12.transcript-doctor-tmp", STUCK.join("\n"));
    bench
        .run(&["check", "c"])
        .exits(0)
        .says("1 conversation: 1 healthy.")
        .says("left by an interrupted repair");
    #[cfg(unix)]
    let ran = ran.says("p/link.jsonl  symbolic link, not followed");
    drop(ran);
}

#[test]
fn the_journal_is_never_walked() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    bench.run(&["repair", "run.jsonl"]).exits(0);
    let ran = bench.run(&["check", "--hidden", "--no-ignore", "-v", "."]).exits(0);
    ran.says("1 conversation: 1 healthy.").says("journal of transcript-doctor");
}

#[cfg(unix)]
mod links {
    use super::*;
    use std::os::unix::fs::symlink;

    /// The folder of a conversation in which the real result is a link to this path.
    fn linked(bench: &Bench, target: &str) -> String {
        bench.folder("run", &healthy());
        let names =
            fs::read_dir(bench.path("run/events")).unwrap().map(|item| item.unwrap().file_name());
        let last = names.map(|name| name.into_string().unwrap()).max().unwrap();
        let target = bench.path(target);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::rename(bench.path(&format!("run/events/{last}")), &target).unwrap();
        last
    }

    #[test]
    fn event_files_are_read_through_links_inside_the_folder() {
        let bench = Bench::new();
        let last = linked(&bench, "run/store/result.json");
        symlink("../store/result.json", bench.path(&format!("run/events/{last}"))).unwrap();
        let before = bench.tree("run");
        bench.run(&["check", "run"]).exits(0).says("1 conversation: 1 healthy.").says("4 records");
        bench.run(&["repair", "run", "--yes"]).exits(0);
        assert_eq!((bench.tree("run"), bench.operations()), (before, 0));
        bench.run(&["repair", "run", "-o", "copy"]).exits(0);
        bench.run(&["check", "copy"]).exits(0).says("1 conversation: 1 healthy.");
    }

    #[test]
    fn the_folder_of_the_events_may_be_a_link_inside_the_folder() {
        let bench = Bench::new();
        bench.folder("run", &healthy());
        fs::create_dir(bench.path("run/store")).unwrap();
        fs::rename(bench.path("run/events"), bench.path("run/store/all")).unwrap();
        symlink("store/all", bench.path("run/events")).unwrap();
        let report = bench.run(&["check", "-f", "json", "run"]).exits(0).json();
        assert_eq!((&report["summary"]["healthy"], skipped(&report)), (&1.into(), Vec::new()));
        assert_eq!(report["conversations"][0]["records"], 4);
        fs::rename(bench.path("run/store"), bench.path("store")).unwrap();
        fs::remove_file(bench.path("run/events")).unwrap();
        symlink("../store/all", bench.path("run/events")).unwrap();
        bench
            .run(&["check", "run"])
            .exits(3)
            .says("events: a symbolic link that leads out of the folder: not read");
    }

    #[test]
    fn a_link_out_of_the_folder_prevents_the_check() {
        for (absolute, target) in [(true, "elsewhere/result.json"), (false, "elsewhere/gone.json")]
        {
            let bench = Bench::new();
            let last = linked(&bench, "elsewhere/result.json");
            let target =
                if absolute { bench.path(target) } else { PathBuf::from("../../").join(target) };
            symlink(target, bench.path(&format!("run/events/{last}"))).unwrap();
            let before = bench.tree("elsewhere");
            for command in ["check", "repair", "diff"] {
                let ran = bench.run(&[command, "run"]).exits(3);
                let all = format!("{}{}", ran.out, ran.err);
                assert!(all.contains("symbolic link") && all.contains(&last), "{all}");
                assert!(!all.contains("TD101"), "{all}");
            }
            assert_eq!((bench.tree("elsewhere"), bench.operations()), (before, 0));
        }
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let bench = Bench::new();
        bench.folder("run", &healthy());
        let names =
            fs::read_dir(bench.path("run/events")).unwrap().map(|item| item.unwrap().file_name());
        let first = names.map(|name| name.into_string().unwrap()).min().unwrap();
        let path = bench.path(&format!("run/events/{first}"));
        // NUL bytes after a record are a safe repair of this file alone.
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend([0; 8]);
        bench.write("run/store/first.json", bytes);
        fs::remove_file(&path).unwrap();
        symlink("../store/first.json", &path).unwrap();
        let before = bench.tree("run");
        bench.run(&["check", "run"]).says("TD005");
        bench.run(&["repair", "run"]).exits(4).complains("symbolic link");
        assert_eq!(bench.tree("run"), before);
        assert!(path.symlink_metadata().unwrap().is_symlink());
        bench.run(&["repair", "run", "-o", "copy"]).exits(0);
        bench.run(&["check", "-v", "copy"]).says("HEALTHY  copy\n");
    }

    #[test]
    fn links_to_stored_sessions_are_counted() {
        let bench = Bench::new();
        let folder = ".pi/agent/sessions/--w-shop--";
        bench.write(&format!("{folder}/notes.txt"), "words\n");
        bench.lines("elsewhere.jsonl", &healthy());
        let name = "2026-02-25T06-20-00-000Z_019c9000-0000-7000-8000-000000000001.jsonl";
        symlink(bench.path("elsewhere.jsonl"), bench.path(&format!("{folder}/{name}"))).unwrap();
        let ran = bench.run(&["check", "-v", "@pi"]);
        assert!(ran.out.contains("symbolic link, not followed"), "{}{}", ran.out, ran.err);
    }
}

/// Pseudo-random numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Fills a folder with random content.
fn grow(bench: &Bench, folder: &str, depth: u32, dice: &mut Dice) {
    for n in 0..dice.roll(5) + 1 {
        let at = |name: &str| format!("{folder}/{name}{n}");
        match dice.roll(16) {
            0 => bench.lines(&format!("{}.jsonl", at("ok")), &healthy()),
            1 => bench.lines(&format!("{}.jsonl", at(".stuck")), &STUCK),
            2 => bench.write(&at("notes"), "words\n"),
            3 => bench.write(&at("empty"), ""),
            4 => bench.write(&at("goose"), "{\"working_dir\":\"/w\",\"description\":\"d\"}\n"),
            5 => bench.write(&format!("{folder}/.gitignore"), "ignored*\n"),
            6 => bench.write(&at("torn.zip"), b"PK\x03\x04 and nothing else"),
            7 => {
                bench.folder(&at("conversation"), &STUCK);
                grow(bench, &at("conversation"), depth, dice);
            }
            #[cfg(unix)]
            8 => {
                let target = if dice.roll(2) == 0 { ".." } else { "notes0" };
                let _ = std::os::unix::fs::symlink(target, bench.path(&at("link")));
            }
            #[cfg(unix)]
            9 => {
                use std::os::unix::fs::PermissionsExt;
                bench.lines(&at("secret"), &healthy());
                fs::set_permissions(bench.path(&at("secret")), fs::Permissions::from_mode(0o000))
                    .unwrap();
            }
            kind if depth < 3 => {
                let names =
                    ["ignored", ".hidden", "plain", "node_modules", ".git", "events", "subagents"];
                let name = names[kind as usize % names.len()];
                let inner = if name.ends_with('s') || name == ".git" {
                    format!("{folder}/{name}")
                } else {
                    at(name)
                };
                fs::create_dir_all(bench.path(&inner)).unwrap();
                grow(bench, &inner, depth + 1, dice);
            }
            _ => {}
        }
    }
}

fn files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    for item in fs::read_dir(folder).unwrap().map(|item| item.unwrap()) {
        let kind = item.file_type().unwrap();
        if kind.is_dir() {
            files_below(&item.path(), out);
        } else if kind.is_file() {
            out.push(item.path());
        }
    }
}

#[test]
fn every_file_is_in_exactly_one_count() {
    let mut met = 0;
    for seed in 0..40 {
        let bench = Bench::new();
        fs::create_dir_all(bench.path("p")).unwrap();
        grow(&bench, "p", 0, &mut Dice(seed));
        let flags: &[&str] = match seed % 3 {
            0 => &[],
            1 => &["--hidden"],
            _ => &["--no-ignore", "--hidden"],
        };
        let report = bench.run(&[&["check", "-f", "json", "p"], flags].concat()).json();
        let paths = |list: &str| -> BTreeSet<PathBuf> {
            let list = report[list].as_array().unwrap().iter();
            list.map(|item| bench.path(item["path"].as_str().unwrap())).collect()
        };
        let (checked, missed, skipped) =
            (paths("conversations"), paths("not_checked"), paths("skipped"));
        let mut files = Vec::new();
        files_below(&bench.path("p"), &mut files);
        met += files.len();
        for file in files {
            let below = |folders: &BTreeSet<PathBuf>| {
                file.ancestors().any(|folder| folders.contains(folder))
            };
            let counts = [checked.contains(&file), missed.contains(&file), below(&skipped)];
            let counted = counts.iter().filter(|counted| **counted).count();
            // A conversation is the files in its folder and in the folder of its events.
            let inside =
                |folder: Option<&Path>| folder.is_some_and(|folder| checked.contains(folder));
            let (folder, name) = (file.parent(), file.parent().and_then(Path::file_name));
            let part = inside(folder)
                || (name.is_some_and(|name| name == "events")
                    && inside(folder.and_then(Path::parent)));
            let told =
                || format!("seed {seed}: {}: {counts:?}, part {part}\n{report:#}", file.display());
            assert!(counted == 1 || (counted == 0 && part), "{}", told());
        }
    }
    assert!(met > 500, "{met} files");
}

#[test]
fn files_that_several_threads_recognize_stay_in_their_order() {
    let bench = Bench::new();
    for number in 0..100 {
        let (name, folder) = (format!("p/{number:02}.jsonl"), format!("p/{number:02}"));
        match number % 5 {
            0 => bench.lines(&name, &STUCK),
            1 => bench.lines(&name, &healthy()),
            2 => bench.write(&name, "words\n"),
            3 => bench.write(&name, ""),
            _ => bench.folder(&folder, &STUCK),
        };
    }
    let run = |jobs| bench.run(&["check", "p", "--format", "json", "--jobs", jobs]);
    let one = run("1").exits(1);
    assert_eq!(one.json()["conversations"].as_array().map(Vec::len), Some(60));
    assert_eq!(skipped(&one.json()).len(), 40);
    assert_eq!(run("4").exits(1).out, one.out);
}
