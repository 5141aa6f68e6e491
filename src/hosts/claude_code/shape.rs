//! Missing members that clients need: times, messages, contents.

use super::ClaudeSession;
use super::lines::stamped;
use super::own;
use crate::dialects::placeholders;
use crate::format::{Client, FormatContext};
use crate::json::quote::quote;
use crate::rewrite::set_member;
use crate::transcript::time::format_millis;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, Effect, EventId, Fix, Instance, Subject, facts,
};

/// Checks the records of both paths.
pub(super) fn judge(context: &FormatContext<'_>, session: &ClaudeSession) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut diagnostics = times(context, session);
    for event in session.sequence.iter().copied() {
        let has = |fact| t.has(event, fact);
        if has(own::NO_MESSAGE) {
            diagnostics.push(no_message(context, event));
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

fn no_message(context: &FormatContext<'_>, event: EventId) -> Diagnostic {
    let t = context.transcript;
    let mut kinds = t.records().map(|event| t.kind(event));
    let message = if kinds.any(|kind| matches!(kind, "last-prompt" | "queue-operation")) {
        "record without its message (a last-prompt or queue-operation line may still hold the \
        prompt): only Claude Code 2.1.290 and later open the session"
    } else {
        "record without its message: only Claude Code 2.1.290 and later open the session"
    };
    let mut diagnostic = Diagnostic::about(Code::MalformedRecord, message, Subject::Content, event);
    opens(context.client, &mut diagnostic);
    diagnostic.fix_safely([Action::Remove(event)]);
    diagnostic
}

/// Current clients read past a record without message or content. Those up to 2.1.270 stop at it (run: 2.1.20, 2.1.150,
/// 2.1.250 and 2.1.270 stop, 2.1.290 to 2.1.332 do not).
fn opens(client: Client, diagnostic: &mut Diagnostic) {
    match client {
        Client::Current => diagnostic.instance = Some(Instance::Ignored),
        Client::Strict => diagnostic.effect = Effect::LoadFails,
    }
}

fn no_content(context: &FormatContext<'_>, event: EventId) -> Diagnostic {
    let mut diagnostic = Diagnostic::about(
        Code::MalformedRecord,
        "message without content: only Claude Code 2.1.290 and later open the session",
        Subject::Content,
        event,
    );
    opens(context.client, &mut diagnostic);
    let action = context.change_as("write \"(no content)\" into {}", event, |root| {
        let Some(message) = root.get("message") else {
            return Vec::new();
        };
        let text = quote(placeholders::NO_CONTENT);
        let content = format!(r#"[{{"type":"text","text":{text}}}]"#);
        vec![set_member(message, Some("role"), "content", &content)]
    });
    diagnostic.fixes = Fix::only(Applicability::Safe, action);
    diagnostic
}

/// The versions that do not find a session whose last record has no time (run: 2.1.150 and 2.1.329 do not, 2.1.330 does).
const TIMED: std::ops::Range<i64> = 2_000_001_000_112..2_000_001_000_330;

/// Records without a time. Some clients do not find the last record of a path without it, and clients that sort by time lose
/// what follows any other one.
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
            let mut reported = diagnostics.iter().rev().take(MOST_TWICE);
            let is_reported = reported.any(|diagnostic| diagnostic.labels[0].event == event);
            if t.has(event, facts::TIME_REPLACED) || is_reported {
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
    let all = || session.tree.main.iter().filter_map(|event| t.event(*event).time());
    let time = if is_end {
        diagnostic.message =
            "the last record has no valid time: Claude Code 2.1.112 to 2.1.329 do \
            not find the session"
                .into();
        match context.client {
            _ if TIMED.contains(&session.tree.version) => diagnostic.effect = Effect::LoadFails,
            Client::Current => diagnostic.instance = Some(Instance::Ignored),
            Client::Strict => diagnostic.effect = Effect::Hides(1),
        }
        all().max().and_then(|newest| newest.checked_add(1000))
    } else {
        diagnostic.instance = Some(Instance::Ignored);
        before.or_else(|| all().next())
    };
    let word = if is_end {
        "set the time of {} to that of the newest record"
    } else {
        "set the time of {} to that of the record before it"
    };
    let action = time.and_then(|time| {
        context.change_as(word, event, |root| vec![stamped(root, &format_millis(time))])
    });
    diagnostic.fixes = Fix::only(Applicability::Safe, action);
    diagnostic
}
