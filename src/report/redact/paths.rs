//! Paths without what they tell of people.

use super::shape;
use super::told::Reader;

/// A path: the home as `~`, other names as they are where they have the shape of such.
pub(super) fn shown(reader: &Reader, path: &str) -> String {
    let (mut out, rest) = match reader.people.below_a_home(path) {
        Some(rest) => (String::from("~"), rest),
        None => (String::new(), path),
    };
    let mut rest = rest;
    loop {
        let end = rest.find(['/', '\\']).unwrap_or(rest.len());
        let (part, behind) = rest.split_at(end);
        out.push_str(&component(reader, part));
        let mut behind = behind.chars();
        match behind.next() {
            Some(separator) => out.push(separator),
            None => return out,
        }
        rest = behind.as_str();
    }
}

fn component(reader: &Reader, part: &str) -> String {
    let part = reader.people.replace_words(part);
    if shape::is_file(&part) {
        part.into_owned()
    } else {
        reader.hidden("name", &part)
    }
}

/// The ending of a file's name, with its dot; "" where it has none that is a plain word.
pub(super) fn ending(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or("");
    let at = name.find('.').filter(|at| *at > 0);
    let ending = at.and_then(|at| name.get(at..)).unwrap_or("");
    let plain = ending.len() <= 12 && ending.bytes().all(|c| c.is_ascii_lowercase() || c == b'.');
    if plain { ending } else { "" }
}
