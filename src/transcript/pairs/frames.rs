//! Pairing response by response, for hosts whose ids may begin anew in each.
//!
//! A frame is a response with calls, a failed one too, and all that follows up to the next. Inside it results claim calls
//! by id, first come first served. What is left goes to the one earlier call that lacks a real result, or to an open call
//! of the next frame. A result of a failed response is never given to another one.

use hashbrown::HashMap;

use super::{Batch, By, Pairs, PartKind, PartNo, Standing};
use crate::transcript::event::{EventNo, Origin};
use crate::transcript::facts::Transcript;

/// A response with calls.
struct Frame {
    failed: bool,
    calls: Vec<PartNo>,
}

/// A result that no call of its own frame fits.
struct Left {
    result: PartNo,
    /// The frames that begin before it: its own is the last of them.
    frames: usize,
}

impl Pairs {
    /// As [`Pairs::find`], frame by frame. Ids are compared without blanks around them.
    pub fn in_frames(t: &Transcript, sequence: &[EventNo]) -> Pairs {
        let parts = t.parts.len();
        let pairs =
            Pairs { standing: vec![Standing::None; parts], batch_of: vec![0; parts], ..Pairs::default() };
        let mut work = Work {
            t,
            pairs,
            frames: Vec::new(),
            calls: HashMap::new(),
            held: HashMap::new(),
            results: Vec::new(),
        };
        let mut left = Vec::new();
        for event in sequence {
            work.step(*event, &mut left);
        }
        work.nameless(&mut left);
        for left in left {
            work.elsewhere(&left);
        }
        work.pairs.rank(t, work.results);
        work.pairs.mark_pending(t, sequence);
        work.pairs
    }
}

struct Work<'a> {
    t: &'a Transcript,
    pairs: Pairs,
    frames: Vec<Frame>,
    /// Calls by id, with the number of their frame.
    calls: HashMap<&'a str, Vec<(usize, PartNo)>>,
    /// Calls with a result: the best one's origin.
    held: HashMap<PartNo, Origin>,
    results: Vec<(PartNo, PartNo)>,
}

impl<'a> Work<'a> {
    /// An id that says something, without blanks around it.
    fn key(&self, part: PartNo) -> Option<&'a str> {
        Some(self.t.text(self.t.a_part(part).id).trim()).filter(|key| !key.is_empty())
    }

    fn step(&mut self, event: EventNo, left: &mut Vec<Left>) {
        let parts = self.t.event(event).parts.clone();
        let calls: Vec<PartNo> =
            parts.clone().filter(|part| self.t.a_part(*part).kind == PartKind::Call).collect();
        if !calls.is_empty() {
            self.open(calls, self.t.event(event).failed);
        }
        for result in parts.filter(|part| self.t.a_part(*part).kind == PartKind::Result) {
            match self.inside(result) {
                Some(call) => self.pair(call, result),
                None => {
                    self.pairs.standing[result as usize] = Standing::Orphan;
                    left.push(Left { result, frames: self.frames.len() });
                }
            }
        }
    }

    fn open(&mut self, calls: Vec<PartNo>, failed: bool) {
        let number = self.frames.len();
        for call in &calls {
            self.pairs.standing[*call as usize] = if failed { Standing::Failed } else { Standing::Open };
            if let Some(key) = self.key(*call) {
                self.calls.entry(key).or_default().push((number, *call));
            }
        }
        if failed {
            self.pairs.failed.push(calls.clone());
        } else {
            self.pairs.batches.push(Batch { calls: calls.clone(), ..Batch::default() });
            let batch = self.pairs.batches.len() as u32;
            calls.iter().for_each(|call| self.pairs.batch_of[*call as usize] = batch);
        }
        self.frames.push(Frame { failed, calls });
    }

    /// The call of the own frame that a result claims, or is one too many for.
    fn inside(&mut self, result: PartNo) -> Option<PartNo> {
        let frame = self.frames.last()?;
        let Some(key) = self.key(result) else {
            let [only] = frame.calls.as_slice() else { return None };
            let (asked, answered) = (self.t.a_part(*only).tool, self.t.a_part(result).tool);
            let fits = self.t.text(answered).is_empty() || asked == answered;
            if !fits || self.held.contains_key(only) {
                return None;
            }
            self.pairs.by.insert(result, By::ToolOnly);
            return Some(*only);
        };
        let of_frame = self.calls.get(key)?.iter().rev().take_while(|(at, _)| at + 1 == self.frames.len());
        let mut own: Vec<PartNo> = of_frame.map(|(_, call)| *call).collect();
        own.reverse();
        let open = own.iter().find(|call| !self.held.contains_key(*call));
        let stub = own.iter().find(|call| self.lacks_real(**call));
        open.or(stub).or(own.last()).copied()
    }

    fn lacks_real(&self, call: PartNo) -> bool {
        self.held.get(&call).is_none_or(|origin| *origin == Origin::Stub)
    }

    fn pair(&mut self, call: PartNo, result: PartNo) {
        let origin = self.t.a_part(result).origin;
        let best = self.held.entry(call).or_insert(origin);
        *best = origin.max(*best);
        self.results.push((call, result));
    }

    /// A call without id takes the only result of its frame that no other call fits.
    fn nameless(&mut self, left: &mut Vec<Left>) {
        let mut at = 0;
        while at < left.len() {
            let frames = left[at].frames;
            let end = at + left[at..].iter().take_while(|other| other.frames == frames).count();
            let call = frames.checked_sub(1).and_then(|number| self.only_nameless(number));
            let known = |key| self.calls.contains_key(key);
            let fits = end - at == 1 && !self.key(left[at].result).is_some_and(known);
            match call.filter(|_| fits) {
                Some(call) => {
                    let left = left.remove(at);
                    self.pairs.by.insert(left.result, By::ToolOnly);
                    self.pair(call, left.result);
                }
                None => at = end,
            }
        }
    }

    fn only_nameless(&self, frame: usize) -> Option<PartNo> {
        let frame = &self.frames[frame];
        let mut nameless = frame.calls.iter().filter(|call| self.key(**call).is_none());
        let call = nameless.next().copied().filter(|call| !self.held.contains_key(call))?;
        nameless.next().is_none().then_some(call)
    }

    /// A result whose own frame has no call for it.
    fn elsewhere(&mut self, left: &Left) {
        let Some(key) = self.key(left.result) else { return };
        let Some(calls) = self.calls.get(key) else { return };
        let behind = calls.partition_point(|(frame, _)| *frame < left.frames);
        let mut before = calls[..behind].iter().filter(|(_, call)| self.lacks_real(*call));
        let found = match (before.next(), before.next()) {
            (Some((frame, call)), None) => Some((*frame, *call)),
            (Some((frame, call)), Some((second, _))) => {
                let failed = |frame: &usize| self.frames[*frame].failed;
                let all = failed(frame) && failed(second) && before.all(|(frame, _)| failed(frame));
                if !all {
                    self.pairs.ambiguous.insert(left.result);
                    return;
                }
                Some((*frame, *call))
            }
            (None, _) => {
                let next = calls[behind..].iter().take_while(|(frame, _)| *frame == left.frames);
                next.copied().find(|(_, call)| !self.held.contains_key(call))
            }
        };
        if let Some((_, call)) = found {
            self.pair(call, left.result);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::{EntryId, Span};
    use crate::transcript::event::{Part, Place, Role, State};

    /// `c1` call 1, `f1` call 1 of a failed response, `r1` result, `s1` stub, `u` a message. Several calls: `c1+2`.
    fn transcript(words: &str) -> (Transcript, Vec<EventNo>) {
        let mut t = Transcript::default();
        for (number, word) in (0_u64..).zip(words.split_whitespace()) {
            let at = Span { entry: EntryId(0), start: number, end: number + 1 };
            let event = t.begin(at, Place::Line(number + 1), State::Whole);
            let (kind, ids) = word.split_at(1);
            let (role, part) = match kind {
                "c" | "f" => (Role::Assistant, PartKind::Call),
                "r" | "s" => (Role::Tool, PartKind::Result),
                _ => (Role::User, PartKind::Text),
            };
            t.events[event as usize].role = role;
            t.events[event as usize].failed = kind == "f";
            for id in ids.split('+') {
                let id = (!id.is_empty()).then(|| t.ids.intern(&format!(" {id}")));
                let origin = if kind == "s" { Origin::Stub } else { Origin::Real };
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
                    digest: 0,
                });
            }
        }
        let all = t.records().collect();
        (t, all)
    }

    /// What each result is: the event of its call from 1, with a mark; `-` an orphan, `?` one of several.
    fn told(words: &str) -> String {
        let (t, sequence) = transcript(words);
        let pairs = Pairs::in_frames(&t, &sequence);
        let event = |call: PartNo| t.a_part(call).event + 1;
        let results = (0..t.parts.len() as u32).filter(|part| t.a_part(*part).kind == PartKind::Result);
        let told: Vec<String> = results
            .map(|result| match pairs.standing(result) {
                Standing::Answers(call) => event(call).to_string(),
                Standing::Surplus(call) => format!("{}!", event(call)),
                Standing::OfFailed(call) => format!("{}x", event(call)),
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
    fn failed_responses_keep_their_results() {
        assert_eq!(told("f1 r1 c1 r1"), "1x 3");
        assert_eq!(told("f1 s1 c1 r1"), "1x 3");
        assert_eq!(told("f1 c2 r2 r1"), "2 1x");
        assert_eq!(told("f1 c1 c2 r2 r1"), "3 ?");
    }
}
