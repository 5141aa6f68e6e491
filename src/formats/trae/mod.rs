//! Runs of the TRAE agent: evidence of what was sent, which the agent never reads back.
//!
//! Facts are from recorded runs.

mod copies;
mod layout;
mod lower;
mod read;

use super::chat::{self, faults};
use super::{Format, Habits, Scene};
use crate::bytes::edit::Edit;
use crate::containers::Reading;
use crate::dialects::stubs;
use crate::live::Signals;
use crate::transcript::pairs::{Pairs, Standing};
use crate::transcript::view::{Fate, Sent, View};
use crate::transcript::{
    EventNo, Fault, PartKind, Remedy, Role, State, Transcript, Treatment, Value, messages,
};
use copies::Steps;

/// Names of the facts that only this format reads.
mod attrs {
    /// Around the list: who was asked.
    pub const PROVIDER: &str = "provider";
    /// Around the list: the model.
    pub const MODEL: &str = "model";
    /// Around the list: the last request was refused.
    pub const REFUSED: &str = "refused";
    /// Around the list: the id of a call that the refused request answered; several.
    pub const ANSWERED: &str = "answered";
    /// A message: its position in its list.
    pub const NUMBER: &str = "number";
    /// A result that reports an error and says nothing.
    pub const EMPTY_ERROR: &str = "empty error";
}

/// The format.
pub const TRAE: Format = Format {
    name: "trae-trajectory",
    host: "trae-agent",
    title: "TRAE agent trajectory",
    page: include_str!("page.md"),
    step: 4,
    recognise: layout::recognise,
    records: Reading::new(layout::owns, read::read),
    project,
    lower: lower::lower,
    in_place: |_| true,
    session: |_| None,
    text,
    model,
    severity: |_, _| None,
    habits: Habits { takes_reused_ids: true, has_place: lower::has_place, ..Habits::NONE },
    signs: |_, _| Signals::default(),
    after_write: "The agent never reads a run back: the repaired one is for replaying, training and evidence.",
};

/// The target, by the provider that the run names. Claude is judged as such whoever serves it.
fn model(t: &Transcript) -> Option<String> {
    let provider = chat::state_text(t, attrs::PROVIDER)?.to_ascii_lowercase();
    let claude = chat::state_text(t, attrs::MODEL).is_some_and(|m| m.to_ascii_lowercase().contains("claude"));
    let target = match provider.as_str() {
        "bedrock" | "anthropic" => "anthropic",
        "openai" | "azure" => "openai-responses",
        "google" => "gemini",
        _ if claude => "anthropic",
        _ => "openai-chat",
    };
    Some(target.to_owned())
}

/// What a message says in words.
fn text(scene: &Scene<'_>, event: EventNo) -> Option<String> {
    super::words::look(scene, event, |message| {
        let of_result = || {
            let result = message.get("tool_result")?;
            let text = |key: &str| result.get(key).filter(|text| !text.is_blank_str()).and_then(|t| t.str());
            text("result").or_else(|| text("error"))
        };
        let own = message.get("content").and_then(|text| text.str());
        own.or_else(of_result).map(|text| text.into_owned())
    })
}

fn project(scene: &Scene<'_>) -> View {
    let t = scene.transcript;
    let all: Vec<EventNo> = t.with_inner().filter(|event| t.event(*event).within.is_some()).collect();
    let sequence: Vec<EventNo> =
        all.iter().copied().filter(|event| t.event(*event).role != Role::System).collect();
    let mut pairs = Pairs::find(t, &sequence);
    refused(t, &mut pairs);
    let role = |event: EventNo| t.event(event).role;
    let order = chat::items(t, &all, &role, &|part| t.a_part(part).kind == PartKind::Result);
    let mut faults = empty_errors(scene, &all);
    faults.extend(faults::holes(t, &pairs));
    let mut fate = vec![None; t.events.len()];
    for event in t.records().filter(|event| t.event(*event).state == State::Hole) {
        fate[event as usize] = Some(Fate::Hole);
    }
    all.iter().for_each(|event| fate[*event as usize] = Some(Fate::Sent));
    let mut view = View { fate, branch: all, order, pairs, faults, ..View::default() };
    messages::count(&mut view, t.events.len(), scene.target, |before: &Sent, next: &Sent| {
        before.event == next.event
    });
    view
}

/// A refused request proves that the run went on behind the last response; what it answered is answered.
fn refused(t: &Transcript, pairs: &mut Pairs) {
    let Some(state) = t.host_state().filter(|state| t.attr_of(*state, attrs::REFUSED).is_some()) else {
        return;
    };
    let facts = t.event(state).attrs.clone();
    let facts = &t.attrs[facts.start as usize..facts.end as usize];
    let answered = |call: u32| {
        let id = t.a_part(call).id.map(Value::Text);
        facts.iter().any(|fact| fact.name == attrs::ANSWERED && Some(fact.value) == id)
    };
    let open: Vec<bool> = pairs.batches.last().map_or_else(Vec::new, |batch| {
        batch.calls.iter().map(|call| pairs.standing(*call) == Standing::Open && !answered(*call)).collect()
    });
    if let Some(batch) = pairs.batches.last_mut().filter(|batch| batch.pending) {
        let mut open = open.into_iter();
        batch.calls.retain(|_| open.next().unwrap_or(true));
        batch.pending = false;
    }
}

/// Error results without a word, which Claude's providers refuse.
fn empty_errors(scene: &Scene<'_>, messages: &[EventNo]) -> Vec<Fault> {
    let t = scene.transcript;
    if !matches!(scene.target.name, "anthropic" | "bedrock") {
        return Vec::new();
    }
    let empty = messages.iter().filter(|event| t.attr_of(**event, attrs::EMPTY_ERROR).is_some());
    let empty: Vec<EventNo> = empty.copied().collect();
    if empty.is_empty() {
        return Vec::new();
    }
    let steps = Steps::of(scene);
    let fault = |event: EventNo| {
        let mut fault = faults::of(t, "TD406", "an error result without content", event);
        let said = faults::mended(scene, event, |message| {
            message
                .get("tool_result")
                .map(|result| copies::say(result, stubs::NO_OUTPUT))
                .into_iter()
                .collect()
        });
        if let Some(Remedy::Mend { event, word, edits }) = said {
            let id = t.part_of(event, PartKind::Result).and_then(|part| t.a_part(part).id);
            let id = id.map(|id| t.ids.get(id)).unwrap_or_default();
            let copies: Vec<Edit> =
                steps.as_ref().map(|steps| steps.say(id, stubs::NO_OUTPUT)).unwrap_or_default();
            let edits = edits.into_iter().chain(copies).collect();
            fault.treatments = vec![Treatment::safe(vec![Remedy::Mend { event, word, edits }])];
        }
        fault
    };
    empty.into_iter().map(fault).collect()
}
