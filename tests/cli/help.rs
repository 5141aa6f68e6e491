//! Help, examples, the version, and what is suggested for words that are wrong.

use std::time::{Duration, SystemTime};

use clap::CommandFactory;
use transcript_doctor::testing::cli::Cli;

use crate::bench::{Bench, Ran, STUCK, healthy};
use crate::program;

/// Rows and columns of the smallest terminal.
const SCREEN: (usize, usize) = (24, 80);

const ID: &str = "5f1c0000-0000-4000-8000-000000000000";

/// The commands, `""` for none.
fn commands() -> Vec<String> {
    let root = Cli::command();
    let names = root.get_subcommands().map(|command| command.get_name());
    std::iter::once("").chain(names).map(str::to_owned).collect()
}

/// The help of a command.
fn help(command: &str, option: &str) -> String {
    let words = [command, option];
    let words = words.iter().copied().filter(|word| !word.is_empty());
    let bench = Bench::new();
    let mut command = bench.command(&words.collect::<Vec<_>>());
    command.env("COLUMNS", "80");
    Ran::from(command.output().unwrap()).exits(0).out
}

#[test]
fn short_help_fits_on_a_screen() {
    for command in commands() {
        let text = help(&command, "-h");
        let (rows, columns) = SCREEN;
        assert!(text.lines().count() <= rows, "{command}\n{text}");
        let wide = text.lines().find(|line| line.chars().count() > columns);
        assert_eq!(wide, None, "{command}");
        assert!(text.contains("--help"), "{command}\n{text}");
    }
}

#[test]
fn long_help_has_everything_and_examples() {
    for command in commands() {
        let text = help(&command, "--help");
        let count = examples(&text).len();
        assert!((2..=4).contains(&count), "{command}\n{text}");
    }
    let check = help("check", "--help");
    assert!(check.contains("\nExit status:\n  0 "), "{check}");
}

#[test]
fn help_has_the_options_that_work() {
    const JUDGED: &[&str] = &["check", "diff", "explain", "repair", "sessions"];
    const PRINTED: &[&str] =
        &["check", "diff", "explain", "formats", "repair", "rules", "sessions"];
    for (option, wanted) in [
        ("--from", &["check", "diff", "explain", "redact", "repair", "sessions"][..]),
        ("--client", JUDGED),
        ("--ascii", JUDGED),
        ("--format", PRINTED),
        ("--width", PRINTED),
        ("--fail-on", &["check", "repair"]),
        ("--isolated", &["check", "diff", "repair"]),
        ("--verbose", &["check", "explain", "repair"]),
        ("--no-pager", &["diff", "explain"]),
        (
            "--redact",
            &["check", "diff", "explain", "redact", "repair", "sessions", "undo", "verify"],
        ),
        ("--jobs", &["check", "explain", "repair", "sessions"]),
    ] {
        let mut having = commands();
        having.retain(|command| {
            help(command, "--help").lines().any(|line| {
                // What may be repeated has dots behind it.
                let words = line.split([' ', ',', '.']).skip_while(|word| word.is_empty());
                words.filter(|word| word.starts_with('-')).any(|word| word == option)
                    && line.trim_start().starts_with('-')
                    && !line.trim_start().starts_with("- ")
            })
        });
        having.sort();
        assert_eq!(having, wanted, "{option}");
    }
}

#[test]
fn options_may_stand_before_the_command() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    let behind = bench.run(&["check", "-q", "run.jsonl"]).exits(1);
    assert_eq!(bench.run(&["-q", "check", "run.jsonl"]).exits(1).out, behind.out);
    assert_eq!(bench.run(&["-q", "run.jsonl"]).exits(1).out, behind.out);
    bench.run(&["--format", "json", "rules"]).exits(0).says("TD104");
    bench.run(&["--unsafe", "check", "run.jsonl"]).exits(2).complains("an option of diff, repair");
}

/// The command lines among the examples of a help text.
fn examples(help: &str) -> Vec<&str> {
    let (_, examples) = help.split_once("\nExamples:\n").unwrap();
    let lines = examples.lines().take_while(|line| !line.is_empty());
    let (comments, examples): (Vec<&str>, Vec<&str>) =
        lines.partition(|line| line.starts_with("  # "));
    assert_eq!(comments.len(), examples.len(), "{examples:?}");
    let name = "  transcript-doctor ";
    let lines = examples.into_iter();
    lines.map(|line| line.strip_prefix(name).unwrap()).collect()
}

/// A home with sessions, and a project folder, in which the examples run.
fn home() -> Bench {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("project")).unwrap();
    let project = bench.path("project").canonicalize().unwrap();
    let project = project.to_str().unwrap();
    let slug = project.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let session = CLAUDE.replace("PROJECT", project).replace("SESSION", ID);
    let name = format!(".claude/projects/{slug}/{ID}.jsonl");
    bench.write(&name, session);
    // A new file may still be open in its host.
    let file = std::fs::File::options().append(true).open(bench.path(&name));
    let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    file.unwrap().set_modified(an_hour_ago).unwrap();
    bench.lines("project/session.jsonl", &STUCK);
    bench.lines("project/copy.jsonl", &healthy());
    bench.write("project/error.txt", ERROR);
    for folder in [".zfunc", ".local/share/man/man1"] {
        std::fs::create_dir_all(bench.path(folder)).unwrap();
    }
    bench
}

/// A session with a tool call that has no result.
const CLAUDE: &str = concat!(
    r#"{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"PROJECT","sessionId":"SESSION","version":"2.1.1","gitBranch":"","type":"user","message":{"role":"user","content":"List the files"},"uuid":"00000000-0000-4000-8000-000000000001","timestamp":"2026-01-21T09:48:01.000Z"}"#,
    "\n",
    r#"{"parentUuid":"00000000-0000-4000-8000-000000000001","isSidechain":false,"userType":"external","cwd":"PROJECT","sessionId":"SESSION","version":"2.1.1","gitBranch":"","type":"assistant","message":{"id":"msg_01","type":"message","role":"assistant","model":"claude-sonnet-4","content":[{"type":"tool_use","id":"toolu_01LISTFILES00000000001","name":"Bash","input":{"command":"ls"}}],"stop_reason":"tool_use"},"requestId":"req_01","uuid":"00000000-0000-4000-8000-000000000002","timestamp":"2026-01-21T09:48:02.000Z"}"#,
    "\n",
    r#"{"parentUuid":"00000000-0000-4000-8000-000000000002","isSidechain":false,"userType":"external","cwd":"PROJECT","sessionId":"SESSION","version":"2.1.1","gitBranch":"","type":"user","message":{"role":"user","content":"Go on"},"uuid":"00000000-0000-4000-8000-000000000003","timestamp":"2026-01-21T09:48:03.000Z"}"#,
    "\n",
);

const ERROR: &str = "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01LISTFILES00000000001";

/// The example run by a shell in the project of a new home.
fn run(bench: &Bench, example: &str) -> Ran {
    let program = env!("CARGO_BIN_EXE_transcript-doctor");
    let script = format!("set -o pipefail 2> /dev/null; {program} {example}");
    // What reads the output elsewhere.
    let script = ["| man -l -", "| source"]
        .iter()
        .fold(script, |script, reader| script.replace(reader, "| cat"));
    let mut command = program::within("bash", &bench.path(""));
    command.args(["-c", &script]).current_dir(bench.path("project"));
    Ran::from(command.output().unwrap())
}

#[test]
fn every_example_runs() {
    for command in commands() {
        for example in examples(&help(&command, "--help")) {
            let bench = home();
            if example.starts_with("undo")
                || example.starts_with("verify")
                || example.contains("--op")
            {
                run(&bench, "repair session.jsonl").exits(0);
            }
            if example.contains("--pick") {
                #[cfg(unix)]
                question_is_asked(&Bench::inside(&bench, "project"), example);
                continue;
            }
            let ran = run(&bench, example);
            // Problems may be left, because the transcripts are damaged.
            assert!(
                matches!(ran.status, 0 | 1),
                "{example}: {}\n{}{}",
                ran.status,
                ran.out,
                ran.err
            );
        }
    }
}

/// An example that needs a terminal.
#[cfg(unix)]
#[track_caller]
fn question_is_asked(bench: &Bench, example: &str) {
    let args: Vec<&str> = example.split(' ').collect();
    let seen = crate::terminal::at_terminal(bench, &args, "y\n", false);
    seen.shows(&["Apply this fix? [y,n,a,s,q,e,?]", "REPAIRED"]);
}

#[test]
fn the_version_names_what_is_built_in() {
    let bench = Bench::new();
    let short = bench.run(&["-V"]).exits(0).out;
    let version = concat!("transcript-doctor ", env!("CARGO_PKG_VERSION"));
    assert!(short.starts_with(version), "{short}");
    assert_eq!(short.lines().count(), 1);
    let long = bench.run(&["--version"]).exits(0).out;
    assert!(long.starts_with(short.trim_end()), "{long}");
    for built_in in ["claude-code", "openai-chat", "bedrock", "mistral"] {
        assert!(long.contains(built_in), "{built_in}\n{long}");
    }
}

#[test]
fn the_formats_are_listed() {
    let bench = Bench::new();
    bench.run(&["formats"]).exits(0).says("claude-code").says("@openclaw");
    let json = bench.run(&["formats", "-f", "json"]).json();
    let lines = bench.run(&["formats", "-q"]).out.lines().count();
    assert_eq!(json.as_array().unwrap().len(), lines);
    bench.run(&["formats", "-f", "html"]).exits(0).says("<h1>");
}

#[test]
fn packages_get_completions_and_manual_pages() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        bench.run(&["completions", shell]).exits(0).says("transcript-doctor");
    }
    bench.run(&["man"]).exits(0).says(".TH transcript-doctor 1");
    std::fs::create_dir(bench.path("pages")).unwrap();
    bench.run(&["man", "pages"]).exits(0);
    let page = String::from_utf8(bench.read("pages/transcript-doctor-check.1")).unwrap();
    assert!(page.contains("Exit status:"), "{page}");
    bench.run(&["man", "gone"]).exits(3).complains("cannot write to gone");
}

#[test]
fn wrong_words_get_suggestions() {
    let bench = Bench::new();
    for (line, suggestion) in [
        ("fix x", "'repair'"),
        ("lint x", "'check'"),
        ("doctor", "'check'"),
        ("list", "'sessions'"),
        ("ls", "'sessions'"),
        ("chekc x", "'check'"),
        ("revert", "'undo'"),
        ("explain unanswered-cal", "did you mean unanswered-call?"),
        ("check --select two-result x", "did you mean two-results?"),
        ("check @claude", "did you mean @claude-code?"),
        ("check @opencl", "did you mean @openclaw?"),
        ("check --from claude x", "'claude-code'"),
        ("check --fix x", "'repair' applies fixes"),
        ("check --json x", "'--format json'"),
    ] {
        bench.run(&line.split(' ').collect::<Vec<_>>()).exits(2).complains(suggestion);
    }
    let unknown = bench.run(&["check", "--fromm", "x"]).exits(2);
    assert!(unknown.err.contains("'--from'"), "{}", unknown.err);
    for line in ["check --nothing-like-that", "-x", "--yes"] {
        let ran = bench.run(&line.split(' ').collect::<Vec<_>>()).exits(2);
        assert!(!ran.err.contains("as a value"), "{}", ran.err);
    }
}

#[test]
fn near_file_names_are_proposed() {
    let bench = Bench::new();
    bench.lines("logs/session.jsonl", &STUCK);
    bench.lines("logs/run.jsonl", &STUCK);
    bench.run(&["check", "logs/sesion.jsonl"]).exits(3).says("did you mean logs/session.jsonl?");
    bench.run(&["check", "logs/run.json"]).exits(3).says("did you mean logs/run.jsonl?");
    bench.run(&["repair", "log"]).exits(3).says("did you mean logs?");
    let far = bench.run(&["check", "logs/gone.jsonl"]).exits(3);
    assert!(!far.out.contains("did you mean"), "{}", far.out);
}

#[test]
fn a_transcript_without_a_command_is_checked() {
    let bench = home();
    bench.lines("run.jsonl", &STUCK);
    let checked = bench.run(&["check", "run.jsonl"]).exits(1);
    for line in [&["run.jsonl"][..], &["--ascii", "run.jsonl"]] {
        let ran = bench.run(line).exits(1);
        assert!(ran.out.starts_with("STUCK  run.jsonl"), "{}", ran.out);
        assert!(ran.err.contains("checking run.jsonl"), "{}", ran.err);
    }
    assert_eq!(bench.run(&["run.jsonl"]).out, checked.out);
    bench.run(&["5f1c"]).exits(1).complains("checking 5f1c");
    bench.run(&["@claude-code", "-q"]).exits(1).says("LOSSY");
    bench.run(&["gone.jsonl"]).exits(3).says("no such file or folder");
    bench.run_with(&["-"], &bench.read("run.jsonl")).exits(1);
    bench.run(&["run.jsonl", "--unsafe"]).exits(2).complains("--unsafe");
}
