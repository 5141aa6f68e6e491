//! What `check` costs: instructions a byte, for each dialect, against a budget. Unlike a time, the number of instructions is
//! the same on a busy machine, so a job of the workflow runs this and fails if a budget is exceeded.
//!
//! `cargo bench --bench instructions -- [NAME]…`. It needs `valgrind`.

mod corpus;

use std::path::Path;
use std::process::Command;

use corpus::{DIALECTS, Dialect};

type Failure = Box<dyn std::error::Error>;

/// Bytes of each corpus. What a start of the program costs is in the figure: about two instructions a byte.
const BYTES: usize = 2 << 20;

/// The most that a dialect may cost: tenths of an instruction a byte. Lower it when it is beaten.
const BUDGETS: &[(&str, u64)] = &[
    ("claude-code", 116),
    ("codex", 111),
    ("openhands", 128),
    ("pi", 148),
    ("openai-chat", 160),
    ("rows", 192),
];

/// Instructions that a check of a file takes.
fn instructions(file: &Path, folder: &Path) -> Result<u64, Failure> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env!("CARGO_BIN_EXE_transcript-doctor"))
        .args(["check", "--jobs", "1", "-q"])
        .arg(file)
        .env("XDG_STATE_HOME", folder)
        .output()?;
    let told = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("the check of {} failed: {told}", file.display()).into());
    }
    let count = told.lines().find_map(|line| line.split("Collected : ").nth(1));
    Ok(count.ok_or("valgrind counted nothing")?.trim().parse()?)
}

/// Measures a dialect; whether it keeps to its budget.
fn measure(dialect: &Dialect, folder: &Path) -> Result<bool, Failure> {
    let file = folder.join(format!("{}.jsonl", dialect.name));
    let corpus = corpus::lines(dialect, 1, BYTES);
    std::fs::write(&file, &corpus)?;
    let tenths = instructions(&file, folder)? * 10 / corpus.len() as u64;
    let budget = BUDGETS.iter().find(|(name, _)| *name == dialect.name);
    let budget = budget.ok_or("a dialect without a budget")?.1;
    let says = match tenths {
        _ if tenths > budget => "above its budget",
        _ if tenths * 100 < budget * 97 => "lower the budget",
        _ => "",
    };
    let shown = |tenths: u64| format!("{}.{}", tenths / 10, tenths % 10);
    println!("{:<12} {:>6} of {:>6}  {says}", dialect.name, shown(tenths), shown(budget));
    Ok(tenths <= budget)
}

fn main() -> Result<(), Failure> {
    let names: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let mut dialects: Vec<&Dialect> = DIALECTS.iter().collect();
    if !names.is_empty() {
        dialects = names
            .iter()
            .map(|name| corpus::dialect(name).ok_or_else(|| format!("no such dialect: {name}")))
            .collect::<Result<_, _>>()?;
    }
    let folder = tempfile::tempdir()?;
    let mut is_kept = true;
    for dialect in dialects {
        is_kept &= measure(dialect, folder.path())?;
    }
    if is_kept { Ok(()) } else { Err("a budget is exceeded".into()) }
}
