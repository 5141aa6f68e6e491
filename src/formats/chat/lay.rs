//! The messages as lists of blocks, brought into a new order.

use crate::transcript::pairs::Pairs;
use crate::transcript::{EventNo, PartKind, PartNo, Role, Transcript};

/// A message of the new order.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    /// The record; `None`: a new message.
    pub record: Option<EventNo>,
    /// Who speaks.
    pub role: Role,
    /// What it holds.
    pub units: Vec<Unit>,
}

/// A block of the new order.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// The block that is this part.
    Part(PartNo),
    /// A new error result for this call.
    Answer(PartNo),
}

/// The new order.
pub(crate) struct Lay<'a> {
    t: &'a Transcript,
    /// Neighbours of one role are one turn.
    turns: bool,
    /// Results that have no message behind their calls get one of their own, even where the user speaks there.
    apart: bool,
    /// The messages.
    pub messages: Vec<Message>,
}

impl<'a> Lay<'a> {
    /// The order as it is. `role` is who speaks in a message; `turns`: neighbours of one role are one turn; `apart`: results
    /// do not join what the user says.
    pub(crate) fn new(
        t: &'a Transcript,
        role: fn(&Transcript, EventNo) -> Role,
        turns: bool,
        apart: bool,
    ) -> Lay<'a> {
        let messages = t
            .records()
            .map(|event| Message {
                record: Some(event),
                role: role(t, event),
                units: t.event(event).parts.clone().map(Unit::Part).collect(),
            })
            .collect();
        Lay { t, turns, apart, messages }
    }

    fn position(&self, event: EventNo) -> Option<usize> {
        self.messages.iter().position(|message| message.record == Some(event))
    }

    /// Takes a message out.
    pub(crate) fn park(&mut self, event: EventNo) {
        self.messages.retain(|message| message.record != Some(event));
    }

    /// Takes a block out, and the message with it where nothing else is in it.
    pub(crate) fn park_part(&mut self, part: PartNo) {
        self.messages.retain_mut(|message| {
            let had = message.units.len();
            message.units.retain(|unit| *unit != Unit::Part(part));
            !message.units.is_empty() || had == 0
        });
    }

    /// The blocks of `from` behind those of `into`, results first.
    pub(crate) fn merge(&mut self, from: EventNo, into: EventNo) {
        let Some(at) = self.position(from) else { return };
        let gone = self.messages.remove(at);
        let Some(at) = self.position(into) else { return };
        let mut units = std::mem::take(&mut self.messages[at].units);
        units.extend(gone.units);
        let (results, rest): (Vec<Unit>, Vec<Unit>) =
            units.into_iter().partition(|unit| self.is_result(unit));
        self.messages[at].units = results.into_iter().chain(rest).collect();
    }

    fn is_result(&self, unit: &Unit) -> bool {
        match unit {
            Unit::Part(part) => self.t.a_part(*part).kind == PartKind::Result,
            Unit::Answer(_) => true,
        }
    }

    /// The last message of the turn that this one is in.
    fn end_of_turn(&self, at: usize) -> usize {
        let Some(own) = self.messages.get(at).filter(|_| self.turns) else { return at };
        let more = self.messages[at + 1..].iter().take_while(|next| next.role == own.role).count();
        at + more
    }

    /// Brings the results of a batch to the front of the message behind its calls.
    pub(crate) fn gather(&mut self, parts: &[PartNo]) {
        let (calls, results): (Vec<PartNo>, Vec<PartNo>) =
            parts.iter().partition(|part| self.t.a_part(**part).kind == PartKind::Call);
        let units: Vec<Unit> = results.iter().map(|result| Unit::Part(*result)).collect();
        let (Some(call), Some(first)) = (calls.last(), results.first()) else { return };
        let Some(at) = self.position(self.t.a_part(*call).event) else { return };
        let at = self.end_of_turn(at);
        let next_is_user = self.takes_results(at + 1);
        let carrier = self.position(self.t.a_part(*first).event);
        let moves_whole =
            |carrier: &usize| self.messages[*carrier].units.iter().all(|unit| units.contains(unit));
        let one_carrier = || {
            let events = results.iter().map(|result| self.t.a_part(*result).event);
            self.turns && events.clone().all(|event| Some(event) == events.clone().next())
        };
        let into = match carrier.filter(|_| !next_is_user || one_carrier()).filter(moves_whole) {
            Some(carrier) => {
                let message = self.messages.remove(carrier);
                let at = if carrier < at { at - 1 } else { at };
                self.messages.insert(at + 1, message);
                at + 1
            }
            None => self.behind(at),
        };
        let mut emptied = Vec::new();
        for (number, message) in self.messages.iter_mut().enumerate() {
            let had = message.units.len();
            message.units.retain(|unit| !units.contains(unit));
            if number == into {
                message.units.splice(0..0, units.iter().copied());
            } else if message.units.len() < had && message.units.is_empty() {
                emptied.push(number);
            }
        }
        for number in emptied.into_iter().rev() {
            self.messages.remove(number);
        }
    }

    /// Whether results may be put into this message.
    fn takes_results(&self, at: usize) -> bool {
        let message = self.messages.get(at).filter(|message| message.role == Role::User);
        message.is_some_and(|own| !self.apart || own.units.iter().any(|unit| self.is_result(unit)))
    }

    /// The position of the user message behind this one; a new one where there is none.
    fn behind(&mut self, at: usize) -> usize {
        if !self.takes_results(at + 1) {
            self.messages.insert(at + 1, Message { record: None, role: Role::User, units: Vec::new() });
        }
        at + 1
    }

    /// Answers a call in the user message behind it, behind the results that are there.
    pub(crate) fn answer(&mut self, call: PartNo, pairs: &Pairs) {
        let Some(at) = self.position(self.t.a_part(call).event) else { return };
        let into = self.behind(self.end_of_turn(at));
        let own = |unit: &Unit| match unit {
            Unit::Part(part) => pairs.call_of(*part).is_some(),
            Unit::Answer(_) => true,
        };
        let front = self.messages[into].units.iter().take_while(|unit| own(unit)).count();
        self.messages[into].units.insert(front, Unit::Answer(call));
    }
}
