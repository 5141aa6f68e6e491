//! Names of files belong to the user: every output names them as they are.

use std::path::Path;

use crate::bench::{Bench, Ran, STUCK};

/// Names as people give them, in a folder that is named like the account.
const NAMES: [&str; 20] = [
    "run 1.jsonl",
    "O'Brien.jsonl",
    "session[1].jsonl",
    "my-secret-plan.jsonl",
    "password reset.jsonl",
    "a,b;c.jsonl",
    "100%.jsonl",
    "#1.jsonl",
    "(draft) run.jsonl",
    "notes & todo.jsonl",
    "\u{e9}t\u{e9}.jsonl",
    "\u{65e5}\u{672c}\u{8a9e} \u{8a18}\u{9332}.jsonl",
    "{x}.jsonl",
    "sk-ant-api03-abcdefgh.jsonl",
    "ana.jsonl",
    "a=b.jsonl",
    "$HOME.jsonl",
    "a quote\".jsonl",
    "@me.jsonl",
    "a+b~c.jsonl",
];

fn bench() -> Bench {
    let bench = Bench::new();
    for name in NAMES {
        bench.lines(&format!("ana/{name}"), &STUCK);
    }
    bench
}

fn run(bench: &Bench, args: &[&str], ci: &str) -> Ran {
    let mut command = bench.command(args);
    command.env("CI", ci).env("USER", "ana").env("LOGNAME", "ana");
    Ran::from(command.output().unwrap())
}

/// What stands for a name in an output.
fn written(format: &str, name: &str) -> String {
    let percent = |is_plain: fn(u8) -> bool| -> String {
        let byte = |byte: u8| {
            if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
        };
        name.bytes().map(byte).collect()
    };
    match format {
        "sarif" => percent(|byte| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte)),
        "github" => percent(|byte| !b"%:,".contains(&byte)),
        "json" | "jsonl" | "gitlab" | "rdjsonl" => name.replace('"', "\\\""),
        "junit" => name.replace('&', "&amp;").replace('"', "&quot;"),
        _ => name.to_owned(),
    }
}

#[test]
fn every_output_names_files_as_they_are() {
    let bench = bench();
    let absolute = bench.path("ana").canonicalize().unwrap();
    for format in
        ["json", "jsonl", "sarif", "junit", "github", "gitlab", "rdjsonl", "concise", "human"]
    {
        for (ci, folder) in [("", "ana"), ("true", "ana"), ("true", absolute.to_str().unwrap())] {
            let ran = run(&bench, &["check", folder, "-v", "--width", "1000", "-f", format], ci);
            for name in NAMES {
                let wanted = written(format, &format!("ana/{name}"));
                // Annotations stop after ten.
                let is_there = ran.out.contains(&wanted) || format == "github";
                assert!(is_there, "{format} {ci:?} {folder}: no {wanted} in\n{}", ran.out);
            }
            let stand_in = ran.out.contains("[name ") || ran.out.contains("user/");
            assert!(!stand_in, "{format} {ci:?}: {}", ran.out);
        }
    }
    for ci in ["", "true"] {
        let listed = run(&bench, &["check", "ana", "--list-files"], ci).out;
        for name in NAMES {
            assert!(listed.contains(&format!("ana/{name}")), "{name}: {listed}");
        }
    }
}

#[test]
fn data_does_not_depend_on_continuous_integration() {
    let bench = bench();
    for format in ["json", "jsonl"] {
        let [here, there] =
            ["", "true"].map(|ci| run(&bench, &["check", "ana", "-f", format], ci).out);
        assert_eq!(here, there, "{format}");
    }
}

#[test]
fn only_what_is_typed_hides_names() {
    let bench = bench();
    let typed = |mode| run(&bench, &["check", "ana", "-f", "json", "--redact", mode], "").out;
    assert!(typed("content").contains("[name 11 B #"));
    assert!(typed("strict").contains("~/path-1.jsonl"));
    assert!(typed("off").contains("ana/run 1.jsonl"));
}

#[test]
fn what_is_elsewhere_has_its_whole_path() {
    let bench = Bench::new();
    bench.lines("else/run 1.jsonl", &STUCK);
    bench.write("here/x", "");
    let inside = Bench::inside(&bench, "here");
    let path = bench.path("else/run 1.jsonl").canonicalize().unwrap();
    let ran = inside.run(&["check", "../else/run 1.jsonl", "-f", "json"]);
    let report = ran.json();
    let named = report["conversations"][0]["path"].as_str().unwrap();
    assert_eq!(Path::new(named), path);
}

#[test]
fn pages_have_no_texts_unless_asked() {
    let bench = Bench::new();
    bench.lines("run 1.jsonl", &STUCK);
    for format in ["markdown", "html"] {
        for command in ["check", "explain"] {
            let page = |more: &[&str]| {
                bench.run(&[&[command, "run 1.jsonl", "-f", format], more].concat()).out
            };
            assert!(!page(&[]).contains("private"), "{format} {command}");
            assert!(page(&[]).contains("run 1.jsonl"), "{format} {command}");
        }
        let page = bench.run(&["explain", "run 1.jsonl", "-f", format, "--redact", "off"]).out;
        assert!(page.contains("private words"), "{format}: {page}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn names_that_are_not_utf_8_are_told_in_hex() {
    use std::os::unix::ffi::OsStrExt;
    let bench = Bench::new();
    bench.write("x", "");
    let name = std::ffi::OsStr::from_bytes(b"run \xff.jsonl");
    std::fs::write(bench.path("x").with_file_name(name), format!("{}\n", STUCK.join("\n")))
        .unwrap();
    let ran = run(&bench, &["check", ".", "-f", "json"], "true");
    let entry = &ran.json()["conversations"][0];
    assert!(entry["path"].as_str().unwrap().ends_with("run \\xff.jsonl"), "{entry}");
    assert!(entry["path_hex"].as_str().unwrap().ends_with("72756e20ff2e6a736f6e6c"), "{entry}");
    let sarif = run(&bench, &["check", ".", "-f", "sarif"], "true").out;
    assert!(sarif.contains("run%20%FF.jsonl"), "{sarif}");
}
