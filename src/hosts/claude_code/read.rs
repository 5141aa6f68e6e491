//! Reads one record into facts, without knowing others.

use std::borrow::Cow;

use super::kinds::Opening;
use super::{blocks, kinds, own};
use crate::json::cut;
use crate::json::fields::{Fields, Keys, fields};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::tape::{FlawKind, Kind};
use crate::shapes::chat::diagnostics;
use crate::transcript::replaced::is_mark;
use crate::transcript::{
    Applicability, Code, Diagnostic, Effect, Fact, FactValue, Flaws, Id, Instance, LinkKind, Role,
    State, Subject, Transcript, facts,
};

fields! {
    /// Members of a record.
    enum ClaudeRecordKey {
        Type = "type",
        Uuid = "uuid",
        Timestamp = "timestamp",
        ParentUuid = "parentUuid",
        Message = "message",
        SessionId = "sessionId",
        IsSidechain = "isSidechain",
        Version = "version",
        LeafUuid = "leafUuid",
        Explicit = "explicit",
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
    enum ClaudeMessageKey {
        Id = "id",
        Model = "model",
        Role = "role",
        Content = "content",
    }
}

/// Reads a record or a fragment of one.
pub(super) fn read(node: Node<'_>, t: &mut Transcript) {
    let members = &Fields::<ClaudeRecordKey>::of(node);
    let declared = members.get(ClaudeRecordKey::Type);
    let kind = match declared {
        Some(kind) => kind.utf8().unwrap_or_default(),
        None => untyped(members).unwrap_or_default(),
    };
    let kind = &*kind;
    let id = text(members, ClaudeRecordKey::Uuid, t);
    let stamp = members.get(ClaudeRecordKey::Timestamp).and_then(|time| time.utf8());
    let time = stamp.as_deref().and_then(|stamp| t.time(stamp));
    let word = (!kind.is_empty()).then(|| t.ids.intern_utf8(kind));
    let event = t.newest_mut();
    (event.kind, event.id) = (word, id);
    event.set_time(time);
    let whole = event.state != State::Unreadable;
    if time.is_none() && stamp.is_some_and(|stamp| is_mark(&String::from_utf8_lossy(&stamp))) {
        t.set_fact(facts::TIME_REPLACED, FactValue::Yes);
    }
    if let Some(parent) = text(members, ClaudeRecordKey::ParentUuid, t) {
        t.add_link(LinkKind::Parent, Some(parent));
    }
    if !whole {
        // The IDs of a fragment show which record it was, or belongs to.
        if let Some(message) = members.get(ClaudeRecordKey::Message) {
            blocks::torn(message, t);
        }
        return;
    }
    fact(members, ClaudeRecordKey::SessionId, own::SESSION, t);
    let spoken = is_spoken(kind);
    let hangs = kinds::is_of_chain(kind) || members.get(ClaudeRecordKey::ParentUuid).is_some();
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
    t.set_fact(own::CHAIN, FactValue::Yes);
    if members.boolean(ClaudeRecordKey::IsSidechain) == Some(true) {
        t.set_fact(facts::SIDE, FactValue::Yes);
    }
    if let Some(version) = members
        .get(ClaudeRecordKey::Version)
        .and_then(|version| version.utf8())
        .and_then(|version| kinds::version(&version))
    {
        t.set_fact(own::VERSION, FactValue::Number(version));
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
fn untyped<'a>(members: &Fields<'a, ClaudeRecordKey>) -> Option<Cow<'a, [u8]>> {
    let chained = members
        .get(ClaudeRecordKey::Uuid)
        .and(members.get(ClaudeRecordKey::ParentUuid))
        .and(members.get(ClaudeRecordKey::SessionId));
    let role = chained.and(members.get(ClaudeRecordKey::Message))?.get("role")?.utf8()?;
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
fn unchained(members: &Fields<'_, ClaudeRecordKey>, spoken: bool, t: &mut Transcript) {
    if spoken && members.get(ClaudeRecordKey::Message).is_some() {
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
    let is_explicit = members.boolean(ClaudeRecordKey::Explicit) == Some(true);
    if is_explicit && members.has_str(ClaudeRecordKey::LeafUuid, kinds::NO_RECORD) {
        t.set_fact(own::RESTARTS, FactValue::Yes);
    } else if let Some(leaf) = text(members, ClaudeRecordKey::LeafUuid, t) {
        t.add_link(LinkKind::Leaf, Some(leaf));
        if is_explicit {
            t.set_fact(own::EXPLICIT, FactValue::Yes);
        }
    }
}

/// A user or assistant record.
fn speaks(
    node: Node<'_>,
    members: &Fields<'_, ClaudeRecordKey>,
    assistant: bool,
    t: &mut Transcript,
) {
    let role = if assistant { Role::Assistant } else { Role::User };
    t.newest_mut().role = role;
    if members.boolean(ClaudeRecordKey::IsApiErrorMessage) == Some(true) {
        t.set_fact(own::SYNTHETIC, FactValue::Yes);
        t.set_fact(facts::FAILURE, FactValue::Yes);
    }
    if [ClaudeRecordKey::IsMeta, ClaudeRecordKey::IsCompactSummary]
        .iter()
        .any(|key| members.get(*key).is_some_and(|is| is.as_bool() == Some(true)))
    {
        t.set_fact(facts::BY_HOST, FactValue::Yes);
    }
    if !assistant && members.boolean(ClaudeRecordKey::IsCompactSummary) == Some(true) {
        t.set_fact(own::SUMMARY, FactValue::Yes);
    }
    if members.has_str(ClaudeRecordKey::ApiError, "media_removed") {
        t.set_fact(own::HEALS_MEDIA, FactValue::Yes);
    }
    let Some(message) = members.get_kind(ClaudeRecordKey::Message, Kind::Object) else {
        t.set_fact(own::NO_MESSAGE, FactValue::Yes);
        return;
    };
    let span = message.span();
    if node
        .tape()
        .flaws
        .iter()
        .any(|flaw| flaw.kind == FlawKind::LoneSurrogate && span.contains(&flaw.start))
    {
        t.note_flaws(Flaws::HALF_PAIR);
    }
    let own = &Fields::<ClaudeMessageKey>::of(message);
    if assistant {
        let id = text(own, ClaudeMessageKey::Id, t);
        t.newest_mut().batch = id;
        if own.has_str(ClaudeMessageKey::Model, "<synthetic>") {
            t.set_fact(own::SYNTHETIC, FactValue::Yes);
        }
    }
    if own
        .get(ClaudeMessageKey::Role)
        .is_some_and(|role| !role.is_str(if assistant { "assistant" } else { "user" }))
    {
        t.set_fact(own::OTHER_ROLE, FactValue::Yes);
    }
    let Some(content) = own.get(ClaudeMessageKey::Content).filter(|content| !content.is_null())
    else {
        t.set_fact(own::NO_CONTENT, FactValue::Yes);
        return;
    };
    match Some(content).filter(|_| !assistant).and_then(kinds::opening) {
        Some(Opening::Command) => t.set_fact(own::COMMAND, FactValue::Yes),
        Some(Opening::Interrupt) => t.set_fact(facts::STOPPED, FactValue::Yes),
        None => {}
    }
    let parts = blocks::read(content, role, t);
    if parts.results > 0 {
        source(members, parts.bare_results, t);
    }
}

/// The record of the call that a result answers. Providers pair by ID, so the link only counts if the ID is missing.
fn source(members: &Fields<'_, ClaudeRecordKey>, bare: bool, t: &mut Transcript) {
    let source = text(members, ClaudeRecordKey::SourceToolAssistantUuid, t);
    if let Some(source) = source {
        t.set_fact(own::SOURCE, FactValue::Text(source));
    }
    if bare {
        let parent = text(members, ClaudeRecordKey::ParentUuid, t);
        if let Some(to) = source.or(parent) {
            t.add_link(LinkKind::Call, Some(to));
        }
    }
}

fn system(members: &Fields<'_, ClaudeRecordKey>, t: &mut Transcript) {
    fact(members, ClaudeRecordKey::Subtype, own::SUBTYPE, t);
    let error = members.get(ClaudeRecordKey::Error);
    if members.has_str(ClaudeRecordKey::Subtype, "api_error")
        && error.and_then(|error| error.integer("status")) == Some(400)
    {
        t.set_fact(facts::FAILURE, FactValue::Yes);
    }
    if !members.has_str(ClaudeRecordKey::Subtype, kinds::BOUNDARY) {
        return;
    }
    fact(members, ClaudeRecordKey::LogicalParentUuid, own::LOGICAL, t);
    let segment =
        members.get(ClaudeRecordKey::CompactMetadata).and_then(|data| data.get("preservedSegment"));
    let Some(segment) = segment.filter(|segment| segment.kind() == Kind::Object) else {
        return;
    };
    t.set_fact(own::SEGMENT, FactValue::Yes);
    for (key, name) in
        [("headUuid", own::HEAD), ("anchorUuid", own::ANCHOR), ("tailUuid", own::TAIL)]
    {
        if let Some(text) = segment.get(key).and_then(|id| t.intern(id)) {
            t.set_fact(name, FactValue::Text(text));
        }
    }
}

fn attachment(members: &Fields<'_, ClaudeRecordKey>, t: &mut Transcript) {
    let Some(attachment) = members.get(ClaudeRecordKey::Attachment) else {
        return;
    };
    if attachment.has_str("type", "queued_command") {
        t.set_fact(own::QUEUED, FactValue::Yes);
    }
    let strips = attachment.has_str("type", "thinking_stripped");
    if strips && attachment.get("scope").is_none_or(|scope| scope.is_str("all")) {
        t.set_fact(own::STRIPS, FactValue::Yes);
    }
    let by_system = members.has_str(ClaudeRecordKey::RenderedRole, "system");
    if by_system && members.get(ClaudeRecordKey::Rendered).is_some_and(|value| !value.is_null()) {
        t.set_fact(own::RENDERED, FactValue::Yes);
    }
}
