use super::*;
use crate::bytes::overlay::Overlay;
use crate::bytes::source::Source;
use proptest::collection::vec;
use proptest::prelude::*;

const A: EntryId = EntryId(0);

fn put(start: u64, end: u64, with: &str) -> Edit {
    Edit::Bytes { at: Span { entry: A, start, end }, with: with.into() }
}

fn patch(edits: Vec<Edit>) -> Patch {
    Patch::new(edits).unwrap()
}

/// All entries by name, read with `open`; `fetch` must agree.
fn content(entries: &dyn Entries) -> BTreeMap<String, Vec<u8>> {
    let ids = entries.ids();
    assert!(ids.windows(2).all(|pair| entries.name(pair[0]) < entries.name(pair[1])));
    ids.into_iter()
        .map(|id| {
            let mut bytes = Vec::new();
            entries.open(id).unwrap().read_to_end(&mut bytes).unwrap();
            assert_eq!(entries.len(id), bytes.len() as u64);
            assert_eq!(
                entries.fetch(Span { entry: id, start: 0, end: entries.len(id) }).unwrap(),
                bytes
            );
            (entries.name(id).to_string(), bytes)
        })
        .collect()
}

fn one(text: &str) -> Source {
    Source::memory("a", vec![("a".into(), text.into())])
}

fn after(base: &dyn Entries, patch: &Patch) -> String {
    String::from_utf8(content(&Overlay::new(base, patch)).remove("a").unwrap()).unwrap()
}

#[test]
fn adjacent_edits_are_one_and_empty_ones_none() {
    let made = patch(vec![put(4, 4, "x"), put(2, 4, ""), put(0, 2, "y"), put(9, 9, "")]);
    assert_eq!(made.bytes_of(A), [ByteEdit { start: 0, end: 4, with: b"yx".to_vec() }]);
    assert!(patch(vec![put(3, 3, "")]).is_empty());
}

#[test]
fn an_insertion_at_the_edge_of_a_replaced_range_keeps_its_side() {
    let base = one("abcdef");
    assert_eq!(
        after(&base, &patch(vec![put(2, 4, "X"), put(2, 2, "<"), put(4, 4, ">")])),
        "ab<X>ef"
    );
}

#[test]
fn an_insertion_that_is_removed_again_vanishes() {
    let base = one("abcdef");
    let both = patch(vec![put(3, 3, "xyz")]).then(patch(vec![put(3, 6, "")]), &base);
    assert!(both.is_empty());
    let both = patch(vec![put(1, 3, "")]).then(patch(vec![put(1, 1, "bc")]), &base);
    assert!(both.is_empty());
}

#[test]
fn bytes_replaced_by_themselves_are_not_edited() {
    let base = one("abcdef");
    let both = patch(vec![put(1, 5, "bXde")]).then(patch(vec![put(0, 0, "")]), &base);
    assert_eq!(both.bytes_of(A).len(), 1);
    let both = patch(vec![put(1, 5, "b12e")]).then(patch(vec![put(5, 5, "!")]), &base);
    assert_eq!(both.bytes_of(A), [ByteEdit { start: 2, end: 5, with: b"12e!".to_vec() }]);
    let both = patch(vec![put(1, 5, "b12e")]).then(patch(vec![put(4, 5, "e")]), &base);
    assert_eq!(both.bytes_of(A), [ByteEdit { start: 2, end: 4, with: b"12".to_vec() }]);
}

#[test]
fn edits_through_created_and_renamed_entries() {
    let base = one("abc");
    let first = patch(vec![
        Edit::Rename(A, "b".into()),
        Edit::Create { name: "m".into(), bytes: b"new".to_vec() },
        Edit::Create { name: "n".into(), bytes: b"other".to_vec() },
    ]);
    let next = patch(vec![
        Edit::Rename(A, "a".into()),
        Edit::Remove(EntryId(1)),
        Edit::Bytes { at: Span { entry: EntryId(2), start: 0, end: 1 }, with: b"O".to_vec() },
    ]);
    let both = first.then(next, &base);
    assert_eq!(both, patch(vec![Edit::Create { name: "n".into(), bytes: b"Other".to_vec() }]));
}

#[test]
fn an_edit_outside_its_entry_is_an_error() {
    let base = one("abc");
    for at in [(2, 9), (7, 8), (u64::MAX, u64::MAX)] {
        let made = patch(vec![put(at.0, at.1, "x")]);
        let overlay = Overlay::new(&base, &made);
        assert!(overlay.open(A).is_err(), "{at:?}");
        assert!(made.inverse(&base).is_err(), "{at:?}");
        let _ = overlay.fetch(Span { entry: A, start: 0, end: overlay.len(A) });
        let _ = made.clone().then(patch(vec![put(0, u64::MAX, "y")]), &base);
    }
}

/// Raw material for one edit: kind, entry, two offsets, bytes. A small alphabet makes edits cancel
/// each other often.
type Raw = (u8, u8, u8, u8, Vec<u8>);

fn raw() -> impl Strategy<Value = Raw> {
    (0u8..12, any::<u8>(), any::<u8>(), any::<u8>(), vec(97u8..100, 0..5))
}

/// A patch that fits the entries, of those raw edits that do not conflict and keep names unique.
fn fitting(entries: &dyn Entries, raw: &[Raw]) -> Patch {
    let ids = entries.ids();
    let mut taken = EditSet::default();
    for (what, which, from, to, with) in raw {
        let name = format!("n{}", which % 7);
        let target = ids.get(*which as usize % ids.len().max(1)).copied();
        let edit = match (what, target) {
            (0, _) => Edit::Create { name, bytes: with.clone() },
            (1, Some(id)) => Edit::Remove(id),
            (2, Some(id)) => Edit::Rename(id, name),
            (_, Some(entry)) => {
                let len = entries.len(entry);
                let (from, to) = (u64::from(*from) % (len + 1), u64::from(*to) % (len + 1));
                let span =
                    Span { entry, start: from.min(to), end: from.max(to).min(from.min(to) + 4) };
                Edit::Bytes { at: span, with: with.clone() }
            }
            (_, None) => continue,
        };
        let before = taken.clone();
        if taken.add_group(vec![edit]).is_ok() {
            let made = Patch::from(taken.clone());
            let overlay = Overlay::new(entries, &made);
            let names: BTreeSet<String> =
                overlay.ids().iter().map(|&id| overlay.name(id).to_string()).collect();
            if names.len() < overlay.ids().len() {
                taken = before;
            }
        }
    }
    taken.into()
}

fn bases() -> impl Strategy<Value = Vec<Vec<u8>>> {
    vec(vec(97u8..100, 0..24), 0..4)
}

fn source(list: Vec<Vec<u8>>) -> Source {
    let named = list.into_iter().enumerate().map(|(at, bytes)| (format!("n{at}"), bytes));
    Source::memory("base", named.collect())
}

proptest! {
    #[test]
    fn composing_two_patches_equals_applying_both(base in bases(), a in vec(raw(), 0..8), b in vec(raw(), 0..8)) {
        let base = source(base);
        let first = fitting(&base, &a);
        let middle = Overlay::new(&base, &first);
        let next = fitting(&middle, &b);
        let want = content(&Overlay::new(&middle, &next));
        let both = first.clone().then(next.clone(), &base);
        prop_assert_eq!(content(&Overlay::new(&base, &both)), want);
        // The result is in normal form, as if it had been made in one step.
        prop_assert_eq!(Patch::new(both.edits()), Ok(both.clone()));
        for entry in both.changed_entries() {
            prop_assert!(both.bytes_of(entry).windows(2).all(|pair| pair[0].end < pair[1].start));
        }
    }

    #[test]
    fn composition_is_associative(base in bases(), a in vec(raw(), 0..6), b in vec(raw(), 0..6), c in vec(raw(), 0..6)) {
        let base = source(base);
        let a = fitting(&base, &a);
        let after_a = Overlay::new(&base, &a);
        let b = fitting(&after_a, &b);
        let joined = a.clone().then(b.clone(), &base);
        let after_b = Overlay::new(&base, &joined);
        let c = fitting(&after_b, &c);
        let want = content(&Overlay::new(&after_b, &c));
        prop_assert_eq!(content(&Overlay::new(&base, &joined.clone().then(c, &base))), want);
    }

    #[test]
    fn the_inverse_restores_every_byte(base in bases(), a in vec(raw(), 0..10)) {
        let base = source(base);
        let made = fitting(&base, &a);
        let patched = Overlay::new(&base, &made);
        let back = made.inverse(&base).unwrap();
        prop_assert_eq!(content(&Overlay::new(&patched, &back)), content(&base));
        prop_assert_eq!(Patch::new(back.edits()), Ok(back.clone()));
        // A patch and its inverse combined are empty, unless an entry was removed: then it is
        // created again.
        let nothing = made.clone().then(back, &base);
        prop_assert!(nothing.is_empty() || base.ids().iter().any(|&id| made.removes(id)));
    }

    #[test]
    fn fetch_agrees_with_open(base in bases(), a in vec(raw(), 0..10), from in any::<u8>(), to in any::<u8>(), step in 1usize..5) {
        let base = source(base);
        let made = fitting(&base, &a);
        let overlay = Overlay::new(&base, &made);
        for id in overlay.ids() {
            let len = overlay.len(id);
            let (from, to) = (u64::from(from) % (len + 1), u64::from(to) % (len + 1));
            let (start, end) = (from.min(to), from.max(to));
            // Read in small steps, so that edits fall into the middle of a buffer.
            let mut whole = Vec::new();
            let mut reader = overlay.open(id).unwrap();
            let mut buf = vec![0; step];
            loop {
                let got = reader.read(&mut buf).unwrap();
                if got == 0 {
                    break;
                }
                whole.extend_from_slice(&buf[..got]);
            }
            let span = overlay.fetch(Span { entry: id, start, end }).unwrap();
            prop_assert_eq!(&span[..], &whole[start as usize..end as usize]);
            let beyond = Span { entry: id, start, end: len + 1 };
            prop_assert!(overlay.fetch(beyond).is_err());
        }
    }
}
