//! Edits of a container in its own layout: members cut as a set, members and items put in.
//!
//! Nothing here parses: the results are byte ranges of the record and the bytes that take their place. What
//! is outside them stays as it is.

use std::ops::Range;

use super::node::Node;
use super::quote::quote;
use super::tape::{Flags, Kind, Tape};

/// Bytes of a record and what takes their place. An empty range is an insertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The bytes, 0-based from the record's first byte.
    pub at: Range<u32>,
    /// What takes their place.
    pub with: Vec<u8>,
}

impl Change {
    fn cut(at: Range<u32>) -> Change {
        Change { at, with: Vec::new() }
    }

    fn insert(at: u32, with: Vec<u8>) -> Change {
        Change { at: at..at, with }
    }
}

/// Where the members or items of a container are, and where its inside ends. A torn key without a value
/// counts as inside.
fn parts(container: Node<'_>) -> (Vec<Range<u32>>, Range<u32>) {
    let spans = match container.kind() {
        Kind::Object => container.members().map(|(key, value)| key.span().start..value.span().end).collect(),
        Kind::Array => container.items().map(|item| item.span()).collect(),
        _ => Vec::new(),
    };
    let Range { start, end } = container.span();
    let end = if container.is_open() { end } else { end.saturating_sub(1) };
    (spans, start.saturating_add(1).min(end)..end)
}

/// Cuts members of an object, or items of an array, as one set: what is left is valid JSON whatever the set
/// is. `victims` are 0-based positions in any order; those that do not exist are ignored.
///
/// A run of victims before a kept member is cut up to that member, a run at the end from the end of the last
/// kept one; if none is kept, the inside is. The changes are in order and disjoint. In an open container a
/// run at the end is cut up to where the last victim ends.
pub fn remove_members(container: Node<'_>, victims: &[u32]) -> Vec<Change> {
    let (spans, inside) = parts(container);
    let mut doomed = vec![false; spans.len()];
    for &victim in victims {
        if let Some(mark) = doomed.get_mut(victim as usize) {
            *mark = true;
        }
    }
    let mut changes = Vec::new();
    let mut kept: Option<&Range<u32>> = None;
    let mut run: Option<u32> = None;
    let mut last = inside.start;
    for (span, doomed) in spans.iter().zip(doomed) {
        if doomed {
            run = run.or(Some(span.start));
        } else {
            changes.extend(run.take().map(|start| Change::cut(start..span.start)));
            kept = Some(span);
        }
        last = span.end;
    }
    match (run, kept) {
        (None, _) => {}
        (Some(_), Some(kept)) => changes.push(Change::cut(kept.end..last)),
        (Some(_), None) if container.is_open() => changes.push(Change::cut(inside.start..last)),
        (Some(_), None) => changes.push(Change::cut(inside)),
    }
    changes
}

/// Puts a member into an object behind the (last) member `after`, or at the end if that is `None` or not
/// there. The separators are copied from its neighbours; `raw_value` is raw JSON.
pub fn insert_member(object: Node<'_>, after: Option<&str>, key: &str, raw_value: &str) -> Change {
    let (spans, inside) = parts(object);
    let keys: Vec<Node<'_>> = object.members().map(|(key, _)| key).collect();
    let behind = after.and_then(|after| keys.iter().rposition(|key| key.is_str(after)));
    let place = behind.map_or(spans.len(), |at| at.saturating_add(1));
    let mut member = quote(key).into_bytes();
    let neighbour = keys.get(place.saturating_sub(1)).copied();
    member.extend(colon(object, neighbour));
    member.extend(raw_value.as_bytes());
    insert(object, &spans, inside.start, place, member)
}

/// Puts an item into an array at a 0-based position (behind the last one if it is greater than their number),
/// with the separators of its neighbours; `raw` is raw JSON.
pub fn insert_item(array: Node<'_>, pos: u32, raw: &str) -> Change {
    let (spans, inside) = parts(array);
    insert(array, &spans, inside.start, pos as usize, raw.as_bytes().to_vec())
}

/// Writes `raw` in place of a value.
pub fn replace(node: Node<'_>, raw: &str) -> Change {
    Change { at: node.span(), with: raw.as_bytes().to_vec() }
}

fn insert(container: Node<'_>, spans: &[Range<u32>], start: u32, place: usize, new: Vec<u8>) -> Change {
    let place = place.min(spans.len());
    let Some(before) = place.checked_sub(1).and_then(|at| spans.get(at)) else {
        return match spans.first() {
            None => Change::insert(start, new),
            Some(first) => Change::insert(first.start, [new, separator(container, spans, place)].concat()),
        };
    };
    Change::insert(before.end, [separator(container, spans, place), new].concat())
}

/// What stands between two members around `place`, or what would, judging by what is there.
fn separator(container: Node<'_>, spans: &[Range<u32>], place: usize) -> Vec<u8> {
    let pair = place.clamp(1, spans.len().saturating_sub(1).max(1));
    if let (Some(one), Some(two)) = (spans.get(pair.saturating_sub(1)), spans.get(pair)) {
        return container.text().get(one.end, two.start).into_owned();
    }
    let lead = spans.first().map_or(Vec::new(), |first| {
        container.text().get(container.span().start.saturating_add(1), first.start).into_owned()
    });
    if lead.contains(&b'\n') {
        return [b",".to_vec(), lead].concat();
    }
    if colon(container, None).ends_with(b" ") { b", ".to_vec() } else { b",".to_vec() }
}

/// What stands between a key and its value: of `key`, or else of the record's first member.
fn colon(container: Node<'_>, key: Option<Node<'_>>) -> Vec<u8> {
    let tape: &Tape = container.tape();
    let first = || {
        let at = tape.tokens.iter().position(|token| token.flags.has(Flags::KEY))?;
        Node::of(tape, container.text(), u32::try_from(at).ok()?)
    };
    let gap = key.or_else(first).and_then(|key| {
        let value = tape.tokens.get(key.index() as usize + 1)?;
        Some(container.text().get(key.span().end, value.start).into_owned())
    });
    match gap {
        Some(gap) if gap.contains(&b':') => gap,
        _ => b":".to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::json::samples::document;
    use crate::json::scan::{Mode, scan};

    fn apply(text: &str, changes: &[Change]) -> String {
        let (mut bytes, mut done) = (Vec::new(), 0);
        for Change { at, with } in changes {
            bytes.extend(&text.as_bytes()[done..at.start as usize]);
            bytes.extend(with);
            done = at.end as usize;
        }
        bytes.extend(&text.as_bytes()[done..]);
        String::from_utf8(bytes).unwrap()
    }

    /// The text after a change at the value behind `path`.
    fn edit(text: &str, path: &[&str], change: impl Fn(Node<'_>) -> Vec<Change>) -> String {
        let (tape, bytes) = (scan(text.as_bytes(), Mode::Document), text.as_bytes());
        apply(text, &change(Node::root(&tape, &bytes).unwrap().at(path).unwrap()))
    }

    /// Keys in their order and raw values: what serde_json's map would not keep.
    fn raw_members(text: &str) -> Vec<(String, Value)> {
        let (tape, bytes) = (scan(text.as_bytes(), Mode::Document), text.as_bytes());
        assert_eq!(tape.end, crate::json::tape::End::Whole, "{text}");
        let root = Node::root(&tape, &bytes).unwrap();
        let value = |node: Node<'_>| serde_json::from_slice(&node.raw()).unwrap();
        let members = root.members().map(|(key, node)| (key.str().unwrap().into_owned(), value(node)));
        members.chain(root.items().map(|node| (String::new(), value(node)))).collect()
    }

    proptest! {
        #[test]
        fn every_set_of_members_can_be_cut(text in document(), set in any::<[bool; 8]>()) {
            let victims: Vec<u32> = (0..8).filter(|&at| set[at as usize]).rev().collect();
            let after = edit(&text, &[], |root| remove_members(root, &victims));
            prop_assert!(serde_json::from_str::<Value>(&after).is_ok(), "{after}");
            let mut expected = raw_members(&text);
            let mut place = 0..;
            expected.retain(|_| place.next().is_some_and(|at| !victims.contains(&at)));
            prop_assert_eq!(raw_members(&after), expected);
        }

        #[test]
        fn members_and_items_can_be_put_anywhere(text in document(), pos in 0u32..9, place in any::<prop::sample::Index>()) {
            let before = raw_members(&text);
            let (tape, bytes) = (scan(text.as_bytes(), Mode::Document), text.as_bytes());
            let root = Node::root(&tape, &bytes).unwrap();
            let new = serde_json::json!([{"new": "x"}]);
            let (change, at, key) = match root.kind() {
                Kind::Array => {
                    (insert_item(root, pos, r#"[{"new":"x"}]"#), before.len().min(pos as usize), "")
                }
                Kind::Object => {
                    let after = before.get(place.index(9)).map(|(key, _)| key.as_str());
                    let behind = after.and_then(|after| before.iter().rposition(|(key, _)| key == after));
                    let at = behind.map_or(before.len(), |at| at + 1);
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
    fn what_stays_keeps_its_layout() {
        let text = "{\n  \"a\": 1,\n  \"b\": [1, 2 ,3],\n  \"c\": 3\n}\n";
        let cut = |victims: &[u32]| edit(text, &[], |root| remove_members(root, victims));
        assert_eq!(cut(&[1]), "{\n  \"a\": 1,\n  \"c\": 3\n}\n");
        assert_eq!(cut(&[0]), "{\n  \"b\": [1, 2 ,3],\n  \"c\": 3\n}\n");
        assert_eq!(cut(&[2, 1, 2]), "{\n  \"a\": 1\n}\n");
        assert_eq!(cut(&[0, 1, 2]), "{}\n");
        assert_eq!(cut(&[7]), text);
        assert_eq!(cut(&[]), text);
        assert_eq!(edit(text, &["b"], |list| remove_members(list, &[1])).matches("[1, 3]").count(), 1);
        assert_eq!(edit(text, &["b"], |list| remove_members(list, &[0, 2])).matches("[2]").count(), 1);
        assert_eq!(edit("[1,2", &[], |list| remove_members(list, &[0, 1])), "[");
        assert_eq!(edit("{\"a\":1,\"b\":2,\"c", &[], |list| remove_members(list, &[1])), "{\"a\":1,\"c");
        assert_eq!(edit("7", &[], |list| remove_members(list, &[0])), "7");
    }

    #[test]
    fn what_is_put_in_looks_like_its_neighbours() {
        let put = |text: &str, after| edit(text, &[], |root| vec![insert_member(root, after, "n", "0")]);
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
        assert_eq!(edit(r#"{"a": [1]}"#, &["a"], |node| vec![insert_item(node, 1, "0")]), r#"{"a": [1, 0]}"#);
        assert_eq!(edit(r#"{"a": [1]}"#, &["a"], |node| vec![replace(node, "null")]), r#"{"a": null}"#);
    }
}
