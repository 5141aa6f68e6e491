//! How two JSON values differ, by JSON pointer.

use std::collections::HashMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::value;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::report::redact::{Redactor, StringKind};
use crate::report::text::escape;

/// Changes of one record that are listed.
pub(crate) const LISTED: usize = 40;
/// Items of a list that are aligned; the rest of a longer one is compared by position.
const ALIGNED: usize = 4000;

/// One changed place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedPlace {
    /// A member or item that was not there: pointer, value.
    Added(String, String),
    /// A member or item that is gone: pointer in the old value, value.
    Removed(String, String),
    /// Another value: pointer in the new value, old value, new value.
    Changed(String, String, String),
}

impl ChangedPlace {
    /// A value that was not there.
    pub(crate) fn added(at: &str, value: Node<'_>, reader: &Redactor) -> ChangedPlace {
        ChangedPlace::Added(at.to_owned(), value::short(value, reader))
    }

    /// A value that is gone.
    pub(crate) fn removed(at: &str, value: Node<'_>, reader: &Redactor) -> ChangedPlace {
        ChangedPlace::Removed(at.to_owned(), value::short(value, reader))
    }

    /// The same below a pointer.
    #[must_use]
    pub(crate) fn below(self, pointer: &str) -> ChangedPlace {
        let join = |at: String| match at.as_str() {
            "/" if !pointer.is_empty() => pointer.to_owned(),
            _ => format!("{pointer}{at}"),
        };
        match self {
            ChangedPlace::Added(at, value) => ChangedPlace::Added(join(at), value),
            ChangedPlace::Removed(at, value) => ChangedPlace::Removed(join(at), value),
            ChangedPlace::Changed(at, old, new) => ChangedPlace::Changed(join(at), old, new),
        }
    }
}

/// The changes from `old` to `new` in the order of `old`, and how many there are besides the first [`LISTED`]. Both are
/// walked without recursion.
pub(crate) fn changes(
    old: Node<'_>,
    new: Node<'_>,
    reader: &Redactor,
) -> (Vec<ChangedPlace>, usize) {
    let mut out = Vec::new();
    let mut more = 0;
    let mut report = |change: ChangedPlace| {
        if out.len() < LISTED { out.push(change) } else { more += 1 }
    };
    let mut todo = vec![(old, new, String::new())];
    while let Some((a, b, at)) = todo.pop() {
        if a.same_as(&b) {
            continue;
        }
        let inside = match (a.kind(), b.kind()) {
            (Kind::Object, Kind::Object) => members(a, b, &at, reader, &mut report),
            (Kind::Array, Kind::Array) => items(a, b, &at, reader, &mut report),
            _ => {
                let (old, new) = value::pair(a, b, reader);
                report(ChangedPlace::Changed(
                    if at.is_empty() { String::from("/") } else { at },
                    old,
                    new,
                ));
                continue;
            }
        };
        // The last one pushed is examined next.
        todo.extend(inside.into_iter().rev());
    }
    (out, more)
}

type ComparedPairs<'a> = Vec<(Node<'a>, Node<'a>, String)>;

/// The members that both have; tells those that only one has.
fn members<'a>(
    a: Node<'a>,
    b: Node<'a>,
    at: &str,
    reader: &Redactor,
    report: &mut impl FnMut(ChangedPlace),
) -> ComparedPairs<'a> {
    let new: HashMap<_, _> =
        b.members().filter_map(|(key, value)| Some((key.str()?, value))).collect();
    let mut seen: HashMap<_, usize> = HashMap::new();
    let mut both: Vec<Option<(Node<'a>, Node<'a>, String)>> = Vec::new();
    for (key, value) in a.members() {
        let Some(name) = key.str() else { continue };
        let pointer = format!("{at}/{}", step(&name, reader));
        let pair = new.get(&name).map(|other| (value, *other, pointer.clone()));
        if pair.is_none() {
            report(ChangedPlace::Removed(pointer, value::short(value, reader)));
        }
        // Of equal keys the last one counts.
        if let Some(earlier) = seen.insert(name, both.len()) {
            both[earlier] = None;
        }
        both.push(pair);
    }
    for (key, value) in b.members() {
        if let Some(name) = key.str().filter(|name| !seen.contains_key(name)) {
            report(ChangedPlace::Added(
                format!("{at}/{}", step(&name, reader)),
                value::short(value, reader),
            ));
        }
    }
    both.into_iter().flatten().collect()
}

/// The items that stand against each other; tells those that only one list has.
fn items<'a>(
    a: Node<'a>,
    b: Node<'a>,
    at: &str,
    reader: &Redactor,
    report: &mut impl FnMut(ChangedPlace),
) -> ComparedPairs<'a> {
    let (old, new): (Vec<_>, Vec<_>) = (a.items().collect(), b.items().collect());
    let mut pairs = Vec::new();
    let mut others = Vec::new();
    let mut pair = |a: usize, b: usize, count: usize| {
        for (a, b) in (a..a + count).zip(b..) {
            if are_two(old[a], new[b]) {
                others.push((a, b))
            } else {
                pairs.push((old[a], new[b], format!("{at}/{b}")))
            }
        }
    };
    let mut only = |a: std::ops::Range<usize>, b: std::ops::Range<usize>| {
        a.for_each(|n| {
            report(ChangedPlace::Removed(format!("{at}/{n}"), value::short(old[n], reader)))
        });
        b.for_each(|n| {
            report(ChangedPlace::Added(format!("{at}/{n}"), value::short(new[n], reader)))
        });
    };
    let raw = |list: &[Node<'a>]| {
        list.iter().take(ALIGNED).map(|item| item.raw().into_owned()).collect::<Vec<_>>()
    };
    let ops = if old.len() == new.len() {
        vec![DiffOp::Equal { old_index: 0, new_index: 0, len: old.len() }]
    } else {
        capture_diff_slices(Algorithm::Myers, &raw(&old), &raw(&new))
    };
    for op in ops {
        match op {
            DiffOp::Equal { old_index, new_index, len } => pair(old_index, new_index, len),
            DiffOp::Delete { old_index, old_len, .. } => only(old_index..old_index + old_len, 0..0),
            DiffOp::Insert { new_index, new_len, .. } => only(0..0, new_index..new_index + new_len),
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                let count = old_len.min(new_len);
                pair(old_index, new_index, count);
                only(
                    old_index + count..old_index + old_len,
                    new_index + count..new_index + new_len,
                );
            }
        }
    }
    if old.len() != new.len() {
        let (a, b) = (old.len().min(ALIGNED), new.len().min(ALIGNED));
        let count = (old.len() - a).min(new.len() - b);
        pair(a, b, count);
        only(a + count..old.len(), b + count..new.len());
    }
    others.into_iter().for_each(|(a, b)| only(a..a + 1, b..b + 1));
    pairs
}

/// Whether an item took the place of another one, rather than being that with other members: they have nothing in common but
/// their type, or not even that.
fn are_two(a: Node<'_>, b: Node<'_>) -> bool {
    if a.kind() != Kind::Object || b.kind() != Kind::Object {
        return false;
    }
    let (mut is_type_kept, mut different) = (true, 0);
    for (key, value) in a.members() {
        let Some(name) = key.str() else { continue };
        let Some(other) = b.get(&name) else { continue };
        match (name == "type", value.same_as(&other)) {
            (true, is_same) => is_type_kept = is_same,
            (false, true) => return false,
            (false, false) => different += 1,
        }
    }
    let has_more =
        |node: Node<'_>| node.members().any(|(key, _)| key.str().is_none_or(|name| name != "type"));
    different > 1 || (!is_type_kept && has_more(a) && has_more(b))
}

/// A key as a step of a JSON pointer, escaped for printing.
fn step(key: &str, reader: &Redactor) -> String {
    escape(&reader.render(StringKind::Key, key).replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
#[path = "pointer_tests.rs"]
mod tests;
