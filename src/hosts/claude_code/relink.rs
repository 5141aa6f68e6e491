//! Updates links to removed records.

use hashbrown::HashMap;

use super::own;
use super::write::{ClaudeWriter, set_segment, unlist};
use crate::containers::rewrite::CannotDo;
use crate::json::quote::quote;
use crate::rewrite::{Plan, Slot, StepResult};
use crate::transcript::{EventId, Fact, Id, LinkKind, State, Transcript};

/// Points every link to a removed record to a neighbor of that record.
pub(super) fn relink_removed<'a>(writer: &mut ClaudeWriter<'a>, plan: &mut Plan<'a>) -> StepResult {
    let t = plan.t;
    let named = removed(writer, t);
    if named.is_empty() {
        return Ok(());
    }
    for event in t.records().filter(|event| t.event(*event).state == State::Whole) {
        if writer.gone.contains(&event) {
            continue;
        }
        for link in t.links_of(event) {
            let Some(gone) = link.to.and_then(|id| named.get(&id)).copied() else {
                continue;
            };
            match link.kind {
                LinkKind::Parent => relink_child(writer, plan, event, gone)?,
                LinkKind::Leaf => set_above(writer, plan, event, "leafUuid", gone)?,
                _ => {}
            }
        }
        facts(writer, plan, event, &named)?;
    }
    Ok(())
}

/// The removed records by ID, without those whose ID another record keeps.
fn removed(writer: &ClaudeWriter<'_>, t: &Transcript) -> HashMap<Id, EventId> {
    let mut named = HashMap::new();
    for event in writer.gone.iter().copied() {
        let is_chained = t.has(event, own::CHAIN);
        let Some(id) = t.event(event).id.filter(|_| is_chained) else {
            continue;
        };
        let keeper = writer.session.tree.named(id).filter(|other| *other != event);
        if keeper.is_none_or(|keeper| writer.gone.contains(&keeper)) {
            named.insert(id, event);
        }
    }
    named
}

/// The ID of the nearest ancestor that is not removed, or the parent of the last one that is. `None`: there is none.
fn above<'a>(
    writer: &ClaudeWriter<'a>,
    plan: &Plan<'a>,
    gone: EventId,
) -> Result<Option<String>, CannotDo> {
    let t = plan.t;
    let mut at = gone;
    for _ in 0..=writer.gone.len() {
        let asked = writer.parents.get(&at).copied();
        match asked.unwrap_or_else(|| writer.session.tree.bare[at].map(Slot::Old)) {
            Some(Slot::Old(next)) if writer.gone.contains(&next) => at = next,
            Some(next) => return plan.id(next).map(|id| Some(id.to_owned())),
            None => {
                let link = t.link_of(at, LinkKind::Parent).filter(|_| asked.is_none());
                let id = link.and_then(|link| link.to);
                return Ok(id.map(|id| t.ids.get(id).to_owned()));
            }
        }
    }
    Ok(None)
}

/// Points a member to the nearest remaining ancestor of a removed record, if there is one.
fn set_above<'a>(
    writer: &ClaudeWriter<'a>,
    plan: &mut Plan<'a>,
    event: EventId,
    key: &'static str,
    gone: EventId,
) -> StepResult {
    if let Some(id) = above(writer, plan, gone)? {
        plan.members.set(event, key, quote(&id));
    }
    Ok(())
}

/// Gives the child of a removed record its nearest remaining ancestor as parent, unless an action set another one.
fn relink_child<'a>(
    writer: &mut ClaudeWriter<'a>,
    plan: &mut Plan<'a>,
    event: EventId,
    gone: EventId,
) -> StepResult {
    let asked = writer.parents.get(&event).copied();
    if asked.is_some_and(|to| to != Some(gone.into())) {
        return Ok(());
    }
    writer.parents.remove(&event);
    let id = above(writer, plan, gone)?;
    plan.members.set_text(event, "parentUuid", id.as_deref());
    Ok(())
}

/// Links other than the parent.
fn facts<'a>(
    writer: &ClaudeWriter<'a>,
    plan: &mut Plan<'a>,
    event: EventId,
    named: &HashMap<Id, EventId>,
) -> StepResult {
    let t = plan.t;
    let gone = |name: Fact| named.get(&t.fact_id(event, name)?).copied();
    if let Some(logical) = gone(own::LOGICAL) {
        set_above(writer, plan, event, "logicalParentUuid", logical)?;
    }
    if let Some(twin) = gone(own::SOURCE).and_then(|source| writer.twin(t, source)) {
        let id = quote(plan.id(twin.into())?);
        plan.members.set(event, "sourceToolAssistantUUID", id);
    }
    if !t.has(event, own::SEGMENT) {
        return Ok(());
    }
    if let Some(head) = gone(own::HEAD) {
        let next = writer.next_on_path(plan, head);
        let next = next.ok_or(CannotDo("nothing is left that the compaction could keep"))?;
        let id = plan.id(next.into())?.to_owned();
        set_segment(plan, event, "headUuid", id);
    }
    for (name, key) in [(own::TAIL, "tailUuid"), (own::ANCHOR, "anchorUuid")] {
        if let Some(known) = gone(name)
            && let Some(id) = above(writer, plan, known)?
        {
            set_segment(plan, event, key, id);
        }
    }
    let ids = named.keys().map(|id| t.ids.get(*id).to_owned()).collect();
    unlist(plan, event, ids);
    Ok(())
}
