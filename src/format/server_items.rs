//! Items of the Responses API that the server does not have, or cannot decrypt. No check can see that; the server's error names
//! the item, by its ID or by both ends of its encrypted content.
//!
//! Hosts keep such items in members of their own. So the item is looked for in all members of what is sent.

use base64_simd::STANDARD;
use memchr::memmem;

use super::FormatContext;
use crate::dialects::responses::{COMPACTIONS, ResponseItem};
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::transcript::{
    Action, CHANGE, Code, Confidence, Diagnostic, Effect, EventId, Inclusion, Instance, Label,
    LabelRole, Request, Subject,
};

/// What an error says of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedItem {
    /// The start of its ID or of its encrypted content.
    pub head: String,
    /// The end of it. Empty: `head` is all.
    pub tail: String,
    /// Whether these are the ends of its encrypted content.
    pub by_content: bool,
    /// What is wrong with it.
    pub fault: ItemFault,
}

/// Why a server rejects an item.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ItemFault {
    /// The server does not have it.
    NotStored,
    /// The server cannot decrypt it.
    NotDecrypted,
    /// The server knows an item that belongs to it, and does not get that.
    Alone,
}

impl NamedItem {
    /// Whether a member with this key has the ID or the content.
    fn is_in(&self, key: &str, text: &str) -> bool {
        if self.by_content {
            return key.to_ascii_lowercase().contains("encrypted") && self.fits(text);
        }
        if self.fits(text) {
            return true;
        }
        // pi and OpenClaw have the item as the text of its JSON.
        key.ends_with("ignature")
            && self.tail.is_empty()
            && text.contains(&format!("\"{}\"", self.head))
    }

    fn fits(&self, text: &str) -> bool {
        if self.tail.is_empty() {
            return text == self.head;
        }
        text.len() > self.head.len() + self.tail.len()
            && text.starts_with(&self.head)
            && text.ends_with(&self.tail)
    }
}

/// A member that names the item.
struct Mention<'a> {
    object: Node<'a>,
    /// The position of the member, and its key.
    at: u32,
    key: String,
    value: Node<'a>,
    /// The list with the object, and its position there.
    home: Option<(Node<'a>, u32)>,
}

/// Finds the members of a value, and of everything in it, that name the item.
fn mentions<'a>(
    node: Node<'a>,
    home: Option<(Node<'a>, u32)>,
    item: &NamedItem,
    found: &mut Vec<Mention<'a>>,
) {
    for (at, element) in (0_u32..).zip(node.items()) {
        mentions(element, Some((node, at)), item, found);
    }
    for (at, (key, value)) in (0_u32..).zip(node.members()) {
        let Some(text) = value.str() else {
            mentions(value, None, item, found);
            continue;
        };
        let key = key.str().unwrap_or_default();
        if item.is_in(&key, &text) {
            found.push(Mention { object: node, at, key: key.into_owned(), value, home });
        }
    }
}

/// What is removed, so that the server gets the item without what it rejects, or not at all.
#[derive(PartialEq, Eq)]
enum Removal {
    /// The whole object.
    Object,
    /// Members of it, by position.
    Members(Vec<u32>),
}

impl Mention<'_> {
    fn removal(&self, item: &NamedItem) -> Removal {
        let own = Removal::Members(vec![self.at]);
        let Some(kind) = self.object.string("type") else {
            // What the AI SDK notes next to a part: without an ID and encrypted content it does not send that as an item.
            return if item.fault == ItemFault::NotDecrypted { self.reference() } else { own };
        };
        if !item.by_content && self.key != "id" {
            return own;
        }
        let is_opaque =
            matches!(kind.as_ref(), "reasoning" | "item_reference") || is_compaction(&kind);
        let keeps_content = !is_opaque || ResponseItem::of(self.object).is_encrypted();
        if item.fault == ItemFault::NotDecrypted || !keeps_content { Removal::Object } else { own }
    }

    /// The members that refer to an item of the server.
    fn reference(&self) -> Removal {
        let keys = (0_u32..).zip(self.object.members());
        let all = keys.filter(|(at, (key, _))| key.is_str("itemId") || *at == self.at);
        Removal::Members(all.map(|(at, _)| at).collect())
    }

    fn describe(&self, item: &NamedItem) -> &'static str {
        let kind = self.object.string("type").unwrap_or_default();
        if self.summary().is_some() {
            return "a compaction that opencodex made, which no server can decrypt; its summary can be read";
        }
        if item.fault == ItemFault::NotDecrypted && is_compaction(&kind) {
            "a compaction that the server cannot decrypt: without it, the model does not know what it replaced"
        } else if item.fault == ItemFault::NotDecrypted {
            "reasoning that the server cannot decrypt: it is of another account, region, or provider"
        } else if item.fault == ItemFault::Alone {
            "an item that the server takes only together with another one, which is not sent"
        } else if self.removal(item) == Removal::Object {
            "an item that the server does not have"
        } else {
            "the ID of an item that the server does not have"
        }
    }

    /// What the compaction says, if opencodex wrote it: the text in Base64 (`src/responses/compaction.ts`).
    fn summary(&self) -> Option<String> {
        let encoded = self.object.string("encrypted_content")?;
        let bytes = STANDARD.decode_to_vec(encoded.strip_prefix("ocx1:")?).ok()?;
        String::from_utf8(bytes).ok()
    }
}

fn is_compaction(kind: &str) -> bool {
    COMPACTIONS.contains(&kind)
}

/// The changes that take the item out of its record.
fn changes(found: &[Mention<'_>], item: &NamedItem) -> Vec<RecordChange> {
    let mut changes = Vec::new();
    let mut cuts: Vec<(Node<'_>, Vec<u32>)> = Vec::new();
    for own in found {
        if let Some(summary) = own.summary() {
            let message = format!(
                r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":{}}}]}}"#,
                quote(&summary)
            );
            changes.push(cut::replace(own.object, &message));
            continue;
        }
        let (container, cut) = match (own.removal(item), own.home) {
            (Removal::Object, Some((list, at))) => (list, vec![at]),
            (Removal::Object, None) => (own.object, vec![own.at]),
            (Removal::Members(members), _) => (own.object, members),
        };
        match cuts.iter_mut().find(|(known, _)| known.span() == container.span()) {
            Some((_, all)) => all.extend(cut),
            None => cuts.push((container, cut)),
        }
    }
    changes.extend(cuts.iter().flat_map(|(container, cut)| cut::remove_members(*container, cut)));
    changes
}

/// Whether the bytes of a record have the start of the item, so that it is worth reading.
fn may_have(context: &FormatContext<'_>, event: EventId, item: &NamedItem) -> bool {
    let bytes = context.entries.fetch(context.transcript.event(event).at());
    bytes.is_ok_and(|bytes| memmem::find(&bytes, item.head.as_bytes()).is_some())
}

/// The diagnostic for the item, in messages as `message` finds them. `None`: nothing that is sent has it, or the error fits several.
pub(crate) fn diagnostic(
    context: &FormatContext<'_>,
    request: &Request,
    message: for<'a> fn(Node<'a>) -> Node<'a>,
    item: &NamedItem,
) -> Option<Diagnostic> {
    let t = context.transcript;
    let mut events: Vec<EventId> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut actions: Vec<Action> = Vec::new();
    let mut said = "";
    let sent = t.with_inner().filter(|event| request.inclusion(*event) == Inclusion::Sent);
    for event in sent.filter(|event| may_have(context, *event, item)) {
        let Ok(record) = context.record(event) else {
            continue;
        };
        let mut found = Vec::new();
        mentions(record.root(), None, item, &mut found);
        let Some(first) = found.first() else {
            continue;
        };
        said = first.describe(item);
        names.extend(found.iter().filter_map(|own| Some(own.value.str()?.into_owned())));
        events.push(event);
        // A record that is nothing but the item goes as a whole; of others only the item is cut.
        let whole = message(record.root()).span();
        let is_whole = found.iter().any(|own| {
            own.object.span() == whole
                && own.summary().is_none()
                && own.removal(item) == Removal::Object
        });
        actions.push(if is_whole {
            Action::Remove(event)
        } else {
            let at = t.event(event).at();
            Action::edit_bytes(event, at, CHANGE, changes(&found, item))
        });
    }
    names.sort_unstable();
    names.dedup();
    // Both ends of an encrypted content fit several: nobody can say which the server means.
    if names.len() > 1 && !item.tail.is_empty() {
        return None;
    }
    let first = *events.first()?;
    let mut diagnostic = if item.fault == ItemFault::Alone {
        Diagnostic::new(Code::ReasoningItem, said, first)
    } else {
        Diagnostic::new(Code::ServerItem, said, first)
    };
    diagnostic.labels = Label::all(&events, LabelRole::Record);
    diagnostic.about = events.iter().map(|event| Subject::Content(*event)).collect();
    diagnostic.instance = Some(Instance::Rejected);
    diagnostic.confidence = Confidence::Likely;
    diagnostic.effect = Effect::Refused;
    diagnostic.fix_with_guess(actions);
    Some(diagnostic)
}
