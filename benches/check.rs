//! How fast a transcript is checked, beside programs that only read it: `wc -l`, a `serde_json::Value` for
//! each line, `jq`, and Python with `json` and `orjson`. Each runs in a process of its own.
//!
//! `cargo bench --bench check -- [--bytes N] [--runs N] [--dialect NAME | FILE]`. Without a dialect, all of them. A
//! program that is not installed is left out.

mod corpus;
mod process;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use corpus::{DIALECTS, Dialect};
use process::Cost;

type Failure = Box<dyn std::error::Error>;

/// The program that reads values, which is this one.
const VALUES: &str = "--values";
const PYTHON: &str = "import json,sys\nfor line in open(sys.argv[1],'rb'): json.loads(line)";
const ORJSON: &str = "import orjson,sys\nfor line in open(sys.argv[1],'rb'): orjson.loads(line)";
/// Programs by what they do. They get the file as their last argument; the first one is what others are compared with.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("`wc -l`", &["wc", "-l"]),
    ("`check`, one thread", &["", "check", "-q", "--jobs", "1"]),
    ("`check`", &["", "check", "-q"]),
    ("a `Value` for each line", &[VALUES]),
    ("`jq empty`", &["jq", "empty"]),
    ("Python, `orjson`", &["python3", "-c", ORJSON]),
    ("Python, `json`", &["python3", "-c", PYTHON]),
];

struct Options {
    bytes: usize,
    runs: usize,
    dialect: Option<String>,
    file: Option<PathBuf>,
}

fn command(words: &[&str], file: &Path, folder: &Path) -> Result<Command, Failure> {
    let (program, arguments) = words.split_first().ok_or("no program")?;
    let mut command = match *program {
        "" => Command::new(env!("CARGO_BIN_EXE_transcript-doctor")),
        VALUES => Command::new(std::env::current_exe()?),
        other => Command::new(other),
    };
    if *program == VALUES {
        command.arg(VALUES);
    }
    command.args(arguments).arg(file);
    command.env("XDG_STATE_HOME", folder);
    Ok(command)
}

/// Whether a program is there and reads the file to its end. `finds`: it may find damage.
fn works(command: &mut Command, finds: bool) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success() || (finds && status.code() == Some(1)))
}

/// The median run: by its elapsed time.
fn median(command: &mut Command, runs: usize) -> Result<Cost, Failure> {
    let mut costs = Vec::new();
    for _ in 0..runs.max(1) {
        costs.push(process::run(command)?);
    }
    costs.sort_by_key(|cost| cost.elapsed);
    Ok(costs[costs.len() / 2])
}

/// Prints a table of all programs.
fn compare(name: &str, file: &Path, folder: &Path, runs: usize) -> Result<(), Failure> {
    let bytes = std::fs::metadata(file)?.len();
    println!("\n{name}, {} MB\n", bytes / 1_000_000);
    println!(
        "| program | time | GB/s | of `wc -l` | processor time | memory |\n|---|---|---|---|---|---|"
    );
    let mut base = None;
    for (title, words) in PROGRAMS {
        let mut command = command(words, file, folder)?;
        if !works(&mut command, words.starts_with(&[""])) {
            continue;
        }
        let Cost { elapsed, time, peak } = median(&mut command, runs)?;
        let elapsed = elapsed.as_secs_f64();
        println!(
            "| {title} | {elapsed:.3} s | {:.2} | {:.1} | {:.2} s | {} MiB |",
            bytes as f64 / elapsed / 1e9,
            elapsed / *base.get_or_insert(elapsed),
            time.as_secs_f64(),
            peak.unwrap_or(0) / 1024,
        );
    }
    Ok(())
}

/// Reads each line as a value.
fn values(file: &Path) -> Result<(), Failure> {
    let mut input = BufReader::with_capacity(1 << 20, File::open(file)?);
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        serde_json::from_slice::<serde_json::Value>(&line)?;
        line.clear();
    }
    Ok(())
}

fn options() -> Result<Options, Failure> {
    let mut options = Options { bytes: 100 << 20, runs: 5, dialect: None, file: None };
    // Cargo adds `--bench`.
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} takes a value"));
        match arg.as_str() {
            "--bytes" => options.bytes = value()?.parse()?,
            "--runs" => options.runs = value()?.parse()?,
            "--dialect" => options.dialect = Some(value()?),
            VALUES => {
                values(Path::new(&value()?))?;
                std::process::exit(0);
            }
            _ => options.file = Some(arg.into()),
        }
    }
    Ok(options)
}

fn main() -> Result<(), Failure> {
    let options = options()?;
    let folder = tempfile::tempdir()?;
    if let Some(file) = &options.file {
        let name = file.display().to_string();
        return compare(&name, file, folder.path(), options.runs);
    }
    let file = folder.path().join("corpus.jsonl");
    let dialects: Vec<&Dialect> = match &options.dialect {
        Some(name) => vec![corpus::dialect(name).ok_or("no such dialect")?],
        None => DIALECTS.iter().collect(),
    };
    for dialect in dialects {
        std::fs::write(&file, corpus::lines(dialect, 1, options.bytes))?;
        compare(dialect.name, &file, folder.path(), options.runs)?;
    }
    Ok(())
}
