//! The sessions in the README, as text and as a picture, are what the program prints. `UPDATE_README=1 cargo test --test readme`
//! rewrites them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/program.rs"]
mod program;

#[cfg(unix)]
#[path = "support/picture.rs"]
mod picture;

#[cfg(unix)]
use std::fs;
use std::path::Path;
#[cfg(unix)]
use std::time::{Duration, SystemTime};

#[cfg(unix)]
use picture::{DARK, LIGHT};

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
                let ran =
                    program::command(state.path()).args(words).current_dir(root).output().unwrap();
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

/// Who runs what the page says in a checkout has nothing to clean up.
#[test]
fn what_the_commands_write_is_ignored_by_git() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("README.md")).unwrap();
    let ignored = std::fs::read_to_string(root.join(".gitignore")).unwrap();
    let commands = text.lines().filter_map(|line| line.strip_prefix("cargo run -- "));
    let written = commands.filter_map(|line| line.split_once(" -o ")?.1.split(' ').next());
    let written: Vec<&str> = written.collect();
    assert!(!written.is_empty());
    for name in written {
        assert!(ignored.lines().any(|line| line == format!("/{name}")), "{name}");
    }
}

/// The commands of the picture, as somebody types them in the folder of their project.
#[cfg(unix)]
const SESSION: &[&[&str]] = &[&["check"], &["repair", "--yes"]];

/// Runs them on a damaged session, in a home folder of its own. Returns each with what it prints, in color.
#[cfg(unix)]
fn session() -> Vec<(String, String)> {
    let home = tempfile::tempdir().unwrap();
    // However long the path of temporary folders is, this one is left out of the paths that are printed.
    let home = fs::canonicalize(home.path()).unwrap().join("h".repeat(80));
    let folder_name = |path: &Path| -> String {
        let path = path.to_string_lossy();
        path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
    };
    let project = home.join("shop");
    fs::create_dir_all(&project).unwrap();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/samples/claude-code.jsonl");
    let text = fs::read_to_string(sample).unwrap();
    // The first record counts; the others keep the size that the picture shows.
    let text = text.replacen("/home/ana/shop", &project.to_string_lossy(), 1);
    let (_, id) = text.split_once("\"sessionId\":\"").unwrap();
    let (id, _) = id.split_once('"').unwrap();
    let sessions = home.join(".claude/projects").join(folder_name(&project));
    fs::create_dir_all(&sessions).unwrap();
    let file = sessions.join(format!("{id}.jsonl"));
    fs::write(&file, &text).unwrap();
    // What changed just now may be open in an agent.
    let long_ago = SystemTime::now() - Duration::from_secs(3600);
    let opened = fs::File::options().write(true).open(&file).unwrap();
    opened.set_modified(long_ago).unwrap();
    drop(opened);
    let run = |words: &&[&str]| {
        let ran = program::command(&home)
            .args(*words)
            .args(["--color", "always"])
            .current_dir(&project)
            .output()
            .unwrap();
        let printed = String::from_utf8(ran.stdout).unwrap();
        // The picture shows the folder of the sample, whatever this one is called.
        let printed = printed.replace(&folder_name(&project), "-home-ana-shop");
        (format!("transcript-doctor {}", words.join(" ")), printed)
    };
    SESSION.iter().map(run).collect()
}

#[test]
#[cfg(unix)]
fn the_picture_is_up_to_date() {
    let session = session();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let update = std::env::var_os("UPDATE_README").is_some();
    for (name, theme) in [("terminal-light.svg", LIGHT), ("terminal-dark.svg", DARK)] {
        let path = root.join("docs").join(name);
        let wanted = picture::svg(&session, &theme);
        roxmltree::Document::parse(&wanted).unwrap();
        if update {
            fs::write(&path, &wanted).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == wanted,
            "docs/{name} is stale: run `UPDATE_README=1 cargo test --test readme` and look at it"
        );
    }
}
