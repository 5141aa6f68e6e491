//! Recorded errors: what a provider or host said in the transcript when it stopped.

use serde::Serialize;

use super::error::{Paste, PastedText, decode};
use crate::engine::Judged;
use crate::format::FormatContext;
use crate::report::redact::{StringKind, redact_fields};
use crate::report::text::Shown;
use crate::transcript::{EventId, Role, facts, time};

/// Most recorded errors examined, from the end.
const LOOKED_AT: usize = 5;
/// Most characters of an error of unknown wording that are quoted.
const QUOTED: usize = 400;

/// The last recorded error that says something about the transcript, read like a pasted one.
#[derive(Debug, Serialize)]
pub struct Recorded {
    /// What the number counts: `line` (from 1) or `event` (from 0).
    pub unit: &'static str,
    /// The number of its record.
    pub number: u64,
    /// When, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The words of the error that are a known text; of an unknown one, its beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<Shown>,
    /// What it says.
    pub read: PastedText,
    /// The findings that it leads to: indices into the findings of the conversation. Empty if no
    /// such damage is seen.
    pub findings: Vec<usize>,
    pub ended: Ended,
}

redact_fields! { Recorded { quote, read } }

/// What came of a recorded error.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The model answered again.
    Answered,
    /// The request was refused, and no answer follows: the next one will be, too.
    Refused,
    /// The request failed for another reason, as overload or an account, and no answer follows.
    Failed,
    /// Nobody knows whether the request was refused.
    Unclear,
}

/// Words of errors that pass, or that concern the account or the network. They come first: a proxy may put such an error into a
/// response with another status.
const PASSING: [&str; 27] = [
    "429",
    "500",
    "502",
    "503",
    "504",
    "529",
    "401",
    "402",
    "403",
    "overloaded",
    "rate limit",
    "rate_limit",
    "quota",
    "usage limit",
    "credit balance",
    "billing",
    "authentication",
    "unauthorized",
    "api key",
    "oauth",
    "timed out",
    "timeout",
    "disconnected",
    "connection",
    "network",
    "unavailable",
    "internal server error",
];
/// Words of errors that refuse the request itself.
const REFUSING: [&str; 19] = [
    "400",
    "404",
    "413",
    "422",
    "invalid_request",
    "invalid request",
    "invalid argument",
    "invalid_argument",
    "bad request",
    "badrequest",
    "validationexception",
    "[api error",
    "unsupported parameter",
    "unsupported value",
    "unknown parameter",
    "missing required parameter",
    "invalid value",
    "invalid type",
    "does not match pattern",
];

/// What an error with these words means if no answer follows.
fn ended(text: &str) -> Ended {
    let text = text.to_lowercase();
    let passes = PASSING.iter().any(|word| has(&text, word));
    let refuses = REFUSING.iter().any(|word| has(&text, word));
    match (passes, refuses) {
        (true, _) => Ended::Failed,
        (false, true) => Ended::Refused,
        (false, false) => Ended::Unclear,
    }
}

fn has(text: &str, word: &str) -> bool {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let mut found = text.match_indices(word);
    found.any(|(at, _)| {
        let around = [text[..at].chars().next_back(), text[at + word.len()..].chars().next()];
        // A number is not part of a longer one, of an ID or of a path.
        !is_number || around.iter().flatten().all(|c| !c.is_alphanumeric() && !"._-[".contains(*c))
    })
}

pub(super) fn find(context: &FormatContext<'_>, judged: &Judged) -> Option<Recorded> {
    let t = &judged.transcript;
    let failed = t.with_inner().filter(|event| t.value_of(*event, facts::FAILURE).is_some());
    let failed: Vec<EventId> = failed.collect();
    let last_answer = t.with_inner().rfind(|event| {
        t.event(*event).role == Role::Assistant && t.value_of(*event, facts::FAILURE).is_none()
    });
    failed.iter().rev().take(LOOKED_AT).find_map(|event| {
        let text = (judged.detection.format.text)(context, *event)?;
        let paste = Paste::recorded(&text);
        let decoded = decode(&paste, judged, context.entries);
        let read = PastedText::of_decoded(&decoded);
        let is_known = !read.codes.is_empty();
        let ended = match ended(&text) {
            _ if last_answer.is_some_and(|answer| answer > *event) => Ended::Answered,
            // Only a refused request has such a text.
            Ended::Unclear if is_known => Ended::Refused,
            ended => ended,
        };
        let record = t.event(*event);
        (is_known || matches!(ended, Ended::Refused | Ended::Failed)).then(|| Recorded {
            unit: t.unit(*event),
            number: record.place().number(),
            time: record.time().map(time::format_utc),
            quote: if is_known {
                decoded.quote().map(str::to_owned)
            } else {
                Some(text.trim().chars().take(QUOTED).collect())
            }
            .map(|words: String| Shown::of(StringKind::Quote, words)),
            read,
            findings: if decoded.found { decoded.findings.clone() } else { Vec::new() },
            ended,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_request_is_not_a_busy_provider() {
        for (text, wanted) in [
            ("API Error: 400 messages.1: what is that?", Ended::Refused),
            ("[API Error: Unsupported MIME type: text/x-pots]", Ended::Refused),
            ("{\"type\":\"invalid_request_error\"}", Ended::Refused),
            ("API Error: 529 Overloaded", Ended::Failed),
            ("stream disconnected before completion", Ended::Failed),
            ("400 Your credit balance is too low", Ended::Failed),
            ("The conversation reached 4000 messages", Ended::Unclear),
            ("messages[400].role", Ended::Unclear),
        ] {
            assert_eq!(ended(text), wanted, "{text}");
        }
    }
}
