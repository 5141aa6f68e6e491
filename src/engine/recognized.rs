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

/// The format that is detected without knowing what the source was.
pub(crate) fn detected(entries: &dyn Entries, name: &str, was: &Detection) -> Option<Recognized> {
    match detect(&sample(entries, name, was)?) {
        Detected::Is(what) => Some(what),
        Detected::Unclear(_) => None,
    }
}

/// Whether the format of the source is detected without `--from`.
pub(crate) fn is_detected(entries: &dyn Entries, name: &str, was: &Detection) -> bool {
    let found = detected(entries, name, was);
    matches!(found, Some(Recognized::Read(own)) if own.format.name == was.format.name)
}

/// Whether a transcript of this format is recognized by those who know the format.
pub(crate) fn is_again(entries: &dyn Entries, name: &str, was: &Detection) -> bool {
    sample(entries, name, was).is_some_and(|head| recognize_again(&head, was).is_some())
}

/// Whether the result is still recognized as a transcript, and as one of its format, if the source was. An empty file is not,
/// because it is not healthy; a single remaining event is.
pub(crate) fn stays(
    (entries, name): (&dyn Entries, &str),
    after: &dyn Entries,
    was: &Detection,
) -> bool {
    let is_found = detected(after, name, was).is_some() || !is_detected(entries, name, was);
    is_found && (is_again(after, name, was) || !is_again(entries, name, was))
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
            patch.is_empty() || stays(source, &Overlay::new(source.0, &patch), detection)
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
