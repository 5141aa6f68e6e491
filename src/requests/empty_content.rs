//! Texts and messages must not be empty.

use super::{Need, RequestContext, content, refused};
use crate::dialects::anthropic;
use crate::dialects::piece::{MemberRef, Piece};
use crate::dialects::placeholders;
use crate::json::alike::ObjectLayout;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::tape::Kind;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, Effect, EventId, Flaws, Instance, PartId, PartKind,
    Role, Within,
};

pub(crate) const NEED: Need = Need { name: "empty_content", reports: &[Code::EmptyContent], check };

/// What a format does with an empty message.
#[derive(Copy, Clone)]
pub(crate) struct EmptyMessages {
    /// Its content after the repair.
    pub filler: ContentFiller,
    /// Whether the last message of the model may be empty.
    pub last_may_be_empty: bool,
    /// Whether a message may be several records, of which an empty one is removed.
    pub splits_messages: bool,
    /// Whether a block has no data, where blocks count rather than texts.
    pub has_no_data: Option<fn(Node<'_>) -> bool>,
}

/// The content that replaces empty content.
#[derive(Copy, Clone)]
pub(crate) enum ContentFiller {
    Content(&'static str),
    /// A text, in a list of one block if the content is a list.
    OnlyBlock(&'static str),
    /// A text in the first block, without the others. The pair is the JSON around a text in a list without blocks.
    FirstBlock(&'static str, (&'static str, &'static str)),
}

impl EmptyMessages {
    /// Anthropic's messages.
    pub(crate) const BLOCKS: EmptyMessages = EmptyMessages {
        filler: ContentFiller::OnlyBlock(placeholders::NO_CONTENT),
        last_may_be_empty: false,
        splits_messages: false,
        has_no_data: None,
    };
}

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let flawed = cx.flawed(Flaws::EMPTY);
    match cx.wire.texts.has_no_data {
        None => flawed.flat_map(|event| in_message(cx, event)).collect(),
        Some(_) if !cx.context.target.needs.blocks_have_data => Vec::new(),
        Some(is_empty) => flawed.filter_map(|event| empty_blocks(cx, event, is_empty)).collect(),
    }
}

/// Reports the blocks of a message without data, or that it has no others.
fn empty_blocks(
    cx: &RequestContext<'_>,
    event: EventId,
    is_empty: fn(Node<'_>) -> bool,
) -> Option<Diagnostic> {
    let record = cx.context.record(event).ok()?;
    let pieces = (cx.context.pieces)(record.root());
    let list = pieces.first().and_then(|piece| piece.homes.first());
    let blocks = list.into_iter().flat_map(|home| home.list.items());
    let empty = (0..).zip(blocks).filter(|(_, block)| is_empty(*block));
    let empty: Vec<u32> = empty.map(|(at, _)| at).collect();
    match list {
        Some(home) if empty.len() < pieces.len() => {
            let diagnostic = refused(Code::EmptyContent, "empty part", event);
            let changes = cut::remove_members(home.list, &empty);
            Some(cx.with_fix(diagnostic, Applicability::Safe, changes))
        }
        _ => {
            let mut diagnostic = refused(Code::EmptyContent, "turn without parts", event);
            diagnostic.fix_safely([Action::Remove(event)]);
            Some(diagnostic)
        }
    }
}

fn in_message(cx: &RequestContext<'_>, event: EventId) -> Vec<Diagnostic> {
    let Ok(record) = cx.context.record(event) else {
        return Vec::new();
    };
    let (message, pieces) = ((cx.wire.message)(record.root()), (cx.context.pieces)(record.root()));
    let Some(list) = message.get("content") else {
        return vec![content(Code::EmptyContent, WITHOUT, event)];
    };
    let own = empty_texts(cx, event, list, &pieces);
    own.into_iter().chain(inside_results(cx, event, &pieces)).collect()
}

const WITHOUT: &str = "message without content";

/// Reports the empty texts of a message, or that it has no content.
fn empty_texts(
    cx: &RequestContext<'_>,
    event: EventId,
    list: Node<'_>,
    pieces: &[Piece<'_>],
) -> Option<Diagnostic> {
    let t = cx.transcript();
    let is_empty = |piece: &Piece<'_>| piece.kind == PartKind::Text && piece.blank;
    let has_no_content = pieces.iter().all(is_empty);
    let parts: Vec<PartId> = t.event(event).parts.clone().collect();
    let mut sent: Vec<&Piece<'_>> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        if is_empty(piece) && parts.get(at).is_none_or(|part| cx.role_of(*part).is_some()) {
            sent.push(piece);
        }
    }
    let is_block = sent.iter().any(|piece| !piece.homes.is_empty());
    // Nothing blank is sent, or the message may be empty where it is.
    if (sent.is_empty() && !pieces.is_empty())
        || (!is_block && (list.is_str("") || pieces.is_empty()) && may_end(cx, event))
    {
        return None;
    }
    let message = if is_block { "blank text block" } else { WITHOUT };
    let mut diagnostic = content(Code::EmptyContent, message, event);
    if is_block {
        diagnostic.within = Within::Block;
    }
    if !cx.context.target.needs.no_blank_texts {
        diagnostic.instance = Some(Instance::Spared);
    } else if cx.request.filled.contains(&event) {
        (diagnostic.instance, diagnostic.effect) = (Some(Instance::Corrected), Effect::None);
    }
    if has_no_content && is_one_of_several(cx, event) {
        diagnostic.fix_safely([Action::Remove(event)]);
        return Some(diagnostic);
    }
    let changes = if has_no_content {
        filled(cx.wire.texts.filler, list)
    } else {
        let homes = sent.iter().filter_map(|piece| piece.homes.first());
        cut::remove_members(list, &homes.map(|home| home.at).collect::<Vec<_>>())
    };
    Some(cx.with_fix(diagnostic, Applicability::Safe, changes))
}

/// Whether it is the last message of the model, which may be empty.
fn may_end(cx: &RequestContext<'_>, event: EventId) -> bool {
    cx.wire.texts.last_may_be_empty
        && cx.transcript().event(event).role == Role::Assistant
        && cx.request.branch.last() == Some(&event)
}

/// Whether other records have more of the same assistant message.
pub(super) fn is_one_of_several(cx: &RequestContext<'_>, event: EventId) -> bool {
    let request = cx.request;
    if !cx.wire.texts.splits_messages || cx.transcript().event(event).role != Role::Assistant {
        return false;
    }
    let message = request.api_index(event).and_then(|at| request.messages.get(at as usize));
    let items = message.and_then(|message| {
        request.order.get(message.items.start as usize..message.items.end as usize)
    });
    items.is_some_and(|items| items.iter().any(|sent| sent.event != event))
}

/// The changes that fill empty content.
pub(super) fn filled(filler: ContentFiller, list: Node<'_>) -> Vec<RecordChange> {
    let first = list.items().next();
    match filler {
        ContentFiller::OnlyBlock(text) if list.kind() == Kind::Array => {
            anthropic::only_text(list, text)
        }
        ContentFiller::FirstBlock(text, _) if first.is_some() => {
            let blocks = u32::try_from(list.items().count()).unwrap_or(u32::MAX);
            let first = first.map(|first| MemberRef::of(first, "text").put(&quote(text), &[]));
            let others: Vec<u32> = (1..blocks).collect();
            first.into_iter().chain(cut::remove_members(list, &others)).collect()
        }
        ContentFiller::FirstBlock(text, around) if list.kind() == Kind::Array => {
            vec![cut::replace(list, &listed(list, text, around))]
        }
        ContentFiller::Content(text)
        | ContentFiller::OnlyBlock(text)
        | ContentFiller::FirstBlock(text, _) => {
            let quoted = ObjectLayout::of(&list.raw()).quote(text);
            vec![cut::replace(list, &String::from_utf8_lossy(&quoted))]
        }
    }
}

/// A list with a text, with spaces if the record has them.
fn listed(list: Node<'_>, text: &str, (before, after): (&str, &str)) -> String {
    let spaced = list.bytes(0, list.span().start);
    let has_spaces = spaced.windows(2).any(|pair| pair == b": ");
    let before = if has_spaces { before.to_owned() } else { before.replace(' ', "") };
    format!("{before}{}{after}", quote(text))
}

/// Reports empty texts inside results, where white space is accepted.
fn inside_results(
    cx: &RequestContext<'_>,
    event: EventId,
    pieces: &[Piece<'_>],
) -> Option<Diagnostic> {
    let results = pieces.iter().filter(|piece| piece.kind == PartKind::Result);
    let lists = results.filter_map(|piece| piece.inputs.first()?.node());
    let changes: Vec<RecordChange> = lists.flat_map(without_empty_texts).collect();
    let message = "empty text inside a tool result";
    let mut diagnostic = content(Code::EmptyContent, message, event);
    diagnostic.within = Within::InResult;
    (!changes.is_empty()).then(|| cx.with_fix(diagnostic, Applicability::Safe, changes))
}

fn without_empty_texts(list: Node<'_>) -> Vec<RecordChange> {
    let mut empty = Vec::new();
    for (at, block) in (0_u32..).zip(list.items()) {
        if block.has_str("type", "text") && block.has_str("text", "") {
            empty.push(at);
        }
    }
    if empty.is_empty() { Vec::new() } else { cut::remove_members(list, &empty) }
}
