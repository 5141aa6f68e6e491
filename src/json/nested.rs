//! JSON within a JSON string, checked without unescaping it.
//!
//! Most dialects write the arguments of calls so. Almost all arguments are plain objects, for which this is enough; whatever
//! is unusual is unescaped and scanned like any other text.

use super::decode::next_backslash;

/// Deepest nesting that is checked here.
const DEEPEST: u32 = 32;

/// Whether the raw bytes of a string without flaws are certainly the text of one JSON object, also for strict parsers.
/// `false` leaves it open.
pub(super) fn is_plain_object(raw: &[u8]) -> bool {
    let mut text = Nested { rest: raw };
    text.space();
    let object = text.object(DEEPEST);
    text.space();
    object.is_some() && text.rest.is_empty()
}

/// The rest of a text that is escaped once. Each method takes one thing from its start, or returns `None`.
struct Nested<'a> {
    rest: &'a [u8],
}

impl Nested<'_> {
    fn object(&mut self, deepest: u32) -> Option<()> {
        self.container(b"{", b"}", |text| {
            text.string()?;
            text.space();
            text.take(b":")?;
            text.space();
            text.value(deepest)
        })
    }

    fn array(&mut self, deepest: u32) -> Option<()> {
        self.container(b"[", b"]", |text| text.value(deepest))
    }

    fn container(
        &mut self,
        open: &[u8],
        close: &[u8],
        element: impl Fn(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.take(open)?;
        self.space();
        if self.take(close).is_some() {
            return Some(());
        }
        loop {
            element(self)?;
            self.space();
            if self.take(b",").is_none() {
                return self.take(close);
            }
            self.space();
        }
    }

    fn value(&mut self, deepest: u32) -> Option<()> {
        match self.rest.first()? {
            b'{' => self.object(deepest.checked_sub(1)?),
            b'[' => self.array(deepest.checked_sub(1)?),
            b'\\' => self.string(),
            b't' => self.take(b"true"),
            b'f' => self.take(b"false"),
            b'n' => self.take(b"null"),
            _ => self.number(),
        }
    }

    fn string(&mut self) -> Option<()> {
        self.take(b"\\\"")?;
        loop {
            let at = next_backslash(self.rest, 0)?;
            self.rest = self.rest.get(at + 1..)?;
            let length = match self.rest {
                [b'"', ..] => return self.take(b"\""),
                // An escape of the inner string.
                [b'\\', b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
                [b'\\', b'\\', b'"' | b'\\', ..] => 3,
                [b'\\', b'u', digits @ ..]
                    if digits.first_chunk::<4>()?.iter().all(u8::is_ascii_hexdigit) =>
                {
                    6
                }
                // A character, unless it is one of those that must be escaped once more.
                [b'u', high, low, ..] if (*high, *low) != (b'0', b'0') => 5,
                [b'/', ..] => 1,
                _ => return None,
            };
            self.rest = self.rest.get(length..)?;
        }
    }

    fn number(&mut self) -> Option<()> {
        self.take(b"-");
        if self.take(b"0").is_none() {
            self.digits()?;
        }
        if self.take(b".").is_some() {
            self.digits()?;
        }
        if self.take(b"e").or_else(|| self.take(b"E")).is_some() {
            self.take(b"+").or_else(|| self.take(b"-"));
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let count = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.rest = self.rest.get(count..)?;
        (count > 0).then_some(())
    }

    fn space(&mut self) {
        while let [b' ', rest @ ..] | [b'\\', b'n' | b'r' | b't', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    fn take(&mut self, word: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(word)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::decode::unescape_bytes;
    use crate::json::scan::{ScanMode, scan, scan_outermost};
    use crate::json::tape::{Kind, RecordEnd};

    /// Whether the string with these raw bytes has no flaws, and whether its text is one JSON object without flaws.
    fn slowly(raw: &[u8]) -> (bool, bool) {
        let string = [b"\"", raw, b"\""].concat();
        let outer = scan(&string, ScanMode::Document);
        let is_string = outer.tokens.first().is_some_and(|token| token.kind == Kind::String);
        let is_sound = outer.end == RecordEnd::Whole && is_string && outer.flaws.is_empty();
        if !is_sound {
            return (false, false);
        }
        let inner = scan_outermost(&unescape_bytes(raw));
        let is_object = inner.tokens.first().is_some_and(|token| token.kind == Kind::Object);
        (true, inner.end == RecordEnd::Whole && is_object)
    }

    #[test]
    fn common_arguments_are_plain_objects() {
        for raw in [
            r#"{}"#,
            r#" {\"a\": 1, \"b\": [-0.5e+3, 20, true, null], \"c\": {\"d\": {}}}\n"#,
            r#"{\"command\":\"printf '%s\\\\n' \\\"$x\\\"\\n# \u4f1a \\u4f1a é\"}"#,
        ] {
            assert!(is_plain_object(raw.as_bytes()), "{raw}");
            assert_eq!(slowly(raw.as_bytes()), (true, true), "{raw}");
        }
    }

    #[test]
    fn what_is_plain_is_an_object_for_the_scanner() {
        let raw = r#" {\"k\\n\": [0, -1.5E-7, {\"\\u00e9\":\"\\\\\u4f1a\\\"\/\"}], \"x\": false}"#;
        let bytes = [
            b'\\', b'"', b'{', b'}', b'[', b']', b',', b':', b' ', b'0', b'1', b'-', b'.', b'e',
            b'n', b'u', b't', b'/', b'\n', 0xC3,
        ];
        let mut plain = 0;
        let mut try_bytes = |raw: &[u8]| {
            if let ((true, is_object), true) = (slowly(raw), is_plain_object(raw)) {
                assert!(is_object, "{}", String::from_utf8_lossy(raw));
                plain += 1;
            }
        };
        for at in 0..raw.len() {
            let (before, after) = raw.as_bytes().split_at(at);
            try_bytes(before);
            try_bytes(&[before, &after[1..]].concat());
            for first in bytes {
                try_bytes(&[before, &[first], after].concat());
                try_bytes(&[before, &[first], &after[1..]].concat());
                for second in bytes {
                    try_bytes(&[before, &[first, second], &after[1..]].concat());
                }
            }
        }
        assert!(plain > 100, "{plain} variants are plain");
    }

    #[test]
    fn deep_nesting_is_left_open() {
        let deep = "[".repeat(100) + &"]".repeat(100);
        assert!(!is_plain_object(format!(r#"{{\"a\":{deep}}}"#).as_bytes()));
    }
}
