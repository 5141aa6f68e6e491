use super::*;
use crate::report::redact::at_hand;
use crate::report::sample;

/// A report as plain text.
pub(super) fn text(name: &str, report: &Report, style: &OutputStyle) -> String {
    let mut out = Vec::new();
    (by_name(name).unwrap().report)(&at_hand(report.clone()), &mut out, style).unwrap();
    anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string()
}

#[test]
fn long_numbers_have_separators() {
    assert_eq!(grouped(0), "0");
    assert_eq!(grouped(9876), "9876");
    assert_eq!(grouped(40_112), "40,112");
    assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
}

#[test]
fn names_are_unique() {
    for (n, output) in OUTPUTS.iter().enumerate() {
        assert_eq!(OUTPUTS.iter().position(|other| other.name == output.name), Some(n));
    }
}

#[test]
fn no_output_lets_a_dangerous_character_through() {
    let mut report = sample::stuck();
    let bad = "x\u{1b}[2J\u{7}\u{202e}\u{2028}\u{9b}";
    let conversation = &mut report.conversations[0];
    conversation.path = bad.into();
    conversation.session = Some(bad.into());
    conversation.pending = vec![bad.into()];
    conversation.unknown_side_effects = vec![bad.into()];
    let finding = &mut conversation.findings[0];
    finding.call_ids = vec![bad.into()];
    for record in &mut finding.records {
        let field = Some(crate::report::text::Shown::from(bad));
        record.file = Some(crate::report::file::RecordFile::inside(bad));
        record.id = field.clone();
        record.kind = field.clone();
        record.tool = field.clone();
        record.call = field;
        record.time = Some(bad.to_owned());
        record.pointer = Some(bad.into());
    }
    for output in OUTPUTS {
        for detail in [Detail::Verdicts, Detail::Normal, Detail::All] {
            let shown =
                text(output.name, &report, &OutputStyle { detail, ..OutputStyle::default() });
            let found = shown.chars().find(|c| *c != '\n' && crate::report::text::is_dangerous(*c));
            assert_eq!(found, None, "{} {detail:?}: {shown:?}", output.name);
        }
    }
}

#[test]
fn no_explanation_lets_a_dangerous_character_through() {
    let explanations = crate::explain::sample::all("x\u{1b}[2J\u{7}\u{202e}\u{2028}\u{9b}<b>");
    for output in OUTPUTS {
        for detail in [Detail::Verdicts, Detail::Normal, Detail::All] {
            let mut out = Vec::new();
            let style = OutputStyle { detail, ..OutputStyle::default() };
            (output.explained)(&explanations, &mut out, &style).unwrap();
            let shown =
                anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string();
            let found = shown.chars().find(|c| *c != '\n' && crate::report::text::is_dangerous(*c));
            assert_eq!(found, None, "{} {detail:?}: {shown:?}", output.name);
        }
    }
}

#[test]
fn ascii_means_ascii() {
    let style = OutputStyle { ascii: true, detail: Detail::All, ..OutputStyle::default() };
    for report in [sample::stuck(), sample::many()] {
        let shown = text("human", &report, &style);
        assert!(shown.is_ascii(), "{shown}");
    }
}

#[test]
fn the_quietest_prints_nothing() {
    let style = OutputStyle { detail: Detail::Nothing, ..OutputStyle::default() };
    assert_eq!(text("human", &sample::many(), &style), "");
    assert_eq!(text("concise", &sample::many(), &style), "");
}
