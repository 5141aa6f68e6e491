//! What the API refuses in the content of messages, judged where their places are known.

use super::order::Turns;
use super::{attrs, hosted};
use crate::dialects::anthropic::{self, FEW_IMAGES, Manner};
use crate::formats::FormatContext;
use crate::json::cut::{self, Change};
use crate::json::node::Node;
use crate::requests::refused;
use crate::transcript::{
    Code, Diagnostic, EventId, Fact, Fix, Flaws, Label, LabelRole, Severity, Transcript, Value,
};

/// Most marks for the cache in a request.
const MOST_MARKS: i64 = 4;

/// Records that one finding names.
const MOST_NAMED: usize = 64;

/// Judges the messages that a reader marked, and what needs several of them.
pub(super) fn judge(
    context: &FormatContext<'_>,
    all: &[EventId],
    turns: &Turns,
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let images = sum(t, all, attrs::IMAGES);
    let mut found = Vec::new();
    for event in all
        .iter()
        .copied()
        .filter(|event| t.flaws(*event) != Flaws::NONE)
    {
        let manner = Manner {
            role: t.event(event).role,
            many_images: images > i64::try_from(FEW_IMAGES).unwrap_or(i64::MAX),
        };
        let Ok(record) = context.record(event) else {
            continue;
        };
        let damages = anthropic::judge(record.root(), &manner);
        found.extend(damages.into_iter().map(|damage| {
            let mut diagnostic = damage.diagnostic(t, event);
            diagnostic.severity = Some(Severity::Fatal);
            diagnostic
        }));
    }
    found.extend(hosted::halves(context, turns));
    found.extend(hosted::reused(t, turns));
    found.extend(marks(context, all));
    found
}

fn sum(t: &Transcript, all: &[EventId], name: Fact) -> i64 {
    let count = |event: &EventId| match t.attr_of(*event, name) {
        Some(Value::Number(count)) => count,
        _ => 0,
    };
    all.iter().map(count).fold(0, i64::saturating_add)
}

/// More marks for the cache than a request may hold: all but those of the last messages go.
fn marks(context: &FormatContext<'_>, all: &[EventId]) -> Option<Diagnostic> {
    let t = context.transcript;
    let mut left = sum(t, all, attrs::MARKS);
    if left <= MOST_MARKS {
        return None;
    }
    let marked = all
        .iter()
        .copied()
        .filter(|event| t.attr_of(*event, attrs::MARKS).is_some());
    let mut actions = Vec::new();
    let mut labels = Vec::new();
    for event in marked {
        labels.push(Label {
            event,
            role: LabelRole::Record,
        });
        if left > MOST_MARKS {
            left = left.saturating_sub(sum(t, &[event], attrs::MARKS));
            actions.extend(context.change(event, unmarked));
        }
    }
    let mut diagnostic = refused(
        Code::ForeignBlock,
        "more than 4 cache breakpoints",
        labels.first()?.event,
    );
    labels.truncate(MOST_NAMED);
    diagnostic.labels = labels;
    diagnostic.fixes = vec![Fix::with_guess(actions)];
    Some(diagnostic)
}

/// The changes that take all marks out of a message.
fn unmarked(root: Node<'_>) -> Vec<Change> {
    let blocks = root
        .get("content")
        .into_iter()
        .flat_map(|content| content.items());
    let marks = |block: Node<'_>| -> Vec<u32> {
        let keys = (0_u32..).zip(block.members());
        keys.filter(|(_, (key, _))| key.is_str("cache_control"))
            .map(|(at, _)| at)
            .collect()
    };
    blocks
        .flat_map(|block| cut::remove_members(block, &marks(block)))
        .collect()
}
