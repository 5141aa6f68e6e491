//! What users recognize a session by.

use super::redact::{StringKind, redact_fields};
use super::text::Shown;
use crate::engine::Judged;
use crate::format::{FormatContext, about};
use crate::hosts;
use crate::transcript::time;

/// The date, project and words by which users recognize a session.
#[derive(Clone, Debug, Default)]
pub struct Introduction {
    /// The day of the first record.
    pub started: Option<String>,
    /// The day of the last record.
    pub date: Option<String>,
    /// The folder of the work.
    pub folder: Option<Shown>,
    /// The version of the program that wrote last.
    pub version: Option<String>,
    /// The model that was asked last.
    pub model: Option<Shown>,
    /// The title, or else the first words of the first prompt.
    pub words: Option<Shown>,
    /// The first words of the last prompt, if it is another one than the first.
    pub last: Option<Shown>,
}

redact_fields! { Introduction { folder, model, words, last } }

impl Introduction {
    pub(super) fn of(context: &FormatContext<'_>, judged: &Judged) -> Introduction {
        let (t, format) = (&judged.transcript, judged.detection.format);
        let times = || t.records().filter_map(|event| t.event(event).time());
        let first = hosts::first_prompt(context, format);
        let last = hosts::last_prompt(context, format).filter(|last| Some(last) != first.as_ref());
        let words = about::title(context, format).or(first);
        let day = |time: String| time.split('T').next().unwrap_or_default().to_owned();
        Introduction {
            started: times().min().map(time::format_naive).map(day),
            date: times().max().map(time::format_naive).map(day),
            model: about::model(context, format).map(|model| Shown::of(StringKind::Name, model)),
            version: about::version(context, format),
            folder: about::folder(context, format)
                .map(|folder| Shown::of(StringKind::Path, folder)),
            words: words.map(|words| Shown::of(StringKind::Text, words)),
            last: last.map(|last| Shown::of(StringKind::Text, last)),
        }
    }
}
