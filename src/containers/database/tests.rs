use proptest::prelude::*;

use super::*;
use crate::bytes::source::Source;

fn bytes(name: &str) -> Vec<u8> {
    let path = format!("{}/fixtures/databases/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).unwrap()
}

fn source(bytes: Vec<u8>) -> Source {
    Source::memory("a.db", vec![("a.db".to_owned(), bytes)])
}

fn names(main: Vec<u8>, log: Option<Vec<u8>>) -> Option<Vec<String>> {
    let (main, log) = (source(main), log.map(source));
    let log = log.as_ref().map(|log| (log as &dyn Entries, EntryId(0)));
    tables((&main, EntryId(0)), log)
        .map(|tables| tables.into_iter().map(|table| table.name).collect())
}

#[test]
fn a_schema_over_many_pages_is_read() {
    let main = source(bytes("langgraph-checkpoints-among-others.sqlite"));
    let mut found = tables((&main, EntryId(0)), None).unwrap();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(found.len(), 14);
    assert_eq!(found[0].name, "checkpoints");
    assert_eq!(found[0].columns.len(), 7);
    assert!(
        found[1..13]
            .iter()
            .all(|other| other.columns == ["a", "b", "c"])
    );
    assert_eq!(found[13].columns.last().map(String::as_str), Some("value"));
}

#[test]
fn texts_may_be_utf_16() {
    let mut found = names(bytes("langgraph-checkpoints-utf16.sqlite"), None).unwrap();
    found.sort_unstable();
    assert_eq!(found, ["checkpoints", "writes"]);
}

#[test]
fn what_was_committed_to_the_log_counts() {
    let main = || bytes("langgraph-checkpoints-in-log.sqlite");
    let log = || bytes("langgraph-checkpoints-in-log.sqlite-wal");
    assert_eq!(names(main(), None).map(|found| found.len()), Some(0));
    assert_eq!(names(main(), Some(log())).unwrap().len(), 2);
    // The commit of the last table was cut off: the table before it is there.
    let frame = 512 + 24;
    let first: Vec<usize> = (0..(log().len() - 32) / frame)
        .filter(|number| log()[32 + number * frame + 4..][..4] != [0; 4])
        .map(|number| 32 + (number + 1) * frame)
        .collect();
    assert_eq!(
        names(main(), Some(log()[..first[1] - 1].to_vec()))
            .unwrap()
            .len(),
        1
    );
    // Frames of an earlier use of the log.
    let mut older = log();
    older[16] ^= 1;
    assert_eq!(names(main(), Some(older)).unwrap().len(), 0);
}

#[test]
fn no_page_is_waited_for_that_is_not_there() {
    assert_eq!(names(bytes("goose.db")[..100].to_vec(), None), None);
    let mut turned = bytes("goose.db");
    turned[100] = 0x05;
    turned[108..112].copy_from_slice(&1_u32.to_be_bytes());
    assert_eq!(names(turned, None), None, "a page that is its own child");
}

#[test]
fn one_cell_is_not_read_a_thousand_times() {
    let mut page = vec![0_u8; 1 << 16];
    page[..16].copy_from_slice(MAGIC);
    page[17] = 1; // 65536 bytes a page
    page[100] = 0x0D;
    page[103..105].copy_from_slice(&u16::MAX.to_be_bytes());
    let pointer = 60_000_u16;
    for at in (108..usize::from(pointer)).step_by(2) {
        page[at..at + 2].copy_from_slice(&pointer.to_be_bytes());
    }
    // A record of 5000 bytes: one text.
    page[usize::from(pointer)..usize::from(pointer) + 3].copy_from_slice(&[0xA7, 0x08, 1]);
    assert_eq!(names(page, None), None);
}

proptest! {
    #[test]
    fn any_bytes_are_survived(at in 0_usize..13_312, with: u8, cut in 0_usize..13_312, other in 0_usize..512) {
        let mut main = bytes("langgraph-checkpoints-among-others.sqlite");
        main[at] = with;
        main[other] = with.wrapping_add(1);
        main.truncate(cut.max(100));
        let _ = names(main, None);
        let mut log = bytes("langgraph-checkpoints-in-log.sqlite-wal");
        let length = log.len();
        log[at % length] = with;
        let _ = names(bytes("langgraph-checkpoints-in-log.sqlite"), Some(log));
    }
}
