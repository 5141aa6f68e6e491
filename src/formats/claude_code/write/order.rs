//! The new order of the path: answers together, their results behind them, new lines in their places.

use super::{Node, Plan};
use crate::containers::rewrite::CannotDo;
use crate::formats::claude_code::lines::stamp;
use crate::json::quote::quote;
use crate::transcript::{EventId, PartId, PartKind};

impl Plan<'_> {
    /// Brings the lines of an answer together, and the results behind them.
    pub(super) fn gather(&mut self, parts: &[PartId]) -> Result<(), CannotDo> {
        let event = |part: &PartId| self.t.a_part(*part).event;
        // Of a tool that the provider runs the call is told first.
        let hosted = |part: &PartId| self.t.a_part(*part).kind == PartKind::Hosted;
        let is_call = |part: &&PartId| {
            self.t.a_part(**part).kind == PartKind::Call
                || (hosted(part) && Some(*part) == parts.first())
        };
        let Some(call) = parts.iter().find(is_call).map(event) else {
            return Ok(());
        };
        let mut results: Vec<EventId> = parts
            .iter()
            .filter(|part| !is_call(part))
            .map(event)
            .collect();
        results.dedup();
        results.retain(|result| self.session.current.has(*result));
        let answer = |event: EventId| self.t.event(event).batch.ok_or(event);
        if results
            .iter()
            .any(|line| self.asks(*line).any(|other| answer(other) != answer(call)))
        {
            return Err(CannotDo("a record holds results of several answers"));
        }
        let asked = parts.iter().filter(is_call).map(event);
        let mut own: Vec<Node> = self
            .answer_lines(call)
            .iter()
            .copied()
            .chain(asked)
            .collect();
        own.retain(|line| self.session.current.has(*line));
        let place = |node: &Node| self.places.get(node).copied();
        own.sort_unstable_by_key(place);
        own.dedup();
        let taken = own
            .iter()
            .chain(&results)
            .any(|node| self.group_of.contains_key(node));
        if own.is_empty() || taken {
            return Ok(());
        }
        if let Some(id) = self
            .t
            .event(call)
            .batch
            .filter(|_| parts.iter().all(hosted))
        {
            let apart = results
                .iter()
                .filter(|result| self.t.event(**result).batch != Some(id));
            apart.for_each(|result| self.wishes.batch(*result, self.t.ids.get(id)));
        }
        let group: Vec<Node> = own.into_iter().chain(results).collect();
        group
            .iter()
            .for_each(|node| _ = self.group_of.insert(*node, self.groups.len()));
        self.groups.push(group);
        Ok(())
    }

    /// The records of the calls that the results of a line answer.
    fn asks(&self, line: EventId) -> impl Iterator<Item = EventId> + '_ {
        let calls = self
            .t
            .event(line)
            .parts
            .clone()
            .filter_map(|part| self.request.pairs.call_of(part));
        calls.map(|call| self.t.a_part(call).event)
    }

    /// The lines of the path that are of one answer, in order.
    pub(super) fn answer_lines(&self, call: EventId) -> &[EventId] {
        let lines = self
            .t
            .event(call)
            .batch
            .and_then(|batch| self.lines.get(&batch));
        lines.map(Vec::as_slice).unwrap_or_default()
    }

    /// The path with the groups brought together and the new lines in it.
    pub(super) fn order_path(&mut self) {
        let mut path: Vec<Node> = Vec::with_capacity(self.path.len() + self.answers.len());
        for node in std::mem::take(&mut self.path) {
            let group = self
                .group_of
                .get(&node)
                .map(|group| self.groups[*group].as_slice());
            let nodes = match group {
                Some(group) if group.first() == Some(&node) => group,
                Some(_) => continue,
                None => std::slice::from_ref(&node),
            };
            for node in nodes {
                path.push(*node);
                path.extend(self.next_to.get(node).into_iter().flatten());
            }
        }
        path.append(&mut self.at_the_end);
        self.path = path;
        for group in std::mem::take(&mut self.groups) {
            self.keep_the_end(&group);
        }
    }

    /// No line that went up may be the last of the file or the newest: clients would take it for the end of the talk.
    fn keep_the_end(&mut self, group: &[Node]) {
        let Some(end) = self
            .path
            .last()
            .copied()
            .filter(|end| *end < self.t.events.end())
        else {
            return;
        };
        let mut before: Option<EventId> = None;
        for node in group.iter().copied() {
            let late = node > end || self.t.event(node).time > self.t.event(end).time;
            if let Some(before) = before.filter(|_| late && node != end) {
                self.move_behind(node, before);
            } else {
                before = Some(node);
            }
        }
    }

    /// Moves a line behind another one and gives it that one's time.
    fn move_behind(&mut self, event: EventId, before: EventId) {
        if !self.moved.insert(event) {
            return;
        }
        self.behind.entry(before).or_default().push(event);
        if let Some(time) = self.t.event(before).time {
            self.wishes.set(event, "timestamp", quote(&stamp(time)));
        }
    }
}
