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
            "not supported yet: langgraph-checkpoints",
        ),
        (
            "langgraph-checkpoints-among-others.sqlite",
            "not supported yet: langgraph-checkpoints",
        ),
        (
            "langgraph-checkpoints-utf16.sqlite",
            "not supported yet: langgraph-checkpoints",
        ),
        (
            "langgraph-checkpoints-in-log.sqlite",
            "not supported yet: langgraph-checkpoints",
        ),
        (
            "langgraph-checkpoints-in-log.sqlite-wal",
            "name the database itself",
        ),
        ("goose.db", "not supported yet: goose"),
        ("opencode.db", "not supported yet: opencode"),
        (
            "openai-agents-sqlite.db",
            "not supported yet: openai-agents-sqlite",
        ),
        (
            "openclaw.sqlite",
            "not supported yet: OpenClaw SQLite store",
        ),
        ("message-store.db", "a SQLite database of an unknown format"),
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
            .says("not supported yet: langgraph-checkpoints");
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
