//! Compares `base_state.json` with the events and the folder.

use super::behind;
use super::tree::ConversationTree;
use crate::containers::Layout;
use crate::format::FormatContext;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Instance, Label, LabelRole, State, Subject, facts,
};

/// The possible execution statuses; any other fails to load.
const STATUSES: &[&str] = &[
    "idle",
    "running",
    "paused",
    "waiting_for_confirmation",
    "finished",
    "error",
    "stuck",
    "deleting",
];

pub(super) fn check(
    context: &FormatContext<'_>,
    tree: &ConversationTree,
    pending: bool,
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut diagnostics = Vec::new();
    let Some(state) = t.host_state() else {
        diagnostics.extend(no_state(context, tree));
        return diagnostics;
    };
    let at = t.event(state).at();
    if at.start == at.end {
        diagnostics.push(made_anew("`base_state.json` is empty: the SDK makes a new one", state));
        return diagnostics;
    }
    if t.event(state).state == State::Unreadable {
        diagnostics.push(diagnostic(Code::HostState, "`base_state.json` cannot be read", state));
        return diagnostics;
    }
    let id = t.text(t.event(state).id).replace('-', "");
    if is_conversation_id(context.name) && !id.is_empty() && id != context.name {
        diagnostics.push(diagnostic(
            Code::HostState,
            "`base_state.json` belongs to a different conversation than its folder",
            state,
        ));
    }
    if let Some(status) = t.fact_id(state, facts::STATUS) {
        if !STATUSES.contains(&t.ids.get(status)) {
            let message = "the execution status is not one that OpenHands SDK 1.58.0 knows";
            let mut diagnostic = diagnostic(Code::HostState, message, state);
            diagnostic.fix_with_guess([Action::SetIdle(state)]);
            diagnostics.push(diagnostic);
        }
        let stuck = match t.ids.get(status) {
            "running" | "stuck" => true,
            "waiting_for_confirmation" => !pending,
            _ => false,
        };
        let may_run = !tree.step.is_empty() && !behind::has_ended(context);
        if stuck && !context.live && !may_run {
            let mut diagnostic =
                diagnostic(Code::StuckStatus, "status is \"running\", but no process is", state);
            diagnostic.about = vec![Subject::State];
            diagnostic.effect = Effect::None;
            diagnostic.fix_with_guess([Action::SetIdle(state)]);
            diagnostics.push(diagnostic);
        }
    }
    diagnostics
}

/// Whether a folder name is the ID of a conversation: 32 hex digits.
pub(super) fn is_conversation_id(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn diagnostic(code: Code, message: &'static str, state: EventId) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(code, message, state);
    diagnostic.labels = vec![Label::new(state, LabelRole::State)];
    diagnostic.about = vec![Subject::State];
    diagnostic.effect = Effect::LoadFails;
    diagnostic
}

/// The SDK goes on with all events, and a new state.
fn made_anew(message: &'static str, event: EventId) -> Diagnostic {
    let mut diagnostic = diagnostic(Code::HostState, message, event);
    (diagnostic.instance, diagnostic.effect) = (Some(Instance::Corrected), Effect::None);
    diagnostic
}

/// Without `base_state.json`, the SDK makes a new one. An export never had one.
fn no_state(context: &FormatContext<'_>, tree: &ConversationTree) -> Option<Diagnostic> {
    let Layout::Files(files) = context.layout else {
        return None;
    };
    if !matches!(files.naming, crate::containers::Naming::Indexed { between: '-', .. }) {
        return None;
    }
    let first = tree.records.first().copied()?;
    let names: Vec<&str> =
        context.entries.ids().into_iter().map(|id| context.entries.name(id)).collect();
    let signs = ["meta.json", "owner_lease.json", ".owner_lease.lock", "events/.eventlog"];
    let is_store = names.iter().any(|name| signs.iter().any(|sign| name.starts_with(sign)));
    let mut diagnostic = made_anew("`base_state.json` is missing: the SDK makes a new one", first);
    diagnostic.labels = vec![Label::new(first, LabelRole::Record)];
    if !is_store {
        diagnostic.instance = Some(Instance::Harmless);
        diagnostic.effect = Effect::None;
    }
    Some(diagnostic)
}
