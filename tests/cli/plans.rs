//! Plans: written by one run, reviewed, and done by another.

use serde_json::Value;

use crate::bench::{Bench, STUCK, healthy};

const PLAN: [&str; 4] = ["repair", "a.jsonl", "--plan-out", "plan.json"];
const APPLY: [&str; 4] = ["repair", "--apply", "plan.json", "--force-live"];

/// A bench with a stuck transcript and its plan.
fn planned() -> Bench {
    let bench = Bench::new();
    bench.lines("a.jsonl", &STUCK);
    bench.run(&PLAN).exits(1);
    bench
}

fn plan_of(bench: &Bench) -> Value {
    serde_json::from_slice(&bench.read("plan.json")).unwrap()
}

fn rewrite(bench: &Bench, change: impl FnOnce(&mut Value)) {
    let mut plan = plan_of(bench);
    change(&mut plan);
    bench.write("plan.json", plan.to_string());
}

#[test]
fn a_plan_does_what_a_direct_repair_does() {
    let bench = planned();
    let before = bench.read("a.jsonl");
    assert_eq!(bench.operations(), 0);
    bench.run(&PLAN).exits(1);
    assert_eq!(bench.read("a.jsonl"), before);
    let plan = plan_of(&bench);
    assert_eq!(plan["sources"][0]["path"], "a.jsonl");
    assert!(!plan["sources"][0]["edits"].as_array().unwrap().is_empty());
    bench.run(&APPLY).exits(0);
    let applied = bench.read("a.jsonl");
    assert_eq!(bench.operations(), 1);
    bench.lines("b.jsonl", &STUCK);
    bench.run(&["repair", "b.jsonl", "--yes", "--force-live"]).exits(0);
    assert_eq!(applied, bench.read("b.jsonl"));
    bench.run(&["undo", "a.jsonl", "--yes", "--force-live"]).exits(0);
    assert_eq!(bench.read("a.jsonl"), before);
    // The journal says which plan it was.
    let log = bench.read("state/transcript-doctor/ops.jsonl");
    let first = String::from_utf8_lossy(&log).lines().next().unwrap().to_owned();
    assert!(first.contains("\"plan\":\""), "{first}");
}

#[test]
fn a_plan_is_bound_to_every_byte() {
    let bench = planned();
    bench.lines("c.jsonl", &STUCK);
    bench.run(&["repair", "a.jsonl", "c.jsonl", "--plan-out", "plan.json"]).exits(1);
    let both = [bench.read("a.jsonl"), bench.read("c.jsonl")];
    bench.write("c.jsonl", [&both[1][..], b"\n"].concat());
    // Nothing is written where one of the files changed.
    bench.run(&APPLY).exits(4).complains("changed after the plan was made");
    assert_eq!(bench.read("a.jsonl"), both[0]);
    bench.write("c.jsonl", &both[1]);
    bench.run(&APPLY).exits(0);
    // It was done.
    bench.run(&APPLY).exits(4);
    assert_eq!(bench.operations(), 2);
}

#[test]
fn a_plan_writes_nothing_that_this_program_would_not() {
    let bench = planned();
    let (before, plan) = (bench.read("a.jsonl"), bench.read("plan.json"));
    let edits: [fn(&mut Value); 4] = [
        |plan| plan["sources"][0]["edits"][0]["with"] = "{}".into(),
        |plan| {
            let evil = serde_json::json!({"op": "create", "file": "../evil", "with": "x"});
            plan["sources"][0]["edits"].as_array_mut().unwrap().push(evil);
        },
        |plan| plan["sources"][0]["edits"] = Value::Array(Vec::new()),
        |plan| plan["options"]["only"] = serde_json::json!(["TD001"]),
    ];
    for edit in edits {
        rewrite(&bench, edit);
        bench.run(&APPLY).exits(4).complains("the plan is not what");
        assert_eq!(bench.read("a.jsonl"), before);
        bench.write("plan.json", &plan);
    }
    let broken: [fn(&mut Value); 6] = [
        |plan| plan["schema"] = "transcript-doctor/plan/v2".into(),
        |plan| plan["options"]["only"] = serde_json::json!(["TD999"]),
        |plan| plan["options"]["from"] = "auto --force".into(),
        |plan| plan["options"]["output"] = "x".into(),
        |plan| plan["options"]["unsafe"] = true.into(),
        |plan| plan["sources"][0]["path"] = "-".into(),
    ];
    for edit in broken {
        rewrite(&bench, edit);
        bench.run(&APPLY).exits(2).complains("the plan plan.json");
        assert_eq!(bench.read("a.jsonl"), before);
        bench.write("plan.json", &plan);
    }
    // Another file, that the plan has no checksum of.
    bench.lines("d.jsonl", &STUCK);
    rewrite(&bench, |plan| {
        plan["sources"][0]["path"] = "d.jsonl".into();
        plan["sources"][0]["files"][0]["sha256"] = "0".repeat(64).into();
    });
    bench.run(&APPLY).exits(4);
    rewrite(&bench, |plan| plan["sources"][0]["path"] = "gone".into());
    bench.run(&APPLY).exits(3);
    bench.write("plan.json", "{");
    bench.run(&APPLY).exits(2).complains("not a plan");
    assert_eq!(bench.operations(), 0);
}

#[test]
fn a_plan_is_written_over_nothing_else() {
    let bench = planned();
    bench.write("notes", "mine");
    bench.run(&["repair", "a.jsonl", "--plan-out", "notes"]).exits(2).complains("is not a plan");
    bench.run(&["repair", "a.jsonl", "--plan-out", "a.jsonl"]).exits(2);
    assert_eq!(bench.read("notes"), b"mine");
    bench.lines("well.jsonl", &healthy());
    bench.run(&["repair", "well.jsonl", "--plan-out", "plan.json"]).exits(0);
    assert_eq!(plan_of(&bench)["sources"], Value::Array(Vec::new()));
    bench.run(&APPLY).exits(0).complains("nothing to do");
    bench.run(&["repair", "--apply", "plan.json", "a.jsonl"]).exits(2);
    bench.run(&["repair", "--apply", "plan.json", "--target", "bedrock"]).exits(2);
    bench.run(&["repair", "-", "--plan-out", "p"]).exits(2);
}

/// Of a session in a database and of an archive only a copy can be written, which no plan can name.
#[test]
fn what_cannot_be_written_has_no_plan() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let bench = Bench::new();
    for (from, name, why) in [
        ("databases/goose.db", "a.db", "a database is never written"),
        ("rules/two-results/openhands-export.zip", "a.zip", "written only as a copy"),
    ] {
        std::fs::copy(fixtures.join(from), bench.path(name)).unwrap();
        let ran = bench.run(&["repair", name, "--plan-out", "plan.json"]).exits(4);
        assert!(ran.err.contains(why), "{}", ran.err);
        assert!(ran.err.contains("plan.json: no plan was written"), "{}", ran.err);
        assert!(!bench.path("plan.json").exists());
    }
    // Beside it, another transcript has its plan.
    bench.lines("a.jsonl", &STUCK);
    bench.run(&["repair", "a.db", "a.jsonl", "--plan-out", "plan.json"]).exits(4);
    let plan = plan_of(&bench);
    let sources = plan["sources"].as_array().unwrap();
    assert!(sources.len() == 1 && sources[0]["path"] == "a.jsonl", "{sources:?}");
}
