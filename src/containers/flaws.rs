//! What strict readers reject in a record that can be read.

use super::RecordReader;
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::json::node::TapeText;
use crate::json::tape::{Flaw, FlawKind};
use crate::transcript::{Action, Code, Diagnostic, Effect, EventId, Subject, Transcript};

/// Reports what strict readers reject in a readable record, one diagnostic per kind of flaw. `at`
/// and the offsets of the flaws start where `text` does.
pub(super) fn flaws(
    t: &mut Transcript,
    event: EventId,
    at: Span,
    flaws: &[Flaw],
    text: &dyn TapeText,
    reading: &RecordReader,
) {
    if flaws.is_empty() {
        return;
    }
    let kinds: [(FlawKind, Code, &'static str, bool); 4] = [
        (FlawKind::LoneSurrogate, Code::LoneSurrogate, "half a surrogate pair in a string", true),
        (FlawKind::InvalidUtf8, Code::InvalidUtf8, "invalid UTF-8", false),
        (FlawKind::RawControl, Code::SplitRecord, "a raw control character in a string", true),
        (FlawKind::RawSeparator, Code::RawLineSeparator, "a raw line separator in a string", true),
    ];
    for (kind, code, message, safe) in kinds {
        // Not damage where the reader of this format accepts it.
        let harmless = match kind {
            FlawKind::RawSeparator => !reading.splits_on_separators,
            FlawKind::LoneSurrogate => reading.accepts_lone_surrogates,
            _ => false,
        };
        if harmless {
            continue;
        }
        let wanted = flaws.iter().filter(|flaw| flaw.kind == kind);
        let edits: Vec<Edit> = wanted
            .map(|flaw| Edit::Bytes {
                at: Span {
                    start: at.start + u64::from(flaw.start),
                    end: at.start + u64::from(flaw.end),
                    ..at
                },
                with: replacement(kind, &text.get(flaw.start, flaw.end)),
            })
            .collect();
        if edits.is_empty() {
            continue;
        }
        let mut diagnostic = Diagnostic::new(code, message, event);
        diagnostic.about = vec![Subject::Bytes(event)];
        let loads = reading.plain && kind == FlawKind::LoneSurrogate;
        diagnostic.effect = if loads { Effect::Refused } else { Effect::LoadFails };
        let word = if safe && code != Code::LoneSurrogate {
            "escape the character in {}"
        } else {
            "replace the bad characters in {}"
        };
        let actions = vec![Action::edits(event, word, edits)];
        diagnostic.fix_safely_if(safe, actions);
        t.diagnostics.push(diagnostic);
    }
}

/// The replacement of a flaw.
fn replacement(kind: FlawKind, found: &[u8]) -> Vec<u8> {
    match kind {
        FlawKind::LoneSurrogate => b"\\ufffd".to_vec(),
        FlawKind::InvalidUtf8 => "\u{fffd}".as_bytes().to_vec(),
        _ => String::from_utf8_lossy(found)
            .encode_utf16()
            .flat_map(|unit| escape(unit).into_bytes())
            .collect(),
    }
}

fn escape(unit: u16) -> String {
    match unit {
        0x0A => "\\n".to_owned(),
        0x0D => "\\r".to_owned(),
        0x09 => "\\t".to_owned(),
        other => format!("\\u{other:04x}"),
    }
}
