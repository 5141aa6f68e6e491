use super::super::tests::text;
use super::*;
use crate::report::sample;

fn run(report: &Report) -> Value {
    let log = text("sarif", report, &OutputStyle::default());
    let mut log: Value = serde_json::from_str(&log).unwrap();
    log["runs"][0].take()
}

#[test]
fn a_finding_is_a_result_with_its_ladder() {
    let run = run(&sample::stuck());
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "TD104");
    assert_eq!(
        run["tool"]["driver"]["rules"][0]["id"], "TD104",
        "only rules with results are described"
    );
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(
        place,
        &json!({
            "artifactLocation": {"uri": "conversations/fcbbaec2/events/event-00063-7f0c.json"},
            "region": {"byteOffset": 0, "byteLength": 100},
        })
    );
    let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    let messages: Vec<&str> = flow
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["location"]["message"]["text"].as_str().unwrap())
        .collect();
    assert_eq!(messages.len(), 3);
    assert_eq!(messages[1], "placeholder toolu_01EvREYhc5WD2xswPAvEc8ir (terminal)");
}

#[test]
fn the_limit_is_kept_and_reported() {
    let mut report = sample::many();
    let finding = sample::two_results();
    report.conversations[0].findings = vec![finding; MOST_RESULTS + 2];
    let run = run(&report);
    assert_eq!(run["results"].as_array().unwrap().len(), MOST_RESULTS);
    let notes = run["invocations"][0]["toolExecutionNotifications"].to_string();
    assert!(notes.contains("not checked: permission denied"), "{notes}");
    assert!(notes.contains("7 results left out"), "{notes}");
}

#[test]
fn paths_are_uris() {
    assert_eq!(uri("a b/ü#1.jsonl".as_bytes()), "a%20b/%C3%BC%231.jsonl");
    assert_eq!(uri(b"a:b"), "a%3Ab");
    assert_eq!(uri(b"/x/a"), "file:///x/a");
    assert_eq!(uri(b"C:/x"), "file:///C:/x");
    assert_eq!(bytes_of("61ff").as_deref(), Some(&b"a\xff"[..]));
    assert_eq!(uri(b"a\xff"), "a%FF");
}
