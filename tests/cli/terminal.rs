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
            assert!(at.is_some(), "no {text:?} in this order in\n{}", self.screen);
            rest = &rest[at.unwrap() + text.len()..];
        }
        self
    }

    #[track_caller]
    pub(crate) fn exits(self, status: i32) -> Seen {
        assert_eq!(self.status, status, "\n{}\n--- piped\n{}", self.screen, self.piped);
        self
    }
}

/// Runs the program in a pseudo terminal with typed input. `piped` redirects standard output.
pub(crate) fn at_terminal(bench: &Bench, args: &[&str], typed: &str, piped: bool) -> Seen {
    at_terminal_with(bench, args, typed, piped, &[("TERM", "dumb")])
}

/// The same with more variables.
pub(crate) fn at_terminal_with(
    bench: &Bench,
    args: &[&str],
    typed: &str,
    piped: bool,
    env: &[(&str, &str)],
) -> Seen {
    let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&keyboard).unwrap();
    unlockpt(&keyboard).unwrap();
    let name = ptsname(&keyboard, Vec::new()).unwrap();
    let side = || {
        let terminal = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
        Stdio::from(OwnedFd::from(terminal))
    };
    let mut command = bench.command(args);
    command.envs(env.iter().copied());
    command.stdin(side()).stderr(side());
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
    Seen { screen: text(bytes), piped: text(out), status }
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
    names.filter(|name| bench.read(&format!("{name}.jsonl")) == wanted.as_bytes()).collect()
}

const ALL: [&str; 4] = ["repair", "a.jsonl", "b.jsonl", "c.jsonl"];

#[test]
fn a_plan_is_shown_before_its_question() {
    let bench = three();
    let seen = at_terminal(&bench, &["repair", "a.jsonl"], "n\n", false).exits(1);
    seen.shows(&[
        "fatal[TD104]",
        "fix: remove line 4",
        "Apply 1 safe fix? [y]es [n]o [p]ick [d]iff [?] ",
    ]);
    let seen = at_terminal(&bench, &["repair", "a.jsonl"], "?\nd\ny\n", false).exits(0);
    seen.shows(&[
        "[?] ",
        "y - repair it",
        "[?] ",
        "- removed      4",
        "[?] ",
        "removed 1",
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
            seen.piped.contains(if format == "json" { "\"removed\":1" } else { "removed 1" }),
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
        seen.shows(&[
            "1/3  STUCK  a.jsonl\nTD104: remove line 4\n",
            "Apply 1 safe fix? [y]es [n]o [a]ll [p]ick [d]iff [q]uit [?] ",
        ]);
        assert_eq!(
            (repaired(&bench).as_str(), seen.status),
            (wanted, status),
            "{typed:?}\n{}",
            seen.screen
        );
        let stopped = seen.screen.contains("Stopped. 1 more transcript was not checked.");
        assert_eq!(stopped, matches!(typed, "y\nq\n" | "y\n\u{4}"), "{typed:?}\n{}", seen.screen);
    }
}

#[test]
fn of_many_files_each_question_names_its_own() {
    let bench = Bench::new();
    (0..22).for_each(|n| bench.lines(&format!("logs/{n:02}.jsonl"), &STUCK));
    let seen = at_terminal(&bench, &["repair", "logs"], "n\na\n", false).exits(1);
    seen.shows(&[
        "1/22  STUCK",
        "Apply 1 safe fix?",
        "2/22  STUCK",
        "Repaired 21 of 22 transcripts; left 1:\nSTUCK       logs/00.jsonl\n",
        "TD104: two results for one tool call; you left it",
        "transcript-doctor repair logs/00.jsonl\n",
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
    seen.shows(&["Last repair: operation 1, ", "a.jsonl\n", "Undo it? [y]es [n]o [?] "]);
    assert_eq!(bench.tree(""), before);
    undo("?\ny\n", &[]).exits(0).shows(&["y - restore the files", "Restored "]);
    assert_ne!(bench.tree(""), before);
    // No question if it is named, confirmed, or in the working directory.
    bench.run(&["repair", "a.jsonl"]).exits(0);
    undo("", &["3"]).exits(0);
    bench.run(&["repair", "a.jsonl"]).exits(0);
    assert!(!undo("", &["--yes"]).exits(0).screen.contains("Undo it?"));
    bench.run(&["repair", "a.jsonl"]).exits(0);
    assert!(!at_terminal(&bench, &["undo"], "", false).exits(0).screen.contains("Undo it?"));
    assert!(exists(&bench.path("a.jsonl")));
}

/// Three calls: one with two different results, one with a result twice, one without a result.
fn undecided(bench: &Bench) {
    let call = |id: &str| {
        format!(r#"{{"type":"function_call","call_id":"{id}","name":"ls","arguments":"{{}}"}}"#)
    };
    let output = |id: &str, text: &str| {
        format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"{text}"}}"#)
    };
    let lines = [
        call("call_1"),
        output("call_1", "old.txt"),
        output("call_1", "new.txt"),
        call("call_2"),
        output("call_2", "b.txt"),
        output("call_2", "b.txt"),
        call("call_3"),
        r#"{"type":"message","role":"user","content":"Go on."}"#.to_owned(),
    ];
    bench.lines("run.jsonl", &lines.each_ref().map(String::as_str));
}

const PICK: [&str; 3] = ["repair", "--pick", "run.jsonl"];

/// What is in the transcript: whether the first result of the first call was kept, the second one, how many results the
/// second call has, and the third one.
fn kept(bench: &Bench) -> (bool, bool, usize, usize) {
    let text = String::from_utf8(bench.read("run.jsonl")).unwrap();
    let results = |id: &str| {
        let result = format!(r#""function_call_output","call_id":"{id}""#);
        text.matches(&result).count()
    };
    (text.contains("old.txt"), text.contains("new.txt"), results("call_2"), results("call_3"))
}

#[test]
fn each_fix_is_picked() {
    for (typed, wanted, status) in [
        ("2\ny\ny\n", (false, true, 1, 1), 0),
        ("1\nn\ny\n", (true, false, 2, 1), 1),
        ("n\ny\nn\n", (true, true, 1, 0), 1),
        ("n\na\n", (true, true, 1, 1), 1),
        ("1\ns\n", (true, false, 2, 0), 1),
        ("n\ny\nq\n", (true, true, 1, 0), 1),
        ("n\nn\nn\n", (true, true, 2, 0), 1),
        // End of input.
        ("\u{4}", (true, true, 2, 0), 1),
    ] {
        let bench = Bench::new();
        undecided(&bench);
        let before = bench.read("run.jsonl");
        let seen = at_terminal(&bench, &PICK, typed, false);
        assert_eq!((kept(&bench), seen.status), (wanted, status), "{typed:?}\n{}", seen.screen);
        let written = usize::from(bench.read("run.jsonl") != before);
        assert_eq!(bench.operations(), written, "{typed:?}");
        if written == 0 {
            seen.shows(&["no fix was picked; nothing was written"]);
            continue;
        }
        bench.run(&["undo", "1"]).exits(0);
        assert_eq!(bench.read("run.jsonl"), before, "{typed:?}");
    }
}

#[test]
fn a_choice_is_shown_with_its_texts_and_keys() {
    let bench = Bench::new();
    undecided(&bench);
    let seen = at_terminal(&bench, &PICK, "y\ne\n?\nq\n", false).exits(1);
    seen.shows(&[
        "fatal[TD105] two different results for one tool call",
        "1  line 2: \"old.txt\"",
        "2  line 3: \"new.txt\"",
        "(1/3) Which result is right? [1,2,n,s,q,e,?] ",
        // There is no fix to say yes to.
        "1 - keep this result",
        "[1,2,n,s,q,e,?] ",
        "TD105 conflicting-results",
        "[1,2,n,s,q,e,?] ",
        "q - leave this and all that follow",
    ]);
    let seen = at_terminal(&bench, &PICK, "n\nq\n", false).exits(1);
    seen.shows(&["fix: remove line 6", "(2/3) Apply this fix? [y,n,a,s,q,e,?] "]);
    assert_eq!(bench.operations(), 0);
}

/// `repair` asks what only the user knows; the other fixes have their own question.
#[test]
fn which_result_is_right_is_asked() {
    for (typed, wanted, status) in [
        ("1\ny\n", (true, false, 1, 1), 0),
        ("2\ny\n", (false, true, 1, 1), 0),
        ("n\ny\n", (true, true, 1, 1), 1),
        ("2\nn\n", (true, true, 2, 0), 1),
    ] {
        let bench = Bench::new();
        undecided(&bench);
        let seen = at_terminal(&bench, &["repair", "run.jsonl"], typed, false);
        seen.shows(&[
            "fatal[TD105] two different results for one tool call",
            "1  line 2: \"old.txt\"",
            "2  line 3: \"new.txt\"",
            "Which result is right? [1,2,n,?] ",
            "Apply ",
        ]);
        assert_eq!((kept(&bench), seen.status), (wanted, status), "{typed:?}\n{}", seen.screen);
    }
}

/// Who chose a result is not asked again, where nothing else is repaired.
#[test]
fn a_decision_alone_needs_no_second_question() {
    for (typed, status, wanted) in [("2\n", 0, "b"), ("n\n", 1, "ab"), ("", 1, "ab")] {
        let bench = Bench::new();
        only_undecided(&bench, "run.jsonl");
        let typed = if typed.is_empty() { "\u{4}" } else { typed };
        let seen = at_terminal(&bench, &["repair", "run.jsonl"], typed, false);
        seen.shows(&["Which result is right? [1,2,n,?] "]);
        assert_eq!(seen.status, status, "{}", seen.screen);
        assert!(!seen.screen.contains("Apply"), "{}", seen.screen);
        let text = String::from_utf8(bench.read("run.jsonl")).unwrap();
        let kept: String =
            ["a", "b"].into_iter().filter(|own| text.contains(&format!("{own}.txt"))).collect();
        assert_eq!(kept, wanted, "{}", seen.screen);
    }
    let bench = Bench::new();
    only_undecided(&bench, "run.jsonl");
    for more in [&["--yes"][..], &["--dry-run"]] {
        let seen = at_terminal(&bench, &[&["repair", "run.jsonl"], more].concat(), "", false);
        assert!(!seen.screen.contains("Which result"), "{}", seen.screen);
    }
}

/// A call with two different results, and nothing else.
fn only_undecided(bench: &Bench, name: &str) {
    let output = |text: &str| {
        format!(r#"{{"type":"function_call_output","call_id":"call_1","output":"{text}"}}"#)
    };
    bench.lines(
        name,
        &[
            r#"{"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}"#,
            &output("a.txt"),
            &output("b.txt"),
            r#"{"type":"message","role":"user","content":"Go on."}"#,
        ],
    );
}

#[test]
fn several_decisions_are_asked_and_counted() {
    let bench = Bench::new();
    only_undecided(&bench, "a.jsonl");
    only_undecided(&bench, "b.jsonl");
    bench.lines("c.jsonl", &healthy());
    let args = ["repair", "a.jsonl", "b.jsonl", "c.jsonl"];
    let seen = at_terminal(&bench, &args, "1\nn\n", false).exits(1);
    seen.shows(&[
        "1/3  STUCK  ",
        "Which result is right? [1,2,n,s,q,e,?] ",
        "REPAIRED  STUCK → HEALTHY",
        "2/3  STUCK  ",
        "Repaired 1 of 2 transcripts; left 1:\nSTUCK       b.jsonl\n",
        "TD105: two different results for one tool call; you decide",
        "transcript-doctor repair b.jsonl\n",
        "3 conversations: ",
    ]);
    assert!(!seen.screen.contains("c.jsonl"), "{}", seen.screen);
}

#[test]
fn the_question_about_all_fixes_leads_to_each() {
    let bench = Bench::new();
    undecided(&bench);
    let typed = "n\np\n2\nn\ny\n";
    let seen = at_terminal(&bench, &["repair", "run.jsonl"], typed, false).exits(1);
    seen.shows(&["Apply 2 safe fixes? [y]es [n]o [p]ick [d]iff [?] ", "(1/3) "]);
    assert_eq!(kept(&bench), (false, true, 2, 1));
}

#[test]
fn what_a_fix_uncovers_is_asked_about() {
    let bench = Bench::new();
    let output = |text: &str| {
        format!(r#"{{"type":"function_call_output","call_id":"call_1","output":"{text}"}}"#)
    };
    let lines = [
        r#"{"type":"message","role":"user","content":"List."}"#,
        r#"{"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}"#,
        &output("old.txt"),
        r#"{"type":"message","role":"user","content":"Go on."}"#,
        &output("new.txt"),
        r#"{"type":"message","role":"user","content":"And?"}"#,
    ];
    bench.lines("run.jsonl", &lines);
    let options = ["--from", "openai-responses", "--target", "strictest"];
    let args = [&PICK[..], &options].concat();
    let seen = at_terminal(&bench, &args, "2\ny\n", false).exits(0);
    seen.shows(&["(1/1) Which", "After these fixes", "TD201", "(1/1) Apply this fix?"]);
    assert_eq!(bench.operations(), 1);
}

#[test]
fn picks_of_several_files_are_undone_together() {
    let bench = three();
    let args = ["repair", "--pick", "a.jsonl", "b.jsonl", "c.jsonl"];
    let seen = at_terminal(&bench, &args, "y\ny\nq\n", false).exits(1);
    seen.shows(&["Undo all 2:  transcript-doctor undo batch-1"]);
    assert_eq!(repaired(&bench), "ab");
    bench.run(&["undo", "batch-1"]).exits(0);
    assert_eq!(repaired(&bench), "");
}

#[test]
fn picking_needs_a_terminal() {
    let bench = three();
    let ran = bench.run(&["repair", "--pick", "a.jsonl"]).exits(2);
    assert!(ran.err.contains("--pick asks about each fix, which needs a terminal"), "{}", ran.err);
    for more in ["--yes", "--dry-run", "--unsafe"] {
        bench.run(&["repair", "--pick", more, "a.jsonl"]).exits(2);
    }
    assert_eq!(repaired(&bench), "");
}

/// Two pages of output in a terminal that can show a pager.
fn paged(bench: &Bench, args: &[&str], pager: &str) -> Seen {
    let env = [("TERM", "xterm"), ("NO_COLOR", "1"), ("TRANSCRIPT_DOCTOR_PAGER", pager)];
    at_terminal_with(bench, args, "", false, &env)
}

#[test]
fn long_output_goes_through_a_pager() {
    let bench = three();
    let pager = "sed 's/^/| /'";
    for args in [&["diff", "a.jsonl"][..], &["explain", "a.jsonl"]] {
        let seen = paged(&bench, args, pager).exits(0);
        seen.shows(&["| ", "a.jsonl"]);
        assert!(seen.screen.lines().all(|line| line.starts_with("| ")), "{}", seen.screen);
    }
    // A message comes in between, not over the screen of the pager.
    let both = ["explain", "a.jsonl", "--timeline", "all"];
    paged(&bench, &both, pager).exits(0).shows(&["| "]);
    let raw = ["diff", "a.jsonl", "--as", "raw"];
    paged(&bench, &raw, pager).exits(0).shows(&["| --- a/a.jsonl"]);
}

#[test]
fn no_pager_where_none_is_wanted() {
    let bench = three();
    let pager = "sed 's/^/| /'";
    for args in [
        &["diff", "a.jsonl", "--no-pager"][..],
        &["diff", "a.jsonl", "-f", "json"],
        &["explain", "a.jsonl", "-f", "markdown"],
        &["check", "a.jsonl"],
    ] {
        let seen = paged(&bench, args, pager);
        assert!(!seen.screen.contains("| "), "{args:?}\n{}", seen.screen);
    }
    for none in ["", "cat"] {
        let seen = paged(&bench, &["diff", "a.jsonl"], none).exits(0);
        seen.shows(&["a.jsonl  what repair would change"]);
    }
    let env = [("TERM", "xterm"), ("PAGER", pager)];
    let seen = at_terminal_with(&bench, &["diff", "a.jsonl"], "", true, &env).exits(0);
    assert!(seen.piped.starts_with("a.jsonl  what"), "{}", seen.piped);
}

#[test]
fn a_pager_does_not_change_the_result() {
    let bench = three();
    let differs = ["diff", "a.jsonl", "--exit-code"];
    // The user has seen enough after the first line.
    let seen = paged(&bench, &differs, "head -n 1").exits(1);
    assert_eq!(seen.screen.lines().count(), 1, "{}", seen.screen);
    paged(&bench, &differs, "true").exits(1);
    let seen = paged(&bench, &differs, "no-such-pager -x").exits(1);
    seen.shows(&["cannot start the pager no-such-pager -x: ", "- removed"]);
    let gone = ["explain", "gone.jsonl"];
    paged(&bench, &gone, "head -n 0").exits(3).shows(&["gone.jsonl"]);
}

#[test]
fn a_long_run_shows_how_far_it_is() {
    let bench = Bench::new();
    let mut lines = STUCK.join("\n");
    lines.push('\n');
    let env = [("TERM", "xterm"), ("NO_COLOR", "1")];
    let mut files = 4;
    // However fast the machine is, some number of files takes more than half a second.
    let seen = loop {
        for n in 0..files {
            bench.write(&format!("many/{n}.jsonl"), lines.repeat(30));
        }
        let seen = at_terminal_with(&bench, &["check", "many", "-j1"], "", false, &env);
        if seen.screen.contains("\rChecked ")
            || seen.screen.contains("\u{1b}[KChecked ")
            || files > 10_000
        {
            break seen;
        }
        files *= 2;
    };
    let (line, result) = seen.screen.rsplit_once("\r\u{1b}[K").unwrap();
    let all = format!(" of {files} files, ");
    assert!(line.contains(&all) && !result.contains("Checked"), "{}", seen.screen);
    assert!(result.contains(" conversations"), "{result}");
    for args in [&["check", "many", "-j1", "--no-progress"][..], &["check", "many", "-j1", "-q"]] {
        let seen = at_terminal_with(&bench, args, "", false, &env);
        assert!(!seen.screen.contains('\u{1b}'), "{}", seen.screen);
    }
    let dumb = at_terminal(&bench, &["check", "many", "-j1"], "", false);
    assert!(!dumb.screen.contains("Checked"), "{}", dumb.screen);
}
