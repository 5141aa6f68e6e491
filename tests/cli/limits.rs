//! Many files and large ones: what a run keeps open, in memory and on disk.

#[cfg(target_os = "linux")]
use std::io::Write;

use crate::bench::{Bench, Ran, healthy};
use crate::program;

/// Number of sessions, far above the limit of open files.
const SESSIONS: usize = 3_000;

#[test]
fn thousands_of_sessions_need_few_open_files() {
    let bench = Bench::new();
    let records = healthy();
    for n in 0..SESSIONS {
        bench.lines(&format!("sessions/{:02}/{n}.jsonl", n % 50), &records);
    }
    bench.folder("sessions/folder", &records);
    // Soft and hard limit, so that the program cannot raise it.
    let line = r#"ulimit -n 40 && exec "$0" "$@""#;
    let command = bench.command(&["check", "--jobs", "8", "sessions"]);
    let mut limited = program::within("sh", &bench.path(""));
    limited
        .args(["-c", line])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(bench.path(""));
    let ran = Ran::from(limited.output().unwrap()).exits(0).says("HEALTHY 3001");
    assert!(!ran.out.contains("not checked") && ran.err.is_empty(), "{}{}", ran.out, ran.err);
}

/// Size of the only text in each archive, in bytes.
#[cfg(target_os = "linux")]
const TEXT: usize = 64 << 20;

/// A conversation of two events as a zip archive of some 100 kB; the second event has a long text.
#[cfg(target_os = "linux")]
fn archive(text: &[u8]) -> Vec<u8> {
    let records = healthy();
    let (before, after) = records[1].split_once("private words").unwrap();
    let long = [before.as_bytes(), text, after.as_bytes()].concat();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (n, record) in [records[0].as_bytes(), &long].into_iter().enumerate() {
        let name = format!("events/event-{n:05}-00000000-0000-4000-8000-00000000000{n}.json");
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(record).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[cfg(target_os = "linux")]
#[test]
fn archives_are_unpacked_one_by_one_on_disk() {
    use std::fs;
    use std::path::Path;

    const ARCHIVES: usize = 8;
    let bench = Bench::new();
    let zip = archive(&vec![b'x'; TEXT]);
    (0..ARCHIVES).for_each(|n| bench.write(&format!("zips/{n}.zip"), &zip));
    fs::create_dir(bench.path("tmp")).unwrap();
    let mut command = bench.command(&["check", "--jobs", "8", "zips"]);
    command.env("TMPDIR", bench.path("tmp")).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let process = Path::new("/proc").join(child.id().to_string());
    let (mut memory, mut unpacked) = (0, 0);
    while child.try_wait().unwrap().is_none() {
        // The peak so far, in kB.
        let status = fs::read_to_string(process.join("status")).unwrap_or_default();
        let peak =
            status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next());
        memory = peak.and_then(|peak| peak.parse::<u64>().ok()).unwrap_or(0).max(memory);
        let open = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
        let temporary = open.filter(|handle| {
            let place = fs::read_link(handle.path()).unwrap_or_default();
            place.to_string_lossy().ends_with("(deleted)")
        });
        let sizes = temporary.filter_map(|handle| Some(fs::metadata(handle.path()).ok()?.len()));
        unpacked = sizes.sum::<u64>().max(unpacked);
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let ran = Ran::from(child.wait_with_output().unwrap());
    ran.exits(0).says("8 conversations: 8 healthy.");
    let (one, all) = (TEXT as u64, (ARCHIVES * TEXT) as u64);
    assert!(memory > 0 && memory << 10 < all / 4, "{memory} kB of memory");
    assert!(unpacked >= one && unpacked < all * 3 / 4, "{unpacked} bytes in temporary files");
    assert_eq!(fs::read_dir(bench.path("tmp")).unwrap().count(), 0);
}
