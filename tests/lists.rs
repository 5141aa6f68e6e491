//! Lists in a new order: whatever is removed, moved, inserted and changed, the result is as
//! requested, and no other byte changes. Covers documents in every layout, truncated ones, and line
//! files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof};
use proptest::{prop_assert, prop_assert_eq, proptest, test_runner::FileFailurePersistence};
use transcript_doctor::testing::bytes::edit::Edit;
use transcript_doctor::testing::bytes::overlay::Overlay;
use transcript_doctor::testing::bytes::patch::Patch;
use transcript_doctor::testing::bytes::source::{Entries, EntryId, Source, Span};
use transcript_doctor::testing::containers::rewrite::{PlacedRecord, apply_changes, rewrite};
use transcript_doctor::testing::containers::{Layout, PathStep};
use transcript_doctor::testing::format::Format;
use transcript_doctor::testing::hosts;
use transcript_doctor::testing::json::cut::RecordChange;
use transcript_doctor::testing::json::node::Node;
use transcript_doctor::testing::json::scan::{ScanMode, scan};
use transcript_doctor::testing::transcript::{
    Action, Applicability, EventId, Idx, State, Transcript, facts,
};

const NAME: &str = "list.json";
const ENTRY: EntryId = EntryId(0);

fn format() -> &'static Format {
    hosts::by_name("openhands-v0").unwrap()
}

/// The layout of a document around its elements.
#[derive(Clone, Debug)]
struct Shape {
    before: Vec<u8>,
    between: Vec<u8>,
    after: Vec<u8>,
    member: Option<&'static str>,
}

fn shape() -> impl Strategy<Value = Shape> {
    let of = |member, before: &str, between: &str, after: &str| {
        Just(Shape { before: before.into(), between: between.into(), after: after.into(), member })
    };
    let list = Some("trajectory");
    prop_oneof![
        of(None, "[", ",", "]"),
        of(None, "[", ", ", "]\n"),
        of(None, "[\n  ", ",\n  ", "\n]\n"),
        of(None, " [\r\n\t", ",\r\n\t", "\r\n]\r\n"),
        of(None, "[ ", " , ", " ]"),
        of(list, "{\"trajectory\":[", ",", "]}"),
        of(
            list,
            "{\"a\": [1, {\"b\": 2}], \"trajectory\": [",
            ", ",
            "], \"z\": {\"trajectory\": [3]}}"
        ),
        of(list, "{\n  \"trajectory\": [\n    ", ",\n    ", "\n  ],\n  \"z\": [\n    1\n  ]\n}\n"),
        of(list, "{\"trajectory\": [{}], \"trajectory\": [\n", ",\n\n", "\n]}"),
    ]
}

fn element() -> impl Strategy<Value = Vec<u8>> {
    let text = prop_oneof!["[ -~é\u{2028}😀]{0,12}", Just("]},{[\"\\".to_owned())];
    let event = (any::<u16>(), text, any::<bool>()).prop_map(|(id, text, spaced)| {
        let text = serde_json::Value::from(text);
        let gap = if spaced { "\n  " } else { "" };
        format!(
            r#"{{{gap}"id":{id},{gap}"source": "user","action":"message","args":{{"content":{text}}}{gap}}}"#
        )
        .into_bytes()
    });
    let odd = prop_oneof![
        Just("[]"),
        Just("[[1], {\"a\": [2]}]"),
        Just("null"),
        Just("{}"),
        Just("\"x,]\"")
    ];
    prop_oneof![8 => event, 1 => odd.prop_map(|odd| odd.as_bytes().to_vec())]
}

/// The new order of a list: old elements by index (`None` for a new one), and whether one is
/// changed.
type Order = Vec<(Option<usize>, bool)>;

/// Some of `count` elements in some order, with new ones among them. Often all are removed, or none
/// moves.
fn order(count: usize) -> impl Strategy<Value = Order> {
    let all: Vec<usize> = (0..count).collect();
    let kept = prop_oneof![
        2 => Just(all.clone()),
        1 => Just(Vec::new()),
        4 => proptest::sample::subsequence(all.clone(), 0..=count),
        3 => proptest::sample::subsequence(all, 0..=count).prop_shuffle(),
    ];
    let new = vec((any::<proptest::sample::Index>(), any::<bool>()), 0..4);
    (kept, new, vec(any::<bool>(), count)).prop_map(|(kept, new, changes)| {
        let mut order: Order = kept.into_iter().map(|old| (Some(old), changes[old])).collect();
        for (at, twice) in new {
            // Both ends are as likely as any index between.
            let at = if twice { at.index(2) * order.len() } else { at.index(order.len() + 1) };
            order.insert(at, (None, false));
        }
        order
    })
}

fn a_list() -> impl Strategy<Value = (Shape, Vec<Vec<u8>>, Order)> {
    (shape(), vec(element(), 1..7)).prop_flat_map(|(shape, elements)| {
        let count = elements.len();
        (Just(shape), Just(elements), order(count))
    })
}

fn items(member: Option<&'static str>) -> Layout {
    Layout::Items {
        entry: ENTRY,
        path: member.map(PathStep::Key).into_iter().collect(),
        envelope: false,
    }
}

fn source(bytes: Vec<u8>) -> Source {
    Source::memory(NAME, vec![(NAME.to_owned(), bytes)])
}

fn whole(entries: &dyn Entries) -> Vec<u8> {
    entries.fetch(Span { entry: ENTRY, start: 0, end: entries.len(ENTRY) }).unwrap()
}

fn read(source: &dyn Entries, layout: &Layout) -> Transcript {
    let mut t = Transcript::default();
    layout.read(source, &format().records, &mut t).unwrap();
    t
}

fn patched(source: &Source, edits: Vec<Edit>) -> Vec<u8> {
    whole(&Overlay::new(source, &Patch::new(edits).unwrap()))
}

/// A change inside an element that keeps it valid JSON: a new first member.
fn change(element: &[u8]) -> Vec<RecordChange> {
    let rest = element.strip_prefix(b"{").filter(|rest| rest.trim_ascii_start().starts_with(b"\""));
    rest.map(|_| RecordChange { at: 1..1, with: b"\"new\":[1],".to_vec() }).into_iter().collect()
}

const NEW: &[u8] = br#"{"id":7,"new":true}"#;

/// The slots of an order, and the expected bytes of its records.
fn slots(elements: &[Vec<u8>], order: &Order) -> (Vec<PlacedRecord>, Vec<Vec<u8>>) {
    let one = |(old, change_it): &(Option<usize>, bool)| match old {
        None => (PlacedRecord::New { bytes: NEW.to_vec(), id: "7".to_owned() }, NEW.to_vec()),
        Some(at) => {
            let changes = if *change_it { change(&elements[*at]) } else { Vec::new() };
            let bytes = apply_changes(&elements[*at], &changes);
            (PlacedRecord::Old { event: EventId::new(*at), changes, name: None }, bytes)
        }
    };
    order.iter().map(one).unzip()
}

/// The raw elements of the document's list.
fn elements_of(document: &[u8], member: Option<&str>) -> Vec<Vec<u8>> {
    let tape = scan(document, ScanMode::Document);
    let root = Node::root(&tape, &document).unwrap();
    let list = member.map_or(Some(root), |key| root.get(key)).unwrap();
    list.items().map(|item| item.raw().into_owned()).collect()
}

fn document(shape: &Shape, elements: &[Vec<u8>]) -> Vec<u8> {
    [shape.before.as_slice(), &elements.join(shape.between.as_slice()), &shape.after].concat()
}

/// Whether the old records keep their order.
fn rises(order: &Order) -> bool {
    let old: Vec<usize> = order.iter().filter_map(|(old, _)| *old).collect();
    old.windows(2).all(|pair| pair[0] < pair[1])
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1500,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_document_gets_the_new_order_and_keeps_other_bytes((shape, elements, order) in a_list()) {
        let source = source(document(&shape, &elements));
        let layout = items(shape.member);
        let t = read(&source, &layout);
        prop_assert_eq!(t.events.len(), elements.len());
        let (slots, wanted) = slots(&elements, &order);
        if order.is_empty() {
            prop_assert!(rewrite(&source, &layout, &t, slots).is_err(), "an empty list is no recording any more");
            return Ok(());
        }
        let edits = rewrite(&source, &layout, &t, slots).unwrap();
        // An element that stays in place and is not changed has no edit.
        if rises(&order) {
            for at in order.iter().filter(|(_, changes)| !changes).filter_map(|(old, _)| *old) {
                let own = t.event(EventId::new(at)).at();
                let inside = |edit: &&Edit| match edit {
                    Edit::Bytes { at, .. } => at.start < own.end && own.start < at.end,
                    _ => true,
                };
                prop_assert!(!edits.iter().any(|edit| inside(&edit)), "an element without a change has an edit");
            }
        }
        let identity = (0..elements.len()).map(|at| (Some(at), false)).collect::<Order>();
        prop_assert!(order != identity || edits.is_empty(), "nothing was asked for");
        let after = patched(&source, edits);
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&after).is_ok(), "{}", String::from_utf8_lossy(&after));
        prop_assert_eq!(&elements_of(&after, shape.member), &wanted);
        prop_assert!(after.starts_with(&shape.before) && after.ends_with(&shape.after), "{}", String::from_utf8_lossy(&after));
        // With several elements the separator is known, so the new ones have the same layout.
        let separated = elements.len() > 1 || shape.between == b", " || shape.before.ends_with(b"\n    ");
        if separated && rises(&order) {
            let (before, after) = (after.len(), document(&shape, &wanted).len());
            prop_assert_eq!(before, after, "every gap is a separator as the list has them");
        }
    }

    #[test]
    fn a_truncated_document_is_closed_after_its_complete_elements(
        shape in shape(),
        elements in vec(element(), 1..5),
        cut in any::<proptest::sample::Index>(),
        padding in prop_oneof![3 => Just(&b""[..]), 1 => Just(&b"\xEF\xBB\xBF"[..]), 1 => Just(&b"\0\0 \n"[..])],
    ) {
        let whole = document(&shape, &elements);
        let at = 1 + cut.index(whole.len() - 1);
        let torn = [padding, &whole[..at]].concat();
        let source = source(torn.clone());
        let layout = items(shape.member);
        let t = read(&source, &layout);
        let mends = t.diagnostics.iter().flat_map(|diagnostic| &diagnostic.fixes).filter(|t| t.applicability == Applicability::Safe);
        let mends = mends.flat_map(|fix| &fix.actions).filter_map(|action| match action {
            Action::EditBytes { edits, word, .. } if word.starts_with("end the file") || word.starts_with("remove the bytes") => Some(edits.clone()),
            _ => None,
        });
        let edits: Vec<Edit> = mends.flatten().collect();
        let is_whole = |event: &EventId| t.event(*event).state == State::Whole || t.value_of(*event, facts::BARE).is_some();
        let read_before = t.records().filter(is_whole).count();
        let is_json = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
        let writes = |edit: &Edit| matches!(edit, Edit::Bytes { with, .. } if !with.is_empty());
        if read_before == 0 {
            // Without a complete element nothing is repaired, and the document must not pass as
            // healthy.
            prop_assert!(!t.diagnostics.is_empty());
            prop_assert!(!edits.iter().any(writes), "something is made of nothing");
            return Ok(());
        }
        if torn.ends_with(b"\"x,]") && !edits.iter().any(writes) {
            // Only a quote may be missing instead of the end: then the user decides, and nothing is
            // cut off.
            prop_assert!(!t.diagnostics.is_empty());
            return Ok(());
        }
        let after = patched(&source, edits);
        prop_assert!(is_json(&after), "{} of {}", String::from_utf8_lossy(&after), String::from_utf8_lossy(&torn));
        let list = elements_of(&after, shape.member);
        prop_assert_eq!(list.len(), read_before);
        let first = elements_of(&whole, shape.member);
        if list.first() == first.first() {
            prop_assert!(first.starts_with(&list), "what is kept is as it was");
        }
    }

    #[test]
    fn a_line_file_gets_the_new_order(
        elements in vec(element(), 1..7).prop_filter("one line each", |all| all.iter().all(|e| !e.contains(&b'\n'))),
        ending in prop_oneof![Just("\n"), Just("\r\n")],
        ended in any::<bool>(),
        picks in vec(any::<proptest::sample::Index>(), 0..6),
        new in vec(any::<proptest::sample::Index>(), 0..3),
    ) {
        let mut bytes = elements.join(ending.as_bytes());
        if ended {
            bytes.extend_from_slice(ending.as_bytes());
        }
        let source = source(bytes);
        let layout = Layout::Lines(ENTRY);
        let t = read(&source, &layout);
        prop_assert_eq!(t.events.len(), elements.len());
        let mut order: Order = Vec::new();
        for pick in picks.into_iter().map(|pick| pick.index(elements.len())) {
            if !order.iter().any(|(old, _)| *old == Some(pick)) {
                order.push((Some(pick), false));
            }
        }
        for at in new {
            order.insert(at.index(order.len() + 1), (None, false));
        }
        let (slots, wanted) = slots(&elements, &order);
        let after = patched(&source, rewrite(&source, &layout, &t, slots).unwrap());
        let text = String::from_utf8(after).unwrap();
        let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
        prop_assert_eq!(lines, wanted.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }
}

#[test]
fn unreadable_bytes_are_always_reported() {
    for odd in [
        "",
        "{}",
        "{\"trajectory\":1}",
        "nul",
        "[",
        "[1",
        "\u{feff}",
        "\0\0\0",
        "]",
        "[,]",
        "{\"trajectory\":",
    ] {
        for member in [None, Some("trajectory")] {
            let source = source(odd.as_bytes().to_vec());
            let t = read(&source, &items(member));
            assert!(!t.diagnostics.is_empty(), "{odd:?} in {member:?} is told as if it were whole");
        }
    }
}
