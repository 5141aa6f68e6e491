//! Removes the names of people from paths.

use super::reader::ReportReader;
use super::shape;

/// Renders a path: the home as `~`, other names unchanged if they have the shape of file names.
pub(super) fn render(reader: &ReportReader, path: &str) -> String {
    let (mut out, rest) = match reader.people.below_a_home(path) {
        Some(rest) => (String::from("~"), rest),
        None => (String::new(), path),
    };
    let mut rest = rest;
    loop {
        let end = rest.find(['/', '\\']).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        out.push_str(&component(reader, part));
        let mut after = after.chars();
        match after.next() {
            Some(separator) => out.push(separator),
            None => return out,
        }
        rest = after.as_str();
    }
}

fn component(reader: &ReportReader, part: &str) -> String {
    let part = reader.people.replace_words(part);
    if shape::is_file(&part) { part.into_owned() } else { reader.hidden("name", &part) }
}

/// The extension of a file name, with its dot; empty if it is not a plain word.
pub(super) fn extension(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or("");
    let at = name.find('.').filter(|at| *at > 0);
    let extension = at.and_then(|at| name.get(at..)).unwrap_or("");
    let plain =
        extension.len() <= 12 && extension.bytes().all(|c| c.is_ascii_lowercase() || c == b'.');
    if plain { extension } else { "" }
}
