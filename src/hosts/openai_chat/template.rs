//! Rows in the form of chat templates, which render conversations for training: calls have no IDs and their arguments are
//! objects, results say the name of their tool. Hugging Face's templates, TRL, Axolotl and verl require this form, and a repair
//! toward the API breaks it for them: of 72 templates, 28 then fail and 11 write the arguments encoded twice.

use super::OPENAI_CHAT;
use crate::dialects::piece::ArgumentsForm;
use crate::format::policy::PolicyRow;
use crate::format::{Detection, Format, FormatContext, HostTraits};
use crate::requests::arguments::{self, RecordedArguments};
use crate::requests::{Wire, chat_members, declared_tools};
use crate::shapes::chat::{self, diagnostics};
use crate::transcript::pairs::{PairPolicy, Paired, Pairs};
use crate::transcript::{Code, Flaws, PartKind, Request, Severity, Transcript};

/// The form of chat templates. What trainers reject is checked, and nothing is repaired.
const CHAT_TEMPLATE: Format = Format {
    project,
    wire: Wire {
        needs: &[&declared_tools::NEED, &arguments::NEED, &chat_members::NEED],
        calls: RecordedArguments {
            written: ArgumentsForm::Either,
            optional: true,
            ..RecordedArguments::TEXTS
        },
        ..OPENAI_CHAT.wire
    },
    supports: &[],
    traits: HostTraits {
        pairs: PairPolicy::TURNS,
        ids_are_optional: true,
        instead_of_repair: Some(
            "these rows are in the form of chat templates; fix the program that wrote them",
        ),
        form: HostTraits::NONE.form,
        policy: POLICY,
        ..OPENAI_CHAT.traits
    },
    ..OPENAI_CHAT
};

/// Rows in the form of the API, for training and evaluation: programs parse the arguments of every call in them.
const ROWS: Format = Format {
    traits: HostTraits { form: HostTraits::NONE.form, policy: ROWS_POLICY, ..OPENAI_CHAT.traits },
    ..OPENAI_CHAT
};

/// What damage is to programs that read such rows.
const ROWS_POLICY: &[PolicyRow] = &[
    PolicyRow::is(Code::RepeatedRecord, Severity::Fatal),
    PolicyRow::is(Code::MalformedRecord, Severity::Fatal),
    PolicyRow::is(Code::BadInput, Severity::Error),
];

/// What damage is to trainers.
const POLICY: &[PolicyRow] = &[
    PolicyRow::is(Code::RepeatedRecord, Severity::Fatal),
    PolicyRow::is(Code::MalformedRecord, Severity::Fatal),
    PolicyRow::is(Code::BadInput, Severity::Fatal),
];

/// This form, if the messages are in it; or else that of rows. Bodies of requests are sent to the API as they are.
pub(super) fn find(detection: &Detection, t: &Transcript) -> Option<&'static Format> {
    let is_own = detection.format.name == OPENAI_CHAT.name && !detection.is_request();
    let form = template(is_own, t);
    form.or_else(|| Some(&ROWS).filter(|_| is_own && detection.is_row))
}

/// The form of chat templates, if the messages are in it.
fn template(is_own: bool, t: &Transcript) -> Option<&'static Format> {
    if !is_own || !is_unnamed(t) {
        return None;
    }
    let mut events = t.events.ids();
    let has_objects = events.any(|event| t.flaws(event).has(Flaws::OTHER_INPUT));
    has_objects.then_some(&CHAT_TEMPLATE)
}

/// Whether there are calls, and neither a call nor a result has an ID.
fn is_unnamed(t: &Transcript) -> bool {
    let mut has_calls = false;
    for part in t.parts.iter() {
        if !matches!(part.kind, PartKind::Call | PartKind::Result) {
            continue;
        }
        if part.id.is_some_and(|id| !t.ids.is_empty(id)) {
            return false;
        }
        has_calls |= part.kind == PartKind::Call;
    }
    has_calls
}

/// What a template renders: calls and results are paired by place and name.
fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let all = chat::messages(t);
    let order = chat::items_as(t, &all, &|event| t.event(event).role, &|_| false);
    let pairs = Pairs::find(t, CHAT_TEMPLATE.traits.pairs, &Paired::order(&order));
    let unreadable = CHAT_TEMPLATE.traits.unreadable;
    let diagnostics = diagnostics::unreadable(t, &pairs, unreadable);
    Request {
        corrected: Flaws::OTHER_INPUT,
        ..chat::request_of(context, order, (all, &[]), pairs, diagnostics)
    }
}
