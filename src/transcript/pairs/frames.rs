//! Pairing response by response, for hosts whose ids may begin anew in each.
//!
//! A frame is a response with calls, a failed one too, and all that follows up to the next. Inside it results claim calls
//! by id, first come first served. What is left goes to the one earlier call that lacks a real result, or to an open call
//! of the next frame. A result of a failed response is never given to another one.

use crate::transcript::index::EventId;
use hashbrown::HashMap;

use super::{By, Found, PairPolicy, PairStatus, Paired, Pairs, PartId, PartKind, Strays};
use crate::transcript::event::Origin;
use crate::transcript::facts::Transcript;

/// Calls of one id that are looked through for a result.
const MOST_ALIKE: usize = 1024;

/// A response with calls.
struct Frame {
    failed: bool,
    calls: Vec<PartId>,
}

/// A result that no call of its own frame fits.
struct Left {
    result: PartId,
    /// The frames that begin before it: its own is the last of them.
    frames: usize,
    /// It found its call.
    taken: bool,
}

pub(super) fn find(t: &Transcript, policy: PairPolicy, paired: &Paired<'_>) -> Pairs {
    let mut work = Work {
        t,
        found: Found::new(t),
        frames: Vec::new(),
        calls: HashMap::new(),
        nearest: policy.strays == Strays::Nearest,
    };
    let mut left = Vec::new();
    for event in paired.events {
        work.step(*event, paired.is_sent, &mut left);
    }
    work.nameless(&mut left);
    for left in left {
        work.elsewhere(&left);
    }
    work.find_rivals();
    let mut pairs = work.found.finish();
    pairs.mark_pending(t, paired.events);
    pairs
}

struct Work<'a> {
    t: &'a Transcript,
    found: Found<'a>,
    frames: Vec<Frame>,
    /// Calls by id, with the number of their frame.
    calls: HashMap<&'a str, Vec<(usize, PartId)>>,
    /// Of several calls that a result fits the nearest takes it, however far before or after it; ids are missing only where
    /// exactly one call and one result of a frame are left for each other.
    nearest: bool,
}

impl<'a> Work<'a> {
    /// An id that says something, without blanks around it.
    fn key(&self, part: PartId) -> Option<&'a str> {
        Some(self.t.text(self.t.a_part(part).id).trim()).filter(|key| !key.is_empty())
    }

    fn step(&mut self, event: EventId, sent: &dyn Fn(PartId) -> bool, left: &mut Vec<Left>) {
        let parts = self.t.event(event).parts.clone().filter(|part| sent(*part));
        let calls: Vec<PartId> = parts
            .clone()
            .filter(|part| self.t.a_part(*part).kind == PartKind::Call)
            .collect();
        if !calls.is_empty() {
            self.open(calls, self.t.event(event).failed);
        }
        for result in parts.filter(|part| self.t.a_part(*part).kind == PartKind::Result) {
            match self.inside(result) {
                Some(call) => self.found.pair(call, result),
                None => {
                    self.found.pairs.status[result] = PairStatus::Orphan;
                    left.push(Left {
                        result,
                        frames: self.frames.len(),
                        taken: false,
                    });
                }
            }
        }
    }

    fn open(&mut self, calls: Vec<PartId>, failed: bool) {
        let number = self.frames.len();
        for call in &calls {
            if failed {
                self.found.pairs.status[*call] = PairStatus::Failed;
            }
            if let Some(key) = self.key(*call) {
                self.calls.entry(key).or_default().push((number, *call));
            }
        }
        if failed {
            self.found.pairs.failed.push(calls.clone());
        } else {
            self.found.open(&calls);
        }
        self.frames.push(Frame { failed, calls });
    }

    /// The call of the own frame that a result claims, or is one too many for.
    fn inside(&mut self, result: PartId) -> Option<PartId> {
        let frame = self.frames.last()?;
        let Some(key) = self.key(result) else {
            if self.nearest {
                return None;
            }
            let [only] = frame.calls.as_slice() else {
                return None;
            };
            let (asked, answered) = (self.t.a_part(*only).tool, self.t.a_part(result).tool);
            let fits = self.t.text(answered).is_empty() || asked == answered;
            if !fits || self.found.has_result(*only) {
                return None;
            }
            self.found.pairs.by.insert(result, By::ToolOnly);
            return Some(*only);
        };
        let of_frame = self
            .calls
            .get(key)?
            .iter()
            .rev()
            .take_while(|(at, _)| at + 1 == self.frames.len());
        let mut own: Vec<PartId> = of_frame.map(|(_, call)| *call).collect();
        own.reverse();
        let open = own.iter().find(|call| !self.found.has_result(**call));
        let stub = own.iter().find(|call| self.found.lacks_real(**call));
        open.or(stub).or(own.last()).copied()
    }

    /// A call without id takes the only result of its frame that no other call fits.
    fn nameless(&mut self, left: &mut Vec<Left>) {
        let mut at = 0;
        while at < left.len() {
            let frames = left[at].frames;
            let end = at
                + left[at..]
                    .iter()
                    .take_while(|other| other.frames == frames)
                    .count();
            let number = frames.checked_sub(1);
            let found = match self.nearest {
                true => number
                    .and_then(|number| self.left_over(number, &left[at..end]))
                    .map(|(n, c)| (at + n, c)),
                false => {
                    let call = number.and_then(|number| self.only_nameless(number));
                    let fits = end - at == 1 && !self.is_named(left[at].result);
                    call.filter(|_| fits).map(|call| (at, call))
                }
            };
            if let Some((place, call)) = found {
                let result = left[place].result;
                self.found.pairs.by.insert(result, By::ToolOnly);
                self.found.pair(call, result);
                left[place].taken = true;
            }
            at = end;
        }
        left.retain(|left| !left.taken);
    }

    /// Whether some call has a result's id.
    fn is_named(&self, result: PartId) -> bool {
        self.key(result)
            .is_some_and(|key| self.calls.contains_key(key))
    }

    /// The one call of a frame that lacks a result and the one result that no call has the id of, where one of them has
    /// none.
    fn left_over(&self, frame: usize, left: &[Left]) -> Option<(usize, PartId)> {
        let mut open = self.frames[frame]
            .calls
            .iter()
            .filter(|call| !self.found.has_result(**call));
        let (Some(call), None) = (open.next().copied(), open.next()) else {
            return None;
        };
        let mut free = left
            .iter()
            .enumerate()
            .filter(|(_, left)| !self.is_named(left.result));
        let (Some((at, only)), None) = (free.next(), free.next()) else {
            return None;
        };
        let (asked, answered) = (self.t.a_part(call).tool, self.t.a_part(only.result).tool);
        let fits = self.t.text(answered).is_empty() || asked == answered;
        let nameless = self.key(call).is_none() || self.key(only.result).is_none();
        (fits && nameless).then_some((at, call))
    }

    fn only_nameless(&self, frame: usize) -> Option<PartId> {
        let frame = &self.frames[frame];
        let mut nameless = frame.calls.iter().filter(|call| self.key(**call).is_none());
        let call = nameless
            .next()
            .copied()
            .filter(|call| !self.found.has_result(*call))?;
        nameless.next().is_none().then_some(call)
    }

    /// Real results of failed calls, where an open call before it has the same id.
    fn find_rivals(&mut self) {
        for (call, result) in &self.found.results {
            let is_failed = self.found.pairs.status[*call] == PairStatus::Failed;
            let is_real = self.t.a_part(*result).origin == Origin::Real;
            let Some(calls) = self.key(*call).and_then(|key| self.calls.get(key)) else {
                continue;
            };
            if !is_failed || !is_real || calls.len() < 2 {
                continue;
            }
            let before = calls
                .iter()
                .rev()
                .take(MOST_ALIKE)
                .filter(|(_, other)| other < call);
            let mut open = before.filter(|(frame, other)| {
                !self.frames[*frame].failed && !self.found.has_result(*other)
            });
            if let Some((_, rival)) = open.next() {
                self.found.pairs.rivals.insert(*result, *rival);
            }
        }
    }

    /// A result whose own frame has no call for it.
    fn elsewhere(&mut self, left: &Left) {
        let Some(key) = self.key(left.result) else {
            return;
        };
        let Some(calls) = self.calls.get(key) else {
            return;
        };
        let behind = calls.partition_point(|(frame, _)| *frame < left.frames);
        if self.nearest {
            let is_open = |(_, call): &&(usize, PartId)| !self.found.has_result(*call);
            let before = calls[..behind].iter().rev().take(MOST_ALIKE);
            let found = before
                .clone()
                .find(is_open)
                .or_else(|| calls[behind..].iter().take(MOST_ALIKE).find(is_open));
            let found = found.or_else(|| {
                before
                    .clone()
                    .find(|(_, call)| self.found.lacks_real(*call))
            });
            if let Some((_, call)) = found.copied() {
                self.found.pair(call, left.result);
            }
            return;
        }
        let mut before = calls[..behind]
            .iter()
            .filter(|(_, call)| self.found.lacks_real(*call));
        let found = match (before.next(), before.next()) {
            (Some((frame, call)), None) => Some((*frame, *call)),
            (Some((frame, call)), Some((second, _))) => {
                let failed = |frame: &usize| self.frames[*frame].failed;
                let all = failed(frame) && failed(second) && before.all(|(frame, _)| failed(frame));
                if !all {
                    self.found.pairs.ambiguous.insert(left.result);
                    return;
                }
                Some((*frame, *call))
            }
            (None, _) => {
                let next = calls[behind..]
                    .iter()
                    .take_while(|(frame, _)| *frame == left.frames);
                next.copied()
                    .find(|(_, call)| !self.found.has_result(*call))
            }
        };
        if let Some((_, call)) = found {
            self.found.pair(call, left.result);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::{EntryId, Span};
    use crate::transcript::Idx;
    use crate::transcript::event::{Part, Place, Role, State};

    /// `c1` call 1, `f1` call 1 of a failed response, `r1` result, `s1` stub, `u` a message. Several calls: `c1+2`.
    fn transcript(words: &str) -> (Transcript, Vec<EventId>) {
        let mut t = Transcript::default();
        for (number, word) in (0_u64..).zip(words.split_whitespace()) {
            let at = Span {
                entry: EntryId(0),
                start: number,
                end: number + 1,
            };
            let event = t.begin(at, Place::Line(number + 1), State::Whole);
            let (kind, ids) = word.split_at(1);
            let (role, part) = match kind {
                "c" | "f" => (Role::Assistant, PartKind::Call),
                "r" | "s" => (Role::Tool, PartKind::Result),
                _ => (Role::User, PartKind::Text),
            };
            t.events[event].role = role;
            t.events[event].failed = kind == "f";
            for id in ids.split('+') {
                let id = (!id.is_empty()).then(|| t.ids.intern(&format!(" {id}")));
                let origin = if kind == "s" {
                    Origin::Placeholder
                } else {
                    Origin::Real
                };
                t.part(Part {
                    kind: part,
                    event,
                    id,
                    sent_id: id,
                    tool: None,
                    origin,
                    blank: false,
                    bad_input: false,
                    runnable: false,
                    reports_error: false,
                    digest: 0,
                });
            }
        }
        let all = t.records().collect();
        (t, all)
    }

    /// What each result is: the event of its call from 1, with a mark; `-` an orphan, `?` one of several.
    fn told(words: &str) -> String {
        told_by(PairPolicy::FRAMES, words)
    }

    fn told_by(policy: PairPolicy, words: &str) -> String {
        let (t, sequence) = transcript(words);
        let pairs = Pairs::find(&t, policy, &Paired::events(&sequence));
        let event = |call: PartId| t.a_part(call).event.next();
        let results = t
            .parts
            .ids()
            .filter(|part| t.a_part(*part).kind == PartKind::Result);
        let told: Vec<String> = results
            .map(|result| match pairs.status(result) {
                PairStatus::Answers(call) => event(call).index().to_string(),
                PairStatus::Surplus(call) => format!("{}!", event(call).index()),
                PairStatus::OfFailed(call) => format!("{}x", event(call).index()),
                _ if pairs.is_ambiguous(result) => "?".to_owned(),
                _ => "-".to_owned(),
            })
            .collect();
        told.join(" ")
    }

    #[test]
    fn results_claim_calls_of_their_own_frame() {
        assert_eq!(told("c1 r1 c1 r1"), "1 3");
        assert_eq!(told("c1+1 r1 r1"), "1 1");
        assert_eq!(told("c1 s1 u r1"), "1! 1");
        assert_eq!(told("c1 r1 r1"), "1 1!");
        assert_eq!(told("c1 r"), "1");
        assert_eq!(told("c1+2 r"), "-");
        assert_eq!(told("c r1"), "1");
    }

    #[test]
    fn late_and_early_results_find_the_one_call_that_lacks_them() {
        assert_eq!(told("c1 c2 r2 r1"), "2 1");
        assert_eq!(told("c1 s1 c2 r2 r1"), "1! 3 1");
        assert_eq!(told("r1 c1"), "2");
        assert_eq!(told("c2 r2 r1 c1"), "1 4");
        assert_eq!(told("r1 c2 c1"), "-");
        assert_eq!(told("c1 c1 c2 r2 r1"), "3 ?");
        assert_eq!(told("c1 r1 c2 r2 r1"), "1 3 -");
    }

    #[test]
    fn a_result_of_a_failed_response_may_be_that_of_an_open_call() {
        let rivals = |words: &str| {
            let (t, sequence) = transcript(words);
            let pairs = Pairs::find(&t, PairPolicy::FRAMES, &Paired::events(&sequence));
            let results = t
                .parts
                .ids()
                .filter(|part| t.a_part(*part).kind == PartKind::Result);
            let events: Vec<usize> = results
                .filter_map(|result| Some(t.a_part(pairs.rival(result)?).event.next().index()))
                .collect();
            assert!(pairs.all().all(|(part, _)| pairs.is_rival(part)
                == events.contains(&t.a_part(part).event.next().index())));
            events
        };
        assert_eq!(rivals("c1 f1 r1"), [1]);
        assert_eq!(rivals("c1 u f1 u r1 r1"), [1, 1]);
        assert_eq!(rivals("c1 r1 f1 r1"), [0; 0]);
        assert_eq!(rivals("c1 f1 s1"), [0; 0]);
        assert_eq!(rivals("c2 f1 r1"), [0; 0]);
        assert_eq!(rivals("f1 f1 r1"), [0; 0]);
    }

    #[test]
    fn without_a_host_the_nearest_call_takes_a_result() {
        let told = |words| told_by(PairPolicy::LISTS, words);
        assert_eq!(told("r1 c2 c1"), "3");
        assert_eq!(told("c1 c1 c2 r2 r1"), "3 2");
        assert_eq!(told("c1 r1 c2 r2 r1"), "1 3 -");
        assert_eq!(told("c1 s1 u c2 r2 r1"), "1! 4 1");
    }

    #[test]
    fn ids_are_missing_where_one_of_each_is_left() {
        let told = |words| told_by(PairPolicy::LISTS, words);
        assert_eq!(told("c1+2 r1 r"), "1 1");
        assert_eq!(told("c1 r"), "1");
        assert_eq!(told("c r1"), "1");
        assert_eq!(told("c r"), "1");
        assert_eq!(told("c1 r r"), "- -");
        assert_eq!(told("c1+2 r"), "-");
        assert_eq!(told("c1 r9"), "-");
    }

    #[test]
    fn failed_responses_keep_their_results() {
        assert_eq!(told("f1 r1 c1 r1"), "1x 3");
        assert_eq!(told("f1 s1 c1 r1"), "1x 3");
        assert_eq!(told("f1 c2 r2 r1"), "2 1x");
        assert_eq!(told("f1 c1 c2 r2 r1"), "3 ?");
    }
}
