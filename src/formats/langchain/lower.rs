//! The remedies of a layer as edits: a new order of messages, and the cut of a summary.

use super::{answer, pieces};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::containers::rewrite::CannotDo;
use crate::formats::FormatContext;
use crate::formats::chat;
use crate::formats::chat::draft::{Draft, Hand, Place};
use crate::transcript::{Action, Request};

/// A list that the host demands stays, empty.
const HAND: Hand = Hand {
    pieces,
    answer: answer::bytes,
    emptied: |_, _| None,
};

/// Turns remedies into edits.
pub(super) fn plan_edits(
    context: &FormatContext<'_>,
    request: &Request,
    actions: &[Action],
) -> Result<Vec<Edit>, CannotDo> {
    let mut draft = Draft::new(context, request, HAND);
    let mut cutoff = None;
    for action in actions {
        match action {
            Action::Extend {
                offset: Some(offset),
                ..
            } => cutoff = Some(*offset),
            other => draft.take(other)?,
        }
    }
    let window = window(context, &draft.order(), cutoff)?;
    let mut edits = draft.finish()?;
    edits.extend(window);
    Ok(edits)
}

/// The cut of a summary, where it moves or messages before it came or went.
fn window(
    context: &FormatContext<'_>,
    order: &[Place],
    cutoff: Option<u64>,
) -> Result<Option<Edit>, CannotDo> {
    let t = context.transcript;
    let recorded =
        chat::state_number(t, super::attrs::CUTOFF).and_then(|index| u64::try_from(index).ok());
    let (Some(state), Some(recorded)) = (t.host_state(), recorded) else {
        return Ok(None);
    };
    let index = cutoff.unwrap_or(recorded);
    let kept = usize::try_from(index)
        .ok()
        .and_then(|index| t.records().nth(index));
    let stays =
        |node: &Place| matches!(node, Place::Old(event) if kept.is_some_and(|kept| *event >= kept));
    let wanted = match order.iter().position(stays) {
        Some(at) => at as u64,
        None => index,
    };
    if wanted == recorded {
        return Ok(None);
    }
    let at = t.event(state).at;
    let record = context.record(state)?;
    let number = super::envelope::cutoff(record.root());
    let span = number.ok_or(CannotDo("the state has no cut"))?.span();
    let place = Span {
        start: at.start + u64::from(span.start),
        end: at.start + u64::from(span.end),
        ..at
    };
    Ok(Some(Edit::Bytes {
        at: place,
        with: wanted.to_string().into_bytes(),
    }))
}
