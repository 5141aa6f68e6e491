//! `explain`.

use crate::bench::Bench;

#[test]
fn a_rule_by_code_or_name() {
    let bench = Bench::new();
    let page = bench.run(&["explain", "TD104"]).exits(0).says("TD104 two-results");
    assert_eq!(bench.run(&["explain", "two-results"]).out, page.out);
    assert_eq!(bench.run(&["explain", "td104", "-f", "json"]).json()["code"], "TD104");
    bench.run(&["explain", "TD999"]).exits(2).complains("no rule has this code or name");
}

#[test]
fn the_list_has_every_rule() {
    let bench = Bench::new();
    let list = bench.run(&["rules"]).exits(0);
    let json = bench.run(&["rules", "-f", "json"]).json();
    assert_eq!(list.out.lines().count(), json.as_array().unwrap().len());
}
