//! Calls must say of which type they are, and the names of who speaks must have no white space.

use super::{Need, RequestContext, content};
use crate::dialects::chat;
use crate::dialects::piece::MemberRef;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::transcript::{
    Applicability, Code, Diagnostic, Effect, EventId, Flaws, HabitPlaces, Instance,
};

const EMPTY_NAME: &str = "empty name of who speaks";
/// Of [`chat::is_bad_name`].
const REFUSED_NAME: &str = "name of who speaks with white space or one of < > | / \\";

pub(crate) const NEED: Need =
    Need { name: "strict_members", reports: &[Code::MalformedRecord, Code::BadToolName], check };

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    if !cx.context.target.needs.checks_members {
        return Vec::new();
    }
    let mut found: Vec<Diagnostic> =
        cx.flawed(Flaws::NO_TYPE).map(|event| without_type(cx, event)).collect();
    found.extend(cx.flawed(Flaws::NAME).filter_map(|event| bad_name(cx, event)));
    found
}

fn rejected_here(code: Code, message: &'static str, event: EventId) -> Diagnostic {
    let mut diagnostic = content(code, message, event);
    diagnostic.instance = Some(Instance::RejectedHere);
    diagnostic.effect = Effect::Refused;
    diagnostic
}

fn without_type(cx: &RequestContext<'_>, event: EventId) -> Diagnostic {
    let mut diagnostic = rejected_here(Code::MalformedRecord, "tool call without a type", event);
    diagnostic.habit = Some(HabitPlaces::Calls);
    diagnostic.fixes = cx.fix_record(event, Applicability::Safe, |record| {
        let calls = (cx.wire.message)(record).items_of("tool_calls");
        calls.filter_map(typed).collect()
    });
    diagnostic
}

/// The change that gives a call its type, which the member with its function shows.
fn typed(call: Node<'_>) -> Option<RecordChange> {
    let listed = chat::ListedCall::of(call);
    listed.asked.filter(|_| !listed.has_type)?;
    let word = if call.get("function").is_some() { "\"function\"" } else { "\"custom\"" };
    Some(MemberRef::of(call, "type").put(word, &["id"]))
}

fn bad_name(cx: &RequestContext<'_>, event: EventId) -> Option<Diagnostic> {
    let record = cx.context.record(event).ok()?;
    let message = (cx.wire.message)(record.root());
    let is_empty = message.get("name").is_some_and(|name| name.is_str(""));
    let says = if is_empty { EMPTY_NAME } else { REFUSED_NAME };
    let mut diagnostic = rejected_here(Code::BadToolName, says, event);
    diagnostic.habit = Some(HabitPlaces::Messages);
    let (change, applicability) = corrected(message)?;
    Some(cx.with_fix(diagnostic, applicability, change))
}

/// The changes that correct the name of a message, and whether they are safe.
fn corrected(message: Node<'_>) -> Option<(Vec<RecordChange>, Applicability)> {
    let name = message.get("name")?;
    let text = name.str()?;
    let trimmed = text.trim();
    if trimmed.is_empty() {
        let at = message.members().position(|(key, _)| key.is_str("name"))?;
        return Some((cut::remove_members(message, &[at as u32]), Applicability::Safe));
    }
    if trimmed.chars().all(chat::takes_in_name) {
        return Some((vec![cut::replace(name, &quote(trimmed))], Applicability::Safe));
    }
    let made: String =
        trimmed.chars().map(|c| if chat::takes_in_name(c) { c } else { '_' }).collect();
    Some((vec![cut::replace(name, &quote(&made))], Applicability::Unsafe))
}
