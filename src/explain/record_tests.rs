use super::super::story::tests::{fixture, with};
use super::*;
use crate::outputs::{self, OutputStyle};
use crate::transcript::index::ids;

fn text(name: &str, find: impl Fn(&Judged) -> Vec<EventId>) -> String {
    with(&fixture(name), |source, judged| {
        let known = known(Path::new("run.jsonl"), source, judged, false, &find(judged));
        let mut out = Vec::new();
        let known = crate::report::redact::at_hand(known);
        let known = crate::explain::Explained::Records(known);
        outputs::explained::write(&[known], &mut out, &OutputStyle::default()).unwrap();
        anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string()
    })
}

#[test]
fn a_record_is_told_with_its_place_its_pair_and_its_findings() {
    let wanted = "\
line 6
  bytes 1888–2251 · AgentErrorEvent e5971ce9-86…105d · parent a3184206-48…c71b
    (line 5) · API message 2 · on the active branch
  placeholder: terminal toolu_01NESTED0001 · extra result for line 4
  compacting here: not safe, a tool call and its result would be separated;
    safe before line 4 (7 stay) or line 8 (4 stay)
  next: line 7
  says: \"A restart occurred while this tool was …\"
  fatal[TD104] two results for one tool call
";
    assert_eq!(text("second-server", |judged| find_number(judged, 6)), wanted);
}

#[test]
fn a_call_is_told_with_all_that_answers_it() {
    let shown = text("second-server", |judged| find_id(judged, "toolu_01NESTED0001", Which::Calls));
    assert_eq!(shown.matches("\n\n").count(), 2, "{shown}");
    assert!(shown.contains("has more than one result by lines 6 and\n    7"), "{shown}");
    assert!(shown.contains("result: terminal toolu_01NESTED0001 · answers line 4"), "{shown}");
}

#[test]
fn a_record_of_another_branch_is_told_as_such() {
    let shown = text("healed-itself", |judged| find_number(judged, 6));
    assert!(shown.contains("on an abandoned branch, never sent"), "{shown}");
    assert!(shown.contains("not sent; result of line 4\n  next: none"), "{shown}");
}

#[test]
fn records_are_found_by_number_id_and_call() {
    with(&fixture("second-server"), |_, judged| {
        assert_eq!(find(judged, "6"), ids([5]));
        assert_eq!(find(judged, "e5971ce9-86a2-499d-b605-b2d96e71105d"), ids([5]));
        assert_eq!(find(judged, "e5971ce9"), ids([5]));
        assert_eq!(find(judged, "toolu_01NESTED0001"), ids([3, 5, 6]));
        // A beginning that two IDs share names neither.
        for word in ["", "0", "99", "a", "nothing"] {
            assert!(find(judged, word).is_empty(), "{word}");
        }
        assert!(
            find_id(judged, "", Which::Calls).is_empty()
                && find_number(judged, u64::MAX).is_empty()
        );
    });
}

#[test]
fn a_parent_that_is_nowhere_is_named() {
    let lines =
        fixture("healed-itself").replace("\"parent_id\":\"22c918f1", "\"parent_id\":\"ffffffff");
    with(&lines, |source, judged| {
        let known = known(Path::new("run.jsonl"), source, judged, false, &find_number(judged, 9));
        let missing = known.records[0].missing_parent.as_ref().unwrap();
        assert!(missing.exact().starts_with("ffffffff"));
        let codes: Vec<&str> =
            known.records[0].findings.iter().map(|finding| finding.code.as_str()).collect();
        assert_eq!(codes, ["TD303", "TD103", "TD301"]);
    });
}
