//! What the host minds, or loses without a word.

use hashbrown::{HashMap, HashSet};

use super::fold::Response;
use super::history::{History, is_action, number};
use super::{attrs, pages};
use crate::containers::files::NOWHERE;
use crate::containers::{Layout, NAME_ID};
use crate::formats::Scene;
use crate::transcript::pairs::{Pairs, Standing};
use crate::transcript::{
    Effect, EventNo, Fault, Id, Label, LabelRole, LinkKind, PartKind, PartNo, Remedy, Role, Severity, State,
    Subject, Transcript, Treatment, Value,
};

/// Records in the way of a result that are named; it may come hours later.
const MOST_INTRUDERS: usize = 8;

fn label(event: EventNo, role: LabelRole) -> Label {
    Label { event, role }
}

fn role_of(t: &Transcript, event: EventNo) -> LabelRole {
    if t.event(event).role == Role::Tool { LabelRole::Result } else { LabelRole::Call }
}

/// What is there twice.
#[derive(Default)]
pub(super) struct Repeated {
    /// Elements of a list that are another one byte for byte.
    pub copies: HashSet<EventNo>,
    /// Ids that different events have.
    pub ambiguous: HashSet<Id>,
    /// Both, told.
    pub faults: Vec<Fault>,
}

/// Finds what is there twice.
pub(super) fn repeated(scene: &Scene<'_>) -> Repeated {
    let t = scene.transcript;
    let mut first: HashMap<Id, EventNo> = HashMap::new();
    let mut found = Repeated::default();
    for event in t.records().filter(|event| t.event(*event).state == State::Whole) {
        let Some(id) = t.event(event).id else { continue };
        let before = *first.entry(id).or_insert(event);
        if before == event {
            continue;
        }
        let bytes = |event: EventNo| scene.entries.fetch(t.event(event).at).ok();
        let in_files = matches!(scene.layout, Layout::Files(_));
        let copy = !in_files && bytes(before).is_some_and(|one| bytes(event).is_some_and(|two| one == two));
        let mut fault = if copy {
            found.copies.insert(event);
            Fault::new("TD012", "the same event is in the list twice", event)
        } else {
            found.ambiguous.insert(id);
            Fault::new("TD306", "two different events have one id", event)
        };
        fault.labels = vec![label(before, LabelRole::Record), label(event, LabelRole::Copy)];
        fault.about = vec![Subject::Bytes(event)];
        if copy {
            fault.treatments = vec![Treatment::safe(vec![Remedy::Park(event)])];
        } else if !in_files {
            fault.treatments = vec![Treatment::with_guess(vec![Remedy::Identify(event)])];
        }
        found.faults.push(fault);
    }
    found
}

/// Calls without their metadata: without function calling there is none in the whole log.
pub(super) fn without_metadata(t: &Transcript, history: &History) -> Vec<Fault> {
    let bare = history.kept.iter().copied().filter(|event| t.attr_of(*event, attrs::NO_METADATA).is_some());
    let has_calls = t.parts.iter().any(|part| part.kind == PartKind::Call);
    let made = |event: EventNo| {
        let said = if has_calls {
            "a call without `tool_call_metadata`: the host stops here"
        } else {
            "calls without `tool_call_metadata`: made without function calling"
        };
        let mut fault = Fault::new("TD013", said, event);
        fault.about = vec![Subject::Content(event)];
        fault.severity = Some(if has_calls { Severity::Warning } else { Severity::Note });
        fault
    };
    let most = if has_calls { usize::MAX } else { 1 };
    bare.take(most).map(made).collect()
}

/// Event files that nobody can read, and files that are gone while a page still holds the event.
pub(super) fn holes(scene: &Scene<'_>, pairs: &Pairs, history: &History) -> Vec<Fault> {
    let t = scene.transcript;
    let last = t.records().last();
    let odd: Vec<(PartNo, Standing)> =
        pairs.all().filter(|(_, standing)| matches!(standing, Standing::Open | Standing::Orphan)).collect();
    let is_hole = |event: &EventNo| t.event(*event).state == State::Hole;
    let mut faults = Vec::new();
    for hole in history.kept.iter().copied().filter(is_hole) {
        let missing = t.event(hole).at.entry == NOWHERE;
        let copy = number_in_name(t, hole).and_then(|id| pages::copy_of(scene.entries, id));
        let (code, said) = match (missing, &copy, Some(hole) == last) {
            (true, ..) => ("TD502", "an event has no file any more, only its copy in a cache page"),
            (_, Some(_), _) => ("TD002", "an event cannot be read, its copy in a cache page can"),
            (_, None, true) => ("TD001", "the last event stops in the middle"),
            (_, None, false) => ("TD002", "an event in the middle cannot be read"),
        };
        let mut fault = Fault::new(code, said, hole);
        fault.about = vec![Subject::Bytes(hole)];
        // What was in it is unknown: it may explain any call without answer before it, any answer without call behind.
        fault.covers =
            odd.iter().filter_map(|(part, standing)| unexplained(t, hole, *part, *standing)).collect();
        fault.treatments = vec![match copy {
            Some(copy) => Treatment::safe(vec![restored(scene, hole, copy)]),
            None => Treatment::safe(vec![Remedy::Park(hole)]),
        }];
        // The host reads the page, not the file.
        match fault.treatments[0].remedies[0] {
            Remedy::Park(_) => fault.effect = Effect::LoadFails,
            _ => fault.severity = Some(Severity::Warning),
        }
        faults.push(fault);
    }
    faults
}

fn unexplained(t: &Transcript, hole: EventNo, part: PartNo, standing: Standing) -> Option<Subject> {
    match standing {
        Standing::Open if t.a_part(part).event < hole => Some(Subject::Open(part)),
        Standing::Orphan if t.a_part(part).event > hole => Some(Subject::Orphan(part)),
        _ => None,
    }
}

pub(super) fn number_in_name(t: &Transcript, event: EventNo) -> Option<u64> {
    match (t.attr_of(event, NAME_ID), t.event(event).at.entry == NOWHERE) {
        (Some(Value::Text(id)), _) => t.ids.get(id).parse().ok(),
        (_, true) => Some(t.event(event).place.number()),
        _ => None,
    }
}

pub(super) fn restored(scene: &Scene<'_>, hole: EventNo, copy: Vec<u8>) -> Remedy {
    use crate::bytes::edit::Edit;
    let t = scene.transcript;
    let at = t.event(hole).at;
    let edit = if at.entry == NOWHERE {
        Edit::Create { name: format!("events/{}.json", t.event(hole).place.number()), bytes: copy }
    } else {
        Edit::Bytes { at, with: copy }
    };
    Remedy::Mend { event: hole, word: "restore from the cache page", edits: vec![edit] }
}

/// `cause` is not for the model: the interface and evaluations pair by it.
pub(super) fn causes(
    t: &Transcript,
    history: &History,
    pairs: &Pairs,
    ambiguous: &HashSet<Id>,
) -> Vec<Fault> {
    let id_of = |event: EventNo, kind| t.part_of(event, kind).and_then(|part| t.a_part(part).id);
    let actions = history.kept.iter().filter_map(|e| Some((t.event(*e).id?, id_of(*e, PartKind::Call)?)));
    let known: HashSet<(Id, Id)> = actions.collect();
    let mut faults = Vec::new();
    for (result, standing) in pairs.all() {
        let Standing::Answers(call) = standing else { continue };
        let event = t.a_part(result).event;
        let (Some(Value::Text(cause)), Some(id)) = (t.attr_of(event, attrs::CAUSE), t.a_part(result).id)
        else {
            continue;
        };
        let to = t.a_part(call).event;
        // An id that two events have names neither of them.
        let names_it = t.event(to).id.is_some_and(|id| !ambiguous.contains(&id));
        if known.contains(&(cause, id)) || !names_it {
            continue;
        }
        let mut fault =
            Fault::new("TD108", "`cause` does not name the action that the observation answers", event);
        fault.labels = vec![label(to, LabelRole::Call), label(event, LabelRole::Result)];
        fault.about = vec![Subject::Identity(result)];
        fault.severity = Some(Severity::Warning);
        let relink = Remedy::Relink { event, link: LinkKind::Call, to: Some(to) };
        fault.treatments = vec![Treatment::safe(vec![relink])];
        faults.push(fault);
    }
    faults
}

/// Responses that ask for calls which no record stands for: the host drops them whole.
pub(super) fn unrecorded(t: &Transcript, history: &History, responses: &[Response]) -> Vec<Fault> {
    let lost = |response: &&Response| {
        let forgotten = response.events().all(|event| history.forgotten_by(event).is_some());
        !response.unrecorded.is_empty() && !response.pending && !forgotten && !response.is_torn(history)
    };
    let made = |response: &Response| {
        let first = response.actions.first().copied().unwrap_or_default();
        let said =
            "a response asks for a call that is nowhere recorded, and is dropped with its answered calls";
        let mut fault = Fault::new("TD101", said, first);
        fault.labels = response.events().map(|event| label(event, role_of(t, event))).collect();
        fault.about = vec![Subject::Content(first)];
        fault.effect = Effect::Hides(response.events().count() as u32);
        fault
    };
    responses.iter().filter(lost).map(made).collect()
}

/// Responses that condensations tear, one finding for each condensation.
pub(super) fn torn(t: &Transcript, history: &History, responses: &[Response]) -> Vec<Fault> {
    let mut by_cut: Vec<(EventNo, &Response)> = Vec::new();
    for response in responses.iter().filter(|response| response.is_torn(history)) {
        by_cut.extend(
            response.events().filter_map(|e| history.forgotten_by(e)).max().map(|cut| (cut, response)),
        );
    }
    by_cut.sort_by_key(|(cut, _)| *cut);
    let stays = |event: &EventNo| history.forgotten_by(*event).is_none();
    let mut faults: Vec<Fault> = Vec::new();
    for group in by_cut.chunk_by(|a, b| a.0 == b.0) {
        let cut = group[0].0;
        let mut fault = Fault::new("TD304", "a condensation forgot part of what belongs together", cut);
        let members: Vec<EventNo> = group.iter().flat_map(|(_, response)| response.events()).collect();
        fault.labels = members.iter().map(|event| label(*event, role_of(t, *event))).collect();
        fault.labels.push(label(cut, LabelRole::Compaction));
        fault.about = vec![Subject::Content(cut)];
        for part in members.iter().flat_map(|event| t.event(*event).parts.clone()) {
            fault.covers.extend([Subject::Place(part), Subject::Open(part), Subject::Orphan(part)]);
        }
        let add: Vec<EventNo> = members.iter().copied().filter(stays).collect();
        fault.effect = Effect::Hides(add.len() as u32);
        let forced = widened(t, history, cut, &add).is_some();
        let named = add.iter().all(|event| t.event(*event).id.is_some());
        let extend = vec![Remedy::Extend { event: cut, add, keep: Vec::new(), offset: None }];
        if named {
            fault.treatments =
                vec![if forced { Treatment::safe(extend) } else { Treatment::with_guess(extend) }];
        }
        faults.push(fault);
    }
    faults
}

/// How a condensation would forget these events too. `None`: as a range it would forget others with them.
pub(super) enum Widened {
    /// Their ids come to its list.
    List,
    /// Its range becomes this.
    Range(i64, i64),
}

pub(super) fn widened(t: &Transcript, history: &History, cut: EventNo, add: &[EventNo]) -> Option<Widened> {
    let Some((first, last)) = history.cuts.iter().find(|known| known.event == cut)?.range else {
        return Some(Widened::List);
    };
    let ids: Vec<i64> = add.iter().filter_map(|event| number(t, *event)).collect();
    let (first, last) = ids.iter().fold((first, last), |(low, high), id| (low.min(*id), high.max(*id)));
    let inside =
        history.left(t).into_iter().filter(|e| number(t, *e).is_some_and(|n| first <= n && n <= last));
    let mut strangers = inside.filter(|event| !add.contains(event));
    strangers.next().is_none().then_some(Widened::Range(first, last))
}

/// What the host puts right on its way: a result that comes before its call, or behind something else.
pub(super) fn healed(t: &Transcript, history: &History, pairs: &Pairs) -> Vec<Fault> {
    let mut place: HashMap<EventNo, usize> = HashMap::new();
    let mut before = vec![0_u32];
    let speaks = |event: EventNo| t.event(event).role.is_sent() && t.event(event).state != State::Hole;
    for (at, event) in history.kept.iter().copied().enumerate() {
        place.insert(event, at);
        before.push(before[at] + u32::from(speaks(event)));
    }
    let mut faults = Vec::new();
    for (result, standing) in pairs.all() {
        let Standing::Answers(call) = standing else { continue };
        let (asks, answers) = (t.a_part(call).event, t.a_part(result).event);
        let (Some(from), Some(to)) = (place.get(&asks).copied(), place.get(&answers).copied()) else {
            continue;
        };
        let early = to < from;
        let between = if early { 0 } else { before[to].saturating_sub(before[from + 1]) };
        if !early && between == 0 {
            continue;
        }
        let own = |event: &EventNo| {
            let batch = pairs.batch_of(call);
            let parts = t.event(*event).parts.clone();
            parts.into_iter().any(|part| {
                let call = pairs.call_of(part).unwrap_or(part);
                pairs.batch_of(call).map(std::ptr::from_ref) == batch.map(std::ptr::from_ref)
                    || pairs.standing(part) == Standing::None && t.a_part(part).kind == PartKind::Call
            })
        };
        let run = history.kept.get(from + 1..to).unwrap_or_default().iter().copied();
        // A batch may have been recorded call by call; what is looked through for others is bounded.
        let strangers = run.take(64).filter(|event| speaks(*event) && !own(event));
        let intruders: Vec<EventNo> = strangers.take(MOST_INTRUDERS).collect();
        if !early && intruders.is_empty() {
            continue;
        }
        let (code, said) = if early {
            ("TD204", "a result stands before its call; the host puts it behind")
        } else {
            ("TD201", "something stands between a call and its result; the host puts it in front of the call")
        };
        let mut fault = Fault::new(code, said, asks);
        fault.labels = vec![label(asks, LabelRole::Call), label(answers, LabelRole::Result)];
        fault.labels.extend(intruders.into_iter().map(|event| label(event, LabelRole::Intruder)));
        fault.about = vec![Subject::Place(result)];
        fault.severity = Some(Severity::Note);
        faults.push(fault);
    }
    faults
}

/// Numbers against their places: a file that holds another event than its name says, a list out of order.
pub(super) fn numbers(scene: &Scene<'_>) -> Vec<Fault> {
    let t = scene.transcript;
    let mut faults = Vec::new();
    let Layout::Files(files) = scene.layout else {
        let numbered: Vec<(i64, EventNo)> =
            t.records().filter_map(|event| Some((number(t, event)?, event))).collect();
        let falls = numbered.windows(2).find(|pair| pair[1].0 < pair[0].0);
        if let Some(pair) = falls {
            let mut fault = Fault::new("TD502", "ids do not rise; the order of the list counts", pair[1].1);
            fault.about = vec![Subject::Name(pair[1].1)];
            fault.severity = Some(Severity::Note);
            faults.push(fault);
        }
        return faults;
    };
    for event in t.records().filter(|event| t.event(*event).state == State::Whole) {
        let Some(Value::Text(in_name)) = t.attr_of(event, NAME_ID) else { continue };
        let Some(id) = t.event(event).id.filter(|id| *id != in_name) else { continue };
        let mut fault = Fault::new("TD502", "the file's name says another id than the event", event);
        fault.about = vec![Subject::Name(event)];
        let taken = t
            .ids
            .get(id)
            .parse()
            .is_ok_and(|id: u64| files.files.binary_search_by_key(&id, |file| file.index).is_ok());
        if !taken && number(t, event).is_some_and(|id| id >= 0) {
            fault.treatments = vec![Treatment::safe(vec![Remedy::Renumber(event)])];
        }
        faults.push(fault);
    }
    faults
}

/// Open calls in a folder behind whose response no id is free: their answer can only stand at the end.
pub(super) fn no_place(scene: &Scene<'_>, pairs: &Pairs, responses: &[Response]) -> Vec<PartNo> {
    let t = scene.transcript;
    if !matches!(scene.layout, Layout::Files(_)) {
        return Vec::new();
    }
    let mut free = super::answer::FreeIds::of(t);
    let highest = free.highest();
    let mut without = Vec::new();
    for (batch, response) in pairs.batches.iter().zip(responses) {
        for call in batch.calls.iter().filter(|call| pairs.standing(**call) == Standing::Open) {
            let last = response.events().filter_map(|event| number(t, event)).max().unwrap_or(highest);
            if free.take(last) > highest {
                without.push(*call);
            }
        }
    }
    without.sort_unstable();
    without
}

/// Whether two neighbouring records are calls of one response, which go out as one message.
pub(super) fn one_response(t: &Transcript, before: EventNo, next: EventNo) -> bool {
    let batch = |event: EventNo| t.event(event).batch.filter(|_| is_action(t, event));
    batch(before).is_some() && batch(before) == batch(next)
}
