//! What a text blames that no check can see.

use super::Decoded;
use super::paste::Heard;
use super::places;
use crate::engine::{Blame, Judged};
use crate::formats::FormatContext;
use crate::formats::blamed::{Candidate, Spot, What, candidates};
use crate::targets::errors::At;
use crate::transcript::{Code, Severity};

/// What the engine has to be asked again with. `None`: the text speaks of something else, nothing in the recording can be
/// meant, or something else is wrong with it, which comes first and may be why its numbers are not ours. `context`: that of
/// the first sight.
pub(crate) fn blamed(
    decoded: &Decoded<'_>,
    judged: &Judged,
    context: &FormatContext<'_>,
) -> Option<Blame> {
    if judged.at_least(Severity::Warning).next().is_some() || !decoded.ids.is_empty() {
        return None;
    }
    let means = judged.claim.format.traits.blames?;
    let heard = decoded.heard.first()?;
    let text = decoded.paste.text(heard);
    let what = match text.codes.first() {
        Some(&Code::Thinking) => What::Thinking,
        Some(&Code::BadMedia) => What::Media,
        _ => return None,
    };
    let all = candidates(context, judged.request(), means, what);
    let (spots, guess) = match heard.index {
        Some(index) => {
            let places = places::candidates(judged, text.at, index);
            let most = if means.shifts { places.len() } else { 1 };
            let mut named = places
                .iter()
                .take(most)
                .map(|ours| named(&all, what, heard, *ours))
                .enumerate();
            let (offset, spots) = named.find(|(_, spots)| !spots.is_empty())?;
            (spots, offset > 0)
        }
        None => (vec![all.last()?.spot], true),
    };
    Some(Blame {
        what,
        spots,
        onward: text.at == At::Onward,
        guess,
    })
}

/// What may be meant in a message: the block with the text's number, or all, since hosts put blocks of their own in front.
fn named(all: &[Candidate], what: What, heard: &Heard, ours: u32) -> Vec<Spot> {
    let mut spots: Vec<Spot> = all
        .iter()
        .map(|own| own.spot)
        .filter(|spot| spot.message == ours)
        .collect();
    let exact = |spot: &Spot| Some(spot.block) == heard.block && spot.inner == heard.inner;
    if what == What::Media && spots.iter().any(exact) {
        spots.retain(exact);
    }
    spots
}
