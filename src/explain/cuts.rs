//! Where a compaction may cut the conversation: everything before the cut is summarized or deleted.

use serde::Serialize;

use crate::engine::Judged;
use crate::transcript::cuts::{Cuts, Obstacle};
use crate::transcript::{EventId, Role};

/// Most safe cuts listed.
const MOST: usize = 200;

/// The cut points of the next request.
#[derive(Debug, Serialize)]
pub struct CutPoints {
    /// Messages that are sent, without a summary before them.
    pub messages: usize,
    /// The safe cuts between the first and the last message, those that keep least first.
    pub safe: Vec<SafeCut>,
    /// Earlier safe cuts that are not listed.
    pub more: usize,
    /// If no cut is safe, why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<&'static str>,
}

/// A cut before a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SafeCut {
    /// What the number counts: `line` (from 1) or `event` (from 0).
    pub unit: &'static str,
    /// The number of the first record that stays.
    pub number: u64,
    /// Messages that stay.
    pub keeps: usize,
    /// Whether the remaining messages start with a user message, so that no summary has to come
    /// before them as one.
    pub begins_with_user: bool,
}

/// The cut before a given record.
#[derive(Debug, Serialize)]
pub struct CutBefore {
    pub cut: SafeCut,
    /// Why it is not safe; absent if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<&'static str>,
    /// The nearest safe cut that keeps more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keeps_more: Option<SafeCut>,
    /// The nearest safe cut that keeps less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keeps_less: Option<SafeCut>,
}

/// The messages of the first request that may be cut off or kept. Instructions at its start are
/// always kept.
fn messages(judged: &Judged) -> Vec<EventId> {
    let speaks =
        judged.request().order.iter().filter(|sent| !sent.summary && sent.role != Role::Nobody);
    let talk = speaks.skip_while(|sent| sent.role == Role::System);
    let mut messages: Vec<EventId> = talk.map(|sent| sent.event).collect();
    messages.dedup();
    messages
}

/// Calls `ask` with the cuts of a conversation and the list of its messages.
fn with<T>(judged: &Judged, ask: impl FnOnce(&Cuts<'_>, &[EventId]) -> T) -> T {
    let t = &judged.transcript;
    let messages = messages(judged);
    let role = |event: EventId| t.event(event).role;
    let is_bound = judged.detection.format.traits.thinking_is_bound;
    let bound = |part| is_bound(t, t.part(part).event);
    ask(&Cuts::new(t, &judged.request().pairs, &messages, &role, &bound, true), &messages)
}

fn cut(judged: &Judged, cuts: &Cuts<'_>, messages: &[EventId], at: usize) -> Option<SafeCut> {
    let (t, event) = (&judged.transcript, *messages.get(at)?);
    Some(SafeCut {
        unit: t.unit(event),
        number: t.event(event).place().number(),
        keeps: messages.len() - at,
        begins_with_user: cuts.begins_with_user(at),
    })
}

fn describe(obstacle: Obstacle) -> &'static str {
    match obstacle {
        Obstacle::Pair => "a tool call and its result would be separated",
        Obstacle::Pending => "a tool call that still waits for its result would be cut off",
        Obstacle::Loop => "an unfinished tool loop with thinking would be cut",
        Obstacle::Start => "the rest would not start with a user message",
    }
}

/// The safe cuts of a conversation. `None` if it is too short to be cut.
pub(super) fn points(judged: &Judged) -> Option<CutPoints> {
    with(judged, |cuts, messages| {
        let inside = 1..messages.len();
        if inside.len() < 2 {
            return None;
        }
        let mut all = inside.rev().filter(|at| cuts.obstacle(*at).is_none());
        let safe: Vec<SafeCut> =
            all.by_ref().take(MOST).filter_map(|at| cut(judged, cuts, messages, at)).collect();
        // A pair prevents few cuts, anything else all later ones.
        let obstacle = if safe.is_empty() { main_obstacle(cuts, messages.len()) } else { None };
        let obstacle = obstacle.map(describe);
        Some(CutPoints { messages: messages.len(), more: all.count(), safe, obstacle })
    })
}

fn main_obstacle(cuts: &Cuts<'_>, messages: usize) -> Option<Obstacle> {
    let mut obstacles = (1..messages).filter_map(|at| cuts.obstacle(at));
    let first = obstacles.next()?;
    if first != Obstacle::Pair {
        return Some(first);
    }
    obstacles.find(|obstacle| *obstacle != Obstacle::Pair).or(Some(first))
}

/// The cut before each of these records; `None` for one that is not sent, or is the first.
pub(super) fn here(judged: &Judged, events: &[EventId]) -> Vec<Option<CutBefore>> {
    with(judged, |cuts, messages| {
        events
            .iter()
            .map(|event| {
                let at = messages.iter().position(|other| other == event).filter(|at| *at > 0)?;
                let obstacle = cuts.obstacle(at);
                let near = |at: usize| Some(at).filter(|at| *at > 0 && obstacle.is_some());
                Some(CutBefore {
                    cut: cut(judged, cuts, messages, at)?,
                    obstacle: obstacle.map(describe),
                    keeps_more: near(cuts.safe_before(at))
                        .and_then(|at| cut(judged, cuts, messages, at)),
                    keeps_less: cuts
                        .safe_after(at)
                        .and_then(near)
                        .and_then(|at| cut(judged, cuts, messages, at)),
                })
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::{EntryId, Source};
    use crate::detect;
    use crate::engine::{CheckOptions, TargetChoice, judge};
    use crate::format::head::Sample;

    /// `H` the user, `S` system, `A(x,y)` the model with calls, `A*` with signed thinking, `T(x)` a
    /// result; whether a summary becomes a message of the user; the safe cuts.
    const CASES: &[(&str, bool, &[usize])] = &[
        ("H A H A H A", true, &[1, 2, 3, 4, 5]),
        ("H A H A(t) T(t) A", true, &[1, 2, 3, 5]),
        ("H A H A(t) T(t) A", false, &[2]),
        ("H A A(t) T(t) H A", true, &[1, 2, 4, 5]),
        ("H A A(a,b) T(a) T(b) H A", true, &[1, 2, 5, 6]),
        ("H A(a,b) T(b) T(a) A H", true, &[1, 4, 5]),
        ("H A(a) T(a) A(b,c) T(c) T(b) A H", true, &[1, 3, 6, 7]),
        ("H A H A(p)", true, &[1, 2, 3]),
        ("H A(x) H A H A", true, &[1, 2, 3, 4, 5]),
        ("H A*(a) T(a) A*(b) T(b) A H", true, &[1, 3, 5, 6]),
        ("H A(a) T(a) A H A(b) T(b) A H A", false, &[4, 8]),
        ("S H A(a) T(a) A H A", true, &[2, 4, 5, 6]),
    ];

    fn message(word: &str) -> String {
        let (kind, ids) = word.split_once('(').unwrap_or((word, ""));
        let ids: Vec<&str> =
            ids.trim_end_matches(')').split(',').filter(|id| !id.is_empty()).collect();
        let thinking = r#"[{"type":"thinking","thinking":"t","signature":"s"}]"#;
        let of_type = |kind: &str, more: &str| {
            format!(r#"{{"type":"{kind}","data":{{"type":"{kind}",{more}}}}}"#)
        };
        match kind {
            "H" => of_type("human", r#""content":"go""#),
            "S" => of_type("system", r#""content":"be brief""#),
            "T" => of_type("tool", &format!(r#""content":"ok","tool_call_id":"{}""#, ids[0])),
            _ => {
                let calls: Vec<String> = ids
                    .iter()
                    .map(|id| format!(r#"{{"name":"f","args":{{}},"id":"{id}"}}"#))
                    .collect();
                let content = if kind == "A*" { thinking } else { r#""x""# };
                of_type("ai", &format!(r#""content":{content},"tool_calls":[{}]"#, calls.join(",")))
            }
        }
    }

    fn judged(words: &str) -> Judged {
        let list: Vec<String> = words.split(' ').map(message).collect();
        let text = format!("[{}]", list.join(","));
        let source = Source::memory("a.json", vec![("a.json".to_owned(), text.into_bytes())]);
        let detection =
            detect::recognize(&Sample::of_file(&source, EntryId(0), "a.json").unwrap(), None)
                .unwrap();
        judge(
            &source,
            "a.json",
            &detection,
            &CheckOptions {
                target: TargetChoice::by_name("openai-chat"),
                ..CheckOptions::default()
            },
        )
        .unwrap()
    }

    #[test]
    fn cuts_part_no_pair_no_batch_and_no_open_loop() {
        for (words, summary, safe) in CASES {
            let points = points(&judged(words)).unwrap();
            let listed = points.safe.iter().rev().filter(|cut| *summary || cut.begins_with_user);
            assert_eq!(listed.map(|cut| cut.number as usize).collect::<Vec<_>>(), *safe, "{words}");
        }
        for alone in ["H", "H A"] {
            assert!(points(&judged(alone)).is_none(), "{alone}");
        }
        assert!(points(&judged("H A(a) T(a)")).unwrap().obstacle.is_none());
        let open = points(&judged("H A*(a) T(a)")).unwrap();
        assert!(open.safe.is_empty() && open.obstacle.is_some_and(|why| why.contains("thinking")));
    }

    #[test]
    fn the_nearest_safe_cuts_lie_on_both_sides() {
        let judged = judged("H A H A(a,b) T(b) T(a) A H");
        let here = here(&judged, &crate::transcript::index::ids([0, 3, 5]));
        let numbers = |cut: &Option<SafeCut>| cut.as_ref().map(|cut| (cut.number, cut.keeps));
        assert!(here[0].is_none(), "the first message has no message before it");
        assert!(
            here[1].as_ref().is_some_and(|here| here.obstacle.is_none() && here.cut.keeps == 5)
        );
        let inside = here[2].as_ref().unwrap();
        assert_eq!(
            (numbers(&inside.keeps_more), numbers(&inside.keeps_less)),
            (Some((3, 5)), Some((6, 2)))
        );
    }
}
