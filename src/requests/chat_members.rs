//! Messages of Chat Completions must have a role, content, and calls with names.

use super::{Need, RequestContext, content};
use crate::dialects::piece::MemberRef;
use crate::json::cut::RecordChange;
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::transcript::{Applicability, Code, Diagnostic, Flaws, HabitPlaces, Role};

pub(crate) const NEED: Need =
    Need { name: "chat_members", reports: &[Code::MalformedRecord, Code::BadToolName], check };

/// The flaws, each with its rule and message, and where it could be if it is a habit. An empty message is none.
const FLAWS: [(Flaws, Code, &str, Option<HabitPlaces>); 7] = [
    (Flaws::NO_MESSAGE, Code::MalformedRecord, "list element that is not a message", None),
    (
        Flaws::NO_ROLE,
        Code::MalformedRecord,
        "message without a known role",
        Some(HabitPlaces::Messages),
    ),
    (
        Flaws::LOST_ROLE,
        Code::MalformedRecord,
        "message without a role",
        Some(HabitPlaces::Messages),
    ),
    (
        Flaws::BAD_CALLS,
        Code::MalformedRecord,
        "`tool_calls` is not a list of calls",
        Some(HabitPlaces::Calls),
    ),
    (Flaws::NO_CONTENT, Code::MalformedRecord, "message without content", None),
    (
        Flaws::BAD_CONTENT,
        Code::MalformedRecord,
        "message content is neither a string nor a list",
        Some(HabitPlaces::Messages),
    ),
    (Flaws::NO_NAME, Code::BadToolName, "tool call without a tool name", Some(HabitPlaces::Calls)),
];

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let own = FLAWS.iter().flat_map(|(flaw, code, message, habit)| {
        cx.flawed(*flaw).map(|event| {
            let mut diagnostic = content(*code, *message, event);
            diagnostic.habit = *habit;
            let role = cx.transcript().event(event).role;
            if let Some(applicability) = applicability(*flaw, role) {
                diagnostic.fixes = cx.fix_record(event, applicability, |message| {
                    vec![correction(message, *flaw, role)]
                });
            }
            diagnostic
        })
    });
    own.collect()
}

/// The applicability of the fix; `None`: there is none.
fn applicability(flaw: Flaws, role: Role) -> Option<Applicability> {
    match flaw {
        Flaws::LOST_ROLE => Some(Applicability::Safe),
        // A tool may have no output.
        Flaws::NO_CONTENT if role == Role::Tool => Some(Applicability::Safe),
        Flaws::NO_CONTENT | Flaws::BAD_CONTENT => Some(Applicability::Unsafe),
        _ => None,
    }
}

fn correction(message: Node<'_>, flaw: Flaws, role: Role) -> RecordChange {
    let content = MemberRef::of(message, "content");
    match (flaw, content.node()) {
        (Flaws::LOST_ROLE, _) => {
            let word = match role {
                Role::Tool => "\"tool\"",
                _ => "\"assistant\"",
            };
            MemberRef::of(message, "role").put(word, &[])
        }
        (Flaws::BAD_CONTENT, Some(value)) => {
            content.put(&quote(&String::from_utf8_lossy(&value.raw())), &[])
        }
        _ => content.put("\"\"", &["tool_call_id"]),
    }
}
