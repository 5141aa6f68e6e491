//! The catalogue of texts, each as people paste it.

use super::super::best_match;
use super::super::ids::tests::recording;
use super::super::ids::{KnownIds, MatchKind};
use super::super::likeness::CATALOGUE;
use super::*;
use crate::transcript::Code;

pub(super) const A: &str = "toolu_01EvREYhc5WD2xswPAvEc8ir";
pub(super) const B: &str = "tooluse_ab.c:1-2";

pub(super) struct Case {
    pub target: &'static str,
    code: &'static str,
    index: Option<u32>,
    pub ids: Vec<&'static str>,
    pub text: String,
}

pub(super) fn cases() -> impl Iterator<Item = Case> {
    CATALOGUE.lines().map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [target, code, index, ids, text] = fields[..] else {
            panic!("five fields: {line}");
        };
        let ids = ids.chars().map(|name| if name == 'A' { A } else { B }).collect();
        Case { target, code, index: index.parse().ok(), ids, text: filled(text) }
    })
}

const FRAGMENT: &str = "fragment";

/// The texts as providers write them.
fn whole() -> impl Iterator<Item = Case> {
    cases().filter(|case| case.target != FRAGMENT)
}

/// The text as JSON programs quote it.
pub(super) fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// The text as Python prints it.
fn python(text: &str) -> String {
    let text = text.replace('\\', "\\\\");
    if text.contains('\'') && !text.contains('"') {
        format!("\"{text}\"")
    } else {
        format!("'{}'", text.replace('\'', "\\'"))
    }
}

/// Broken hard, as terminals do, with an indentation.
pub(super) fn broken(text: &str, columns: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    chars
        .chunks(columns)
        .map(|line| line.iter().collect::<String>())
        .collect::<Vec<_>>()
        .join("\n  ")
}

fn pastes(text: &str) -> Vec<(&'static str, String)> {
    let inner = json(&format!("{{\"message\":{}}}", json(text)));
    let mut out = vec![
        ("plain", text.to_owned()),
        (
            "boto",
            format!(
                "botocore.errorfactory.ValidationException: An error occurred (ValidationException) when calling the ConverseStream operation: The model returned the following errors: {text}"
            ),
        ),
        (
            "litellm",
            format!(
                "litellm.BadRequestError: BedrockException - {{\"message\":{}}}. Received Model Group=claude\nAvailable Model Group Fallbacks=None",
                json(text)
            ),
        ),
        (
            "sdk",
            format!(
                "Error code: 400 - {{'type': 'error', 'error': {{'type': 'invalid_request_error', 'message': {}}}, 'request_id': 'req_011'}}",
                python(text)
            ),
        ),
        (
            "router",
            format!(
                "{{\"error\":{{\"message\":\"Provider returned error\",\"metadata\":{{\"raw\":{inner}}}}}}}"
            ),
        ),
        (
            "bytes",
            format!(
                "VertexAIException BadRequestError - b{}",
                python(&format!("{{\"error\":{{\"message\":{}}}}}", json(text)))
            ),
        ),
        (
            "exception",
            format!(
                "Traceback (most recent call last):\n  File \"x.py\", line 3, in f\nValueError({})",
                python(text)
            ),
        ),
        (
            "openai",
            format!(
                "unexpected status 400 Bad Request: {{\"error\":{{\"message\":{},\"type\":\"invalid_request_error\",\"param\":\"input\",\"code\":null}}}}",
                json(text)
            ),
        ),
        (
            "pretty",
            format!(
                "{{\n  \"error\": {{\n    \"message\": {},\n    \"type\": \"invalid_request_error\",\n    \"code\": null\n  }}\n}}",
                json(text)
            ),
        ),
        (
            "members",
            format!(
                "BadRequestError: {{ message: {text}, type: invalid_request_error, code: 400 }}"
            ),
        ),
        ("fields", format!("BadRequestError(message={text}, type=invalid_request_error)")),
        ("colored", format!("\u{1b}[31m╭──────╮\u{1b}[0m\n│ {text} │\n╰──────╯")),
    ];
    let wrapped: Vec<(&str, String)> = out
        .iter()
        .flat_map(|(name, text)| [80, 53].map(|columns| (*name, broken(text, columns))))
        .collect();
    out.extend(wrapped);
    out
}

fn matched(
    paste: &str,
    target: &'static str,
    recorded: &[&str],
) -> (Option<&'static str>, Option<u32>, Vec<(String, MatchKind)>) {
    let read = Paste::read(paste);
    let t = recording(recorded);
    let own = Preferred { target, format: "" };
    let (matched, hits) = best_match(&read, own, &KnownIds::of(&t));
    let first = matched.and_then(<[Matched]>::first);
    let code =
        first.map(|matched| read.text(matched).codes.first().map_or("", |code| code.as_str()));
    // With all IDs there, what is no ID of the transcript is no ID at all.
    assert!(
        !recorded.starts_with(&[A, B]) || hits.iter().all(|(_, hit)| hit.is_some()),
        "{hits:?} in {paste:?}"
    );
    let ids = hits.into_iter().filter_map(|(_, hit)| hit.map(|hit| (hit.id, hit.kind))).collect();
    (code, first.and_then(|matched| matched.index), ids)
}

#[test]
fn every_pattern_is_one() {
    for table in tables::all() {
        for text in table.texts {
            for form in 0..=DENSE {
                assert!(
                    crate::explain::error::patterns::compiled(text.pattern, form).is_some(),
                    "{}",
                    text.pattern
                );
            }
        }
    }
}

#[test]
fn the_catalogue_however_it_is_wrapped() {
    for Case { target, code, index, ids, text } in whole() {
        for (name, paste) in pastes(&text) {
            let (found, number, hits) = matched(&paste, target, &[A, B]);
            let hits: Vec<&str> = hits.iter().map(|(id, _)| id.as_str()).collect();
            assert_eq!(found, Some(code), "{name}: {paste}");
            assert_eq!((number, &hits), (index, &ids), "{name}: {paste}");
        }
    }
}

#[test]
fn fragments_are_known() {
    for Case { code, ids, text, .. } in cases().filter(|case| case.target == FRAGMENT) {
        for (name, paste) in pastes(&text) {
            let (found, _, hits) = matched(&paste, "anthropic", &[A, B]);
            let hits: Vec<&str> = hits.iter().map(|(id, _)| id.as_str()).collect();
            assert_eq!((found, &hits), (Some(code), &ids), "{name}: {paste}");
        }
    }
}

#[test]
fn blanks_may_be_lost_or_won() {
    let lost = |text: &str| text.split_whitespace().collect::<String>();
    let won = |text: &str| broken(text, 7).replace("\n  ", " ");
    for Case { target, code, index, ids, text } in whole() {
        // A blank within the quotes of a Python list is one of the ID's own.
        let won = (!text.contains("[{")).then(|| won(&text));
        for paste in [lost(&text), lost(&format!("API Error: 400 {text}"))].into_iter().chain(won) {
            let (found, number, hits) = matched(&paste, target, &[A, B]);
            let hits: Vec<&str> = hits.iter().map(|(id, _)| id.as_str()).collect();
            assert_eq!((found, number, &hits), (Some(code), index, &ids), "{paste}");
        }
    }
}

/// `A` and `B` that stand alone become IDs.
fn filled(text: &str) -> String {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    for (at, c) in chars.iter().enumerate() {
        let alone =
            at > 0 && !is_word(chars.get(at - 1).copied()) && !is_word(chars.get(at + 1).copied());
        let article = chars.get(at + 1) == Some(&' ')
            && at.checked_sub(2).is_none_or(|before| chars[before] == '.');
        match c {
            'A' if alone && !article => out.push_str(A),
            'B' if alone => out.push_str(B),
            c => out.push(*c),
        }
    }
    out
}

#[test]
fn ids_of_which_others_are_a_part_never_match() {
    let others: Vec<String> =
        (1..A.len()).map(|n| A[..n].to_owned()).chain([format!("{A}x"), format!("x{A}")]).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    for case in whole().filter(|case| case.ids.contains(&A)) {
        for (name, paste) in pastes(&case.text) {
            let hits = matched(&paste, "anthropic", &others).2;
            assert!(hits.is_empty(), "{name}: {paste}: {hits:?}");
        }
    }
}

#[test]
fn the_recordings_own_provider_decides_between_two_readings() {
    let text = "messages.2: Did not find 1 tool_result block(s) at the beginning of this message";
    let paste = Paste::read(text);
    let own = |name: &str| {
        let matched =
            paste.forms[0].iter().find(|matched| paste.table(&matched[0]).name == name).unwrap();
        paste.text(&matched[0]).codes[0]
    };
    assert_eq!((own("anthropic"), own("bedrock")), (Code::UnansweredCall, Code::ResultNotNext));
}

#[test]
fn several_faults_in_one_text_are_all_taken() {
    let text = "2 validation errors detected: Value at 'messages.2.member.content.1.member.toolUse.name' failed to satisfy constraint: x; Value at 'messages.4.member.content.1.member.toolUse.toolUseId' failed to satisfy constraint: y";
    let paste = Paste::read(text);
    let all: Vec<(&str, Option<u32>)> = paste.forms[0][0]
        .iter()
        .map(|matched| (paste.text(matched).codes[0].as_str(), matched.index))
        .collect();
    assert_eq!(all, [("TD404", Some(2)), ("TD405", Some(4))]);
}

#[test]
fn the_number_may_stand_in_the_parameter() {
    let text = "Error code: 400 - {'error': {'message': \"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.\", 'type': 'invalid_request_error', 'param': 'messages.[27].role', 'code': None}}";
    assert_eq!(matched(text, "openai-chat", &[]).1, Some(27));
}

#[test]
fn any_text_can_be_read() {
    for text in [
        "",
        "messages",
        "[{",
        "\\",
        "\u{0}\u{1b}[",
        "messages.99999999999999999999: tool_use ids were found without tool_result blocks immediately after: ,,,",
    ] {
        assert!(matched(text, "anthropic", &[A]).2.is_empty());
    }
    assert_eq!(matched("hello", "anthropic", &[A]).0, None);
}

#[test]
fn what_is_searched_for_stands_in_the_recording() {
    let needles = |text: &str| Paste::read(text).needles();
    let twice = "messages.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: ";
    assert_eq!(needles(&format!("{twice}toolu_01A")), ["toolu_01A"]);
    assert_eq!(needles(&format!("{twice}toolu_019Mg…DRQe")), ["toolu_019Mg"]);
    assert_eq!(
        needles("Something failed for call_7 and functions.read:0."),
        ["call_7", "functions.read:0"]
    );
    assert_eq!(needles("messages.1: text content blocks must be non-empty"), [""; 0]);
    assert_eq!(needles("something broke"), [""; 0]);
    assert_eq!(needle("tooluse_ab.Eachtool_use").as_deref(), Some("tooluse_ab"));
    assert_eq!((needle("x_1"), needle("…T7p")), (None, None));
}
