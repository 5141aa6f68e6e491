//! The machine shape `transcript-doctor/report/v1`: one compact object and a line feed.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

use super::{Detail, OutputStyle};
use crate::explain::Explained;
use crate::report::model::Report;
use crate::report::text::is_dangerous;

/// Prints the report; `-qq` prints nothing.
pub(crate) fn write(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    value(report, out)
}

/// Prints explanations, one object and a line feed each.
pub(crate) fn explained(
    explanations: &[Explained],
    out: &mut dyn Write,
    _: &OutputStyle,
) -> io::Result<()> {
    explanations.iter().try_for_each(|one| value(one, out))
}

/// Any value as JSON and a line feed, such that no string in it can steer a terminal.
pub(crate) fn value(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    value
        .serialize(&mut Serializer::with_formatter(&mut *out, Careful))
        .map_err(io::Error::from)?;
    out.write_all(b"\n")
}

/// Writes the characters that [`is_dangerous`] names as `\uXXXX`.
struct Careful;

impl Formatter for Careful {
    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut plain = CompactFormatter;
        if fragment.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return plain.write_string_fragment(out, fragment);
        }
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_dangerous(*c)) {
            let (before, behind) = rest.split_at(at);
            plain.write_string_fragment(out, before)?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            rest = behind.get(c.len_utf8()..).unwrap_or("");
        }
        plain.write_string_fragment(out, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::text;
    use super::*;
    use crate::report::sample;

    #[test]
    fn dangerous_characters_are_escaped_and_still_exact() {
        let bad = "a\u{1b}\"\\\n\u{7f}\u{202e}é\u{e0001}";
        let mut out = Vec::new();
        value(&bad, &mut out).unwrap();
        assert_eq!(out, "\"a\\u001b\\\"\\\\\\n\\u007f\\u202eé\\udb40\\udc01\"\n".as_bytes());
        assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), bad);
    }

    #[test]
    fn the_shape_is_the_schema() {
        let shown = text("json", &sample::stuck(), &OutputStyle::default());
        let got: serde_json::Value = serde_json::from_str(&shown).unwrap();
        let wanted = serde_json::json!({
            "schema": "transcript-doctor/report/v1",
            "tool": {"name": "transcript-doctor", "version": env!("CARGO_PKG_VERSION")},
            "target": "anthropic",
            "summary": {"conversations": 1, "empty": 0, "healthy": 0, "stuck": 1, "lossy": 0, "pending": 0, "unreadable": 0,
                        "unknown": 0, "not_checked": 0},
            "conversations": [{
                "path": "conversations/fcbbaec2", "format": "openhands", "host": "openhands", "session": "fcbbaec2",
                "verdict": "stuck", "live": false, "target": "anthropic", "target_certain": true, "target_from": "recorded model",
                "records": 66, "calls": 21,
                "findings": [{
                    "code": "TD104", "name": "two-results", "severity": "fatal", "confidence": "certain",
                    "fingerprint": "9b1f", "message": "two results for one tool call",
                    "call_ids": ["toolu_01EvREYhc5WD2xswPAvEc8ir"], "api_index": {"anthropic": 59},
                    "records": [
                        {"role": "call", "file": "events/event-00061-7f0c.json", "index": 61, "byte": [0, 100],
                         "id": "event-61", "kind": "ActionEvent", "time": "2026-01-21T09:48:05.911000Z",
                         "tool": "terminal", "call": "toolu_01EvREYhc5WD2xswPAvEc8ir"},
                        {"role": "placeholder", "file": "events/event-00063-7f0c.json", "index": 63, "byte": [0, 100],
                         "id": "event-63", "kind": "AgentErrorEvent", "time": "2026-01-21T09:48:16.588000Z",
                         "tool": "terminal", "call": "toolu_01EvREYhc5WD2xswPAvEc8ir"},
                        {"role": "result", "file": "events/event-00065-7f0c.json", "index": 65, "byte": [0, 100],
                         "id": "event-65", "kind": "ObservationEvent", "time": "2026-01-21T09:48:18.847000Z",
                         "tool": "terminal", "call": "toolu_01EvREYhc5WD2xswPAvEc8ir"}],
                    "fix": {"applicability": "safe", "actions": [
                        {"op": "remove", "file": "events/event-00063-7f0c.json", "index": 63, "says": "remove event 63", "reason": "placeholder"}]}
                }],
                "pending": [], "unknown_side_effects": []
            }],
            "not_checked": [], "skipped": [], "exit_code": 1
        });
        assert_eq!(got, wanted);
    }
}
