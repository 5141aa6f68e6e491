//! Readable differences between what a test expects and what it got.

use colored::Colorize;
use similar::TextDiff;

use super::Files;

/// The files that differ, as unified diffs: `-` is expected, `+` is actual.
pub(crate) fn difference(name: &str, wanted: &Files, made: &Files) -> String {
    let mut out = String::new();
    let only_made =
        made.iter().filter(|(file, _)| !wanted.contains_key(*file)).map(|(file, _)| file);
    for file in wanted.keys().chain(only_made) {
        let name =
            if name.ends_with(file.as_str()) { name.to_owned() } else { format!("{name}/{file}") };
        let [before, after] =
            [wanted, made].map(|files| files.get(file).map(Vec::as_slice).unwrap_or_default());
        if before != after || wanted.contains_key(file) != made.contains_key(file) {
            out += &text(&name, &printable(before), &printable(after));
        }
    }
    out + "UPDATE_FIXTURES=1 writes what is wanted anew; read the diff\n"
}

/// One unified diff in color.
pub(crate) fn text(name: &str, wanted: &str, made: &str) -> String {
    let diff = TextDiff::from_lines(wanted, made);
    let unified = diff
        .unified_diff()
        .header(&format!("{name} (wanted)"), &format!("{name} (made)"))
        .to_string();
    let color = |line: &str| match line.as_bytes().first() {
        Some(b'-') => format!("{}\n", line.red()),
        Some(b'+') => format!("{}\n", line.green()),
        Some(b'@') => format!("{}\n", line.cyan()),
        _ => format!("{line}\n"),
    };
    unified.lines().map(color).collect()
}

/// One member per line without control characters, so that a changed member of a long record is one
/// changed line.
fn printable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace(",\"", ",\n  \"").replace(", \"", ",\n  \"");
    let shown = |c: char| match c {
        '\n' => c.to_string(),
        c if c.is_control() => c.escape_default().to_string(),
        c => c.to_string(),
    };
    text.chars().map(shown).collect()
}
