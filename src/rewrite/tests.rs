//! A toy format with two members, and plans for it.

use super::*;
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{EntryId, Source, Span};
use crate::containers::RecordReader;
use crate::dialects::{MemberRef, Piece, Places};
use crate::transcript::{Idx, PartKind, Request};

const ENTRY: EntryId = EntryId(0);

const SCHEMA: Schema = Schema {
    supports: &[
        ActionKind::EditBytes,
        ActionKind::Remove,
        ActionKind::AnswerCall,
        ActionKind::RenameId,
    ],
    id_after: &["kind"],
    ..Schema::PLAIN
};

fn pieces(record: Node<'_>) -> Vec<Piece<'_>> {
    let ids = Places::One(MemberRef::of(record, "call"));
    vec![Piece { ids, ..Piece::new(PartKind::Call, 0) }]
}

/// Answers a call in a line after it.
struct Toy;

impl<'a> Writer<'a> for Toy {
    fn answer_call(&mut self, plan: &mut Plan<'a>, call: PartId, _: Option<EventId>) -> StepResult {
        let new = plan.add(NewRecord::of(call));
        plan.put_after(new, plan.t.part(call).event.into())
    }

    fn new_record(&self, plan: &Plan<'a>, id: NewId, before: Option<EventId>) -> NewBytes {
        let call = plan.new_record(id).call;
        Ok(format!(r#"{{"answers":{},"after":{before:?}}}"#, call.index()).into_bytes())
    }
}

fn read(_: Node<'_>, t: &mut Transcript) {
    t.add_part(t.blank_part(PartKind::Call));
}

/// The lines after these actions.
fn planned(lines: &str, actions: &[Action]) -> Result<String, CannotDo> {
    let bytes = vec![("a.jsonl".to_owned(), lines.as_bytes().to_vec())];
    let entries = Source::memory("a.jsonl", bytes);
    let layout = Layout::Lines(ENTRY);
    let mut t = Transcript::default();
    let reader = RecordReader::new(|_| true, read);
    layout.read(&entries, &reader, &mut t).unwrap();
    let (records, request) = (RecordCache::new(&entries), Request::default());
    let source =
        PlanSource { entries: &entries, records: &records, pieces, layout: &layout, t: &t };
    let plan = Plan::new(source, &request, &SCHEMA, Order::new(&t, &[]));
    let edits = Planner::new(plan, Toy).edits(actions)?;
    let patch = Patch::new(edits).unwrap();
    let new = Overlay::new(&entries, &patch);
    let all = Span::new(ENTRY, 0, new.len(ENTRY));
    Ok(String::from_utf8(new.fetch(all).unwrap()).unwrap())
}

fn rename(part: usize, to: &str) -> Action {
    Action::rename_id(vec![PartId::new(part)], to.to_owned())
}

fn answer(part: usize) -> Action {
    Action::answer_call(PartId::new(part))
}

const LINES: &str = "{\"call\":\"a\"}\n{\"call\":\"b\"}\n{\"kind\":1, \"more\":2}\n";

#[test]
fn actions_of_one_layer_are_one_plan() {
    let actions = [Action::Remove(EventId::new(1)), answer(0), rename(0, "z")];
    let wanted = "{\"call\":\"z\"}\n{\"answers\":0,\"after\":Some(0)}\n{\"kind\":1, \"more\":2}\n";
    assert_eq!(planned(LINES, &actions).unwrap(), wanted);
}

#[test]
fn a_missing_id_is_inserted_where_the_schema_says() {
    let wanted = LINES.replace("\"kind\":1", "\"kind\":1, \"call\":\"z\"");
    assert_eq!(planned(LINES, &[rename(2, "z")]).unwrap(), wanted);
}

#[test]
fn an_unsupported_action_fails_the_whole_plan() {
    let unsupported = Action::SetIdle(EventId::FIRST);
    let result = planned(LINES, &[rename(0, "z"), unsupported]);
    assert_eq!(result.unwrap_err(), UNSUPPORTED);
}

#[test]
fn nothing_is_put_after_a_removed_record() {
    let actions = [Action::Remove(EventId::FIRST), answer(0)];
    assert!(planned(LINES, &actions).is_err());
}
