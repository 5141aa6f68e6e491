//! `repair`.

use crate::bench::{Bench, STUCK, exists, healthy};

fn wanted() -> Vec<u8> {
    format!("{}\n", healthy().join("\n")).into_bytes()
}

#[test]
fn a_repair_in_place_is_verified_and_undoable() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    let ran = bench.run(&["repair", "run.jsonl"]).exits(0);
    let ran =
        ran.says("- removed      4  AgentErrorEvent").says("4 of 5 records unchanged; removed 1.");
    ran.says("Backed up   original kept (operation 1)")
        .says("HEALTHY")
        .says("transcript-doctor undo 1");
    assert_eq!(bench.read("run.jsonl"), wanted());
    bench.run(&["repair", "run.jsonl"]).exits(0).says("Nothing to repair");
    assert_eq!(bench.operations(), 1);
}

#[test]
fn a_plan_writes_nothing() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    let before = bench.tree("");
    bench.run(&["repair", "--dry-run", "run.jsonl"]).exits(1).says("Would remove 1").says("Apply:");
    assert_eq!(bench.tree(""), before);
}

#[test]
fn a_copy_leaves_the_source_alone() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    let before = bench.read("run.jsonl");
    bench
        .run(&["repair", "run.jsonl", "-o", "fixed.jsonl"])
        .exits(0)
        .says("Wrote       fixed.jsonl");
    assert_eq!(bench.read("fixed.jsonl"), wanted());
    assert_eq!(bench.read("run.jsonl"), before);
    assert_eq!(bench.operations(), 0);
    bench.run(&["repair", "run.jsonl", "-o", "fixed.jsonl"]).exits(2).complains("exists");
    bench.run(&["repair", "run.jsonl", "-o", "fixed.jsonl", "--force"]).exits(0);
    bench
        .run(&["repair", "run.jsonl", "-o", "run.jsonl", "--force"])
        .exits(2)
        .complains("is the source itself");
    bench.run(&["repair", "fixed.jsonl", "-o", "again.jsonl"]).exits(0);
    assert_eq!(bench.read("again.jsonl"), wanted());
}

#[test]
fn an_unreadable_file_is_not_a_usage_error() {
    let bench = Bench::new();
    bench.write("empty.jsonl", "");
    for named in ["empty.jsonl", "missing.jsonl"] {
        bench.run(&["repair", named, "-o", "fixed.jsonl"]).exits(3).says(named);
        assert!(!exists(&bench.path("fixed.jsonl")));
    }
}

#[test]
fn a_tree_is_copied_with_everything_in_it() {
    let bench = Bench::new();
    bench.folder("all/one", &STUCK);
    bench.folder("all/one/subagents/8162594143274ac6a9a44ba08aafa96f", &STUCK);
    bench.lines("all/two.jsonl", &STUCK);
    bench.write("all/notes.txt", "not ours\n");
    let before = bench.tree("all");
    bench.run(&["repair", "all", "-o", "out"]).exits(0);
    assert_eq!(bench.tree("all"), before);
    assert_eq!(bench.read("out/notes.txt"), b"not ours\n");
    assert_eq!(bench.read("out/two.jsonl"), wanted());
    bench.run(&["check", "out"]).exits(0).says("3 healthy");
    // However the tree is spelled.
    bench.run(&["repair", "./all", "-o", "again"]).exits(0);
    assert_eq!(bench.tree("again"), bench.tree("out"));
    assert_eq!(bench.operations(), 0);
}

#[test]
fn several_targets_go_into_a_folder() {
    let bench = Bench::new();
    bench.lines("a.jsonl", &STUCK);
    bench.lines("b.jsonl", &healthy());
    bench
        .run(&["repair", "a.jsonl", "b.jsonl", "-o", "out"])
        .exits(2)
        .complains("an existing folder");
    std::fs::create_dir(bench.path("out")).unwrap();
    bench.run(&["repair", "a.jsonl", "b.jsonl", "-o", "out"]).exits(0);
    assert_eq!((bench.read("out/a.jsonl"), bench.read("out/b.jsonl")), (wanted(), wanted()));
}

#[test]
fn a_filter_has_only_data_on_standard_output() {
    let bench = Bench::new();
    let input = format!("{}\n", STUCK.join("\n"));
    let ran = bench.run_with(&["repair", "-"], input.as_bytes()).exits(0);
    assert_eq!(ran.out.as_bytes(), wanted());
    assert!(ran.err.contains("removed 1"), "{}", ran.err);
    bench.lines("run.jsonl", &STUCK);
    assert_eq!(bench.run(&["repair", "run.jsonl", "-o", "-"]).exits(0).out.as_bytes(), wanted());
    let ran = bench
        .run_with(&["repair", "-", "-o", "out.jsonl", "-f", "json"], input.as_bytes())
        .exits(0);
    assert_eq!(ran.json()["conversations"][0]["applied"]["removed"], 1);
    assert_eq!(bench.read("out.jsonl"), wanted());
    bench.run_with(&["repair", "-"], b"no log\n").exits(3);
}

#[test]
fn json_reports_what_was_done() {
    let bench = Bench::new();
    bench.folder("c", &STUCK);
    let ran = bench.run(&["repair", "-f", "json", "c"]).exits(0);
    let report = ran.json();
    let conversation = &report["conversations"][0];
    assert_eq!(conversation["verdict"], "healthy");
    assert_eq!(
        (&conversation["applied"]["op"], &conversation["applied"]["removed"]),
        (&1.into(), &1.into())
    );
    assert!(!ran.out.contains("private"));
}

/// Only what an earlier round repaired shows some damage. Its fix is reported too, with the reason of what it removes, and names
/// lines of the file as it is.
#[test]
fn json_reports_the_fixes_of_later_rounds() {
    let bench = Bench::new();
    let called_three_times = "fixtures/rules/repeated-call/openhands-three-times.jsonl";
    bench.write("a.jsonl", std::fs::read(called_three_times).unwrap());
    let report = bench.run(&["repair", "-n", "-f", "json", "a.jsonl"]).exits(1).json();
    let changes = report["conversations"][0]["applied"]["changes"].as_array().unwrap().clone();
    let actions = changes.iter().flat_map(|change| change["actions"].as_array().unwrap());
    let said: Vec<_> = actions
        .map(|action| (action["says"].as_str().unwrap(), action["reason"].as_str()))
        .collect();
    assert_eq!(
        said,
        [
            ("remove line 5", Some("copy")),
            ("remove line 6", Some("copy")),
            ("link the result in line 7 to the call in line 3", None),
            ("remove line 4", Some("placeholder")),
        ]
    );
}

#[test]
fn selected_fixes_are_applied() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    bench.run(&["repair", "--only", "TD201", "run.jsonl"]).exits(1);
    assert_eq!(bench.operations(), 0);
    bench.run(&["repair", "--error-on-change", "run.jsonl"]).exits(1);
    bench.run(&["repair", "--error-on-change", "run.jsonl"]).exits(0);
    bench.lines("first.jsonl", &STUCK);
    bench.run(&["repair", "--prefer", "first", "--no-diff", "first.jsonl"]).exits(0);
    assert!(String::from_utf8(bench.read("first.jsonl")).unwrap().contains("A restart occurred"));
}

#[test]
fn one_refused_file_does_not_stop_the_others() {
    let bench = Bench::new();
    bench.lines("a.jsonl", &STUCK);
    bench.lines("b.jsonl", &STUCK);
    std::fs::hard_link(bench.path("a.jsonl"), bench.path("link.jsonl")).unwrap();
    let before = bench.read("a.jsonl");
    bench.run(&["repair", "a.jsonl", "b.jsonl"]).exits(4).complains("refused: a.jsonl");
    assert_eq!(bench.read("a.jsonl"), before);
    assert_eq!(bench.read("b.jsonl"), wanted());
}

#[test]
fn backups_go_to_the_given_folder() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    let before = bench.read("run.jsonl");
    bench.run(&["repair", "--backup-dir", "kept", "run.jsonl"]).exits(0);
    assert!(exists(&bench.path("kept")));
    bench.run(&["undo"]).exits(0);
    assert_eq!(bench.read("run.jsonl"), before);
    bench.run(&["repair", "--no-backup", "run.jsonl"]).exits(0);
    bench.run(&["undo"]).exits(0);
    assert_eq!(bench.read("run.jsonl"), before);
}

/// A transcript that another process has open for writing, as long as the returned value lives.
#[cfg(target_os = "linux")]
fn opened(bench: &Bench, name: &str) -> impl Drop {
    struct Writer(std::process::Child);
    impl Drop for Writer {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
    let script = r#"exec 3>>"$1"; echo open; exec sleep 60"#;
    let mut child = std::process::Command::new("sh")
        .args(["-c", script, "sh"])
        .arg(bench.path(name))
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = [0; 5];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut said).unwrap();
    Writer(child)
}

#[cfg(target_os = "linux")]
#[test]
fn a_transcript_with_a_writer_is_left_alone() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    bench.lines("ok.jsonl", &healthy());
    let before = bench.read("run.jsonl");
    let (writer, other) = (opened(&bench, "run.jsonl"), opened(&bench, "ok.jsonl"));
    let ran = bench
        .run(&["repair", "run.jsonl"])
        .exits(4)
        .complains("open for writing in another process (pid");
    let ran = ran.complains("transcript-doctor repair --output COPY run.jsonl");
    assert!(ran.err.lines().count() > 2);
    assert_eq!(bench.read("run.jsonl"), before);
    bench.run(&["check", "run.jsonl"]).exits(1).says("(still being written)");
    bench.run(&["repair", "run.jsonl", "-o", "copy.jsonl"]).exits(0);
    bench.run(&["repair", "ok.jsonl"]).exits(0).says("Nothing to repair");
    bench.run(&["repair", "--force-live", "run.jsonl"]).exits(0);
    drop((writer, other));
    bench.write("run.jsonl", &before);
    bench.run(&["repair", "run.jsonl"]).exits(0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_torn_tail_may_still_grow() {
    let bench = Bench::new();
    let fresh = STUCK[1].replace("000000000001", "000000000009");
    bench.write("run.jsonl", format!("{}\n{}", healthy().join("\n"), &fresh[..90]));
    let writer = opened(&bench, "run.jsonl");
    bench.run(&["check", "run.jsonl"]).exits(0);
    bench.run(&["repair", "run.jsonl"]).exits(0).says("Nothing to repair");
    bench.run(&["repair", "run.jsonl", "-o", "copy.jsonl"]).exits(0);
    assert_eq!(bench.read("copy.jsonl"), wanted());
    drop(writer);
    bench.run(&["check", "run.jsonl"]).exits(1).says("TD001");
}

#[test]
fn a_repair_can_follow_a_repair_immediately() {
    let bench = Bench::new();
    bench.folder("c", &STUCK);
    bench.run(&["repair", "c"]).exits(0);
    bench.run(&["undo"]).exits(0);
    bench.run(&["repair", "c"]).exits(0);
    assert_eq!(bench.operations(), 3);
}

#[test]
fn removing_a_turn_needs_two_options() {
    let records = [
        r#"{"type":"human","data":{"content":"look twice","type":"human","id":"m1"}}"#,
        r#"{"type":"ai","data":{"content":"","type":"ai","id":"m2","tool_calls":[{"name":"f","args":{},"id":"tooluse_A","type":"tool_call"},{"name":"f","args":{},"id":"tooluse_B","type":"tool_call"}],"invalid_tool_calls":[]}}"#,
        r#"{"type":"tool","data":{"content":"seen","type":"tool","id":"m3","tool_call_id":"tooluse_A","status":"success"}}"#,
        r#"{"type":"human","data":{"content":"go on","type":"human","id":"m4"}}"#,
    ];
    let bench = Bench::new();
    bench.lines("run.jsonl", &records);
    let before = bench.read("run.jsonl");
    let safe = bench.run(&["repair", "--strategy", "remove-turn", "run.jsonl"]).exits(1);
    assert_eq!(bench.read("run.jsonl"), before);
    safe.says("fix: unsafe")
        .says("transcript-doctor diff --strategy remove-turn --unsafe run.jsonl");
    bench
        .run(&["diff", "--strategy", "remove-turn", "--unsafe", "run.jsonl"])
        .exits(0)
        .says("2 removed");
    bench
        .run(&["repair", "--strategy", "remove-turn", "--unsafe", "run.jsonl"])
        .exits(0)
        .says("removed 2");
    assert_eq!(bench.read("run.jsonl"), format!("{}\n{}\n", records[0], records[3]).into_bytes());
    bench.run(&["undo"]).exits(0);
    assert_eq!(bench.read("run.jsonl"), before);
    bench.run(&["repair", "--unsafe", "run.jsonl"]).exits(0).says("inserted 1");
}

#[test]
fn a_branch_is_appended_if_the_format_supports_it() {
    let head = r#"{"type":"session","version":3,"id":"0197c0bb","timestamp":"2026-02-25T06:13:20.000Z","cwd":"/w"}"#;
    let user = r#"{"type":"message","id":"aa000001","parentId":null,"timestamp":"2026-02-25T06:13:21.000Z","message":{"role":"user","content":"Go."}}"#;
    let failed = r#"{"type":"message","id":"aa000002","parentId":"aa000001","timestamp":"2026-02-25T06:13:22.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"toolu_1","name":"f","arguments":{}}],"api":"anthropic-messages","stopReason":"aborted"}}"#;
    let result = r#"{"type":"message","id":"aa000003","parentId":"aa000002","timestamp":"2026-02-25T06:13:23.000Z","message":{"role":"toolResult","toolCallId":"toolu_1","toolName":"f","content":[{"type":"text","text":"late"}],"isError":false}}"#;
    let bench = Bench::new();
    bench.lines("run.jsonl", &[head, user, failed, result]);
    let before = bench.read("run.jsonl");
    bench
        .run(&["repair", "--write-style", "branch", "run.jsonl"])
        .exits(0)
        .says("appended as a new branch");
    let after = String::from_utf8(bench.read("run.jsonl")).unwrap();
    let more = after.strip_prefix(std::str::from_utf8(&before).unwrap()).unwrap();
    let id = more.split('"').nth(7).unwrap();
    assert_eq!(more, format!("{}\n", failed.replace("aa000002", id)), "a copy of the new end");
    bench
        .run(&["repair", "--write-style", "branch", "run.jsonl"])
        .exits(0)
        .says("Nothing to repair");
    bench.run(&["undo"]).exits(0);
    assert_eq!(bench.read("run.jsonl"), before);
    bench.lines("other.jsonl", &STUCK);
    let refused = bench.run(&["repair", "--write-style", "branch", "other.jsonl"]).exits(4);
    refused.complains(
        "it cannot be written as a branch: transcripts of this format are repaired in place",
    );
    assert_eq!(bench.read("other.jsonl"), format!("{}\n", STUCK.join("\n")).into_bytes());
}

#[test]
fn openclaw_detects_a_repair_by_the_modification_time() {
    let records = [
        r#"{"type":"session","version":3,"id":"0197c0aa-1111-7a11-8c00-9d0055e51041","timestamp":"2026-02-25T06:13:20.000Z","cwd":"/w"}"#,
        r#"{"type":"message","id":"aa000001","parentId":null,"timestamp":"2026-02-25T06:13:21.000Z","message":{"role":"user","content":"Go."}}"#,
        r#"{"type":"message","id":"aa000002","parentId":"aa000001","timestamp":"2026-02-25T06:13:22.000Z","message":{"role":"toolResult","toolCallId":"toolu_1","toolName":"f","content":[{"type":"text","text":"late"}],"isError":false}}"#,
    ];
    let bench = Bench::new();
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let name = "0197c0aa-1111-7a11-8c00-9d0055e51041.jsonl";
    for (folder, host, kept) in [("agents/main/sessions", "openclaw", false), ("other", "pi", true)]
    {
        let path = format!("{folder}/{name}");
        bench.lines(&path, &records);
        std::fs::File::options()
            .write(true)
            .open(bench.path(&path))
            .unwrap()
            .set_modified(old)
            .unwrap();
        let report = bench.run(&["check", "-f", "json", &path]).exits(1).json();
        assert_eq!(report["conversations"][0]["host"], host, "{path}");
        let ran = bench.run(&["repair", "--keep-mtime", &path]).exits(0);
        assert_eq!(
            ran.out.contains("--keep-mtime was ignored: OpenClaw's index"),
            !kept,
            "{}",
            ran.out
        );
        let now = std::fs::metadata(bench.path(&path)).unwrap().modified().unwrap();
        assert_eq!(now == old, kept, "{path}");
    }
}

#[test]
fn a_preview_names_the_command_that_does_the_same() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    let options = ["--unsafe", "--only", "TD104", "--prefer", "first"];
    let typed = ["repair", "run.jsonl", "-n"].into_iter().chain(options).collect::<Vec<_>>();
    let ran = bench.run(&typed).exits(1);
    assert!(
        ran.out.contains(
            "Apply:  transcript-doctor repair --unsafe --only TD104 --prefer first run.jsonl"
        ),
        "{}",
        ran.out
    );
}

#[test]
fn thinking_after_a_change_is_reported() {
    let thinks = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"c2ln"},{"type":"text","text":"c"}]}"#;
    let list = |asked: &str, first: &str| {
        format!(
            r#"[{{"role":"user","content":"a"}},{first},{{"role":"user","content":"{asked}"}},{thinks},{{"role":"user","content":"b"}}]"#
        )
    };
    let calls = r#"{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"a","input":{}}]}"#;
    let told = "Signed thinking on message 3 and later was made for the old text";
    let bench = Bench::new();
    bench.write("run.json", list("b", calls));
    bench.run(&["diff", "run.json"]).exits(0).says(told);
    bench.run(&["repair", "-n", "run.json"]).exits(1).says(told);
    bench.run(&["repair", "run.json"]).exits(0).says(told);
    // The changed message comes after it.
    bench.write("late.json", list("b", thinks).replace(r#""content":"b"}]"#, r#""content":[]}]"#));
    let ran = bench.run(&["repair", "late.json"]).exits(0);
    assert!(!ran.out.contains("Signed thinking"), "{}", ran.out);
}

/// A truncated record alone: without it, nothing would show the format of the file.
#[test]
fn a_repair_never_leaves_an_unrecognizable_file() {
    let bench = Bench::new();
    let torn = r#"{"timestamp":"2026-03-04T05:06:10.168Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t1","started_at":1772600000,"model_context_wind"#;
    bench.write("run.jsonl", torn);
    let before = bench.tree("");
    for args in [&["repair", "run.jsonl"][..], &["repair", "run.jsonl", "-n"]] {
        bench.run(args).exits(1).says("no automatic fix: restore the record from a backup");
        assert_eq!(bench.tree(""), before);
    }
    bench.run(&["repair", "run.jsonl", "-o", "copy.jsonl"]).exits(1);
    assert_eq!(bench.read("copy.jsonl"), torn.as_bytes());
}

#[test]
fn leftovers_are_not_part_of_a_transcript() {
    let bench = Bench::new();
    bench.folder("c", &STUCK);
    let left = [
        "c/.base_state.json.aB3xYz.transcript-doctor-tmp",
        "c/events/.event-00001-x.json.aB3xYz.transcript-doctor-tmp",
    ];
    left.iter().for_each(|name| bench.write(name, "{}"));
    bench.run(&["check", "c"]).exits(1).says("5 records");
    bench.run(&["repair", "c"]).exits(0).says("HEALTHY");
    left.iter().for_each(|name| assert!(!exists(&bench.path(name)), "{name}"));
    bench.run(&["undo"]).exits(0);
    bench.run(&["repair", "c", "-o", "copy"]).exits(0);
    assert!(bench.tree("copy").iter().all(|(name, _)| !name.contains("transcript-doctor-tmp")));
}

#[test]
fn a_copy_goes_into_an_existing_folder() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    bench.folder("c", &STUCK);
    std::fs::create_dir(bench.path("out")).unwrap();
    bench.run(&["repair", "run.jsonl", "-o", "out"]).exits(0).says("Wrote       out/run.jsonl");
    assert_eq!(bench.read("out/run.jsonl"), wanted());
    bench.run(&["repair", "c", "-o", "out"]).exits(0);
    bench.run(&["check", "out/c"]).exits(0);
    bench.run(&["repair", "run.jsonl", "-o", "out"]).exits(2).complains("out/run.jsonl exists");
    bench.run(&["repair", "c", "-o", "c/copy"]).exits(2).complains("would be written into c");
    bench
        .run_with(&["repair", "-", "-o", "out"], &wanted())
        .exits(2)
        .complains("name a file in it");
    bench.run(&["redact", "run.jsonl", "-o", "out"]).exits(0).says("out/run.redacted.jsonl");
    bench
        .run(&["redact", "run.jsonl", "-o", "out", "--redact", "strict"])
        .exits(2)
        .complains("name a file in it");
    let before = bench.tree("");
    for command in ["repair", "redact"] {
        for out in ["gone/x.jsonl", "gone/deep/x.jsonl", "gone/", "run.jsonl/x.jsonl"] {
            let ran = bench
                .run(&[command, "run.jsonl", "-o", out])
                .exits(2)
                .complains("no such folder: ");
            assert!(
                !ran.err.contains("transcript-doctor-tmp") && !ran.err.contains("redacting"),
                "{}",
                ran.err
            );
        }
    }
    assert_eq!(bench.tree(""), before);
}

#[cfg(target_os = "linux")]
#[test]
fn errors_of_the_system_are_in_words() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    for args in [
        &["repair", "run.jsonl", "-o", "/proc/copy.jsonl"][..],
        &["redact", "run.jsonl", "-o", "/proc/copy.jsonl"],
        &["repair", "run.jsonl", "--plan-out", "/proc/plan.json"],
        &["repair", "--apply", "gone/plan.json"],
        &["check", "run.jsonl", "--report", "json=/proc/report.json"],
        &["check", "run.jsonl", "--config", "gone/config.toml"],
        &["man", "/proc/man"],
    ] {
        let ran = bench.run(args);
        assert!(ran.err.contains("no such file or directory"), "{args:?}: {}", ran.err);
        assert!(
            !["-tmp", "redacting", "/.", "os error"].iter().any(|ours| ran.err.contains(ours)),
            "{args:?}: {}",
            ran.err
        );
    }
}

const EQUAL: &str =
    include_str!("../../fixtures/rules/conflicting-results/openai-chat-two-of-three-equal.json");
const IN_ONE: &str =
    include_str!("../../fixtures/rules/conflicting-results/anthropic-messages-in-one-message.json");

#[test]
fn different_results_are_shown_with_a_command_for_each() {
    let bench = Bench::new();
    bench.write("x.json", EQUAL);
    bench.write("y.json", IN_ONE);
    for (name, place, first, second) in [
        ("x.json", ["messages 2 and 4", "message 3"], "a carp", "a pike"),
        ("y.json", ["message 2", "message 2"], "a carp", "a pike"),
    ] {
        let choices = format!(
            "ou decide which result is right:\n    1  {}: \"{first}\"\n       transcript-doctor repair --prefer 1 {name}\n    2  {}: \"{second}\"\n       transcript-doctor repair --prefer 2 {name}\n",
            place[0], place[1]
        );
        bench.run(&["check", name]).exits(1).says(&choices);
        bench.run(&["explain", name]).exits(0).says(&choices);
        let ran = bench.run(&["check", name, "--redact", "content"]).exits(1);
        let ran = ran.says(&format!("1  {}", place[0])).says("[text 6 B #0001]");
        assert!(!ran.out.contains("carp"), "{}", ran.out);
        for (number, kept, gone) in
            [("1", first, second), ("2", second, first), ("first", first, second)]
        {
            let ran = bench.run(&["repair", "--prefer", number, "-o", "-", name]).exits(0);
            assert!(ran.out.contains(kept) && !ran.out.contains(gone), "{}", ran.out);
            assert!(!ran.err.contains("you decide"), "{}", ran.err);
        }
        bench.run(&["repair", "--prefer", "2", "-n", name]).says("fix: your choice");
        let why = "--prefer 3: there are only 2 results to choose from";
        bench.run(&["repair", "--prefer", "3", "-n", name]).exits(2).complains(why);
        let json = bench.run(&["check", name, "-f", "json"]).exits(1).json();
        let choice = &json["conversations"][0]["findings"][0]["choices"][1];
        assert_eq!(choice["options"], serde_json::json!(["--prefer", "2"]));
        assert!(choice.get("text").is_none());
    }
    for wrong in ["0", "-1", "second", ""] {
        bench.run(&["repair", "--prefer", wrong, "x.json"]).exits(2);
    }
}

#[test]
fn a_choice_is_made_for_one_call() {
    let bench = Bench::new();
    let mut list: serde_json::Value = serde_json::from_str(EQUAL).unwrap();
    let messages = list["messages"].as_array_mut().unwrap();
    let call = "call_0123456789abcdef0123456789";
    let mut more = messages[1..6].to_vec();
    more[0]["tool_calls"][0]["id"] = call.into();
    for message in &mut more[1..4] {
        message["tool_call_id"] = call.into();
        message["content"] = message["content"].as_str().unwrap().replace("a ", "an old ").into();
    }
    messages.splice(6..6, more);
    bench.write("x.json", list.to_string());
    let ran = bench.run(&["check", "x.json"]).exits(1);
    let ran = ran.says("repair --prefer 2 --call call_fish x.json");
    ran.says(&format!("repair --prefer 2 --call {call} x.json"));
    for word in [call, "call_0", "call_012345…6789", "call_012345...6789"] {
        let ran =
            bench.run(&["repair", "--prefer", "2", "--call", word, "-o", "-", "x.json"]).exits(1);
        let kept = ["an old pike", "a pike", "a carp"];
        assert!(kept.iter().all(|text| ran.out.contains(text)), "{}", ran.out);
        assert!(!ran.out.contains("an old carp"), "{word}: {}", ran.out);
        // The other call still needs a decision, with its own command.
        assert!(ran.err.contains("repair --prefer 1 x.json"), "{}", ran.err);
    }
    for word in ["call_", "call_9", "fish"] {
        let ran = bench.run(&["repair", "--prefer", "2", "--call", word, "-n", "x.json"]).exits(1);
        ran.says(&format!("--call {word}: no tool call with several results has this ID here."));
    }
    bench.run(&["repair", "--call", "call_fish", "x.json"]).exits(2);
}

#[test]
fn a_repair_begins_with_its_result() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    let ran = bench.run(&["repair", "run.jsonl"]).exits(0);
    let wanted = "REPAIRED  STUCK → HEALTHY  run.jsonl\n    2026-01-21 · \"private words\"\n    4 of 5 records unchanged; removed 1.\n\nfatal[TD104]";
    assert!(ran.out.starts_with(wanted), "{}", ran.out);
    assert_eq!(ran.out.matches("removed 1").count(), 1, "{}", ran.out);
    // A plan that is only shown has no result.
    bench.lines("run.jsonl", &STUCK);
    let planned = bench.run(&["repair", "-n", "run.jsonl"]).exits(1);
    assert!(planned.out.starts_with("STUCK  run.jsonl"), "{}", planned.out);
}

#[test]
fn what_introduces_a_transcript_fits_in_narrow_terminals() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    for width in ["60", "80"] {
        let ran = bench.run(&["check", "run.jsonl", "--width", width]).exits(1);
        let columns: usize = width.parse().unwrap();
        let head = ran.out.lines().take_while(|line| !line.is_empty());
        for line in head {
            assert!(line.chars().count() <= columns, "{line}\n{}", ran.out);
        }
    }
}

/// An answer between a call and what the assistant says next makes the roles alternate; merging the two would leave the call
/// as the last one, which waits.
#[test]
fn what_follows_an_open_call_is_not_merged_into_it() {
    let bench = Bench::new();
    let text =
        |role: &str, text: &str| format!(r#"{{"role":"{role}","content":[{{"text":"{text}"}}]}}"#);
    let call =
        r#"{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"ls","input":{}}}]}"#;
    let write = |messages: &[String]| bench.write("run.json", format!("[{}]", messages.join(",")));
    let repaired = || {
        bench.run(&["repair", "run.json"]).exits(0);
        bench.run(&["check", "run.json"]).exits(0).says("HEALTHY");
        let after = String::from_utf8(bench.read("run.json")).unwrap();
        (after.matches("\"role\"").count(), after)
    };
    write(&[text("user", "hi"), call.into(), text("assistant", "done")]);
    let (messages, after) = repaired();
    assert!(messages == 4 && after.contains("no result was recorded"), "{after}");
    // What stands before the call still is one message with it.
    write(&[text("user", "hi"), text("assistant", "so"), call.into(), text("assistant", "done")]);
    let (messages, after) = repaired();
    assert!(messages == 4 && after.contains("no result was recorded"), "{after}");
}

/// The call of a result may be in a member that nobody reads. Then the result is no text without a home.
#[test]
fn a_result_whose_call_is_in_another_member_is_not_removed() {
    let bench = Bench::new();
    let call = r#"{"type":"tool_use","id":"toolu_01","name":"Bash","input":{"command":"ls"}}"#;
    let lines = [
        r#"{"role":"user","content":"go"}"#.to_owned(),
        format!(r#"{{"role":"assistant","content":[],"text":[{call}]}}"#),
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01","content":"K02"}]}"#.to_owned(),
    ];
    bench.write("run.jsonl", lines.join("\n") + "\n");
    bench.run(&["repair", "run.jsonl", "--from", "anthropic-messages"]).exits(1);
    assert!(String::from_utf8(bench.read("run.jsonl")).unwrap().contains("K02"));
    bench.run(&["repair", "--unsafe", "run.jsonl", "--from", "anthropic-messages"]).exits(0);
    assert!(!String::from_utf8(bench.read("run.jsonl")).unwrap().contains("K02"));
}
