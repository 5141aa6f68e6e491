//! Thinking must be sent back as it was received, with its text and its signature.

use super::{Need, RequestContext};
use crate::dialects::anthropic;
use crate::transcript::{Code, Diagnostic, Flaws, HabitPlaces};

pub(crate) const NEED: Need = Need { name: "thinking", reports: &[Code::Thinking], check };

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let mut found = cx.in_blocks(Flaws::THINKING, |blocks, problems| {
        for (at, block) in blocks.sent().filter(|_| blocks.role.is_some()) {
            if let Some((message, applicability)) = anthropic::thinking_flaw(block) {
                problems.cut(Code::Thinking, message, applicability, (blocks, at));
            }
        }
    });
    for own in &mut found {
        own.habit = Some(HabitPlaces::Thinking);
    }
    found
}
