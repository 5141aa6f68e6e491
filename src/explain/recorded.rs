//! What a provider or a host said in the recording itself when it refused to go on.

use serde::Serialize;

use super::error::{Paste, Read, decode};
use crate::engine::Judged;
use crate::formats::FormatContext;
use crate::report::redact::{Is, redact_fields};
use crate::report::text::Shown;
use crate::transcript::{EventId, attr, time};

/// Recorded errors that are looked at, from the end: one that is known is what counts.
const LOOKED_AT: usize = 5;

/// The last recorded error that speaks of damage, read as a pasted one would be.
#[derive(Debug, Serialize)]
pub struct Recorded {
    /// What the number counts: `line` (from 1) or `event` (from 0).
    pub unit: &'static str,
    /// The number of the record that holds it.
    pub number: u64,
    /// When, as recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Its own words, as far as they are known ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<Shown>,
    /// What it says.
    pub read: Read,
    /// The findings that it leads to: positions in the conversation's list. None: nothing of that kind is there any more.
    pub findings: Vec<usize>,
}

redact_fields! { Recorded { quote, read } }

pub(super) fn find(context: &FormatContext<'_>, judged: &Judged) -> Option<Recorded> {
    let t = &judged.transcript;
    let failed = t
        .with_inner()
        .filter(|event| t.attr_of(*event, attr::FAILURE).is_some());
    let failed: Vec<EventId> = failed.collect();
    failed.iter().rev().take(LOOKED_AT).find_map(|event| {
        let text = (judged.claim.format.text)(context, *event)?;
        let paste = Paste::read(&text);
        let decoded = decode(&paste, judged);
        let read = Read::of_decoded(&decoded);
        let record = t.event(*event);
        (!read.codes.is_empty()).then(|| Recorded {
            unit: record.place.unit(),
            number: record.place.number(),
            time: record.time.map(time::format_naive),
            quote: decoded.quote().map(|words| Shown::of(Is::Quote, words)),
            read,
            findings: if decoded.found {
                decoded.findings.clone()
            } else {
                Vec::new()
            },
        })
    })
}
