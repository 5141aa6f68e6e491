//! The support page in a real browser, if one is installed: `TRANSCRIPT_DOCTOR_CHROMIUM`, or
//! `chromium` or `google-chrome` on the path.

#![allow(clippy::unwrap_used)] // A test fails where it unwraps.

#[path = "support/program.rs"]
mod program;
#[path = "support/tools.rs"]
mod tools;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a browser made of a page.
struct Seen {
    /// Number of different bytes in its screenshot.
    variety: usize,
    /// Its error messages.
    console: String,
}

fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("TRANSCRIPT_DOCTOR_CHROMIUM") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "google-chrome"];
    let mut all =
        std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name)));
    all.find(|program| program.is_file())
}

/// A page for a shipped transcript.
fn page(folder: &Path) -> String {
    let out = folder.join("page.html");
    let mut program = program::command(folder);
    program.args(["explain", "--report"]).arg(format!("html={}", out.display()));
    // Named as people name it.
    program.arg("fixtures/samples/stuck.jsonl").current_dir(env!("CARGO_MANIFEST_DIR"));
    assert!(program.stdout(Stdio::null()).status().unwrap().success());
    fs::read_to_string(out).unwrap()
}

fn look(browser: &Path, folder: &Path, page: &str) -> Seen {
    let (picture, said) = photograph(browser, folder, page, "1000,1400");
    let console =
        said.lines().filter(|line| line.contains("CONSOLE")).collect::<Vec<_>>().join("\n");
    Seen { variety: variety(&picture), console }
}

/// The picture of a page in a window of this size, as a PNG, and what the browser said.
fn photograph(browser: &Path, folder: &Path, page: &str, size: &str) -> (Vec<u8>, String) {
    let (file, picture) = (folder.join("seen.html"), folder.join("seen.png"));
    fs::write(&file, page).unwrap();
    let profile = tempfile::tempdir_in(folder).unwrap();
    let errors = fs::File::create(folder.join("stderr")).unwrap();
    let mut running = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--hide-scrollbars"])
        .arg(format!("--window-size={size}"))
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}", file.display()))
        .stdout(Stdio::null())
        .stderr(errors)
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while running.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(120) {
            running.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let said = String::from_utf8_lossy(&fs::read(folder.join("stderr")).unwrap()).into_owned();
    assert!(picture.is_file(), "no picture: {said}");
    (fs::read(picture).unwrap(), said)
}

/// Number of different bytes in the pixels of a PNG; a blank picture has a handful.
fn variety(png: &[u8]) -> usize {
    let mut packed = Vec::new();
    let mut rest = png.get(8..).unwrap();
    while let Some((head, behind)) = rest.split_at_checked(8) {
        let size = u32::from_be_bytes(head[..4].try_into().unwrap()) as usize;
        if &head[4..] == b"IDAT" {
            packed.extend_from_slice(&behind[..size]);
        }
        rest = behind.get(size + 4..).unwrap_or_default();
    }
    let mut pixels = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(packed.as_slice()), &mut pixels)
        .unwrap();
    pixels.into_iter().collect::<HashSet<u8>>().len()
}

#[test]
fn a_browser_shows_the_page_without_errors() {
    let Some(browser) = browser() else {
        tools::skip("Chromium", "a_browser_shows_the_page_without_errors");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let page = page(folder.path());
    let seen = look(&browser, folder.path(), &page);
    assert!(seen.variety > 100, "the picture is nearly blank: {}", seen.variety);
    assert_eq!(seen.console, "");
    // The test can tell a blank page from ours, and the policy is enforced.
    let blank = look(&browser, folder.path(), "<!doctype html><title>x</title>");
    assert!(blank.variety < 20, "{}", blank.variety);
    let changed = look(&browser, folder.path(), &page.replacen("<style>", "<style>/**/", 1));
    assert!(changed.console.contains("Content Security Policy"), "{}", changed.console);
    let script = page.replacen("<main>", "<main><script>console.error('ran')</script>", 1);
    let script = look(&browser, folder.path(), &script).console;
    assert!(script.contains("Content Security Policy") && !script.contains("\"ran\""), "{script}");
}

/// The picture in the docs, and the window that it was taken in.
const PICTURE: &str = "docs/support-page.png";
const WINDOW: &str = "960,1230";
/// The name of the text in it that has the checksum of its page.
const PAGE_SUM: &[u8] = b"tEXtpage-sha256\0";

/// The end of a PNG is a chunk without content: its length, its name, and its checksum.
const END: usize = 12;

/// The picture with a text.
fn with_text(png: &[u8], text: &[u8]) -> Vec<u8> {
    let (before, end) = png.split_at(png.len() - END);
    let mut sum = flate2::Crc::new();
    sum.update(text);
    // The name of a chunk does not count as its content.
    let length = u32::try_from(text.len() - 4).unwrap().to_be_bytes();
    [before, &length, text, &sum.sum().to_be_bytes(), end].concat()
}

/// No test reads a picture, but it says which page it is of.
#[test]
fn the_picture_is_of_the_page_of_today() {
    use sha2::Digest;
    let folder = tempfile::tempdir().unwrap();
    let page = page(folder.path());
    let sum: String =
        sha2::Sha256::digest(page.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let text = [PAGE_SUM, sum.as_bytes()].concat();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PICTURE);
    let kept = fs::read(&path).unwrap_or_default();
    if kept.windows(text.len()).any(|own| own == text) {
        return;
    }
    let Some(browser) = browser() else {
        // The picture is of an older page, and nothing can make it anew.
        tools::skip("Chromium", PICTURE);
        return;
    };
    assert!(
        std::env::var_os("UPDATE_README").is_some(),
        "{PICTURE} is of an older page: run `UPDATE_README=1 cargo test --test browser` and look at it"
    );
    let (picture, _) = photograph(&browser, folder.path(), &page, WINDOW);
    fs::write(path, with_text(&picture, &text)).unwrap();
}
