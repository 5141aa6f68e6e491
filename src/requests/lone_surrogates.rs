//! No half of a surrogate pair is in a string: encoders refuse it, or the provider does.

use super::{Need, RequestContext, content};
use crate::json::cut::Change;
use crate::json::node::Node;
use crate::json::tape::{FlawKind, Kind};
use crate::targets::Arguments;
use crate::transcript::{Applicability, Code, Diagnostic, EventId, Flaws};

pub(crate) const NEED: Need = Need {
    name: "lone_surrogates",
    reports: &[Code::LoneSurrogate],
    check,
};

/// Where a host leaves halves as they are.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum Halves {
    /// In the whole message.
    Message,
    /// In the arguments of calls, where they are not sent as text.
    Arguments,
}

fn check(case: &RequestContext<'_>) -> Vec<Diagnostic> {
    let as_text = case.context.target.needs.arguments != Arguments::Object;
    if case.wire.halves == Halves::Arguments && as_text {
        return Vec::new();
    }
    let flawed = case.flawed(Flaws::HALF_PAIR);
    flawed.map(|event| replaced(case, event)).collect()
}

fn replaced(case: &RequestContext<'_>, event: EventId) -> Diagnostic {
    let said = match case.wire.halves {
        Halves::Message => "half a surrogate pair in a message",
        Halves::Arguments => "half a surrogate pair in tool call arguments",
    };
    let mut diagnostic = content(Code::LoneSurrogate, said, event);
    diagnostic.fixes = case.fixed(event, Applicability::Safe, |record| {
        match case.wire.halves {
            Halves::Message => halves((case.wire.message)(record)),
            Halves::Arguments => {
                let pieces = (case.wire.pieces)(record);
                let inputs = pieces
                    .iter()
                    .filter_map(|piece| piece.inputs.first()?.node());
                let objects = inputs.filter(|input| input.kind() == Kind::Object);
                objects.flat_map(halves).collect()
            }
        }
    });
    diagnostic
}

/// The changes that replace the halves in a value.
fn halves(value: Node<'_>) -> Vec<Change> {
    let span = value.span();
    let flaws = value.tape().flaws.iter();
    let halves = flaws.filter(|flaw| flaw.kind == FlawKind::LoneSurrogate);
    let inside = halves.filter(|flaw| span.contains(&flaw.start));
    let changes = inside.map(|flaw| Change::new(flaw.start..flaw.end, b"\\ufffd".to_vec()));
    changes.collect()
}
