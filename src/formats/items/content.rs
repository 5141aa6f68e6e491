//! What stands in an item that is sent: members of the wrong type, outputs of the wrong kind, ids that are refused.

use super::{Manner, attrs, fits};
use crate::dialects::responses::{self, Sort};
use crate::formats::FormatContext;
use crate::json::cut::{self, Change};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::tape::Kind;
use crate::requests::refused;
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, Effect, EventId, Fix, Label, LabelRole, PartId,
    PartKind, Role, Severity, Subject,
};

/// Whether something in an item needs a second look once it is known that it is sent.
pub(super) fn is_odd(item: Node<'_>, sort: Sort) -> bool {
    let is = |key: &str, kind: Kind| item.get(key).is_some_and(|value| value.kind() == kind);
    match sort {
        Sort::Call(kind) => match kind.call {
            "function_call" => !is("name", Kind::String) || !is("arguments", Kind::String),
            "custom_tool_call" => !is("name", Kind::String) || !is("input", Kind::String),
            _ => false,
        },
        Sort::Output => {
            says_something(item) && !is("output", Kind::String) && !is("output", Kind::Array)
        }
        Sort::Message => !has_role(item) || item.get("content").is_none_or(is_empty),
        _ => false,
    }
}

/// Outputs of these types must have an output.
fn says_something(item: Node<'_>) -> bool {
    let word = item.string("type").unwrap_or_default();
    matches!(
        word.as_ref(),
        "function_call_output" | "custom_tool_call_output" | "local_shell_call_output"
    )
}

fn has_role(item: Node<'_>) -> bool {
    let role = item.string("role");
    matches!(
        role.as_deref(),
        Some("user" | "assistant" | "developer" | "system")
    )
}

fn is_empty(content: Node<'_>) -> bool {
    match content.kind() {
        Kind::Array => content.items().next().is_none(),
        Kind::String => false,
        _ => true,
    }
}

/// What one look at an item says.
struct Odd {
    code: Code,
    said: &'static str,
    /// The members that change; none: a person must say what was meant.
    changes: Vec<Change>,
    class: Applicability,
    /// The whole item goes.
    park: bool,
}

fn odd(code: Code, said: &'static str) -> Odd {
    Odd {
        code,
        said,
        changes: Vec::new(),
        class: Applicability::Manual,
        park: false,
    }
}

/// Judges every item that is sent and needs a second look, and every pair of two kinds.
pub(super) fn judge(
    context: &FormatContext<'_>,
    manner: &Manner,
    pairs: &Pairs,
    sent: &[EventId],
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut found: Vec<Diagnostic> = pairs
        .all()
        .filter_map(|(part, standing)| match standing {
            PairStatus::Answers(call) if !fits(t, call, part) => {
                Some(other_kind(context, manner, call, part))
            }
            _ => None,
        })
        .collect();
    for event in sent
        .iter()
        .copied()
        .filter(|event| t.attr_of(*event, attrs::ODD).is_some())
    {
        let record = t.event(event);
        if t.replaced.has(event) {
            continue;
        }
        let Ok(read) = context.record(event) else {
            continue;
        };
        let root = read.root();
        let answered = t
            .part_of(event, PartKind::Call)
            .is_some_and(|call| pairs.answer(call).is_some());
        let item = (manner.item)(root);
        for odd in look(item, record.role, manner.skips_malformed, answered) {
            found.push(told(context, manner, event, odd));
        }
    }
    found
}

fn told(context: &FormatContext<'_>, manner: &Manner, event: EventId, odd: Odd) -> Diagnostic {
    let mut diagnostic = refused(odd.code, odd.said, event);
    if manner.skips_malformed {
        diagnostic.severity = Some(Severity::Error);
        diagnostic.effect = Effect::Hides(1);
    }
    let action = if odd.park {
        Some(Action::Park(event))
    } else {
        context.change(event, |_| odd.changes)
    };
    diagnostic.fixes = Fix::only(odd.class, action);
    diagnostic
}

fn look(item: Node<'_>, role: Role, skips: bool, answered: bool) -> Vec<Odd> {
    let mut found = Vec::new();
    let is_text = |key: &str| {
        item.get(key)
            .is_some_and(|value| value.kind() == Kind::String)
    };
    match responses::sort(item) {
        Some(Sort::Call(kind)) => {
            if !is_text("name") {
                found.push(odd(Code::MalformedRecord, "tool call without a tool name"));
            }
            if !is_text(kind.input) {
                found.push(arguments(item, kind.input, skips, answered));
            }
        }
        Some(Sort::Output) => match item.get("output") {
            Some(output) if !output.is_null() => {
                let changes = vec![cut::replace(output, &as_text(output))];
                let said = "tool output is neither a string nor a list";
                found.push(Odd {
                    changes,
                    class: Applicability::Unsafe,
                    ..odd(Code::MalformedRecord, said)
                });
            }
            _ => found.push(odd(
                Code::MalformedRecord,
                "tool call output is null or missing",
            )),
        },
        _ => {
            if !has_role(item) {
                found.push(odd(Code::MalformedRecord, "message without a valid role"));
            }
            let content = item.get("content");
            let is_list = content.is_some_and(|content| content.kind() == Kind::Array);
            if !skips && content.is_none_or(is_empty) {
                let said = odd(Code::EmptyContent, "message without content");
                found.push(match role {
                    Role::Assistant => Odd {
                        park: true,
                        class: Applicability::Safe,
                        ..said
                    },
                    _ => said,
                });
            } else if skips && !is_list && content.is_none_or(is_empty) {
                found.push(odd(Code::MalformedRecord, "message without content"));
            }
        }
    }
    found
}

/// The arguments of a call that are no text.
fn arguments(item: Node<'_>, key: &'static str, skips: bool, answered: bool) -> Odd {
    let nothing = if key == "arguments" { "\"{}\"" } else { "\"\"" };
    match item.get(key).filter(|value| !value.is_null()) {
        Some(value) => {
            let is_object = value.kind() == Kind::Object && key == "arguments";
            let class = if is_object {
                Applicability::Safe
            } else {
                Applicability::Unsafe
            };
            let changes = vec![cut::replace(value, &as_text(value))];
            Odd {
                changes,
                class,
                ..odd(
                    Code::MalformedRecord,
                    "tool call arguments are not a string",
                )
            }
        }
        None => {
            let changes = vec![match item.get(key) {
                Some(null) => cut::replace(null, nothing),
                None => cut::insert_member(item, Some("name"), key, nothing),
            }];
            let (code, safe) = if skips {
                (Code::MalformedRecord, false)
            } else {
                (Code::MissingInput, answered)
            };
            let class = if safe {
                Applicability::Safe
            } else {
                Applicability::Unsafe
            };
            Odd {
                changes,
                class,
                ..odd(code, "tool call without arguments")
            }
        }
    }
}

/// A value's JSON as a text.
fn as_text(value: Node<'_>) -> String {
    quote(&String::from_utf8_lossy(&value.raw()))
}

/// A call that is answered by an output of another kind: the provider sees neither of them answered.
fn other_kind(
    context: &FormatContext<'_>,
    manner: &Manner,
    call: PartId,
    result: PartId,
) -> Diagnostic {
    let t = context.transcript;
    let event = |part: PartId| t.a_part(part).event;
    let said = "tool call and its output are of different types";
    let mut diagnostic = refused(Code::LinkMismatch, said, event(call));
    diagnostic.labels = vec![
        Label::new(event(call), LabelRole::Call),
        Label::new(event(result), LabelRole::Result),
    ];
    diagnostic.about = vec![Subject::Identity(result)];
    let kind = responses::call_kind(t.kind(event(call)));
    let plain = |word: &str| {
        matches!(
            word,
            "function_call" | "custom_tool_call" | "local_shell_call"
        )
    };
    if let Some(kind) = kind.filter(|kind| plain(kind.call))
        && t.kind(event(result)).ends_with("_call_output")
    {
        let wanted = quote(kind.outputs[0]);
        let action = context.change(event(result), |root| {
            let word = (manner.item)(root).get("type");
            word.map(|word| cut::replace(word, &wanted))
                .into_iter()
                .collect()
        });
        diagnostic.fixes = Fix::only(Applicability::Safe, action);
    }
    diagnostic
}

/// Takes the own id of an item out.
pub(super) fn without_id(
    context: &FormatContext<'_>,
    manner: &Manner,
    event: EventId,
    class: Applicability,
) -> Vec<Fix> {
    let action = context.change(event, |root| {
        let item = (manner.item)(root);
        let keys = (0_u32..)
            .zip(item.members())
            .filter(|(_, (key, _))| key.is_str("id"));
        cut::remove_members(item, &keys.map(|(at, _)| at).collect::<Vec<_>>())
    });
    Fix::only(class, action)
}
