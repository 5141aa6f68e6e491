//! Faults that a text names and that no check can see.

use super::Decoded;
use super::paste::Matched;
use super::places;
use crate::engine::{Blame, Judged};
use crate::format::FormatContext;
use crate::format::blamed::{BlameCandidate, Blamed, BlockPosition, candidates};
use crate::targets::errors::At;
use crate::transcript::{Code, Severity};

/// What to judge the conversation with once more. `None` if the text is about something else, if
/// nothing in the transcript can be meant, or if the transcript has another problem, which comes
/// first and may be why its numbers differ from ours. `context` is that of the first evaluation.
pub(crate) fn blamed(
    decoded: &Decoded<'_>,
    judged: &Judged,
    context: &FormatContext<'_>,
) -> Option<Blame> {
    if judged.at_least(Severity::Warning).next().is_some() || !decoded.ids.is_empty() {
        return None;
    }
    let means = judged.detection.format.traits.blames?;
    let matched = decoded.matched.first()?;
    let text = decoded.paste.text(matched);
    let what = match text.codes.first() {
        Some(&Code::Thinking) => Blamed::Thinking,
        Some(&Code::BadMedia) => Blamed::Media,
        _ => return None,
    };
    let all = candidates(context, judged.request(), means, what);
    let (positions, guess) = match matched.index {
        Some(index) => {
            let places = places::candidates(judged, text.at, index);
            let most = if means.shifts { places.len() } else { 1 };
            let mut named =
                places.iter().take(most).map(|ours| named(&all, what, matched, *ours)).enumerate();
            let (offset, positions) = named.find(|(_, positions)| !positions.is_empty())?;
            (positions, offset > 0)
        }
        None => (vec![all.last()?.position], true),
    };
    Some(Blame { what, positions, onward: text.at == At::Onward, guess })
}

/// What a message number may mean: the block with the number of the text, or all blocks, since
/// hosts insert blocks of their own before it.
fn named(all: &[BlameCandidate], what: Blamed, matched: &Matched, ours: u32) -> Vec<BlockPosition> {
    let mut positions: Vec<BlockPosition> =
        all.iter().map(|own| own.position).filter(|position| position.message == ours).collect();
    let exact = |position: &BlockPosition| {
        Some(position.block) == matched.block && position.inner == matched.inner
    };
    if what == Blamed::Media && positions.iter().any(exact) {
        positions.retain(exact);
    }
    positions
}
