//! The whole document of a run: `llm_interactions` holds what was sent, `agent_steps` tells it
//! again. What changes in the one place changes in the others.

use super::read::{INPUT, REFUSED_LISTS, is_empty_error, refused_list};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::containers::change;
use crate::dialects::piece::is_same_json;
use crate::formats::FormatContext;
use crate::json::build::Value;
use crate::json::cut::{self, ArrayItem, Change};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::record::Record;
use crate::json::tape::Kind;
use std::rc::Rc;

/// The document, read again.
pub(super) struct Document {
    at: Span,
    record: Rc<Record>,
}

/// The change that lets an error result say this.
pub(super) fn say(result: Node<'_>, text: &str) -> Change {
    match result.get("error") {
        Some(error) => cut::replace(error, &quote(text)),
        None => cut::insert_member(result, Some("result"), "error", &quote(text)),
    }
}

fn list<'a>(node: Node<'a>, key: &str) -> Option<Node<'a>> {
    node.get(key).filter(|list| list.kind() == Kind::Array)
}

/// Whether a result is that of the call with this ID.
pub(super) fn is_of(result: Node<'_>, id: &str) -> bool {
    result.has_str("call_id", id)
}

/// The result in a message, or the value itself where it is a bare result.
pub(super) fn result_in(message: Node<'_>) -> Node<'_> {
    message
        .get("tool_result")
        .filter(|result| result.kind() == Kind::Object)
        .unwrap_or(message)
}

impl Document {
    /// The document of this run; `None` where it cannot be read as a whole.
    pub(super) fn of(context: &FormatContext<'_>) -> Option<Document> {
        let state = context.transcript.host_state()?;
        let at = context.transcript.event(state).at;
        let record = context.records.at(at).ok()?;
        Some(Document { at, record })
    }

    /// Where the messages and results of each request are.
    pub(super) fn run(&self) -> Option<Run<'_>> {
        let root = Some(self.record.root()).filter(|root| !root.is_open())?;
        let items = |key: &str| list(root, key).into_iter().flat_map(|list| list.items());
        let sent: Vec<Option<Node<'_>>> = items(super::layout::SENT)
            .map(|node| list(node, INPUT))
            .collect();
        let steps: Vec<Node<'_>> = items("agent_steps").collect();
        Some(Run::new(sent, steps))
    }

    /// The edits that these changes are.
    pub(super) fn edits(&self, changes: Vec<Change>) -> impl Iterator<Item = Edit> + use<> {
        change::edits(self.at, changes)
    }

    /// Values as they are written in a list of the document.
    pub(super) fn written(&self, list: Node<'_>, values: &[Value]) -> Vec<ArrayItem> {
        let look = self.record.writer();
        // An empty list is laid out by its own line: its items are one level further in.
        let look = list
            .items()
            .next()
            .map_or_else(|| look.at(list), |item| look.at(item));
        values
            .iter()
            .map(|value| ArrayItem::New(look.write(value)))
            .collect()
    }

    /// A list with nothing in it, filled with these values.
    pub(super) fn filled(&self, list: Node<'_>, values: Vec<Value>) -> Change {
        Change::new(
            list.span(),
            self.record.writer().at(list).write(&Value::List(values)),
        )
    }
}

/// The requests of a run, numbered from 0, and where they are told. A request that was refused
/// comes after the others.
pub(super) struct Run<'a> {
    /// The new messages of each request: as they were sent; of a refused one as the steps tell
    /// them.
    requests: Vec<Option<Node<'a>>>,
    /// The list of that number is one of bare results, not of messages.
    pub bare: Option<usize>,
    steps: Vec<Node<'a>>,
    /// By step: the request whose messages it tells.
    tells: Vec<Option<usize>>,
}

impl<'a> Run<'a> {
    fn new(mut requests: Vec<Option<Node<'a>>>, steps: Vec<Node<'a>>) -> Run<'a> {
        let refused = refused_list(&steps);
        let is_bare = refused
            .as_ref()
            .is_some_and(|refused| refused.key != REFUSED_LISTS[0]);
        let bare = is_bare.then_some(requests.len());
        requests.extend(refused.map(|refused| Some(refused.list)));
        let tells = tells(&requests, &steps);
        Run {
            requests,
            bare,
            steps,
            tells,
        }
    }

    /// The new messages of a request.
    pub(super) fn messages(&self, number: usize) -> Option<Node<'a>> {
        self.requests.get(number).copied().flatten()
    }

    /// The same messages, as the steps around the request tell them.
    pub(super) fn copies(&self, number: usize) -> impl Iterator<Item = Node<'a>> + '_ {
        let own = self.messages(number).map(|list| list.index());
        let around = number.saturating_sub(1)..=number;
        let told =
            around.filter(move |step| self.tells.get(*step).copied().flatten() == Some(number));
        let lists = told.filter_map(|step| list(*self.steps.get(step)?, "llm_messages"));
        lists.filter(move |list| Some(list.index()) != own)
    }

    /// The results that a request answers with, as the step that made the calls tells them; perhaps
    /// null.
    pub(super) fn results(&self, number: usize) -> Option<Node<'a>> {
        let own = self.messages(number).map(|list| list.index());
        let results = self
            .steps
            .get(number.checked_sub(1)?)?
            .get("tool_results")?;
        (Some(results.index()) != own).then_some(results)
    }

    /// The changes that let every empty error result of this call say something, in all copies of a
    /// request.
    pub(super) fn say(&self, number: usize, id: &str, text: &str) -> Vec<Change> {
        let told = self
            .copies(number)
            .flat_map(|list| list.items())
            .map(result_in);
        let results = self
            .results(number)
            .into_iter()
            .flat_map(|list| list.items());
        let empty = told
            .chain(results)
            .filter(|result| is_of(*result, id) && is_empty_error(*result));
        empty.map(|result| say(result, text)).collect()
    }
}

/// The request that each step tells: its own, or the next one. What most steps do counts first.
fn tells(requests: &[Option<Node<'_>>], steps: &[Node<'_>]) -> Vec<Option<usize>> {
    let told: Vec<Option<Node<'_>>> = steps
        .iter()
        .map(|step| list(*step, "llm_messages"))
        .collect();
    let is = |step: usize, number: usize| {
        let lists = told[step].zip(requests.get(number).copied().flatten());
        lists.is_some_and(|(one, other)| is_same_json(one, other))
    };
    let count = |ahead: usize| {
        (0..steps.len())
            .filter(|step| is(*step, step + ahead))
            .count()
    };
    let order = if count(1) >= count(0) { [1, 0] } else { [0, 1] };
    let request = |step: usize| {
        order
            .iter()
            .map(|ahead| step + ahead)
            .find(|number| is(step, *number))
    };
    (0..steps.len()).map(request).collect()
}
