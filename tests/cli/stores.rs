//! Conversations whose files are in folders that others share: opencode's storage folder.

use super::bench::Bench;

const BEES: &str = "storage/message/ses_bees";

/// A store of two sessions, each with a call that did not end.
fn store() -> Bench {
    let bench = Bench::new();
    for (session, message) in [("ses_bees", "msg_1"), ("ses_wasps", "msg_2")] {
        let write = |path: String, more: &str| {
            let id = path.rsplit('/').next().unwrap().replace(".json", "");
            let record = format!("{{\"id\": \"{id}\", \"sessionID\": \"{session}\", {more}}}");
            bench.write(&format!("storage/{path}"), record);
        };
        let part = |name: &str, more: &str| {
            let of_message = format!("\"messageID\": \"{message}{}\", {more}", &name[..1]);
            write(format!("part/{message}{}/prt_{name}.json", &name[..1]), &of_message);
        };
        write(format!("session/global/{session}.json"), r#""title": "hives""#);
        write(format!("message/{session}/{message}a.json"), r#""role": "user""#);
        write(
            format!("message/{session}/{message}b.json"),
            r#""role": "assistant", "providerID": "openai""#,
        );
        write(format!("message/{session}/{message}c.json"), r#""role": "user""#);
        part("a1", r#""type": "text", "text": "count the hives""#);
        part(
            "b1",
            r#""type": "tool", "callID": "call_1", "tool": "bash", "state": {"status": "running", "input": {}, "time": {"start": 5}}"#,
        );
        part("c1", r#""type": "text", "text": "and now?""#);
    }
    bench
}

#[test]
fn every_path_in_a_store_refers_to_its_session() {
    let bench = store();
    let report = bench.run(&["check", "-f", "json", "storage"]).exits(1).json();
    assert_eq!(report["conversations"].as_array().unwrap().len(), 2);
    for path in [
        BEES,
        "storage/message/ses_bees/msg_1b.json",
        "storage/part/msg_1b",
        "storage/part/msg_1b/prt_b1.json",
        "storage/session/global/ses_bees.json",
    ] {
        let report = bench.run(&["check", "-f", "json", path]).exits(1).json();
        let found = report["conversations"].as_array().unwrap();
        assert_eq!(found.len(), 1, "{path}");
        assert!(found[0]["path"].as_str().unwrap().ends_with(BEES), "{path}");
        let file = &found[0]["findings"][0]["records"][0]["file"];
        let file = file.as_str().unwrap();
        assert!(file.ends_with("storage/part/msg_1b/prt_b1.json"), "{path}: {file}");
    }
}

/// The session is found by its path without links.
#[test]
#[cfg(unix)]
fn a_session_named_through_a_link_is_repaired_without_a_question() {
    let bench = store();
    std::os::unix::fs::symlink("storage", bench.path("linked")).unwrap();
    bench.run(&["repair", "--force-live", &BEES.replace("storage", "linked")]).exits(0);
    bench.run(&["check", BEES]).exits(0);
}

#[test]
fn sessions_of_a_store_are_repaired_and_restored() {
    let bench = store();
    let before = bench.tree("storage");
    bench.run(&["repair", "storage", "--yes"]).exits(0);
    let after = bench.tree("storage");
    let pairs = after.iter().zip(&before);
    assert_eq!(pairs.filter(|(new, old)| new != old).count(), 2);
    bench.run(&["check", "storage"]).exits(0);
    bench.run(&["undo", "storage"]).exits(0);
    bench.run(&["undo", "storage"]);
    assert_eq!(bench.tree("storage"), before);
}

#[test]
fn a_store_is_copied_whole() {
    let bench = store();
    let before = bench.tree("storage");
    bench.run(&["repair", "storage", "-o", "copy"]).exits(0);
    assert_eq!(bench.tree("storage"), before);
    assert_eq!(bench.tree("copy").len(), before.len());
    bench.run(&["check", "copy"]).exits(0);
    bench
        .run(&["repair", BEES, "-o", "session"])
        .exits(4)
        .complains("folders that other conversations share");
}
