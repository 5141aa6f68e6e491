//! Whether the result of a change would still be recognized by a check that does not know what it was made from.

use crate::bytes::edit::Edit;
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, EntryId};
use crate::containers::Layout;
use crate::detect::candidates::{Detected, Recognized, detect};
use crate::detect::recognize_again;
use crate::format::Detection;
use crate::format::head::Sample;
use crate::rules::Finding;
use crate::transcript::{Action, Code, Fix};

/// A sample of the first records.
pub(crate) fn sample<'a>(
    entries: &'a dyn Entries,
    name: &'a str,
    was: &Detection,
) -> Option<Sample<'a>> {
    match was.layout {
        Layout::Files(_) => Some(Sample::of_names(entries, name)),
        _ => Sample::of_file(entries, EntryId(0), name).ok(),
    }
}

/// What somebody sees in a transcript who does not know what it was made from.
pub(crate) struct Recognition {
    /// The format that is detected.
    pub detected: Option<Recognized>,
    /// Those who know the format recognize it.
    is_again: bool,
}

impl Recognition {
    pub(crate) fn of(entries: &dyn Entries, name: &str, was: &Detection) -> Recognition {
        let Some(head) = sample(entries, name, was) else {
            return Recognition { detected: None, is_again: false };
        };
        let detected = match detect(&head) {
            Detected::Is(what) => Some(what),
            Detected::Unclear(_) => None,
        };
        Recognition { detected, is_again: recognize_again(&head, was).is_some() }
    }

    /// Whether the format is detected without `--from`.
    pub(crate) fn is_detected(&self, was: &Detection) -> bool {
        let found = self.detected.as_ref();
        matches!(found, Some(Recognized::Read(own)) if own.format.name == was.format.name)
    }

    /// Whether this result is still recognized as a transcript, and as one of its format, if the source was. An empty file is
    /// not, because it is not healthy; a single remaining event is.
    pub(crate) fn stays(&self, source: impl FnOnce() -> Recognition, was: &Detection) -> bool {
        if self.detected.is_some() && self.is_again {
            return true;
        }
        let source = source();
        let is_found = self.detected.is_some() || !source.is_detected(was);
        is_found && (self.is_again || !source.is_again)
    }
}

/// Whether a transcript of this format is recognized by those who know the format.
pub(crate) fn is_again(entries: &dyn Entries, name: &str, was: &Detection) -> bool {
    sample(entries, name, was).is_some_and(|head| recognize_again(&head, was).is_some())
}

/// Takes back the fixes that close a document of which too little is left: a repair would leave them out.
pub(super) fn keep_recognizable(
    source: (&dyn Entries, &str),
    detection: &Detection,
    findings: &mut [Finding],
) {
    if !detection.layout.is_document() || detection.conversations.are_rows() {
        return;
    }
    // There is one such finding at most, so the beginning of a document is read a few times at most.
    for finding in findings.iter_mut().filter(|finding| finding.rule.code == Code::TornTail) {
        finding.fixes.retain(|fix| {
            let edits = edits(fix);
            let Ok(patch) = Patch::new(edits) else {
                return true;
            };
            let (entries, name) = source;
            let after = Recognition::of(&Overlay::new(entries, &patch), name, detection);
            patch.is_empty() || after.stays(|| Recognition::of(entries, name, detection), detection)
        });
    }
}

/// What a fix changes in bytes.
fn edits(fix: &Fix) -> Vec<Edit> {
    let bytes = fix.actions.iter().filter_map(|action| match action {
        Action::EditBytes { edits, .. } => Some(edits.iter().cloned()),
        _ => None,
    });
    bytes.flatten().collect()
}
