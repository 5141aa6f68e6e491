//! Names that are plain strings to the compiler: codes belong to rules, and are written in one place; the terms of the glossary
//! are types.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};

use transcript_doctor::testing::rules;

/// A code that no rule will ever have, for tests of unknown codes.
const NO_CODE: &str = "TD999";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files in a folder with one of these extensions.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()) {
        if path.is_dir() {
            found.extend(files(&path, endings));
        } else if path.extension().is_some_and(|own| endings.iter().any(|ending| own == *ending)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The codes in a text: `TD` and three digits.
fn codes(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("TD").filter_map(|(at, _)| {
        let word = text.get(at..at + 5)?;
        let more = text.as_bytes().get(at + 5).is_some_and(u8::is_ascii_alphanumeric);
        (word.bytes().skip(2).all(|byte| byte.is_ascii_digit()) && !more).then_some(word)
    })
}

#[test]
fn every_code_belongs_to_a_rule() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    let texts = ["src", "tests", "docs"]
        .iter()
        .flat_map(|folder| files(&root().join(folder), &["rs", "md"]));
    for path in texts.chain([root().join("README.md")]) {
        let text = fs::read_to_string(&path).unwrap();
        for code in codes(&text).filter(|code| *code != NO_CODE) {
            seen += 1;
            if rules::by_name(code).is_none() {
                wrong.push(format!("{}: {code} is not a rule", path.display()));
            }
        }
    }
    assert!(seen > 500, "{seen} codes");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The text of a file without its unit tests.
fn without_tests(text: &str) -> &str {
    text.split_once("#[cfg(test)]\nmod tests {").map_or(text, |(head, _)| head)
}

#[test]
fn codes_are_written_in_one_place() {
    let is_tests = |path: &Path| path.components().any(|part| part.as_os_str() == "tests");
    let mut texts = files(&root().join("src"), &["rs"]);
    texts.retain(|path| {
        !path.ends_with("transcript/code.rs") && !path.ends_with("tests.rs") && !is_tests(path)
    });
    texts.retain(|path| !path.file_name().unwrap().to_string_lossy().ends_with("_tests.rs"));
    for path in texts {
        let text = fs::read_to_string(&path).unwrap();
        let quoted = codes(without_tests(&text))
            .find(|code| without_tests(&text).contains(&format!("\"{code}\"")));
        assert_eq!(quoted, None, "{}: write Code::…", path.display());
    }
}

/// A reader who meets one of our terms in a signature finds it in a table short enough to read.
#[test]
fn glossary_types_exist() {
    let page = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let (_, table) = page.split_once("|---|---|---|\n").unwrap();
    let terms: Vec<&str> = table.lines().take_while(|line| line.starts_with('|')).collect();
    assert!(terms.len() <= 25, "a glossary of {} terms", terms.len());
    let code: String = files(&root().join("src"), &["rs"])
        .iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    for term in terms {
        let types = term.rsplit('|').nth(1).unwrap();
        for name in types.split('`').skip(1).step_by(2) {
            // An index type is a line of a macro's input.
            let is_defined = code.lines().any(|line| {
                let after = |kind| line.split_once(&format!("{kind} {name}"));
                let ends = |(_, rest): (&str, &str)| !rest.starts_with(char::is_alphanumeric);
                line.trim() == name
                    || ["struct", "enum"].iter().any(|k| after(*k).is_some_and(ends))
            });
            assert!(is_defined, "{name} of the glossary is not a type");
        }
    }
}
