//! A request must not have too many cache marks.

use super::{Need, RequestContext, content};
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::transcript::{Code, Diagnostic, EventId, FactValue, Label, LabelRole, facts};

pub(crate) const NEED: Need = Need { name: "cache_marks", reports: &[Code::ForeignBlock], check };

/// The limit for a request.
const MOST_MARKS: i64 = 4;

/// At most this many records are listed in a finding.
const MOST_NAMED: usize = 64;

/// Finds more marks than allowed. The fix removes all but those of the last messages.
fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let t = cx.transcript();
    let marked: Vec<(EventId, i64)> = cx
        .sent()
        .filter_map(|event| match t.value_of(event, facts::MARKS) {
            Some(FactValue::Number(count)) => Some((event, count)),
            _ => None,
        })
        .collect();
    let mut left = marked.iter().map(|(_, count)| *count).fold(0, i64::saturating_add);
    let Some((first, _)) = marked.first().filter(|_| left > MOST_MARKS) else {
        return Vec::new();
    };
    let mut actions = Vec::new();
    for (event, count) in &marked {
        if left > MOST_MARKS {
            left = left.saturating_sub(*count);
            actions.extend(cx.context.change(*event, |record| unmarked((cx.wire.message)(record))));
        }
    }
    let mut diagnostic = content(Code::ForeignBlock, "more than 4 cache breakpoints", *first);
    diagnostic.labels = marked
        .iter()
        .take(MOST_NAMED)
        .map(|(event, _)| Label::new(*event, LabelRole::Record))
        .collect();
    diagnostic.fix_with_guess(actions);
    vec![diagnostic]
}

/// The changes that remove all marks from a message.
fn unmarked(message: Node<'_>) -> Vec<RecordChange> {
    let blocks = message.items_of("content");
    let mut changes = Vec::new();
    for block in blocks {
        let keys = (0_u32..).zip(block.members());
        let marks = keys.filter(|(_, (key, _))| key.is_str("cache_control"));
        let marks: Vec<u32> = marks.map(|(at, _)| at).collect();
        changes.extend(cut::remove_members(block, &marks));
    }
    changes
}
