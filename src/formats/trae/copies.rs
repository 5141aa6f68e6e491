//! The steps, which tell again what was sent: what changes there changes along.

use super::read::is_empty_error;
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::formats::Scene;
use crate::json::build::{Look, Value};
use crate::json::cut::{self, Change};
use crate::json::node::{Node, Owned};
use crate::json::quote::quote;
use crate::json::scan::{Mode, scan};
use crate::json::tape::{Kind, Tape};

/// The whole document, read again.
pub(super) struct Steps {
    at: Span,
    bytes: Owned,
    tape: Tape,
}

/// The change that lets an error result say this.
pub(super) fn say(result: Node<'_>, text: &str) -> Change {
    match result.get("error") {
        Some(error) => cut::replace(error, &quote(text)),
        None => cut::insert_member(result, Some("result"), "error", &quote(text)),
    }
}

fn list<'a>(step: Node<'a>, key: &str) -> Option<Node<'a>> {
    step.get(key).filter(|list| list.kind() == Kind::Array)
}

fn is_id(node: Node<'_>, id: &str) -> bool {
    node.get("call_id").is_some_and(|own| own.is_str(id))
}

impl Steps {
    /// The steps of this run; `None` where the document cannot be read as a whole.
    pub(super) fn of(scene: &Scene<'_>) -> Option<Steps> {
        let state = scene.transcript.host_state()?;
        let at = scene.transcript.event(state).at;
        let bytes = Owned(scene.entries.fetch(at).ok()?);
        let tape = scan(&bytes.0, Mode::Document);
        Some(Steps { at, bytes, tape })
    }

    fn steps(&self) -> Vec<Node<'_>> {
        let root = Node::root(&self.tape, &self.bytes);
        let list = root.and_then(|root| list(root, "agent_steps"));
        list.into_iter().flat_map(|list| list.items()).filter(|step| !step.is_open()).collect()
    }

    fn placed(&self, changes: Vec<Change>) -> Vec<Edit> {
        let place = |offset: u32| self.at.start + u64::from(offset);
        let edit = |c: Change| Edit::Bytes {
            at: Span { start: place(c.at.start), end: place(c.at.end), ..self.at },
            with: c.with,
        };
        changes.into_iter().map(edit).collect()
    }

    /// Every empty error result of this call says this.
    pub(super) fn say(&self, id: &str, text: &str) -> Vec<Edit> {
        let results = self.steps().into_iter().flat_map(|step| {
            let told = list(step, "llm_messages").into_iter().flat_map(|list| list.items());
            let told = told.filter_map(|message| message.get("tool_result"));
            told.chain(list(step, "tool_results").into_iter().flat_map(|list| list.items()))
        });
        let empty = results.filter(|result| is_id(*result, id) && is_empty_error(*result));
        self.placed(empty.map(|result| say(result, text)).collect())
    }

    /// Messages go from what the step with this number was asked, if it tells as many as the interaction has; results of
    /// calls that have none left there go from the step before.
    pub(super) fn without(&self, number: usize, told: usize, gone: &[u32], ids: &[String]) -> Vec<Edit> {
        let steps = self.steps();
        let mut changes = Vec::new();
        let asked = steps.get(number).and_then(|step| list(*step, "llm_messages"));
        if let Some(asked) = asked.filter(|asked| asked.items().count() == told) {
            changes.extend(cut::remove_members(asked, gone));
        }
        let before = number.checked_sub(1).and_then(|number| steps.get(number));
        if let Some(results) = before.and_then(|step| list(*step, "tool_results")) {
            let own = results.items().map(|result| ids.iter().any(|id| is_id(result, id)));
            changes.extend(cut::remove_members(results, &positions(own)));
        }
        self.placed(changes)
    }

    /// New results: `messages` go in front of what the step with this number was asked, if it tells as many messages as
    /// the interaction has (`None`: of a refused request, whatever it tells); `results` behind those of the step before.
    pub(super) fn with(
        &self,
        number: usize,
        told: Option<usize>,
        messages: &[Value],
        results: &[Value],
    ) -> Vec<Edit> {
        let steps = self.steps();
        let mut changes = Vec::new();
        let asked = steps.get(number).and_then(|step| list(*step, "llm_messages"));
        if let Some(asked) = asked.filter(|asked| told.is_none_or(|told| asked.items().count() == told)) {
            changes.extend(front(&self.bytes, asked, messages));
        }
        let before = match told {
            Some(_) => number.checked_sub(1),
            None => Some(number),
        };
        let before = before.and_then(|number| steps.get(number)).and_then(|step| list(*step, "tool_results"));
        if let Some(before) = before {
            changes.extend(behind(&self.bytes, before, results));
        }
        self.placed(changes)
    }

    /// The number of the step in front of the last one.
    pub(super) fn before_last(&self) -> Option<usize> {
        self.steps().len().checked_sub(2)
    }
}

fn positions(own: impl Iterator<Item = bool>) -> Vec<u32> {
    (0_u32..).zip(own).filter(|(_, own)| *own).map(|(at, _)| at).collect()
}

fn written(bytes: &Owned, list: Node<'_>, values: &[Value]) -> Vec<Vec<u8>> {
    let look = Look::of(&bytes.0);
    // An empty list is laid out by its own line: its items are one level further in.
    let look = list.items().next().map_or_else(|| look.at(list), |item| look.at(item));
    values.iter().map(|value| look.write(value)).collect()
}

/// The change that puts values in front of a list's items.
pub(super) fn front(bytes: &Owned, list: Node<'_>, values: &[Value]) -> Vec<Change> {
    let mut items: Vec<cut::Item> = written(bytes, list, values).into_iter().map(cut::Item::New).collect();
    items.extend((0..list.items().count() as u32).map(cut::Item::Old));
    arranged(bytes, list, &items, values)
}

/// The change that puts values behind a list's items.
fn behind(bytes: &Owned, list: Node<'_>, values: &[Value]) -> Vec<Change> {
    let mut items: Vec<cut::Item> = (0..list.items().count() as u32).map(cut::Item::Old).collect();
    items.extend(written(bytes, list, values).into_iter().map(cut::Item::New));
    arranged(bytes, list, &items, values)
}

fn arranged(bytes: &Owned, list: Node<'_>, items: &[cut::Item], values: &[Value]) -> Vec<Change> {
    if list.items().next().is_some() {
        return cut::arrange(list, items);
    }
    let whole = Look::of(&bytes.0).at(list).write(&Value::List(values.to_vec()));
    vec![Change { at: list.span(), with: whole }]
}
