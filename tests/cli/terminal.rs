//! Questions and answers at a real terminal.
#![cfg(unix)]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::bench::{Bench, STUCK, exists, healthy};

/// The output of a run.
pub(crate) struct Seen {
    /// Output on the terminal.
    screen: String,
    /// Standard output, if that was a pipe.
    piped: String,
    status: i32,
}

impl Seen {
    /// Checks that the texts appear on the terminal in this order.
    #[track_caller]
    pub(crate) fn shows(&self, texts: &[&str]) -> &Seen {
        let mut rest = &self.screen[..];
        for text in texts {
            let at = rest.find(text);
            assert!(
                at.is_some(),
                "no {text:?} in this order in\n{}",
                self.screen
            );
            rest = &rest[at.unwrap() + text.len()..];
        }
        self
    }

    #[track_caller]
    pub(crate) fn exits(self, status: i32) -> Seen {
        assert_eq!(
            self.status, status,
            "\n{}\n--- piped\n{}",
            self.screen, self.piped
        );
        self
    }
}

/// Runs the program in a pseudo terminal with typed input. `piped` redirects standard output.
pub(crate) fn at_terminal(bench: &Bench, args: &[&str], typed: &str, piped: bool) -> Seen {
    let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&keyboard).unwrap();
    unlockpt(&keyboard).unwrap();
    let name = ptsname(&keyboard, Vec::new()).unwrap();
    let side = || {
        let terminal = File::options()
            .read(true)
            .write(true)
            .open(name.to_str().unwrap())
            .unwrap();
        Stdio::from(OwnedFd::from(terminal))
    };
    let mut command = bench.command(args);
    command.env("TERM", "dumb").stdin(side()).stderr(side());
    command.stdout(if piped { Stdio::piped() } else { side() });
    let mut child = command.spawn().unwrap();
    // The terminal ends when no process has its other side open anymore.
    drop(command);
    let mut keyboard = File::from(keyboard);
    keyboard.write_all(typed.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    // Linux reports the end of a terminal as an error.
    let _ = keyboard.read_to_end(&mut bytes);
    let mut out = Vec::new();
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_end(&mut out).unwrap();
    }
    let status = child.wait().unwrap().code().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap().replace("\r\n", "\n");
    Seen {
        screen: text(bytes),
        piped: text(out),
        status,
    }
}

fn three() -> Bench {
    let bench = Bench::new();
    for name in ["a.jsonl", "b.jsonl", "c.jsonl"] {
        bench.lines(name, &STUCK);
    }
    bench
}

/// Names of the repaired files.
fn repaired(bench: &Bench) -> String {
    let wanted = format!("{}\n", healthy().join("\n"));
    let names = ["a", "b", "c"].into_iter();
    names
        .filter(|name| bench.read(&format!("{name}.jsonl")) == wanted.as_bytes())
        .collect()
}

const ALL: [&str; 4] = ["repair", "a.jsonl", "b.jsonl", "c.jsonl"];

#[test]
fn a_plan_is_shown_before_its_question() {
    let bench = three();
    let seen = at_terminal(&bench, &["repair", "a.jsonl"], "n\n", false).exits(1);
    seen.shows(&[
        "fatal[TD104]",
        "fix: remove line 4",
        "Apply 1 safe fix? [y]es [n]o [d]iff [?] ",
    ]);
    let seen = at_terminal(&bench, &["repair", "a.jsonl"], "?\nd\ny\n", false).exits(0);
    seen.shows(&[
        "[?] ",
        "y - repair it",
        "[?] ",
        "- removed      4",
        "[?] ",
        "Removed 1",
        "undo 1",
    ]);
    assert_eq!(repaired(&bench), "a");
}

#[test]
fn plan_and_question_are_on_the_same_stream() {
    for format in ["human", "json"] {
        let bench = three();
        let seen = at_terminal(&bench, &["repair", "a.jsonl", "-f", format], "y\n", true).exits(0);
        seen.shows(&["fix: remove line 4", "Apply 1 safe fix?"]);
        assert!(
            !seen.piped.contains("Apply") && !seen.piped.contains("fix: remove"),
            "{}",
            seen.piped
        );
        assert!(
            seen.piped.contains(if format == "json" {
                "\"parked\":1"
            } else {
                "Removed 1"
            }),
            "{}",
            seen.piped
        );
        assert_eq!(repaired(&bench), "a");
    }
}

#[test]
fn an_answer_may_apply_to_all_files() {
    for (typed, wanted, status) in [
        ("y\nn\ny\n", "ac", 1),
        ("n\na\n", "bc", 1),
        ("a\n", "abc", 0),
        ("y\nq\n", "a", 1),
        ("q\n", "", 1),
        // End of input.
        ("y\n\u{4}", "a", 1),
    ] {
        let bench = three();
        let seen = at_terminal(&bench, &ALL, typed, false);
        seen.shows(&["Apply 1 safe fix to a.jsonl? [y]es [n]o [a]ll [d]iff [q]uit [?] "]);
        assert_eq!(
            (repaired(&bench).as_str(), seen.status),
            (wanted, status),
            "{typed:?}\n{}",
            seen.screen
        );
        let stopped = seen.screen.contains("stopped: 1 more file not checked");
        assert_eq!(
            stopped,
            matches!(typed, "y\nq\n" | "y\n\u{4}"),
            "{typed:?}\n{}",
            seen.screen
        );
    }
}

#[test]
fn of_many_files_each_question_names_its_own() {
    let bench = Bench::new();
    (0..22).for_each(|n| bench.lines(&format!("logs/{n:02}.jsonl"), &STUCK));
    let seen = at_terminal(&bench, &["repair", "logs"], "n\na\n", false).exits(1);
    seen.shows(&[
        "Apply 1 safe fix to logs/00.jsonl?",
        "to logs/01.jsonl?",
        "Undo all 21:  transcript-doctor undo batch-1",
    ]);
    assert_eq!(bench.operations(), 21);
}

#[test]
fn an_undo_elsewhere_needs_confirmation() {
    let bench = three();
    bench.run(&["repair", "a.jsonl"]).exits(0);
    let elsewhere = bench.path("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let before = bench.tree("");
    let undo = |typed: &str, args: &[&str]| {
        let bench = Bench::inside(&bench, "elsewhere");
        at_terminal(&bench, &[&["undo"], args].concat(), typed, false)
    };
    let seen = undo("n\n", &[]).exits(1);
    seen.shows(&[
        "Last repair: operation 1, ",
        "a.jsonl\n",
        "Undo it? [y]es [n]o [?] ",
    ]);
    assert_eq!(bench.tree(""), before);
    undo("?\ny\n", &[])
        .exits(0)
        .shows(&["y - restore the files", "Restored "]);
    assert_ne!(bench.tree(""), before);
    // No question if it is named, confirmed, or in the working directory.
    bench.run(&["repair", "a.jsonl"]).exits(0);
    undo("", &["3"]).exits(0);
    bench.run(&["repair", "a.jsonl"]).exits(0);
    assert!(!undo("", &["--yes"]).exits(0).screen.contains("Undo it?"));
    bench.run(&["repair", "a.jsonl"]).exits(0);
    assert!(
        !at_terminal(&bench, &["undo"], "", false)
            .exits(0)
            .screen
            .contains("Undo it?")
    );
    assert!(exists(&bench.path("a.jsonl")));
}
