//! Faults below every write: each system call with which a repair, an undo, or a copy touches its files is the last one of the
//! process, or fails in each way that file systems have. strace injects the faults.
//!
//! `FAULTS=all` tries all, `FAULTS=50` so many of each scenario, `FAULTS_SEED` others, `FAULTS_ONLY=folder` scenarios with that in
//! their name, `FAULTS_CALL=KILL` faults with that in what strace is told (`rename`, `ENOSPC`).

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use crate::desk::{Act, Desk, Ran, Scenario, Tree, is_leftover, without_leftovers};
use crate::tools;

/// How many faults of each scenario are tried if nothing is said.
const FEW: usize = 3;

const fn on(name: &'static str, fixture: &'static str, act: Act, far: bool) -> Scenario {
    Scenario { name, fixture, act, far }
}

const LINES: &str = "bytes/openhands-bom-crlf.jsonl";
const DOCUMENT: &str = "rules/orphan-result/cline-roo.json";
const FOLDER: &str = "rules/leaf-pointer/openhands-killed-in-a-batch-folder";
const ROWS: &str = "rows/openai-chat_preferences.jsonl";
const ARCHIVE: &str = "rows/inspect_archive.eval";

const SCENARIOS: &[Scenario] = &[
    on("lines", LINES, Act::Repair, false),
    on("lines undone", LINES, Act::Undo, false),
    on("lines, journal elsewhere", LINES, Act::Repair, true),
    on("lines undone, journal elsewhere", LINES, Act::Undo, true),
    on("document", DOCUMENT, Act::Repair, false),
    on("document undone", DOCUMENT, Act::Undo, false),
    on("folder", FOLDER, Act::Repair, false),
    on("folder undone", FOLDER, Act::Undo, false),
    on("folder, journal elsewhere", FOLDER, Act::Repair, true),
    on("rows", ROWS, Act::Repair, false),
    on("rows undone", ROWS, Act::Undo, false),
    on("copy of lines", LINES, Act::Copy, false),
    on("copy of a folder", FOLDER, Act::Copy, false),
    on("copy of an archive", ARCHIVE, Act::Copy, false),
];

/// Calls that change something, and the errors that each may have.
const WRITING: &[(&str, &[&str])] = &[
    ("write", &["EIO", "ENOSPC"]),
    ("pwrite64", &["EIO", "ENOSPC"]),
    ("writev", &["EIO", "ENOSPC"]),
    ("copy_file_range", &["EIO", "ENOSPC", "EXDEV"]),
    ("sendfile", &["EIO", "ENOSPC"]),
    ("ftruncate", &["EIO", "ENOSPC"]),
    ("fallocate", &["EIO", "ENOSPC"]),
    ("fsync", &["EIO", "ENOSPC", "EROFS"]),
    ("fdatasync", &["EIO", "ENOSPC", "EROFS"]),
    ("rename", &["EIO", "ENOSPC", "EACCES", "EXDEV", "EROFS"]),
    ("renameat", &["EIO", "ENOSPC", "EACCES", "EXDEV", "EROFS"]),
    ("renameat2", &["EIO", "ENOSPC", "EACCES", "EXDEV", "EROFS"]),
    ("link", &["EIO", "ENOSPC", "EACCES", "EXDEV", "EROFS"]),
    ("linkat", &["EIO", "ENOSPC", "EACCES", "EXDEV", "EROFS"]),
    ("symlink", &["EIO", "ENOSPC", "EACCES", "EROFS"]),
    ("symlinkat", &["EIO", "ENOSPC", "EACCES", "EROFS"]),
    ("unlink", &["EIO", "EACCES", "EROFS"]),
    ("unlinkat", &["EIO", "EACCES", "EROFS"]),
    ("rmdir", &["EIO", "EACCES", "EROFS"]),
    ("mkdir", &["EIO", "ENOSPC", "EACCES", "EROFS"]),
    ("mkdirat", &["EIO", "ENOSPC", "EACCES", "EROFS"]),
    ("chmod", &["EIO", "EACCES", "EROFS"]),
    ("fchmod", &["EIO", "EACCES", "EROFS"]),
    ("fchmodat", &["EIO", "EACCES", "EROFS"]),
    ("fchown", &["EIO", "EACCES", "EROFS"]),
    ("utimensat", &["EIO", "EACCES", "EROFS"]),
    ("setxattr", &["EIO", "ENOSPC", "EACCES", "EROFS"]),
    ("fsetxattr", &["EIO", "ENOSPC", "EACCES", "EROFS"]),
    ("openat", &["EIO", "EACCES", "EMFILE"]),
    ("flock", &["EIO", "ENOLCK"]),
];
/// What an open that creates a file may also fail with.
const CREATING: &[&str] = &["ENOSPC", "EROFS"];
/// Calls that read. A process that is killed at one has written as much as at the next call that writes.
const READING: &[(&str, &[&str])] = &[
    ("read", &["EIO"]),
    ("pread64", &["EIO"]),
    ("lseek", &["EIO"]),
    ("statx", &["EIO", "EACCES"]),
    ("newfstatat", &["EIO"]),
    ("getdents64", &["EIO"]),
    ("fcntl", &["EMFILE"]),
];

/// A fault: a call, which one of its name, and what happens to it. Displayed as strace takes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fault {
    call: String,
    number: usize,
    /// `None`: the process is killed.
    error: Option<&'static str>,
}

impl Fault {
    fn injection(&self) -> String {
        let Fault { call, number, error } = self;
        match error {
            Some(error) => format!("inject={call}:error={error}:when={number}"),
            None => format!("inject={call}:signal=KILL:when={number}"),
        }
    }
}

/// `kills`: with a filter in the kernel, which is faster, strace sends no signals.
fn strace(kills: bool) -> Command {
    let calls = WRITING.iter().chain(READING).map(|(name, _)| *name);
    let calls: Vec<&str> = calls.collect();
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-qq", "-e", &format!("trace={}", calls.join(","))]);
    strace.args(["-e", "signal=none"]);
    if !kills {
        strace.arg("--seccomp-bpf");
    }
    strace
}

/// Every fault that a run without one could have had, in the order of its calls.
fn faults(desk: &Desk) -> Vec<Fault> {
    desk.reset();
    let log = desk.root().join("trace");
    let mut strace = strace(false);
    strace.arg("-o").arg(&log).arg(env!("CARGO_BIN_EXE_transcript-doctor"));
    let ran = desk.run(strace, &desk.words());
    assert_eq!(ran.status, Some(0), "{}", ran.told);
    let places = desk.places().map(|place| place.to_str().unwrap().to_owned());
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for line in fs::read_to_string(log).unwrap().lines() {
        let Some((thread, rest)) = line.split_once(' ') else {
            continue;
        };
        let Some((call, arguments)) = rest.trim_start().split_once('(') else {
            continue;
        };
        // Each thread has its own count.
        let number = seen.entry((thread.to_owned(), call.to_owned())).or_default();
        *number += 1;
        if !places.iter().any(|place| arguments.contains(place)) {
            continue;
        }
        let all = WRITING.iter().chain(READING);
        let Some((_, errors)) = all.into_iter().find(|(name, _)| *name == call) else {
            continue;
        };
        let fault = |error| Fault { call: call.to_owned(), number: *number, error };
        faults.extend(errors.iter().map(|error| fault(Some(error))));
        let creates = arguments.contains("O_CREAT");
        if creates {
            faults.extend(CREATING.iter().map(|error| fault(Some(error))));
        }
        let changes = WRITING.iter().any(|(name, _)| *name == call);
        if changes && call != "flock" && (call != "openat" || creates) {
            faults.push(fault(None));
        }
    }
    let mut known = BTreeSet::new();
    faults.retain(|fault| known.insert(fault.clone()));
    faults
}

/// What a scenario went through.
#[derive(Default)]
struct Count {
    tried: usize,
    /// The fault met a call on a file of ours. Which call has a number depends a little on the other processes of the machine,
    /// because the program reads which files they have open.
    met: usize,
    /// A kill met an operation between its announcement and its end.
    interrupted: usize,
}

/// The least state that a disturbed run may leave.
fn judge(desk: &Desk, ran: &Ran, count: &mut Count) -> Result<(), String> {
    let now = without_leftovers(&desk.tree());
    let told = &ran.told;
    let (is_old, is_new) = (now == desk.old, now == desk.new);
    let copies = desk.scenario.act == Act::Copy;
    match ran.status {
        None => {
            let journal = fs::read_to_string(desk.journal().join("ops.jsonl")).unwrap_or_default();
            let of = |state: &str| journal.matches(&format!("\"state\":\"{state}\"")).count();
            count.interrupted += usize::from(of("intent") > of("done") + of("withdrawn"));
            let is_one = |(path, node): (&PathBuf, &_)| {
                desk.old.get(path) == Some(node) || desk.new.get(path) == Some(node)
            };
            if !now.iter().all(is_one) {
                return Err(format!(
                    "a file is neither old nor new after the kill: {}",
                    differing(desk, &now)
                ));
            }
        }
        Some(status) => {
            // A copy of what could only be read in part is named as one.
            let is_doubted = copies && status == 6 && told.contains("do not use the copy");
            if is_doubted {
                return Ok(());
            }
            if !is_old && !is_new {
                return Err(format!(
                    "status {status}, neither old nor new: {}",
                    differing(desk, &now)
                ));
            }
            let is_honest =
                if is_new { [0, 6].contains(&status) } else { [1, 3, 4].contains(&status) };
            if !is_honest {
                let what = if is_new { "new" } else { "old" };
                return Err(format!("status {status}, but the bytes are {what}: {told}"));
            }
            if status != 0 && told.trim().is_empty() {
                return Err(format!("status {status} without a word"));
            }
            if let Some(path) = untold(desk, told) {
                return Err(format!("status {status}, left without a word: {}", path.display()));
            }
        }
    }
    if copies {
        return Ok(());
    }
    heals(desk, is_new, ran)
}

/// Something that a run left around the transcript without naming it.
fn untold(desk: &Desk, told: &str) -> Option<PathBuf> {
    let is_told = |path: &PathBuf| {
        let own = path.iter().map(|name| name.to_string_lossy());
        let mut left = own.filter(|name| name.contains("transcript-doctor-"));
        // Where the journal cannot be read, its name is not known.
        left.all(|name| told.contains(&*name)) || told.contains("under a hidden name")
    };
    desk.tree().into_keys().find(|path| is_leftover(path) && !is_told(path))
}

fn differing(desk: &Desk, now: &Tree) -> String {
    let names: BTreeSet<&PathBuf> =
        desk.old.keys().chain(desk.new.keys()).chain(now.keys()).collect();
    let mut lines = Vec::new();
    for name in names {
        let (old, new, now) = (desk.old.get(name), desk.new.get(name), now.get(name));
        if now != old && now != new {
            lines.push(format!("{} is neither", name.display()));
        } else if old != new {
            lines.push(format!("{} is {}", name.display(), if now == old { "old" } else { "new" }));
        }
    }
    lines.join(", ")
}

/// The next run without a fault ends as if there had been none, leaves nothing, and everything can be undone.
fn heals(desk: &Desk, is_new: bool, first: &Ran) -> Result<(), String> {
    let words = desk.words();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ran = desk.again(&words);
    if without_leftovers(&desk.tree()) != desk.new {
        let was = if is_new { "new" } else { "not new" };
        let found = differing(desk, &without_leftovers(&desk.tree()));
        return Err(format!(
            "the next run does not end it (it was {was}): status {:?}, {found}: {}",
            ran.status, ran.told
        ));
    }
    // Where processes of others cannot be seen, what could not be moved stays for a while, and is named.
    let told = format!("{}{}", first.told, ran.told);
    if let Some(path) = untold(desk, &told) {
        return Err(format!("the next run leaves {}", path.display()));
    }
    let temporary = desk.temporary();
    if !temporary.is_empty() {
        return Err(format!("the next run leaves {temporary:?}"));
    }
    let journal =
        fs::read_to_string(desk.journal().join("ops.jsonl")).map_err(|error| error.to_string())?;
    // Who was killed may have left half a line, which every reader leaves out.
    let is_killed = first.status.is_none();
    let is_line = |line: &str| is_killed || serde_json::from_str::<serde_json::Value>(line).is_ok();
    if let Some(line) = journal.lines().find(|line| !is_line(line)) {
        return Err(format!("the journal has a line that is not JSON: {line}"));
    }
    if desk.again(&["undo", "--list"]).status != Some(0) {
        return Err("the journal cannot be listed".to_owned());
    }
    if desk.scenario.act == Act::Undo {
        return Ok(());
    }
    let ran = desk.again(&["undo", "--yes", "--force-live"]);
    if without_leftovers(&desk.tree()) != desk.old {
        return Err(format!("undo does not restore: status {:?}, {}", ran.status, ran.told));
    }
    Ok(())
}

/// Runs with one fault. Returns why a promise was broken.
fn disturb(desk: &Desk, fault: &Fault, count: &mut Count) -> Option<String> {
    desk.reset();
    let log = desk.root().join("trace");
    let mut strace = strace(fault.error.is_none());
    strace.args(["-e", &fault.injection(), "-o"]).arg(&log);
    strace.arg(env!("CARGO_BIN_EXE_transcript-doctor"));
    let mut ran = desk.run(strace, &desk.words());
    let trace = fs::read_to_string(&log).unwrap_or_default();
    let places = desk.places().map(|place| place.to_str().unwrap().to_owned());
    let hit = match fault.error {
        Some(_) => trace.lines().find(|line| line.contains("(INJECTED)")),
        None => trace.lines().rev().find(|line| line.contains(&fault.call)),
    };
    count.tried += 1;
    let is_met = hit.is_some_and(|line| places.iter().any(|place| line.contains(place)));
    // strace ends as the program did.
    let is_killed = matches!(ran.status, None | Some(137));
    if is_killed {
        ran.status = None;
    }
    count.met += usize::from(is_met || is_killed);
    let why = judge(desk, &ran, count).err()?;
    println!("{}: {}: {why}", desk.scenario.name, fault.injection());
    let at = hit.unwrap_or("no call").chars().take(300).collect::<String>();
    Some(format!("{}: {}\n    at {at}\n    {why}", desk.scenario.name, fault.injection()))
}

/// Every file may grow to so many bytes: the write that crosses the limit is short, the next one fails, and so does each after it.
fn limit_files(desk: &Desk, bytes: usize, count: &mut Count) -> Option<String> {
    desk.reset();
    let mut shell = Command::new("sh");
    // The signal would kill the process before it sees the error.
    let script = format!("trap '' XFSZ; exec prlimit --fsize={bytes} \"$0\" \"$@\"");
    shell.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_transcript-doctor"));
    let ran = desk.run(shell, &desk.words());
    count.tried += 1;
    let why = judge(desk, &ran, count).err()?;
    Some(format!("{}: files of at most {bytes} bytes\n    {why}", desk.scenario.name))
}

#[test]
fn a_short_write_leaves_old_or_new_bytes() {
    if !tools::has("prlimit", "a_short_write_leaves_old_or_new_bytes") {
        return;
    }
    let wanted = env::var("FAULTS").unwrap_or_default();
    let limit = if wanted == "all" { 200 } else { wanted.parse().unwrap_or(FEW).min(200) };
    let mut failed = Vec::new();
    for scenario in SCENARIOS {
        let Some(desk) = Desk::new(*scenario) else {
            continue;
        };
        let size =
            |tree: &Tree| tree.values().filter_map(|(bytes, _)| bytes.as_ref()).map(Vec::len).max();
        let largest = size(&desk.old).max(size(&desk.new)).unwrap_or_default();
        let journal = fs::metadata(desk.journal().join("ops.jsonl")).map_or(0, |facts| facts.len());
        let most = largest.max(usize::try_from(journal).unwrap());
        let mut count = Count::default();
        // Primes, so that no two limits lie at the same place of a block.
        let limits = (0..limit).map(|number| (number * 7919 + 1) % (most + 1));
        failed.extend(limits.filter_map(|bytes| limit_files(&desk, bytes, &mut count)));
        println!("{}: {} limits of files", scenario.name, count.tried);
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A number for a choice that is the same in each run.
fn mixed(seed: u64, number: usize) -> u64 {
    let mixed = (seed ^ number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

#[test]
fn each_fault_leaves_old_or_new_bytes() {
    if !tools::has("strace", "each_fault_leaves_old_or_new_bytes") {
        return;
    }
    let wanted = env::var("FAULTS").unwrap_or_default();
    let limit = if wanted == "all" { usize::MAX } else { wanted.parse().unwrap_or(FEW) };
    let seed: u64 = env::var("FAULTS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let only = env::var("FAULTS_ONLY").unwrap_or_default();
    let call = env::var("FAULTS_CALL").unwrap_or_default();
    let waiting: Vec<Scenario> =
        SCENARIOS.iter().filter(|own| own.name.contains(&only)).copied().collect();
    let waiting = Mutex::new(waiting);
    let failures = Mutex::new(Vec::new());
    let work = || {
        while let Some(scenario) = next(&waiting) {
            let Some(desk) = Desk::new(scenario) else {
                println!("{}: skipped, /dev/shm is no other file system", scenario.name);
                continue;
            };
            let mut all = faults(&desk);
            all.retain(|fault| fault.injection().contains(&call));
            let known = all.len();
            let mut order: Vec<usize> = (0..known).collect();
            order.sort_by_key(|number| mixed(seed, *number));
            let chosen: BTreeSet<usize> = order.into_iter().take(limit).collect();
            let mut number = 0;
            all.retain(|_| {
                number += 1;
                chosen.contains(&(number - 1))
            });
            let mut count = Count::default();
            let mut failed: Vec<String> =
                all.iter().filter_map(|fault| disturb(&desk, fault, &mut count)).collect();
            println!(
                "{}: {} of {known} faults, {} met a file of ours, {} kills interrupted, {} broke a promise",
                scenario.name,
                count.tried,
                count.met,
                count.interrupted,
                failed.len()
            );
            if limit == usize::MAX
                && call.is_empty()
                && scenario.act != Act::Copy
                && count.interrupted == 0
            {
                failed.push(format!("{}: no kill interrupted an operation", scenario.name));
            }
            failures.lock().unwrap().append(&mut failed);
        }
    };
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "seed {seed}\n{}", failures.join("\n"));
}

fn next(waiting: &Mutex<Vec<Scenario>>) -> Option<Scenario> {
    waiting.lock().unwrap().pop()
}
