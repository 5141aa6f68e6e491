//! Habits of the program that wrote a file. How it writes a member everywhere is not damage where nothing shows for which
//! provider the messages are: it is one note for the whole file.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use crate::rules::Finding;
use crate::targets::Target;
use crate::transcript::{Code, Effect, EventId, HabitPlaces, PartKind, Role, Severity, Transcript};

/// Fewest places of a habit.
const FEWEST: u64 = 3;
/// A habit holds in at least this share of the places where it could: 4 in 5.
const SHARE: (u64, u64) = (4, 5);
/// Places that are named in the note.
const MOST_NAMED: usize = 20;

/// Where a conversation is in its file: the offset of its row, and which one of the row it is.
pub(crate) type PlaceInFile = (u64, usize);

/// What is known of the habits of the program that wrote a conversation.
#[derive(Clone, Debug, Default)]
pub enum Habits {
    /// They are counted in the conversation, which is the whole file.
    #[default]
    Counted,
    /// They were counted before. The place of the conversation; `None`: it is one row of a stream, or nothing was counted yet.
    Known(PlaceInFile, Option<Arc<FileHabits>>),
}

/// How a problem is written, as a kind of habit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct HabitKind {
    code: Code,
    message: String,
    places: HabitPlaces,
}

impl HabitKind {
    fn of(finding: &Finding, target: &Target) -> Option<HabitKind> {
        let doubt = target.doubt();
        let message = finding.message.strip_suffix(&doubt);
        Some(HabitKind {
            code: finding.rule.code,
            message: message.unwrap_or(&finding.message).to_owned(),
            places: finding.habit.filter(|_| finding.severity > Severity::Note)?,
        })
    }
}

/// Where one kind holds.
#[derive(Clone, Debug)]
struct HabitCount {
    holds: u64,
    /// Those of them that are not among the records in which it is expected.
    beside: u64,
    /// The first conversation with it, where the note is.
    first: PlaceInFile,
}

/// The habits in a file, and what they were counted among.
#[derive(Clone, Debug, Default)]
pub struct FileHabits {
    /// The records in which a kind could hold, by [`HabitPlaces`].
    could: [u64; HabitPlaces::ALL.len()],
    kinds: HashMap<HabitKind, HabitCount>,
}

impl FileHabits {
    /// Counts what may be habits in a conversation.
    pub(crate) fn add(
        &mut self,
        t: &Transcript,
        target: &Target,
        findings: &[Finding],
        at: PlaceInFile,
    ) {
        for places in HabitPlaces::ALL {
            let could = records(t, *places).count() as u64;
            let all = &mut self.could[*places as usize];
            *all = all.saturating_add(could);
        }
        for finding in findings {
            let Some(kind) = HabitKind::of(finding, target) else {
                continue;
            };
            let expected: HashSet<EventId> = records(t, kind.places).collect();
            let holds: HashSet<EventId> = held(finding, t, kind.places).collect();
            let count =
                self.kinds.entry(kind).or_insert(HabitCount { holds: 0, beside: 0, first: at });
            count.holds += holds.len() as u64;
            count.beside += holds.difference(&expected).count() as u64;
            count.first = count.first.min(at);
        }
    }

    /// What is a habit among what was counted; `None`: nothing is.
    pub(crate) fn found(mut self) -> Option<FileHabits> {
        let could = self.could;
        self.kinds.retain(|kind, count| {
            let could = could[kind.places as usize].saturating_add(count.beside);
            let (part, of) = SHARE;
            count.holds >= FEWEST && count.holds.saturating_mul(of) >= could.saturating_mul(part)
        });
        (!self.kinds.is_empty()).then_some(self)
    }

    /// Takes the findings that are habits away. The first conversation with one gets the note about it.
    pub(super) fn apply(&self, findings: &mut Vec<Finding>, target: &Target, at: PlaceInFile) {
        let mut kept: Vec<Finding> = Vec::with_capacity(findings.len());
        let mut notes: HashMap<HabitKind, usize> = HashMap::new();
        for mut finding in std::mem::take(findings) {
            let kind = HabitKind::of(&finding, target);
            let Some((kind, count)) = kind.and_then(|kind| self.kinds.get_key_value(&kind)) else {
                kept.push(finding);
                continue;
            };
            kept.extend(uncovered(&mut finding));
            if count.first != at {
                continue;
            }
            if let Some(note) = notes.get(kind).and_then(|at| kept.get_mut(*at)) {
                note.labels.extend(finding.labels);
                note.labels.truncate(MOST_NAMED);
                continue;
            }
            notes.insert(kind.clone(), kept.len());
            kept.push(self.note(finding, kind, count, target));
        }
        *findings = kept;
    }

    fn note(
        &self,
        mut finding: Finding,
        kind: &HabitKind,
        count: &HabitCount,
        target: &Target,
    ) -> Finding {
        let could = self.could[kind.places as usize].saturating_add(count.beside);
        finding.message = format!(
            "{}, in {} of {could} {}: a habit of the program that wrote the file; {} would reject it \
            (--target {} checks for that)",
            kind.message,
            count.holds,
            kind.places.noun(),
            target.title,
            target.name
        )
        .into();
        finding.severity = Severity::Note;
        finding.effect = Effect::Elsewhere;
        finding.fixes.clear();
        finding.labels.truncate(MOST_NAMED);
        for seen in &mut finding.seen_by {
            (seen.severity, seen.effect) = (Severity::Note, Effect::None);
        }
        finding
    }
}

/// The findings that a habit explained, which are none themselves. What it hid is not known, so they have no fix.
fn uncovered(finding: &mut Finding) -> Vec<Finding> {
    let seen_by = finding.seen_by.clone();
    let consequences = std::mem::take(&mut finding.consequences).into_iter();
    let others = consequences.filter(|own| own.habit.is_none());
    let freed = others.map(|own| {
        let seen_by = seen_by.iter().map(|seen| crate::rules::Seen {
            severity: own.severity,
            effect: own.effect,
            ..*seen
        });
        Finding { seen_by: seen_by.collect(), fixes: Vec::new(), ..own }
    });
    freed.collect()
}

/// The records in which a problem could be.
fn records(t: &Transcript, places: HabitPlaces) -> impl Iterator<Item = EventId> + '_ {
    t.records().filter(move |event| match places.kind() {
        Some(kind) => t.part_of(*event, kind).is_some(),
        None => t.event(*event).role.is_sent(),
    })
}

/// The records in which this problem is.
fn held<'a>(
    finding: &'a Finding,
    t: &'a Transcript,
    places: HabitPlaces,
) -> impl Iterator<Item = EventId> + 'a {
    let events = finding.labels.iter().map(|label| label.event);
    events.filter(move |event| match places {
        HabitPlaces::Calls => t.event(*event).role != Role::Tool,
        HabitPlaces::Results => t.part_of(*event, PartKind::Result).is_some(),
        HabitPlaces::Messages | HabitPlaces::Thinking => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_habit(holds: u64, could: u64) -> bool {
        let kind = HabitKind {
            code: Code::MissingCallId,
            message: "tool call without an ID".to_owned(),
            places: HabitPlaces::Calls,
        };
        let count = HabitCount { holds, beside: 0, first: (0, 0) };
        let mut counted = FileHabits::default();
        counted.could[HabitPlaces::Calls as usize] = could;
        counted.kinds.insert(kind, count);
        counted.found().is_some()
    }

    #[test]
    fn a_habit_has_three_places_and_four_of_five() {
        for (holds, could) in [(3, 3), (4, 5), (8, 10), (80_000, 100_000)] {
            assert!(is_habit(holds, could), "{holds} of {could}");
        }
        for (holds, could) in [(1, 1), (2, 2), (3, 4), (79, 100), (0, 0)] {
            assert!(!is_habit(holds, could), "{holds} of {could}");
        }
    }
}
