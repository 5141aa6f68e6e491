//! What a treatment does, step by step.

use super::Taken;
use crate::containers::files::NOWHERE;
use crate::formats::FormatContext;
use crate::rules::Finding;
use crate::transcript::touched::leaving;
use crate::transcript::{Action, EventId, Fix, LinkKind, PartId, Place};

/// One step.
#[derive(Debug, Clone)]
pub struct Step {
    /// `park`, `insert`, `move`, `replace`, `rename`, `create`, `remove`.
    pub op: &'static str,
    /// The file of a folder, relative to it.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u64>,
    /// The number of the event, from 0, where records are not lines.
    pub index: Option<u64>,
    /// One line for people, in our own words.
    pub says: String,
}

/// A finding with the steps of its treatment.
pub(super) fn taken(
    context: &FormatContext<'_>,
    finding: &Finding,
    fix: &Fix,
    ids: Vec<String>,
) -> Taken {
    Taken {
        ids,
        rule: finding.rule,
        message: finding.message.clone(),
        class: fix.class,
        steps: fix
            .actions
            .iter()
            .flat_map(|action| of(context, action))
            .collect(),
    }
}

/// The steps of a treatment that is only proposed.
pub(crate) fn proposed(context: &FormatContext<'_>, fix: &Fix) -> Vec<Step> {
    fix.actions
        .iter()
        .flat_map(|action| of(context, action))
        .collect()
}

/// Where an action happens.
fn at(context: &FormatContext<'_>, op: &'static str, event: EventId, says: String) -> Step {
    let known = context.transcript.event(event);
    let name = context.entries.name(known.at.entry);
    let is_file = matches!(known.place, Place::File(_)) && !name.is_empty();
    Step {
        op,
        file: is_file.then(|| name.to_owned()),
        line: if let Place::Line(line) = known.place {
            Some(line)
        } else {
            None
        },
        index: if let Place::Line(_) = known.place {
            None
        } else {
            Some(known.place.number())
        },
        says,
    }
}

fn place(context: &FormatContext<'_>, event: EventId) -> u64 {
    context.transcript.event(event).place.number()
}

fn of(context: &FormatContext<'_>, action: &Action) -> Vec<Step> {
    let t = context.transcript;
    let part_event = |part: PartId| t.a_part(part).event;
    let one = |op, event, says: &str| vec![at(context, op, event, says.to_owned())];
    match action {
        Action::Mend { event, word, .. } => one("replace", *event, word),
        Action::Park(event) => one("park", *event, "park"),
        Action::ParkPart(part) => one("park", part_event(*part), "park"),
        Action::Gather(parts) => {
            let mut events: Vec<EventId> = parts.iter().map(|part| part_event(*part)).collect();
            events.dedup();
            gather(context, &events)
        }
        Action::Answer {
            call,
            hole: Some(hole),
        } => {
            let call = place(context, part_event(*call));
            let says = format!("write a marked error result for call {call} in its place");
            let is_there = t.event(*hole).at.entry != NOWHERE;
            let park =
                is_there.then(|| at(context, "park", *hole, "park what is left of it".to_owned()));
            park.into_iter()
                .chain([at(context, "insert", *hole, says)])
                .collect()
        }
        Action::Answer { call, hole: None } => one(
            "insert",
            part_event(*call),
            "insert a marked error result behind its batch",
        ),
        Action::Rename { parts, .. } => parts
            .iter()
            .map(|part| {
                at(
                    context,
                    "replace",
                    part_event(*part),
                    "set the id of the call".to_owned(),
                )
            })
            .collect(),
        Action::Relink { event, link, to } => {
            let what = match link {
                LinkKind::Leaf => "point the host's state at",
                LinkKind::Call => "name the call in",
                _ => "hang on",
            };
            let says = to.map_or_else(
                || "make it the first".to_owned(),
                |to| format!("{what} {}", place(context, to)),
            );
            one("replace", *event, &says)
        }
        Action::Close(hole) => one("park", *hole, "park what is left and close the gap"),
        Action::Extend {
            event,
            add,
            keep,
            offset,
        } => {
            let says = match (add.len(), keep.len(), offset) {
                (0, 0, Some(offset)) => format!("put the summary at {offset}"),
                (0, count, _) => {
                    let records = if count == 1 { "record" } else { "records" };
                    let from = keep
                        .first()
                        .map(|first| format!(", from {} on", place(context, *first)));
                    format!("keep {count} more {records}{}", from.unwrap_or_default())
                }
                (add, ..) => format!("forget {add} more records"),
            };
            one("replace", *event, &says)
        }
        Action::Merge { from, into } => {
            vec![at(
                context,
                "replace",
                *from,
                format!("move the text to {}", place(context, *into)),
            )]
        }
        Action::Identify(event) => match t.event(*event).place {
            Place::File(_) => one("replace", *event, "give it the id of its name"),
            _ => one("replace", *event, "give it an id of its own"),
        },
        Action::Renumber(event) => match t.event(*event).place {
            Place::File(_) => one("rename", *event, "give the file its own name and number"),
            _ => one("move", *event, "move it behind its parent"),
        },
        Action::Settle(event) => one("replace", *event, "set the status to idle"),
    }
}

/// Records brought together. Where they are stored together already, only what they hang on changes.
fn gather(context: &FormatContext<'_>, events: &[EventId]) -> Vec<Step> {
    let leaves = leaving(context.transcript, events);
    let stored = !leaves.contains(&true);
    let links = |event: EventId| context.transcript.links_of(event).iter();
    let in_tree = |event: EventId| {
        links(event).any(|link| matches!(link.kind, LinkKind::Parent | LinkKind::Root))
    };
    let mut steps = Vec::new();
    for (number, event) in events.iter().enumerate() {
        let before = number
            .checked_sub(1)
            .map(|before| place(context, events[before]));
        let (op, says) = match before {
            Some(before) if stored && in_tree(*event) => ("replace", format!("hang on {before}")),
            Some(_) if stored => ("replace", "put its results in front of the rest".to_owned()),
            Some(before) if leaves[number] => ("move", format!("move behind {before}")),
            None if leaves[number] => ("move", "move in front of what follows it".to_owned()),
            _ => continue,
        };
        steps.push(at(context, op, *event, says));
    }
    if let (true, Some(only)) = (steps.is_empty(), events.first()) {
        steps.push(at(
            context,
            "replace",
            *only,
            "put its calls and results in order".to_owned(),
        ));
    }
    steps
}
