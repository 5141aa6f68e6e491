//! The IDs of calls of tools that the provider runs must be unique.

use hashbrown::{HashMap, HashSet};

use super::hosted_pairs::{is_call, named, turns};
use super::{Need, RequestContext, content};
use crate::transcript::{
    Action, Code, Diagnostic, Id, Label, LabelRole, PartId, PartKind, Subject, Transcript,
};

pub(crate) const NEED: Need =
    Need { name: "reused_hosted_ids", reports: &[Code::ReusedCallId], check };

/// Finds such calls with the ID of an earlier call. The fix gives the call and its result another ID.
fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let t = cx.transcript();
    let mut seen: HashSet<Id> = HashSet::new();
    let mut made: HashMap<Id, u32> = HashMap::new();
    let mut found = Vec::new();
    for turn in &turns(cx) {
        let parts: Vec<PartId> =
            turn.iter().flat_map(|event| t.event(*event).parts.clone()).collect();
        // Going backward, the next result of each ID.
        let mut next: HashMap<Id, PartId> = HashMap::new();
        let mut own: HashMap<PartId, PartId> = HashMap::new();
        for part in
            parts.iter().copied().rev().filter(|part| t.part(*part).kind == PartKind::Hosted)
        {
            let Some(id) = named(t, part) else { continue };
            if is_call(t, part) {
                own.extend(next.remove(&id).map(|result| (part, result)))
            } else {
                _ = next.insert(id, part)
            }
        }
        for part in parts.into_iter().filter(|part| is_call(t, *part)) {
            let Some(id) = named(t, part) else { continue };
            if seen.insert(id) || t.part(part).kind != PartKind::Hosted {
                continue;
            }
            let Some(result) = own.get(&part).copied() else {
                continue;
            };
            let message = "a server tool call has the ID of an earlier call";
            let mut diagnostic = content(Code::ReusedCallId, message, t.part(part).event);
            diagnostic.labels =
                vec![Label::of(t, part, LabelRole::Call), Label::of(t, result, LabelRole::Result)];
            diagnostic.about = vec![Subject::Identity(part)];
            let to = new_id(t, id, &mut made);
            diagnostic.fix_safely([Action::rename_id(vec![part, result], to)]);
            found.push(diagnostic);
        }
    }
    found
}

/// The ID with the first number from 2 on that makes it unique in the transcript.
fn new_id(t: &Transcript, id: Id, made: &mut HashMap<Id, u32>) -> String {
    let number = made.entry(id).or_insert(1);
    loop {
        *number = number.saturating_add(1);
        let wanted = format!("{}_{number}", t.ids.get(id));
        if t.ids.find(&wanted).is_none() {
            return wanted;
        }
    }
}
