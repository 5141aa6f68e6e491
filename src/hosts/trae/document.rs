//! The document of a run: `llm_interactions` holds what was sent, and `agent_steps` repeats it. A
//! change in one place is repeated in the others.

use super::read::{INPUT, REFUSED_LISTS, is_empty_error, refused_list};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::containers::change;
use crate::dialects::piece::is_same_json;
use crate::format::FormatContext;
use crate::json::build::NewValue;
use crate::json::cut::{ArrayItem, RecordChange};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::record::Record;
use crate::json::tape::Kind;
use crate::rewrite::set_member;
use std::rc::Rc;

/// The document, parsed again.
pub(super) struct TraeDocument {
    at: Span,
    record: Rc<Record>,
}

/// The change that gives an error result this text.
pub(super) fn set_error_text(result: Node<'_>, text: &str) -> RecordChange {
    set_member(result, Some("result"), "error", &quote(text))
}

fn list<'a>(node: Node<'a>, key: &str) -> Option<Node<'a>> {
    node.get_kind(key, Kind::Array)
}

fn items<'a>(node: Node<'a>, key: &str) -> impl Iterator<Item = Node<'a>> + use<'a> {
    list(node, key).into_iter().flat_map(|list| list.items())
}

/// Whether a result belongs to the call with this ID.
pub(super) fn is_of(result: Node<'_>, id: &str) -> bool {
    result.has_str("call_id", id)
}

/// The result in a message, or the value itself if it is a bare result.
pub(super) fn result_in(message: Node<'_>) -> Node<'_> {
    message.get_kind("tool_result", Kind::Object).unwrap_or(message)
}

impl TraeDocument {
    /// The document of this run; `None` if it cannot be read as a whole.
    pub(super) fn of(context: &FormatContext<'_>) -> Option<TraeDocument> {
        let state = context.transcript.host_state()?;
        let at = context.transcript.event(state).at();
        let record = context.records.at(at).ok()?;
        Some(TraeDocument { at, record })
    }

    /// Where the messages and results of each request are.
    pub(super) fn run(&self) -> Option<TraeRun<'_>> {
        let root = Some(self.record.root()).filter(|root| !root.is_open())?;
        let sent = items(root, super::layout::SENT).map(|node| list(node, INPUT)).collect();
        let steps = items(root, "agent_steps").collect();
        Some(TraeRun::new(sent, steps))
    }

    /// Turns changes of the document into edits.
    pub(super) fn edits(&self, changes: Vec<RecordChange>) -> impl Iterator<Item = Edit> + use<> {
        change::edits(self.at, changes)
    }

    /// Formats values like the items of a list of the document.
    pub(super) fn new_items(&self, list: Node<'_>, values: &[NewValue]) -> Vec<ArrayItem> {
        let writer = self.record.writer();
        // The items of an empty list are one level deeper than its own line.
        let writer = list.items().next().map_or_else(|| writer.at(list), |item| writer.at(item));
        values.iter().map(|value| ArrayItem::New(writer.write(value))).collect()
    }

    /// Fills an empty list with these values.
    pub(super) fn fill(&self, list: Node<'_>, values: Vec<NewValue>) -> RecordChange {
        RecordChange::new(list.span(), self.record.writer().at(list).write(&NewValue::List(values)))
    }
}

/// The requests of a run, numbered from 0, and the steps that repeat them. A rejected request comes
/// after the others.
pub(super) struct TraeRun<'a> {
    /// The new messages of each request: as sent, or, for a rejected request, as the steps have
    /// them.
    requests: Vec<Option<Node<'a>>>,
    /// The number of the request whose list has bare results instead of messages.
    pub bare: Option<usize>,
    steps: Vec<Node<'a>>,
    /// By step: the request whose messages it repeats.
    repeated_requests: Vec<Option<usize>>,
}

impl<'a> TraeRun<'a> {
    fn new(mut requests: Vec<Option<Node<'a>>>, steps: Vec<Node<'a>>) -> TraeRun<'a> {
        let refused = refused_list(&steps);
        let is_bare = refused.as_ref().is_some_and(|refused| refused.key != REFUSED_LISTS[0]);
        let bare = is_bare.then_some(requests.len());
        requests.extend(refused.map(|refused| Some(refused.list)));
        let repeated_requests = repeated_requests(&requests, &steps);
        TraeRun { requests, bare, steps, repeated_requests }
    }

    /// The new messages of a request.
    pub(super) fn messages(&self, number: usize) -> Option<Node<'a>> {
        self.requests.get(number).copied().flatten()
    }

    /// The copies of these messages in the steps around the request.
    pub(super) fn copies(&self, number: usize) -> impl Iterator<Item = Node<'a>> + '_ {
        let own = self.messages(number).map(|list| list.index());
        let around = number.saturating_sub(1)..=number;
        let repeating = around.filter(move |step| {
            self.repeated_requests.get(*step).copied().flatten() == Some(number)
        });
        let lists = repeating.filter_map(|step| list(*self.steps.get(step)?, "llm_messages"));
        lists.filter(move |list| Some(list.index()) != own)
    }

    /// The results in a request, as the step with their calls has them; may be null.
    pub(super) fn results(&self, number: usize) -> Option<Node<'a>> {
        let own = self.messages(number).map(|list| list.index());
        let results = self.steps.get(number.checked_sub(1)?)?.get("tool_results")?;
        (Some(results.index()) != own).then_some(results)
    }

    /// The changes that give each empty error result of this call a text, in all copies of a
    /// request.
    pub(super) fn set_error_text(&self, number: usize, id: &str, text: &str) -> Vec<RecordChange> {
        let copies = self.copies(number).flat_map(|list| list.items()).map(result_in);
        let results = self.results(number).into_iter().flat_map(|list| list.items());
        let empty =
            copies.chain(results).filter(|result| is_of(*result, id) && is_empty_error(*result));
        empty.map(|result| set_error_text(result, text)).collect()
    }
}

/// The request that each step repeats: its own, or the next one. What most steps do is tried first.
fn repeated_requests(requests: &[Option<Node<'_>>], steps: &[Node<'_>]) -> Vec<Option<usize>> {
    let step_messages: Vec<Option<Node<'_>>> =
        steps.iter().map(|step| list(*step, "llm_messages")).collect();
    let matches = |step: usize, number: usize| {
        let lists = step_messages[step].zip(requests.get(number).copied().flatten());
        lists.is_some_and(|(step_list, request_list)| is_same_json(step_list, request_list))
    };
    let count = |ahead: usize| (0..steps.len()).filter(|step| matches(*step, step + ahead)).count();
    let order = if count(1) >= count(0) { [1, 0] } else { [0, 1] };
    (0..steps.len())
        .map(|step| order.iter().map(|ahead| step + ahead).find(|number| matches(step, *number)))
        .collect()
}
