//! Edits of the context: records that remove another record from the request, or replace its
//! content.
//!
//! pi 0.87.1: the last edit of each record counts, if both are in the window. OpenClaw and earlier
//! versions of pi ignore edits.

use hashbrown::{HashMap, HashSet};

use super::own;
use crate::transcript::{EventId, Id, PartId, PartKind, Role, Transcript};

/// The edits of a window.
#[derive(Default)]
pub(super) struct Edits {
    /// For each edited record, the edit whose content is sent instead.
    replaced: HashMap<EventId, EventId>,
    /// Removed records.
    hidden: HashSet<EventId>,
    /// Calls and results that are not sent as recorded.
    unsent: HashSet<PartId>,
}

impl Edits {
    /// Removes from `sequence` the records that edits in `context` hide.
    pub(super) fn apply(
        t: &Transcript,
        context: impl Iterator<Item = EventId>,
        sequence: &mut Vec<EventId>,
    ) -> Edits {
        let last: HashMap<Id, EventId> =
            context.filter_map(|event| Some((t.fact_id(event, own::EDITS)?, event))).collect();
        let mut edits = Edits::default();
        if last.is_empty() {
            return edits;
        }
        for event in sequence.iter().copied() {
            let Some(edit) = t.event(event).id.and_then(|id| last.get(&id)).copied() else {
                continue;
            };
            if t.has(edit, own::HIDES) {
                edits.hidden.insert(event);
            } else if matches!(t.kind(event), "message" | "custom_message") {
                edits.replaced.insert(event, edit);
            }
        }
        sequence.retain(|event| !edits.hidden.contains(event));
        edits.find_unsent(t, sequence);
        edits
    }

    /// Finds calls of an edited response that its new content no longer has, and results of calls
    /// that only the new content has, which no recorded call can be paired with.
    fn find_unsent(&mut self, t: &Transcript, sequence: &[EventId]) {
        let mut made: HashSet<&str> = HashSet::new();
        let responses =
            self.replaced.iter().filter(|(event, _)| t.event(**event).role == Role::Assistant);
        for (event, edit) in responses {
            let mut kept: HashMap<&str, usize> = HashMap::new();
            for id in keeps(t, *edit) {
                *kept.entry(t.ids.get(id).trim()).or_default() += 1;
            }
            let calls = t.parts_of(*event, PartKind::Call);
            for call in calls {
                match kept.get_mut(super::call_key(t, call)).filter(|left| **left > 0) {
                    Some(left) => *left -= 1,
                    None => _ = self.unsent.insert(call),
                }
            }
            made.extend(kept.into_iter().filter(|(_, left)| *left > 0).map(|(key, _)| key));
        }
        if made.is_empty() {
            return;
        }
        let parts = sequence.iter().flat_map(|event| t.event(*event).parts.clone());
        for call in parts.clone().filter(|part| t.part(*part).kind == PartKind::Call) {
            if !self.unsent.contains(&call) {
                made.remove(super::call_key(t, call));
            }
        }
        let results = parts.filter(|part| t.part(*part).kind == PartKind::Result);
        self.unsent.extend(results.filter(|result| made.contains(super::call_key(t, *result))));
    }

    /// Whether a record is removed.
    pub(super) fn hides(&self, event: EventId) -> bool {
        self.hidden.contains(&event)
    }

    /// The edit whose content is sent instead of this record's own.
    pub(super) fn of(&self, event: EventId) -> Option<EventId> {
        self.replaced.get(&event).copied()
    }

    /// Whether a part of the window is sent as recorded.
    pub(super) fn sends(&self, part: PartId) -> bool {
        !self.unsent.contains(&part)
    }
}

/// The IDs of the calls in the content of an edit.
fn keeps(t: &Transcript, edit: EventId) -> impl Iterator<Item = Id> + '_ {
    t.fact_ids(edit, own::KEEPS)
}

#[cfg(test)]
mod tests {
    use crate::engine::{CheckOptions, judge};
    use crate::find::find;

    /// A question, a response with the calls `a` and `b`, both results, an answer; then these
    /// edits: target, replacement.
    fn codes(edits: &[(&str, &str)]) -> Vec<&'static str> {
        let call = |id: &str| {
            format!(r#"{{"type":"toolCall","id":"{id}","name":"read","arguments":{{}}}}"#)
        };
        let result = |id: &str| {
            format!(
                r#"{{"role":"toolResult","toolCallId":"{id}","toolName":"read","content":[{{"type":"text","text":"x"}}],"isError":false}}"#
            )
        };
        let message = |content: &str| {
            format!(
                r#"{{"role":"assistant","content":[{content}],"api":"anthropic-messages","stopReason":"stop"}}"#
            )
        };
        let messages = [
            r#"{"role":"user","content":"Go."}"#.to_owned(),
            message(&format!("{},{}", call("a"), call("b"))),
            result("a"),
            result("b"),
            message(r#"{"type":"text","text":"Done."}"#),
        ];
        let mut lines = vec![r#"{"type":"session","version":3,"id":"0197c0bb","timestamp":"2026-02-25T06:20:00.000Z","cwd":"/w"}"#.to_owned()];
        let mut parent = "null".to_owned();
        let mut add = |kind: &str, rest: String| {
            let id = format!("\"e{}\"", lines.len());
            lines.push(format!(r#"{{"type":"{kind}","id":{id},"parentId":{parent},"timestamp":"2026-02-25T06:20:01.000Z",{rest}}}"#));
            parent = id;
        };
        for message in messages {
            add("message", format!(r#""message":{message}"#));
        }
        for (target, replacement) in edits {
            add("context_edit", format!(r#""targetId":"{target}","replacement":{replacement}"#));
        }
        let folder = tempfile::tempdir().unwrap();
        let name = "2026-02-25T06-20-00-000Z_0197c0bb.jsonl";
        let path = folder.path().join(name);
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        let finds = find(&[path], None);
        let found = finds.found[0].open().unwrap();
        let judged =
            judge(&found.source, name, &found.detection, &CheckOptions::default()).unwrap();
        judged.findings.iter().map(|finding| finding.rule.code.as_str()).collect()
    }

    const ONLY_A: &str =
        r#"{"content":[{"type":"toolCall","id":"a","name":"read","arguments":{}}]}"#;
    const WORDS: &str = r#"{"content":[{"type":"text","text":"shorter"}]}"#;

    #[test]
    fn what_is_sent_is_paired() {
        assert_eq!(codes(&[]), [""; 0]);
        assert_eq!(codes(&[("e3", WORDS), ("e1", r#"{"content":"Go!"}"#)]), [""; 0]);
        assert_eq!(codes(&[("e2", ONLY_A), ("e4", "null")]), [""; 0]);
        assert_eq!(codes(&[("e2", WORDS), ("e3", "null"), ("e4", "null")]), [""; 0]);
        assert_eq!(codes(&[("e4", "null")]), ["TD101"]);
        assert_eq!(codes(&[("e2", ONLY_A)]), ["TD103"]);
    }

    #[test]
    fn the_last_edit_of_a_record_counts() {
        assert_eq!(codes(&[("e4", "null"), ("e4", WORDS)]), [""; 0]);
        assert_eq!(codes(&[("e4", WORDS), ("e4", "null")]), ["TD101"]);
        assert_eq!(codes(&[("e4", "null"), ("e4", "7")]), ["TD101"]);
    }

    #[test]
    fn a_call_that_only_an_edit_has_takes_its_result_with_it() {
        let other = ONLY_A.replace("\"a\"", "\"b\"");
        assert_eq!(codes(&[("e2", &other), ("e3", "null")]), [""; 0]);
        let new = r#"{"content":[{"type":"toolCall","id":"c","name":"read","arguments":{}}]}"#;
        assert_eq!(codes(&[("e2", new), ("e3", "null")]), ["TD103"]);
    }
}
