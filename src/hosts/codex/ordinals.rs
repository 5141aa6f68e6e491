//! The numbers of records in a paginated rollout.

use super::own;
use crate::format::FormatContext;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::rewrite::set_member;
use crate::shapes::copies::is_copy;
use crate::shapes::items::{Numbered, OrderedItem};
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, Effect, EventId, Fix, Instance, Label, LabelRole,
    State, Subject, Transcript,
};

/// Whether the records of a rollout are numbered.
fn is_paginated(t: &Transcript) -> bool {
    let mut headers = t.records().filter(|event| t.has(*event, own::HEADER)).peekable();
    if headers.peek().is_none() {
        return t.records().any(|event| t.fact_number(event, own::ORDINAL).is_some());
    }
    headers.any(|event| t.has(event, own::PAGINATED))
}

/// Whether its records have numbers, also without a header that says so.
fn is_numbered(t: &Transcript) -> bool {
    let mut headers = t.records().filter(|event| t.has(*event, own::HEADER));
    t.is_known(own::ORDINAL) && headers.any(|event| t.has(event, own::ORDINAL)) || is_paginated(t)
}

/// Reports numbers that do not ascend, and a last record without one.
pub(super) fn check(context: &FormatContext<'_>) -> Vec<Diagnostic> {
    let t = context.transcript;
    if !is_numbered(t) {
        return Vec::new();
    }
    let mut wrong: Vec<(EventId, i64)> = Vec::new();
    let mut copies: Vec<(EventId, EventId)> = Vec::new();
    let (mut highest, mut newest) = (i64::MIN, None);
    for event in t.records() {
        let Some(own) = t.fact_number(event, own::ORDINAL) else {
            continue;
        };
        // A copy has the number of its original; it is reported as a copy, not as a wrong number.
        if own == highest
            && let Some(before) = newest
            && is_copy(context, before, event)
        {
            copies.push((before, event));
            continue;
        }
        newest = Some(event);
        if own <= highest {
            let next = highest.saturating_add(1);
            wrong.push((event, next));
            highest = next;
        } else {
            highest = own;
        }
    }
    let mut diagnostics: Vec<Diagnostic> = falling(context, &wrong).into_iter().collect();
    diagnostics.extend(copies.into_iter().map(|(before, event)| written_twice(before, event)));
    let last = t
        .records()
        .rfind(|event| t.event(*event).state != State::Padding)
        .filter(|last| t.event(*last).state != State::Unreadable);
    let next = highest.saturating_add(1).max(0);
    let last = last.filter(|_| is_paginated(t));
    diagnostics.extend(last.filter(|last| t.fact_number(*last, own::ORDINAL).is_none()).map(
        |last| {
            let mut diagnostic =
                Diagnostic::new(Code::RecordOrder, "the last record has no number", last);
            diagnostic.about = vec![Subject::Name(last)];
            diagnostic.effect = Effect::LoadFails;
            let action = context
                .change(last, |root| vec![set(root, Some(next))].into_iter().flatten().collect());
            diagnostic.fixes = Fix::only(Applicability::Safe, action);
            diagnostic
        },
    ));
    diagnostics
}

/// A line that was written twice, with its number. Without the copy, the numbers are right again.
fn written_twice(before: EventId, event: EventId) -> Diagnostic {
    let message = "a numbered record was written twice";
    let mut diagnostic = Diagnostic::new(Code::RecordOrder, message, event);
    diagnostic.labels =
        vec![Label::new(before, LabelRole::Record), Label::new(event, LabelRole::Copy)];
    diagnostic.about = vec![Subject::Name(event)];
    diagnostic.instance = Some(Instance::Ignored);
    diagnostic.fix_safely([Action::Remove(event)]);
    diagnostic
}

fn falling(context: &FormatContext<'_>, wrong: &[(EventId, i64)]) -> Option<Diagnostic> {
    let (first, _) = *wrong.first()?;
    // openai/codex issues 41079 and 45010: `thread history projection for … expected ordinal 9, got 8`. Its pull request 42369,
    // in 0.154.0, reads on after such a record, but does not show it.
    let message = "record numbers are not in ascending order: the history in the Codex app (before 0.154.0) stops here";
    let mut diagnostic = Diagnostic::new(Code::RecordOrder, message, first);
    diagnostic.labels = Label::all(wrong.iter().map(|(event, _)| event), LabelRole::Record);
    diagnostic.about = vec![Subject::Name(first)];
    diagnostic.instance = Some(Instance::Ignored);
    let actions: Option<Vec<Action>> = wrong
        .iter()
        .map(|(event, to)| {
            context.change(*event, |root| set(root, Some(*to)).into_iter().collect())
        })
        .collect();
    diagnostic.fixes = actions.map(Fix::safe).into_iter().collect();
    Some(diagnostic)
}

/// The change that gives a record this number, or none.
pub(super) fn set(root: Node<'_>, to: Option<i64>) -> Option<RecordChange> {
    const KEY: &str = "ordinal";
    if let Some(to) = to {
        return Some(set_member(root, Some("timestamp"), KEY, &to.to_string()));
    }
    let at = root.members().position(|(key, _)| key.is_str(KEY))?;
    cut::remove_members(root, &[u32::try_from(at).ok()?]).pop()
}

/// Numbers new and moved records: a free number between their neighbors if there is one, else none.
/// The last record must have a number.
pub(super) fn number(context: &FormatContext<'_>, lines: &[OrderedItem]) -> Vec<Numbered> {
    let t = context.transcript;
    let mut changed = Vec::new();
    if !is_numbered(t) || !lines.iter().any(|line| line.is_moved) {
        return changed;
    }
    let all = t.records().filter_map(|event| t.fact_number(event, own::ORDINAL));
    let highest = all.max().unwrap_or(-1);
    // The next remaining number, for each line from the end.
    let mut next = None;
    let mut after: Vec<Option<i64>> = Vec::with_capacity(lines.len());
    for line in lines.iter().rev() {
        after.push(next);
        next = ordinal(t, line).filter(|_| !line.is_moved).or(next);
    }
    let last = lines.len() - 1;
    let mut before = -1;
    for (at, (line, after)) in lines.iter().zip(after.into_iter().rev()).enumerate() {
        let own = ordinal(t, line);
        if !line.is_moved {
            before = own.unwrap_or(before);
            continue;
        }
        let fits = |to: &i64| *to > before && after.is_none_or(|after| *to < after);
        let free = own.filter(fits);
        let to = match after {
            None if at == last => free.or(Some(highest.max(before).saturating_add(1))),
            _ => free.or_else(|| Some(before.saturating_add(1)).filter(fits)),
        };
        before = to.unwrap_or(before);
        if to != own {
            changed.push((line.slot, to));
        }
    }
    changed
}

fn ordinal(t: &Transcript, line: &OrderedItem) -> Option<i64> {
    t.fact_number(line.slot.old()?, own::ORDINAL)
}
