//! Calls with two IDs, and messages that share one.

use hashbrown::{HashMap, HashSet};

use super::own;
use crate::format::FormatContext;
use crate::requests::refused;
use crate::shapes::chat::diagnostics;
use crate::shapes::copies::{self, By, Same, Twin};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, FactValue, Id, Label, LabelRole, PartId, PartKind,
    Subject, Transcript,
};

/// Calls that a message has under two ids: in a block, and in `tool_calls`.
pub(super) struct Twins {
    hidden: HashSet<PartId>,
    /// One finding for each of them.
    pub diagnostics: Vec<Diagnostic>,
}

impl Twins {
    /// Finds the calls of which both places are sent.
    pub(super) fn of(t: &Transcript, sequence: &[EventId], sent: &dyn Fn(PartId) -> bool) -> Twins {
        let mut twins = Twins { hidden: HashSet::new(), diagnostics: Vec::new() };
        let mut results: Option<HashMap<Id, PartId>> = None;
        for event in sequence {
            let record = t.event(*event);
            for positions in t.values_of(*event, own::TWINS) {
                let FactValue::Number(positions) = positions else {
                    continue;
                };
                let [entry, block] = [positions >> 32, positions & 0xFFFF_FFFF]
                    .map(|offset| record.parts.at(usize::try_from(offset).unwrap_or(0)));
                if sent(entry) && sent(block) {
                    let results = results.get_or_insert_with(|| results_by_id(t));
                    twins.check(t, results, entry, block);
                }
            }
        }
        twins
    }

    /// Whether a part only repeats a call under another ID.
    pub(super) fn is_hidden(&self, part: PartId) -> bool {
        self.hidden.contains(&part)
    }

    fn check(
        &mut self,
        t: &Transcript,
        results: &HashMap<Id, PartId>,
        entry: PartId,
        block: PartId,
    ) {
        let [of_entry, of_block] = [entry, block].map(|call| {
            let known = t.part(call).id.and_then(|id| results.get(&id)).copied();
            known.filter(|result| *result > call)
        });
        // Keep the ID that a result has; without a result, that of `tool_calls`, by which LangGraph
        // pairs.
        let (kept, other, known) = match (of_entry, of_block) {
            (Some(_), Some(_)) => return,
            (None, Some(known)) => (block, entry, Some(known)),
            (known, None) => (entry, block, known),
        };
        let event = t.part(entry).event;
        let mut diagnostic =
            refused(Code::LinkMismatch, "one tool call is sent under two IDs", event);
        diagnostic.labels = vec![Label::new(event, LabelRole::Call)];
        diagnostic.label(known.map(|part| t.part(part).event), LabelRole::Result);
        diagnostic.about = vec![Subject::Identity(other)];
        let to = t.text(t.part(kept).id).to_owned();
        diagnostic.fix_safely([Action::rename_id(vec![other], to)]);
        self.hidden.insert(other);
        self.diagnostics.push(diagnostic);
    }
}

/// The last result of each ID.
fn results_by_id(t: &Transcript) -> HashMap<Id, PartId> {
    let results = t.parts.enumerated().filter(|(_, part)| part.kind == PartKind::Result);
    results.filter_map(|(number, part)| Some((part.id?, number))).collect()
}

/// Messages that share an ID.
pub(super) fn twins(context: &FormatContext<'_>, all: &[EventId]) -> Vec<Twin> {
    let t = context.transcript;
    let named = all
        .iter()
        .copied()
        .filter(|event| t.event(*event).id.is_some_and(|id| !t.ids.is_empty(id)));
    copies::find(context, named, By::Id, Same::Digest)
}

/// Messages that are stored twice.
pub(super) fn copies(twins: &[Twin]) -> impl Iterator<Item = Diagnostic> + '_ {
    let copies = twins.iter().filter(|twin| twin.is_copy);
    copies.map(|twin| diagnostics::repeated(twin, "message stored twice"))
}

/// Different messages that share an ID: a graph that loads them keeps only the later one.
pub(super) fn shared(twins: &[Twin]) -> impl Iterator<Item = Diagnostic> + '_ {
    let different = twins.iter().filter(|twin| !twin.is_copy);
    different.map(|twin| {
        let mut diagnostic = twin.shares_id("two different messages have the same ID");
        diagnostic.labels[1].role = LabelRole::Record;
        diagnostic.about = vec![Subject::Name(twin.event)];
        diagnostic.effect = Effect::Hides(1);
        diagnostic
    })
}
