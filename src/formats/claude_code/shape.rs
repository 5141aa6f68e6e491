//! Missing members that clients need: times, messages, contents.

use super::ClaudeSession;
use super::lines::stamped;
use super::own;
use crate::formats::FormatContext;
use crate::rewrite::set_member;
use crate::transcript::time::format_millis;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, Effect, EventId, Fix, Instance, Subject, Transcript,
    facts,
};

/// The content that replaces a missing one.
const NO_CONTENT: &str = r#"[{"type":"text","text":"(no content)"}]"#;

/// Checks the records of both paths.
pub(super) fn judge(context: &FormatContext<'_>, session: &ClaudeSession) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut diagnostics = times(context, session);
    for event in session.sequence.iter().copied() {
        let has = |fact| t.has(event, fact);
        if has(own::NO_MESSAGE) {
            diagnostics.push(no_message(t, event));
        } else if has(own::NO_CONTENT) {
            diagnostics.push(no_content(context, event));
        }
        if has(own::OTHER_ROLE) {
            let message = "the role of a message differs from the type of its record, which clients \
                go by";
            let mut diagnostic = Diagnostic::new(Code::MalformedRecord, message, event);
            diagnostic.instance = Some(Instance::Harmless);
            diagnostics.push(diagnostic);
        }
    }
    diagnostics
}

fn no_message(t: &Transcript, event: EventId) -> Diagnostic {
    let has_prompt = |event: &EventId| matches!(t.kind(*event), "last-prompt" | "queue-operation");
    let message = if t.records().any(|event| has_prompt(&event)) {
        "record without its message; a last-prompt or queue-operation line may still hold the \
        prompt"
    } else {
        "record without its message"
    };
    let mut diagnostic = Diagnostic::about(Code::MalformedRecord, message, Subject::Content, event);
    diagnostic.effect = Effect::LoadFails;
    diagnostic.fix_safely([Action::Remove(event)]);
    diagnostic
}

fn no_content(context: &FormatContext<'_>, event: EventId) -> Diagnostic {
    let mut diagnostic = Diagnostic::about(
        Code::MalformedRecord,
        "message without content",
        Subject::Content,
        event,
    );
    diagnostic.effect = Effect::LoadFails;
    let action = context.change(event, |root| {
        let Some(message) = root.get("message") else {
            return Vec::new();
        };
        vec![set_member(message, Some("role"), "content", NO_CONTENT)]
    });
    diagnostic.fixes = Fix::only(Applicability::Safe, action);
    diagnostic
}

/// Records without a time. Clients do not find the last record of a path without it, and clients that sort by time lose what
/// follows any other one.
fn times(context: &FormatContext<'_>, session: &ClaudeSession) -> Vec<Diagnostic> {
    let t = context.transcript;
    if session.tree.agent {
        return Vec::new();
    }
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for path in [&session.current, &session.strict] {
        let mut before: Option<i64> = None;
        for event in path.records.iter().copied() {
            if let Some(time) = t.event(event).time() {
                before = Some(time);
                continue;
            }
            let is_reported = |event| {
                diagnostics
                    .iter()
                    .rev()
                    .take(MOST_TWICE)
                    .any(|diagnostic| diagnostic.labels[0].event == event)
            };
            if t.has(event, facts::TIME_REPLACED) || is_reported(event) {
                continue;
            }
            let is_end = path.end() == Some(event);
            diagnostics.push(no_time(context, session, event, before, is_end));
        }
    }
    diagnostics
}

/// Both paths may share this many records without a time at their ends. More of them may be reported twice.
const MOST_TWICE: usize = 256;

fn no_time(
    context: &FormatContext<'_>,
    session: &ClaudeSession,
    event: EventId,
    before: Option<i64>,
    is_end: bool,
) -> Diagnostic {
    let t = context.transcript;
    let mut diagnostic =
        Diagnostic::new(Code::MalformedRecord, "record without a valid time", event);
    diagnostic.about = vec![Subject::Content(event)];
    let all = || {
        session
            .tree
            .main
            .iter()
            .filter_map(|event| t.event(*event).time())
    };
    let time = if is_end {
        diagnostic.message =
            "the last record has no valid time: clients do not find the session".to_owned();
        diagnostic.effect = Effect::LoadFails;
        all().max().and_then(|newest| newest.checked_add(1000))
    } else {
        diagnostic.instance = Some(Instance::Ignored);
        before.or_else(|| all().next())
    };
    let action = time
        .and_then(|time| context.change(event, |root| vec![stamped(root, &format_millis(time))]));
    diagnostic.fixes = Fix::only(Applicability::Safe, action);
    diagnostic
}
