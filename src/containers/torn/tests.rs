use super::*;
use crate::hosts;

fn parts(text: &str) -> Vec<(bool, String)> {
    let bytes = text.as_bytes();
    let found = pieces(bytes, ScanMode::Line, &hosts::by_name("openhands").unwrap().records);
    found
        .iter()
        .map(|p| {
            (
                matches!(p, TornPiece::Record(_)),
                String::from_utf8(bytes[p.range()].to_vec()).unwrap(),
            )
        })
        .collect()
}

const A: &str = r#"{"id":"a","timestamp":"t","source":"user","kind":"PauseEvent"}"#;
const B: &str = r#"{"id":"b","timestamp":"t","source":"user","kind":"PauseEvent"}"#;

#[test]
fn records_and_fragments_are_separated() {
    let record = |s: &str| (true, s.to_owned());
    assert_eq!(parts(&format!("{A}{B}")), [record(A), record(B)]);
    assert_eq!(parts(&format!("\0\0{A} \0{B}\0")), [record(A), record(B)]);
    let torn = &A[..30];
    assert_eq!(parts(&format!("{torn}{B}")), [(false, torn.to_owned()), record(B)]);
    assert_eq!(parts(&format!("{A}{torn}")), [record(A), (false, torn.to_owned())]);
    assert_eq!(parts(torn), [(false, torn.to_owned())]);
    assert_eq!(parts("\0\0\0"), []);
}
