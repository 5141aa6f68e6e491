//! Turns one record into facts, without knowing the others.

use super::content::{self, BlockField, PiMessageKey};
use super::{kinds, layout, own};
use crate::dialects::Piece;
use crate::dialects::piece::ArgumentsForm;
use crate::json::fields::{Fields, Keys, fields};
use crate::json::node::Node;
use crate::json::tape::{FlawKind, Kind};
use crate::transcript::{
    Code, Diagnostic, EventId, FactValue, Flaws, Id, LinkKind, Origin, PartKind, Role, State,
    Subject, Transcript, facts,
};

fields! {
    /// Members of a record.
    enum PiRecordKey {
        Type = "type",
        Id = "id",
        Timestamp = "timestamp",
        ParentId = "parentId",
        Cwd = "cwd",
        Version = "version",
        AppendMode = "appendMode",
        Message = "message",
        Content = "content",
        CustomType = "customType",
        FirstKeptEntryId = "firstKeptEntryId",
        FirstKeptEntryIndex = "firstKeptEntryIndex",
        TargetId = "targetId",
        AppendParentId = "appendParentId",
        Replacement = "replacement",
    }
}

/// Reads a header, an entry, or a fragment of one.
pub(super) fn read(node: Node<'_>, t: &mut Transcript) {
    let members = &Fields::<PiRecordKey>::of(node);
    let kind = text(members, PiRecordKey::Type, t);
    let id = text(members, PiRecordKey::Id, t);
    let time = members.get(PiRecordKey::Timestamp).and_then(|time| time.utf8());
    let time = time.and_then(|time| t.time(&time));
    let event = t.newest_mut();
    (event.kind, event.id) = (kind, id);
    event.set_time(time);
    let whole = event.state != State::Unreadable;
    // Only one record is a header, and its type is at hand.
    let is_session = members.has_str(PiRecordKey::Type, "session");
    if whole && is_session && layout::is_header(node) {
        header(members, t);
        return;
    }
    match members.get(PiRecordKey::ParentId) {
        Some(parent) if parent.is_null() => t.add_link(LinkKind::Root, None),
        Some(parent) => {
            if let Some(parent) = t.intern(parent) {
                t.add_link(LinkKind::Parent, Some(parent));
            }
        }
        None => {}
    }
    if whole {
        entry(members, t);
    } else {
        cwd(members, t);
    }
}

fn text<K: Keys>(members: &Fields<'_, K>, key: K, t: &mut Transcript) -> Option<Id> {
    t.intern(members.get(key)?)
}

fn cwd(members: &Fields<'_, PiRecordKey>, t: &mut Transcript) {
    if let Some(cwd) = text(members, PiRecordKey::Cwd, t) {
        t.set_fact(own::CWD, FactValue::Text(cwd));
    }
}

fn header(members: &Fields<'_, PiRecordKey>, t: &mut Transcript) {
    t.newest_mut().role = Role::HostState;
    let version = members.integer(PiRecordKey::Version).unwrap_or(1);
    t.set_fact(own::VERSION, FactValue::Number(version));
    if version >= 4 {
        t.set_fact(own::OPENCLAW, FactValue::Yes);
    }
    cwd(members, t);
}

fn entry(members: &Fields<'_, PiRecordKey>, t: &mut Transcript) {
    let kind = members.string(PiRecordKey::Type).unwrap_or_default();
    // Only OpenClaw writes the mode, whatever the type of the record.
    if members.get(PiRecordKey::AppendMode).is_some() {
        t.set_fact(own::OPENCLAW, FactValue::Yes);
        if members.has_str(PiRecordKey::AppendMode, "side") {
            t.set_fact(own::SIDE, FactValue::Yes);
        }
    }
    match kind.as_ref() {
        "message" => match members.get_kind(PiRecordKey::Message, Kind::Object) {
            Some(message) => self::message(&Fields::of(message), t),
            None => malformed("message entry without its message", t),
        },
        "custom_message" => {
            t.set_fact(facts::BY_HOST, FactValue::Yes);
            user(members.get(PiRecordKey::Content), t);
        }
        "branch_summary" => {
            t.set_fact(facts::BY_HOST, FactValue::Yes);
            speaks(Role::User, PartKind::Text, t);
        }
        "compaction" | "reset" => boundary(members, kind == "reset", t),
        "leaf" => leaf(members, t),
        "custom" => {
            let custom = members.string(PiRecordKey::CustomType).unwrap_or_default();
            if custom == "model-snapshot" || custom.starts_with("openclaw") {
                t.set_fact(own::OPENCLAW, FactValue::Yes);
            }
        }
        "context_edit" => edit(members, t),
        kinds::TITLE if t.newest() == EventId::FIRST => t.set_fact(own::OH_MY_PI, FactValue::Yes),
        other if kinds::is_oh_my_pis(other) => t.set_fact(own::OH_MY_PI, FactValue::Yes),
        other if kinds::is_known(other) => {}
        _ => unknown(t),
    }
}

fn unknown(t: &mut Transcript) {
    let event = t.newest();
    let diagnostic = Diagnostic::about(
        Code::UnknownRecord,
        "a record type that this version does not know",
        Subject::Content,
        event,
    );
    t.diagnostics.push(diagnostic);
}

/// The host ignores the record, or fails; the path decides whether that matters.
fn malformed(problem: &str, t: &mut Transcript) {
    let problem = t.ids.intern(problem);
    t.set_fact(own::MALFORMED, FactValue::Text(problem));
}

fn boundary(members: &Fields<'_, PiRecordKey>, reset: bool, t: &mut Transcript) {
    if reset {
        t.set_fact(own::OPENCLAW, FactValue::Yes);
    }
    if let Some(kept) = text(members, PiRecordKey::FirstKeptEntryId, t) {
        t.add_link(LinkKind::Kept, Some(kept));
    } else if let Some(index) = members.integer(PiRecordKey::FirstKeptEntryIndex) {
        t.set_fact(own::KEPT_INDEX, FactValue::Number(index));
    }
}

/// Reads OpenClaw's pointer to the end of the path. A member of the wrong type makes it invalid.
fn leaf(members: &Fields<'_, PiRecordKey>, t: &mut Transcript) {
    t.set_fact(own::OPENCLAW, FactValue::Yes);
    for (key, name) in
        [(PiRecordKey::TargetId, own::LEAF_TARGET), (PiRecordKey::AppendParentId, own::LEAF_APPEND)]
    {
        match members.get(key) {
            Some(value) if value.is_null() => t.set_fact(name, FactValue::Yes),
            Some(value) => {
                if let Some(id) = t.intern(value) {
                    t.set_fact(name, FactValue::Text(id));
                }
            }
            None => {}
        }
    }
}

/// Reads an edit, which removes a record from the request or replaces its content.
fn edit(members: &Fields<'_, PiRecordKey>, t: &mut Transcript) {
    let Some(replacement) = members.get(PiRecordKey::Replacement) else {
        return;
    };
    let content = replacement.get("content");
    let content = content.filter(|content| matches!(content.kind(), Kind::String | Kind::Array));
    if !replacement.is_null() && content.is_none() {
        return;
    }
    let Some(target) = text(members, PiRecordKey::TargetId, t) else {
        return;
    };
    t.set_fact(own::EDITS, FactValue::Text(target));
    let Some(content) = content else {
        return t.set_fact(own::HIDES, FactValue::Yes);
    };
    let pieces = content::said(content);
    if pieces.iter().all(|piece| piece.blank) {
        t.set_fact(own::BLANK, FactValue::Yes);
    }
    for piece in pieces.iter().filter(|piece| piece.kind == PartKind::Call) {
        if let Some(id) = piece.ids.iter().find_map(|id| t.intern(id.node()?)) {
            t.set_fact(own::KEEPS, FactValue::Text(id));
        }
    }
}

fn speaks(role: Role, kind: PartKind, t: &mut Transcript) {
    t.newest_mut().role = role;
    t.add_part(t.blank_part(kind));
}

fn message(message: &Fields<'_, PiMessageKey>, t: &mut Transcript) {
    let role = message.string(PiMessageKey::Role).unwrap_or_default();
    let known = kinds::role(&role);
    match known {
        None if role.trim().is_empty() => malformed("message without a role", t),
        None => {}
        Some(Role::Assistant) => assistant(message, t),
        Some(Role::Tool) => result(message, t),
        Some(Role::User) if matches!(role.as_ref(), "bashExecution" | "pythonExecution") => {
            let hidden = message.boolean(PiMessageKey::ExcludeFromContext);
            if hidden != Some(true) {
                speaks(Role::User, PartKind::Text, t);
            }
        }
        Some(Role::User)
            if matches!(role.as_ref(), "user" | "custom" | "hookMessage" | "developer") =>
        {
            if role != "user" {
                t.set_fact(facts::BY_HOST, FactValue::Yes);
            }
            user(message.get(PiMessageKey::Content), t);
        }
        Some(role) => speaks(role, PartKind::Text, t),
    }
}

/// Reads a message in the place of the user.
fn user(content: Option<Node<'_>>, t: &mut Transcript) {
    let Some(content) = content.filter(|content| !content.is_null()) else {
        return malformed("message without content", t);
    };
    t.newest_mut().role = Role::User;
    let pieces = content::said(content);
    for piece in &pieces {
        let part = piece.part_with(0, t);
        t.add_part(part);
    }
    if pieces.iter().any(|piece| piece.blank) {
        t.note_flaws(Flaws::EMPTY);
    }
    if pieces.iter().all(|piece| piece.blank) {
        t.set_fact(own::BLANK, FactValue::Yes);
    }
}

fn assistant(message: &Fields<'_, PiMessageKey>, t: &mut Transcript) {
    let stopped = message.string(PiMessageKey::StopReason);
    let failed = matches!(stopped.as_deref(), Some("error" | "aborted"));
    let openclaw = message.has_str(PiMessageKey::Provider, "openclaw");
    let event = t.newest_mut();
    (event.role, event.failed) = (Role::Assistant, failed);
    match stopped.as_deref() {
        Some("aborted") => t.set_fact(facts::STOPPED, FactValue::Yes),
        Some("error") => t.set_fact(facts::FAILURE, FactValue::Yes),
        _ => {}
    }
    if openclaw {
        t.set_fact(own::OPENCLAW, FactValue::Yes);
        t.set_fact(facts::BY_HOST, FactValue::Yes);
    } else if let Some(api) = text(message, PiMessageKey::Api, t) {
        t.set_fact(own::API, FactValue::Text(api));
    }
    // A failed response may break off before its content.
    let Some(content) = message.get(PiMessageKey::Content).filter(|content| !content.is_null())
    else {
        if !failed {
            malformed("message without content", t);
        }
        return;
    };
    let mut needs_check = false;
    for block in content.items() {
        let block = &Fields::<BlockField>::of(block);
        let piece = content::block(block);
        if piece.kind == PartKind::Call {
            needs_check |= call(block, &piece, t);
        } else {
            let part = piece.part_with(0, t);
            t.add_part(part);
        }
    }
    if needs_check {
        t.set_fact(own::ODD, FactValue::Yes);
    }
}

/// Reads a call. Returns whether its content must be checked.
fn call(members: &Fields<'_, BlockField>, piece: &Piece<'_>, t: &mut Transcript) -> bool {
    let block = members.node();
    let digest = t.ids.digest(&block.raw());
    let mut asked = piece.part_with(digest, t);
    let arguments = members.get(BlockField::Arguments);
    asked.bad_input = arguments.is_none_or(|arguments| arguments.kind() != Kind::Object);
    let span = block.span();
    if arguments.is_some()
        && block
            .tape()
            .flaws
            .iter()
            .any(|flaw| flaw.kind == FlawKind::LoneSurrogate && span.contains(&flaw.start))
    {
        t.note_flaws(Flaws::HALF_PAIR);
    }
    t.add_part(asked);
    t.note_flaws(piece.input_flaw(ArgumentsForm::Object));
    !members.has_str(BlockField::Type, "toolCall") || arguments.is_none()
}

fn result(message: &Fields<'_, PiMessageKey>, t: &mut Transcript) {
    t.newest_mut().role = Role::Tool;
    let (piece, key) = content::result(message);
    let error = piece.reports_error();
    let content = message.get(PiMessageKey::Content);
    let digest = t.ids.digest_of(|out| {
        if let Some(content) = content {
            content.feed_meaning(out);
        }
        out(&[u8::from(error)]);
    });
    let mut answer = piece.part_with(digest, t);
    if error && is_placeholder(message, content) {
        answer.origin = Origin::Placeholder;
    }
    t.add_part(answer);
    if error && content.is_some_and(is_empty) {
        t.note_flaws(Flaws::EMPTY_ERROR);
    }
    if key != kinds::RESULT_IDS[0] {
        t.set_fact(own::ODD, FactValue::Yes);
    }
}

/// Whether a list has at most one empty text: the host sends an empty string for it.
fn is_empty(content: Node<'_>) -> bool {
    let mut items = content.items();
    let only = (items.next(), items.next());
    content.kind() == Kind::Array
        && match only {
            (None, _) => true,
            (Some(only), None) => only.has_str("text", ""),
            _ => false,
        }
}

/// Whether a host wrote this error in place of a result.
fn is_placeholder(message: &Fields<'_, PiMessageKey>, content: Option<Node<'_>>) -> bool {
    let details = message
        .get(PiMessageKey::Details)
        .and_then(|details| details.get("openclawSyntheticMissingToolResult"));
    if details.and_then(|mark| mark.as_bool()) == Some(true) {
        return true;
    }
    let Some(content) = content else { return false };
    let mut items = content.items();
    let text = match (items.next(), items.next()) {
        (Some(only), None) => only.string("text"),
        (None, _) => content.str(),
        _ => None,
    };
    text.is_some_and(|text| kinds::is_placeholder(&text))
}
