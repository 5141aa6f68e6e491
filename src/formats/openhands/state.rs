//! `base_state.json` against the events and the folder.

use super::attrs;
use super::tree::Tree;
use crate::containers::Layout;
use crate::formats::FormatContext;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Fix, Label, LabelRole, Severity, State, Subject, Value,
};

/// What the host may say of itself; any other word fails the load.
const STATUSES: &[&str] =
    &["idle", "running", "paused", "waiting_for_confirmation", "finished", "error", "stuck", "deleting"];

/// Finds what is wrong with the host's state.
pub(super) fn judge(scene: &FormatContext<'_>, tree: &Tree, pending: bool) -> Vec<Diagnostic> {
    let t = scene.transcript;
    let mut faults = Vec::new();
    let Some(state) = t.host_state() else {
        faults.extend(no_state(scene, tree));
        return faults;
    };
    if t.event(state).state == State::Unreadable {
        faults.push(fault(Code::HostState, "`base_state.json` cannot be read", state));
        return faults;
    }
    let id = t.text(t.event(state).id).replace('-', "");
    if is_conversation_id(scene.name) && !id.is_empty() && id != scene.name {
        faults.push(fault(
            Code::HostState,
            "`base_state.json` is of another conversation than its folder",
            state,
        ));
    }
    if let Some(Value::Text(status)) = t.attr_of(state, attrs::STATUS) {
        if !STATUSES.contains(&t.ids.get(status)) {
            let said = "the host's status is a word that openhands-sdk 1.58.0 does not know";
            let mut fault = fault(Code::HostState, said, state);
            fault.treatments = vec![Fix::with_guess(vec![Action::Settle(state)])];
            faults.push(fault);
        }
        let stuck = match t.ids.get(status) {
            "running" | "stuck" => true,
            "waiting_for_confirmation" => !pending,
            _ => false,
        };
        if stuck && !scene.live {
            let mut fault =
                fault(Code::StuckStatus, "the host's status says that somebody is at work", state);
            fault.about = vec![Subject::State];
            fault.effect = Effect::None;
            fault.treatments = vec![Fix::with_guess(vec![Action::Settle(state)])];
            faults.push(fault);
        }
    }
    faults
}

/// Whether a folder's name is the id of a conversation: 32 hex digits.
pub(super) fn is_conversation_id(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn fault(code: Code, said: &str, state: EventId) -> Diagnostic {
    let mut fault = Diagnostic::new(code, said, state);
    fault.labels = vec![Label { event: state, role: LabelRole::State }];
    fault.about = vec![Subject::State];
    fault.effect = Effect::LoadFails;
    fault
}

/// Without `base_state.json` the SDK starts a fresh conversation over the old events. An export never had one.
fn no_state(scene: &FormatContext<'_>, tree: &Tree) -> Option<Diagnostic> {
    let Layout::Files(files) = scene.layout else { return None };
    if !matches!(files.naming, crate::containers::Naming::Indexed { between: '-', .. }) {
        return None;
    }
    let first = tree.records.first().copied()?;
    let names: Vec<&str> = scene.entries.ids().into_iter().map(|id| scene.entries.name(id)).collect();
    let signs = ["meta.json", "owner_lease.json", ".owner_lease.lock", "events/.eventlog"];
    let is_store = names.iter().any(|name| signs.iter().any(|sign| name.starts_with(sign)));
    let mut fault = fault(
        Code::HostState,
        "`base_state.json` is missing: the SDK would start anew over these events",
        first,
    );
    fault.labels = vec![Label { event: first, role: LabelRole::Record }];
    if !is_store {
        fault.severity = Some(Severity::Note);
        fault.effect = Effect::None;
    }
    Some(fault)
}
