//! Changes messages, and the cut of a summary.

use super::answer;
use crate::containers::rewrite::CannotDo;
use crate::json::cut;
use crate::rewrite::{Plan, Schema};
use crate::shapes::chat;
use crate::shapes::chat::write::{Changed, ListWriting};

/// A list that the host requires stays, even if empty.
pub(super) const WRITING: ListWriting = ListWriting {
    schema: Schema::LIST,
    answer: answer::bytes,
    beside: |_, _| false,
    follow_up: move_cut,
};

/// Moves the cut of a summary if an action asks for it, or if messages before it were added or
/// removed.
fn move_cut(plan: &mut Plan<'_>, changed: &Changed) {
    let t = plan.t;
    let recorded =
        chat::state_number(t, super::own::CUTOFF).and_then(|index| u64::try_from(index).ok());
    let (Some(state), Some(recorded)) = (t.host_state(), recorded) else {
        return;
    };
    let index = changed.offset.unwrap_or(recorded);
    let kept = usize::try_from(index).ok();
    let kept = kept.and_then(|index| t.records().nth(index));
    let wanted = plan
        .order
        .stored()
        .position(|slot| kept.is_some_and(|kept| slot.old().is_some_and(|event| event >= kept)));
    let wanted = wanted.map_or(index, |at| at as u64);
    if wanted != recorded {
        plan.members.with(state, move |root| {
            let number = super::envelope::cutoff(root).ok_or(CannotDo("the state has no cut"))?;
            Ok(vec![cut::replace(number, &wanted.to_string())])
        });
    }
}
