//! What memory follows: bytes of the heap for each record of a healthy transcript, and for each finding of a damaged one, against
//! budgets. The heap is counted, not sampled, so a busy machine gives the same number.
//!
//! `cargo bench --bench memory -- [NAME]…`. It needs `valgrind`.

mod corpus;
mod shapes;

use std::path::{Path, PathBuf};
use std::process::Command;

use shapes::{FORMATS, SHAPES};

type Failure = Box<dyn std::error::Error>;

/// Bytes of the smaller corpus.
const BYTES: usize = 1 << 20;
/// Findings of the smaller transcript.
const FINDINGS: usize = 500;

/// The most bytes for each record of a dialect. Lower it when it is beaten.
const RECORDS: &[(&str, u64)] = &[
    ("claude-code", 310),
    ("codex", 223),
    ("openhands", 224),
    ("pi", 380),
    ("openai-chat", 226),
    ("rows", 10),
];

/// The most bytes for each finding: format, shape, records of the shape for each finding, and of `check`, `repair -n`, `redact`. Beyond
/// 10,000 they take less.
const PER_FINDING: &[(&str, &str, usize, [u64; 3])] = &[
    ("rows", "many-unanswered", 2, [13_550, 13_550, 18_800]),
    ("claude-code", "many-late", 4, [4_600, 11_100, 7_550]),
    ("claude-code", "torn", 1, [2_760, 5_330, 3_700]),
];

/// The largest heap of a command, in bytes.
fn peak(arguments: &[&str], file: &Path, folder: &Path) -> Result<u64, Failure> {
    let output = Command::new("valgrind")
        .args(["--tool=dhat", "--dhat-out-file=/dev/null"])
        .arg(env!("CARGO_BIN_EXE_transcript-doctor"))
        .args(arguments)
        .arg(file)
        .env("XDG_STATE_HOME", folder)
        .output()?;
    let told = String::from_utf8_lossy(&output.stderr);
    let count = told.lines().find_map(|line| line.split("At t-gmax:").nth(1));
    let count = count.and_then(|count| count.split(" bytes").next());
    let count = count.ok_or_else(|| format!("valgrind counted nothing: {told}"))?;
    Ok(count.trim().replace(',', "").parse()?)
}

/// Prints what was measured; whether it keeps to its budget.
fn keeps(name: &str, bytes: u64, budget: u64) -> bool {
    let says = match bytes {
        _ if bytes > budget => "above its budget",
        _ if bytes * 100 < budget * 95 => "lower the budget",
        _ => "",
    };
    println!("{name:<44} {bytes:>6} of {budget:>6}  {says}");
    bytes <= budget
}

/// What the second file takes beyond the first one, for each of so many.
fn each(
    arguments: &[&str],
    files: &[PathBuf; 2],
    count: usize,
    folder: &Path,
) -> Result<u64, Failure> {
    let [small, large] = files;
    let more = peak(arguments, large, folder)?.saturating_sub(peak(arguments, small, folder)?);
    Ok(more / count as u64)
}

fn main() -> Result<(), Failure> {
    let names: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let is_asked = |name: &str| names.is_empty() || names.iter().any(|own| own == name);
    let folder = tempfile::tempdir()?;
    let files =
        |ending| ["small", "large"].map(|name| folder.path().join(name).with_extension(ending));
    let mut is_kept = true;
    for (name, budget) in RECORDS.iter().filter(|(name, _)| is_asked(name)) {
        let dialect = corpus::dialect(name).ok_or("no such dialect")?;
        let [small, large] = [1, 2].map(|times| corpus::lines(dialect, 1, times * BYTES));
        let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
        let count = lines(&large) - lines(&small);
        let files = files("jsonl");
        std::fs::write(&files[0], small)?;
        std::fs::write(&files[1], large)?;
        let bytes = each(&["check", "--jobs", "1", "-q"], &files, count, folder.path())?;
        is_kept &= keeps(&format!("{name}, a record"), bytes, *budget);
    }
    for (format, shape, records, budgets) in PER_FINDING.iter().filter(|own| is_asked(own.1)) {
        let format = FORMATS.iter().find(|own| own.name == *format).ok_or("no such format")?;
        let shape = SHAPES.iter().find(|own| own.name == *shape).ok_or("no such shape")?;
        let files = files(format.extension);
        for (file, times) in files.iter().zip([1, 2]) {
            let text = shapes::recording(format, shape, times * FINDINGS * records);
            std::fs::write(file, text.ok_or("the format cannot have this damage")?)?;
        }
        let copy = folder.path().join("copy");
        let copy = copy.to_string_lossy();
        let commands: [&[&str]; 3] =
            [&["check", "--jobs", "1"], &["repair", "-n"], &["redact", "--force", "-o", &copy]];
        for (command, budget) in commands.iter().zip(budgets) {
            let bytes = each(command, &files, FINDINGS, folder.path())?;
            let name = format!("{}/{}, a finding of {}", format.name, shape.name, command[0]);
            is_kept &= keeps(&name, bytes, *budget);
        }
    }
    if is_kept { Ok(()) } else { Err("a budget is exceeded".into()) }
}
