//! The proof of one action.

use aho_corasick::AhoCorasick;
use hashbrown::{HashMap, HashSet};
use memchr::memmem;

use super::contents::solid;
use super::{Case, Contents, Proof, Reason, TextKey};
use crate::bytes::edit::Edit;
use crate::bytes::source::{EntryId, Span};
use crate::format::SentResult;
use crate::json::cut_off::said;
use crate::json::node::Node;
use crate::json::record::Record;
use crate::rules::{Finding, layer};
use crate::transcript::pairs::PairStatus;
use crate::transcript::{
    Action, Code, EventId, Fix, IdRange, LinkKind, Origin, PartId, PartKind, Role, State,
};

pub(super) fn prove(case: &Case<'_>, finding: &Finding, fix: &Fix, action: &Action) -> Proof {
    match action {
        Action::EditBytes { event, edits, .. } => edited(case, finding, *event, edits),
        Action::Remove(event) => removed_record(case, finding, fix, *event),
        Action::RemovePart(part) => removed_part(case, finding, fix, *part),
        Action::Bypass(event) => fragment(case, *event),
        Action::AnswerCall { call, in_place_of } => answered(case, *call, *in_place_of),
        // They move and link what stays.
        Action::MoveTogether(_)
        | Action::RenameId { .. }
        | Action::SetLink { .. }
        | Action::MoveBoundary { .. }
        | Action::MoveText { .. }
        | Action::AssignId(_)
        | Action::Renumber(_)
        | Action::SetIdle(_) => Proof::Keeps,
    }
}

/// The texts that an action may remove.
pub(super) fn removed(case: &Case<'_>, action: &Action) -> Contents {
    let t = case.context.transcript;
    match action {
        Action::EditBytes { event, .. } | Action::Remove(event) | Action::Bypass(event) => {
            contents(case, *event)
        }
        Action::RemovePart(part) => contents(case, t.part(*part).event),
        Action::AnswerCall { in_place_of, .. } => {
            in_place_of.map_or_else(Contents::default, |event| contents(case, event))
        }
        _ => Contents::default(),
    }
}

/// All texts of a record.
fn contents(case: &Case<'_>, event: EventId) -> Contents {
    match case.context.record(event) {
        Ok(record) => Contents::of(record.root()),
        Err(_) => Contents::default(),
    }
}

fn bytes_of(case: &Case<'_>, event: EventId) -> Vec<u8> {
    let at = case.context.transcript.event(event).at();
    case.context.entries.fetch(at).unwrap_or_default()
}

fn removed_record(case: &Case<'_>, finding: &Finding, fix: &Fix, event: EventId) -> Proof {
    let t = case.context.transcript;
    if matches!(t.event(event).state, State::Unreadable | State::Padding) {
        return fragment(case, event);
    }
    let own = contents(case, event);
    if own.is_empty() {
        return Proof::Removes(Reason::Nothing, own);
    }
    if own.only_placeholders || is_placeholder_record(case, event) {
        return Proof::Removes(Reason::Placeholder, own);
    }
    let mut others = finding.labels.iter().map(|label| label.event);
    if others.any(|other| {
        (other != event && !is_removed(case, fix, other)) && own.is_in(&contents(case, other))
    }) {
        return Proof::Removes(Reason::Copy, own);
    }
    let mut reason = None;
    for part in t.event(event).parts.clone() {
        match removed_part(case, finding, fix, part) {
            Proof::Removes(own, _) => reason = Some(own),
            _ => return Proof::None,
        }
    }
    reason.map_or(Proof::None, |reason| Proof::Removes(reason, own))
}

/// Whether a record holds nothing but results that hosts insert.
fn is_placeholder_record(case: &Case<'_>, event: EventId) -> bool {
    let t = case.context.transcript;
    let mut parts = t.event(event).parts.clone().peekable();
    parts.peek().is_some()
        && parts.all(|part| {
            let part = t.part(part);
            part.kind == PartKind::Result && part.origin == Origin::Placeholder
        })
}

/// Whether a fix removes a record.
fn is_removed(case: &Case<'_>, fix: &Fix, event: EventId) -> bool {
    let t = case.context.transcript;
    fix.actions.iter().any(|action| match action {
        Action::Remove(own) | Action::Bypass(own) => *own == event,
        Action::RemovePart(part) => t.part(*part).event == event && t.event(event).parts.len() == 1,
        _ => false,
    })
}

/// Bytes that no reader accepts, without the recorded result of an open call.
fn fragment(case: &Case<'_>, event: EventId) -> Proof {
    fragment_of(case, bytes_of(case, event), None)
}

/// `answered`: a call that gets a result in place of these bytes.
fn fragment_of(case: &Case<'_>, bytes: Vec<u8>, answered: Option<PartId>) -> Proof {
    if solid(&bytes).is_empty() {
        return Proof::Removes(Reason::Mark, Contents::default());
    }
    let is_of_open = holds_open_id(case, &bytes) || answered.is_some();
    let record = Record::parse(bytes);
    let is_whole = record.as_ref().is_some_and(Record::is_whole);
    let own = record.map_or_else(Contents::default, |record| Contents::of(record.root()));
    match (own.is_empty(), is_whole || is_of_open) {
        (true, true) => Proof::Removes(Reason::Nothing, own),
        (false, true) => Proof::None,
        _ => Proof::Removes(Reason::Fragment, own),
    }
}

/// A cache, which its host writes anew from the records. What only the cache still shows they do not have.
fn removed_file(case: &Case<'_>, finding: &Finding, file: EntryId) -> Proof {
    let entries = case.context.entries;
    let whole = Span { entry: file, start: 0, end: entries.len(file) };
    let bytes = entries.fetch(whole).unwrap_or_default();
    if finding.rule.code != Code::StaleSideFile || shows_lost_result(case, &bytes) {
        return Proof::None;
    }
    Proof::Removes(Reason::Rebuilt, Contents::of_bytes(bytes))
}

/// Whether a cache has a record with the ID of a call without a result that is not the record of the call.
fn shows_lost_result(case: &Case<'_>, cache: &[u8]) -> bool {
    open_calls(case).any(|call| shows_result_of(case, call, cache))
}

fn open_calls<'c>(case: &'c Case<'_>) -> impl Iterator<Item = PartId> + 'c {
    let all = case.request.pairs.all();
    all.filter(|(_, status)| *status == PairStatus::Open).map(|(call, _)| call)
}

fn shows_result_of(case: &Case<'_>, call: PartId, cache: &[u8]) -> bool {
    let t = case.context.transcript;
    let id = t.text(t.part(call).id);
    if id.is_empty() || memmem::find(cache, id.as_bytes()).is_none() {
        return false;
    }
    let Some(records) = Record::parse(cache.to_vec()).filter(Record::is_whole) else {
        return true;
    };
    let own = solid(&bytes_of(case, t.part(call).event));
    let mut raw = records.root().items().map(|item| item.raw());
    raw.any(|raw| memmem::find(&raw, id.as_bytes()).is_some() && solid(&raw) != own)
}

/// The open calls whose result a file without records may have, as the cache of a lost event.
fn calls_in_caches(case: &Case<'_>) -> HashSet<PartId> {
    let (entries, t) = (case.context.entries, case.context.transcript);
    let of_records: HashSet<EntryId> = t.events.iter().map(|event| event.at().entry).collect();
    let mut found = HashSet::new();
    for entry in entries.ids().into_iter().filter(|entry| !of_records.contains(entry)) {
        let whole = Span::new(entry, 0, entries.len(entry));
        let cache = entries.fetch(whole).unwrap_or_default();
        found.extend(open_calls(case).filter(|call| shows_result_of(case, *call, &cache)));
    }
    found
}

/// Whether bytes show the ID of a call without a result.
fn holds_open_id(case: &Case<'_>, bytes: &[u8]) -> bool {
    let t = case.context.transcript;
    open_calls(case).any(|call| {
        let id = t.text(t.part(call).id);
        !id.is_empty() && memmem::find(bytes, id.as_bytes()).is_some()
    })
}

fn removed_part(case: &Case<'_>, finding: &Finding, fix: &Fix, part: PartId) -> Proof {
    let t = case.context.transcript;
    let own = t.part(part);
    let contents = part_contents(case, part);
    let reason = match own.kind {
        PartKind::Call => copy_of_call(case, fix, part).then_some(Reason::Copy),
        PartKind::Result => reason_of_result(case, fix, part),
        _ => None,
    };
    match reason {
        Some(reason) => Proof::Removes(reason, contents),
        None if contents.is_empty() => Proof::Removes(Reason::Nothing, contents),
        None if has_copy(case, finding, fix, part) => Proof::Removes(Reason::Copy, contents),
        None => Proof::None,
    }
}

/// Whether a part like this one stays in a record that the finding names.
fn has_copy(case: &Case<'_>, finding: &Finding, fix: &Fix, part: PartId) -> bool {
    let t = case.context.transcript;
    let own = t.part(part);
    if !t.has_digest(own) {
        return false;
    }
    let labels = finding.labels.iter().map(|label| label.event);
    let mut parts = labels.flat_map(|event| t.event(event).parts.clone());
    parts.any(|other| {
        let is_like = t.part(other).kind == own.kind && t.part(other).digest == own.digest;
        other != part && is_like && !is_part_removed(case, fix, other)
    })
}

/// The texts of a part; of its whole record, if it is alone or cannot be found there.
fn part_contents(case: &Case<'_>, part: PartId) -> Contents {
    let t = case.context.transcript;
    let event = t.part(part).event;
    let parts = t.event(event).parts.clone();
    let Ok(record) = case.context.record(event) else {
        return Contents::default();
    };
    let at = parts.position_of(part);
    if parts.len() > 1
        && let Some(node) = part_node(case, record.root(), at)
    {
        return Contents::of(node);
    }
    Contents::of(record.root())
}

/// Where a record has its part with this index.
fn part_node<'n>(case: &Case<'_>, root: Node<'n>, at: usize) -> Option<Node<'n>> {
    let pieces = (case.format.pieces)(root);
    let home = pieces.get(at).and_then(|piece| piece.homes.first().copied());
    if let Some(home) = home {
        return home.list.items().nth(home.at as usize);
    }
    let mut lists = case.format.traits.blocks.iter();
    let list = lists.find_map(|path| root.at(path))?;
    list.items().nth(at)
}

fn is_part_removed(case: &Case<'_>, fix: &Fix, part: PartId) -> bool {
    let event = case.context.transcript.part(part).event;
    fix.actions.iter().any(|action| match action {
        Action::RemovePart(own) => *own == part,
        Action::Remove(own) => *own == event,
        _ => false,
    })
}

/// Whether the same call stays elsewhere.
fn copy_of_call(case: &Case<'_>, fix: &Fix, call: PartId) -> bool {
    let t = case.context.transcript;
    let PairStatus::CopyOf(first) = case.request.pairs.status(call) else {
        return false;
    };
    let is_equal = t.part(first).digest == t.part(call).digest;
    is_equal && !is_part_removed(case, fix, first)
}

fn reason_of_result(case: &Case<'_>, fix: &Fix, result: PartId) -> Option<Reason> {
    let t = case.context.transcript;
    let pairs = &case.request.pairs;
    let own = t.part(result);
    if own.origin == Origin::Placeholder {
        return Some(Reason::Placeholder);
    }
    match pairs.status(result) {
        PairStatus::Surplus(call) | PairStatus::Answers(call) => {
            let others = pairs.results(call).iter().copied();
            let kept = others.filter(|other| !is_part_removed(case, fix, *other));
            let mut reason = None;
            for other in kept.filter(|other| *other != result) {
                let other_part = t.part(other);
                let has_digests = t.has_digest(own) && t.has_digest(other_part);
                if has_digests && other_part.digest == own.digest {
                    return Some(Reason::Copy);
                }
                // What a host writes in place of an output does not count beside the output. Nor does an error of the caller
                // beside an output that was recorded twice.
                let is_the_one_sent = match case.format.traits.sends_result {
                    SentResult::First => other < result,
                    SentResult::Last => other > result,
                    SentResult::Any => false,
                };
                let is_callers = own.reports_error
                    && !other_part.reports_error
                    && has_digests
                    && is_recorded_twice(case, call, other);
                if other_part.origin > own.origin || is_the_one_sent || is_callers {
                    reason = Some(Reason::Outranked);
                }
            }
            reason
        }
        PairStatus::OfFailed(_) => {
            let is_rival = pairs.rival(result).is_some();
            (!is_rival).then_some(Reason::NeverSent)
        }
        PairStatus::Orphan if is_answer_of_other_turn(case, fix, result) => Some(Reason::Copy),
        PairStatus::Orphan => is_unanswerable(case, result).then_some(Reason::Unanswerable),
        PairStatus::None if is_of_lost_call(case, result) => Some(Reason::Unanswerable),
        _ => None,
    }
}

/// Whether several results of a call are equal to this one.
fn is_recorded_twice(case: &Case<'_>, call: PartId, result: PartId) -> bool {
    let t = case.context.transcript;
    let digest = t.part(result).digest;
    let all = case.request.pairs.results(call).iter();
    all.filter(|own| t.part(**own).digest == digest).count() > 1
}

/// Whether an equal result answers the call with its ID, in another turn.
fn is_answer_of_other_turn(case: &Case<'_>, fix: &Fix, result: PartId) -> bool {
    let t = case.context.transcript;
    let own = t.part(result);
    let mut all = case.request.pairs.all();
    own.id.is_some()
        && t.has_digest(own)
        && all.any(|(other, status)| {
            let part = t.part(other);
            let is_answer = matches!(status, PairStatus::Answers(_)) && part.id == own.id;
            is_answer && part.digest == own.digest && !is_part_removed(case, fix, other)
        })
}

/// Whether a result that is not sent answers a call that is nowhere in the transcript.
fn is_of_lost_call(case: &Case<'_>, result: PartId) -> bool {
    let t = case.context.transcript;
    let id = t.part(result).id.filter(|id| !t.ids.is_empty(*id));
    let mut calls = t.parts.iter().filter(|part| part.kind == PartKind::Call);
    id.is_some() && !calls.any(|call| call.id == id) && is_unanswerable(case, result)
}

/// Whether no call of the conversation could have this result.
fn is_unanswerable(case: &Case<'_>, result: PartId) -> bool {
    let t = case.context.transcript;
    let pairs = &case.request.pairs;
    let own = t.part(result);
    // The record that it names as its parent or source.
    let links = t.links_of(own.event).iter();
    let named = links.filter(|link| matches!(link.kind, LinkKind::Parent | LinkKind::Call));
    let named: Vec<&str> = named.filter_map(|link| link.to).map(|id| t.ids.get(id)).collect();
    let has_id = own.id.is_some_and(|id| !t.ids.is_empty(id));
    let has_call = pairs.all().any(|(call, status)| match status {
        PairStatus::Open => {
            let holder = t.event(t.part(call).event).id.map(|id| t.ids.get(id));
            let is_named = holder.is_some_and(|id| named.contains(&id));
            is_named || (has_id && t.part(call).id == own.id)
        }
        PairStatus::Answered(_) => has_id && t.part(call).id == own.id,
        _ => false,
    });
    if has_call || pairs.is_ambiguous(result) || !pairs.open_for(t, result).is_empty() {
        return false;
    }
    !has_id || !(is_in_unreadable(case, result) || is_in_other_member(case, result))
}

/// Whether a message of the model has the ID of a result in a member that is not read: its call may be there.
fn is_in_other_member(case: &Case<'_>, result: PartId) -> bool {
    let t = case.context.transcript;
    let unread = case.unread_ids.get_or_init(|| unread_ids(case));
    unread.contains(t.text(t.part(result).id))
}

/// The IDs of results without a call that messages of the model have in members that are not read.
fn unread_ids(case: &Case<'_>) -> HashSet<String> {
    let t = case.context.transcript;
    let pairs = case.request.pairs.all();
    let unpaired = [PairStatus::Orphan, PairStatus::None];
    let results = pairs.filter(|(part, status)| {
        t.part(*part).kind == PartKind::Result && unpaired.contains(status)
    });
    let wanted: HashSet<&str> = results.map(|(part, _)| t.text(t.part(part).id)).collect();
    let models = t.events.ids().filter(|event| {
        let event = t.event(*event);
        event.role == Role::Assistant && event.state == State::Whole
    });
    let mut found = HashSet::new();
    for event in models {
        let parts = t.event(event).parts.clone();
        let own: HashSet<&str> = parts.map(|part| t.text(t.part(part).id)).collect();
        let bytes = bytes_of(case, event);
        // Between two quotes is a string, or what separates strings.
        let strings = bytes.split(|byte| *byte == b'"').filter_map(|own| str::from_utf8(own).ok());
        let ids = strings.filter(|id| wanted.contains(id) && !own.contains(id));
        found.extend(ids.map(str::to_owned));
    }
    found
}

/// Whether a record that cannot be read shows the ID of a result: its call may be in it.
fn is_in_unreadable(case: &Case<'_>, result: PartId) -> bool {
    let t = case.context.transcript;
    let mut events = unreadable_with(case, t.text(t.part(result).id)).into_iter();
    events.any(|event| event != t.part(result).event)
}

/// The unreadable records that show an ID, in order.
fn unreadable_with(case: &Case<'_>, id: &str) -> Vec<EventId> {
    let shown = case.shown_ids.get_or_init(|| shown_ids(case));
    if let Some(events) = shown.get(id) {
        return events.clone();
    }
    let mut events = unreadable(case).to_vec();
    events.retain(|event| memmem::find(&bytes_of(case, *event), id.as_bytes()).is_some());
    events
}

/// The IDs of unpaired calls and results that unreadable records show. All are searched for at once, because a hostile file has
/// many of both.
fn shown_ids(case: &Case<'_>) -> HashMap<String, Vec<EventId>> {
    let t = case.context.transcript;
    let unpaired = [PairStatus::Open, PairStatus::Orphan, PairStatus::None];
    let all = case.request.pairs.all().filter(|(_, status)| unpaired.contains(status));
    let ids: HashSet<&str> = all.map(|(part, _)| t.text(t.part(part).id)).collect();
    let ids: Vec<&str> = ids.into_iter().filter(|id| !id.is_empty()).collect();
    let events = unreadable(case);
    if events.is_empty() || ids.is_empty() {
        return HashMap::new();
    }
    let mut shown: HashMap<String, Vec<EventId>> =
        ids.iter().map(|id| ((*id).to_owned(), Vec::new())).collect();
    // It takes gigabytes of IDs to fail. Then any record may show any of them.
    let Ok(search) = AhoCorasick::new(&ids) else {
        return ids.into_iter().map(|id| (id.to_owned(), events.to_vec())).collect();
    };
    for event in events {
        for found in search.find_overlapping_iter(&bytes_of(case, *event)) {
            let own = shown.entry_ref(ids[found.pattern()]).or_default();
            if own.last() != Some(event) {
                own.push(*event);
            }
        }
    }
    shown
}

/// Records that cannot be read, or only in part.
fn unreadable<'c>(case: &'c Case<'_>) -> &'c [EventId] {
    let t = case.context.transcript;
    case.unreadable.get_or_init(|| {
        let all = t.events.ids();
        all.filter(|event| matches!(t.event(*event).state, State::Unreadable | State::Recovered))
            .collect()
    })
}

/// A placeholder is written only where no recorded result could belong to the call.
fn answered(case: &Case<'_>, call: PartId, in_place_of: Option<EventId>) -> Proof {
    let t = case.context.transcript;
    if !t.is_recorded_elsewhere(call)
        && let Some(event) = holder_of_result(case, call, in_place_of)
    {
        return Proof::Refuted(event);
    }
    if case.calls_in_caches.get_or_init(|| calls_in_caches(case)).contains(&call) {
        return Proof::None;
    }
    let Some(event) = in_place_of else {
        return Proof::Keeps;
    };
    let bytes = bytes_of(case, event);
    match fragment_of(case, bytes.clone(), Some(call)) {
        Proof::None if uses(case, call, event, bytes.clone()) => {
            Proof::Removes(Reason::Fragment, Contents::of_bytes(bytes))
        }
        Proof::None => Proof::Refuted(event),
        proof => proof,
    }
}

/// Whether the result in place of a fragment says what the fragment still says.
fn uses(case: &Case<'_>, call: PartId, event: EventId, fragment: Vec<u8>) -> bool {
    let answer = Action::AnswerCall { call, in_place_of: Some(event) };
    let planned = (case.format.planner)(case.context, case.request).edits(&[answer]);
    let inserted = planned.into_iter().flatten().map(|edit| match edit {
        Edit::Bytes { with, .. } => with,
        Edit::Create { bytes, .. } => bytes,
        _ => Vec::new(),
    });
    let inserted: Vec<String> =
        inserted.flat_map(said).map(|text| solid(text.as_bytes())).collect();
    let said = said(fragment);
    said.iter().all(|text| {
        let text = solid(text.as_bytes());
        inserted.iter().any(|own| own.contains(&text))
    })
}

/// The record that may hold the result of an open call: an orphaned result, an unreadable record with its ID, a message after
/// it with its ID in another member.
fn holder_of_result(
    case: &Case<'_>,
    call: PartId,
    in_place_of: Option<EventId>,
) -> Option<EventId> {
    let t = case.context.transcript;
    if let Some(orphan) = case.request.pairs.orphans_after(t, call).next() {
        return Some(t.part(orphan).event);
    }
    let id = t.text(t.part(call).id);
    if id.is_empty() {
        return None;
    }
    let own = t.part(call).event;
    let showing = unreadable_with(case, id).into_iter();
    let mut others = showing.filter(|event| *event != own && Some(*event) != in_place_of);
    let fragment = others.find(|event| {
        let is_read = t.event(*event).state == State::Recovered;
        !(is_read && shows_all(case, *event, id))
    });
    fragment.or_else(|| neighbor_with(case, call, id))
}

/// Whether a record that is read as repaired shows an ID only in what is read.
fn shows_all(case: &Case<'_>, event: EventId, id: &str) -> bool {
    let t = case.context.transcript;
    let bytes = bytes_of(case, event);
    let times = memmem::find_iter(&bytes, id.as_bytes()).count();
    let parts = t.event(event).parts.clone();
    let read = parts.filter(|part| t.text(t.part(*part).id) == id).count();
    read > 0 && times <= read.max(1) * 2
}

/// Messages after a call that are searched for its ID.
const NEIGHBORS: usize = 16;

/// A message after a call, up to the next turn of the model, that has its ID in another member than those that are read.
fn neighbor_with(case: &Case<'_>, call: PartId, id: &str) -> Option<EventId> {
    let t = case.context.transcript;
    let from = t.part(call).event;
    let after = IdRange::new(from.next(), t.events.end());
    let batch = t.event(from).batch;
    let mut after = after
        .into_iter()
        .filter(|event| {
            let event = t.event(*event);
            event.role.is_sent() && event.state == State::Whole && event.within.is_none()
        })
        .take(NEIGHBORS);
    // Calls of one response, and their results, may name each other.
    let mut neighbors = after
        .by_ref()
        .take_while(|event| {
            let own = t.event(*event);
            own.role != Role::Assistant || (batch.is_some() && own.batch == batch)
        })
        .filter(|event| {
            let mut parts = t.event(*event).parts.clone();
            t.event(*event).role != Role::Assistant
                && !parts.any(|part| case.request.pairs.call_of(part).is_some())
        });
    neighbors.find(|event| {
        let record = case.context.record(*event);
        record.is_ok_and(|record| has_value(record.root(), id))
    })
}

/// Whether a string in a value is this text.
fn has_value(value: Node<'_>, text: &str) -> bool {
    let mut inside = value.members().map(|(_, member)| member).chain(value.items());
    value.is_str(text) || inside.any(|inner| has_value(inner, text))
}

/// What the edits of a record remove.
fn edited(case: &Case<'_>, finding: &Finding, event: EventId, edits: &[Edit]) -> Proof {
    let t = case.context.transcript;
    let file = edits.iter().find_map(|edit| match edit {
        Edit::Remove(file) => Some(*file),
        _ => None,
    });
    if let Some(file) = file {
        return removed_file(case, finding, file);
    }
    let at = t.event(event).at();
    // Only if the edits stay inside a record that was read can its contents be compared.
    let is_record = finding.layer != layer::BYTES
        && t.event(event).state == State::Whole
        && edits.iter().all(|edit| match edit {
            Edit::Bytes { at: own, .. } => {
                own.entry == at.entry && at.start <= own.start && own.end <= at.end
            }
            _ => false,
        });
    if !is_record {
        return edited_bytes(case, edits);
    }
    let old_bytes = bytes_of(case, event);
    let new_bytes = apply(&old_bytes, at, edits);
    let mut old = Contents::of_bytes(old_bytes.clone());
    let new = Contents::of_bytes(new_bytes.clone());
    if old.is_in(&new) {
        return if old.texts.len() > new.texts.len() {
            Proof::Removes(Reason::Derived, Contents::default())
        } else {
            Proof::Keeps
        };
    }
    let kept: HashSet<TextKey> = new.texts.iter().copied().collect();
    old.texts.retain(|text| !kept.contains(text));
    if is_derived(&old_bytes, &new_bytes, &old) {
        return Proof::Removes(Reason::Derived, old);
    }
    if old.only_placeholders { Proof::Removes(Reason::Placeholder, old) } else { Proof::None }
}

/// Whether edits insert all that the records in these bytes hold.
fn is_moved(old: &[u8], edits: &[Edit]) -> bool {
    let inserted = edits.iter().filter_map(|edit| match edit {
        Edit::Bytes { with, .. } => Some(with.split(|byte| *byte == b'\n')),
        _ => None,
    });
    let inserted = inserted.flatten().map(|line| Contents::of_bytes(line.to_vec()));
    let inserted: HashSet<TextKey> = inserted.flat_map(|own| own.texts).collect();
    let lines = old.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let mut records = lines.map(|line| Record::parse(line.to_vec()).filter(Record::is_whole));
    !inserted.is_empty()
        && records.all(|record| {
            let own = record.map(|record| Contents::of(record.root()));
            own.is_some_and(|own| own.texts.iter().all(|text| inserted.contains(text)))
        })
}

/// Whether all words of the lost texts are in the other texts of the record: a broken encoding of what it has in a second
/// member.
fn is_derived(old: &[u8], new: &[u8], lost: &Contents) -> bool {
    let lost_texts = texts_of(old).into_iter().filter(|text| {
        let own = Contents::of_text(text);
        own.texts.iter().any(|text| lost.texts.contains(text))
    });
    let all = texts_of(new).join("\n");
    // Of few words, most are in any text.
    const FEWEST: usize = 2;
    let lost_texts: Vec<String> = lost_texts.collect();
    let words = lost_texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    let enough = words.filter(|word| !word.is_empty()).count() >= FEWEST;
    enough
        && lost_texts.iter().all(|text| {
            let unescaped = text.replace("\\n", " ").replace("\\t", " ");
            unescaped.split(|c: char| !c.is_alphanumeric()).all(|word| all.contains(word))
        })
}

/// The strings and the keys of a record.
fn texts_of(bytes: &[u8]) -> Vec<String> {
    let Some(record) = Record::parse(bytes.to_vec()) else {
        return Vec::new();
    };
    let mut texts = Vec::new();
    add_texts(record.root(), &mut texts);
    texts
}

fn add_texts(value: Node<'_>, texts: &mut Vec<String>) {
    texts.extend(value.str().map(|text| text.into_owned()));
    for (key, member) in value.members() {
        texts.extend(key.str().map(|key| key.into_owned()));
        add_texts(member, texts);
    }
    value.items().for_each(|item| add_texts(item, texts));
}

/// The bytes of a record after the edits in it.
fn apply(old: &[u8], at: Span, edits: &[Edit]) -> Vec<u8> {
    let mut changes: Vec<(usize, usize, &[u8])> = Vec::new();
    for edit in edits {
        if let Edit::Bytes { at: own, with } = edit {
            let [start, end] = [own.start, own.end].map(|place| (place - at.start) as usize);
            changes.push((start, end, with));
        }
    }
    changes.sort_by_key(|(start, end, _)| (*start, *end));
    let (mut new, mut from) = (Vec::with_capacity(old.len()), 0);
    for (start, end, with) in changes {
        new.extend(old.get(from..start).unwrap_or_default());
        new.extend(with);
        from = end;
    }
    new.extend(old.get(from..).unwrap_or_default());
    new
}

/// What edits remove that separate, strip or escape bytes.
fn edited_bytes(case: &Case<'_>, edits: &[Edit]) -> Proof {
    let mut proof = Proof::Keeps;
    let inserted = edits.iter().filter_map(|edit| match edit {
        Edit::Bytes { with, .. } => Some(solid(with)),
        _ => None,
    });
    let inserted: Vec<String> = inserted.filter(|with| !with.is_empty()).collect();
    for edit in edits {
        let Edit::Bytes { at, with } = edit else {
            continue;
        };
        if at.start >= at.end {
            continue;
        }
        let old = case.context.entries.fetch(*at).unwrap_or_default();
        let kept = solid(&old);
        // Escaped in its place, or moved to another.
        if solid(with).contains(&kept)
            || inserted.iter().any(|with| with.contains(&kept))
            || is_moved(&old, edits)
        {
            continue;
        }
        match fragment_of(case, old, None) {
            Proof::None => return Proof::None,
            own => proof = own,
        }
    }
    proof
}
