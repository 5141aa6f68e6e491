//! The arguments of a call must be an object, or the text of one.

use super::blocks::Problems;
use super::{Need, RequestContext};
use crate::dialects::piece::{ArgumentsForm, MemberRef, Piece};
use crate::json::alike::ObjectLayout;
use crate::json::cut::{self, RecordChange};
use crate::json::embedded::{is_json, object_among_words, only_object};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::{Kind, RecordEnd};
use crate::targets::Arguments;
use crate::transcript::{
    Applicability, Code, Diagnostic, EventId, Flaws, HabitPlaces, Instance, PartId, Role,
};

pub(crate) const NEED: Need = Need {
    name: "arguments",
    reports: &[Code::MissingInput, Code::BadInput, Code::MalformedRecord],
    check,
};

/// How a format records the arguments of calls.
#[derive(Copy, Clone)]
pub(crate) struct RecordedArguments {
    pub written: ArgumentsForm,
    /// Whether a call may have no arguments.
    pub optional: bool,
    /// The members after which missing ones are inserted.
    pub after: &'static [&'static str],
    /// Whether a value that is not an object is kept inside of one, rather than replaced with an empty one.
    pub keeps_lost: bool,
}

impl RecordedArguments {
    pub(crate) const OBJECTS: RecordedArguments = RecordedArguments {
        written: ArgumentsForm::Object,
        optional: false,
        after: &["name"],
        keeps_lost: false,
    };
    pub(crate) const TEXTS: RecordedArguments =
        RecordedArguments { written: ArgumentsForm::Text, ..RecordedArguments::OBJECTS };
    /// Anthropic's messages.
    pub(crate) const BLOCKS: RecordedArguments = RecordedArguments {
        after: &["name", "id"],
        keeps_lost: true,
        ..RecordedArguments::OBJECTS
    };
}

/// The flaws, with the rule of each.
const FLAWS: [(Flaws, Code); 3] = [
    (Flaws::NO_INPUT, Code::MissingInput),
    (Flaws::BAD_INPUT, Code::BadInput),
    (Flaws::OTHER_INPUT, Code::MalformedRecord),
];

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let any = Flaws::NO_INPUT | Flaws::BAD_INPUT | Flaws::OTHER_INPUT;
    let flawed = cx.flawed(any);
    flawed.flat_map(|event| in_message(cx, event)).collect()
}

/// Whether the provider rejects this flaw.
fn is_refused(cx: &RequestContext<'_>, flaw: Flaws) -> bool {
    match flaw {
        Flaws::NO_INPUT => !cx.wire.calls.optional,
        Flaws::OTHER_INPUT => cx.context.target.needs.arguments != Arguments::ObjectOrText,
        _ => flaw == Flaws::BAD_INPUT,
    }
}

fn in_message(cx: &RequestContext<'_>, event: EventId) -> Vec<Diagnostic> {
    let written = cx.wire.calls.written;
    let mut problems = Problems::default();
    let mut is_json = true;
    if let Ok(record) = cx.context.record(event) {
        let pieces = (cx.context.pieces)(record.root());
        let list = pieces.iter().find_map(|piece| piece.homes.first());
        let blocks: Vec<Node<'_>> = list.into_iter().flat_map(|home| home.list.items()).collect();
        for (piece, part) in pieces.iter().zip(cx.transcript().event(event).parts.clone()) {
            let flaw = piece.input_flaw(written);
            if !is_refused(cx, flaw) || cx.role_of(part) != Some(Role::Assistant) {
                continue;
            }
            is_json &= piece.inputs.first().is_none_or(is_parsable);
            if let Some((applicability, change)) = correction(cx, piece, part, &blocks) {
                let code =
                    FLAWS.iter().find(|own| own.0 == flaw).map_or(Code::BadInput, |own| own.1);
                problems.add(code, message(flaw, written), applicability, vec![change]);
            }
        }
    } else {
        is_json = false;
        for (flaw, code) in FLAWS {
            if cx.transcript().flaws(event).has(flaw) && is_refused(cx, flaw) {
                problems.add(code, message(flaw, written), Applicability::Manual, Vec::new());
            }
        }
    }
    let mut found = problems.diagnostics(cx, event);
    for own in &mut found {
        // Text that does not parse is never a habit.
        let may_be = is_json || own.code != Code::BadInput;
        own.habit = may_be.then_some(HabitPlaces::Calls);
        if own.code == Code::BadInput && is_parsed(cx) {
            own.instance = Some(Instance::Rejected);
        }
    }
    found
}

/// Whether arguments are JSON, if they are text.
fn is_parsable(input: &MemberRef<'_>) -> bool {
    let text = input.node().and_then(|input| input.str());
    text.is_none_or(|text| is_json(&text))
}

/// Whether the servers of this model parse the arguments.
fn is_parsed(cx: &RequestContext<'_>) -> bool {
    let model = cx.transcript().text(cx.request.model).to_ascii_lowercase();
    let mut names = cx.context.target.needs.parses_arguments.iter();
    names.any(|name| model.contains(name))
}

fn message(flaw: Flaws, written: ArgumentsForm) -> &'static str {
    match (flaw, written) {
        (Flaws::NO_INPUT, _) => "tool call without arguments",
        (Flaws::OTHER_INPUT, _) => "tool call arguments are an object, not JSON text",
        (_, ArgumentsForm::Object | ArgumentsForm::Either) => {
            "tool call arguments are not a JSON object"
        }
        (_, ArgumentsForm::Text) => "tool call arguments are not the text of a JSON object",
    }
}

/// The change that corrects arguments, and whether it is safe.
fn correction(
    cx: &RequestContext<'_>,
    piece: &Piece<'_>,
    part: PartId,
    blocks: &[Node<'_>],
) -> Option<(Applicability, RecordChange)> {
    let RecordedArguments { written, after, keeps_lost, .. } = cx.wire.calls;
    let nothing = if written == ArgumentsForm::Text { "\"{}\"" } else { "{}" };
    let (first, copies) = piece.inputs.split_first()?;
    let input = match first {
        MemberRef::At(input) if !input.is_null() => *input,
        missing => {
            // A pending call would run with invented arguments.
            let applicability =
                if cx.request.waits(part) { Applicability::Unsafe } else { Applicability::Safe };
            return Some((applicability, missing.put(nothing, after)));
        }
    };
    if written == ArgumentsForm::Text && input.kind() == Kind::Object {
        return Some((Applicability::Safe, cut::replace(input, &as_text(input))));
    }
    let text = input.str();
    let own = text.as_deref().and_then(only_object).map(|object| written_as(object, written));
    if let Some(raw) = own.or_else(|| copies.iter().find_map(|copy| copied(copy, written))) {
        return Some((Applicability::Safe, cut::replace(input, &raw)));
    }
    // Words around the only object would be lost, so that is a guess. It is still what the model wrote.
    let raw = match text.as_deref().and_then(object_among_words) {
        Some(object) => written_as(object, written),
        None => match piece.homes.first().filter(|_| keeps_lost) {
            Some(home) => wrapped(blocks.get(home.at as usize).copied().unwrap_or(input), input),
            None => nothing.to_owned(),
        },
    };
    Some((Applicability::Unsafe, cut::replace(input, &raw)))
}

/// An object as arguments.
fn written_as(object: String, written: ArgumentsForm) -> String {
    match written {
        ArgumentsForm::Text => quote(&object),
        _ => object.replace(['\n', '\r'], " "),
    }
}

/// The object that a string encodes, on one line: line feeds are white space between its values, and not valid inside its
/// strings.
fn object_text(input: Node<'_>) -> Option<String> {
    let text = input.str()?;
    let tape = scan(text.as_bytes(), ScanMode::Document);
    let is_whole = matches!(tape.end, RecordEnd::Whole) && tape.flaws.is_empty();
    let first = tape.tokens.first().filter(|_| is_whole)?;
    (first.kind == Kind::Object).then(|| text.trim().replace(['\n', '\r'], " "))
}

/// Another copy of the arguments, in the form that is required here.
fn copied(copy: &MemberRef<'_>, written: ArgumentsForm) -> Option<String> {
    let MemberRef::At(copy) = copy else {
        return None;
    };
    let raw = || String::from_utf8_lossy(&copy.raw()).into_owned();
    let is_object = copy.kind() == Kind::Object;
    match written {
        ArgumentsForm::Object | ArgumentsForm::Either if is_object => Some(raw()),
        ArgumentsForm::Object | ArgumentsForm::Either => object_text(*copy),
        ArgumentsForm::Text if is_object => Some(as_text(*copy)),
        ArgumentsForm::Text => object_text(*copy).map(|_| raw()),
    }
}

/// A value as a string with its JSON.
fn as_text(value: Node<'_>) -> String {
    quote(&String::from_utf8_lossy(&value.raw()))
}

/// An object around a value that is not an object, in the layout of the part around it.
fn wrapped(part: Node<'_>, input: Node<'_>) -> String {
    let layout = ObjectLayout::of(&part.raw());
    let raw = layout.object(&[("_raw", input.raw().into_owned())]);
    String::from_utf8_lossy(&raw).into_owned()
}
