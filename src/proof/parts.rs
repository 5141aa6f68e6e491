//! The proof of a removed part: a call or a result.

use super::unread::{is_in_unreadable, unread_ids};
use super::{Case, Contents, Proof, Reason};
use crate::format::SentResult;
use crate::json::node::Node;
use crate::rules::Finding;
use crate::transcript::pairs::PairStatus;
use crate::transcript::{Action, Fix, Id, LinkKind, Origin, PartId, PartKind};
use hashbrown::{HashMap, HashSet};

pub(super) fn removed_part(case: &Case<'_>, finding: &Finding, fix: &Fix, part: PartId) -> Proof {
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
                // What a host writes in place of an output does not count next to the output. Nor does an error of the caller
                // next to an output that was recorded twice.
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
    if own.id.is_none() || !t.has_digest(own) {
        return false;
    }
    let equal = PairedParts::of(case).answers.get(&(own.id, own.digest));
    equal.into_iter().flatten().any(|other| !is_part_removed(case, fix, *other))
}

/// The calls and results of a request, by what a result without a call is compared with.
#[derive(Default)]
pub(super) struct PairedParts {
    /// The IDs of calls, with and without a result.
    calls: HashSet<Option<Id>>,
    /// The IDs of all calls, also of those that are not sent.
    recorded: HashSet<Id>,
    /// The IDs of the records of calls without a result.
    holders: HashSet<String>,
    /// Results of calls, by ID and content.
    answers: HashMap<(Option<Id>, u64), Vec<PartId>>,
}

impl PairedParts {
    fn of<'c>(case: &'c Case<'_>) -> &'c PairedParts {
        case.paired.get_or_init(|| {
            let t = case.context.transcript;
            let calls = t.parts.iter().filter(|part| part.kind == PartKind::Call);
            let recorded = calls.filter_map(|part| part.id).collect();
            let mut paired = PairedParts { recorded, ..PairedParts::default() };
            for (at, status) in case.request.pairs.all() {
                let part = t.part(at);
                match status {
                    PairStatus::Open => {
                        paired.calls.insert(part.id);
                        let holder = t.event(part.event).id;
                        paired.holders.extend(holder.map(|id| t.ids.get(id).to_owned()));
                    }
                    PairStatus::Answered(_) => _ = paired.calls.insert(part.id),
                    PairStatus::Answers(_) => {
                        paired.answers.entry((part.id, part.digest)).or_default().push(at);
                    }
                    _ => {}
                }
            }
            paired
        })
    }
}

/// Whether a result that is not sent answers a call that is nowhere in the transcript.
fn is_of_lost_call(case: &Case<'_>, result: PartId) -> bool {
    let t = case.context.transcript;
    let id = t.part(result).id.filter(|id| !t.ids.is_empty(*id));
    let is_lost = id.is_some_and(|id| !PairedParts::of(case).recorded.contains(&id));
    is_lost && is_unanswerable(case, result)
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
    let paired = PairedParts::of(case);
    let is_named = named.iter().any(|id| paired.holders.contains(*id));
    let has_call = has_id && paired.calls.contains(&own.id);
    if is_named || has_call || pairs.is_ambiguous(result) || !pairs.open_for(t, result).is_empty() {
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
