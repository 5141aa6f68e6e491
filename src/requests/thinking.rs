//! Thinking is taken back only as it was given: with its text and its signature.

use super::{Need, RequestContext, content, empty_content};
use crate::dialects::anthropic;
use crate::dialects::piece::Piece;
use crate::json::cut;
use crate::json::node::Node;
use crate::transcript::{Action, Applicability, Code, Diagnostic, EventId, Fix, Flaws, PartKind};

pub(crate) const NEED: Need = Need {
    name: "thinking",
    reports: &[Code::Thinking],
    check,
};

/// Blocks that are flawed in one way.
struct Flawed {
    said: &'static str,
    class: Applicability,
    blocks: Vec<u32>,
}

fn check(case: &RequestContext<'_>) -> Vec<Diagnostic> {
    let flawed = case.flawed(Flaws::THINKING);
    flawed.flat_map(|event| in_message(case, event)).collect()
}

fn in_message(case: &RequestContext<'_>, event: EventId) -> Vec<Diagnostic> {
    let Ok(record) = case.context.record(event) else {
        return Vec::new();
    };
    let pieces = (case.wire.pieces)(record.root());
    let list = pieces
        .iter()
        .find_map(|piece| Some(piece.homes.first()?.list));
    let blocks: Vec<Node<'_>> = list.into_iter().flat_map(|list| list.items()).collect();
    let mut found: Vec<Flawed> = Vec::new();
    let parts = case.transcript().event(event).parts.clone();
    for (piece, part) in pieces.iter().zip(parts) {
        let Some((at, (said, class))) =
            flaw(piece, &blocks).filter(|_| case.role_of(part).is_some())
        else {
            continue;
        };
        match found
            .iter_mut()
            .find(|own| (own.said, own.class) == (said, class))
        {
            Some(own) => own.blocks.push(at),
            None => found.push(Flawed {
                said,
                class,
                blocks: vec![at],
            }),
        }
    }
    let diagnostic = |own: Flawed| {
        let mut diagnostic = content(Code::Thinking, own.said, event);
        let says_nothing = own.blocks.len() >= pieces.len();
        if says_nothing && empty_content::is_one_of_several(case, event) {
            let actions = vec![Action::Park(event)];
            diagnostic.fixes = vec![Fix {
                class: own.class,
                actions,
            }];
            return diagnostic;
        }
        let changes = list.map(|list| match says_nothing {
            true => empty_content::filled(case.wire.texts.filler, list),
            false => cut::remove_members(list, &own.blocks),
        });
        case.with_fix(diagnostic, own.class, changes.unwrap_or_default())
    };
    found.into_iter().map(diagnostic).collect()
}

/// What is wrong with a block of thinking, and which block it is.
fn flaw(piece: &Piece<'_>, blocks: &[Node<'_>]) -> Option<(u32, (&'static str, Applicability))> {
    let home = piece
        .homes
        .first()
        .filter(|_| piece.kind == PartKind::Thinking)?;
    let block = blocks.get(home.at as usize)?;
    Some((home.at, anthropic::thinking_flaw(*block)?))
}
