//! A session that is repaired in its database by a script of SQL, with the real SQLite: its shell, which goes on after a
//! statement that fails, the same with `-bail`, and Python's module.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::bench::{Bench, Ran};

/// How a script is run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Client {
    Shell,
    Bail,
    Python,
}

const CLIENTS: [Client; 3] = [Client::Shell, Client::Bail, Client::Python];

/// Damaged sessions of each store: the database, what makes the damage there, the session.
const SESSIONS: &[(&str, &str, &str)] = &[
    ("goose.db", "", "20260304_1"),
    // A row has to come between others.
    ("goose.db", "DELETE FROM messages WHERE id = 4", "20260304_1"),
    ("google-adk.db", "", "pots/bob/s1"),
    ("hermes.db", "", "20260402_2"),
    ("hermes.db", "", "20260402_3"),
    ("hermes.db", "DELETE FROM messages WHERE id = 11", "20260402_2"),
    ("hermes.db", FULL_TEXT, "20260402_2"),
    ("opencode.db", "", "ses_bees"),
    ("openai-agents-sqlite.db", "", "hive/1"),
    ("openai-agents-sqlite.db", ANSWERED_LATER, "hive:2"),
    ("amazon-q.sqlite3", "", "/home/ana/shop"),
    ("kiro-cli.sqlite3", "", "5f1c2a10-8f38-4d0e-9a52-7c1c00000001"),
    ("openai-agents-in-memory.db", "", "later-turn"),
    ("openai-agents-in-memory.db", "", "torn"),
    ("langgraph-result-dropped.sqlite", "", "t1"),
    ("langgraph-late-result.sqlite", "", "t1"),
    ("langgraph-summary.sqlite", "", "t1"),
];

/// A call without an output, before another message.
const ANSWERED_LATER: &str = "DELETE FROM agent_messages WHERE id = 6; \
    INSERT INTO agent_messages (session_id, message_data) VALUES ('hive:2', \
    '{\"type\": \"message\", \"role\": \"user\", \"content\": [{\"type\": \"input_text\", \"text\": \"it''s?\"}]}')";

/// The full-text table of Hermes 0.19, which triggers fill, and no result of a call.
const FULL_TEXT: &str = "CREATE VIRTUAL TABLE messages_fts USING fts5(content); \
    INSERT INTO messages_fts (rowid, content) SELECT id, coalesce(content, '') FROM messages; \
    CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN \
      INSERT INTO messages_fts (rowid, content) VALUES (new.id, coalesce(new.content, '')); END; \
    CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN \
      DELETE FROM messages_fts WHERE rowid = old.id; END; \
    CREATE TRIGGER messages_fts_update AFTER UPDATE ON messages BEGIN \
      DELETE FROM messages_fts WHERE rowid = old.id; \
      INSERT INTO messages_fts (rowid, content) VALUES (new.id, coalesce(new.content, '')); END; \
    DELETE FROM messages WHERE id = 11; PRAGMA user_version = 7";

/// Whether a program is installed; else the test says that it is skipped.
fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: there is no {program}");
    }
    found
}

/// What SQLite answers.
fn sql(database: &Path, statements: &str) -> String {
    let out = Command::new("sqlite3").arg("-bail").arg(database).arg(statements).output().unwrap();
    assert!(out.status.success(), "{statements}: {}", String::from_utf8_lossy(&out.stderr));
    // Texts need not be UTF-8.
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// Everything in a database but how a full-text table stores its words, and what is found there.
fn dump(database: &Path) -> String {
    let all = sql(database, ".dump");
    let is_index = |line: &&str| line.contains("messages_fts_") && line.starts_with("INSERT");
    let rows: Vec<&str> = all.lines().filter(|line| !is_index(line)).collect();
    let words = if all.contains("messages_fts") { "SELECT rowid, * FROM messages_fts" } else { "" };
    format!("{}\n{}", rows.join("\n"), sql(database, words))
}

/// Runs a script. The answer is the last line that it prints.
fn run(client: Client, bench: &Bench, database: &str, script: &str) -> String {
    let mut command = match client {
        Client::Shell | Client::Bail => Command::new("sqlite3"),
        Client::Python => Command::new("python3"),
    };
    match client {
        Client::Shell => command.arg(database),
        Client::Bail => command.arg("-bail").arg(database),
        Client::Python => command.args(["-c", &python(bench), database, script]),
    };
    if client != Client::Python {
        command.stdin(File::open(bench.path(script)).unwrap());
    }
    let out = command.current_dir(bench.path("")).stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8(out.stdout).unwrap();
    said.lines().last().unwrap_or_default().to_owned()
}

/// The program that `repair` prints for a machine without the client of SQLite.
fn python(bench: &Bench) -> String {
    let printed = String::from_utf8(bench.read("printed.txt")).unwrap();
    let words = printed.split_once("python3 -c '").unwrap().1;
    words.split_once('\'').unwrap().0.to_owned()
}

/// A copy of a database, damaged, and the scripts for it. Returns the session's path.
fn prepared(bench: &Bench, name: &str, damage: &str, session: &str) -> String {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/databases").join(name);
    std::fs::copy(from, bench.path(name)).unwrap();
    sql(&bench.path(name), damage);
    let path = format!("{name}#{session}");
    let ran = bench.run(&["repair", &path, "-o", "fix.sql"]);
    let ran = ran.exits(0).says(&format!("sqlite3 -bail {name} < fix.sql")).says("fix.undo.sql");
    bench.write("printed.txt", ran.out);
    path
}

/// The codes of findings above a note.
fn codes(bench: &Bench, path: &str) -> Vec<String> {
    let report = bench.run(&["check", "-f", "json", path]).json();
    let findings = report["conversations"][0]["findings"].as_array().unwrap();
    let findings = findings.iter().filter(|own| own["severity"] != "note");
    findings.map(|own| own["code"].as_str().unwrap().to_owned()).collect()
}

fn for_each(clients: &[Client], act: impl Fn(Client, &Bench, &str, &str)) {
    if !has("sqlite3") || !has("python3") {
        return;
    }
    for (name, damage, session) in SESSIONS {
        let bench = Bench::new();
        let path = prepared(&bench, name, damage, session);
        for client in clients {
            act(*client, &bench, name, &path);
        }
    }
}

#[test]
fn a_script_repairs_the_session_in_its_database_and_takes_it_back() {
    for_each(&CLIENTS, |client, bench, name, path| {
        let database = bench.path(name);
        let before = dump(&database);
        let damage = if client == Client::Shell { codes(bench, path) } else { Vec::new() };
        assert_eq!(run(client, bench, name, "fix.sql"), "applied", "{client:?} {path}");
        assert_eq!(sql(&database, "PRAGMA integrity_check"), "ok\n", "{path}");
        assert_eq!(sql(&database, "PRAGMA foreign_key_check"), "", "{path}");
        if client == Client::Shell {
            let left = codes(bench, path);
            assert!(left.len() < damage.len(), "{path}: {damage:?} {left:?}");
            let again = bench.run(&["repair", "-n", path]);
            assert!(!again.out.contains("Would"), "{path}: {}", again.out);
        }
        let after = dump(&database);
        assert_ne!(after, before, "{path}");
        // What was changed is not changed twice.
        assert_eq!(run(client, bench, name, "fix.sql"), "nothing written", "{path}");
        assert_eq!(dump(&database), after, "{path}");
        assert_eq!(run(client, bench, name, "fix.undo.sql"), "applied", "{client:?} {path}");
        assert_eq!(dump(&database), before, "{client:?} {path}: undo is exact");
    });
}

#[test]
fn a_database_that_changed_stays_as_it_is() {
    // Each client meets each change in some of the stores.
    const CHANGES: &[&str] = &[
        "PRAGMA user_version = 99",
        "CREATE INDEX other ON TABLE_ (rowid_)",
        "CREATE TRIGGER other AFTER UPDATE ON TABLE_ BEGIN SELECT 1; END",
        "UPDATE TABLE_ SET DATA_ = DATA_ || ' '",
        "UPDATE TABLE_ SET DATA_ = CAST(DATA_ AS BLOB)",
        "DELETE FROM TABLE_",
        "DROP TABLE TABLE_",
    ];
    for_each(&[Client::Shell], |_, bench, name, path| {
        let database = bench.path(name);
        let original = bench.read(name);
        let (table, data) = match name.split(['.', '-']).next().unwrap() {
            "goose" => ("messages", "content_json"),
            "hermes" => ("messages", "content"),
            "google" => ("events", "event_data"),
            "opencode" => ("part", "data"),
            "openai" => ("agent_messages", "message_data"),
            "amazon" => ("conversations", "value"),
            "kiro" => ("conversations_v2", "value"),
            _ => ("checkpoints", "checkpoint"),
        };
        for (number, change) in CHANGES.iter().enumerate() {
            let client = CLIENTS[(number + path.len()) % CLIENTS.len()];
            // What rows hold is no part of a repair that only gives them other numbers; and what is a blob stays one.
            let is_data = change.contains("DATA_");
            let is_blob = change.contains("BLOB") && table == "checkpoints";
            if (is_data && only_moves(bench)) || is_blob {
                continue;
            }
            std::fs::write(&database, &original).unwrap();
            let change = change.replace("TABLE_", table).replace("DATA_", data);
            sql(&database, &change.replace("rowid_", data));
            let before = dump(&database);
            let said = run(client, bench, name, "fix.sql");
            // Without the table the script cannot be read, which ends a shell with `-bail`, and is an error for Python.
            let is_unread = change.starts_with("DROP") && client != Client::Shell;
            let nothing = if is_unread { "" } else { "nothing written" };
            assert_eq!(said, nothing, "{client:?} {path} {change}");
            assert_eq!(dump(&database), before, "{client:?} {path} {change}");
        }
        std::fs::write(&database, &original).unwrap();
    });
}

/// Whether a script only gives rows other numbers.
fn only_moves(bench: &Bench) -> bool {
    let script = String::from_utf8(bench.read("fix.sql")).unwrap();
    let writes = |line: &&str| line.contains(" main.") && line.ends_with("temp.guard);");
    script
        .lines()
        .filter(writes)
        .all(|line| line.starts_with("UPDATE ") && line.contains("SET rowid = "))
}

#[test]
fn nothing_is_written_while_the_host_writes_or_where_a_statement_fails() {
    if !has("sqlite3") || !has("python3") {
        return;
    }
    for client in CLIENTS {
        let bench = Bench::new();
        let (name, damage) = ("openai-agents-sqlite.db", ANSWERED_LATER);
        prepared(&bench, name, damage, "hive:2");
        let database = bench.path(name);
        let before = dump(&database);
        let mut host = Command::new("python3")
            .args(["-c", LOCK])
            .arg(&database)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = [0; 1];
        std::io::Read::read_exact(host.stdout.as_mut().unwrap(), &mut ready).unwrap();
        let said = run(client, &bench, name, "fix.sql");
        assert_ne!(said, "applied", "{client:?}");
        drop(host.stdin.take());
        host.wait().unwrap();
        assert_eq!(dump(&database), before, "{client:?}");
        // A statement in the middle fails: the plain shell goes on with the next one.
        let script = String::from_utf8(bench.read("fix.sql")).unwrap();
        let broken = script.replacen("INSERT INTO main.", "INSERT INTO main.no_", 1);
        assert_ne!(broken, script);
        bench.write("fix.sql", broken);
        let said = run(client, &bench, name, "fix.sql");
        assert_ne!(said, "applied", "{client:?}");
        assert_eq!(dump(&database), before, "{client:?}");
    }
}

/// A host that writes until its standard input ends.
const LOCK: &str = "import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute('BEGIN IMMEDIATE')
print('x', end='', flush=True)
sys.stdin.read()
db.execute('ROLLBACK')";

#[test]
fn texts_with_anything_in_them_come_back_byte_for_byte() {
    if !has("sqlite3") {
        return;
    }
    let bench = Bench::new();
    let name = "hermes.db";
    // The removed row has a NUL, a text that is no UTF-8, a number of the other type, and an escape.
    let damage = "UPDATE messages SET content = CAST(X'006A736F6E3A5B22FF225D' AS TEXT), \
        reasoning = char(27) || '[2J' || char(8238) || 'it''s' || char(13, 10) || ';', finish_reason = X'00FF', \
        timestamp = 0.1 WHERE id = 15";
    prepared(&bench, name, damage, "20260402_3");
    let script = String::from_utf8(bench.read("fix.undo.sql")).unwrap();
    assert!(script.chars().all(|c| c == '\n' || !c.is_control()), "no raw escape");
    let database = bench.path(name);
    let all = "SELECT id, hex(content), typeof(content), hex(reasoning), hex(finish_reason), \
        typeof(finish_reason), quote(timestamp) FROM messages ORDER BY id";
    let before = sql(&database, all);
    for client in [Client::Shell, Client::Bail] {
        assert_eq!(run(client, &bench, name, "fix.sql"), "applied");
        assert_ne!(sql(&database, all), before);
        assert_eq!(run(client, &bench, name, "fix.undo.sql"), "applied");
        assert_eq!(sql(&database, all), before);
    }
}

#[test]
fn triggers_and_full_text_tables_are_named() {
    if !has("sqlite3") {
        return;
    }
    let bench = Bench::new();
    prepared(&bench, "hermes.db", FULL_TEXT, "20260402_2");
    let printed = String::from_utf8(bench.read("printed.txt")).unwrap();
    let script = String::from_utf8(bench.read("fix.sql")).unwrap();
    for text in [&printed, &script] {
        assert!(text.contains("messages_fts_insert") && text.contains("messages_fts"), "{text}");
        assert!(text.contains("Close Hermes"), "{text}");
    }
    run(Client::Shell, &bench, "hermes.db", "fix.sql");
    let found = "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'Interrupted'";
    assert_eq!(sql(&bench.path("hermes.db"), found), "1\n");
}

#[test]
fn what_has_no_rows_of_its_own_is_refused() {
    if !has("sqlite3") {
        return;
    }
    for (name, damage, session, why) in [
        (
            "openai-agents-sqlite.db",
            "CREATE TABLE message_structure (message_id INTEGER REFERENCES agent_messages (id))",
            "hive/1",
            "another table refers to them",
        ),
        ("langgraph-json.sqlite", "", "t1", "its values are JSON"),
    ] {
        let bench = Bench::new();
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/databases").join(name);
        std::fs::copy(from, bench.path(name)).unwrap();
        sql(&bench.path(name), damage);
        let before = bench.tree("");
        let path = format!("{name}#{session}");
        bench.run(&["repair", &path, "-o", "fix.sql"]).exits(4).complains(why);
        assert_eq!(bench.tree(""), before);
    }
}

#[test]
fn scripts_replace_nothing_unasked() {
    let bench = Bench::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/databases/goose.db");
    std::fs::copy(from, bench.path("goose.db")).unwrap();
    bench.write("fix.undo.sql", "mine");
    let args = ["repair", "goose.db#20260304_1", "-o", "fix.sql"];
    bench.run(&args).exits(4).complains("fix.undo.sql exists");
    assert_eq!(bench.read("fix.undo.sql"), b"mine");
    assert!(!bench.path("fix.sql").exists());
    bench.run(&[&args[..], &["--force"]].concat()).exits(0);
    assert!(bench.path("fix.sql").exists());
    // There is nothing to change in a healthy session.
    let healthy: Ran = bench.run(&["repair", "goose.db#20260304_2", "-o", "none.sql"]);
    healthy.exits(0);
    assert!(!bench.path("none.sql").exists());
}
