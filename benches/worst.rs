//! The cost of the worst transcripts: time and memory of a command for n, 2n and 4n records of one
//! shape of damage.
//!
//! `cargo bench --bench worst -- [--n N] [--command NAME] [NAME]…`, where a name is a format, a shape or both (`pi/cycle`). A ratio far
//! above two means that something visits each record once per record: the bench fails above [`MOST`].

mod process;
mod shapes;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use process::Cost;
use shapes::{FORMATS, SHAPES};

type Failure = Box<dyn std::error::Error>;

/// After a run longer than this, larger files are skipped.
const PATIENCE: Duration = Duration::from_secs(20);
const COMMANDS: &[&str] = &["check", "diff", "repair", "redact", "explain"];
/// The most that twice the records may cost, and the shortest time of which that is asked.
const MOST: f64 = 2.5;
const SHORTEST: Duration = Duration::from_millis(200);

struct Options {
    n: usize,
    commands: Vec<String>,
    names: Vec<String>,
}

fn options() -> Result<Options, Failure> {
    let mut options = Options { n: 2_500, commands: Vec::new(), names: Vec::new() };
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--n" => options.n = args.next().ok_or("--n takes a number")?.parse()?,
            "--command" => options.commands.push(args.next().ok_or("--command takes a name")?),
            _ => options.names.push(arg),
        }
    }
    if options.commands.is_empty() {
        options.commands = COMMANDS.iter().map(|name| (*name).to_owned()).collect();
    }
    Ok(options)
}

/// Runs a command on a file. Returns its processor time, or the elapsed time where the system does
/// not report it, and its peak memory in MiB.
fn run(command: &str, file: &Path, folder: &Path) -> Result<(Duration, Option<u64>), Failure> {
    let mut process = Command::new(env!("CARGO_BIN_EXE_transcript-doctor"));
    process.arg(command).arg(file).env("XDG_STATE_HOME", folder).env("NO_COLOR", "1");
    if matches!(command, "repair" | "redact") {
        process.arg("--force").arg("-o").arg(folder.join("copy"));
    }
    let Cost { time, peak, .. } = process::run(&mut process)?;
    Ok((time, peak.map(|peak| peak / 1024)))
}

/// Measures a shape with each command; whether none grew faster than it may.
fn measure(
    options: &Options,
    name: &str,
    files: &[PathBuf],
    folder: &Path,
) -> Result<bool, Failure> {
    let mut is_kept = true;
    for command in &options.commands {
        print!("{name:44} {command:7}");
        let mut before: Option<Duration> = None;
        for file in files {
            let (time, peak) = run(command, file, folder)?;
            let growth = before
                .filter(|before| !before.is_zero())
                .map(|before| time.as_secs_f64() / before.as_secs_f64());
            let is_fast = growth.is_some_and(|growth| growth > MOST) && time > SHORTEST;
            is_kept &= !is_fast;
            let mark = if is_fast { "!" } else { "" };
            let growth = growth.map_or_else(String::new, |growth| format!("×{growth:.1}{mark}"));
            let peak = peak.map_or_else(String::new, |peak| format!("{peak} MiB"));
            print!("  {:7.2} s {growth:6} {peak:9}", time.as_secs_f64());
            before = Some(time);
            if time > PATIENCE {
                print!("  too long");
                break;
            }
        }
        println!();
    }
    Ok(is_kept)
}

fn main() -> Result<(), Failure> {
    let options = options()?;
    let folder = tempfile::tempdir()?;
    let mut is_kept = true;
    for shape in SHAPES {
        for format in FORMATS {
            let name = format!("{}/{}", format.name, shape.name);
            let asked =
                |wanted: &String| *wanted == name || wanted == format.name || wanted == shape.name;
            if !options.names.is_empty() && !options.names.iter().any(asked) {
                continue;
            }
            let mut files = Vec::new();
            for n in [options.n, options.n * 2, options.n * 4] {
                let Some(bytes) = shapes::recording(format, shape, n) else {
                    break;
                };
                let file = folder.path().join(format!("{n}.{}", format.extension));
                std::fs::write(&file, bytes)?;
                files.push(file);
            }
            if !files.is_empty() {
                is_kept &= measure(&options, &name, &files, folder.path())?;
            }
        }
    }
    if is_kept { Ok(()) } else { Err(format!("a ratio above {MOST}").into()) }
}
