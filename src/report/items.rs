//! Names the items of a message that a finding is about, in formats where an item is a call together with its result.

use hashbrown::{HashMap, HashSet};

use super::build::Build;
use super::model::FindingRecord;
use super::redact::StringKind;
use super::text::Shown;
use crate::json::node::Node;
use crate::rules::Finding;
use crate::transcript::{Id, Label, LabelRole, Origin, PartId, PartKind, Subject, Transcript};

/// The number of the item that has a part.
type Items = HashMap<PartId, u32>;

impl Build<'_> {
    /// The places of a label: the items of its message that the finding is about, or the whole record.
    pub(super) fn records(&self, finding: &Finding, label: &Label) -> Vec<FindingRecord> {
        let record = self.record(label);
        let items = self.items(finding, label, &record);
        items.filter(|items| !items.is_empty()).unwrap_or_else(|| vec![record])
    }

    fn items(
        &self,
        finding: &Finding,
        label: &Label,
        whole: &FindingRecord,
    ) -> Option<Vec<FindingRecord>> {
        let format = self.judged.detection.format;
        let key = format.traits.joined;
        if key.is_empty() {
            return None;
        }
        let t = &self.judged.transcript;
        let record = self.context.record(label.event).ok()?;
        let nodes: Vec<Node<'_>> = record.root().items_of(key).collect();
        let pieces = (format.pieces)(record.root());
        let parts = pieces.iter().zip(t.event(label.event).parts.clone());
        let items: Items =
            parts.filter_map(|(piece, part)| Some((part, piece.homes.first()?.at))).collect();
        let tools: HashMap<u32, Id> =
            items.iter().filter_map(|(part, item)| Some((*item, t.part(*part).tool?))).collect();
        let start = t.event(label.event).at().start;
        let mut parts = parts_of(t, finding, label, &items);
        // A label that says which of them it means shows no other one.
        if let Some(own) = label.part.filter(|own| parts.contains(own)) {
            parts = vec![own];
        }
        parts.sort_unstable();
        Some(
            parts
                .into_iter()
                .filter_map(|part| {
                    let item = *items.get(&part)?;
                    let span = nodes.get(item as usize)?.span();
                    let pointer = whole.pointer.as_ref().map_or("", |pointer| pointer.exact());
                    let pointer = format!("{pointer}/{key}/{item}");
                    Some(FindingRecord {
                        pointer: Some(Shown::of(StringKind::Pointer, pointer)),
                        byte: Some(
                            [span.start, span.end].map(|at| start.saturating_add(at.into())),
                        ),
                        tool: tools.get(&item).map(|tool| self.shown(StringKind::Name, *tool)),
                        call: t.part(part).id.map(|id| self.shown(StringKind::Call, id)),
                        ..whole.clone()
                    })
                })
                .collect(),
        )
    }
}

/// The parts of a message that a label means. A call is the one that a copy repeats, or that a surplus result is not stored
/// with, if there is one.
fn parts_of(t: &Transcript, finding: &Finding, label: &Label, items: &Items) -> Vec<PartId> {
    let named = || finding.about.iter().filter_map(Subject::part);
    let here: Vec<PartId> = named().filter(|part| t.part(*part).event == label.event).collect();
    let ids: HashSet<Option<Id>> = named().map(|part| t.part(part).id).collect();
    let is_call = |part: &PartId| matches!(t.part(*part).kind, PartKind::Call | PartKind::Hosted);
    let is_placeholder = |part: &PartId| t.part(*part).origin == Origin::Placeholder;
    let is_result = |part: &PartId| t.part(*part).kind == PartKind::Result;
    let own = t.event(label.event).parts.clone();
    let with_id = own.filter(|part| ids.contains(&t.part(*part).id));
    match label.role {
        LabelRole::Call => {
            let mut labels = finding.labels.iter();
            let has_copy = labels.any(|label| label.role == LabelRole::Copy);
            let calls: Vec<PartId> = here.iter().copied().filter(is_call).collect();
            if !has_copy && !calls.is_empty() {
                return calls;
            }
            let calls: Vec<PartId> = with_id.filter(is_call).collect();
            let taken: HashSet<Option<&u32>> = here.iter().map(|part| items.get(part)).collect();
            let others: Vec<PartId> =
                calls.iter().copied().filter(|call| !taken.contains(&items.get(call))).collect();
            if others.is_empty() { calls } else { others }
        }
        LabelRole::Result => {
            with_id.filter(|part| is_result(part) && !is_placeholder(part)).collect()
        }
        LabelRole::Placeholder => {
            with_id.filter(|part| is_result(part) && is_placeholder(part)).collect()
        }
        _ => here,
    }
}
