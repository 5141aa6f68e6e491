//! What the provider refuses in a message.

use super::attrs;
use super::flaws::Flaws;
use super::foreign;
use crate::formats::FormatContext;
use crate::json::cut::{self, Change};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::requests::refused;
use crate::targets::Needs;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, EventId, Fix, Role, Severity, Transcript, Value,
};

/// The flaws of a message.
pub(super) fn flaws(t: &Transcript, event: EventId) -> Flaws {
    match t.attr_of(event, attrs::FLAWS) {
        Some(Value::Number(bits)) => Flaws::of_bits(bits),
        _ => Flaws::default(),
    }
}

/// Finds what is refused in these messages.
pub(super) fn judge(context: &FormatContext<'_>, sent: &[EventId]) -> Vec<Diagnostic> {
    let flawed = sent
        .iter()
        .map(|event| (*event, flaws(context.transcript, *event)));
    let flawed = flawed.filter(|(_, flaws)| *flaws != Flaws::default());
    let mut diagnostics = Vec::new();
    for (event, flaws) in flawed {
        let own = Judge { context, event };
        diagnostics.extend(own.message(flaws));
        diagnostics.extend(own.said(flaws));
        diagnostics.extend(own.calls(flaws));
    }
    diagnostics
}

struct Judge<'a> {
    context: &'a FormatContext<'a>,
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
        diagnostic.fixes = Fix::only(class, action);
        diagnostic
    }

    /// What makes it no message.
    fn message(&self, flaws: Flaws) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        if flaws.has(Flaws::NO_MESSAGE) {
            return vec![
                self.diagnostic(Code::MalformedRecord, "list element that is not a message"),
            ];
        }
        if flaws.has(Flaws::NO_ROLE) {
            found.push(self.diagnostic(Code::MalformedRecord, "message without a known role"));
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
                "message without a role",
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
                "assistant message without text or tool calls",
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
                "empty list of tool calls",
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
                "message without content",
                class,
                |root| with_text(root, ""),
            ));
        }
        if flaws.has(Flaws::CONTENT_KIND) {
            let said = "message content is neither a string nor a list";
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
            let said = "a block type that this API does not know";
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
        found
    }

    /// Names and arguments of calls.
    fn calls(&self, flaws: Flaws) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        if flaws.has(Flaws::NO_NAME) {
            found.push(self.diagnostic(Code::BadToolName, "tool call without a tool name"));
        }
        found
    }
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
