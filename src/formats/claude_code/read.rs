//! Reads one record into facts, without knowing others.

use std::borrow::Cow;

use super::kinds::Opening;
use super::{blocks, kinds, own};
use crate::formats::chat::diagnostics;
use crate::json::cut;
use crate::json::fields::{Fields, Keys, fields};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::tape::{FlawKind, Kind};
use crate::transcript::replaced::is_mark;
use crate::transcript::{
    Applicability, Code, Diagnostic, Effect, Fact, Flaws, Id, Instance, LinkKind, Role, State,
    Subject, Transcript, Value, facts, time,
};

fields! {
    /// Members of a record.
    enum Line {
        Type = "type",
        Uuid = "uuid",
        Timestamp = "timestamp",
        ParentUuid = "parentUuid",
        Message = "message",
        SessionId = "sessionId",
        IsSidechain = "isSidechain",
        Version = "version",
        LeafUuid = "leafUuid",
        IsApiErrorMessage = "isApiErrorMessage",
        IsMeta = "isMeta",
        IsCompactSummary = "isCompactSummary",
        ApiError = "apiError",
        SourceToolAssistantUuid = "sourceToolAssistantUUID",
        Subtype = "subtype",
        Error = "error",
        LogicalParentUuid = "logicalParentUuid",
        CompactMetadata = "compactMetadata",
        Attachment = "attachment",
        RenderedRole = "renderedRole",
        Rendered = "rendered",
    }
}

fields! {
    /// Members of its message.
    enum Message {
        Id = "id",
        Model = "model",
        Role = "role",
        Content = "content",
    }
}

/// Reads a record or a fragment of one.
pub(super) fn read(node: Node<'_>, t: &mut Transcript) {
    let members = &Fields::<Line>::of(node);
    let declared = members.get(Line::Type);
    let kind = match declared {
        Some(kind) => kind.utf8().unwrap_or_default(),
        None => untyped(members).unwrap_or_default(),
    };
    let kind = &*kind;
    let id = text(members, Line::Uuid, t);
    let stamp = members.get(Line::Timestamp).and_then(|time| time.utf8());
    let time = stamp.as_deref().and_then(time::parse_utf8);
    let word = (!kind.is_empty()).then(|| t.ids.intern_utf8(kind));
    let event = t.newest_mut();
    (event.kind, event.id, event.time) = (word, id, time);
    let whole = event.state != State::Unreadable;
    if time.is_none() && stamp.is_some_and(|stamp| is_mark(&String::from_utf8_lossy(&stamp))) {
        t.set_fact(facts::TIME_REPLACED, Value::Yes);
    }
    if let Some(parent) = text(members, Line::ParentUuid, t) {
        t.add_link(LinkKind::Parent, Some(parent));
    }
    if !whole {
        // The IDs of a fragment show which record it was, or belongs to.
        if let Some(message) = members.get(Line::Message) {
            blocks::torn(message, t);
        }
        return;
    }
    fact(members, Line::SessionId, own::SESSION, t);
    let spoken = is_spoken(kind);
    let hangs = kinds::is_of_chain(kind) || members.get(Line::ParentUuid).is_some();
    let chained = id.is_some() && hangs && !kind.is_empty();
    if declared.is_none() && spoken {
        let kind = String::from_utf8_lossy(kind);
        let typed = cut::insert_member(node, None, "type", &quote(&kind));
        let found = diagnostics::report_fixed(
            t,
            Code::MalformedRecord,
            "message record without a type",
            vec![typed],
            Applicability::Safe,
        );
        (found.instance, found.effect) = (Some(Instance::Dropped), Effect::Hides(1));
    }
    if !chained {
        unchained(members, spoken, t);
        return;
    }
    t.set_fact(own::CHAIN, Value::Yes);
    if members
        .get(Line::IsSidechain)
        .and_then(|side| side.as_bool())
        == Some(true)
    {
        t.set_fact(facts::SIDE, Value::Yes);
    }
    if let Some(version) = members
        .get(Line::Version)
        .and_then(|version| version.utf8())
        .and_then(|version| kinds::version(&version))
    {
        t.set_fact(own::VERSION, Value::Number(version));
    }
    match kind {
        b"user" | b"assistant" => speaks(node, members, kind == b"assistant", t),
        b"system" => system(members, t),
        b"attachment" => attachment(members, t),
        _ => {}
    }
}

fn is_spoken(kind: &[u8]) -> bool {
    matches!(kind, b"user" | b"assistant")
}

/// The type of a record without one, from the role of its message.
fn untyped<'a>(members: &Fields<'a, Line>) -> Option<Cow<'a, [u8]>> {
    let chained = members
        .get(Line::Uuid)
        .and(members.get(Line::ParentUuid))
        .and(members.get(Line::SessionId));
    let role = chained
        .and(members.get(Line::Message))?
        .get("role")?
        .utf8()?;
    is_spoken(&role).then_some(role)
}

fn text<K: Keys>(members: &Fields<'_, K>, key: K, t: &mut Transcript) -> Option<Id> {
    t.intern(members.get(key)?)
}

/// A string member as a fact.
fn fact<K: Keys>(members: &Fields<'_, K>, key: K, name: Fact, t: &mut Transcript) {
    t.set_text(name, members.get(key));
}

/// A record outside the tree: metadata, or a record without an ID, which clients do not see.
fn unchained(members: &Fields<'_, Line>, spoken: bool, t: &mut Transcript) {
    if spoken && members.get(Line::Message).is_some() {
        let event = t.newest();
        let mut diagnostic = Diagnostic::about(
            Code::MalformedRecord,
            "message record without an ID: clients do not see it",
            Subject::Content,
            event,
        );
        diagnostic.instance = Some(Instance::Ignored);
        t.diagnostics.push(diagnostic);
        return;
    }
    if let Some(leaf) = text(members, Line::LeafUuid, t) {
        t.add_link(LinkKind::Leaf, Some(leaf));
    }
}

/// A user or assistant record.
fn speaks(node: Node<'_>, members: &Fields<'_, Line>, assistant: bool, t: &mut Transcript) {
    let role = if assistant {
        Role::Assistant
    } else {
        Role::User
    };
    t.newest_mut().role = role;
    if members
        .get(Line::IsApiErrorMessage)
        .and_then(|error| error.as_bool())
        == Some(true)
    {
        t.set_fact(own::SYNTHETIC, Value::Yes);
        t.set_fact(facts::FAILURE, Value::Yes);
    }
    if [Line::IsMeta, Line::IsCompactSummary].iter().any(|key| {
        members
            .get(*key)
            .is_some_and(|is| is.as_bool() == Some(true))
    }) {
        t.set_fact(facts::BY_HOST, Value::Yes);
    }
    if members
        .get(Line::ApiError)
        .is_some_and(|error| error.is_str("media_removed"))
    {
        t.set_fact(own::HEALS_MEDIA, Value::Yes);
    }
    let Some(message) = members
        .get(Line::Message)
        .filter(|message| message.kind() == Kind::Object)
    else {
        t.set_fact(own::NO_MESSAGE, Value::Yes);
        return;
    };
    let span = message.span();
    let half = |flaw: &crate::json::tape::Flaw| {
        flaw.kind == FlawKind::LoneSurrogate && span.contains(&flaw.start)
    };
    if node.tape().flaws.iter().any(half) {
        t.note_flaws(Flaws::HALF_PAIR);
    }
    let own = &Fields::<Message>::of(message);
    if assistant {
        let id = text(own, Message::Id, t);
        t.newest_mut().batch = id;
        if own
            .get(Message::Model)
            .is_some_and(|model| model.is_str("<synthetic>"))
        {
            t.set_fact(own::SYNTHETIC, Value::Yes);
        }
    }
    if own
        .get(Message::Role)
        .is_some_and(|role| !role.is_str(if assistant { "assistant" } else { "user" }))
    {
        t.set_fact(own::OTHER_ROLE, Value::Yes);
    }
    let Some(content) = own
        .get(Message::Content)
        .filter(|content| !content.is_null())
    else {
        t.set_fact(own::NO_CONTENT, Value::Yes);
        return;
    };
    match Some(content)
        .filter(|_| !assistant)
        .and_then(kinds::opening)
    {
        Some(Opening::Command) => t.set_fact(own::COMMAND, Value::Yes),
        Some(Opening::Interrupt) => t.set_fact(facts::STOPPED, Value::Yes),
        None => {}
    }
    let parts = blocks::read(content, role, t);
    if parts.results > 0 {
        source(members, parts.bare_results, t);
    }
}

/// The record of the call that a result answers. Providers pair by ID, so the link only counts if the ID is missing.
fn source(members: &Fields<'_, Line>, bare: bool, t: &mut Transcript) {
    let source = text(members, Line::SourceToolAssistantUuid, t);
    if let Some(source) = source {
        t.set_fact(own::SOURCE, Value::Text(source));
    }
    if bare {
        let parent = text(members, Line::ParentUuid, t);
        if let Some(to) = source.or(parent) {
            t.add_link(LinkKind::Call, Some(to));
        }
    }
}

fn system(members: &Fields<'_, Line>, t: &mut Transcript) {
    fact(members, Line::Subtype, own::SUBTYPE, t);
    let refused = || {
        members
            .get(Line::Error)?
            .get("status")?
            .as_i64()
            .filter(|status| *status == 400)
    };
    if members
        .get(Line::Subtype)
        .is_some_and(|kind| kind.is_str("api_error"))
        && refused().is_some()
    {
        t.set_fact(facts::FAILURE, Value::Yes);
    }
    if !members
        .get(Line::Subtype)
        .is_some_and(|kind| kind.is_str(kinds::BOUNDARY))
    {
        return;
    }
    fact(members, Line::LogicalParentUuid, own::LOGICAL, t);
    let segment = members
        .get(Line::CompactMetadata)
        .and_then(|data| data.get("preservedSegment"));
    let Some(segment) = segment.filter(|segment| segment.kind() == Kind::Object) else {
        return;
    };
    t.set_fact(own::SEGMENT, Value::Yes);
    for (key, name) in [
        ("headUuid", own::HEAD),
        ("anchorUuid", own::ANCHOR),
        ("tailUuid", own::TAIL),
    ] {
        if let Some(text) = segment.get(key).and_then(|id| t.intern(id)) {
            t.set_fact(name, Value::Text(text));
        }
    }
}

fn attachment(members: &Fields<'_, Line>, t: &mut Transcript) {
    let Some(attachment) = members.get(Line::Attachment) else {
        return;
    };
    let strips = attachment.has_str("type", "thinking_stripped");
    if strips
        && attachment
            .get("scope")
            .is_none_or(|scope| scope.is_str("all"))
    {
        t.set_fact(own::STRIPS, Value::Yes);
    }
    let by_system = members
        .get(Line::RenderedRole)
        .is_some_and(|role| role.is_str("system"));
    if by_system
        && members
            .get(Line::Rendered)
            .is_some_and(|value| !value.is_null())
    {
        t.set_fact(own::RENDERED, Value::Yes);
    }
}
