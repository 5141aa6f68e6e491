//! The messages as lists of blocks, brought into a new order.

use hashbrown::{HashMap, HashSet};

use crate::rewrite::linked::Linked;
use crate::transcript::pairs::Pairs;
use crate::transcript::{EventId, PartId, PartKind, Role, Transcript};

/// A message of the new order.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    /// The record; `None`: a new message.
    pub record: Option<EventId>,
    /// Who speaks.
    pub role: Role,
    /// What it holds.
    pub units: Vec<Unit>,
}

/// A block of the new order.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unit {
    /// The block that is this part.
    Part(PartId),
    /// A new error result for this call.
    Answer(PartId),
}

impl Unit {
    /// The part, of one that was there.
    fn part(&self) -> Option<PartId> {
        match self {
            Unit::Part(part) => Some(*part),
            Unit::Answer(_) => None,
        }
    }
}

/// The new order.
pub(crate) struct Lay<'a> {
    t: &'a Transcript,
    /// Neighbors of one role are one turn.
    turns: bool,
    /// Results that have no message behind their calls get one of their own, even where the user speaks there.
    apart: bool,
    /// The messages, by number; those that were there come first, in their order.
    messages: Vec<Message>,
    order: Linked,
    /// The message of a record.
    of_record: HashMap<EventId, usize>,
    /// The message that holds a part.
    holder: HashMap<PartId, usize>,
    /// Parts that were taken out and are still in the lists of these messages.
    parked: HashMap<usize, HashSet<PartId>>,
    /// Where the next answer of a message goes, and the end of the turn that a message is in. Forgotten when anything else
    /// moves.
    fronts: HashMap<usize, usize>,
    ends: HashMap<usize, usize>,
}

impl<'a> Lay<'a> {
    /// The order as it is. `role` is who speaks in a message; `turns`: neighbors of one role are one turn; `apart`: results
    /// do not join what the user says.
    pub(crate) fn new(
        t: &'a Transcript,
        role: fn(&Transcript, EventId) -> Role,
        turns: bool,
        apart: bool,
    ) -> Lay<'a> {
        let of = |event: EventId| Message {
            record: Some(event),
            role: role(t, event),
            units: t.event(event).parts.clone().map(Unit::Part).collect(),
        };
        let messages: Vec<Message> = t.records().map(of).collect();
        let of_record = t
            .records()
            .enumerate()
            .map(|(number, event)| (event, number))
            .collect();
        let parts = |(number, event): (usize, EventId)| {
            t.event(event).parts.clone().map(move |part| (part, number))
        };
        let holder = t.records().enumerate().flat_map(parts).collect();
        Lay {
            t,
            turns,
            apart,
            order: Linked::new(messages.len()),
            messages,
            of_record,
            holder,
            parked: HashMap::new(),
            fronts: HashMap::new(),
            ends: HashMap::new(),
        }
    }

    /// The messages in their new order, which is then over.
    pub(crate) fn take_messages(&mut self) -> Vec<Message> {
        self.settle();
        let mut messages: Vec<Option<Message>> = std::mem::take(&mut self.messages)
            .into_iter()
            .map(Some)
            .collect();
        self.order
            .all()
            .filter_map(|number| messages[number].take())
            .collect()
    }

    fn position(&self, event: EventId) -> Option<usize> {
        self.of_record
            .get(&event)
            .copied()
            .filter(|number| self.order.is_there(*number))
    }

    /// Removes what was taken out from the lists of the messages, and forgets where they end.
    fn settle(&mut self) {
        for (number, parts) in std::mem::take(&mut self.parked) {
            let is_parked = |unit: &Unit| unit.part().is_some_and(|part| parts.contains(&part));
            self.messages[number].units.retain(|unit| !is_parked(unit));
        }
        self.fronts.clear();
        self.ends.clear();
    }

    /// Takes a message out.
    pub(crate) fn park(&mut self, event: EventId) {
        self.settle();
        if let Some(number) = self.position(event) {
            self.order.take_out(number);
        }
    }

    /// Takes a block out, and the message with it where nothing else is in it.
    pub(crate) fn park_part(&mut self, part: PartId) {
        let Some(number) = self.holder.remove(&part) else {
            return;
        };
        let parked = self.parked.entry(number).or_default();
        parked.insert(part);
        if parked.len() == self.messages[number].units.len() {
            self.settle();
            self.order.take_out(number);
        }
    }

    /// The blocks of `from` behind those of `into`, results first.
    pub(crate) fn merge(&mut self, from: EventId, into: EventId) {
        self.settle();
        let Some(gone) = self.position(from) else {
            return;
        };
        self.order.take_out(gone);
        let Some(at) = self.position(into) else {
            return;
        };
        let more = std::mem::take(&mut self.messages[gone].units);
        self.holder
            .extend(more.iter().filter_map(|unit| Some((unit.part()?, at))));
        let units = std::mem::take(&mut self.messages[at].units)
            .into_iter()
            .chain(more);
        let (results, rest): (Vec<Unit>, Vec<Unit>) = units.partition(|unit| self.is_result(unit));
        self.messages[at].units = results.into_iter().chain(rest).collect();
    }

    fn is_result(&self, unit: &Unit) -> bool {
        match unit {
            Unit::Part(part) => self.t.a_part(*part).kind == PartKind::Result,
            Unit::Answer(_) => true,
        }
    }

    /// The last message of the turn that this one is in.
    fn end_of_turn(&mut self, at: usize) -> usize {
        if !self.turns {
            return at;
        }
        if !self.ends.contains_key(&at) {
            let role = self.messages[at].role;
            let more = self
                .order
                .from(at)
                .take_while(|next| self.messages[*next].role == role);
            let turn: Vec<usize> = std::iter::once(at).chain(more).collect();
            let end = turn.last().copied().unwrap_or(at);
            self.ends
                .extend(turn.into_iter().map(|number| (number, end)));
        }
        self.ends[&at]
    }

    /// Brings the results of a batch to the front of the message behind its calls.
    pub(crate) fn gather(&mut self, parts: &[PartId]) {
        let (calls, results): (Vec<PartId>, Vec<PartId>) = parts
            .iter()
            .partition(|part| self.t.a_part(**part).kind == PartKind::Call);
        let units: Vec<Unit> = results.iter().map(|result| Unit::Part(*result)).collect();
        let (Some(call), Some(first)) = (calls.last(), results.first()) else {
            return;
        };
        self.settle();
        let Some(at) = self.position(self.t.a_part(*call).event) else {
            return;
        };
        let at = self.end_of_turn(at);
        let next_is_user = self
            .order
            .behind(at)
            .is_some_and(|next| self.takes_results(next));
        let carrier = self.position(self.t.a_part(*first).event);
        let moved: HashSet<Unit> = units.iter().copied().collect();
        let moves_whole = |carrier: &usize| {
            self.messages[*carrier]
                .units
                .iter()
                .all(|u| moved.contains(u))
        };
        let one_carrier = || {
            let mut events = results.iter().map(|result| self.t.a_part(*result).event);
            self.turns && events.all(|event| event == self.t.a_part(*first).event)
        };
        let into = match carrier
            .filter(|_| !next_is_user || one_carrier())
            .filter(moves_whole)
        {
            Some(carrier) => {
                self.order.put_behind(carrier, at);
                carrier
            }
            None => self.behind(at),
        };
        let mut holders: Vec<usize> = results
            .iter()
            .filter_map(|result| self.holder.insert(*result, into))
            .collect();
        holders.sort_unstable();
        holders.dedup();
        for number in holders {
            self.messages[number]
                .units
                .retain(|unit| !moved.contains(unit));
            if self.messages[number].units.is_empty() && number != into {
                self.order.take_out(number);
            }
        }
        self.messages[into].units.splice(0..0, units);
    }

    /// Whether results may be put into this message.
    fn takes_results(&self, at: usize) -> bool {
        let own = &self.messages[at];
        own.role == Role::User && (!self.apart || own.units.iter().any(|unit| self.is_result(unit)))
    }

    /// The user message behind this one; a new one where there is none.
    fn behind(&mut self, at: usize) -> usize {
        if let Some(next) = self
            .order
            .behind(at)
            .filter(|next| self.takes_results(*next))
        {
            return next;
        }
        self.messages.push(Message {
            record: None,
            role: Role::User,
            units: Vec::new(),
        });
        self.order.add_behind(at)
    }

    /// Answers a call in the user message behind it, behind the results that are there.
    pub(crate) fn answer(&mut self, call: PartId, pairs: &Pairs) {
        if !self.parked.is_empty() {
            self.settle();
        }
        let Some(at) = self.position(self.t.a_part(call).event) else {
            return;
        };
        let end = self.end_of_turn(at);
        let into = self.behind(end);
        let own = |unit: &Unit| unit.part().is_none_or(|part| pairs.call_of(part).is_some());
        let units = &self.messages[into].units;
        let front = self.fronts.get(&into).copied();
        let front = front.unwrap_or_else(|| units.iter().take_while(|unit| own(unit)).count());
        self.messages[into].units.insert(front, Unit::Answer(call));
        self.fronts.insert(into, front + 1);
    }
}
