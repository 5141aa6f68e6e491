//! Describes the steps of a fix.

use std::fmt;

use serde::Serialize;

use super::places::{RecordNames, SourcePlaces};
use super::{Taken, members};
use crate::bytes::edit::Edit;
use crate::containers::files::NOWHERE;
use crate::format::{Format, FormatContext, result_text};
use crate::proof::{Case, Proof, Reason, TextKey};
use crate::rules::Finding;
use crate::transcript::touched::moved;
use crate::transcript::{
    Action, CHANGE, EventId, Fix, LinkKind, PartId, PartKind, Place, State, Transcript,
};

/// What a step does to a record.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Removes it; the journal keeps it.
    Remove,
    /// Inserts a new record.
    Insert,
    /// Moves it.
    Move,
    /// Changes some of its bytes.
    Replace,
    /// Renames its file.
    Rename,
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Op::Remove => "remove",
            Op::Insert => "insert",
            Op::Move => "move",
            Op::Replace => "replace",
            Op::Rename => "rename",
        })
    }
}

/// One step.
#[derive(Debug, Clone, Serialize)]
pub struct RepairStep {
    /// What it does.
    pub op: Op,
    /// The file of a folder, relative to it. Reports show it as far as its reader may see it, as the text.
    #[serde(skip)]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The number of the event, from 0, where records are not lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// The step as text: `remove line 5`.
    pub says: String,
    /// What it removes: `line 5`. `None` if it does something else.
    #[serde(skip)]
    pub removes: Option<String>,
    /// Why it may remove something that was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<Reason>,
    /// The text of what is removed, if it was asked for.
    #[serde(skip)]
    pub text: Option<String>,
}

impl RepairStep {
    /// The name of the reason why it may remove something, if it does.
    pub fn reason_name(&self) -> Option<&'static str> {
        self.reason.map(Reason::name)
    }
}

/// A finding with the steps of its fix. `places`: where their records are in the source, if not where the case has them.
pub(super) fn taken(
    case: &Case<'_>,
    finding: &Finding,
    fix: &Fix,
    ids: Vec<String>,
    places: Option<&SourcePlaces<'_>>,
) -> Taken {
    let names = RecordNames { context: case.context, places };
    let (mut steps, mut covers) = (Vec::new(), Vec::new());
    for action in &fix.actions {
        let (own, texts) = with_reason(case, &names, finding, fix, action);
        // Most fixes have one step, and a list that grows has room for four.
        if steps.is_empty() {
            steps = own
        } else {
            steps.extend(own)
        }
        covers.extend(texts);
    }
    Taken {
        ids,
        rule: finding.rule,
        message: finding.message.to_string(),
        applicability: fix.applicability,
        steps,
        covers,
    }
}

/// The steps of an action, with the reason of what it removes and the texts that the reason covers.
fn with_reason(
    case: &Case<'_>,
    names: &RecordNames<'_, '_>,
    finding: &Finding,
    fix: &Fix,
    action: &Action,
) -> (Vec<RepairStep>, Vec<TextKey>) {
    let mut steps = describe(names, action);
    let Proof::Removes(reason, contents) = case.prove(finding, fix, action) else {
        return (steps, Vec::new());
    };
    steps
        .iter_mut()
        .filter(|step| matches!(step.op, Op::Remove | Op::Replace))
        .for_each(|step| step.reason = Some(reason));
    (steps, contents.texts)
}

/// The steps of a fix that is only proposed; with `format`, also the text of what they remove.
pub(crate) fn proposed(
    case: &Case<'_>,
    format: Option<&Format>,
    finding: &Finding,
    fix: &Fix,
) -> Vec<RepairStep> {
    let names = RecordNames { context: case.context, places: None };
    let mut out = Vec::new();
    for action in &fix.actions {
        let text = format.and_then(|format| removed_text(case.context, format, action));
        let (steps, _) = with_reason(case, &names, finding, fix, action);
        let steps = steps.into_iter();
        out.extend(steps.map(|step| RepairStep { text: text.clone(), ..step }));
    }
    out
}

/// Longer records are not read for that, in bytes.
const LONGEST: u64 = 256 << 10;

/// Whether a record is read for what is said of it.
pub(super) fn is_short(t: &Transcript, event: EventId) -> bool {
    let at = t.event(event).at();
    at.end.saturating_sub(at.start) <= LONGEST
}

/// The text of what an action removes.
fn removed_text(context: &FormatContext<'_>, format: &Format, action: &Action) -> Option<String> {
    let t = context.transcript;
    let can_show = |event| is_short(t, event) && t.event(event).state == State::Whole;
    let text = match action {
        Action::Remove(event) if can_show(*event) => (format.text)(context, *event),
        Action::RemovePart(part) if can_show(t.part(*part).event) => {
            result_text(context, format, *part)
        }
        _ => None,
    };
    text.filter(|text| !text.trim().is_empty())
}

/// A step at the place of an event.
fn step_at(names: &RecordNames<'_, '_>, op: Op, event: EventId, says: String) -> RepairStep {
    let known = names.context.transcript.event(event);
    let name = names.context.entries.name(known.at().entry);
    let is_file = matches!(known.place(), Place::File(_)) && !name.is_empty();
    let (line, index) = match names.place(event) {
        Some(Place::Line(line)) => (Some(line), None),
        place => (None, place.map(Place::number)),
    };
    RepairStep {
        op,
        file: is_file.then(|| name.to_owned()),
        line,
        index,
        says,
        removes: None,
        reason: None,
        text: None,
    }
}

fn describe(names: &RecordNames<'_, '_>, action: &Action) -> Vec<RepairStep> {
    let t = names.context.transcript;
    let part_event = |part: PartId| t.part(part).event;
    let step = |op, event, says: &str| {
        let says = says.replace("{}", &names.of(event));
        step_at(names, op, event, says)
    };
    let one = |op, event, says: &str| vec![step(op, event, says)];
    let removal = |event, what: &str| {
        let what = what.replace("{}", &names.of(event));
        RepairStep {
            removes: Some(what.clone()),
            ..step_at(names, Op::Remove, event, format!("remove {what}"))
        }
    };
    match action {
        Action::EditBytes { event, edits, .. } if removed_media(edits).is_some() => {
            let what = removed_media(edits).unwrap_or_default();
            one(Op::Replace, *event, &format!("replace the {what} in {{}} with a note"))
        }
        Action::EditBytes { event, word, edits } => {
            let is_named = *word != CHANGE;
            let says = if is_named { None } else { members::changes(names.context, *event, edits) };
            one(Op::Replace, *event, says.as_deref().unwrap_or(word))
        }
        Action::Remove(event) => vec![removal(*event, "{}")],
        Action::RemovePart(part) => {
            let numbered = names.numbered(*part);
            let what = numbered.as_deref().unwrap_or_else(|| removed_part(t, *part));
            vec![removal(part_event(*part), what)]
        }
        Action::MoveTogether(parts) => {
            let mut events: Vec<EventId> = parts.iter().map(|part| part_event(*part)).collect();
            events.dedup();
            describe_moves(names, &events)
        }
        Action::AnswerCall { call, in_place_of } => {
            let event = part_event(*call);
            let name = names.numbered(*call).unwrap_or_else(|| names.of(event));
            let result = if t.is_recorded_elsewhere(*call) {
                format!("insert the recorded result for {name}")
            } else {
                format!("insert an \"interrupted\" result for {name}")
            };
            let Some(unreadable) = *in_place_of else {
                return one(Op::Insert, event, &result);
            };
            let is_there = t.event(unreadable).at().entry != NOWHERE;
            let removal = is_there.then(|| removal(unreadable, "what is left of {}"));
            removal
                .into_iter()
                .chain([step(Op::Insert, unreadable, &(result + " in place of {}"))])
                .collect()
        }
        Action::RenameId { parts, .. } => {
            let mut steps = Vec::new();
            let mut has_call = false;
            for part in parts {
                let says = describe_id(names, *part, has_call);
                has_call |= t.part(*part).kind == PartKind::Call;
                steps.push(step(Op::Replace, part_event(*part), &says));
            }
            steps
        }
        Action::SetLink { event, link, to } => {
            one(Op::Replace, *event, &describe_link(names, *link, *to))
        }
        Action::Bypass(unreadable) => {
            vec![removal(*unreadable, "what is left of {} and close the gap")]
        }
        Action::MoveBoundary { event, add, keep, offset } => {
            let says = describe_boundary(names, add.len(), keep, *offset);
            one(Op::Replace, *event, &says)
        }
        Action::MoveText { from, into } => {
            let says = format!("move the text of {{}} to {}", names.of(*into));
            one(Op::Replace, *from, &says)
        }
        Action::AssignId(event) => match t.event(*event).place() {
            Place::File(_) => {
                one(Op::Replace, *event, "set the ID of {} to the one in its file name")
            }
            _ => one(Op::Replace, *event, "give {} an ID of its own"),
        },
        Action::Renumber(event) => match t.event(*event).place() {
            Place::File(_) => one(Op::Rename, *event, "rename the file of {}"),
            _ => one(Op::Move, *event, "move {} to after its parent"),
        },
        Action::SetIdle(event) => one(Op::Replace, *event, "set the status to idle"),
    }
}

/// Describes a new ID. `after_call`: its call gets the same one in a step before.
fn describe_id(names: &RecordNames<'_, '_>, part: PartId, after_call: bool) -> String {
    let known = names.context.transcript.part(part);
    let is_call = known.kind == PartKind::Call;
    let what = match names.numbered(part) {
        Some(name) => name,
        None if is_call => "the call in {}".to_owned(),
        None if after_call => "its result in {}".to_owned(),
        None => "the result in {}".to_owned(),
    };
    let id = match (is_call, after_call) {
        (true, _) => "a new ID",
        (false, true) => "the same ID",
        (false, false) => "the ID of its call",
    };
    format!("give {what} {id}")
}

/// `image`, where edits replace one with a note of ours.
fn removed_media(edits: &[Edit]) -> Option<&'static str> {
    let note = |what: &str| format!("{what} removed by transcript-doctor");
    let writes = |text: &str| {
        edits.iter().any(|edit| match edit {
            Edit::Bytes { with, .. } => memchr::memmem::find(with, text.as_bytes()).is_some(),
            _ => false,
        })
    };
    ["image", "document"].into_iter().find(|what| writes(&note(what)))
}

/// Describes a new target of a link, with `{}` for its record.
fn describe_link(names: &RecordNames<'_, '_>, link: LinkKind, to: Option<EventId>) -> String {
    let Some(to) = to else {
        return "make {} the first record".to_owned();
    };
    let to = names.of(to);
    match link {
        LinkKind::Leaf => format!("point the saved state to {to}"),
        LinkKind::Call => format!("link the result in {{}} to the call in {to}"),
        _ => format!("set the parent of {{}} to {to}"),
    }
}

/// Describes a new boundary of a compaction, with `{}` for its record.
fn describe_boundary(
    names: &RecordNames<'_, '_>,
    add: usize,
    keep: &[EventId],
    offset: Option<u64>,
) -> String {
    match (add, keep, offset) {
        (0, [], Some(offset)) => format!("move the summary of {{}} to position {offset}"),
        (0, keep, _) => {
            let from = keep.first().map(|first| format!(", from {}", names.of(*first)));
            let more = counted(keep.len());
            format!("let the compaction in {{}} keep {more}{}", from.unwrap_or_default())
        }
        (add, ..) => format!("let the condensation in {{}} also cover {}", counted(add)),
    }
}

/// What the removal of a part removes, with `{}` for its record: all of it, or one of several parts.
fn removed_part(t: &Transcript, part: PartId) -> &'static str {
    let part = t.part(part);
    if t.event(part.event).parts.len() == 1 {
        return "{}";
    }
    match part.kind {
        PartKind::Call => "a tool call from {}",
        PartKind::Result => "a tool result from {}",
        _ => "a block from {}",
    }
}

/// `1 more record`, `3 more records`.
fn counted(records: usize) -> String {
    let noun = if records == 1 { "record" } else { "records" };
    format!("{records} more {noun}")
}

/// Describes how records are brought together. If they are already stored together, only their parents change.
fn describe_moves(names: &RecordNames<'_, '_>, events: &[EventId]) -> Vec<RepairStep> {
    let moves = moved(names.context.transcript, events);
    let stored = !moves.contains(&true);
    let in_tree = |event: EventId| {
        let links = names.context.transcript.links_of(event);
        links.iter().any(|link| matches!(link.kind, LinkKind::Parent | LinkKind::Root))
    };
    let mut steps = Vec::new();
    for (number, event) in events.iter().enumerate() {
        let before = number.checked_sub(1).map(|before| &events[before]);
        let (own, after) = (names.of(*event), events.get(number + 1));
        let (op, says) = match (before, after) {
            (Some(before), _) if stored && in_tree(*event) => {
                (Op::Replace, format!("set the parent of {own} to {}", names.of(*before)))
            }
            (Some(_), _) if stored => {
                (Op::Replace, format!("move the results in {own} before its other content"))
            }
            (Some(before), _) if moves[number] => {
                (Op::Move, format!("move {own} to after {}", names.of(*before)))
            }
            (None, Some(after)) if moves[number] => {
                (Op::Move, format!("move {own} to before {}", names.of(*after)))
            }
            _ => continue,
        };
        steps.push(step_at(names, op, *event, says));
    }
    if let (true, Some(only)) = (steps.is_empty(), events.first()) {
        let says = format!("reorder the calls and results in {}", names.of(*only));
        steps.push(step_at(names, Op::Replace, *only, says));
    }
    steps
}
