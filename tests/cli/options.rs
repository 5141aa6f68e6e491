//! Every command with every global option: an option changes something, or it is refused.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};

use regex::Regex;

use crate::bench::{Bench, Ran, STUCK};
use crate::share::one_of;

/// The commands in all their variants. `F` is a transcript, `L` a line of it, `ID` a call in it,
/// `G` another transcript.
const COMMANDS: &[&str] = &[
    "check F",
    "repair F",
    "repair -n F",
    "repair F -o copy",
    "repair F -o -",
    "diff F",
    "diff F --as messages",
    "diff F --as raw",
    "diff F --stat",
    "diff F G",
    "diff F G --as messages",
    "diff F G --as raw",
    "diff F G --stat",
    "explain TD104",
    "rules",
    "formats",
    "completions bash",
    "man",
    "explain F",
    "explain F:L",
    "explain F --call ID",
    "explain --error ERROR",
    "explain F --error ERROR",
    "explain F --error ERROR --find",
    "redact F -o copy",
    "redact F -o -",
    "undo",
    "undo -n",
    "undo 1 -o copy",
    "undo --list",
];

/// The global options, each with values of which one changes something.
const OPTIONS: &[(&str, &[&str])] = &[
    ("format", &["-f json", "-f concise"]),
    ("report", &["--report json=report.json"]),
    ("from", &["--from codex"]),
    ("target", &["--target mistral", "--target openai-responses"]),
    ("client", &["--client current", "--client strict"]),
    ("select", &["--select TD301"]),
    ("ignore", &["--ignore TD1"]),
    ("fail_on", &["--fail-on fatal", "--fail-on warning"]),
    ("allow_empty", &["--allow-empty"]),
    ("jobs", &["-j 2"]),
    ("color", &["--color always"]),
    ("hyperlink", &["--hyperlink always"]),
    ("width", &["--width 40", "--width 200"]),
    ("ascii", &["--ascii"]),
    ("redact", &["--redact strict", "--redact off"]),
    ("quiet", &["-q", "-qq"]),
    ("verbose", &["-v"]),
];

/// Several files are read in parallel: that affects nothing but the time.
const PARALLEL: &[&str] = &["check F", "explain F --error ERROR --find"];

const ERROR: &str =
    "each tool_use must have a single result. Found multiple `tool_result` blocks with id: ID";

/// A transcript: its bytes, a line with a call, and the ID of the call.
struct Transcript {
    bytes: Vec<u8>,
    line: &'static str,
    id: &'static str,
}

/// An option affects one of these: two that clients read differently, one that needs a decision, one with many safe fixes. The
/// largest is last, because most options show in a small one.
fn transcripts() -> [Transcript; 4] {
    let fixture = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rules").join(name);
        std::fs::read(path).unwrap()
    };
    // At most a tenth of its records may change without a question.
    let turn = |n: usize| {
        let message =
            (0..9).map(|k| STUCK[1].replace("-000000000001", &format!("-{n:06}{:06}", k + 5)));
        let turn = STUCK[2..]
            .join("\n")
            .replace("toolu_01A", &format!("toolu_01EvREYhc5WD2xswPAvE{n:04}"));
        let turn =
            turn.replace("-000000", &format!("-{n:06}")).replace("\"r1\"", &format!("\"r{n}\""));
        message.chain([turn]).map(|lines| lines + "\n").collect::<String>()
    };
    let many = format!("{}\n{}", STUCK[0], (1..41).map(turn).collect::<String>());
    let reused = fixture("reused-call-id/claude-code-reused-id.jsonl");
    let clients = fixture("leaf-pointer/claude-code-lastprompt-stale-branch.jsonl");
    let decision = fixture("broken-parent/claude-code-phantom-with-branches.jsonl");
    [
        Transcript { bytes: reused, line: "3", id: "toolu_01cbab69f6b3d05d8398b3f3" },
        Transcript { bytes: clients, line: "3", id: "no-call" },
        Transcript { bytes: decision, line: "3", id: "no-call" },
        Transcript { bytes: many.into_bytes(), line: "11", id: "toolu_01EvREYhc5WD2xswPAvE0001" },
    ]
}

/// The result of a run: its status, its output, its files.
#[derive(Clone, PartialEq)]
struct Left {
    status: i32,
    out: String,
    err: String,
    files: Vec<(String, Vec<u8>)>,
}

impl Left {
    /// Runs in a fresh folder. `at` replaces the transcript.
    fn of(command: &str, option: &str, transcript: &Transcript, at: &str) -> Left {
        let Transcript { bytes, line, id } = transcript;
        let bench = Bench::new();
        bench.write("run.jsonl", bytes);
        let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        lines.remove(4);
        bench.write("other.jsonl", lines.concat());
        bench.write("unknown.jsonl", "{\"a\":1}\n{\"a\":2}\n");
        std::fs::create_dir(bench.path("empty")).unwrap();
        if command.starts_with("undo") {
            bench.run(&["repair", "run.jsonl"]);
        }
        let word = |word: &str| match word {
            "F" => at.to_owned(),
            "F:L" => format!("{at}:{line}"),
            "G" => "other.jsonl".to_owned(),
            "ID" => (*id).to_owned(),
            "ERROR" => ERROR.replace("ID", id),
            other => other.to_owned(),
        };
        let words: Vec<String> =
            command.split(' ').chain(option.split_whitespace()).map(word).collect();
        let Ran { out, err, status } =
            bench.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let mut files = bench.tree("");
        files.retain(|(name, _)| !name.starts_with("state/"));
        let folder = bench.path("").to_str().unwrap().to_owned();
        let plain = |text: String| masked(&text.replace(&folder, "BENCH/"));
        Left { status, out: plain(out), err: plain(err), files }
    }

    fn is_refused(&self) -> bool {
        self.status == 2 && is_refusal(&self.err)
    }
}

/// Whether a text refuses an option: the command does not have it, or not beside another one or for such a value.
fn is_refusal(text: &str) -> bool {
    let refusals = [
        "error: unexpected argument '-",
        "' cannot be used with",
        " does not use --",
        "error: the following required arguments were not provided:",
    ];
    refusals.iter().any(|refusal| text.contains(refusal))
}

/// The text without times.
fn masked(text: &str) -> String {
    static TIME: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"20\d\d-\d\d-\d\d.\d\d:\d\d:\d\d").unwrap());
    TIME.replace_all(text, "TIME").into_owned()
}

#[test]
fn no_option_is_ignored_silently() {
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(command) = COMMANDS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    wrong.lock().unwrap().extend(ignored(command));
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "neither works nor is refused:\n{}", wrong.join("\n"));
}

/// The options that a command accepts, and that change nothing.
fn ignored(command: &str) -> Vec<String> {
    let transcripts = transcripts();
    let plain = transcripts.each_ref().map(|own| Left::of(command, "", own, "run.jsonl"));
    let mut ignored = Vec::new();
    // Each combination takes several processes: one half of them on a push.
    let number = COMMANDS.iter().position(|known| *known == command).unwrap();
    for (name, values) in OPTIONS.iter().skip(number % one_of(2)).step_by(one_of(2)) {
        let at = match *name {
            "allow_empty" => "empty",
            "from" => "unknown.jsonl",
            _ => "run.jsonl",
        };
        let with = |own: usize, value| Left::of(command, value, &transcripts[own], at);
        let first = with(0, values[0]);
        if first.is_refused() {
            continue;
        }
        let changes = |own: usize| {
            let without = if at == "run.jsonl" { plain[own].clone() } else { with(own, "") };
            let skip = usize::from(own == 0);
            (own == 0 && first != without)
                || values.iter().skip(skip).any(|value| with(own, value) != without)
        };
        let works = if *name == "jobs" {
            PARALLEL.contains(&command)
        } else {
            (0..transcripts.len()).any(changes)
        };
        if !works {
            ignored.push(format!("{command}   {name}"));
        }
    }
    ignored
}

#[test]
fn needed_options_are_accepted() {
    let transcripts = transcripts();
    let most: Vec<&str> =
        OPTIONS.iter().map(|(name, _)| *name).filter(|name| *name != "jobs").collect();
    for (command, wanted) in [
        ("check F", &most[..]),
        ("repair F", &most),
        ("repair -n F", &most),
        ("explain F", &most[..7]),
    ] {
        for (name, values) in OPTIONS.iter().filter(|(name, _)| wanted.contains(name)) {
            assert!(
                !Left::of(command, values[0], &transcripts[0], "run.jsonl").is_refused(),
                "{command}  {name}"
            );
        }
    }
}

#[test]
fn options_of_one_variant_are_refused_in_another() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    for line in [
        "diff run.jsonl run.jsonl --unsafe",
        "diff run.jsonl run.jsonl --only TD104",
        "repair -n run.jsonl --no-backup",
        "repair run.jsonl -o copy --keep-mtime",
        "explain TD104 --timeline all",
        "explain TD104 --rows",
        "explain run.jsonl --call toolu_01A --around 3",
        "undo -n --force-live",
    ] {
        let ran = bench.run(&line.split(' ').collect::<Vec<_>>()).exits(2);
        assert!(is_refusal(&ran.err), "{line}: {}", ran.err);
    }
    // What is printed anyway may be requested.
    bench.run(&["diff", "run.jsonl", "run.jsonl", "-f", "human"]).exits(0);
}
