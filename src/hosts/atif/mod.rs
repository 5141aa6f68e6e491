//! Trajectories in the Agent Trajectory Interchange Format, as Harbor and others write them: a step holds calls and their results.

mod read;
mod write;

use std::collections::VecDeque;

use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::members::{Holding, Members};
use crate::format::head::Sample;
use crate::format::policy::PolicyRow;
use crate::format::rows::InsideRow;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::json::cut;
use crate::requests::arguments::{self, RecordedArguments};
use crate::requests::{Wire, tool_names};
use crate::rewrite::Schema;
use crate::shapes::chat::{self, diagnostics, inside};
use crate::shapes::copies::{self, By, Same};
use crate::targets;
use crate::transcript::pairs::{PairPolicy, Paired, Pairs};
use crate::transcript::request::Request;
use crate::transcript::{Action, Code, Diagnostic, EventId, Severity, Subject};

crate::transcript::fact::own_facts! {
    /// Around the steps: the model.
    MODEL,
    /// The number that a step gives itself.
    NUMBER,
}

pub(crate) const ATIF: Format = Format {
    name: "atif",
    host: &Host::new("atif", "the agent"),
    title: "ATIF trajectory",
    page: include_str!("page.md"),
    checked: Verification::Read("the format's own description, versions 1.0 to 1.7"),
    rank: Rank::Document,
    recognize,
    explains: read::owns,
    records: RecordReader::new(read::owns, read::read),
    pieces: read::pieces,
    project,
    wire: Wire {
        needs: &[&tool_names::NEED, &arguments::NEED],
        calls: RecordedArguments::OBJECTS,
        ..Wire::NONE
    },
    supports: SCHEMA.supports,
    planner: |context, request| inside::planner(context, &SCHEMA, write::changes, request),
    text: read::text,
    model: |t| {
        let model = chat::state_text(t, own::MODEL);
        let known = model.filter(|model| targets::by_model(model).is_some());
        Some(known.unwrap_or("openai-chat").to_owned())
    },
    traits: HostTraits {
        noun: "step",
        words: Some(WordSet::of(&["schema_version:"])),
        pairs: PairPolicy::LISTS,
        takes_reused_ids: true,
        policy: &[PolicyRow::is(Code::RecordOrder, Severity::Warning)],
        rows: true,
        row_words: Some(WordSet::of(&["schema_version:"])),
        conversations: Some(conversations),
        members: Members::own(&[
            (
                Holding::Details,
                "agent subagent_trajectory_ref subagent_trajectories metrics final_metrics extra",
            ),
            (Holding::Envelope, "model_name step_id source_call_id"),
        ]),
        ..HostTraits::NONE
    },
    after_write: "Agents never read a trajectory back: a repaired one is for replay, training, and \
        evidence.",
};

const SCHEMA: Schema = Schema { supports: chat::SUPPORTS, ..Schema::PLAIN };

/// A document that names the version of the format.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    let root = head.only()?;
    let version = root.get("schema_version")?.str()?;
    let has_steps = version.starts_with("ATIF-") && root.get("steps").is_some();
    let path = vec![PathStep::Key("steps")];
    has_steps.then_some(Layout::enclosed(head.single?, path))
}

/// The steps of a trajectory and of those of its sub-agents, which it may contain as whole trajectories of their own.
fn conversations(head: &Sample<'_>) -> Vec<InsideRow> {
    let (Some(Layout::Items { entry, path, .. }), Some(root)) = (recognize(head), head.only())
    else {
        return Vec::new();
    };
    let mut found = vec![path];
    let mut around = VecDeque::from([(root, Vec::new())]);
    while let Some((trajectory, way)) = around.pop_front() {
        let inner = (0..).zip(trajectory.items_of("subagent_trajectories"));
        for (at, own) in inner {
            let below = [PathStep::Key("subagent_trajectories"), PathStep::At(at)];
            let way = [&way[..], &below].concat();
            if own.get("steps").is_some() {
                found.push([&way[..], &[PathStep::Key("steps")]].concat());
            }
            around.push_back((own, way));
        }
    }
    if found.len() == 1 {
        return Vec::new();
    }
    found.into_iter().map(|path| InsideRow::List(Layout::enclosed(entry, path))).collect()
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let mut steps = chat::messages(t);
    // A step has a number of its own, so an equal one next to it is a copy.
    let copies = copies::find(context, steps.iter().copied(), By::Neighbor, Same::Digest);
    steps.retain(|step| copies.binary_search_by_key(step, |copy| copy.event).is_err());
    let pairs = Pairs::find(t, ATIF.traits.pairs, &Paired::events(&steps));
    let mut diagnostics = diagnostics::unreadable(t, &pairs, ATIF.traits.unreadable);
    diagnostics.extend(copies.iter().map(|copy| copy.repeated("step recorded twice")));
    diagnostics.extend(numbers(context, &steps));
    chat::request(context, steps, &[], pairs, diagnostics)
}

/// Steps are numbered from 1 without a gap.
fn numbers(context: &FormatContext<'_>, steps: &[EventId]) -> Option<Diagnostic> {
    let t = context.transcript;
    let wrong: Vec<(i64, EventId)> = (1..)
        .zip(steps.iter().copied())
        .filter(|(wanted, event)| t.fact_number(*event, own::NUMBER) != Some(*wanted))
        .collect();
    let (_, first) = *wrong.first()?;
    let mut diagnostic = Diagnostic::about(
        Code::RecordOrder,
        "steps are not numbered from 1 in order",
        Subject::Name,
        first,
    );
    let renumber = wrong.iter().filter_map(|(wanted, event)| {
        context.change(*event, |root| {
            let number = root.get("step_id");
            let put = number.map(|number| cut::replace(number, &wanted.to_string()));
            put.into_iter().collect()
        })
    });
    let actions: Vec<Action> = renumber.collect();
    // Where a step has no number, more went wrong than the counting.
    if actions.len() == wrong.len() {
        diagnostic.fix_safely(actions);
    }
    Some(diagnostic)
}
