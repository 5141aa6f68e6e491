use super::super::sample::{record, two_results};
use super::*;

fn draw(records: &[FindingRecord], wide: usize) -> String {
    let calls: Vec<&str> =
        records.iter().filter_map(|r| r.call.as_ref()).map(|id| id.exact()).collect();
    let ids = ReportIds::short(&calls);
    let records = super::super::redact::at_hand(records.to_vec());
    layout(rows(&records, &ids, "no result"), wide).join("\n")
}

#[test]
fn arms_join_a_call_and_its_results() {
    let wanted = "    61  09:48:05.911  ActionEvent       terminal  call toolu_01EvR…c8ir  ─┐
    63  09:48:16.588  AgentErrorEvent   terminal  result                 ─┤ placeholder, 11 s later
    65  09:48:18.847  ObservationEvent  terminal  result                 ─┘ 2.3 s later";
    assert_eq!(draw(&two_results().records, 110), wanted);
}

#[test]
fn eighty_columns_suffice() {
    let records = two_results().records;
    let wanted = "    61  09:48:05  ActionEvent       terminal  call toolu_01EvR…c8ir  ─┐
    63  09:48:16  AgentErrorEvent   terminal  result                 ─┤
        placeholder, 11 s later
    65  09:48:18  ObservationEvent  terminal  result                 ─┘
        2.3 s later";
    assert_eq!(draw(&records, 72), wanted);
    let long = record(7, "call", "09:48:05.911", &"K".repeat(60), &"t".repeat(60), &"i".repeat(90));
    for line in draw(&[long, records[1].clone()], 80).lines() {
        assert!(width(line) <= 80, "{line}");
    }
}

#[test]
fn calls_side_by_side_have_a_lane_each() {
    let records = [
        record(1, "call", "10:00:00.000", "A", "x", "a"),
        record(2, "call", "10:00:00.000", "A", "y", "b"),
        record(3, "intruder", "10:00:00.000", "M", "", ""),
        record(4, "result", "10:00:00.100", "O", "x", "a"),
        record(5, "result", "10:00:00.100", "O", "y", "b"),
        record(6, "call", "10:00:00.100", "A", "z", "c"),
    ];
    let wanted = "    1  10:00:00.000  A  x  call a    ─┐
    2  10:00:00.000  A  y  call b    ─┼┐
    3  10:00:00.000  M     other      ││
    4  10:00:00.100  O  x  result a  ─┘│
    5  10:00:00.100  O  y  result b  ──┘
    6  10:00:00.100  A  z  call c    ─╴  no result";
    assert_eq!(draw(&records, 80), wanted);
}

#[test]
fn days_are_told_when_they_differ_and_odd_times_are_left_out() {
    let mut records = two_results().records;
    records[1].time = Some(String::from("2026-01-22T09:48:16.588000"));
    records[2].time = Some(String::from("yesterday \u{1b}"));
    let drawn = draw(&records, 110);
    assert!(drawn.contains("01-21 09:48:05  ActionEvent"), "{drawn}");
    assert!(drawn.contains("placeholder, 24 h later"), "{drawn}");
    assert!(!drawn.contains("yesterday"), "{drawn}");
}

#[test]
fn hostile_words_do_not_break_a_row() {
    let rows =
        draw(&[record(1, "call", "10:00:00.000", "A\u{1b}[2J\n", "\u{202e}x", "a\u{7}")], 110);
    assert_eq!(rows.lines().count(), 1);
    assert!(!rows.contains(super::super::text::is_dangerous), "{rows:?}");
}

#[test]
fn wide_and_invisible_characters_keep_the_columns() {
    // Two columns a character, an emoji of two code points, a letter with an accent of its own, blank joiners.
    for odd in ["日本語日本語", "🦀👩\u{200d}🚀", "e\u{301}te\u{301}", "ﷺ한국어", "a\u{200b}b"]
    {
        let records = [
            record(1, "call", "10:00:00.000", odd, odd, odd),
            record(2, "placeholder", "10:00:09.000", "AgentErrorEvent", "terminal", odd),
            record(3, "result", "10:00:19.000", odd, "x", odd),
        ];
        for wide in [40, 60, 80, 120] {
            let drawn = draw(&records, wide);
            let arms: Vec<usize> = drawn
                .lines()
                .filter_map(|line| line.find(['┐', '┤', '┘']).map(|at| width(&line[..at])))
                .collect();
            assert_eq!(arms.len(), 3, "{drawn}");
            assert!(arms.iter().all(|at| *at == arms[0]), "{odd} at {wide}:\n{drawn}");
        }
        assert!(draw(&records, 80).lines().all(|line| width(line) <= 80), "{odd}");
    }
}
