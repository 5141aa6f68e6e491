//! Random damage: what holds for every transcript, whatever happens to it.
//!
//! Every fixture is broken in all ways of [`damages`], and every property of [`properties`] is asked of what the program does
//! with it. CONTRIBUTING.md says how to run more of them, and one again.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod damages;
mod foreign;
mod mutant;
mod properties;
mod random;
mod shrink;
mod spots;
#[path = "../support/mod.rs"]
mod support;
mod texts;
mod world;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use mutant::{Fixture, Mutant};
use random::Random;
use world::{HOME, Observed, observe};

/// How many are tried by each of two processes if nothing is said.
const FEW: usize = 40;

fn main() -> ExitCode {
    match std::env::var_os(HOME) {
        Some(_) => part(),
        None => all(),
    }
}

fn number(var: &str) -> Option<u64> {
    std::env::var(var).ok()?.parse().ok()
}

/// Starts the processes that share the work. Each has a home folder of its own, because a journal has a lock.
fn all() -> ExitCode {
    let own = std::env::current_exe().unwrap();
    let is_one = std::env::var_os("MUTANTS_ONE").is_some();
    let parts = if is_one { 1 } else { number("MUTANTS_JOBS").unwrap_or(2) };
    let homes: Vec<_> = (0..parts).map(|_| tempfile::tempdir().unwrap()).collect();
    let start = |(part, home): (usize, &tempfile::TempDir)| {
        let mut command = Command::new(&own);
        let kept = std::env::vars_os().filter(|(name, _)| {
            let name = name.to_string_lossy();
            name.starts_with("MUTANTS") || ["PATH", "TMPDIR", "LLVM_PROFILE_FILE"].contains(&&*name)
        });
        let kept: Vec<_> = kept.collect();
        command.env_clear().envs(kept);
        command.env("HOME", home.path()).env(HOME, home.path());
        command.env("XDG_STATE_HOME", home.path().join("state"));
        if let Some(keep) = std::env::var_os("MUTANTS_KEEP") {
            command.env("MUTANTS_KEEP", std::path::absolute(keep).unwrap());
        }
        command.env("MUTANTS_PART", part.to_string());
        command.env("MUTANTS_PARTS", parts.to_string());
        command.current_dir(home.path()).spawn().unwrap()
    };
    let children: Vec<_> = homes.iter().enumerate().map(start).collect();
    let failed = children
        .into_iter()
        .map(|mut child| child.wait().unwrap().success())
        .filter(|success| !success)
        .count();
    println!("seed {}", number("MUTANTS_SEED").unwrap_or(1));
    match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// A property that a mutant does not have, and why.
struct Failure {
    property: &'static str,
    why: String,
}

fn failures(of: &Observed) -> Vec<Failure> {
    let open = match std::env::var_os("MUTANTS_OPEN") {
        Some(_) => properties::OPEN,
        None => &[],
    };
    let asked = properties::ALL.iter().chain(open);
    let failed = asked.filter_map(|(property, holds)| {
        let why = holds(of).err()?;
        Some(Failure { property, why })
    });
    failed.collect()
}

/// The work of one process.
fn part() -> ExitCode {
    let seed = number("MUTANTS_SEED").unwrap_or(1);
    if let Ok(one) = std::env::var("MUTANTS_ONE") {
        let mutant =
            Mutant::read(&one).expect("a fixture and damages, as `healthy/pi/x.jsonl torn:1f`");
        return one_again(&mutant);
    }
    let (part, parts) = (number("MUTANTS_PART").unwrap(), number("MUTANTS_PARTS").unwrap());
    let count = number("MUTANTS").map_or(FEW as u64 * parts, |count| count);
    let mut fixtures = mutant::fixtures();
    if let Ok(only) = std::env::var("MUTANTS_ONLY") {
        fixtures.retain(|name| name.contains(&only));
    }
    let mut classes: BTreeMap<String, usize> = BTreeMap::new();
    for number in (part..count).step_by(usize::try_from(parts).unwrap()) {
        let mut random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(number));
        let mutant = Mutant::random(&fixtures, &mut random);
        let Some(fixture) = Fixture::read(&mutant.fixture) else {
            continue;
        };
        let observed = observe(&fixture, &mutant.build(&fixture));
        for failure in failures(&observed) {
            let class = class(&failure, &observed);
            let seen = classes.entry(class.clone()).or_default();
            *seen += 1;
            if *seen == 1 {
                tell(&class, &failure, &mutant, &fixture);
            }
        }
        if number >= 1000 && number % 1000 < parts {
            eprintln!("{number} of {count}");
        }
    }
    for (class, count) in &classes {
        println!("CLASS {count} {class}");
    }
    if classes.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What failures of one cause have in common: the property, the format, and the codes in the reason.
fn class(failure: &Failure, observed: &Observed) -> String {
    let format = &observed.check.report["conversations"][0]["format"];
    let codes = failure
        .why
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| word.len() == 5 && word.starts_with("TD"));
    let mut codes: Vec<&str> = codes.collect();
    codes.sort_unstable();
    codes.dedup();
    let words: String =
        failure.why.chars().take_while(|c| *c != ':' && *c != '[').take(60).collect();
    format!("{} {} {} {words}", failure.property, format.as_str().unwrap_or("-"), codes.join(","),)
}

fn one_again(mutant: &Mutant) -> ExitCode {
    let fixture = Fixture::read(&mutant.fixture).expect("a fixture");
    let observed = observe(&fixture, &mutant.build(&fixture));
    let failures = failures(&observed);
    for failure in &failures {
        tell(&class(failure, &observed), failure, mutant, &fixture);
    }
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints a failure with the least that still fails, and how to see it again.
fn tell(class: &str, failure: &Failure, mutant: &Mutant, fixture: &Fixture) {
    let fails = |files: &support::Files| {
        let observed = observe(fixture, files);
        let mut failures = failures(&observed).into_iter();
        failures.any(|other| self::class(&other, &observed) == class)
    };
    let least = shrink::damages(mutant, &|fewer| fails(&fewer.build(fixture)));
    // Of many failures, a long run tells only the damages.
    let is_long = number("MUTANTS").is_some() && std::env::var_os("MUTANTS_ONE").is_none();
    let files = if is_long {
        least.build(fixture)
    } else {
        shrink::input(fixture, &least.build(fixture), &fails)
    };
    let observed = observe(fixture, &files);
    let mut left = failures(&observed).into_iter();
    let why = left.find(|left| left.property == failure.property);
    let why = why.map_or_else(|| failure.why.clone(), |why| why.why);
    println!(
        "FAILED {}\n  class: {class}\n  why: {why}\n  found as: {}",
        failure.property, failure.why
    );
    println!("  again: MUTANTS_ONE='{least}' cargo test --test mutants");
    if let Some(keep) = std::env::var_os("MUTANTS_KEEP") {
        let name: String = class
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' })
            .take(90)
            .collect();
        let folder = PathBuf::from(keep).join(name);
        let _ = std::fs::remove_dir_all(&folder);
        println!("  input: {}", fixture.write(&files, &folder).display());
    } else {
        for (name, bytes) in files.iter().filter(|(_, bytes)| bytes.len() < 4000) {
            println!("  {name}: {}", String::from_utf8_lossy(bytes));
        }
    }
}
