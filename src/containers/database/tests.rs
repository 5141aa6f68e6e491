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

fn open(main: Vec<u8>, log: Option<Vec<u8>>) -> Option<Database> {
    Database::open(source(main), log.map(source))
}

fn names(main: Vec<u8>, log: Option<Vec<u8>>) -> Option<Vec<String>> {
    let tables = open(main, log)?.tables;
    Some(tables.into_iter().map(|table| table.name).collect())
}

/// All rows of a table, by a scan of this column and by their IDs.
fn rows(database: &Database, name: &str, column: &str) -> Option<Vec<TableRow>> {
    let table = database.tables.iter().find(|table| table.name == name)?;
    let at = table.column(column)?;
    let mut scanned = Vec::new();
    database.scan(table, &[at], &mut |id, values| scanned.push((id, values)))?;
    let ids: Vec<i64> = scanned.iter().map(|(id, _)| *id).collect();
    let rows = database.rows(table, &ids, u64::MAX)?;
    for (row, (id, values)) in rows.iter().zip(&scanned) {
        assert_eq!((row.id, row.value(Some(at))), (*id, &values[0]));
    }
    Some(rows)
}

#[test]
fn a_schema_over_many_pages_is_read() {
    let main = bytes("langgraph-checkpoints-among-others.sqlite");
    let mut found = open(main, None).unwrap().tables;
    found.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(found.len(), 14);
    assert_eq!(found[0].name, "checkpoints");
    assert_eq!(found[0].columns.len(), 7);
    assert!(found[1..13].iter().all(|other| other.columns == ["a", "b", "c"]));
    assert_eq!(found[13].columns.last().map(String::as_str), Some("value"));
}

/// Every database of the fixtures that can be opened, by its name.
fn databases() -> Vec<(String, Vec<u8>)> {
    let folder = format!("{}/fixtures/databases", env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    for item in std::fs::read_dir(folder).unwrap() {
        let path = item.unwrap().path();
        let bytes = std::fs::read(&path).unwrap_or_default();
        if bytes.starts_with(MAGIC) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            all.push((name, bytes));
        }
    }
    assert!(all.len() > 10);
    all
}

#[test]
fn the_pages_of_whole_databases_are_what_their_places_say() {
    let mut damaged = Vec::new();
    for (name, bytes) in databases() {
        let page = open(bytes, None).and_then(|database| database.damaged_page());
        damaged.extend(page.map(|page| (name, page)));
    }
    assert_eq!(damaged, []);
    let main = bytes("langgraph-checkpoints-in-log.sqlite");
    let log = bytes("langgraph-checkpoints-in-log.sqlite-wal");
    assert_eq!(open(main, Some(log)).unwrap().damaged_page(), None);
}

/// A table without rows' IDs, indexes, records on many pages, free pages, and the map of pages that can be moved.
#[test]
fn a_page_that_is_overwritten_is_damaged_wherever_it_is() {
    let whole = bytes("opencode-all-pages.db");
    let (size, mut unseen) = (512, Vec::new());
    for page in 1..=whole.len() / size {
        let mut bytes = whole.clone();
        bytes[(page - 1) * size..page * size].fill(0xA5);
        let found = open(bytes, None).map(|database| database.damaged_page());
        if found == Some(None) {
            unseen.push(page);
        }
    }
    // The map, and pages that the list of free pages names.
    assert_eq!(unseen, [2, 16, 17, 18, 19, 20, 21, 22, 23]);
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
    assert_eq!(names(main(), Some(log()[..first[1] - 1].to_vec())).unwrap().len(), 1);
    // Frames of an earlier use of the log.
    let mut older = log();
    older[16] ^= 1;
    assert_eq!(names(main(), Some(older)).unwrap().len(), 0);
}

#[test]
fn no_page_is_waited_for_that_is_not_there() {
    assert_eq!(names(bytes("goose-empty.db")[..100].to_vec(), None), None);
    let mut turned = bytes("goose-empty.db");
    turned[100] = 0x05;
    turned[108..112].copy_from_slice(&1_u32.to_be_bytes());
    assert_eq!(names(turned, None), None, "a page that is its own child");
}

#[test]
fn rows_are_read_whatever_pages_they_are_on() {
    let database = open(bytes("goose.db"), None).unwrap();
    let rows = rows(&database, "messages", "content_json").unwrap();
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    assert_eq!(ids, (1..=11).collect::<Vec<i64>>());
    let content = |row: &TableRow| row.values[3].text().unwrap().into_owned();
    assert!(content(&rows[4]).len() > 1300 && content(&rows[4]).ends_with("honey. \"}]}}]"));
    // The ID of a row is not stored in its record.
    assert_eq!(rows[0].values[0], ColumnValue::Null);
    assert_eq!(rows[0].values[4], ColumnValue::Integer(1_772_600_008));
    let table = database.tables.iter().find(|table| table.name == "messages").unwrap();
    let some = database.rows(table, &[2, 9], u64::MAX).unwrap();
    assert_eq!(some.iter().map(|row| row.id).collect::<Vec<i64>>(), [2, 9]);
    assert!(database.rows(table, &[2, 12], u64::MAX).is_none(), "no such row");
    assert!(database.rows(table, &[5], 1000).is_none(), "too many bytes");
}

#[test]
fn rows_in_the_log_count_up_to_the_first_wrong_checksum() {
    let (main, log) = (bytes("goose-in-log.db"), bytes("goose-in-log.db-wal"));
    let count = |log: Option<Vec<u8>>| {
        let database = open(main.clone(), log).unwrap();
        rows(&database, "messages", "session_id").unwrap().len()
    };
    assert_eq!(count(None), 2);
    assert_eq!(count(Some(log.clone())), 8);
    // A later frame was written only in part: what was committed before it counts.
    let mut torn = log.clone();
    let last = torn.len() - 300;
    torn[last] ^= 1;
    assert_eq!(count(Some(torn)), 7);
    let mut wrong = log;
    wrong[25] ^= 1;
    assert_eq!(count(Some(wrong)), 2, "the checksum of the log's header");
}

#[test]
fn a_damaged_page_is_not_taken_for_missing_rows() {
    let good = bytes("goose.db");
    let all = rows(&open(good.clone(), None).unwrap(), "messages", "role").unwrap();
    for page in 1..good.len() / 512 {
        let mut bad = good.clone();
        bad[page * 512..][..512].fill(0);
        let Some(database) = open(bad, None) else {
            continue;
        };
        if let Some(rows) = rows(&database, "messages", "role") {
            assert_eq!(rows.len(), all.len(), "page {page}");
        }
    }
}

#[test]
fn nothing_is_read_more_often_than_the_file_has_bytes() {
    let good = bytes("goose.db");
    let database = open(good.clone(), None).unwrap();
    let table = database.tables.iter().find(|table| table.name == "messages").unwrap();
    let start = (table.root as usize - 1) * 512;
    // Every cell of an inner page is the same child, or every child is the page itself.
    for child in [3_u32, table.root] {
        let mut bad = good.clone();
        assert_eq!(bad[start], 0x05, "an inner page");
        bad[start + 8..start + 12].copy_from_slice(&child.to_be_bytes());
        let cell = usize::from(u16::from_be_bytes([bad[start + 12], bad[start + 13]]));
        bad[start + cell..start + cell + 4].copy_from_slice(&child.to_be_bytes());
        let database = open(bad, None).unwrap();
        assert!(rows(&database, "messages", "role").is_none(), "child {child}");
    }
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

    #[test]
    fn any_bytes_of_rows_are_survived(changes in prop::collection::vec((0_usize..8192, any::<u8>()), 1..8), cut in 512_usize..8192) {
        let mut main = bytes("goose.db");
        for (at, with) in changes {
            main[at] = with;
        }
        main.truncate(cut.max(4096));
        if let Some(database) = open(main, None) {
            let _ = rows(&database, "messages", "content_json");
            let _ = rows(&database, "sessions", "id");
        }
    }
}
