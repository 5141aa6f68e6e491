//! Error results must have content.

use super::{FormatContext, Need, RequestContext, content};
use crate::dialects::piece::{MemberRef, Piece};
use crate::dialects::placeholders;
use crate::json::cut::{self, RecordChange};
use crate::json::quote::quote;
use crate::json::tape::Kind;
use crate::transcript::{Action, Applicability, Code, Diagnostic, EventId, Fix, Flaws, PartKind};

pub(crate) const NEED: Need =
    Need { name: "error_results", reports: &[Code::EmptyErrorResult], check };

/// How a format records the content of a result.
#[derive(Copy, Clone)]
pub(crate) struct Results {
    /// The members after which missing content is inserted.
    pub after: &'static [&'static str],
    /// The text for an empty error.
    pub placeholder: &'static str,
    /// The JSON around a text, for content that must be a list.
    pub list: Option<(&'static str, &'static str)>,
    /// Writes the placeholder into all copies of the result, if its record is not the only place.
    pub fill: Option<Fill>,
}

type Fill = fn(&FormatContext<'_>, &[EventId]) -> Vec<Option<Action>>;

impl Results {
    pub(crate) const TEXTS: Results =
        Results { after: &[], placeholder: placeholders::NO_OUTPUT, list: None, fill: None };
    /// Anthropic's messages.
    pub(crate) const BLOCKS: Results = Results { after: &["tool_use_id"], ..Results::TEXTS };
}

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    if !cx.context.target.needs.errors_say_something {
        return Vec::new();
    }
    let silent: Vec<EventId> = cx.flawed(Flaws::EMPTY_ERROR).collect();
    let actions = match cx.wire.results.fill {
        Some(fill) if !silent.is_empty() => fill(cx.context, &silent),
        _ => silent.iter().map(|event| filled(cx, *event)).collect(),
    };
    silent
        .iter()
        .zip(actions)
        .map(|(event, action)| {
            let message = "error result without content";
            let mut diagnostic = content(Code::EmptyErrorResult, message, *event);
            diagnostic.fixes = Fix::only(Applicability::Safe, action);
            diagnostic
        })
        .collect()
}

fn filled(cx: &RequestContext<'_>, event: EventId) -> Option<Action> {
    cx.context.change(event, |record| {
        let pieces = (cx.context.pieces)(record);
        let results = pieces.iter().filter(|piece| piece.kind == PartKind::Result);
        let places = results
            .filter(|piece| pieces.len() == 1 || is_silent(piece))
            .filter_map(|piece| piece.inputs.first());
        places.map(|place| with_text(cx, place)).collect()
    })
}

/// Whether a piece is an error result without content.
fn is_silent(result: &Piece<'_>) -> bool {
    let content = result.inputs.first().and_then(MemberRef::node);
    let is_empty = content.is_none_or(|content| match content.kind() {
        Kind::Null => true,
        Kind::Array => content.items().next().is_none(),
        _ => content.is_str(""),
    });
    is_empty && result.reports_error()
}

fn with_text(cx: &RequestContext<'_>, at: &MemberRef<'_>) -> RecordChange {
    let results = cx.wire.results;
    let text = quote(results.placeholder);
    let first = at.node().and_then(|content| content.items().next());
    match (first.and_then(|block| block.get("text")), results.list) {
        (Some(empty), _) => cut::replace(empty, &text),
        (None, Some((before, after))) => at.put(&format!("{before}{text}{after}"), results.after),
        (None, None) => at.put(&text, results.after),
    }
}
