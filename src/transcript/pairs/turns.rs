//! Pairing turn by turn, for providers that count: behind a turn with calls stands one with as many results.
//!
//! Ids may be missing: inside a turn results find their calls by id where both have one, else by the tool's name in order,
//! else by order where as many are left on both sides. What is left is late or early, or answers nothing.

use hashbrown::HashMap;

use super::{By, Found, PairStatus, Pairs, PartId, PartKind};
use crate::transcript::event::Role;
use crate::transcript::facts::Transcript;
use crate::transcript::ids::Id;
use crate::transcript::request::Sent;

/// A turn with calls and what stands behind it up to the next. The first one stands for the beginning and has no calls.
#[derive(Default)]
struct Frame {
    calls: Vec<PartId>,
    /// Results behind the calls, before the model spoke again.
    results: Vec<PartId>,
    /// Results behind a further turn of the model.
    late: Vec<PartId>,
    closed: bool,
}

/// Pairs what is sent, in this order. Neighboring items of the model are one turn.
pub(super) fn find(t: &Transcript, order: &[Sent]) -> Pairs {
    let frames = frames(t, order);
    let mut work = Work {
        t,
        found: Found::new(t),
    };
    let mut left: Vec<(usize, PartId)> = Vec::new();
    for (number, frame) in frames.iter().enumerate() {
        if !frame.calls.is_empty() {
            work.found.open(&frame.calls);
        }
        let over = work
            .inside(frame)
            .into_iter()
            .chain(frame.late.iter().copied());
        left.extend(over.map(|result| (number, result)));
    }
    work.elsewhere(&frames, &left);
    let mut pairs = work.found.finish();
    pairs.mark_turns(t, order);
    pairs
}

impl Pairs {
    /// The last batch is pending while only results stand behind it; each batch ends with its turn.
    fn mark_turns(&mut self, t: &Transcript, order: &[Sent]) {
        let speaks = |sent: &&Sent| !matches!(sent.role, Role::System | Role::Nobody);
        let spoken: Vec<&Sent> = order.iter().filter(speaks).collect();
        for run in spoken
            .chunk_by(|a, b| a.role == b.role)
            .filter(|run| run[0].role == Role::Assistant)
        {
            let mut parts = run.iter().flat_map(|sent| sent.parts.clone());
            let number = parts.find_map(|part| (self.batch_of[part] as usize).checked_sub(1));
            if let Some(batch) = number.and_then(|number| self.batches.get_mut(number)) {
                batch.until = run.iter().map(|sent| sent.event).max();
            }
        }
        let behind = spoken
            .iter()
            .rev()
            .take_while(|sent| sent.role == Role::Tool)
            .count();
        let mut last = spoken[..spoken.len() - behind].iter().rev();
        let mut last = last
            .by_ref()
            .take_while(|sent| sent.role == Role::Assistant);
        let asks = |sent: &&Sent| {
            sent.parts
                .clone()
                .any(|part| t.a_part(part).kind == PartKind::Call)
        };
        if last.any(asks)
            && let Some(batch) = self.batches.last_mut()
        {
            batch.pending = true;
        }
    }
}

fn frames(t: &Transcript, order: &[Sent]) -> Vec<Frame> {
    let mut frames = vec![Frame::default()];
    // Whether the model speaks, and whether its turn already has calls.
    let (mut speaking, mut asking) = (false, false);
    for sent in order
        .iter()
        .filter(|sent| !matches!(sent.role, Role::System | Role::Nobody))
    {
        let of = |kind| {
            sent.parts
                .clone()
                .filter(move |part| t.a_part(*part).kind == kind)
        };
        let model = sent.role == Role::Assistant;
        if model && !speaking {
            asking = false;
        }
        let mut calls = of(PartKind::Call).peekable();
        if calls.peek().is_some() && !asking {
            frames.push(Frame::default());
            asking = true;
        }
        if let Some(frame) = frames.last_mut() {
            frame.closed |= model && !speaking && !asking;
            frame.calls.extend(calls);
            let into = if frame.closed {
                &mut frame.late
            } else {
                &mut frame.results
            };
            into.extend(of(PartKind::Result));
        }
        speaking = model;
    }
    frames
}

struct Work<'a> {
    t: &'a Transcript,
    found: Found<'a>,
}

/// Calls by a key, those still open first.
type Keyed = HashMap<Id, (std::collections::VecDeque<PartId>, Vec<PartId>)>;

impl Work<'_> {
    fn id(&self, part: PartId) -> Option<Id> {
        self.t
            .a_part(part)
            .id
            .filter(|id| !self.t.ids.is_empty(*id))
    }

    fn tool(&self, part: PartId) -> Option<Id> {
        self.t
            .a_part(part)
            .tool
            .filter(|id| !self.t.ids.is_empty(*id))
    }

    /// Pairs the results directly behind a turn's calls; those that are left over are returned.
    fn inside(&mut self, frame: &Frame) -> Vec<PartId> {
        let mut by_id = Keyed::new();
        for call in &frame.calls {
            if let Some(id) = self.id(*call) {
                by_id.entry(id).or_default().0.push_back(*call);
            }
        }
        let mut left = Vec::new();
        for result in frame.results.iter().copied() {
            let own = self.id(result).and_then(|id| by_id.get_mut(&id));
            let call = own.and_then(|(open, done)| {
                done.extend(open.pop_front());
                done.last().copied()
            });
            match call {
                Some(call) => self.found.pair(call, result),
                None => left.push(result),
            }
        }
        let left = self.by_name(frame, left);
        self.by_order(frame, left)
    }

    /// One of the two has no id: the first open call of the same tool; where all are answered, a further result of the one
    /// that it repeats.
    fn by_name(&mut self, frame: &Frame, results: Vec<PartId>) -> Vec<PartId> {
        let mut named = Keyed::new();
        for call in &frame.calls {
            if let Some(tool) = self.tool(*call) {
                let (open, done) = named.entry(tool).or_default();
                if self.found.has_result(*call) {
                    done.push(*call)
                } else {
                    open.push_back(*call)
                }
            }
        }
        let mut left = Vec::new();
        for result in results {
            let with_id = self.id(result).is_some();
            let fits = |call: &PartId| !with_id || self.id(*call).is_none();
            let known = self.tool(result).and_then(|tool| named.get_mut(&tool));
            let call = known.and_then(|(open, done)| {
                let call = open.front().copied().filter(fits);
                if call.is_some() {
                    done.extend(open.pop_front());
                    return call;
                }
                let mut all = done.iter().rev().copied().filter(fits);
                if with_id {
                    None
                } else {
                    all.find(|call| self.repeats(*call, result))
                        .or(done.last().copied())
                }
            });
            match call {
                Some(call) => self.found.pair(call, result),
                None => left.push(result),
            }
        }
        left
    }

    /// Whether the first result of a call says the same as this one.
    fn repeats(&self, call: PartId, result: PartId) -> bool {
        let mut own = self
            .found
            .results
            .iter()
            .rev()
            .take(64)
            .filter(|(other, _)| *other == call);
        own.any(|(_, other)| self.t.a_part(*other).digest == self.t.a_part(result).digest)
    }

    /// As many results without ids are left as calls: in order, whatever their names are.
    fn by_order(&mut self, frame: &Frame, results: Vec<PartId>) -> Vec<PartId> {
        let open: Vec<PartId> = frame
            .calls
            .iter()
            .copied()
            .filter(|call| !self.found.has_result(*call))
            .collect();
        let (bare, mut left): (Vec<PartId>, Vec<PartId>) = results
            .into_iter()
            .partition(|result| self.id(*result).is_none());
        if bare.len() == open.len() {
            for (call, result) in open.into_iter().zip(bare) {
                self.found.pair(call, result);
                self.found.pairs.by.insert(result, By::ToolOnly);
            }
        } else {
            left.extend(bare);
            left.sort_unstable();
        }
        left
    }

    /// Results that no call directly before them fits: of an earlier call that lacks a real one, or of an open one behind.
    fn elsewhere(&mut self, frames: &[Frame], left: &[(usize, PartId)]) {
        let mut wanting: HashMap<Id, Wanting> = HashMap::new();
        for (number, frame) in frames.iter().enumerate() {
            for call in &frame.calls {
                let lacks = self.found.lacks_real(*call);
                let key = self.id(*call).or(self.tool(*call)).filter(|_| lacks);
                if let Some(key) = key {
                    wanting.entry(key).or_default().calls.push((number, *call));
                }
            }
        }
        for (frame, result) in left {
            self.found.pairs.status[*result] = PairStatus::Orphan;
            let key = self.id(*result).or(self.tool(*result));
            let Some(wanting) = key.and_then(|key| wanting.get_mut(&key)) else {
                continue;
            };
            wanting.pass(*frame);
            let call = match wanting.before.as_slice() {
                [_, _, ..] => {
                    self.found.pairs.ambiguous.insert(*result);
                    None
                }
                [_] => wanting.before.pop(),
                [] => wanting.ahead(|call| !self.found.has_result(call)),
            };
            if let Some(call) = call {
                self.found.pair(call, *result);
            }
        }
    }
}

/// Calls of one key that lack a real result, with the number of their frame. What was looked at once is not looked at again.
#[derive(Default)]
struct Wanting {
    calls: Vec<(usize, PartId)>,
    /// So many of them stand before the current place.
    passed: usize,
    /// Those of them that still lack one.
    before: Vec<PartId>,
    /// So many, from the first, cannot be had from before them any more.
    used: usize,
}

impl Wanting {
    /// Goes on to this frame.
    fn pass(&mut self, frame: usize) {
        while let Some((_, call)) = self
            .calls
            .get(self.passed)
            .filter(|(number, _)| *number <= frame)
        {
            if self.passed >= self.used {
                self.before.push(*call);
            }
            self.passed += 1;
        }
    }

    /// The next call behind the current place that is open.
    fn ahead(&mut self, open: impl Fn(PartId) -> bool) -> Option<PartId> {
        self.used = self.used.max(self.passed);
        let behind = self.calls.get(self.used..)?;
        let at = behind.iter().position(|(_, call)| open(*call));
        self.used += at.map_or(behind.len(), |at| at + 1);
        self.calls
            .get(self.used.checked_sub(1)?)
            .map(|(_, call)| *call)
            .filter(|_| at.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::{EntryId, Span};
    use crate::transcript::Idx;
    use crate::transcript::event::{Place, State};

    /// `m` the model's text, `u` the user's, `c1` a call with id 1, `r1` its result; `cf` a call of tool f without id, `rf` its
    /// result; several parts of a turn: `c1+2`.
    fn transcript(words: &str) -> (Transcript, Vec<Sent>) {
        let mut t = Transcript::default();
        let mut order = Vec::new();
        for (number, word) in (0_u64..).zip(words.split_whitespace()) {
            let at = Span {
                entry: EntryId(0),
                start: number,
                end: number + 1,
            };
            let event = t.begin(at, Place::Item(number), State::Whole);
            let (kind, names) = word.split_at(1);
            let (role, kind) = match kind {
                "c" => (Role::Assistant, PartKind::Call),
                "r" => (Role::Tool, PartKind::Result),
                "m" => (Role::Assistant, PartKind::Text),
                _ => (Role::User, PartKind::Text),
            };
            for name in names.split('+') {
                let key = (!name.is_empty()).then(|| t.ids.intern(name));
                let is_id = name.starts_with(|c: char| c.is_ascii_digit());
                let mut part = t.blank_part(kind);
                (part.id, part.tool) = if is_id { (key, None) } else { (None, key) };
                t.part(part);
            }
            order.push(Sent {
                event,
                role,
                parts: t.event(event).parts.clone(),
                summary: false,
            });
        }
        (t, order)
    }

    /// What each result is: the part of its call from 1, `!` one too many; `-` an orphan, `?` one of several.
    fn told(words: &str) -> String {
        let (t, order) = transcript(words);
        let pairs = find(&t, &order);
        let results = t
            .parts
            .ids()
            .filter(|part| t.a_part(*part).kind == PartKind::Result);
        let told: Vec<String> = results
            .map(|result| match pairs.status(result) {
                PairStatus::Answers(call) => call.next().index().to_string(),
                PairStatus::Surplus(call) => format!("{}!", call.next().index()),
                _ if pairs.is_ambiguous(result) => "?".to_owned(),
                _ => "-".to_owned(),
            })
            .collect();
        told.join(" ")
    }

    #[test]
    fn ids_then_names_then_order() {
        assert_eq!(told("u c1+2 r2+1 m"), "3 2");
        assert_eq!(told("u cf+f rf+f m"), "2 3");
        assert_eq!(told("u cf+g rg+f m"), "3 2");
        assert_eq!(told("u cf+g rx+y m"), "2 3");
        assert_eq!(told("u cf+g rx m"), "-");
        assert_eq!(told("u c1 rf m"), "2");
        assert_eq!(told("u c1 r1+1 m"), "2 2!");
        assert_eq!(told("u cf rf+f m"), "2 2!");
    }

    #[test]
    fn what_is_late_or_early_finds_its_call() {
        assert_eq!(told("u c1 u r1"), "2");
        assert_eq!(told("u c1 m u r1"), "2");
        assert_eq!(told("u c1 r1 m r1"), "2 -");
        assert_eq!(told("u r1 c1 m"), "3");
        assert_eq!(told("r1 m u"), "-");
        assert_eq!(told("u c1 u c1 u c2 r2 r1"), "6 ?");
        assert_eq!(told("u c1 c2 r1+2"), "2 3");
    }

    #[test]
    fn the_end_waits() {
        let pending = |words: &str| {
            let (t, order) = transcript(words);
            find(&t, &order)
                .batches
                .last()
                .is_some_and(|batch| batch.pending)
        };
        assert!(pending("u c1") && pending("u c1+2 r1") && pending("u c1 m"));
        assert!(!pending("u c1 u") && !pending("u c1 r1 m") && !pending("u m"));
    }
}
