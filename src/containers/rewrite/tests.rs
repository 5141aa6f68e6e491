use super::*;

#[test]
fn changes_are_made_in_order() {
    let change = |from, to, with: &str| RecordChange::new(from..to, with.into());
    assert_eq!(apply_changes(b"abcdef", &[change(1, 2, "X"), change(4, 4, "--")]), b"aXcd--ef");
}
