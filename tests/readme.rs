//! The sessions in the README are what the program prints. `UPDATE_README=1 cargo test --test readme` rewrites them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/program.rs"]
mod program;

use std::path::Path;

#[test]
fn the_readme_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("README.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let state = tempfile::tempdir().unwrap();
    let mut wanted = String::new();
    let mut in_session = false;
    for line in text.split_inclusive('\n') {
        let command = line.trim_end().strip_prefix("$ transcript-doctor ");
        match command.filter(|_| in_session) {
            Some(command) => {
                let words = shlex::split(command).unwrap();
                let ran = program::command(state.path())
                    .args(words)
                    .current_dir(root)
                    .output()
                    .unwrap();
                wanted.push_str(line);
                wanted.push_str(String::from_utf8(ran.stdout).unwrap().trim_end());
                wanted.push_str("\n\n");
            }
            // Between the fences only the commands are kept: the rest is what they print.
            None if in_session && !line.starts_with("```") => {}
            None => {
                in_session = line.starts_with("```console");
                if line.starts_with("```\n") {
                    wanted.truncate(wanted.trim_end().len());
                    wanted.push('\n');
                }
                wanted.push_str(line);
            }
        }
    }
    let update = std::env::var_os("UPDATE_README").is_some();
    if update {
        std::fs::write(&path, &wanted).unwrap();
    }
    assert!(
        text == wanted || update,
        "README.md is stale: run `UPDATE_README=1 cargo test --test readme` and read what changed\n{}",
        similar::TextDiff::from_lines(&text, &wanted).unified_diff()
    );
}
