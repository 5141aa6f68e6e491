//! A request must not have too many cache marks. Those around the messages count, too: in the tools, in the system prompt, and
//! for the request as a whole.

use super::{Need, RequestContext, content};
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::transcript::{Code, Diagnostic, EventId, FactValue, Label, LabelRole, facts};

pub(crate) const NEED: Need = Need { name: "cache_marks", reports: &[Code::ForeignBlock], check };

/// The limit for a request.
const MOST_MARKS: i64 = 4;

/// At most this many records are listed in a finding.
const MOST_NAMED: usize = 64;

/// Finds more marks than allowed. The fix removes the oldest ones of the messages: the later ones cover what is before them.
fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let t = cx.transcript();
    let marks = |event: EventId| match t.value_of(event, facts::MARKS) {
        Some(FactValue::Number(count)) => count,
        _ => 0,
    };
    // Marks around the messages count, too, but cannot be removed from here.
    let around = t.host_state().map_or(0, marks);
    let marked = cx.sent().map(|event| (event, marks(event)));
    let marked: Vec<(EventId, i64)> = marked.filter(|(_, count)| *count > 0).collect();
    let all = marked.iter().map(|(_, count)| *count).fold(around, i64::saturating_add);
    let first = marked.first().map(|(event, _)| *event).or_else(|| cx.sent().next());
    let Some(first) = first.filter(|_| all > MOST_MARKS) else {
        return Vec::new();
    };
    let mut excess = all - MOST_MARKS;
    let is_enough = around <= MOST_MARKS;
    let mut actions = Vec::new();
    for (event, count) in &marked {
        if excess > 0 {
            let most = usize::try_from(excess).unwrap_or(usize::MAX);
            actions.extend(
                cx.context.change(*event, |record| unmarked((cx.wire.message)(record), most)),
            );
            excess = excess.saturating_sub(*count);
        }
    }
    let message = if around == 0 {
        "more than 4 cache breakpoints".to_owned()
    } else {
        format!("more than 4 cache breakpoints, {around} of them outside the messages")
    };
    let mut diagnostic = content(Code::ForeignBlock, message, first);
    let named = marked.iter().take(MOST_NAMED);
    let labels = named.map(|(event, _)| Label::new(*event, LabelRole::Record));
    if !marked.is_empty() {
        diagnostic.labels = labels.collect();
    }
    if is_enough {
        diagnostic.fix_safely(actions);
    }
    vec![diagnostic]
}

/// The changes that remove the first marks of a message, at most so many.
fn unmarked(message: Node<'_>, most: usize) -> Vec<RecordChange> {
    let blocks = message.items_of("content");
    let marks = blocks.filter_map(|block| {
        let mut keys = (0_u32..).zip(block.members());
        let mark = keys.find(|(_, (key, value))| key.is_str("cache_control") && !value.is_null());
        mark.map(|(at, _)| cut::remove_members(block, &[at]))
    });
    marks.take(most).flatten().collect()
}
