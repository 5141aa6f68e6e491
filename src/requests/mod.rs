//! Requests: what a provider rejects in the next request, for all formats.
//!
//! Each requirement is a file with a check, and a line in [`ALL`]. What a provider requires is data of its target
//! ([`crate::targets::Needs`]). What a host sends as recorded, and where records have it, is data of its format ([`Wire`]).
//! Checks do not know hosts or the names of providers.

pub(crate) mod arguments;
mod blocks;
pub(crate) mod cache_marks;
pub(crate) mod call_names;
pub(crate) mod calls_together;
pub(crate) mod chat_members;
mod context;
pub(crate) mod declared_tools;
pub(crate) mod documents;
pub(crate) mod empty_answers;
pub(crate) mod empty_content;
pub(crate) mod ends_with_user;
pub(crate) mod error_results;
pub(crate) mod foreign_parts;
pub(crate) mod hosted_ids;
pub(crate) mod hosted_pairs;
pub(crate) mod image_count;
pub(crate) mod image_urls;
pub(crate) mod item_ids;
pub(crate) mod item_outputs;
pub(crate) mod item_shape;
pub(crate) mod lone_surrogates;
pub(crate) mod media;
pub(crate) mod message_shape;
pub(crate) mod readable_reasoning;
pub(crate) mod reasoning_content;
pub(crate) mod reasoning_items;
pub(crate) mod reasoning_parts;
pub(crate) mod result_names;
pub(crate) mod results_together;
pub(crate) mod reused_hosted_ids;
pub(crate) mod roles_alternate;
pub(crate) mod signed_calls;
pub(crate) mod starts_with_user;
pub(crate) mod strict_members;
pub(crate) mod strict_order;
pub(crate) mod thinking;
pub(crate) mod tool_names;

use std::borrow::Cow;

use crate::json::cut::RecordChange;
use crate::json::node::Node;
use crate::transcript::pairs::Pairs;
use crate::transcript::{
    Action, Applicability, CHANGE, Code, Diagnostic, Effect, EventId, Fix, Flaws, Inclusion,
    IndexVec, Instance, PartId, PartKind, Request, Role, Subject, Transcript, distinct, facts,
};

pub(crate) use context::{Client, ClientKind, FormatContext, Prepared};

/// A requirement that a provider may have for requests.
pub(crate) struct Need {
    /// The name of its file.
    pub name: &'static str,
    /// The codes of the rules that it reports for.
    pub reports: &'static [Code],
    /// Finds where a request violates it.
    pub check: fn(&RequestContext<'_>) -> Vec<Diagnostic>,
}

/// All requirements, in the order in which they are checked.
pub(crate) const ALL: &[&Need] = &[
    &starts_with_user::NEED,
    &ends_with_user::NEED,
    &roles_alternate::NEED,
    &calls_together::NEED,
    &results_together::NEED,
    &tool_names::NEED,
    &declared_tools::NEED,
    &result_names::NEED,
    &signed_calls::NEED,
    &reasoning_items::NEED,
    &readable_reasoning::NEED,
    &reasoning_parts::NEED,
    &item_ids::NEED,
    &item_shape::NEED,
    &item_outputs::NEED,
    &arguments::NEED,
    &error_results::NEED,
    &lone_surrogates::NEED,
    &empty_content::NEED,
    &thinking::NEED,
    &reasoning_content::NEED,
    &chat_members::NEED,
    &empty_answers::NEED,
    &message_shape::NEED,
    &foreign_parts::NEED,
    &call_names::NEED,
    &media::NEED,
    &image_count::NEED,
    &image_urls::NEED,
    &documents::NEED,
    &hosted_ids::NEED,
    &hosted_pairs::NEED,
    &reused_hosted_ids::NEED,
    &cache_marks::NEED,
    &strict_members::NEED,
    &strict_order::NEED,
];

/// How the records of a format become messages of a request. Formats start from [`Wire::NONE`].
#[derive(Copy, Clone)]
pub(crate) struct Wire {
    /// The requirements that its records may violate, without those for what its host rewrites for each request, in the
    /// order of [`ALL`].
    pub needs: &'static [&'static Need],
    /// Finds the message, or the item, in a record.
    pub message: for<'a> fn(Node<'a>) -> Node<'a>,
    /// The name of the model's role.
    pub model: &'static str,
    /// Finds the result in a record that is its part with this index: the object with the name of the tool.
    pub response: for<'a> fn(Node<'a>, usize) -> Option<Node<'a>>,
    /// Converts all foreign blocks of a message, for dialects other than Anthropic's.
    pub foreign: Option<MakeKnown>,
    /// How it records the arguments of calls.
    pub calls: arguments::RecordedArguments,
    /// What it does with empty messages.
    pub texts: empty_content::EmptyMessages,
    /// How it records the content of results.
    pub results: error_results::Results,
    /// What it does with the thinking of messages of Chat Completions.
    pub thinking: reasoning_content::ReturnedThinking,
    /// Where it sends lone surrogates as they are.
    pub halves: lone_surrogates::SurrogateHalves,
    /// Whether its host leaves out items with missing members.
    pub skips_malformed: bool,
    /// Whether its host sends tools under other names than recorded.
    pub renames_tools: bool,
    /// Whether the document around the messages declares the tools for their calls.
    pub declares_tools: fn(&Transcript) -> bool,
    /// Inserts a user message before a record. `None`: its host has no place for one.
    pub beginning: Option<InsertBeginning>,
    pub documents: documents::RecordedDocuments,
}

/// The changes that convert all foreign blocks of a message, and whether they are safe.
pub(crate) type MakeKnown = for<'a> fn(Node<'a>) -> (Vec<RecordChange>, Applicability);

/// Inserts a first user message before a record.
pub(crate) type InsertBeginning = fn(&FormatContext<'_>, EventId) -> Option<Action>;

impl Wire {
    /// A host that rewrites everything for each request.
    pub(crate) const NONE: Wire = Wire {
        needs: &[],
        message: |record| record,
        model: "assistant",
        response: |_, _| None,
        foreign: None,
        calls: arguments::RecordedArguments::OBJECTS,
        texts: empty_content::EmptyMessages::BLOCKS,
        results: error_results::Results::TEXTS,
        thinking: reasoning_content::ReturnedThinking::None,
        halves: lone_surrogates::SurrogateHalves::Message,
        skips_malformed: false,
        renames_tools: false,
        declares_tools: |_| false,
        beginning: None,
        documents: documents::RecordedDocuments::NONE,
    };
}

/// A request, with the records of its messages.
pub(crate) struct RequestContext<'a> {
    /// The conversation, and the target of the request.
    pub context: &'a FormatContext<'a>,
    pub request: &'a Request,
    /// How it is recorded.
    pub wire: &'a Wire,
    /// The records that are sent and have flaws that the host does not correct.
    flawed: Vec<(EventId, Flaws)>,
    /// The role in which each part is sent; empty if no record has flaws.
    roles: IndexVec<PartId, Option<Role>>,
}

/// Finds what the provider rejects in a request.
pub(crate) fn check(
    context: &FormatContext<'_>,
    request: &Request,
    wire: &Wire,
) -> Vec<Diagnostic> {
    let cx = RequestContext::new(context, request, wire);
    let mut found = Vec::new();
    let places = wire.needs.iter().map(|need| ALL.iter().position(|all| all.name == need.name));
    debug_assert!(places.is_sorted(), "another order than ALL");
    for need in wire.needs {
        let diagnostics = (need.check)(&cx);
        debug_assert!(
            diagnostics.iter().all(|own| need.reports.contains(&own.code)),
            "{} reports",
            need.name
        );
        found.extend(diagnostics);
    }
    found
}

/// Whether a provider may reject messages that have only texts and thinking.
pub(crate) fn may_reject_texts(wire: &Wire, t: &Transcript) -> bool {
    // Of these a reader notes a flaw wherever they may matter.
    const NOTED: [&str; 2] = [reasoning_parts::NEED.name, documents::NEED.name];
    wire.needs.iter().any(|need| !NOTED.contains(&need.name) || t.is_known(facts::FLAWS))
}

impl<'a> RequestContext<'a> {
    fn new(
        context: &'a FormatContext<'a>,
        request: &'a Request,
        wire: &'a Wire,
    ) -> RequestContext<'a> {
        let t = context.transcript;
        let mut flawed = Vec::new();
        for event in t.events.ids() {
            if !matches!(request.inclusion(event), Inclusion::Sent | Inclusion::Failed) {
                continue;
            }
            let mut flaws = t.flaws(event).without(request.corrected);
            if request.without_media.contains(&event) {
                flaws = flaws.without(Flaws::MEDIA);
            }
            if flaws != Flaws::NONE && !request.edited.contains(&event) {
                flawed.push((event, flaws));
            }
        }
        let mut roles = IndexVec::default();
        if !flawed.is_empty() {
            roles = t.parts.iter().map(|part| t.event(part.event).role).map(Some).collect();
            for sent in request.order.iter().filter(|sent| !sent.parts.is_empty()) {
                t.event(sent.event).parts.clone().for_each(|part| roles[part] = None);
            }
            for sent in &request.order {
                sent.parts.clone().for_each(|part| roles[part] = Some(sent.role));
            }
        }
        RequestContext { context, request, wire, flawed, roles }
    }

    /// The records that are sent and have one of these flaws.
    fn flawed(&self, any: Flaws) -> impl Iterator<Item = EventId> + '_ {
        let own = self.flawed.iter().filter(move |(_, flaws)| flaws.has(any));
        own.map(|(event, _)| *event)
    }

    /// The role in which a part is sent. `None`: the part is left out of a message that is sent.
    fn role_of(&self, part: PartId) -> Option<Role> {
        self.roles.get(part).copied().flatten()
    }

    fn transcript(&self) -> &'a Transcript {
        self.context.transcript
    }

    /// The records that are sent, in order.
    fn sent(&self) -> impl DoubleEndedIterator<Item = EventId> + '_ {
        let branch = self.request.branch.iter().copied();
        branch.filter(|event| self.request.inclusion(*event) == Inclusion::Sent)
    }

    /// Whether the host rewrites a call completely for this provider.
    fn is_rewritten(&self, call: PartId) -> bool {
        self.request.rewritten_calls.contains(&call)
    }

    /// Adds a fix with these changes of its record to a diagnostic.
    fn with_fix(
        &self,
        mut diagnostic: Diagnostic,
        applicability: Applicability,
        changes: Vec<RecordChange>,
    ) -> Diagnostic {
        if !changes.is_empty() {
            let event = diagnostic.labels[0].event;
            let at = self.transcript().event(event).at();
            let actions = [Action::edit_bytes(event, at, CHANGE, changes)];
            diagnostic.fixes = vec![Fix::new(applicability, actions)];
        }
        diagnostic
    }

    /// The fix that changes a record; none if nothing changes.
    fn fix_record(
        &self,
        event: EventId,
        applicability: Applicability,
        changes: impl FnOnce(Node<'_>) -> Vec<RecordChange>,
    ) -> Vec<Fix> {
        let action = self.context.change(event, changes);
        Fix::only(applicability, action)
    }
}

/// A diagnostic about the content of one record, as bad as its rule says.
fn content(code: Code, message: impl Into<Cow<'static, str>>, event: EventId) -> Diagnostic {
    let mut diagnostic = refused(code, message, event);
    diagnostic.instance = None;
    diagnostic
}

/// A diagnostic about the content of one record, for which the provider rejects the request.
pub(crate) fn refused(
    code: Code,
    message: impl Into<Cow<'static, str>>,
    event: EventId,
) -> Diagnostic {
    let mut diagnostic = Diagnostic::about(code, message, Subject::Content, event);
    diagnostic.instance = Some(Instance::Rejected);
    diagnostic.effect = Effect::Refused;
    diagnostic
}

/// The places of all calls and results in these messages, and of their counterparts.
pub(crate) fn places(t: &Transcript, pairs: &Pairs, messages: &[EventId]) -> Vec<Subject> {
    let parts = messages.iter().flat_map(|event| t.event(*event).parts.clone());
    let own = parts.filter(|part| matches!(t.part(*part).kind, PartKind::Call | PartKind::Result));
    let both = own.flat_map(|part| {
        let call = pairs.call_of(part);
        [Some(part), pairs.answer(part), call]
    });
    distinct(both.flatten().map(Subject::Place))
}
