//! The document around the list: state dumps of LangGraph and runs of LangSmith.

use super::own;
use crate::dialects::langchain::{Form, MODEL_NODES};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{Fact, FactValue, Transcript, facts};

/// Error texts of providers that do not accept a conversation ending with the assistant.
const PREFILL: &[&str] = &["does not support assistant message prefill", "pre-fill"];

/// Reads the document around the list.
pub(super) fn read(root: Node<'_>, t: &mut Transcript) {
    // In a state history, the newest state counts.
    let state = newest(root).and_then(|at| root.items().nth(at as usize)).unwrap_or(root);
    text(state.at(&["checkpoint", "thread_id"]), own::THREAD, t);
    text(state.at(&["config", "configurable", "thread_id"]), own::THREAD, t);
    let (to_model, others): (Vec<_>, Vec<_>) =
        state.items_of("next").partition(|node| MODEL_NODES.iter().any(|name| node.is_str(name)));
    if !to_model.is_empty() {
        t.set_fact(facts::MODEL_IS_NEXT, FactValue::Yes);
        if others.is_empty() {
            t.set_fact(own::NO_TOOL_IS_NEXT, FactValue::Yes);
        }
    }
    if state.has_str("run_type", "llm") && !is_answered(state) {
        t.set_fact(own::REQUEST, FactValue::Yes);
    }
    let metadata = state.at(&["extra", "metadata"]);
    text(
        metadata.and_then(|data| data.get("ls_provider")).or_else(|| state.get("name")),
        own::PROVIDER,
        t,
    );
    text(metadata.and_then(|data| data.get("ls_model_name")), own::MODEL, t);
    for result in state.items_of("recovered") {
        let id = Form::of(result).and_then(|form| form.body.get("tool_call_id"));
        text(id, facts::RECORDED, t);
    }
    let error = state.string("error").unwrap_or_default();
    if PREFILL.iter().any(|text| error.contains(text)) {
        t.set_fact(own::PREFILL_REFUSED, FactValue::Yes);
    }
    if let Some(cutoff) = cutoff(root).and_then(|index| index.as_i64()) {
        t.set_fact(own::CUTOFF, FactValue::Number(cutoff));
    }
}

/// Where deepagents stores how many messages its summary replaced.
pub(super) fn cutoff(root: Node<'_>) -> Option<Node<'_>> {
    let state = newest(root).and_then(|at| root.items().nth(at as usize)).unwrap_or(root);
    let event = state
        .at(&["values", "_summarization_event"])
        .or_else(|| state.get("_summarization_event"))?;
    event.get("summary_message")?;
    event.get("cutoff_index")
}

fn text(node: Option<Node<'_>>, name: Fact, t: &mut Transcript) {
    if let Some(value) = node.and_then(|node| node.str()) {
        let value = t.ids.intern(&value);
        t.set_fact(name, FactValue::Text(value));
    }
}

/// Whether a run of a model has its response.
fn is_answered(run: Node<'_>) -> bool {
    let generations = run.at(&["outputs", "generations"]).into_iter().flat_map(|list| list.items());
    generations
        .flat_map(|batch| batch.items().chain((batch.kind() == Kind::Object).then_some(batch)))
        .any(|generation| generation.get("message").is_some())
}

/// The index of the newest state in a state history: the one with the greatest step, else the
/// first.
pub(super) fn newest(root: Node<'_>) -> Option<u32> {
    let states = (0_u32..)
        .zip(root.items())
        .filter(|(_, state)| state.at(&["values", "messages"]).is_some());
    let steps = states
        .map(|(at, state)| (state.at(&["metadata", "step"]).and_then(|step| step.as_i64()), at));
    // Of equal steps, the first wins.
    steps.max_by_key(|(step, at)| (*step, std::cmp::Reverse(*at))).map(|(_, at)| at)
}
