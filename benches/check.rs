//! How fast a transcript is checked, from file to verdict, as a ratio to two baselines in the same
//! run; and its peak memory.
//!
//! `cargo bench --bench check -- [--bytes N] [--runs N] [--dialect NAME | FILE]`. Each method runs
//! in its own process, so that each has its own peak of memory (`VmHWM`, Linux only).

mod corpus;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use transcript_doctor::testing::engine::{CheckOptions, judge};
use transcript_doctor::testing::find::find;

type Failure = Box<dyn std::error::Error>;
/// A method to process a file; returns what it counted.
type Way = fn(&Path) -> Result<u64, Failure>;

/// The methods, by name.
const WAYS: &[(&str, Way)] = &[
    ("splitting lines", split),
    ("a Value per line", values),
    ("a check", check),
];

fn split(path: &Path) -> Result<u64, Failure> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 20];
    let mut lines = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(lines);
        }
        lines += memchr::memchr_iter(b'\n', &buffer[..read]).count() as u64;
    }
}

fn values(path: &Path) -> Result<u64, Failure> {
    let mut input = BufReader::with_capacity(1 << 20, File::open(path)?);
    let (mut line, mut objects) = (Vec::new(), 0);
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(objects);
        }
        objects += u64::from(serde_json::from_slice::<serde_json::Value>(&line)?.is_object());
    }
}

fn check(path: &Path) -> Result<u64, Failure> {
    let finds = find(&[path.to_owned()], None);
    let found = finds.found.first().ok_or("no recording")?.open()?;
    Ok(judge(
        &found.source,
        "bench",
        &found.claim,
        &CheckOptions::default(),
    )?
    .records())
}

/// Runs one method in this process. Returns its count, the seconds, and the peak memory in kB.
fn measure(way: &str, path: &Path) -> Result<String, Failure> {
    let (_, work) = WAYS
        .iter()
        .find(|(name, _)| *name == way)
        .ok_or("no such way")?;
    let start = Instant::now();
    let count = work(path)?;
    let took = start.elapsed().as_secs_f64();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap_or("0")
        .trim();
    Ok(format!("{count} {took} {}", peak.trim_end_matches(" kB")))
}

/// The best of several runs of a method, each in its own process.
fn best(way: &str, path: &Path, runs: usize) -> Result<(u64, f64, u64), Failure> {
    let mut best = (0, f64::MAX, 0);
    for _ in 0..runs {
        let output = Command::new(std::env::current_exe()?)
            .arg("--way")
            .arg(way)
            .arg(path)
            .output()?;
        let text = String::from_utf8(output.stdout)?;
        let mut words = text.split_whitespace();
        let mut word = || words.next().ok_or("a run failed");
        let (count, took, peak) = (word()?.parse()?, word()?.parse::<f64>()?, word()?.parse()?);
        if took < best.1 {
            best = (count, took, peak);
        }
    }
    Ok(best)
}

fn main() -> Result<(), Failure> {
    let (mut size, mut runs, mut way, mut file) = (256 << 20, 5, None, None);
    let mut dialect = "openhands".to_owned();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--bytes" => size = args.next().unwrap_or_default().parse()?,
            "--runs" => runs = args.next().unwrap_or_default().parse()?,
            "--dialect" => dialect = args.next().unwrap_or_default(),
            "--way" => way = args.next(),
            // Arguments that cargo adds.
            "--bench" => {}
            _ => file = Some(PathBuf::from(arg)),
        }
    }
    if let (Some(way), Some(file)) = (&way, &file) {
        println!("{}", measure(way, file)?);
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let path = match file {
        Some(file) => file,
        None => {
            let path = folder.path().join("corpus.jsonl");
            let dialect = corpus::dialect(&dialect).ok_or("no such dialect")?;
            std::fs::write(&path, corpus::lines(dialect, 1, size))?;
            path
        }
    };
    println!("{} bytes", std::fs::metadata(&path)?.len());
    let mut least = None;
    for (way, _) in WAYS {
        let (count, took, peak) = best(way, &path, runs)?;
        let least = *least.get_or_insert(took);
        println!(
            "{way}: {count} counted, {:.1} x the time of splitting lines, {peak} kB at most",
            took / least
        );
    }
    Ok(())
}
