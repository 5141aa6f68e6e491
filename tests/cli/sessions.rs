//! Sessions by the words, dates and folders that people know them by.

use std::time::{Duration, SystemTime};

use crate::bench::{Bench, healthy};

const DAMAGED: &str = "5f1c0001-0000-4000-8000-000000000000";
const HEALTHY: &str = "5f1c0002-0000-4000-8000-000000000000";

/// The records of a Claude Code session: a prompt, a call, its result if `ends`, and another prompt.
fn session(id: &str, folder: &str, prompt: &str, ends: bool) -> String {
    let uuid = |n: u32| format!("00000000-0000-4000-8000-00000000000{n}");
    let record = |n: u32, parent: Option<u32>, kind: &str, message: &str| {
        let parent = parent.map_or("null".to_owned(), |n| format!("\"{}\"", uuid(n)));
        format!(
            r#"{{"parentUuid":{parent},"isSidechain":false,"userType":"external","cwd":"{folder}","sessionId":"{id}","version":"2.1.329","type":"{kind}","message":{message},"uuid":"{}","timestamp":"2026-01-2{n}T09:48:0{n}.000Z"}}"#,
            uuid(n)
        )
    };
    let text = serde_json::Value::from(prompt);
    let mut records = vec![
        record(1, None, "user", &format!(r#"{{"role":"user","content":{text}}}"#)),
        record(
            2,
            Some(1),
            "assistant",
            r#"{"id":"msg_01","type":"message","role":"assistant","model":"claude-sonnet-4","content":[{"type":"tool_use","id":"toolu_01LISTFILES00000000001","name":"Bash","input":{"command":"ls"}}],"stop_reason":"tool_use"}"#,
        ),
    ];
    if ends {
        records.push(record(
            3,
            Some(2),
            "user",
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01LISTFILES00000000001","content":"a"}]}"#,
        ));
    }
    let last = if ends { 3 } else { 2 };
    records.push(record(4, Some(last), "user", r#"{"role":"user","content":"Go on"}"#));
    records.join("\n") + "\n"
}

/// A home with two sessions of a project, the healthy one newer, and one of pi in another project.
fn home() -> Bench {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("shop")).unwrap();
    let shop = bench.path("shop").canonicalize().unwrap();
    let shop = shop.to_str().unwrap();
    let slug = shop.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let at = |id: &str| format!(".claude/projects/{slug}/{id}.jsonl");
    let prompt = "<system-reminder>Be kind.</system-reminder>\nFix the login form";
    bench.write(&at(DAMAGED), session(DAMAGED, shop, prompt, false));
    let secret = "Use sk-ant-api03-abcdefgh, please";
    bench.write(&at(HEALTHY), session(HEALTHY, shop, secret, true));
    let pi = "0197c0bb-2222-7a11-8c00-9d0055e51062";
    bench.lines(
        &format!(".pi/agent/sessions/--srv-garden--/2026-01-02T10-00-00-000Z_{pi}.jsonl"),
        &[
            &format!(r#"{{"type":"session","version":3,"id":"{pi}","timestamp":"2026-01-02T10:00:00.000Z","cwd":"/srv/garden"}}"#),
            r#"{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-02T10:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"Count the bees"}],"timestamp":1767348001000}}"#,
            r#"{"type":"session_info","id":"a2","parentId":"a1","timestamp":"2026-01-02T10:00:02.000Z","name":"Bees"}"#,
        ],
    );
    for (name, hours) in [
        (at(DAMAGED), 3),
        (at(HEALTHY), 2),
        (format!(".pi/agent/sessions/--srv-garden--/2026-01-02T10-00-00-000Z_{pi}.jsonl"), 50),
    ] {
        let file = std::fs::File::options().append(true).open(bench.path(&name));
        let time = SystemTime::now() - Duration::from_secs(hours * 3600 + 60);
        file.unwrap().set_modified(time).unwrap();
    }
    bench
}

/// What each line of a list contains.
#[track_caller]
fn lists(out: &str, wanted: &[&[&str]]) {
    let lines: Vec<&str> = out.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), wanted.len(), "{out}");
    for (line, words) in lines.iter().zip(wanted) {
        for word in *words {
            assert!(line.contains(word), "{word:?} is not in {line:?}\n{out}");
        }
    }
}

#[test]
fn sessions_are_listed_with_what_people_know_of_them() {
    let bench = home();
    let list = bench.run(&["sessions"]).exits(0);
    let damaged: &[&str] = &["LOSSY", "5f1c0001  3 h ago"];
    let healthy: &[&str] = &["HEALTHY", "5f1c0002  2 h ago"];
    lists(&list.out, &[healthy, damaged, &["0197c0bb", "2 d ago"]]);
    let wide = bench.run(&["sessions", "--width", "140"]).exits(0);
    lists(
        &wide.out,
        &[
            &["Claude Code", "shop", "Use [secret], please"],
            &["Claude Code", "shop", "Fix the login form", " kB"],
            &["pi ", "garden", "Bees"],
        ],
    );
    assert!(wide.out.contains("\n3 sessions, newest first.\n"), "{}", wide.out);
    let two = bench.run(&["sessions", "-n", "2"]).exits(0);
    assert!(two.out.contains("2 of 3 sessions, newest first (--all lists all)."), "{}", two.out);
    lists(&bench.run(&["sessions", "@pi"]).out, &[&["Bees"]]);
    bench.lines("logs/run.jsonl", &crate::bench::STUCK);
    lists(&bench.run(&["sessions", "logs"]).out, &[&["STUCK", "run.jsonl", "private words"]]);
    assert_eq!(bench.run(&["sessions", "-q"]).out.lines().count(), 3);
    bench.run(&["sessions", "@codex"]).exits(5);
}

#[test]
fn no_line_of_a_list_is_too_long() {
    let bench = home();
    for width in ["40", "60", "80"] {
        let list = bench.run(&["sessions", "--width", width]).exits(0);
        let columns: usize = width.parse().unwrap();
        let wide = list.out.lines().find(|line| line.chars().count() > columns.max(50));
        assert_eq!(wide, None, "{}", list.out);
    }
    let cut = bench.run(&["sessions", "--width", "40"]).out;
    let ascii = bench.run(&["sessions", "--width", "40", "--ascii"]).out;
    assert!(cut.contains('…') && ascii.is_ascii(), "{cut}{ascii}");
}

#[test]
fn a_list_says_why_a_session_is_damaged_and_whose_it_is() {
    let bench = home();
    let list = bench.run(&["sessions", "--width", "80"]).exits(0);
    lists(&list.out, &[&["HEALTHY", "Claude Code"], &["LOSSY    TD101"], &["pi "]]);
    let wide = bench.run(&["sessions", "--width", "140"]).exits(0);
    lists(&wide.out, &[&[], &["TD101 unanswered-call", "Fix the login form", "Go on"], &["Bees"]]);
    let json = bench.run(&["sessions", "-f", "json"]).exits(0).json();
    assert_eq!(json["sessions"][1]["rule"], "TD101");
    assert_eq!(json["sessions"][1]["last_prompt"], "Go on");
}

/// Two sessions with one ID, as after a copy into another project, have only the names of their files.
#[test]
fn a_long_name_leaves_room_for_the_host() {
    let bench = home();
    bench.write(
        &format!(".claude/projects/-srv-other/{DAMAGED}.jsonl"),
        session(DAMAGED, "/srv/other", "Fix it", true),
    );
    let list = bench.run(&["sessions", "--width", "80"]).exits(0);
    lists(
        &list.out,
        &[&["5f1c0001-", "Claude Code"], &["Claude Code"], &["Claude Code"], &["pi "]],
    );
}

/// IDs of Codex begin with their time: the first digits are those of all sessions of a minute.
#[test]
fn every_id_that_is_shown_can_be_typed() {
    let bench = Bench::new();
    let fixture = include_str!("../../fixtures/rules/unanswered-call/codex-missing-output.jsonl");
    let own = fixture.split_once(r#""id":""#).unwrap().1.split('"').next().unwrap();
    let ids = ["019a2b3c-5ad3-7a32-8332-f05a58296818", "019a2b3c-5ad4-7a32-8332-f05a58296818"];
    for id in ids {
        let name = format!(".codex/sessions/2026/03/04/rollout-2026-03-04T05-06-07-{id}.jsonl");
        bench.write(&name, fixture.replace(own, id));
    }
    for args in
        [&["sessions"][..], &["check", "@codex"], &["check", ids[0]], &["explain", "@codex"]]
    {
        let out = bench.run(args).out;
        let shown: Vec<&str> = out
            .split_whitespace()
            .filter(|word| word.starts_with("019a2b3c") && word.len() < 36)
            .collect();
        assert!(!shown.is_empty(), "{args:?}: {out}");
        for id in shown {
            bench.run(&["check", id]).exits(1).says("1 conversation: ");
        }
    }
}

#[test]
fn scripts_get_a_list_without_texts_where_they_are_hidden() {
    let bench = home();
    let json = bench.run(&["sessions", "-f", "json"]).exits(0).json();
    assert_eq!(json["total"], 3);
    let damaged = &json["sessions"][1];
    assert_eq!(damaged["verdict"], "lossy");
    assert_eq!(damaged["title"], "Fix the login form");
    assert_eq!((&damaged["findings"], &damaged["safe_fixes"]), (&1.into(), &1.into()));
    let hidden = bench.run(&["sessions", "-f", "json", "--redact", "content"]).exits(0);
    assert!(!hidden.out.contains("login"), "{}", hidden.out);
    let hidden = bench.run(&["sessions", "--redact", "content"]).exits(0);
    assert!(!hidden.out.contains("login") && !hidden.out.contains("[text"), "{}", hidden.out);
}

#[test]
fn a_report_introduces_its_session() {
    let bench = home();
    let introduction = r#"5f1c0001 · 2026-01-24 · ~/shop · "Fix the login form""#;
    for command in ["check", "explain", "repair"] {
        let ran = bench.run(&[command, DAMAGED]);
        assert!(ran.out.contains(introduction), "{command}\n{}", ran.out);
    }
    let content = bench.run(&["check", DAMAGED, "--redact", "content"]);
    assert!(!content.out.contains("login"), "{}", content.out);
    // What belongs to everybody has no texts.
    let json = bench.run(&["check", DAMAGED, "-f", "json"]);
    assert!(!json.out.contains("login"), "{}", json.out);
}

#[test]
fn commands_without_a_name_take_the_project() {
    let bench = home();
    let project = Bench::inside(&bench, "shop");
    project.run(&["check"]).exits(1).says("2 conversations: 1 lossy, 1 healthy");
    let told = project.run(&["explain"]).exits(0);
    assert!(told.out.contains(DAMAGED) && !told.out.contains(HEALTHY), "{}", told.out);
    project.run(&["repair", "-n"]).exits(1);
    let why = "Repair all of them:    transcript-doctor repair --yes";
    project.run(&["repair"]).exits(2).complains(why);
    project.run(&["repair", "--yes"]).exits(0);
    project.run(&["check"]).exits(0);
    project
        .run(&["explain"])
        .exits(0)
        .complains("2 sessions of this project, none of them damaged");
    for command in ["repair", "explain", "check"] {
        bench.run(&[command]).exits(2).complains("no agent session was started in this folder");
    }
    bench.run(&["check"]).says("Bees");
}

#[test]
fn without_a_command_recent_sessions_are_shown() {
    let bench = home();
    let list = bench.run(&[]).exits(0);
    lists(&list.out, &[&["LOSSY"], &["HEALTHY"], &["0197c0bb"]]);
    let nobody = Bench::new();
    nobody.lines("run.jsonl", &healthy());
    nobody
        .run(&[])
        .exits(2)
        .complains("Usage: transcript-doctor")
        .complains("no agent session was found on this machine");
}

#[cfg(unix)]
#[test]
fn a_session_is_chosen_explained_and_repaired() {
    use crate::terminal::at_terminal;
    let bench = home();
    let seen = at_terminal(&bench, &[], "9\n1\ny\n", false).exits(0);
    seen.shows(&[
        "1  LOSSY",
        "2  HEALTHY",
        "Which one? [1-3, q] ",
        "Which one? [1-3, q] ",
        "What happened",
        "Apply 1 safe fix? ",
        "undo 1",
    ]);
    assert_eq!(bench.operations(), 1);
    let seen = at_terminal(&bench, &["check"], "q\n", false).exits(2);
    seen.shows(&["1  HEALTHY", "Which one? [1-3, q] "]);
}
