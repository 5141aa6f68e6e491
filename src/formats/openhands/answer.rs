//! The error result that answers a call for which nothing was recorded.

use sha2::{Digest, Sha256};

use crate::dialects::stubs::NO_RESULT;
use crate::formats::FormatContext;
use crate::json::quote::{Style, object};
use crate::transcript::{Code, EventId, Id, PartId, time};

/// A new event: its id, and what it needs to be written once its place is known.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// The call.
    pub call: PartId,
    /// The id: a hole's, else made from the call's so that the same damage gives the same bytes.
    pub id: String,
    /// When, where a fragment still shows it.
    pub time: Option<i64>,
}

impl Answer {
    /// An answer of its own, or in the place of a hole.
    pub(super) fn new(
        context: &FormatContext<'_>,
        call: PartId,
        hole: Option<(EventId, Option<Id>)>,
    ) -> Answer {
        let t = context.transcript;
        let known = hole
            .and_then(|(_, id)| id)
            .map(|id| t.ids.get(id).to_owned());
        let action = t.event(t.a_part(call).event).id;
        let id = known.unwrap_or_else(|| made_id(&(scene_name(context)), t.text(action)));
        Answer {
            call,
            id,
            time: hole.and_then(|(hole, _)| t.event(hole).time),
        }
    }

    /// The event as it is written behind `before`, whose time it follows.
    pub(super) fn bytes(
        &self,
        context: &FormatContext<'_>,
        before: Option<EventId>,
        parent: Option<&str>,
    ) -> Vec<u8> {
        let t = context.transcript;
        let call = t.a_part(self.call);
        let style = style(context, call.event);
        let micros = self.time.or_else(|| {
            before
                .and_then(|e| t.event(e).time)
                .map(|micros| micros + 1)
        });
        let stamp = time::naive(micros.or(t.event(call.event).time).unwrap_or(0));
        let mut members = vec![
            ("id", style.quote(&self.id)),
            ("timestamp", style.quote(&stamp)),
            ("source", style.quote("agent")),
        ];
        if let Some(parent) = parent {
            members.push(("parent_id", style.quote(parent)));
        }
        members.push(("tool_name", style.quote(t.text(call.tool))));
        members.push(("tool_call_id", style.quote(t.text(call.id))));
        members.push(("error", style.quote(NO_RESULT)));
        members.push(("kind", style.quote("AgentErrorEvent")));
        object(&members, &style)
    }
}

/// What tells this conversation from others: its id, or nothing for a bare line file.
fn scene_name(context: &FormatContext<'_>) -> String {
    super::session(context).unwrap_or_default()
}

/// How the record of the call is written; its answer is written alike.
fn style(context: &FormatContext<'_>, call: EventId) -> Style {
    let record = context.record(call);
    record.map_or_else(|_| Style::default(), |record| record.look().style())
}

/// A UUID of version 8 from what it stands for.
fn made_id(conversation: &str, action: &str) -> String {
    let mut hasher = Sha256::new();
    for part in [Code::UnansweredCall.as_str(), conversation, action] {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    let hash = hasher.finalize();
    let hex: String = hash
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let (a, b, c, d, e) = (
        &hex[..8],
        &hex[8..12],
        &hex[13..16],
        &hex[17..20],
        &hex[20..],
    );
    format!("{a}-{b}-8{c}-a{d}-{e}")
}
