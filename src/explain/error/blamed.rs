//! Faults that a text names and that no check can see.

use super::Decoded;
use super::paste::Matched;
use super::places;
use crate::engine::{Blame, Judged};
use crate::find::typed::TypedId;
use crate::format::FormatContext;
use crate::format::blamed::{BlameCandidate, Blamed, BlockPosition, candidates};
use crate::format::server_items::{ItemFault, NamedItem};
use crate::requests::reasoning_content::{self, ReturnedThinking};
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
    let matched = decoded.matched.first()?;
    let text = decoded.paste.text(matched);
    if text.names_item() {
        return named_item(matched);
    }
    if judged.at_least(Severity::Warning).next().is_some() || !decoded.ids.is_empty() {
        return None;
    }
    let format = judged.detection.format;
    let what = match text.codes.first() {
        Some(&Code::Thinking) if format.wire.thinking != ReturnedThinking::None => {
            return without_thinking(judged, context, matched.index, text.at);
        }
        Some(&Code::Thinking) => Blamed::Thinking,
        Some(&Code::BadMedia) => Blamed::Media,
        _ => return None,
    };
    let means = format.traits.blames?;
    let all = candidates(context, judged.request(), means, &what);
    let (positions, guess) = match matched.index {
        Some(index) => {
            // A host that inserts messages shifts the numbers, so the next ones are tried, and the answer is a guess.
            let places = places::candidates(judged, text.at, index);
            let most = if means.shifts { places.len() } else { 1 };
            let mut named =
                places.iter().take(most).map(|ours| named(&all, &what, matched, *ours)).enumerate();
            let (offset, positions) = named.find(|(_, positions)| !positions.is_empty())?;
            (positions, offset > 0)
        }
        None => (vec![all.last()?.position], true),
    };
    Some(Blame { what, positions, onward: text.at == At::Onward, guess })
}

/// The item that a text names by its ID, or by both ends of its encrypted content.
fn named_item(matched: &Matched) -> Option<Blame> {
    let asked = matched.ids.first()?.trim_end_matches(['.', ':', ',']);
    let typed = TypedId::read(asked);
    let fault = if matched.words.contains("ncrypted") {
        ItemFault::NotDecrypted
    } else if matched.words.contains("without its required") {
        ItemFault::Alone
    } else {
        ItemFault::NotStored
    };
    let item = NamedItem {
        head: typed.head.trim_end_matches('.').to_owned(),
        tail: typed.tail.trim_start_matches('.').to_owned(),
        by_content: fault == ItemFault::NotDecrypted && !matched.words.contains("for item"),
        fault,
    };
    Some(Blame { what: Blamed::Item(item), positions: Vec::new(), onward: false, guess: false })
}

/// The answers that lack their thinking: the one at the number of the text, or all of them.
fn without_thinking(
    judged: &Judged,
    context: &FormatContext<'_>,
    index: Option<u32>,
    at: At,
) -> Option<Blame> {
    let request = judged.request();
    let lacking =
        reasoning_content::lacking(context, request, judged.detection.format.wire.message);
    let all: Vec<u32> = lacking.iter().filter_map(|event| request.api_index(*event)).collect();
    let meant = match index {
        Some(index) => {
            let places = places::candidates(judged, at, index);
            vec![places.into_iter().find(|ours| all.contains(ours))?]
        }
        None => all,
    };
    if meant.is_empty() {
        return None;
    }
    let positions =
        meant.into_iter().map(|message| BlockPosition { message, block: 0, inner: None });
    let positions = positions.collect();
    Some(Blame { what: Blamed::NoThinking, positions, onward: false, guess: false })
}

/// What a message number may mean: the block with the number of the text, or all blocks, since
/// hosts insert blocks of their own before it.
fn named(
    all: &[BlameCandidate],
    what: &Blamed,
    matched: &Matched,
    ours: u32,
) -> Vec<BlockPosition> {
    let mut positions: Vec<BlockPosition> =
        all.iter().map(|own| own.position).filter(|position| position.message == ours).collect();
    let exact = |position: &BlockPosition| {
        Some(position.block) == matched.block && position.inner == matched.inner
    };
    if *what == Blamed::Media && positions.iter().any(exact) {
        positions.retain(exact);
    }
    positions
}
