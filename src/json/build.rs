//! New nested JSON values, written in the layout of an existing record.

use std::borrow::Cow;

use super::node::Node;
use super::quote::JsonStyle;
use super::scan::{ScanMode, scan};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NewValue {
    Text(String),
    /// Raw JSON: a number, `null`, or a value already written in the layout of the record.
    Raw(Cow<'static, str>),
    /// Members in order.
    Object(Vec<(&'static str, NewValue)>),
    List(Vec<NewValue>),
}

impl NewValue {
    pub(crate) fn text(text: impl Into<String>) -> NewValue {
        NewValue::Text(text.into())
    }

    /// A value of a record, as it is written there.
    pub(crate) fn copy(node: Node<'_>) -> NewValue {
        NewValue::Raw(String::from_utf8_lossy(&node.raw()).into_owned().into())
    }

    pub(crate) const NULL: NewValue = NewValue::Raw(Cow::Borrowed("null"));

    pub(crate) fn object(members: impl IntoIterator<Item = (&'static str, NewValue)>) -> NewValue {
        NewValue::Object(members.into_iter().collect())
    }
}

/// Writes values in the layout of a record.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValueWriter {
    style: JsonStyle,
    /// Indentation of one level; `None` if everything is on one line.
    unit: Option<String>,
    /// Indentation of the line with the record's closing bracket.
    base: String,
}

impl ValueWriter {
    /// Takes the layout from the bytes of a record.
    pub(crate) fn of(record: &[u8]) -> ValueWriter {
        let tape = scan(record, ScanMode::Document);
        let style = JsonStyle::of(record, &tape);
        let last =
            record.iter().rposition(|byte| *byte == b'\n').map_or(&[][..], |at| &record[at + 1..]);
        let base: String = indentation(last);
        let unit = style.indent.map(|width| {
            let own = width.saturating_sub(base.len());
            if style.tabs { "\t" } else { " " }.repeat(own)
        });
        ValueWriter { style, unit, base }
    }

    /// How strings and separators are written.
    pub(crate) fn style(&self) -> JsonStyle {
        self.style
    }

    /// A writer with the same layout, indented for a value that replaces `node`.
    pub(crate) fn at(&self, node: Node<'_>) -> ValueWriter {
        const MOST: u32 = 4096;
        let start = node.span().start;
        let before = node.bytes(start.saturating_sub(MOST), start);
        let line =
            before.iter().rposition(|byte| *byte == b'\n').map_or(&[][..], |at| &before[at + 1..]);
        ValueWriter { base: indentation(line), ..self.clone() }
    }

    /// Writes a value in this layout.
    pub(crate) fn write(&self, value: &NewValue) -> Vec<u8> {
        let mut out = String::new();
        self.write_value(value, &self.base, &mut out);
        // A repair may keep very many of them.
        out.shrink_to_fit();
        out.into_bytes()
    }

    fn write_value(&self, value: &NewValue, indent: &str, out: &mut String) {
        match value {
            NewValue::Text(text) => out.push_str(&self.style.quote(text)),
            NewValue::Raw(raw) => out.push_str(raw),
            NewValue::Object(members) => {
                let colon = if self.style.colon_space { ": " } else { ":" };
                self.write_list(('{', '}'), members, indent, out, &|(key, value), inner, out| {
                    out.push_str(&self.style.quote(key));
                    out.push_str(colon);
                    self.write_value(value, inner, out);
                });
            }
            NewValue::List(items) => {
                self.write_list(('[', ']'), items, indent, out, &|item, inner, out| {
                    self.write_value(item, inner, out)
                });
            }
        }
    }

    fn write_list<T>(
        &self,
        brackets: (char, char),
        items: &[T],
        indent: &str,
        out: &mut String,
        each: &dyn Fn(&T, &str, &mut String),
    ) {
        out.push(brackets.0);
        let inner = self.unit.as_ref().map_or_else(String::new, |unit| format!("{indent}{unit}"));
        for (number, item) in items.iter().enumerate() {
            if number > 0 {
                out.push_str(if self.style.comma_space && self.unit.is_none() {
                    ", "
                } else {
                    ","
                });
            }
            if self.unit.is_some() {
                out.push('\n');
                out.push_str(&inner);
            }
            each(item, &inner, out);
        }
        if self.unit.is_some() && !items.is_empty() {
            out.push('\n');
            out.push_str(indent);
        }
        out.push(brackets.1);
    }
}

/// The white space at the start of a line.
fn indentation(line: &[u8]) -> String {
    line.iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .map(|byte| char::from(*byte))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_in_the_layout_of_the_record() {
        let value = NewValue::object([
            ("a", NewValue::text("é")),
            ("b", NewValue::List(vec![NewValue::Raw("1".into()), NewValue::Object(Vec::new())])),
        ]);
        let written = |record: &str| {
            String::from_utf8(ValueWriter::of(record.as_bytes()).write(&value)).unwrap()
        };
        assert_eq!(written(r#"{"x":1,"y":2}"#), r#"{"a":"é","b":[1,{}]}"#);
        assert_eq!(written(r#"{"x": 1, "y": 2}"#), r#"{"a": "\u00e9", "b": [1, {}]}"#);
        assert_eq!(
            written("{\n   \"x\": \"é\"\n  }"),
            "{\n   \"a\": \"é\",\n   \"b\": [\n    1,\n    {}\n   ]\n  }"
        );
    }
}
