//! Problems that only the provider's error shows: changed thinking looks like any other, and an image that the provider
//! cannot process may be valid.

use super::server_items::{self, NamedItem};
use super::{Format, FormatContext};
use crate::dialects::anthropic::{self, kinds};
use crate::dialects::placeholders;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::requests::reasoning_content;
use crate::transcript::{
    Action, Code, Confidence, Diagnostic, Effect, EventId, IdRange, Instance, Label, LabelRole,
    PartId, PartKind, Request, Role, Subject,
};

/// The reason in the text that replaces an image or a document.
const REASON: &str = "the provider refused it";
/// A message describes at most this many candidates.
const DESCRIBED: usize = 8;

/// What a provider rejects although no check finds a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blamed {
    Thinking,
    /// Images and documents.
    Media,
    /// Answers without their `reasoning_content`.
    NoThinking,
    /// An item that the server does not have, or cannot decrypt.
    Item(NamedItem),
}

/// A place in the request.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockPosition {
    /// The index of the message in the request.
    pub message: u32,
    /// The index of the block among the blocks of the message that are sent.
    pub block: u32,
    /// The index of the block inside a result.
    pub inner: Option<u32>,
}

/// What a provider has rejected, according to its error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    pub what: Blamed,
    /// The places. For thinking, the whole message counts.
    pub positions: Vec<BlockPosition>,
    /// Everything of that kind after the first of these places is included.
    pub onward: bool,
    /// The error names no place, or a place without anything of that kind. Then the newest candidate is taken, or the next one.
    pub guess: bool,
}

impl Blame {
    fn names(&self, position: BlockPosition) -> bool {
        self.positions.iter().any(|own| match self.what {
            Blamed::Media => *own == position,
            _ => own.message == position.message,
        })
    }

    /// The candidates that the error is about.
    fn choose<'a>(&self, all: &'a [BlameCandidate]) -> Vec<&'a BlameCandidate> {
        let first =
            all.iter().position(|candidate| self.names(candidate.position)).unwrap_or(all.len());
        all.get(first..)
            .unwrap_or_default()
            .iter()
            .filter(|candidate| self.onward || self.names(candidate.position))
            .collect()
    }
}

/// How a format removes what the provider rejected.
#[derive(Copy, Clone, Debug)]
pub struct Means {
    /// Finds the message in a record.
    pub message: for<'a> fn(Node<'a>) -> Option<Node<'a>>,
    /// The action after which the host does not send the thinking so far. `None`: the host has no such record.
    pub strip: fn(&FormatContext<'_>) -> Option<Action>,
    /// Whether the host may send messages that are not recorded, so that the numbers in errors differ from ours.
    pub shifts: bool,
}

/// Something that an error may be about.
#[derive(Clone, Debug)]
pub(crate) struct BlameCandidate {
    /// Its place in the request.
    pub position: BlockPosition,
    /// Its part, or the result that contains it.
    part: PartId,
    /// A description: `image/png, 68 bytes`.
    description: String,
}

/// Everything in a request that an error may be about, in order.
pub(crate) fn candidates(
    context: &FormatContext<'_>,
    request: &Request,
    means: &Means,
    what: &Blamed,
) -> Vec<BlameCandidate> {
    let t = context.transcript;
    let mut found = Vec::new();
    for (message, known) in (0_u32..).zip(&request.messages) {
        let items = known.items.start as usize..known.items.end as usize;
        let sent = request.order.get(items).unwrap_or_default().iter().filter(|sent| !sent.summary);
        let parts = sent.flat_map(|sent| sent.parts.clone());
        for (block, part) in (0_u32..).zip(parts) {
            let position = BlockPosition { message, block, inner: None };
            match (what, t.part(part).kind) {
                (Blamed::Thinking, PartKind::Thinking) if known.role == Role::Assistant => {
                    found.push(BlameCandidate { position, part, description: String::new() });
                }
                (Blamed::Media, PartKind::Media | PartKind::Result) => {
                    media(context, means, position, part, &mut found)
                }
                _ => {}
            }
        }
    }
    found
}

/// The images and documents of a block, or inside a result.
fn media(
    context: &FormatContext<'_>,
    means: &Means,
    position: BlockPosition,
    part: PartId,
    found: &mut Vec<BlameCandidate>,
) {
    let t = context.transcript;
    let event = t.part(part).event;
    let at = t.position(part);
    let described = described_at(context, means, event, at).unwrap_or_default();
    found.extend(described.into_iter().map(|(inner, description)| BlameCandidate {
        position: BlockPosition { inner, ..position },
        part,
        description,
    }));
}

/// The descriptions of what is in a block, with the places of those inside a result.
fn described_at(
    context: &FormatContext<'_>,
    means: &Means,
    event: EventId,
    at: usize,
) -> Option<Vec<(Option<u32>, String)>> {
    let record = context.record(event).ok()?;
    let content = (means.message)(record.root())?.get("content")?;
    let block = content.items().nth(at)?;
    if let Some(description) = describe(block) {
        return Some(vec![(None, description)]);
    }
    let inner = (0_u32..).zip(block.get("content")?.items());
    Some(inner.filter_map(|(at, block)| Some((Some(at), describe(block)?))).collect())
}

/// Describes an image or a document. `None`: the block is neither.
fn describe(block: Node<'_>) -> Option<String> {
    let what = ["image", "document"].into_iter().find(|what| kinds::is(block, what))?;
    let data = block.at(&["source", "data"]).and_then(|data| data.str());
    let Some(data) = data else {
        return Some(format!("{what} that is not in the transcript"));
    };
    let real = anthropic::media_type(&data).unwrap_or(what);
    Some(format!("{real}, {} characters", data.len()))
}

/// The diagnostic for what the provider rejected, in messages of this format.
pub(crate) fn diagnostic(
    context: &FormatContext<'_>,
    request: &Request,
    format: &Format,
    blame: &Blame,
) -> Option<Diagnostic> {
    match &blame.what {
        Blamed::Item(item) => server_items::diagnostic(context, request, format.wire.message, item),
        Blamed::NoThinking => without_thinking_back(context, request, format.wire.message, blame),
        Blamed::Thinking | Blamed::Media => {
            of_parts(context, request, format.traits.blames?, blame)
        }
    }
}

/// The answers without `reasoning_content` in the messages of an error, or all of them.
fn without_thinking_back(
    context: &FormatContext<'_>,
    request: &Request,
    message: for<'a> fn(Node<'a>) -> Node<'a>,
    blame: &Blame,
) -> Option<Diagnostic> {
    let mut events = reasoning_content::lacking(context, request, message);
    events.retain(|event| {
        let index = request.api_index(*event);
        blame.positions.iter().any(|position| Some(position.message) == index)
    });
    let said = "answers without their `reasoning_content`, which the server wants back";
    let mut diagnostic = Diagnostic::new(Code::Thinking, said, *events.first()?);
    diagnostic.labels = Label::all(&events, LabelRole::Record);
    diagnostic.about = events.iter().map(|event| Subject::Content(*event)).collect();
    diagnostic.instance = Some(Instance::Rejected);
    diagnostic.confidence = Confidence::Likely;
    diagnostic.effect = Effect::Refused;
    diagnostic.fix_with_guess(events.iter().filter_map(|event| {
        context.change(*event, |record| vec![reasoning_content::filled(message(record))])
    }));
    Some(diagnostic)
}

/// The diagnostic for parts of messages that the provider rejected.
fn of_parts(
    context: &FormatContext<'_>,
    request: &Request,
    means: &Means,
    blame: &Blame,
) -> Option<Diagnostic> {
    let t = context.transcript;
    let all = candidates(context, request, means, &blame.what);
    let chosen = blame.choose(&all);
    let first = chosen.first()?;
    let is_thinking = blame.what == Blamed::Thinking;
    let (code, message) = match (is_thinking, blame.guess) {
        (true, false) => (Code::Thinking, "thinking that the provider rejected".to_owned()),
        (true, true) => (
            Code::Thinking,
            "the newest thinking: the provider does not say which it rejects".to_owned(),
        ),
        (false, false) => {
            (Code::BadMedia, format!("media that the provider rejected ({})", first.description))
        }
        (false, true) => (Code::BadMedia, list(context, &all)),
    };
    let mut diagnostic = Diagnostic::new(code, message, t.part(first.part).event);
    let mut events: Vec<EventId> =
        chosen.iter().map(|candidate| t.part(candidate.part).event).collect();
    events.dedup();
    diagnostic.labels = Label::all(events, LabelRole::Record);
    diagnostic.about = chosen.iter().map(|candidate| Subject::Identity(candidate.part)).collect();
    // Nothing in the transcript proves it: the error is the only sign.
    diagnostic.instance = Some(Instance::Rejected);
    diagnostic.confidence = if blame.guess { Confidence::Guess } else { Confidence::Likely };
    diagnostic.effect = Effect::Refused;
    let actions = if is_thinking {
        match (means.strip)(context) {
            Some(strip) => vec![strip],
            None => without_thinking(context, request, means, &chosen),
        }
    } else {
        without_media(context, means, &chosen)
    };
    if !actions.is_empty() {
        diagnostic.fix_with_guess(actions);
    }
    Some(diagnostic)
}

/// Lists the newest candidates, the newest first.
fn list(context: &FormatContext<'_>, all: &[BlameCandidate]) -> String {
    let t = context.transcript;
    let newest: Vec<String> = all
        .iter()
        .rev()
        .take(DESCRIBED)
        .map(|candidate| {
            let place = t.event(t.part(candidate.part).event).place().number();
            format!("{place} ({})", candidate.description)
        })
        .collect();
    let more = if all.len() > DESCRIBED { " …" } else { "" };
    format!(
        "the provider does not say which it rejects; the newest first: {}{more}",
        newest.join(", ")
    )
}

/// Removes the thinking. A message without anything else gets the text for missing content.
fn without_thinking(
    context: &FormatContext<'_>,
    request: &Request,
    means: &Means,
    chosen: &[&BlameCandidate],
) -> Vec<Action> {
    let t = context.transcript;
    let mut actions = Vec::new();
    for answer in chosen.chunk_by(|a, b| a.position.message == b.position.message) {
        let Some(message) =
            answer.first().and_then(|first| request.messages.get(first.position.message as usize))
        else {
            continue;
        };
        let items = message.items.start as usize..message.items.end as usize;
        let sent = request.order.get(items).unwrap_or_default();
        let parts: usize = sent.iter().map(|sent| sent.parts.len()).sum();
        // A message must not become empty.
        if parts > answer.len() {
            actions.extend(answer.iter().map(|candidate| Action::RemovePart(candidate.part)));
            continue;
        }
        let mut events: Vec<EventId> =
            answer.iter().map(|candidate| t.part(candidate.part).event).collect();
        events.dedup();
        let Some((first, rest)) = events.split_first() else {
            continue;
        };
        actions.extend(context.change(*first, |root| {
            let content = (means.message)(root).and_then(|message| message.get("content"));
            content
                .map(|content| anthropic::only_text(content, placeholders::NO_CONTENT))
                .unwrap_or_default()
        }));
        actions.extend(rest.iter().map(|event| Action::Remove(*event)));
    }
    actions
}

/// Replaces each image or document with a text that says so.
fn without_media(
    context: &FormatContext<'_>,
    means: &Means,
    chosen: &[&BlameCandidate],
) -> Vec<Action> {
    let t = context.transcript;
    let event = |candidate: &BlameCandidate| t.part(candidate.part).event;
    let mut actions = Vec::new();
    for record in chosen.chunk_by(|a, b| event(a) == event(b)) {
        let Some(own) = record.first().map(|first| event(first)) else {
            continue;
        };
        actions.extend(context.change(own, |root| {
            let Some(content) = (means.message)(root).and_then(|message| message.get("content"))
            else {
                return Vec::new();
            };
            let first = t.event(own).parts.clone();
            record.iter().filter_map(|candidate| replaced(content, &first, candidate)).collect()
        }));
    }
    actions
}

fn replaced(
    content: Node<'_>,
    first: &IdRange<PartId>,
    candidate: &BlameCandidate,
) -> Option<RecordChange> {
    let block = content.items().nth(first.position_of(candidate.part))?;
    let block = match candidate.position.inner {
        Some(inner) => block.get("content")?.items().nth(inner as usize)?,
        None => block,
    };
    let what = if kinds::is(block, "image") { "image" } else { "document" };
    let text =
        anthropic::text_block(block, &format!("[{what} removed by transcript-doctor: {REASON}]"));
    Some(cut::replace(block, &String::from_utf8_lossy(&text)))
}
