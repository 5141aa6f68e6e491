//! What a project decides: its configuration, severities, the baseline, statistics.

use serde_json::Value;

use crate::bench::{Bench, STUCK, healthy};

/// A folder with a stuck and a healthy transcript.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.lines("logs/run.jsonl", &STUCK);
    bench.lines("logs/well.jsonl", &healthy());
    bench
}

fn json(bench: &Bench, args: &[&str], status: i32) -> Value {
    let args = [&["check"], args, &["-f", "json"]].concat();
    bench.run(&args).exits(status).json()
}

#[test]
fn the_configuration_is_found_upwards_from_the_working_directory() {
    let bench = bench();
    // Beside a transcript it means nothing.
    bench.write("logs/transcript-doctor.toml", "fail-on = \"never\"\n");
    bench.run(&["check", "logs"]).exits(1);
    bench.write("transcript-doctor.toml", "ignore = [\"two-results\"]\n");
    bench.run(&["check", "logs"]).exits(0).says("TD104");
    std::fs::create_dir_all(bench.path("a/b")).unwrap();
    let below = Bench::inside(&bench, "a/b");
    below.run(&["check", "../../logs"]).exits(0);
    below.run(&["check", "../../logs", "--isolated"]).exits(1);
    // What is typed wins.
    bench.run(&["check", "logs", "--ignore", "TD2"]).exits(1);
    let config = ["check", "logs", "--config", "logs/transcript-doctor.toml"];
    bench
        .run(&config)
        .exits(0)
        .says("transcript-doctor repair --config logs/transcript-doctor.toml logs");
    bench.run(&["repair", "logs", "-n"]).exits(0);
    bench.run(&["repair", "logs", "-n", "--isolated"]).exits(1);
}

#[test]
fn a_python_project_has_the_configuration_in_its_own_file() {
    let bench = bench();
    bench.write(
        "pyproject.toml",
        "[project]\nname = \"shop\"\ndescription = \"uses transcript-doctor\"\n",
    );
    bench.run(&["check", "logs"]).exits(1);
    let table = "[tool.other]\nsince = 2026-01-01\n\n[tool.transcript-doctor]\nignore = [\"two-results\"]\n";
    bench.write("pyproject.toml", table);
    bench.run(&["check", "logs"]).exits(0).says("TD104");
    let named = bench.run(&["check", "logs", "--config", "pyproject.toml"]).exits(0);
    assert!(named.err.is_empty(), "{}", named.err);
    // A file of its own in the same folder wins.
    bench.write("transcript-doctor.toml", "");
    bench.run(&["check", "logs"]).exits(1);
    std::fs::remove_file(bench.path("transcript-doctor.toml")).unwrap();
    bench.write("pyproject.toml", table.replace("ignore", "ignored"));
    bench
        .run(&["check", "logs"])
        .exits(2)
        .complains("pyproject.toml:5: unknown key ignored; did you mean ignore?");
    bench.write("pyproject.toml", "[project]\n");
    bench
        .run(&["check", "logs", "--config", "pyproject.toml"])
        .exits(2)
        .complains("pyproject.toml: it has no [tool.transcript-doctor]");
}

#[test]
fn settings_are_shown_with_who_said_so() {
    let bench = bench();
    let ran = bench.run(&["check", "--show-settings"]).exits(0);
    for line in ["fail-on = \"error\"", "target = \"auto\"", "# select: none", "# baseline: none"] {
        assert!(
            ran.out.lines().any(|own| own.starts_with(line) && own.ends_with("# default")),
            "{line}\n{}",
            ran.out
        );
    }
    let config = "select = [\"TD1\", \"two-results\"]\nfail-on = \"note\"\nexclude = [\"old/**\"]\n[level]\nTD105 = \"off\"\n\
        [per-file-ignores]\n\"logs/**\" = [\"TD205\"]\n[per-file-formats]\n\"logs/run*\" = { from = \"openhands\", target = \"mistral\" }\n";
    bench.write("transcript-doctor.toml", config);
    let words = [
        "check",
        "--show-settings",
        "--fail-on",
        "fatal",
        "--level",
        "TD101=note",
        "logs/run.jsonl",
        "a.jsonl",
    ];
    let ran = bench.run(&words).exits(0);
    for (line, from) in [
        ("select = [\"TD1\", \"TD104\"]", "transcript-doctor.toml:1"),
        ("fail-on = \"fatal\"", "command line"),
        (
            "level = { TD105 = \"off\", TD101 = \"note\" }",
            "transcript-doctor.toml:4 and command line",
        ),
        ("exclude = [\"old/**\"]", "transcript-doctor.toml:3"),
        ("per-file-ignores = { \"logs/**\" = [\"TD205\"] }", "transcript-doctor.toml:6"),
    ] {
        let own = ran.out.lines().find(|own| own.starts_with(line));
        assert!(own.is_some_and(|own| own.ends_with(&format!("# {from}"))), "{line}\n{}", ran.out);
    }
    ran.says(
        "# logs/run.jsonl:\n# also ignored: TD205\n# format: openhands\n# provider: mistral\n",
    )
    .says("# a.jsonl:\n# nothing of its own\n");
    // What is printed is a configuration that says the same.
    let printed = bench.run(&["check", "--show-settings"]).exits(0).out;
    bench.write("copy.toml", &printed);
    let again = bench.run(&["check", "--show-settings", "--config", "copy.toml"]).exits(0).out;
    let values = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split("  #").next().unwrap().trim_end().to_owned()).collect()
    };
    assert_eq!(values(&again), values(&printed));
    bench
        .run(&["check", "--show-settings", "-f", "json"])
        .exits(2)
        .complains("--show-settings does not work with --format json");
}

#[test]
fn mistakes_in_the_configuration_are_usage_errors() {
    let bench = bench();
    for (text, wanted) in [
        ("\nfail_on = 1", "transcript-doctor.toml:2: unknown key fail_on; did you mean fail-on?"),
        ("fail-on = \"errors\"", ":1: fail-on: errors is not one of"),
        ("ignore = [\"TD9999\"]", "no rule has this code or name"),
        ("a = [", "transcript-doctor.toml:1: "),
        ("exclude = [\"{\"]", "exclude"),
        ("select = \"TD1\"", "expected an array of strings"),
    ] {
        bench.write("transcript-doctor.toml", text);
        let ran = bench.run(&["check", "logs"]).exits(2).complains(wanted);
        assert_eq!(ran.out, "");
        bench.run(&["check", "logs", "--isolated"]).exits(1);
    }
    // A command that judges nothing does not need it.
    bench.run(&["explain", "TD104"]).exits(0);
    bench
        .run(&["explain", "logs/run.jsonl", "--isolated"])
        .exits(2)
        .complains("'--isolated' is an option of check, diff, repair");
    bench.run(&["check", "logs", "--config", "gone.toml"]).exits(2).complains("gone.toml");
}

#[test]
fn severities_decide_about_the_exit_status_and_not_about_the_verdict() {
    let bench = bench();
    let run = json(&bench, &["logs/run.jsonl", "--level", "two-results=warning"], 0);
    let conversation = &run["conversations"][0];
    assert_eq!(conversation["verdict"], "stuck");
    assert_eq!(conversation["findings"][0]["severity"], "warning");
    json(&bench, &["logs", "--level", "TD1=note,TD104=error"], 1);
    json(&bench, &["logs", "--level", "TD104=error,TD1=note"], 0);
    let off = json(&bench, &["logs/run.jsonl", "--level", "TD104=off"], 0);
    assert_eq!(off["conversations"][0]["not_selected"]["TD104"], 1);
    bench
        .run(&["check", "logs", "--level", "TD104=loud"])
        .exits(2)
        .complains("expected RULE=LEVEL");
    bench.write("transcript-doctor.toml", "[level]\nTD104 = \"warning\"\n");
    json(&bench, &["logs"], 0);
    json(&bench, &["logs", "--level", "TD104=fatal"], 1);
}

#[test]
fn the_run_fails_from_the_level_that_is_typed() {
    let bench = bench();
    json(&bench, &["logs", "--fail-on", "never"], 0);
    json(&bench, &["logs", "--fail-on", "note"], 1);
    json(&bench, &["logs/well.jsonl", "--fail-on", "note"], 0);
    json(&bench, &["logs", "gone", "--fail-on", "never"], 3);
}

#[test]
fn rules_are_added_to_those_of_the_configuration() {
    let bench = bench();
    bench.write("transcript-doctor.toml", "select = [\"TD2\"]\n");
    json(&bench, &["logs"], 0);
    json(&bench, &["logs", "--extend-select", "two-results"], 1);
    let config = "ignore = [\"TD1\"]\nextend-select = [\"TD104\"]\n";
    bench.write("transcript-doctor.toml", config);
    json(&bench, &["logs"], 1);
}

#[test]
fn only_certain_findings_on_request() {
    let bench = bench();
    json(&bench, &["logs", "--min-confidence", "certain"], 1);
    bench.run(&["check", "logs", "--min-confidence", "high"]).exits(2);
}

#[test]
fn walks_skip_what_is_excluded() {
    let bench = bench();
    let run = json(&bench, &["logs", "--exclude", "logs/r*.jsonl"], 0);
    assert_eq!(run["summary"]["conversations"], 1);
    let why = &run["skipped"][0];
    assert_eq!((&why["path"], &why["why"]), (&"logs/run.jsonl".into(), &"excluded".into()));
    // What is named is checked.
    json(&bench, &["logs/run.jsonl", "--exclude", "logs/"], 1);
    // The globs of the configuration are relative to its folder.
    bench.write("transcript-doctor.toml", "exclude = [\"/logs/run.jsonl\"]\n");
    let inside = Bench::inside(&bench, "logs");
    json(&inside, &["."], 0);
    json(&inside, &[".", "--isolated"], 1);
    let listed = bench.run(&["check", "logs", "--list-files"]).exits(0);
    assert_eq!(listed.out, "logs/well.jsonl  openhands\n");
    // A script gets what it asks for, or nothing.
    let listed = |format| bench.run(&["check", "logs", "--list-files", "--format", format]);
    let file = "{\"path\":\"logs/well.jsonl\",\"format\":\"openhands\"}";
    assert_eq!(listed("jsonl").exits(0).out, format!("{file}\n"));
    assert_eq!(listed("json").exits(0).out, format!("[{file}]\n"));
    let refused = listed("sarif").exits(2);
    refused.complains("--list-files does not work with --format sarif");
}

#[test]
fn known_findings_are_not_reported_again() {
    let bench = bench();
    let known = ["--baseline", "known.json"];
    bench
        .run(&["check", "logs", "--write-baseline", "known.json"])
        .exits(0)
        .complains("1 finding in known.json");
    let run = json(&bench, &[&["logs"], &known[..]].concat(), 0);
    assert_eq!(run["baseline"], serde_json::json!({"known": 1, "unused": 0}));
    let own = &run["conversations"][0];
    assert_eq!((&own["known"], &own["verdict"]), (&1.into(), &"stuck".into()));
    bench
        .run(&[&["check", "logs"], &known[..]].concat())
        .exits(0)
        .says("1 known finding in the baseline.");
    // It is written over nothing else.
    let before = bench.read("logs/run.jsonl");
    bench
        .run(&["check", "logs", "--write-baseline", "logs/run.jsonl"])
        .exits(2)
        .complains("logs/run.jsonl exists and is not a baseline");
    assert_eq!(bench.read("logs/run.jsonl"), before);
    bench.run(&["check", "logs", "--write-baseline", "known.json"]).exits(0);
    // The file moves and grows.
    let mut records = STUCK.to_vec();
    let more = r#"{"id":"00000000-0000-4000-8000-000000000009","timestamp":"2026-01-21T09:49:00.000000","source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"go on"}]},"kind":"MessageEvent"}"#;
    records.push(more);
    bench.lines("moved/elsewhere.jsonl", &records);
    json(&bench, &[&["moved"], &known[..]].concat(), 0);
    // A second one like it is new.
    json(&bench, &[&["moved", "logs"], &known[..]].concat(), 1);
    // What is gone can be removed.
    let prune = ["check", "logs/well.jsonl", "--baseline", "known.json", "--prune-baseline"];
    bench.run(&prune).exits(0).says("1 entry of it was not found (--prune-baseline)");
    json(&bench, &[&["logs"], &known[..]].concat(), 1);
    bench.run(&["check", "logs", "--prune-baseline"]).exits(2);
    bench.write("known.json", "{}");
    bench
        .run(&[&["check", "logs"], &known[..]].concat())
        .exits(3)
        .complains("the baseline known.json");
}

#[test]
fn the_configuration_names_the_baseline() {
    let bench = bench();
    bench.write("ci/transcript-doctor.toml", "baseline = \"known.json\"\n");
    bench.run(&["check", "logs", "--write-baseline", "ci/known.json"]).exits(0);
    json(&bench, &["logs", "--config", "ci/transcript-doctor.toml"], 0);
}

#[test]
fn rules_are_counted() {
    let bench = bench();
    bench.lines("logs/again.jsonl", &STUCK);
    let ran = bench.run(&["check", "logs", "--statistics"]).exits(1);
    assert_eq!(
        ran.out,
        "rule                          findings     files  severity  fix\n\
         TD104 two-results                    2         2  fatal     2 safe\n"
    );
    let rows = bench.run(&["check", "logs", "--statistics", "-f", "json"]).json();
    assert_eq!(rows[0]["fixes"]["safe"], 2);
    bench
        .run(&["check", "logs", "--statistics", "-f", "sarif"])
        .exits(2)
        .complains("--statistics does not work with --format sarif");
}

#[test]
fn rules_can_be_ignored_in_some_files() {
    let bench = bench();
    bench.lines("logs/old/run.jsonl", &STUCK);
    bench.write(
        "transcript-doctor.toml",
        "[per-file-ignores]\n\"logs/old/**\" = [\"two-results\"]\n",
    );
    let report = json(&bench, &["logs"], 1);
    let of = |path: &str| {
        let all = report["conversations"].as_array().unwrap();
        all.iter().find(|own| own["path"] == path).unwrap().clone()
    };
    assert_eq!(of("logs/run.jsonl")["findings"][0]["code"], "TD104");
    let old = of("logs/old/run.jsonl");
    assert_eq!(old["findings"], Value::Array(Vec::new()));
    assert_eq!(old["not_selected"]["TD104"], 1);
    bench.run(&["check", "logs/old"]).exits(0);
    bench.run(&["repair", "logs/old", "-n"]).exits(0);
    bench.run(&["check", "logs/old", "--isolated"]).exits(1);
    for (text, wanted) in [
        ("per-file-ignores = [\"TD1\"]", "expected a table"),
        ("[per-file-ignores]\n\"a\" = [\"TD9999\"]", "no rule has this"),
        ("[per-file-ignores]\n\"{\" = []", "per-file-ignores"),
    ] {
        bench.write("transcript-doctor.toml", text);
        bench.run(&["check", "logs"]).exits(2).complains(wanted);
    }
}

#[test]
fn old_files_are_skipped_and_counted() {
    let bench = bench();
    let day = std::time::Duration::from_secs(86_400);
    let old = std::time::SystemTime::now() - 10 * day;
    let file = std::fs::File::options().write(true).open(bench.path("logs/run.jsonl"));
    file.unwrap().set_modified(old).unwrap();
    bench.run(&["check", "logs"]).exits(1);
    let report = json(&bench, &["logs", "--since", "7d"], 0);
    assert_eq!(report["summary"]["conversations"], 1);
    assert_eq!(report["skipped"][0]["path"], "logs/run.jsonl");
    json(&bench, &["logs", "--since", "2w"], 1);
    json(&bench, &["logs", "--since", "2020-01-31"], 1);
    json(&bench, &["logs", "--since", "2020-01-31T10:00:00Z"], 1);
    bench.run(&["check", "logs", "--since", "soon"]).exits(2);
    bench.run(&["check", "logs", "--since", "99999999999999999999w"]).exits(2);
}

#[test]
fn the_worst_findings_are_kept_and_the_others_counted() {
    let bench = bench();
    let cut = STUCK[..3].join("\n");
    bench.write("logs/a.jsonl", cut);
    bench.lines("logs/z.jsonl", &STUCK);
    let all = json(&bench, &["logs"], 1);
    let count = |report: &Value| -> usize {
        let all = report["conversations"].as_array().unwrap();
        all.iter().map(|own| own["findings"].as_array().unwrap().len()).sum()
    };
    assert!(count(&all) > 2, "{all}");
    assert!(all.get("left_out").is_none());
    let some = json(&bench, &["logs", "--max-results", "2"], 1);
    assert_eq!(count(&some), 2);
    assert_eq!(some["left_out"], count(&all) - 2);
    let levels = some.to_string();
    assert!(!levels.contains("\"severity\":\"note\""), "{levels}");
    assert_eq!(some["summary"], all["summary"]);
    let ran = bench.run(&["check", "logs", "--max-results", "0"]).exits(1);
    ran.complains("left out, the least severe (--max-results 0)");
    bench.run(&["check", "logs", "--max-results", "9", "--statistics"]).exits(2);
}

#[test]
fn patterns_that_the_shell_did_not_expand_are_expanded() {
    let bench = bench();
    let report = json(&bench, &["logs/*.jsonl"], 1);
    assert_eq!(report["summary"]["conversations"], 2);
    json(&bench, &["**/well.jsonl"], 0);
    let nothing = bench.run(&["check", "logs/*.gone"]).exits(5);
    nothing.complains("logs/*.gone: no file or folder matches this pattern");
    // Beside what was found, it is not everything that was asked for.
    json(&bench, &["**/well.jsonl", "logs/*.gone"], 3);
}
