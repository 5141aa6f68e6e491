//! New objects in the layout of an existing one: the same white space, depth and escapes.

use super::node::Node;
use super::quote::JsonStyle;
use super::scan::{ScanMode, scan};
use super::tape::Kind;

/// The layout of an object, also inside an indented document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ObjectLayout {
    /// White space after the opening bracket.
    open: Vec<u8>,
    /// Separator of two members.
    comma: Vec<u8>,
    /// Separator of a key and its value.
    colon: Vec<u8>,
    /// White space before the closing bracket.
    close: Vec<u8>,
    style: JsonStyle,
}

impl ObjectLayout {
    /// The layout of this object. If it is not an object or has fewer than two members, a layout
    /// with spaces.
    pub(crate) fn of(bytes: &[u8]) -> ObjectLayout {
        let tape = scan(bytes, ScanMode::Document);
        let style = JsonStyle::of(bytes, &tape);
        let root =
            Node::root(&tape, &bytes).filter(|root| root.kind() == Kind::Object && !root.is_open());
        let members: Vec<(Node<'_>, Node<'_>)> =
            root.map(|root| root.members().collect()).unwrap_or_default();
        let plain = ObjectLayout {
            open: Vec::new(),
            comma: b", ".to_vec(),
            colon: b": ".to_vec(),
            close: Vec::new(),
            style,
        };
        let (Some(root), [(key, value), (second, _), ..], Some((_, last))) =
            (root, &members[..], members.last())
        else {
            return plain;
        };
        let gap =
            |from: u32, to: u32| bytes.get(from as usize..to as usize).unwrap_or_default().to_vec();
        ObjectLayout {
            open: gap(root.span().start + 1, key.span().start),
            comma: gap(value.span().end, second.span().start),
            colon: gap(key.span().end, value.span().start),
            close: gap(last.span().end, root.span().end.saturating_sub(1)),
            style,
        }
    }

    /// The layout of an object nested in one with this layout.
    pub(crate) fn inside(&self) -> ObjectLayout {
        let step = self.open.strip_prefix(self.close.as_slice()).unwrap_or_default();
        let deeper = |gap: &[u8]| {
            if gap.contains(&b'\n') { [gap, step].concat() } else { gap.to_vec() }
        };
        ObjectLayout {
            open: deeper(&self.open),
            comma: deeper(&self.comma),
            close: deeper(&self.close),
            ..self.clone()
        }
    }

    pub(crate) fn quote(&self, s: &str) -> Vec<u8> {
        self.style.quote(s).into_bytes()
    }

    /// Writes an object with these members in order; the values are raw JSON.
    pub(crate) fn object(&self, members: &[(&str, Vec<u8>)]) -> Vec<u8> {
        if members.is_empty() {
            return b"{}".to_vec();
        }
        let list: Vec<Vec<u8>> = members
            .iter()
            .map(|(key, value)| [self.quote(key).as_slice(), &self.colon, value].concat())
            .collect();
        [b"{", self.open.as_slice(), &list.join(self.comma.as_slice()), &self.close, b"}"].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(sibling: &str) -> String {
        let layout = ObjectLayout::of(sibling.as_bytes());
        let inner = layout.inside().object(&[("c", b"1".to_vec())]);
        String::from_utf8(layout.object(&[("a", layout.quote("é")), ("b", inner)])).unwrap()
    }

    #[test]
    fn a_new_object_looks_like_its_neighbor() {
        assert_eq!(like(r#"{"x":1,"y":2}"#), r#"{"a":"é","b":{"c":1}}"#);
        assert_eq!(like(r#"{"x": 1, "y": 2}"#), r#"{"a": "\u00e9", "b": {"c": 1}}"#);
        let nested = "{\n      \"x\": \"é\",\n      \"y\": [],\n      \"z\": 1\n    }";
        let wanted = "{\n      \"a\": \"é\",\n      \"b\": {\n        \"c\": 1\n      }\n    }";
        assert_eq!(like(nested), wanted);
    }

    #[test]
    fn a_value_without_layout_gets_spaces() {
        for odd in ["{}", r#"{"x":1}"#, "[1, 2]", "", "{\"x\":", "null"] {
            let object = ObjectLayout::of(odd.as_bytes())
                .object(&[("a", b"1".to_vec()), ("b", b"2".to_vec())]);
            assert_eq!(object, br#"{"a": 1, "b": 2}"#, "{odd}");
        }
    }
}
