//! Databases that are recognized by their tables and not supported yet.

use std::path::{Path, PathBuf};

use crate::bench::Bench;

/// Copies a database out of the fixtures: reading it must leave no trace there.
fn copied(bench: &Bench, name: &str) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/databases")
        .join(name);
    let to = bench.path(name);
    std::fs::copy(from, &to).unwrap();
    to
}

#[test]
fn each_database_is_named_and_not_checked() {
    let bench = Bench::new();
    copied(&bench, "langgraph-checkpoints-in-log.sqlite-wal");
    for (name, known) in [
        (
            "langgraph-checkpoints.sqlite",
            "recognized as langgraph-checkpoints, which is not read yet",
        ),
        (
            "langgraph-checkpoints-among-others.sqlite",
            "recognized as langgraph-checkpoints, which is not read yet",
        ),
        (
            "langgraph-checkpoints-utf16.sqlite",
            "recognized as langgraph-checkpoints, which is not read yet",
        ),
        (
            "langgraph-checkpoints-in-log.sqlite",
            "recognized as langgraph-checkpoints, which is not read yet",
        ),
        (
            "langgraph-checkpoints-in-log.sqlite-wal",
            "name the database itself",
        ),
        ("goose.db", "recognized as goose, which is not read yet"),
        (
            "opencode.db",
            "recognized as opencode, which is not read yet",
        ),
        (
            "openai-agents-sqlite.db",
            "recognized as openai-agents-sqlite, which is not read yet",
        ),
        (
            "openclaw.sqlite",
            "recognized as OpenClaw SQLite store, which is not read yet",
        ),
        (
            "message-store.db",
            "a SQLite database of no format that is known",
        ),
    ] {
        copied(&bench, name);
        let before = bench.tree("");
        bench.run(&["check", name]).exits(3).says(known);
        bench
            .run(&["check", "--from", "pi", name])
            .exits(3)
            .says(known);
        bench.run(&["repair", "--yes", name]).exits(3).says(known);
        assert_eq!(bench.tree(""), before, "{name}");
    }
}

#[test]
fn the_log_is_next_to_the_target_of_a_link() {
    let bench = Bench::new();
    copied(&bench, "langgraph-checkpoints-in-log.sqlite-wal");
    copied(&bench, "langgraph-checkpoints-in-log.sqlite");
    std::fs::create_dir(bench.path("elsewhere")).unwrap();
    #[cfg(unix)]
    {
        let link = bench.path("elsewhere/link.db");
        std::os::unix::fs::symlink(bench.path("langgraph-checkpoints-in-log.sqlite"), link)
            .unwrap();
        bench
            .run(&["check", "elsewhere/link.db"])
            .exits(3)
            .says("recognized as langgraph-checkpoints");
    }
}

#[test]
fn a_database_in_a_walk_is_skipped() {
    let bench = Bench::new();
    copied(&bench, "goose.db");
    bench.run(&["check", "."]).exits(5);
}

#[test]
fn a_truncated_database_is_reported() {
    let bench = Bench::new();
    let path = copied(&bench, "goose.db");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..300]).unwrap();
    bench
        .run(&["check", "goose.db"])
        .exits(3)
        .says("a SQLite database whose tables cannot be read");
}
