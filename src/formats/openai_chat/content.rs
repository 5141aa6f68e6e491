//! What the provider refuses in a message.

use super::flaws::Flaws;
use super::foreign;
use super::{attrs, pieces};
use crate::dialects::{chat as dialect, piece, stubs};
use crate::formats::FormatContext;
use crate::formats::chat::{self};
use crate::json::cut::{self, Change};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::tape::Kind;
use crate::requests::refused;
use crate::targets::{Arguments, Needs};
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, EventId, Fix, PartKind, Role, Severity, Transcript,
    Value,
};

/// The flaws of a message.
pub(super) fn flaws(t: &Transcript, event: EventId) -> Flaws {
    match t.attr_of(event, attrs::FLAWS) {
        Some(Value::Number(bits)) => Flaws::of_bits(bits),
        _ => Flaws::default(),
    }
}

/// Finds what is refused in these messages.
pub(super) fn judge(
    context: &FormatContext<'_>,
    pairs: &Pairs,
    sent: &[EventId],
) -> Vec<Diagnostic> {
    let flawed = sent
        .iter()
        .map(|event| (*event, flaws(context.transcript, *event)));
    let flawed = flawed.filter(|(_, flaws)| *flaws != Flaws::default());
    let mut diagnostics = Vec::new();
    for (event, flaws) in flawed {
        let own = Judge {
            context,
            pairs,
            event,
        };
        diagnostics.extend(own.message(flaws));
        diagnostics.extend(own.said(flaws));
        diagnostics.extend(own.calls(flaws));
    }
    diagnostics
}

struct Judge<'a> {
    context: &'a FormatContext<'a>,
    pairs: &'a Pairs,
    event: EventId,
}

impl Judge<'_> {
    fn needs(&self) -> Needs {
        self.context.target.needs
    }

    fn diagnostic(&self, code: Code, said: &str) -> Diagnostic {
        refused(code, said, self.event)
    }

    /// A fault that these changes of the message mend.
    fn mended(
        &self,
        code: Code,
        said: &str,
        class: Applicability,
        changes: impl FnOnce(Node<'_>) -> Vec<Change>,
    ) -> Diagnostic {
        let mut diagnostic = self.diagnostic(code, said);
        let action = self.context.change(self.event, changes);
        diagnostic.fixes = action
            .map(|action| Fix {
                class,
                actions: vec![action],
            })
            .into_iter()
            .collect();
        diagnostic
    }

    /// What makes it no message.
    fn message(&self, flaws: Flaws) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        if flaws.has(Flaws::NO_MESSAGE) {
            return vec![self.diagnostic(Code::MalformedRecord, "an element that is no message")];
        }
        if flaws.has(Flaws::NO_ROLE) {
            found.push(self.diagnostic(
                Code::MalformedRecord,
                "a message without a role that is known",
            ));
        }
        if flaws.has(Flaws::LOST_ROLE) {
            let role = self.context.transcript.event(self.event).role;
            let word = if role == Role::Tool {
                "\"tool\""
            } else {
                "\"assistant\""
            };
            found.push(self.mended(
                Code::MalformedRecord,
                "a message has lost its role",
                Applicability::Safe,
                |root| {
                    vec![match root.get("role") {
                        Some(role) => cut::replace(role, word),
                        None => cut::insert_member(root, None, "role", word),
                    }]
                },
            ));
        }
        if flaws.has(Flaws::CALLS_KIND) {
            found.push(
                self.diagnostic(Code::MalformedRecord, "`tool_calls` is not a list of calls"),
            );
        }
        found
    }

    /// Content that is missing, empty, or of another kind.
    fn said(&self, flaws: Flaws) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let is_empty = flaws.has(Flaws::NOTHING) || flaws.has(Flaws::BLANK);
        if is_empty {
            let mut diagnostic = self.diagnostic(
                Code::EmptyContent,
                "a message of the assistant says nothing",
            );
            // An empty text is accepted by the provider itself; others count it as no content.
            if !flaws.has(Flaws::NOTHING)
                && !flaws.has(Flaws::EMPTY_CALLS)
                && !self.needs().answers_say_something
            {
                diagnostic.severity = Some(Severity::Warning);
            }
            diagnostic.fixes = vec![Fix::safe(vec![Action::Park(self.event)])];
            found.push(diagnostic);
        } else if flaws.has(Flaws::EMPTY_CALLS) {
            found.push(self.mended(
                Code::EmptyContent,
                "an empty list of calls",
                Applicability::Safe,
                |root| {
                    let at = root.members().position(|(key, _)| key.is_str("tool_calls"));
                    at.map(|at| cut::remove_members(root, &[at as u32]))
                        .unwrap_or_default()
                },
            ));
        }
        if flaws.has(Flaws::NO_CONTENT) {
            let is_result = self.context.transcript.event(self.event).role == Role::Tool;
            let class = if is_result {
                Applicability::Safe
            } else {
                Applicability::Unsafe
            };
            found.push(self.mended(
                Code::MalformedRecord,
                "a message without content",
                class,
                |root| with_text(root, ""),
            ));
        }
        if flaws.has(Flaws::CONTENT_KIND) {
            let said = "the content of a message is neither a text nor a list";
            found.push(
                self.mended(Code::MalformedRecord, said, Applicability::Unsafe, |root| {
                    let content = root.get("content");
                    content
                        .map(|content| cut::replace(content, &as_text(content)))
                        .into_iter()
                        .collect()
                }),
            );
        }
        if flaws.has(Flaws::FOREIGN) {
            let mut class = Applicability::Unsafe;
            let said = "a block that this interface does not know";
            let mut diagnostic =
                self.mended(Code::ForeignBlock, said, Applicability::Unsafe, |root| {
                    let (changes, own) = foreign::known(root);
                    class = own;
                    changes
                });
            diagnostic
                .fixes
                .iter_mut()
                .for_each(|fix| fix.class = class);
            found.push(diagnostic);
        }
        if flaws.has(Flaws::EMPTY_ERROR) && self.needs().errors_say_something {
            let said = "an error result without content";
            found.push(
                self.mended(Code::EmptyErrorResult, said, Applicability::Safe, |root| {
                    with_text(root, stubs::NO_OUTPUT)
                }),
            );
        }
        found
    }

    /// Names and arguments of calls.
    fn calls(&self, flaws: Flaws) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        if flaws.has(Flaws::NO_NAME) {
            found.push(self.diagnostic(Code::BadToolName, "a call without a tool's name"));
        }
        if flaws.has(Flaws::NO_INPUT) {
            // A call that waits would be run with arguments that nobody gave.
            let class = if self.waits() {
                Applicability::Unsafe
            } else {
                Applicability::Safe
            };
            found.push(self.mended(
                Code::MissingInput,
                "a call without arguments",
                class,
                |root| {
                    inputs(root)
                        .filter_map(|(asked, input)| without_input(asked, input))
                        .collect()
                },
            ));
        }
        if flaws.has(Flaws::OBJECT_INPUT) && self.needs().arguments != Arguments::ObjectOrText {
            let said = "the arguments of a call are an object, not its text";
            found.push(
                self.mended(Code::MalformedRecord, said, Applicability::Safe, |root| {
                    let given = inputs(root).filter_map(|(_, input)| input);
                    let objects = given.filter(|input| input.kind() == Kind::Object);
                    objects
                        .map(|input| cut::replace(input, &as_text(input)))
                        .collect()
                }),
            );
        }
        if flaws.has(Flaws::BAD_INPUT) {
            found.push(self.bad_input());
        }
        found
    }

    /// Whether one of the calls may still be answered.
    fn waits(&self) -> bool {
        let t = self.context.transcript;
        t.event(self.event).parts.clone().any(|part| {
            t.a_part(part).kind == PartKind::Call
                && self.pairs.standing(part) == PairStatus::Open
                && self.pairs.batch_of(part).is_some_and(|batch| batch.pending)
        })
    }

    /// Arguments that are no JSON object: a copy of them may still be one.
    fn bad_input(&self) -> Diagnostic {
        let mut copied = true;
        let said = "the arguments of a call are not the text of a JSON object";
        let mut diagnostic = self.mended(Code::BadInput, said, Applicability::Safe, |root| {
            let mut changes = Vec::new();
            let all = pieces(root);
            for piece in all.iter().filter(|piece| piece.kind == PartKind::Call) {
                let Some((input, copies)) = piece.inputs.split_first() else {
                    continue;
                };
                let is_good =
                    |node: &Node<'_>| node.str().is_some_and(|text| piece::is_object_text(&text));
                if is_good(input)
                    || matches!(input.kind(), Kind::Object | Kind::Null)
                    || is_custom(root, *input)
                {
                    continue;
                }
                let copy = copies
                    .iter()
                    .find(|copy| copy.kind() == Kind::Object || is_good(copy));
                copied &= copy.is_some();
                let raw = match copy {
                    Some(copy) if copy.kind() == Kind::Object => as_text(*copy),
                    Some(copy) => String::from_utf8_lossy(&copy.raw()).into_owned(),
                    None => "\"{}\"".to_owned(),
                };
                changes.push(cut::replace(*input, &raw));
            }
            changes
        });
        if !copied {
            diagnostic
                .fixes
                .iter_mut()
                .for_each(|fix| fix.class = Applicability::Unsafe);
        }
        // Servers that look into them refuse all of the conversation.
        diagnostic.severity = names_strict_server(self.context).then_some(Severity::Fatal);
        diagnostic
    }
}

/// Whether the recording names a model whose servers parse the arguments.
fn names_strict_server(context: &FormatContext<'_>) -> bool {
    let model = chat::state_text(context.transcript, attrs::MODEL)
        .unwrap_or_default()
        .to_ascii_lowercase();
    ["qwen", "kimi", "moonshot", "vllm"]
        .iter()
        .any(|part| model.contains(part))
}

/// The functions of a message's calls, with their arguments.
fn inputs<'a>(root: Node<'a>) -> impl Iterator<Item = (Node<'a>, Option<Node<'a>>)> {
    let entries = root
        .get("tool_calls")
        .into_iter()
        .flat_map(|list| list.items());
    let asked = entries
        .filter_map(|entry| entry.get("function"))
        .filter(|f| f.kind() == Kind::Object);
    asked.map(|asked| (asked, asked.get("arguments")))
}

fn without_input(asked: Node<'_>, input: Option<Node<'_>>) -> Option<Change> {
    match input {
        None => Some(cut::insert_member(
            asked,
            Some("name"),
            "arguments",
            "\"{}\"",
        )),
        Some(input) if input.is_null() => Some(cut::replace(input, "\"{}\"")),
        Some(_) => None,
    }
}

/// Whether this is the input of a custom call, which may be any text.
fn is_custom(root: Node<'_>, input: Node<'_>) -> bool {
    let entries = root
        .get("tool_calls")
        .into_iter()
        .flat_map(|list| list.items());
    let mut customs = entries.filter(|entry| entry.get("function").is_none());
    customs.any(|entry| {
        dialect::function_of(entry).is_some_and(|asked| {
            asked
                .get("input")
                .is_some_and(|own| own.index() == input.index())
        })
    })
}

/// A value as the text of itself.
fn as_text(value: Node<'_>) -> String {
    quote(&String::from_utf8_lossy(&value.raw()))
}

/// The message with this text as its content.
fn with_text(root: Node<'_>, text: &str) -> Vec<Change> {
    let text = quote(text);
    vec![match root.get("content") {
        Some(content) => cut::replace(content, &text),
        None => cut::insert_member(root, Some("tool_call_id"), "content", &text),
    }]
}
