//! Messages without a valid role or with the role of the system, and members that the API does not accept.

use super::own;
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::format::{Format, FormatContext};
use crate::json::alike::ObjectLayout;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::requests::refused;
use crate::shapes::chat;
use crate::targets::Interface;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, Effect, EventId, Fact, Fix, HabitPlaces, Instance,
    Label, LabelRole, PartKind, Role, State, Subject, Transcript,
};

/// Changes a message inside of its record; `None` if it cannot be changed.
type ChangeMessage<'a> =
    &'a dyn Fn(EventId, &dyn Fn(Node<'_>) -> Option<RecordChange>) -> Option<Action>;

pub(super) fn check(
    context: &FormatContext<'_>,
    format: &Format,
    all: &[EventId],
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let change = |event: EventId, change: &dyn Fn(Node<'_>) -> Option<RecordChange>| {
        context.change(event, |record| {
            let message = (format.wire.message)(record);
            let is_message = message.kind() == Kind::Object;
            let change = is_message.then(|| change(message)).flatten();
            change.into_iter().collect()
        })
    };
    let mut found: Vec<Diagnostic> = Vec::new();
    for (at, event) in all.iter().copied().enumerate() {
        if t.has(event, own::NO_ROLE) {
            found.push(Diagnostic {
                habit: Some(HabitPlaces::Messages),
                ..no_role(t, all, at, &change)
            });
        } else if t.has(event, own::BAD_ROLE) {
            let message = "a role that the API does not know";
            found.push(Diagnostic {
                habit: Some(HabitPlaces::Messages),
                ..refused(Code::ForeignBlock, message, event)
            });
        } else if t.event(event).role == Role::System
            && context.target.interface == Interface::Messages
        {
            found.extend(system(context, all, at, &change));
        }
    }
    // A host that names the members that it sends leaves the others out.
    if format.traits.sent.is_empty() {
        found.extend(members(t, all, own::RESPONSE, Instance::Elsewhere));
        found.extend(members(t, all, own::EXTRA, Instance::Harmless));
    }
    found
}

/// Reports a message without a role. Its fix is known if its blocks decide, or if only one role makes the roles alternate.
fn no_role(t: &Transcript, all: &[EventId], at: usize, change: ChangeMessage<'_>) -> Diagnostic {
    let event = all[at];
    let mut diagnostic = refused(Code::MalformedRecord, "message without a role", event);
    let decided = t.has(event, own::BLOCKS_DECIDE);
    let role = if decided { Some(t.event(event).role) } else { alternating(t, all, at) };
    let Some(role) = role else { return diagnostic };
    let name = if role == Role::Assistant { "assistant" } else { "user" };
    let action = change(event, &|message| {
        let quoted = ObjectLayout::of(&message.raw()).quote(name);
        let quoted = String::from_utf8_lossy(&quoted);
        Some(match message.get("role") {
            Some(role) => cut::replace(role, &quoted),
            None => first_member(message, &quoted),
        })
    });
    diagnostic.fixes = Fix::only(Applicability::Safe, action);
    diagnostic
}

/// The change that inserts the role as the first member, as in other messages.
fn first_member(message: Node<'_>, quoted: &str) -> RecordChange {
    let Some((key, value)) = message.members().next() else {
        return cut::insert_member(message, None, "role", quoted);
    };
    let colon = message.bytes(key.span().end, value.span().start);
    let colon = String::from_utf8_lossy(&colon).into_owned();
    let gap = if colon.ends_with(' ') { ", " } else { "," };
    let start = key.span().start;
    RecordChange { at: start..start, with: format!("\"role\"{colon}{quoted}{gap}").into_bytes() }
}

/// The only role with which the roles of the whole list alternate.
fn alternating(t: &Transcript, all: &[EventId], at: usize) -> Option<Role> {
    let before = at.checked_sub(1).and_then(|before| known_role(t, all, before));
    let neighbor = before.or_else(|| known_role(t, all, at + 1))?;
    let wanted = if neighbor == Role::Assistant { Role::User } else { Role::Assistant };
    let unknown = all.iter().filter(|event| t.has(**event, own::NO_ROLE)).count();
    let mut roles: Vec<Role> = all.iter().map(|event| t.event(*event).role).collect();
    roles[at] = wanted;
    (unknown == 1 && roles.windows(2).all(|pair| pair[0] != pair[1])).then_some(wanted)
}

fn known_role(t: &Transcript, all: &[EventId], at: usize) -> Option<Role> {
    let event = *all.get(at)?;
    (!t.has(event, own::NO_ROLE)).then(|| t.event(event).role)
}

/// Reports a system message. If it is the first message of a body without a system prompt, it can become that prompt.
fn system(
    context: &FormatContext<'_>,
    all: &[EventId],
    at: usize,
    change: ChangeMessage<'_>,
) -> Option<Diagnostic> {
    let (t, event) = (context.transcript, all[at]);
    // The API takes it at any place (its own words, quoted in LeenHawk/gproxy#209).
    if t.has(event, own::DIRECTIVE) {
        return None;
    }
    let place = SystemPlace::of(t, all, at);
    let is_taken = context.target.needs.takes_system_after_user;
    let model = chat::state_text(t, own::MODEL);
    if place == SystemPlace::AfterUser
        && is_taken.zip(model).is_some_and(|(takes, model)| takes(model))
    {
        return None;
    }
    let mut diagnostic = refused(Code::ForeignBlock, place.message(), event);
    if place == SystemPlace::AfterUser && is_taken.is_some() {
        diagnostic.instance = Some(Instance::Elsewhere);
        diagnostic.effect = Effect::None;
    }
    diagnostic.fixes = match becomes_prompt(context, event) {
        Some(action) => vec![Fix::safe([action])],
        None => {
            let user =
                change(event, &|message| Some(cut::replace(message.get("role")?, "\"user\"")));
            Fix::only(Applicability::Unsafe, user)
        }
    };
    Some(diagnostic)
}

/// Where a system message is, between the turns.
#[derive(Copy, Clone, PartialEq, Eq)]
enum SystemPlace {
    /// After a turn of the user, or of a call that the provider runs, and not before a turn of the user.
    AfterUser,
    /// Between a call and its result.
    InPair,
    /// Between two messages of the user (tried on the API: pydantic/pydantic-ai#6765).
    BetweenUsers,
    /// First, or after the assistant.
    Elsewhere,
}

impl SystemPlace {
    fn of(t: &Transcript, all: &[EventId], at: usize) -> SystemPlace {
        let role = |event: EventId| t.event(event).role;
        let is_turn = |event: &&EventId| role(**event) != Role::System;
        let after = all[at..].iter().find(is_turn);
        if after.is_some_and(|after| t.part_of(*after, PartKind::Result).is_some()) {
            return SystemPlace::InPair;
        }
        let Some(before) = all[..at].iter().rfind(is_turn) else {
            return SystemPlace::Elsewhere;
        };
        let last = t.event(*before).parts.clone().next_back();
        let is_hosted = last.is_some_and(|last| t.part(last).kind == PartKind::Hosted);
        if role(*before) != Role::User && !is_hosted {
            return SystemPlace::Elsewhere;
        }
        match after {
            Some(after) if role(*after) == Role::User => SystemPlace::BetweenUsers,
            _ => SystemPlace::AfterUser,
        }
    }

    fn message(self) -> &'static str {
        match self {
            SystemPlace::AfterUser => {
                "a `system` message after a user turn, which only newer models accept"
            }
            SystemPlace::InPair => "a `system` message between a tool call and its result",
            SystemPlace::BetweenUsers => "a `system` message between two messages of the user",
            SystemPlace::Elsewhere => "a `system` message, which the Messages API does not have",
        }
    }
}

/// Removes the first element and inserts its content as `system` before the list.
fn becomes_prompt(context: &FormatContext<'_>, event: EventId) -> Option<Action> {
    let t = context.transcript;
    let state = t.host_state()?;
    let (at, second) = (t.event(event).at(), t.event(event.next()));
    let alone = chat::state_fact(t, own::SYSTEM).is_none() && event == EventId::FIRST;
    let whole = second.state == State::Whole;
    if !alone || !whole || second.role == Role::HostState || second.role == Role::System {
        return None;
    }
    let key = u64::try_from(chat::state_number(t, own::LIST_KEY)?).ok()?;
    let place = t.event(state).at().start.checked_add(key)?;
    let lead = u64::try_from(chat::state_number(t, own::LIST_LEAD)?).ok()?;
    let blank = Span::new(at.entry, place.saturating_sub(lead), place);
    let record = context.record(event).ok()?;
    let content = record.root().get("content")?;
    let start = content.span().start;
    let colon: &[u8] = match content.bytes(start.saturating_sub(1), start).as_ref() {
        b" " => b": ",
        _ => b":",
    };
    let mut prompt = [b"\"system\"", colon, &content.raw(), b","].concat();
    prompt.extend(context.entries.fetch(blank).ok()?);
    let edits = vec![
        Edit::bytes(Span::new(at.entry, place, place), prompt),
        Edit::bytes(Span { end: second.at().start, ..at }, Vec::new()),
    ];
    Some(Action::edits(event, "move the text of {} to the system prompt", edits))
}

/// Reports members that messages must not have, once for all messages.
fn members(t: &Transcript, all: &[EventId], name: Fact, instance: Instance) -> Option<Diagnostic> {
    let mut with = all.iter().copied().filter(|event| t.has(*event, name)).peekable();
    let first = *with.peek()?;
    let message = "messages with fields that the API does not accept; clients strip them";
    let mut diagnostic = Diagnostic::about(Code::ForeignBlock, message, Subject::Name, first);
    diagnostic.labels = Label::all(with, LabelRole::Record);
    diagnostic.instance = Some(instance);
    Some(diagnostic)
}
