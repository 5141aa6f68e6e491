//! What named a record that goes names its neighbor.

use hashbrown::HashMap;

use super::attrs;
use super::write::Plan;
use crate::containers::rewrite::CannotDo;
use crate::json::quote::quote;
use crate::transcript::{EventId, Id, LinkKind, State, Value};

/// Finds every place that names a record that goes, and lets it name what takes its place.
pub(super) fn relink_parked(plan: &mut Plan<'_>) -> Result<(), CannotDo> {
    let named = parked(plan);
    if named.is_empty() {
        return Ok(());
    }
    let t = plan.t;
    for event in t
        .records()
        .filter(|event| t.event(*event).state == State::Whole)
    {
        if plan.gone.contains(&event) {
            continue;
        }
        for link in t.links_of(event) {
            let Some(gone) = link.to.and_then(|id| named.get(&id)).copied() else {
                continue;
            };
            match link.kind {
                LinkKind::Parent => hang(plan, event, gone)?,
                LinkKind::Leaf => {
                    if let Some(id) = above(plan, gone)? {
                        plan.wishes.set(event, "leafUuid", quote(&id));
                    }
                }
                _ => {}
            }
        }
        facts(plan, event, &named)?;
    }
    Ok(())
}

/// The records that go, by id; not those whose id another record keeps.
fn parked(plan: &Plan<'_>) -> HashMap<Id, EventId> {
    let t = plan.t;
    let mut named = HashMap::new();
    for event in plan.gone.iter().copied() {
        let Some(id) = t
            .event(event)
            .id
            .filter(|_| t.attr_of(event, attrs::CHAIN).is_some())
        else {
            continue;
        };
        let keeper = plan.session.tree.named(id).filter(|other| *other != event);
        if keeper.is_none_or(|keeper| plan.gone.contains(&keeper)) {
            named.insert(id, event);
        }
    }
    named
}

/// The nearest record above one that goes: its id, or what the last of those that go names. `None`: nothing is above.
fn above(plan: &Plan<'_>, gone: EventId) -> Result<Option<String>, CannotDo> {
    let t = plan.t;
    let mut at = gone;
    for _ in 0..=plan.gone.len() {
        let asked = plan.hung.get(&at).copied();
        match asked.unwrap_or(plan.session.tree.bare[at]) {
            Some(next) if next < t.events.end() && plan.gone.contains(&next) => at = next,
            Some(next) => return plan.id(next).map(|id| Some(id.to_owned())),
            None => {
                let link = t.link_of(at, LinkKind::Parent).filter(|_| asked.is_none());
                return Ok(link
                    .and_then(|link| link.to)
                    .map(|id| t.ids.get(id).to_owned()));
            }
        }
    }
    Ok(None)
}

fn hang(plan: &mut Plan<'_>, event: EventId, gone: EventId) -> Result<(), CannotDo> {
    let asked = plan.hung.get(&event).copied();
    if asked.is_some_and(|to| to != Some(gone)) {
        return Ok(());
    }
    plan.hung.remove(&event);
    let raw = above(plan, gone)?.map_or_else(|| "null".to_owned(), |id| quote(&id));
    plan.wishes.set(event, "parentUuid", raw);
    Ok(())
}

/// Members that name records besides the parent.
fn facts(
    plan: &mut Plan<'_>,
    event: EventId,
    named: &HashMap<Id, EventId>,
) -> Result<(), CannotDo> {
    let t = plan.t;
    let gone = |name: &str| match t.attr_of(event, name) {
        Some(Value::Text(id)) => named.get(&id).copied(),
        _ => None,
    };
    if let Some(logical) = gone(attrs::LOGICAL)
        && let Some(id) = above(plan, logical)?
    {
        plan.wishes.set(event, "logicalParentUuid", quote(&id));
    }
    if let Some(source) = gone(attrs::SOURCE)
        && let Some(twin) = plan.twin(source)
    {
        let id = plan.id(twin)?.to_owned();
        plan.wishes
            .set(event, "sourceToolAssistantUUID", quote(&id));
    }
    if t.attr_of(event, attrs::SEGMENT).is_none() {
        return Ok(());
    }
    if let Some(head) = gone(attrs::HEAD) {
        let next = plan
            .next_on_path(head)
            .ok_or(CannotDo("nothing is left that the compaction could keep"))?;
        let id = plan.id(next)?.to_owned();
        plan.wishes.segment(event, "headUuid", &id);
    }
    for (name, key) in [(attrs::TAIL, "tailUuid"), (attrs::ANCHOR, "anchorUuid")] {
        if let Some(known) = gone(name)
            && let Some(id) = above(plan, known)?
        {
            plan.wishes.segment(event, key, &id);
        }
    }
    let mut ids: Vec<Id> = named.keys().copied().collect();
    ids.sort_unstable();
    ids.into_iter()
        .for_each(|id| plan.wishes.unlist(event, t.ids.get(id)));
    Ok(())
}
