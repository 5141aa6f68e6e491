//! The pages as they are: `UPDATE_PAGES=1 cargo test --lib outputs` writes them anew.

use super::*;
use crate::explain::sample as samples;
use crate::report::redact::at_hand;
use crate::report::sample;
use std::path::Path;

fn current(name: &str, written: Vec<u8>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/pages").join(name);
    let version = concat!("transcript-doctor ", env!("CARGO_PKG_VERSION"));
    let text = String::from_utf8(written).unwrap().replace(version, "transcript-doctor VERSION");
    // The style sheet has its own file and its own test.
    let text = match text.split_once("<style>") {
        Some((head, rest)) => {
            let hash = head.split("&#39;sha256-").nth(1).unwrap().split("&#39;").next().unwrap();
            format!("{}{}", head.replace(hash, "HASH"), rest.split_once("</style>\n").unwrap().1)
        }
        None => text,
    };
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "fixtures/pages/{name} is stale: UPDATE_PAGES=1 writes it anew; read what changed"
    );
}

#[test]
fn pages_look_like_that() {
    let next = AsTyped { names: vec!["store".into()], ..AsTyped::default() };
    let style = at_hand(OutputStyle { next, ..OutputStyle::default() });
    for output in OUTPUTS.iter().filter(|output| output.tries) {
        for (name, report) in [("stuck", sample::stuck()), ("many", sample::many())] {
            let mut out = Vec::new();
            (output.report)(&at_hand(report), &mut out, &style).unwrap();
            current(&format!("{name}.{}", output.name), out);
        }
        let mut out = Vec::new();
        (output.explained)(&samples::all("wörd")[..3], &mut out, &style).unwrap();
        current(&format!("told.{}", output.name), out);
    }
}
