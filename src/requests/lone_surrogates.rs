//! Strings must not have lone surrogates: encoders or the provider reject them.

use super::{Need, RequestContext, content};
use crate::json::cut::RecordChange;
use crate::json::node::Node;
use crate::json::tape::{FlawKind, Kind};
use crate::targets::Arguments;
use crate::transcript::{Applicability, Code, Diagnostic, EventId, Flaws};

pub(crate) const NEED: Need =
    Need { name: "lone_surrogates", reports: &[Code::LoneSurrogate], check };

/// Where a host sends lone surrogates as they are.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum SurrogateHalves {
    /// In any string of a message.
    Message,
    /// In the arguments of calls, unless they are sent as text.
    Arguments,
}

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let as_text = cx.context.target.needs.arguments != Arguments::Object;
    if cx.wire.halves == SurrogateHalves::Arguments && as_text {
        return Vec::new();
    }
    let flawed = cx.flawed(Flaws::HALF_PAIR);
    flawed.map(|event| report(cx, event)).collect()
}

fn report(cx: &RequestContext<'_>, event: EventId) -> Diagnostic {
    let message = match cx.wire.halves {
        SurrogateHalves::Message => "half a surrogate pair in a message",
        SurrogateHalves::Arguments => "half a surrogate pair in tool call arguments",
    };
    let mut diagnostic = content(Code::LoneSurrogate, message, event);
    diagnostic.fixes = cx.fix_record(event, Applicability::Safe, |record| match cx.wire.halves {
        SurrogateHalves::Message => halves((cx.wire.message)(record)),
        SurrogateHalves::Arguments => {
            let pieces = (cx.context.pieces)(record);
            let inputs = pieces.iter().filter_map(|piece| piece.inputs.first()?.node());
            let objects = inputs.filter(|input| input.kind() == Kind::Object);
            objects.flat_map(halves).collect()
        }
    });
    diagnostic
}

/// The changes that replace the lone surrogates in a value.
fn halves(value: Node<'_>) -> Vec<RecordChange> {
    let span = value.span();
    let flaws = value.tape().flaws.iter();
    let halves = flaws.filter(|flaw| flaw.kind == FlawKind::LoneSurrogate);
    let inside = halves.filter(|flaw| span.contains(&flaw.start));
    let changes = inside.map(|flaw| RecordChange::new(flaw.start..flaw.end, b"\\ufffd".to_vec()));
    changes.collect()
}
