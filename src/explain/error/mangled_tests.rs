//! Every known text, mangled as people paste it: each leads to a session, to a cause, or to the sentence that says why it is
//! not the transcript.

use super::super::likeness::spellings;
use super::super::meaning::meaning;
use super::tests::{A, broken, cases, json};
use super::*;
use crate::transcript::Code;

/// What happens to a text on its way.
struct Mangling {
    name: &'static str,
    /// The text as it arrives, in each of the ways in which this happens.
    mangle: fn(&str) -> Vec<String>,
}

const MANGLINGS: [Mangling; 8] = [
    Mangling {
        name: "double quotes",
        mangle: |text| without_substitutions(text).into_iter().collect(),
    },
    Mangling { name: "ANSI", mangle: |text| vec![colored(text)] },
    Mangling {
        name: "wrapped",
        mangle: |text| vec![broken(text, 76), broken(&format!("│ {text}"), 40)],
    },
    Mangling { name: "JSON in JSON", mangle: |text| vec![nested(&nested(text))] },
    Mangling {
        name: "cut",
        mangle: |text| {
            vec![cut(text, "…"), cut(text, "..."), cut(text, ""), text[..end_of(text)].to_owned()]
        },
    },
    Mangling {
        name: "quotes",
        mangle: |text| {
            vec![
                text.replace('\'', "\"").replace('`', "'"),
                text.replace(['`', '\'', '"'], "’"),
                text.replace(['`', '\'', '"'], ""),
            ]
        },
    },
    Mangling {
        name: "prefix of a host",
        mangle: |text| {
            vec![
                format!(
                    "  ⎿  API Error: 400 {{\"type\":\"error\",\"error\":{{\"type\":\"invalid_request_error\",\"message\":{}}}}}",
                    json(text)
                ),
                format!("■ unexpected status 400 Bad Request: {text}"),
            ]
        },
    },
    Mangling {
        name: "trailing prose",
        mangle: |text| {
            vec![format!(
                "{text}\n\nI restarted it twice and it is the same every time. What can I do about that?"
            )]
        },
    },
];

/// What a shell leaves of a text in double quotes: it runs what is between backticks, which says nothing, and other double
/// quotes end the word. Of three words nothing can be read.
fn without_substitutions(text: &str) -> Option<String> {
    let left = text.split('`').step_by(2).collect::<String>().replace('"', "");
    let is_word = |word: &&str| word.contains(|c: char| c.is_alphabetic());
    left.split_whitespace().filter(is_word).nth(3).is_some().then_some(left)
}

/// Each word in a color of its own, and a link around all.
fn colored(text: &str) -> String {
    let words = text.split(' ').map(|word| format!("\u{1b}[1;31m{word}\u{1b}[0m"));
    format!("\u{1b}]8;;file:///x\u{7}{}\u{1b}]8;;\u{7}", words.collect::<Vec<_>>().join(" "))
}

/// A text in the message of an error, as JSON in the member of another one.
fn nested(text: &str) -> String {
    let inner = format!("{{\"error\":{{\"message\":{},\"code\":400}}}}", json(text));
    format!("{{\"detail\":{}}}", json(&inner))
}

/// Nothing cuts a text that is shorter than this.
const SHORT: usize = 60;

/// Without a piece of the middle.
fn cut(text: &str, mark: &str) -> String {
    if text.len() < SHORT {
        return text.to_owned();
    }
    let at = |part: usize| {
        let mut at = text.len() * part / 20;
        while !text.is_char_boundary(at) {
            at += 1;
        }
        at
    };
    format!("{}{mark}{}", &text[..at(9)], &text[at(12)..])
}

/// Where a text ends that lost its last quarter.
fn end_of(text: &str) -> usize {
    let mut at = if text.len() < SHORT { text.len() } else { text.len() * 3 / 4 };
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// A text, and the rules that it is about; none: it is not about the transcript.
struct Known {
    text: String,
    codes: &'static [Code],
    ids: Vec<&'static str>,
}

/// A text for each spelling of each pattern.
fn spelled() -> Vec<Known> {
    let mut all = Vec::new();
    for (table, known) in tables::all().iter().enumerate() {
        for (row, text) in known.texts.iter().enumerate() {
            // Only Anthropic puts backticks around all names.
            let quote = if known.name == "anthropic" { "`" } else { "'" };
            let own = crate::explain::error::patterns::compiled(text.pattern, 0).unwrap();
            let spelled = spellings(text.pattern, &|element| sample(element, quote)).into_iter();
            let spelled: Vec<String> = spelled.filter(|text| own.is_match(text)).collect();
            assert!(!spelled.is_empty(), "nothing matches {}", text.pattern);
            for spelled in spelled {
                let paste = Paste::read(&spelled);
                let first = paste.forms[0].first().and_then(|matched| matched.first());
                // What another text takes before it is a case of that one.
                if first.is_some_and(|first| (first.table, first.row) == (table, row)) {
                    let ids = Vec::from_iter(spelled.contains(A).then_some(A));
                    let text = Known { text: spelled.trim().to_owned(), codes: text.codes, ids };
                    all.push(text);
                }
            }
        }
    }
    all
}

/// Characters for a placeholder or a class.
fn sample(element: &str, quote: &str) -> String {
    match element {
        "n" | "m" | "k" => String::from("7"),
        "id" | "ids" => A.to_owned(),
        "q" => quote.to_owned(),
        "s" => String::from(" "),
        "." => String::from("x"),
        class => {
            let class = Regex::new(&format!("^{class}$")).unwrap();
            let fits = ["7", "x", "a", "X", ".", "-"].into_iter().find(|text| class.is_match(text));
            fits.unwrap_or_default().to_owned()
        }
    }
}

/// The texts of the catalogue.
fn catalogue() -> Vec<Known> {
    let known = cases().filter_map(|case| {
        let paste = Paste::read(&case.text);
        let own = Preferred { target: case.target, format: "" };
        let form = (0..=DENSE).find_map(|form| paste.matched(form, own))?;
        let codes = paste.text(form.first()?).codes;
        Some(Known { codes, text: case.text, ids: case.ids })
    });
    known.collect()
}

/// Where a pasted text leads.
#[derive(PartialEq)]
enum Lead {
    Nowhere,
    /// To another cause.
    Elsewhere,
    /// To what it is about.
    Right,
}

fn lead(known: &Known, pasted: &str) -> Lead {
    let meaning = meaning(&Paste::read(pasted));
    let says_why = meaning.read.no_damage && !meaning.hint.is_empty();
    if known.codes.is_empty() {
        return if says_why { Lead::Right } else { Lead::Nowhere };
    }
    let has_id = known.ids.iter().any(|id| pasted.contains(id));
    if meaning.rules.is_empty() || has_id && !meaning.searchable {
        return Lead::Nowhere;
    }
    let is_right = meaning.rules.iter().any(|rule| known.codes.contains(&rule.code));
    if is_right { Lead::Right } else { Lead::Elsewhere }
}

#[test]
fn every_known_text_leads_somewhere_however_it_is_pasted() {
    let catalogue = catalogue();
    let spelled = spelled();
    let (mut lost, mut elsewhere, mut all) = (Vec::new(), Vec::new(), 0);
    for Mangling { name, mangle } in &MANGLINGS {
        let before = (all, lost.len(), elsewhere.len());
        // A pattern is a piece of a text: nothing cuts it again.
        let pieces = if *name == "cut" { [].iter() } else { spelled.iter() };
        for known in catalogue.iter().chain(pieces) {
            for pasted in mangle(&known.text) {
                all += 1;
                let what = || format!("{name}: {pasted:?} of {:?}", known.codes.first());
                match lead(known, &pasted) {
                    Lead::Nowhere => lost.push(what()),
                    Lead::Elsewhere => elsewhere.push(what()),
                    Lead::Right => {}
                }
            }
        }
        let of = all - before.0;
        let (lost, elsewhere) = (lost.len() - before.1, elsewhere.len() - before.2);
        println!("{name}: {of} texts, {lost} lead nowhere, {elsewhere} to another cause");
    }
    let texts = catalogue.len() + spelled.len();
    let share = 100.0 * (all - lost.len()) as f64 / all as f64;
    println!(
        "{share:.1} % of {all} pastes of {texts} texts lead to a session, a cause, or why it is not the transcript"
    );
    assert!(lost.is_empty(), "{} lead nowhere:\n{}", lost.len(), lost.join("\n"));
    assert!(100 * elsewhere.len() < 2 * all, "to another cause:\n{}", elsewhere.join("\n"));
}

#[test]
fn what_is_like_no_known_text_is_unknown() {
    for text in [
        "it does not work",
        "something broke",
        "TypeError: Cannot read properties of undefined (reading 'x')",
        "the file is not found",
        "error: could not compile `x` due to 3 previous errors",
        "fatal: not a git repository (or any of the parent directories): .git",
        "The requested URL was not found on this server",
        "Permission denied (publickey)",
        "thread 'main' panicked at src/main.rs:4: index out of bounds",
    ] {
        assert_eq!(meaning(&Paste::read(text)).read.speaker, "", "{text}");
    }
}
