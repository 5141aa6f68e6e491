//! Databases: their sessions are conversations; others are recognized by their tables and named.

use std::path::{Path, PathBuf};

use crate::bench::{Bench, Ran};

/// Copies a database out of the fixtures: reading it must leave no trace there.
fn copied(bench: &Bench, name: &str) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/databases").join(name);
    let to = bench.path(name);
    std::fs::copy(from, &to).unwrap();
    to
}

#[test]
fn each_database_is_named_and_not_checked() {
    let bench = Bench::new();
    for (name, known) in [
        ("langgraph-checkpoints.sqlite", "the database has no session"),
        ("langgraph-checkpoints-among-others.sqlite", "the database has no session"),
        ("langgraph-checkpoints-utf16.sqlite", "the database has no session"),
        ("langgraph-encrypted.sqlite", "it is encrypted (`msgpack+aes`)"),
        ("langgraph-checkpoints-in-log.sqlite-wal", "name the database itself"),
        ("goose-empty.db", "the database has no session"),
        ("crush.db", "not supported yet: Crush database"),
        ("zed-threads.db", "not supported yet: Zed threads database"),
        ("cursor-state.vscdb", "not supported yet: Cursor database"),
        ("vscode-state.vscdb", "a SQLite database of an unknown format"),
        ("openclaw.sqlite", "not supported yet: OpenClaw SQLite store"),
        ("message-store.db", "a SQLite database of an unknown format"),
    ] {
        copied(&bench, name);
        let before = bench.tree("");
        bench.run(&["check", name]).exits(3).says(known);
        bench.run(&["check", "--from", "pi", name]).exits(3).says(known);
        bench.run(&["repair", "--yes", name]).exits(3).says(known);
        assert_eq!(bench.tree(""), before, "{name}");
    }
}

/// VS Code shows only the chats of an index next to their files.
#[test]
fn a_chat_that_its_index_leaves_out_has_a_note() {
    const CHATS: &str = "workspaceStorage/h1/chatSessions/3f9d1c52-7b1e-4a44-9a70-2f1f0d5e6a";
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let log = std::fs::read_to_string(fixtures.join("healthy/vscode-chat/log.jsonl")).unwrap();
    let index = std::fs::read(fixtures.join("databases/vscode-state.vscdb")).unwrap();
    let bench = Bench::new();
    // The index shows the first chat, calls the second one empty, and lacks the others.
    for end in ["11", "12", "13"] {
        bench.write(&format!("{CHATS}{end}.jsonl"), log.replace("5e6a11", &format!("5e6a{end}")));
    }
    let empty = std::fs::read(fixtures.join("healthy/vscode-chat/emptied.jsonl")).unwrap();
    bench.write(&format!("{CHATS}14.jsonl"), empty);
    let note = |end: &str| {
        let path = format!("{CHATS}{end}.jsonl");
        let report = bench.run(&["check", "-f", "json", &path]).exits(0).json();
        let findings = &report["conversations"][0]["findings"];
        let codes = findings.as_array().unwrap().iter().map(|own| own["code"].as_str().unwrap());
        assert!(codes.clone().all(|code| code == "TD507"), "{findings}");
        codes.clone().next().map(|_| findings[0]["message"].as_str().unwrap().to_owned())
    };
    let left_out = || ["11", "12", "13", "14"].map(|end| note(end).is_some());
    assert_eq!(left_out(), [false; 4], "no index");
    bench.write("workspaceStorage/h1/state.vscdb", &index);
    assert_eq!(left_out(), [false, true, true, false]);
    assert!(note("12").unwrap().contains("no messages"));
    bench
        .run(&["check", "-v", &format!("{CHATS}13.jsonl")])
        .exits(0)
        .says("does not show this chat");
    bench.run(&["explain", &format!("{CHATS}13.jsonl")]).exits(0).says("does not show this chat");
    // The host may still write it, cannot read it, or it is of another folder.
    let at = bench.path("workspaceStorage/h1/state.vscdb");
    let old = std::time::SystemTime::UNIX_EPOCH;
    std::fs::File::options().write(true).open(&at).unwrap().set_modified(old).unwrap();
    assert_eq!(left_out(), [false; 4], "an old index");
    bench.write("workspaceStorage/h1/state.vscdb", &index[..index.len() / 2]);
    assert_eq!(left_out(), [false; 4], "half of an index");
    bench.write("workspaceStorage/h1/chatSessions/state.vscdb", &index);
    bench.write("workspaceStorage/state.vscdb", &index);
    std::fs::remove_file(&at).unwrap();
    assert_eq!(left_out(), [false; 4], "indexes of other folders");
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
        bench.run(&["check", "elsewhere/link.db"]).exits(0).says("link.db#t");
    }
}

#[test]
fn a_database_of_others_in_a_walk_is_skipped() {
    let bench = Bench::new();
    copied(&bench, "openclaw.sqlite");
    copied(&bench, "message-store.db");
    copied(&bench, "goose-empty.db");
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

/// The rows of its sessions can be read, but its host opens no database whose other tables are damaged.
#[test]
fn a_database_with_a_damaged_page_anywhere_is_not_checked() {
    let bench = Bench::new();
    let path = copied(&bench, "opencode-all-pages.db");
    bench.run(&["check", "opencode-all-pages.db"]).exits(0);
    let whole = std::fs::read(&path).unwrap();
    let mut bytes = whole.clone();
    bytes[INDEX_PAGE * 512..][..512].fill(0xA5);
    std::fs::write(&path, &bytes).unwrap();
    for name in ["opencode-all-pages.db", "opencode-all-pages.db#ses_bees"] {
        let ran = bench.run(&["check", name]).exits(3);
        let ran = ran.says(&format!("is damaged in page {}", INDEX_PAGE + 1));
        assert!(!ran.out.contains("HEALTHY"), "{}", ran.out);
        bench.run(&["repair", "-o", "out.json", name]).exits(3);
    }
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    // A database of more than 1 GB: a hole follows its pages.
    for (bytes, options, exit, says) in [
        (&whole, &[][..], 0, "HEALTHY, but of its database"),
        (&bytes, &[], 0, "(-v checks all)"),
        (&bytes, &["-v"], 3, "is damaged in page"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        if file.set_len((1 << 30) + 512).is_err() {
            return;
        }
        let args = [&["check", "opencode-all-pages.db"], options].concat();
        bench.run(&args).exits(exit).says(says);
    }
}

/// A page of an index, counted from 0.
const INDEX_PAGE: usize = 7;

/// The sessions of a database with their verdicts and the codes of their findings, worst first.
fn checked(bench: &Bench, path: &str, exit: i32) -> Vec<(String, String, Vec<String>)> {
    let report = bench.run(&["check", "-f", "json", path]).exits(exit).json();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let session = |found: &serde_json::Value| {
        let findings = found["findings"].as_array().unwrap();
        let codes = findings.iter().map(|finding| text(&finding["code"]));
        (text(&found["path"]), text(&found["verdict"]), codes.collect())
    };
    let found = report["conversations"].as_array().unwrap();
    found.iter().map(session).collect()
}

/// The sessions of a database with their verdicts and codes, a line each.
fn sessions(bench: &Bench, name: &str, exit: i32) -> Vec<String> {
    let mut found = checked(bench, name, exit);
    found.sort();
    let short = |(path, verdict, codes): &(String, String, Vec<String>)| {
        format!("{path} {verdict} {}", codes.join(" ")).trim_end().to_owned()
    };
    found.iter().map(short).collect()
}

#[test]
fn each_session_of_a_database_is_a_conversation() {
    let bench = Bench::new();
    for name in ["goose.db", "google-adk.db", "hermes.db", "opencode.db", "openai-agents-sqlite.db"]
    {
        copied(&bench, name);
    }
    let before = bench.tree("");
    let sessions = |name: &str| sessions(&bench, name, 1);
    assert_eq!(
        sessions("goose.db"),
        [
            "goose.db#20260304_1 lossy TD101",
            "goose.db#20260304_2 healthy",
            "goose.db#20260304_3 unreadable TD002",
        ]
    );
    assert_eq!(
        sessions("google-adk.db"),
        ["google-adk.db#pots/ada/s1 healthy", "google-adk.db#pots/bob/s1 lossy TD101"]
    );
    assert_eq!(
        sessions("hermes.db"),
        [
            "hermes.db#20260402_1 healthy",
            "hermes.db#20260402_2 lossy TD201",
            "hermes.db#20260402_3 lossy TD401 TD103",
        ]
    );
    assert_eq!(
        sessions("opencode.db"),
        ["opencode.db#ses_bees lossy TD101", "opencode.db#ses_wasps healthy"]
    );
    assert_eq!(
        sessions("openai-agents-sqlite.db"),
        ["openai-agents-sqlite.db#hive/1 stuck TD103", "openai-agents-sqlite.db#hive:2 healthy",]
    );
    assert_eq!(bench.tree(""), before, "a check leaves no trace");
}

#[test]
fn what_the_agents_sdk_does_in_memory_is_not_stuck() {
    let bench = Bench::new();
    let name = "openai-agents-in-memory.db";
    copied(&bench, name);
    assert_eq!(
        sessions(&bench, name, 3),
        [
            "openai-agents-in-memory.db#later-turn lossy TD106",
            "openai-agents-in-memory.db#placeholders healthy",
            "openai-agents-in-memory.db#reasoning-differs lossy TD306",
            "openai-agents-in-memory.db#reasoning-twice healthy TD012",
            "openai-agents-in-memory.db#same-output healthy TD104",
            "openai-agents-in-memory.db#torn lossy TD001",
            "openai-agents-in-memory.db#two-outputs lossy TD104",
        ]
    );
    bench
        .run(&["check", "openai-agents-in-memory.db#encrypted"])
        .exits(3)
        .says("it is encrypted (`__enc__`)");
    // The repair keeps what the SDK sends, and both texts are shown.
    let source = "openai-agents-in-memory.db#two-outputs";
    bench.run(&["repair", source, "-o", "two.json"]).exits(0).says("still counting");
    let list = bench.read("two.json");
    let list = String::from_utf8_lossy(&list);
    assert!(list.contains("\"7\"") && !list.contains("still counting"));
}

#[test]
fn each_thread_of_checkpoints_is_a_conversation() {
    let bench = Bench::new();
    copied(&bench, "langgraph-two-threads.sqlite-wal");
    for (name, exit, expected) in [
        ("result-dropped", 1, &["#t1 stuck TD101"][..]),
        ("delta-pending", 0, &["#t1 pending TD102"]),
        ("late-result", 1, &["#t1 stuck TD104"]),
        ("summary", 1, &["#t1 stuck TD304"]),
        ("json", 1, &["#t1 stuck TD101"]),
        // All rows are in the log.
        ("two-threads", 1, &["#bad-thread stuck TD101", "#good-thread healthy"]),
    ] {
        let name = format!("langgraph-{name}.sqlite");
        copied(&bench, &name);
        let before = bench.tree("");
        let expected: Vec<String> = expected.iter().map(|own| format!("{name}{own}")).collect();
        assert_eq!(sessions(&bench, &name, exit), expected);
        assert_eq!(bench.tree(""), before, "a check leaves no trace");
    }
}

#[test]
fn a_result_that_a_new_message_dropped_is_recovered() {
    let bench = Bench::new();
    copied(&bench, "langgraph-result-dropped.sqlite");
    let path = "langgraph-result-dropped.sqlite#t1";
    bench
        .run(&["check", path])
        .exits(1)
        .says("insert the recorded result for call 1")
        .says("insert an \"interrupted\" result for call 2");
    let pending = "langgraph-delta-pending.sqlite#t1";
    copied(&bench, "langgraph-delta-pending.sqlite");
    bench
        .run(&["explain", pending])
        .exits(0)
        .says("it ran; its result is recorded")
        .says("waiting for its result; may or may not have run");
    bench.run(&["redact", path, "-o", "out.json"]).exits(0);
    bench.run(&["check", "out.json"]).exits(1).says("TD101");
    bench
        .run(&["check", "--from", "langgraph-checkpoints", "langgraph-result-dropped.sqlite"])
        .exits(1);
}

#[test]
fn a_copy_of_a_database_has_what_is_in_its_log() {
    let bench = Bench::new();
    copied(&bench, "langgraph-in-log.sqlite-wal");
    copied(&bench, "langgraph-in-log.sqlite");
    let path = "langgraph-in-log.sqlite#good-thread";
    bench.run(&["repair", path, "-o", "out.sqlite"]).exits(0);
    let expected = ["out.sqlite#good-thread healthy"];
    assert_eq!(sessions(&bench, "out.sqlite", 0), expected);
}

#[test]
fn records_are_named_after_their_rows() {
    let bench = Bench::new();
    for (name, session, row) in [
        ("goose.db", "20260304_1", "messages:2"),
        ("goose.db", "20260304_3", "messages:10"),
        ("google-adk.db", "pots/bob/s1", "events:14"),
        ("hermes.db", "20260402_3", "messages:14"),
        ("opencode.db", "ses_bees", "part:prt_a21"),
        ("openai-agents-sqlite.db", "hive/1", "agent_messages:1"),
    ] {
        copied(&bench, name);
        let path = format!("{name}#{session}");
        let report = bench.run(&["check", "-f", "json", &path]).exits(1).json();
        let found = report["conversations"].as_array().unwrap();
        assert_eq!(found.len(), 1, "{path}");
        let record = &found[0]["findings"][0]["records"][0];
        assert_eq!(record["file"], row, "{path}");
        assert!(record["line"].is_null() && record["byte"].is_null(), "{path}");
        bench.run(&["explain", &path]).exits(0).says(&path);
    }
    bench.run(&["explain", "goose.db#20260304_1:3"]).exits(0).says("messages:2");
    bench.run(&["check", "goose.db#20260304_9"]).exits(3).says("the database has no such session");
}

#[test]
fn records_without_a_session_are_mentioned() {
    let bench = Bench::new();
    copied(&bench, "goose-stranded.db");
    let report = bench.run(&["check", "-f", "json", "goose-stranded.db"]).json();
    assert_eq!(report["conversations"].as_array().unwrap().len(), 1);
    let why = report["skipped"][0]["why"].as_str().unwrap();
    assert!(why.starts_with("records of sessions"), "{why}");
}

#[test]
fn rows_that_are_only_in_the_log_are_read() {
    let bench = Bench::new();
    copied(&bench, "goose-in-log.db");
    // The call is the last thing in the database, and the log has what came after it.
    assert_eq!(checked(&bench, "goose-in-log.db", 0)[0].1, "pending");
    copied(&bench, "goose-in-log.db-wal");
    let found = checked(&bench, "goose-in-log.db", 1);
    assert_eq!(found.len(), 2);
    assert!(found.iter().any(|(path, ..)| path.ends_with("#20260304_2")));
    assert_eq!(found[0].2, ["TD101"]);
}

#[test]
fn a_repaired_session_is_a_document_that_its_host_imports() {
    let bench = Bench::new();
    for (name, session, list) in [
        ("goose.db", "20260304_1", "/conversation"),
        ("google-adk.db", "pots/bob/s1", ""),
        ("hermes.db", "20260402_2", "/messages"),
        ("opencode.db", "ses_bees", "/messages"),
        ("openai-agents-sqlite.db", "hive/1", ""),
        ("langgraph-result-dropped.sqlite", "t1", "/values/messages"),
        ("langgraph-summary.sqlite", "t1", "/values/messages"),
    ] {
        copied(&bench, name);
        let before = bench.tree("");
        let path = format!("{name}#{session}");
        bench
            .run(&["repair", "--yes", &path])
            .exits(4)
            .complains(&format!("repair '{path}' -o FILE.json"));
        assert_eq!(bench.tree(""), before, "{path}");
        let script = format!("-o fix-{}.sql '{path}'", session.replace('/', "_"));
        for command in [&["check"][..], &["repair", "-n"], &["explain"]] {
            let ran = bench.run(&[command, &[path.as_str()]].concat());
            assert!(ran.out.contains(&script), "{path}: {}", ran.out);
        }
        bench.run(&["repair", &path, "-o", "out.json"]).exits(0);
        let written = std::fs::read(bench.path("out.json")).unwrap();
        let document: serde_json::Value = serde_json::from_slice(&written).unwrap();
        assert!(document.pointer(list).unwrap().as_array().unwrap().len() >= 2, "{path}");
        bench.run(&["check", "out.json"]).exits(0);
        std::fs::remove_file(bench.path("out.json")).unwrap();
        assert_eq!(bench.tree(""), before, "{path}");
    }
}

#[test]
fn a_session_is_redacted_into_a_file() {
    let bench = Bench::new();
    for (name, session) in [
        ("goose.db", "20260304_1"),
        ("hermes.db", "20260402_2"),
        ("openai-agents-sqlite.db", "hive/1"),
    ] {
        copied(&bench, name);
        let path = format!("{name}#{session}");
        bench.run(&["redact", &path, "-o", "out.jsonl"]).exits(0);
        let findings = |path: &str, exit| {
            let report = bench.run(&["check", "-f", "json", path]).exits(exit).json();
            report["conversations"][0]["findings"][0]["code"].clone()
        };
        assert_eq!(findings("out.jsonl", 1), findings(&path, 1), "{path}");
        std::fs::remove_file(bench.path("out.jsonl")).unwrap();
    }
}

#[test]
fn all_sessions_of_a_database_go_into_a_folder() {
    let bench = Bench::new();
    copied(&bench, "opencode.db");
    std::fs::create_dir(bench.path("out")).unwrap();
    bench.run(&["repair", "opencode.db", "-o", "out"]).exits(0);
    assert_eq!(bench.tree("out").len(), 2);
    bench.run(&["check", "out/ses_bees.json"]).exits(0);
    bench.run(&["repair", "opencode.db", "-o", "one.json"]).exits(2).complains("existing folder");
}

/// Hermes reads a list of calls that is not JSON as no calls, but sends the text of one that it imports.
#[test]
fn calls_that_are_no_json_are_not_written_as_calls() {
    let bench = Bench::new();
    copied(&bench, "hermes.db");
    bench.run(&["repair", "hermes.db#20260402_3", "-o", "out.json"]).exits(0);
    let written = std::fs::read_to_string(bench.path("out.json")).unwrap();
    assert!(!written.contains("\"tool_calls\":\""), "{written}");
    assert!(written.contains("\"tool_calls_text\":\"[{"), "{written}");
}

#[test]
fn a_session_with_a_row_that_is_no_json_is_not_written() {
    let bench = Bench::new();
    copied(&bench, "goose.db");
    bench
        .run(&["repair", "goose.db#20260304_3", "-o", "out.json"])
        .exits(4)
        .complains("messages:10 is not JSON");
    assert!(!bench.path("out.json").exists());
}

#[test]
fn a_database_that_cannot_be_read_whole_is_not_checked() {
    let bench = Bench::new();
    let path = copied(&bench, "goose.db");
    let good = std::fs::read(&path).unwrap();
    let mut bad = good.clone();
    // The last page with rows of messages.
    let leaf = (1..16).rev().find(|page| bad[page * 512] == 0x0D).unwrap();
    bad[leaf * 512] = 0;
    std::fs::write(&path, &bad).unwrap();
    bench.run(&["check", "goose.db"]).exits(3).says("is damaged");
    std::fs::write(&path, &good).unwrap();
    bench.run(&["check", "goose.db"]).exits(1);
    std::fs::write(bench.path("goose.db-journal"), b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7....")
        .unwrap();
    bench.run(&["check", "goose.db"]).exits(3).says("has not ended");
}

#[test]
fn a_printed_place_in_a_database_names_the_record() {
    let bench = Bench::new();
    copied(&bench, "goose.db");
    copied(&bench, "opencode.db");
    for (place, record) in [
        ("goose.db#20260304_1:3", "messages:2 · call"),
        ("goose.db#20260304_1/messages:2", "messages:2 · call"),
        ("opencode.db#ses_bees/part:prt_a21", "part:prt_a21 · tool"),
    ] {
        bench.run(&["explain", place]).exits(0).says(record);
        let session = place.rsplit_once([':', '/']).unwrap().0;
        bench.run(&["check", place]).exits(1).says(session.split('/').next().unwrap());
    }
    bench.run(&["explain", "goose.db#20260304_1", "messages:2"]).exits(0).says("messages:2 · call");
    bench
        .run(&["explain", "goose.db#20260304_1/messages:99"])
        .exits(2)
        .complains("no record or tool call has the ID messages:99");
}

#[test]
fn a_healthy_session_of_several_is_written_as_a_document() {
    let bench = Bench::new();
    copied(&bench, "goose.db");
    bench.run(&["repair", "goose.db#20260304_2", "-o", "one.db"]).exits(0).says("HEALTHY");
    let document = std::fs::read(bench.path("one.db")).unwrap();
    assert_eq!(document.first(), Some(&b'{'));
    // Of one session, the database is copied as it is.
    copied(&bench, "goose-stranded.db");
    let own = bench.read("goose-stranded.db");
    bench.run(&["repair", "goose-stranded.db", "-o", "copy.db"]).exits(0);
    assert_eq!(bench.read("copy.db"), own);
    copied(&bench, "openai-agents-sqlite.db");
    bench.run(&["check", "openai-agents-sqlite.db#hive/1"]).exits(1).says("-o fix-hive_1.sql");
}

/// LangGraph 0 stored its values as JSON, which no script writes.
#[test]
fn a_document_is_proposed_where_no_script_can_repair() {
    let bench = Bench::new();
    copied(&bench, "langgraph-json.sqlite");
    bench.run(&["check", "langgraph-json.sqlite"]).exits(1).says("-o repaired-t1.json");
}

#[test]
fn sessions_of_hosts_are_found_in_their_databases() {
    let bench = Bench::new();
    for (home, name) in [("goose/sessions", "sessions.db"), ("opencode", "opencode.db")] {
        let folder = bench.path("data").join(home);
        std::fs::create_dir_all(&folder).unwrap();
        let from = if name == "sessions.db" { "goose.db" } else { name };
        let copied = copied(&bench, from);
        std::fs::rename(copied, folder.join(name)).unwrap();
    }
    let run = |args: &[&str]| {
        let mut command = bench.command(args);
        Ran::from(command.env("XDG_DATA_HOME", bench.path("data")).output().unwrap())
    };
    run(&["check", "@goose"]).exits(1).says("sessions.db#20260304_1");
    run(&["check", "@opencode"]).exits(1).says("opencode.db#ses_bees");
    run(&["sessions"]).exits(0).says("Feed the bees");
    run(&["check", "20260304_2"]).exits(0);
}
