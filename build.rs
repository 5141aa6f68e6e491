//! Tells the program its version, with the commit and its date where they are known.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    // Only when something is compiled anyway: a commit alone is no reason to build everything again.
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=Cargo.toml");
    println!("cargo::rerun-if-changed=src");
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let commit = from_git().or_else(from_package);
    let suffix = commit.map(|commit| format!(" ({commit})"));
    println!("cargo::rustc-env=TRANSCRIPT_DOCTOR_VERSION={version}{}", suffix.unwrap_or_default());
}

/// The commit and its date, if this folder is the root of a repository: a copy in another repository has its commits.
fn from_git() -> Option<String> {
    if !Path::new(".git").exists() {
        return None;
    }
    let output =
        Command::new("git").args(["log", "-1", "--format=%h %cs", "--abbrev=9"]).output().ok()?;
    let line = String::from_utf8(output.stdout).ok()?;
    let line = line.trim();
    (output.status.success() && !line.is_empty()).then(|| line.to_owned())
}

/// The commit that a published package was made from: `cargo package` writes it into the package.
fn from_package() -> Option<String> {
    let info = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let hash = info.split_once("\"sha1\": \"")?.1.get(..9)?;
    hash.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| hash.to_owned())
}
