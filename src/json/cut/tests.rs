use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::json::samples::document;
use crate::json::scan::{ScanMode, scan};

fn apply(text: &str, changes: &[RecordChange]) -> String {
    let (mut bytes, mut done) = (Vec::new(), 0);
    for RecordChange { at, with } in changes {
        bytes.extend(&text.as_bytes()[done..at.start as usize]);
        bytes.extend(with);
        done = at.end as usize;
    }
    bytes.extend(&text.as_bytes()[done..]);
    String::from_utf8(bytes).unwrap()
}

/// The text after a change of the value at `path`.
fn edit(text: &str, path: &[&str], change: impl Fn(Node<'_>) -> Vec<RecordChange>) -> String {
    let (tape, bytes) = (scan(text.as_bytes(), ScanMode::Document), text.as_bytes());
    apply(text, &change(Node::root(&tape, &bytes).unwrap().at(path).unwrap()))
}

/// Keys in order with raw values, which serde_json's map would not preserve.
fn raw_members(text: &str) -> Vec<(String, Value)> {
    let (tape, bytes) = (scan(text.as_bytes(), ScanMode::Document), text.as_bytes());
    assert_eq!(tape.end, crate::json::tape::RecordEnd::Whole, "{text}");
    let root = Node::root(&tape, &bytes).unwrap();
    let value = |node: Node<'_>| serde_json::from_slice(&node.raw()).unwrap();
    let members = root.members().map(|(key, node)| (key.str().unwrap().into_owned(), value(node)));
    members.chain(root.items().map(|node| (String::new(), value(node)))).collect()
}

proptest! {
    #[test]
    fn every_set_of_members_can_be_cut(text in document(), set in any::<[bool; 8]>()) {
        let removed: Vec<u32> = (0..8).filter(|&at| set[at as usize]).rev().collect();
        let after = edit(&text, &[], |root| remove_members(root, &removed));
        prop_assert!(serde_json::from_str::<Value>(&after).is_ok(), "{after}");
        let mut expected = raw_members(&text);
        let mut place = 0..;
        expected.retain(|_| place.next().is_some_and(|at| !removed.contains(&at)));
        prop_assert_eq!(raw_members(&after), expected);
    }

    #[test]
    fn members_and_items_can_be_put_anywhere(text in document(), pos in 0u32..9, place in any::<prop::sample::Index>()) {
        let before = raw_members(&text);
        let (tape, bytes) = (scan(text.as_bytes(), ScanMode::Document), text.as_bytes());
        let root = Node::root(&tape, &bytes).unwrap();
        let new = serde_json::json!([{"new": "x"}]);
        let (change, at, key) = match root.kind() {
            Kind::Array => {
                (insert_item(root, pos, r#"[{"new":"x"}]"#), before.len().min(pos as usize), "")
            }
            Kind::Object => {
                let after = before.get(place.index(9)).map(|(key, _)| key.as_str());
                let position = after.and_then(|after| before.iter().rposition(|(key, _)| key == after));
                let at = position.map_or(before.len(), |at| at + 1);
                (insert_member(root, after, "n\"é", r#"[{"new":"x"}]"#), at, "n\"é")
            }
            _ => return Ok(()),
        };
        let mut expected = before;
        expected.insert(at, (key.to_string(), new));
        prop_assert_eq!(raw_members(&apply(&text, &[change])), expected);
    }
}

#[test]
fn remaining_members_keep_their_layout() {
    let text = "{\n  \"a\": 1,\n  \"b\": [1, 2 ,3],\n  \"c\": 3\n}\n";
    let cut = |removed: &[u32]| edit(text, &[], |root| remove_members(root, removed));
    assert_eq!(cut(&[1]), "{\n  \"a\": 1,\n  \"c\": 3\n}\n");
    assert_eq!(cut(&[0]), "{\n  \"b\": [1, 2 ,3],\n  \"c\": 3\n}\n");
    assert_eq!(cut(&[2, 1, 2]), "{\n  \"a\": 1\n}\n");
    assert_eq!(cut(&[0, 1, 2]), "{}\n");
    assert_eq!(cut(&[7]), text);
    assert_eq!(cut(&[]), text);
    assert_eq!(edit(text, &["b"], |list| remove_members(list, &[1])).matches("[1, 3]").count(), 1);
    assert_eq!(edit(text, &["b"], |list| remove_members(list, &[0, 2])).matches("[2]").count(), 1);
    assert_eq!(edit("[1,2", &[], |list| remove_members(list, &[0, 1])), "[");
    assert_eq!(
        edit("{\"a\":1,\"b\":2,\"c", &[], |list| remove_members(list, &[1])),
        "{\"a\":1,\"c"
    );
    assert_eq!(edit("7", &[], |list| remove_members(list, &[0])), "7");
}

#[test]
fn inserted_members_look_like_their_neighbors() {
    let put =
        |text: &str, after| edit(text, &[], |root| vec![insert_member(root, after, "n", "0")]);
    assert_eq!(put(r#"{"a": 1, "b": 2}"#, Some("a")), r#"{"a": 1, "n": 0, "b": 2}"#);
    assert_eq!(put(r#"{"a": 1, "b": 2}"#, None), r#"{"a": 1, "b": 2, "n": 0}"#);
    assert_eq!(put(r#"{"a":1,"b":2}"#, Some("x")), r#"{"a":1,"b":2,"n":0}"#);
    assert_eq!(
        put("{\n  \"a\": 1,\n  \"b\": 2\n}", Some("b")),
        "{\n  \"a\": 1,\n  \"b\": 2,\n  \"n\": 0\n}"
    );
    assert_eq!(put("{\n  \"a\": 1\n}", None), "{\n  \"a\": 1,\n  \"n\": 0\n}");
    assert_eq!(put(r#"{"a": 1}"#, None), r#"{"a": 1, "n": 0}"#);
    assert_eq!(put(r#"{"a":1}"#, None), r#"{"a":1,"n":0}"#);
    assert_eq!(put("{}", None), r#"{"n":0}"#);
    assert_eq!(
        edit(r#"{"a": {}}"#, &["a"], |node| vec![insert_member(node, None, "n", "0")]),
        r#"{"a": {"n": 0}}"#
    );
    let item = |text: &str, pos| edit(text, &[], |root| vec![insert_item(root, pos, "0")]);
    assert_eq!(item("[1, 2]", 0), "[0, 1, 2]");
    assert_eq!(item("[1,2]", 1), "[1,0,2]");
    assert_eq!(item("[\n 1,\n 2\n]", 9), "[\n 1,\n 2,\n 0\n]");
    assert_eq!(item("[\n 1\n]", 0), "[\n 0,\n 1\n]");
    assert_eq!(item("[]", 3), "[0]");
    assert_eq!(
        edit(r#"{"a": [1]}"#, &["a"], |node| vec![insert_item(node, 1, "0")]),
        r#"{"a": [1, 0]}"#
    );
    assert_eq!(edit(r#"{"a": [1]}"#, &["a"], |node| vec![replace(node, "null")]), r#"{"a": null}"#);
}
