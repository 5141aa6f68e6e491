//! A JSON value as one short text.

use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::report::redact::Redactor;
use crate::report::text::{PREVIEW, bytes_text, escape, fit};

/// Columns of a word, an ID or a number that is shown whole.
const WORD: usize = 48;
/// Characters of two long strings that are shown before where they part.
const BEFORE: usize = 12;
/// Characters of a number that tells no more than a position or a count.
const NUMBER: usize = 6;
/// Most members of an object that is shown with them, columns of all, and containers in each other.
const FEW: usize = 3;
const INSIDE: usize = 120;
const DEEPEST: usize = 2;
/// Bytes of a value that are examined.
const LOOKED_AT: u32 = 1 << 16;

/// A value: words, numbers and IDs whole, texts as a preview, small containers with what is in them, others by their size.
pub(super) fn short(node: Node<'_>, reader: &Redactor) -> String {
    nested(node, reader, DEEPEST)
}

fn nested(node: Node<'_>, reader: &Redactor, deeper: usize) -> String {
    let shows = deeper > 0 && !reader.hides_text();
    match node.kind() {
        Kind::String => text(&string(node), reader),
        Kind::Object => match node.members().take(1000).count() {
            0 => String::from("{}"),
            1..=FEW if shows => inside(
                node.members().map(|(key, value)| {
                    let [key, value] = [key, value].map(|own| nested(own, reader, deeper - 1));
                    format!("{key}: {value}")
                }),
                "{",
                "}",
            ),
            1 => String::from("{1 member}"),
            1000 => String::from("{1000 members or more}"),
            n => format!("{{{n} members}}"),
        },
        Kind::Array => match node.items().take(1000).count() {
            0 => String::from("[]"),
            1 if shows => {
                inside(node.items().map(|item| nested(item, reader, deeper - 1)), "[", "]")
            }
            1 => String::from("[1 item]"),
            1000 => String::from("[1000 items or more]"),
            n => format!("[{n} items]"),
        },
        Kind::Number if reader.hides_text() && node.span().len() > NUMBER => {
            reader.text(&literal(node))
        }
        _ => fit(&escape(&literal(node)), WORD).into_owned(),
    }
}

/// `{"type": "text", "text": "the first words …"}`
fn inside(values: impl Iterator<Item = String>, open: &str, close: &str) -> String {
    let values: Vec<String> = values.collect();
    fit(&format!("{open}{}{close}", values.join(", ")), INSIDE).into_owned()
}

/// Two values that differ; of two texts from where they part.
pub(super) fn pair(old: Node<'_>, new: Node<'_>, reader: &Redactor) -> (String, String) {
    if old.kind() != Kind::String || new.kind() != Kind::String {
        return (short(old, reader), short(new, reader));
    }
    let (a, b) = (string(old), string(new));
    let (short_a, short_b) = (text(&a, reader), text(&b, reader));
    if reader.hides_text() {
        return (short_a, short_b);
    }
    if a != b && short_a != short_b && is_word(&a) && is_word(&b) {
        return (short_a, short_b);
    }
    // What JSON can write and no text can hold is shown as it is written.
    let (a, b) = if a == b { (unquoted(old), unquoted(new)) } else { (a, b) };
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(BEFORE);
    (part(&a, from, reader), part(&b, from, reader))
}

/// A number or a word of JSON, as it is written.
fn literal(node: Node<'_>) -> String {
    bytes_text(&node.bytes(node.span().start, cut(node)))
}

/// A string as it is written, without its quotes.
fn unquoted(node: Node<'_>) -> String {
    let text = literal(node);
    text.trim_matches('"').to_owned()
}

/// The decoded text of a string, or of the beginning of a very long or open one.
fn string(node: Node<'_>) -> String {
    let whole = node.span().len() <= LOOKED_AT as usize;
    match node.str().filter(|_| whole) {
        Some(text) => text.into_owned(),
        None => bytes_text(&node.bytes(node.span().start.saturating_add(1), cut(node))),
    }
}

fn cut(node: Node<'_>) -> u32 {
    node.span().end.min(node.span().start.saturating_add(LOOKED_AT))
}

fn is_word(text: &str) -> bool {
    text.chars().take(WORD + 1).count() <= WORD && !text.contains(char::is_whitespace)
}

/// A whole text. An ID is shown as it is; only what has no blanks and is short can be one.
fn text(text: &str, reader: &Redactor) -> String {
    if reader.hides_text() {
        return reader.text(text);
    }
    if is_word(text) && (text.chars().count() < 40 || text.contains('-') || text.contains('_')) {
        return format!("\"{}\"", escape(text));
    }
    let shown = reader.text(text);
    let size = if text.chars().nth(PREVIEW).is_some() {
        format!(" ({} bytes)", text.len())
    } else {
        String::new()
    };
    format!("\"{shown}\"{size}")
}

fn part(text: &str, from: usize, reader: &Redactor) -> String {
    let rest: String = text.chars().skip(from).take(4 * PREVIEW).collect();
    let front = if from > 0 { "…" } else { "" };
    format!("\"{front}{}\"", reader.text(&rest))
}
