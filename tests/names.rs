//! Names that are plain strings to the compiler: every code used anywhere belongs to a rule, and no
//! two facts of a transcript share a name.

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

/// Phrases that read like a translation or that have a better word, and what we say instead. A phrase
/// matches whole words.
const OLD_PHRASES: &[(&str, &str)] = &[
    ("recording", "transcript"),
    ("recordings", "transcripts"),
    ("hangs on", "its parent is"),
    ("hang on", "set the parent"),
    ("judged for", "checked against"),
    ("will refuse the", "will reject the"),
    ("is it safe to go on", "safe to continue"),
    ("goes on", "continues"),
    ("went on", "continued"),
    ("go on with", "continue"),
    ("safe to compact", "safe cut points"),
    ("left behind", "abandoned"),
    ("behind", "after"),
    ("in front of", "before"),
    ("beside", "next to"),
    ("marked error result", "error result that is marked as ours"),
    ("of no format", "unknown format"),
    ("it loads, but", "the session opens, but"),
    ("by hand)", "to decide)"),
    ("torn apart", "separated"),
    ("is no", "is not"),
    ("are no", "are not"),
    ("for ever", "forever"),
    ("whom", "who"),
    ("stands", "is"),
    ("stand", "are"),
    ("told", "shown"),
    ("tells", "shows"),
    ("looked at", "checked"),
    ("not examined", "not checked"),
    ("passed over", "skipped"),
    ("parked", "removed"),
    ("parks", "removes"),
    ("parking", "removing"),
    ("any more", "anymore"),
    ("is wanted", "expected"),
    ("is meant", "means"),
    ("are meant", "means"),
    ("of one kind", "of the same kind"),
    ("of one name", "with the same name"),
    ("have one id", "have the same ID"),
    ("has one id", "has the same ID"),
    ("with one id", "with the same ID"),
    ("an id of the text", "an ID from the text"),
    ("becomes a request", "the next request"),
    ("of a known agent", "of an agent"),
    ("problems in order", "problems (cause unknown)"),
    ("and so do we", "as do we"),
    ("does not look at", "does not check"),
    ("also for each of", "even for each of"),
    ("also the one", "even the one"),
    ("also when", "even when"),
    ("and before)", "and earlier)"),
    ("ran: perhaps", "may have run"),
    ("perhaps twice", "may have run twice"),
    ("nothing of that kind", "this session has no such problem"),
    ("takes it for", "treats it as"),
    ("in kind", "the same"),
    ("lies", "is wrong"),
    ("mends", "repairs"),
    ("mended", "repaired"),
    ("at rest", "at its end"),
    ("as you like", "at your option"),
    ("of itself", "by itself"),
];

/// Good English around an old phrase.
const ALLOWED: &[&str] =
    &["there is no", "there are no", "is no longer", "are no longer", "for whom", "tells them to"];

/// The text between quotation marks in code: what can reach a person. Comments and unit tests are for us.
fn strings(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = without_tests(code);
    while let Some(at) = rest.find(['"', '/', '\'']) {
        let (before, from) = rest.split_at(at);
        let hashes = before.len() - before.trim_end_matches('#').len();
        let is_raw = before.trim_end_matches('#').ends_with('r');
        rest = if from.starts_with("//") {
            from.split_once('\n').map_or("", |(_, next)| next)
        } else if let Some(inner) = from.strip_prefix('"').filter(|_| is_raw) {
            let end = format!("\"{}", "#".repeat(hashes));
            inner.split_once(&end).map_or("", |(raw, next)| {
                found.push(raw.to_owned());
                next
            })
        } else if let Some(inner) = from.strip_prefix('"') {
            let (text, next) = quoted(inner);
            found.push(text);
            next
        } else if from.starts_with("'\\") || from.chars().nth(2) == Some('\'') {
            // A character, which may be a quotation mark.
            from.get(2..).and_then(|char| char.split_once('\'')).map_or("", |(_, next)| next)
        } else {
            &from[1..]
        };
    }
    found
}

/// A string literal up to its closing mark, without line breaks, and what follows it.
fn quoted(inner: &str) -> (String, &str) {
    let mut text = String::new();
    let mut rest = inner;
    while let Some(at) = rest.find(['"', '\\']) {
        text.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if rest[at..].starts_with('"') {
            return (text, after);
        }
        rest = match after.strip_prefix('\n') {
            Some(next) => next.trim_start(),
            None => after.get(1..).unwrap_or_default(),
        };
        text.push(' ');
    }
    (text, "")
}

/// The prose of a page: neither blocks of code nor code in a line.
fn prose(page: &str) -> Vec<String> {
    let outside = page.split("\n```").step_by(2);
    outside
        .flat_map(str::lines)
        // Code with code in it is between two marks.
        .map(|line| line.split("``").step_by(2).collect::<String>())
        .map(|line| line.split('`').step_by(2).collect::<Vec<_>>().join("`"))
        .collect()
}

/// Whether a text contains these whole words.
fn contains_words(text: &str, words: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "-_/.#".contains(c);
    text.match_indices(words).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        // A dot may end the sentence.
        let goes_on = |c: char| is_part(c) && c != '.';
        !before.is_some_and(is_part) && !after.is_some_and(goes_on)
    })
}

/// The texts in code, each with its file. A text of one word is a name.
fn texts_in_code() -> Vec<(PathBuf, Vec<String>)> {
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        let tests = ["tests.rs", "testing.rs", "sample.rs"];
        !tests.iter().any(|end| name.ends_with(end))
            && !path.components().any(|part| part.as_os_str() == "tests")
    };
    let code = files(&root().join("src"), &["rs"]).into_iter();
    let texts = code.filter(is_ours).map(|path| {
        let mut all = strings(&fs::read_to_string(&path).unwrap());
        all.retain(|text| text.trim().contains(' '));
        (path, all)
    });
    texts.collect()
}

/// The prose of all pages, by line.
fn texts_in_pages() -> Vec<(PathBuf, Vec<String>)> {
    let pages = files(&root().join("src/hosts"), &["md"]).into_iter();
    let pages = pages.chain(files(&root().join("docs"), &["md"]));
    let pages = pages.chain(files(&root().join("packaging"), &["md"]));
    let top = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];
    let pages = pages.chain(top.map(|name| root().join(name)));
    let prose = |path: PathBuf| {
        let lines = prose(&fs::read_to_string(&path).unwrap());
        (path, lines)
    };
    pages.map(prose).collect()
}

#[test]
fn people_read_plain_english() {
    let mut texts = texts_in_code();
    let in_code: usize = texts.iter().map(|(_, all)| all.len()).sum();
    assert!(in_code > 3_000, "{in_code} texts in code");
    texts.extend(texts_in_pages());
    for path in files(&root().join("fixtures"), &["txt"]) {
        let text = fs::read_to_string(&path).unwrap();
        texts.push((path, text.lines().map(str::to_owned).collect()));
    }
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for (path, all) in &texts {
        for text in all {
            seen += 1;
            let mut plain = text.to_lowercase();
            for allowed in ALLOWED {
                plain = plain.replace(allowed, "");
            }
            let old = OLD_PHRASES.iter().filter(|(old, _)| contains_words(&plain, old));
            wrong.extend(
                old.map(|(old, new)| {
                    format!("{}: say {new:?} for {old:?}: {text}", path.display())
                }),
            );
        }
    }
    assert!(seen > 12_000, "{seen} texts");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Names as their owners write them. Another case, or a blank instead of a hyphen, is another spelling.
const PROPER_NAMES: &[&str] = &[
    "Amazon Bedrock",
    "Anthropic",
    "Chat Completions",
    "Claude Code",
    "Cline",
    "Codex",
    "Copilot CLI",
    "DeepSeek",
    "Docker",
    "Factory Droid",
    "Gemini",
    "Gemini CLI",
    "ID",
    "IDs",
    "GitHub",
    "GitHub Actions",
    "GitLab",
    "HTML",
    "Inspect AI",
    "JSON",
    "JSONL",
    "JUnit",
    "Kilo Code",
    "Kimi CLI",
    "Kimi Code",
    "LangChain",
    "LangGraph",
    "LangSmith",
    "Langfuse",
    "Linux",
    "LiteLLM",
    "LLaMA-Factory",
    "macOS",
    "Markdown",
    "mini-SWE-agent",
    "Mistral",
    "OpenAI",
    "OpenClaw",
    "OpenHands",
    "OpenTelemetry",
    "Postgres",
    "Python",
    "Qwen Code",
    "Responses API",
    "Roo Code",
    "SARIF",
    "ShareGPT",
    "SWE-agent",
    "TRAE",
    "UTF-8",
    "UUID",
    "Vercel AI SDK",
    "VS Code",
    "Zstandard",
];

/// Where a list of names of ours has no comma before its last one: "`a`, `b` and `c`".
fn list_without_comma(line: &str) -> Option<String> {
    let parts: Vec<&str> = line.split('`').collect();
    let found = parts.windows(5).enumerate().find(|(at, five)| {
        let is_code = at % 2 == 1;
        is_code && five[1] == ", " && [" and ", " or "].contains(&five[3])
    });
    found.map(|(_, five)| five.join("`"))
}

#[test]
fn lists_have_a_comma_before_the_last() {
    let wanted = Some("a`, `b` and `c".to_owned());
    assert_eq!(list_without_comma("Use `a`, `b` and `c`."), wanted);
    assert_eq!(list_without_comma("`a`, `b`, and `c`; `d` and `e`"), None);
    let pages = files(&root().join("src/hosts"), &["md"]).into_iter();
    let mut pages: Vec<PathBuf> = pages
        .chain(files(&root().join("docs"), &["md"]))
        .chain(["README.md", "CONTRIBUTING.md", "SECURITY.md"].map(|name| root().join(name)))
        .collect();
    // Its lists are of formulas.
    pages.retain(|path| !path.ends_with("performance.md"));
    let mut texts = texts_in_code();
    texts.extend(pages.into_iter().map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text.lines().map(str::to_owned).collect())
    }));
    let mut wrong = Vec::new();
    for (path, all) in &texts {
        let found = all.iter().filter_map(|text| list_without_comma(text));
        wrong.extend(found.map(|list| format!("{}: `{list}`", path.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Files whose texts are what hosts and providers write, or names of members.
const QUOTES: &[&str] = &[
    "src/targets",
    "src/dialects/members/shared.rs",
    "src/outputs/html/writer.rs",
    "errors.rs",
    "kinds.rs",
];

/// Where a name is used as a word in a text that is not one of a command, a package or a format.
fn misspelled<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let plain = text.to_lowercase().replace('-', " ");
    let sought = name.to_lowercase().replace('-', " ");
    if plain.len() != text.len() {
        return None;
    }
    plain.match_indices(&sought).find_map(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let written = &text[at..at + name.len()];
        let is_part = |c: char| c.is_alphanumeric() || "-_/.#@$&:<{\"".contains(c);
        let ends = |after: &str| {
            let mut next = after.chars();
            let first = next.next();
            let is_sentence = first == Some('.') && !next.next().is_some_and(char::is_alphanumeric);
            is_sentence || !first.is_some_and(|c| is_part(c) || "(=".contains(c))
        };
        // `--format json`, `langgraph 1.2.22`, a cell with the name of a format.
        let is_value = before.split_whitespace().next_back().is_some_and(|w| w.starts_with("--"));
        let is_package = after.trim_start().starts_with(|c: char| c.is_ascii_digit());
        let is_cell = before.trim_end().ends_with('|') && after.trim_start().starts_with('|');
        // `{ id : s1`: a member of JSON whose quotation marks are gone.
        let is_member = after.starts_with(" :");
        let is_name = is_value || is_package || is_cell || is_member;
        let is_word = !before.ends_with(is_part) && ends(after);
        (written != name && is_word && !is_name).then_some(written)
    })
}

#[test]
fn names_are_written_as_their_owners_write_them() {
    let mut wrong = Vec::new();
    for (path, all) in texts_in_code().into_iter().chain(texts_in_pages()) {
        let path = path.strip_prefix(root()).unwrap();
        if QUOTES.iter().any(|own| path.starts_with(own) || path.ends_with(own)) {
            continue;
        }
        for text in all.iter().flat_map(|text| prose(text)).filter(|text| text.contains(' ')) {
            let found =
                PROPER_NAMES.iter().filter_map(|name| Some((name, misspelled(&text, name)?)));
            wrong.extend(found.map(|(name, written)| {
                format!("{}: write {name:?} for {written:?}: {text}", path.display())
            }));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(misspelled("Ask Openai.", "OpenAI"), Some("Openai"));
    assert_eq!(
        misspelled("`mini-swe-agent` or Mini SWE agent", "mini-SWE-agent"),
        Some("mini-swe-agent")
    );
    assert_eq!(misspelled("OpenAI, --target openai, openai 1.2, openai.com", "OpenAI"), None);
}
