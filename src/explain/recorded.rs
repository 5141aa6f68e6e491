//! Recorded errors: what a provider or host said in the transcript when it stopped.

use serde::Serialize;

use super::error::{Paste, PastedText, decode};
use crate::engine::Judged;
use crate::formats::FormatContext;
use crate::report::redact::{StringKind, redact_fields};
use crate::report::text::Shown;
use crate::transcript::{EventId, facts, time};

/// Most recorded errors examined, from the end.
const LOOKED_AT: usize = 5;

/// The last recorded error that can come from damage, read like a pasted one.
#[derive(Debug, Serialize)]
pub struct Recorded {
    /// What the number counts: `line` (from 1) or `event` (from 0).
    pub unit: &'static str,
    /// The number of its record.
    pub number: u64,
    /// When, as recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The words of the error that are a known text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<Shown>,
    /// What it says.
    pub read: PastedText,
    /// The findings that it leads to: indices into the findings of the conversation. Empty if the
    /// transcript no longer has that damage.
    pub findings: Vec<usize>,
}

redact_fields! { Recorded { quote, read } }

pub(super) fn find(context: &FormatContext<'_>, judged: &Judged) -> Option<Recorded> {
    let t = &judged.transcript;
    let failed = t
        .with_inner()
        .filter(|event| t.value_of(*event, facts::FAILURE).is_some());
    let failed: Vec<EventId> = failed.collect();
    failed.iter().rev().take(LOOKED_AT).find_map(|event| {
        let text = (judged.detection.format.text)(context, *event)?;
        let paste = Paste::read(&text);
        let decoded = decode(&paste, judged);
        let read = PastedText::of_decoded(&decoded);
        let record = t.event(*event);
        (!read.codes.is_empty()).then(|| Recorded {
            unit: t.unit(*event),
            number: record.place().number(),
            time: record.time().map(time::format_naive),
            quote: decoded
                .quote()
                .map(|words| Shown::of(StringKind::Quote, words)),
            read,
            findings: if decoded.found {
                decoded.findings.clone()
            } else {
                Vec::new()
            },
        })
    })
}
