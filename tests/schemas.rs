//! Every machine-readable output is what its schema says, over all fixtures.
//!
//! `schemas/` has our own schemas. `tests/schemas/` has those of others: SARIF's official one, and those that GitLab and
//! reviewdog check their input with, in the parts that we write.

#![allow(clippy::unwrap_used)] // A test fails where it unwraps.

#[path = "support/program.rs"]
mod program;
#[path = "support/share.rs"]
mod share;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::LazyLock;

use base64_simd::STANDARD;
use jsonschema::Validator;
use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn validator(path: &str) -> Validator {
    jsonschema::validator_for(&json(&read(path))).unwrap()
}

/// Fails with what is wrong, and where.
fn assert_valid(schema: &Validator, value: &Value, what: &str) {
    let errors: Vec<String> = schema
        .iter_errors(value)
        .take(5)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{what}: {errors:#?}");
}

struct Run {
    dir: tempfile::TempDir,
}

impl Run {
    fn new() -> Run {
        Run { dir: tempfile::tempdir().unwrap() }
    }

    fn program(&self, args: &[&str]) -> Output {
        let mut command = program::command(self.dir.path());
        command.args(args).current_dir(root()).output().unwrap()
    }

    fn program_with(&self, args: &[&str], input: &[u8]) -> Output {
        let path = self.path("input");
        std::fs::write(&path, input).unwrap();
        let mut command = program::command(self.dir.path());
        let input = std::fs::File::open(path).unwrap();
        command.args(args).stdin(input).output().unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }
}

/// One run over all fixtures, with every report.
static ALL: LazyLock<Run> = LazyLock::new(|| {
    let all = ["json", "jsonl", "sarif", "junit", "gitlab", "rdjsonl"];
    fixtures(&all, &["--verbose"])
});

/// A run over all fixtures with these reports and options.
fn fixtures(reports: &[&str], more: &[&str]) -> Run {
    let run = Run::new();
    let wanted: Vec<String> = reports
        .iter()
        .map(|name| format!("--report={name}={}", run.path(name).display()))
        .collect();
    let mut args = vec!["check", "fixtures"];
    args.extend(wanted.iter().map(String::as_str));
    args.extend(more);
    let output = run.program(&args);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(1 | 3)), "{err}");
    run
}

#[test]
fn reports_are_what_the_schema_says() {
    let schema = json(&read("schemas/report-v1.json"));
    let report = jsonschema::validator_for(&schema).unwrap();
    let line = definition("conversation");
    let strictest = ["--target", "strictest", "--select", "TD1"];
    for run in [&*ALL, &fixtures(&["json", "jsonl"], &strictest)] {
        let whole = json(&run.text("json"));
        assert!(whole["conversations"].as_array().unwrap().len() > 1000);
        assert_valid(&report, &whole, "json");
        let lines = run.text("jsonl");
        let mut lines: Vec<&str> = lines.lines().collect();
        let mut end = json(lines.pop().unwrap());
        lines.iter().for_each(|text| assert_valid(&line, &json(text), "jsonl"));
        end["conversations"] = Value::Array(Vec::new());
        assert_valid(&report, &end, "the last line of jsonl");
    }
    // What repair adds.
    let run = Run::new();
    let name = "fixtures/rules/two-results/openhands-error-then-real.jsonl";
    std::fs::copy(root().join(name), run.path("a.jsonl")).unwrap();
    let path = run.path("a.jsonl");
    let args = ["repair", path.to_str().unwrap(), "-f", "json", "--force-live"];
    let output = run.program(&args);
    let told = json(std::str::from_utf8(&output.stdout).unwrap());
    assert_eq!(told["conversations"][0]["applied"]["op"], 1, "{told}");
    assert_valid(&report, &told, "repair");
    run.program(&["undo", "--yes", "--force-live"]);
    let journal = validator("schemas/journal-v1.json");
    let ops = run.text("state/transcript-doctor/ops.jsonl");
    assert_eq!(ops.lines().count(), 4);
    ops.lines().for_each(|line| assert_valid(&journal, &json(line), "journal"));
}

/// All files in a folder, by path.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut items: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()).collect();
    items.sort();
    for path in items {
        if path.is_dir() { all.extend(files(&path)) } else { all.push(path) }
    }
    all
}

/// The first lines of every fixture, and every document on a line of its own.
fn rows_of_fixtures() -> Vec<u8> {
    let mut rows = Vec::new();
    for path in files(&root().join("fixtures")).iter().step_by(share::one_of(4)) {
        let bytes = std::fs::read(path).unwrap();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("jsonl") => {
                let lines = bytes.split_inclusive(|byte| *byte == b'\n').take(3);
                rows.extend(lines.flatten());
            }
            Some("json") => match serde_json::from_slice::<Value>(&bytes) {
                Ok(value) => rows.extend(value.to_string().into_bytes()),
                Err(_) => continue,
            },
            _ => continue,
        }
        if !rows.ends_with(b"\n") {
            rows.push(b'\n');
        }
    }
    rows
}

/// The schema of one of the definitions of the report's schema.
fn definition(name: &str) -> Validator {
    let mut schema = json(&read("schemas/report-v1.json"));
    let members = schema.as_object_mut().unwrap();
    for own in ["type", "properties", "required", "additionalProperties"] {
        members.remove(own);
    }
    members.insert("$ref".into(), format!("#/$defs/{name}").into());
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn each_row_of_the_fixtures_has_a_record_that_the_schema_describes() {
    let run = Run::new();
    let rows = rows_of_fixtures();
    let lines: Vec<&[u8]> = rows.split_inclusive(|byte| *byte == b'\n').collect();
    let records = |command: &str, rows: &[u8]| -> Vec<Value> {
        let args = [command, "--rows", "-f", "jsonl", "-", "--rows-errors"];
        let output = run.program_with(&args, rows);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{command}: {err}");
        let out = String::from_utf8(output.stdout).unwrap();
        out.lines().map(json).collect()
    };
    let (checked, repaired) = (records("check", &rows), records("repair", &rows));
    let schemas = [definition("rowRecord"), definition("repairedRowRecord")];
    for (records, schema) in [&checked, &repaired].into_iter().zip(schemas) {
        assert_eq!(records.len(), lines.len());
        for (at, record) in records.iter().enumerate() {
            assert_eq!(record["row"]["line"], at + 1);
            assert_valid(&schema, record, "a row");
        }
    }
    let mut texts = Vec::new();
    let mut after = Vec::new();
    for ((line, was), now) in lines.iter().zip(&checked).zip(&repaired) {
        assert_eq!(was["error"], now["error"]);
        let text = match &now["text"] {
            Value::String(text) => text.clone().into_bytes(),
            Value::Object(object) => unhex(object["hex"].as_str().unwrap()),
            other => panic!("{other}"),
        };
        let is_same = line.strip_suffix(b"\n").unwrap() == text;
        match now["changed"].as_bool() {
            Some(changed) => assert_ne!(changed, is_same, "{now}"),
            None => assert!(is_same, "{now}"),
        }
        let before = if now["changed"] == true { &now["before"] } else { now };
        assert_eq!(before["verdict"], was["verdict"], "{now}");
        // A repair that was tried may know that a fix does not work.
        let found = |record: &Value| {
            let findings = record["findings"].as_array().cloned().unwrap_or_default();
            let name = |finding: &Value| [finding["code"].clone(), finding["fingerprint"].clone()];
            findings.iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(found(before), found(was), "{now}");
        // A text of several lines is several rows.
        if now["changed"] == true && !text.contains(&b'\n') {
            texts.extend(text);
            texts.push(b'\n');
            after.push(now);
        }
    }
    // How many there are depends on which fixtures are in the sample.
    assert!(after.len() > 60, "{}", after.len());
    for (record, wanted) in records("check", &texts).iter().zip(after) {
        assert_eq!(record["verdict"], wanted["verdict"], "{wanted}");
    }
}

fn unhex(text: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(byte).collect()
}

#[test]
fn plans_are_what_its_schema_says() {
    let run = Run::new();
    let plan = run.path("plan.json");
    let plan = plan.to_str().unwrap();
    let some = ["fixtures/bytes", "fixtures/rules/unanswered-call", "fixtures/rules/two-results"];
    let wanted = if share::is_every() { &["fixtures"][..] } else { &some };
    let output = run.program(&[&["repair", "--plan-out", plan, "-qq"], wanted].concat());
    // Some are refused as a whole, because too much of them would change.
    assert_eq!(output.status.code(), Some(4));
    let told = json(&run.text("plan.json"));
    assert!(told["sources"].as_array().unwrap().len() > 100);
    assert_valid(&validator("schemas/plan-v1.json"), &told, "plan");
}

#[test]
fn schemas_are_printed() {
    let run = Run::new();
    for what in ["report", "plan", "journal", "config"] {
        let printed = run.program(&["schema", what]).stdout;
        let printed = json(std::str::from_utf8(&printed).unwrap());
        assert!(jsonschema::meta::is_valid(&printed), "{what}");
        assert_eq!(printed, json(&read(format!("schemas/{what}-v1.json"))));
    }
}

#[test]
fn sarif_is_what_the_standard_says() {
    let log = json(&ALL.text("sarif"));
    let mut schema = json(&read("tests/schemas/sarif-2.1.0.json"));
    // Its pattern has a bracket too many.
    for owner in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][owner]["properties"]["language"];
        language.as_object_mut().unwrap().remove("pattern");
    }
    let schema = jsonschema::validator_for(&schema).unwrap();
    assert_valid(&schema, &log, "sarif");
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(results.len() > 500, "{}", results.len());
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let mut fingerprints = BTreeSet::new();
    for result in results {
        let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(uri.starts_with("fixtures/") && uri.is_ascii(), "{uri}");
        let hash = result["partialFingerprints"]["primaryLocationLineHash"].to_string();
        assert!(fingerprints.insert(hash), "each result has its own fingerprint");
    }
}

/// A transcript with the edits of a fix.
fn fixed(change: &Value, bytes: &[u8]) -> Vec<u8> {
    let mut fixed = bytes.to_vec();
    // From the end, so that offsets stay.
    for replacement in change["replacements"].as_array().unwrap().iter().rev() {
        let number = |name: &str| {
            let number = replacement["deletedRegion"][name].as_u64().unwrap();
            usize::try_from(number).unwrap()
        };
        let inserted = replacement["insertedContent"]["binary"].as_str();
        let inserted = STANDARD.decode_to_vec(inserted.unwrap_or_default()).unwrap();
        let (start, length) = (number("byteOffset"), number("byteLength"));
        fixed.splice(start..start + length, inserted);
    }
    fixed
}

/// Who applies a fix writes what `repair` writes.
#[test]
fn fixes_are_repairs() {
    let log = json(&ALL.text("sarif"));
    let report = json(&ALL.text("json"));
    let conversations = report["conversations"].as_array().unwrap();
    let is_file = |uri: &str| conversations.iter().any(|own| own["path"] == uri);
    let (mut compared, mut fixes, mut withheld) = (0, BTreeSet::new(), BTreeSet::new());
    for result in log["runs"][0]["results"].as_array().unwrap() {
        let why = result["properties"]["fixWithheld"].as_str();
        withheld.extend(why.map(str::to_owned));
        let Some(fix) = result["fixes"].get(0) else {
            continue;
        };
        assert_eq!(result["properties"]["fix"], "safe");
        let changes = fix["artifactChanges"].as_array().unwrap();
        let uri = changes[0]["artifactLocation"]["uri"].as_str().unwrap();
        assert!(fixes.insert(uri), "{uri}: one fix for a transcript");
        // Each takes a process.
        if is_file(uri) && fixes.len().is_multiple_of(share::one_of(12)) {
            let bytes = std::fs::read(root().join(uri)).unwrap();
            let repaired = ALL.program(&["repair", uri, "-o", "-"]).stdout;
            assert!(fixed(&changes[0], &bytes) == repaired, "{uri}");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared} of {}", fixes.len());
    let is_told = |part: &str| withheld.iter().any(|why| why.contains(part));
    for part in ["texts of the transcript", "only a copy", "renames"] {
        assert!(is_told(part), "{part}: {withheld:?}");
    }
    // With its texts, nothing is withheld for them.
    let run = Run::new();
    let place = "fixtures/rules/result-not-next";
    let output = run.program(&["check", place, "--format", "sarif", "--redact", "off"]);
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.contains("\"fixes\"") && !out.contains("texts of the transcript"));
}

/// The bytes of a region are those of its lines and columns.
#[test]
fn regions_agree_with_the_files() {
    let log = json(&ALL.text("sarif"));
    let mut compared = 0;
    for result in log["runs"][0]["results"].as_array().unwrap() {
        let place = &result["locations"][0]["physicalLocation"];
        let number = |name: &str| {
            let number = place["region"][name].as_u64();
            number.map(|number| usize::try_from(number).unwrap())
        };
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        let bytes = std::fs::read(root().join(uri));
        let (Some(line), Some(column), Some(offset), Ok(bytes)) =
            (number("startLine"), number("startColumn"), number("byteOffset"), bytes)
        else {
            continue;
        };
        if uri.ends_with(".gz") || uri.ends_with(".zst") || uri.ends_with(".zip") {
            continue;
        }
        let before = String::from_utf8_lossy(&bytes[..offset]).into_owned();
        let last = before.rsplit('\n').next().unwrap();
        let wanted = (before.matches('\n').count() + 1, last.chars().count() + 1);
        assert_eq!((line, column), wanted, "{uri}");
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}

/// Who reviews code opens what a report names, also of a session in a database and a file in an archive.
#[test]
fn what_reports_name_exists() {
    let (mut uris, mut paths) = (Vec::new(), Vec::new());
    collect("uri", &json(&ALL.text("sarif")), &mut uris);
    collect("path", &json(&ALL.text("gitlab")), &mut paths);
    for line in ALL.text("rdjsonl").lines() {
        collect("path", &json(line), &mut paths);
    }
    paths.extend(uris.iter().map(|uri| decoded(uri)));
    let missing: BTreeSet<&String> =
        paths.iter().filter(|path| !root().join(path).exists()).collect();
    // These names are no UTF-8, which only a URI can say.
    let missing: Vec<_> = missing.iter().filter(|path| !path.contains('\u{fffd}')).collect();
    assert!(missing.is_empty(), "{missing:#?}");
    let has = |part: &str| paths.iter().any(|path| path.ends_with(part));
    assert!(has("goose.db") && has(".zip"));
    let place = ["check", "fixtures/databases/goose.db", "--format", "github"];
    let shown = String::from_utf8(ALL.program(&place).stdout).unwrap();
    let named = "::error file=fixtures/databases/goose.db,title=TD101 unanswered-call::";
    assert!(shown.contains(named) && shown.contains("(20260304_1/messages:2)"), "{shown}");
}

/// The texts of all members with this name.
fn collect(name: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(name, item, found)),
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(text) if key == name => found.push(text.clone()),
                    value => collect(name, value, found),
                }
            }
        }
        _ => {}
    }
}

/// A URI without escapes.
fn decoded(uri: &str) -> String {
    let mut bytes = Vec::new();
    let mut parts = uri.split('%');
    bytes.extend_from_slice(parts.next().unwrap().as_bytes());
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn gitlab_and_reviewdog_can_read_their_reports() {
    let issues = json(&ALL.text("gitlab"));
    assert_valid(&validator("tests/schemas/gitlab.json"), &issues, "gitlab");
    let issues = issues.as_array().unwrap();
    let fingerprints: BTreeSet<String> =
        issues.iter().map(|issue| issue["fingerprint"].to_string()).collect();
    assert_eq!(fingerprints.len(), issues.len());
    let schema = validator("tests/schemas/rdjsonl.json");
    let lines = ALL.text("rdjsonl");
    assert_eq!(lines.lines().count(), issues.len());
    lines.lines().for_each(|line| assert_valid(&schema, &json(line), "rdjsonl"));
}

#[test]
fn junit_counts_are_true() {
    let text = ALL.text("junit");
    let report = json(&ALL.text("json"));
    let document = roxmltree::Document::parse(&text).unwrap();
    let suites = document.root_element();
    let count = |name: &str| document.descendants().filter(|node| node.has_tag_name(name)).count();
    let told = |name: &str| suites.attribute(name).unwrap().parse::<usize>().unwrap();
    let cases = count("testcase");
    assert_eq!(told("tests"), cases);
    assert_eq!(told("failures"), count("failure"));
    assert_eq!(told("errors"), count("error"));
    let listed = |name: &str| report[name].as_array().unwrap().len();
    assert_eq!(cases, listed("conversations") + listed("not_checked"));
    // What the schema of Ant's task asks for.
    for case in document.descendants().filter(|node| node.has_tag_name("testcase")) {
        assert!(case.has_attribute("name") && case.has_attribute("classname"));
        let known = ["failure", "error", "skipped", "system-out"];
        let mut children = case.children().filter(|child| child.is_element());
        assert!(children.all(|child| known.contains(&child.tag_name().name())));
    }
}
