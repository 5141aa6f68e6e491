//! What the provider refuses in the content of messages that are sent, and what each kind of client does about it.

use hashbrown::{HashMap, HashSet};

use super::sent::Message;
use super::{Session, attrs};
use crate::dialects::anthropic::{self, Damage, FEW_IMAGES, Manner, kinds::Hosted};
use crate::formats::{Client, FormatContext};
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Fix, Flaws, Id, IndexVec, Label, LabelRole, PartId,
    PartKind, Role, Severity, Subject, Transcript, Value,
};

/// Judges the messages of the request.
pub(super) fn judge(
    context: &FormatContext<'_>,
    session: &Session,
    list: &[Message],
    pairs: &Pairs,
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut work = Work::new(context, session, list, pairs);
    for message in list {
        let mut before: Option<EventId> = None;
        for sent in &message.items {
            let is_flawed = t.flaws(sent.event) != Flaws::NONE;
            if is_flawed && before.replace(sent.event) != Some(sent.event) {
                work.record(message, sent.event);
            }
        }
    }
    work.halves(list);
    work.diagnostics
}

/// Messages with an empty list, if the request begins well without them: all clients leave such a list out, or fill it (run:
/// 2.1.20 and 2.1.329). An empty string they send.
pub(super) fn filled(t: &Transcript, list: &[Message]) -> HashSet<EventId> {
    let says = |message: &Message| message.items.iter().any(|sent| !sent.parts.is_empty());
    let first = list.iter().find(|message| says(message));
    let mut begun = first.is_none_or(|first| first.role == Role::User);
    let mut filled = HashSet::new();
    for message in list {
        let empty = message.items.iter().map(|sent| sent.event);
        let empty = empty.filter(|event| t.event(*event).parts.is_empty());
        filled.extend(empty.filter(|_| begun));
        begun |= says(message);
    }
    filled
}

struct Work<'a> {
    context: &'a FormatContext<'a>,
    t: &'a Transcript,
    pairs: &'a Pairs,
    /// By part.
    sent: IndexVec<PartId, bool>,
    many_images: bool,
    /// Bad media of records in front of this place are not sent any more.
    healed: HashSet<EventId>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Work<'a> {
    fn new(
        context: &'a FormatContext<'a>,
        session: &Session,
        list: &[Message],
        pairs: &'a Pairs,
    ) -> Work<'a> {
        let t = context.transcript;
        let mut sent = IndexVec::for_each_of(&t.parts, false);
        let mut images = 0_i64;
        let mut before: Option<EventId> = None;
        for item in list.iter().flat_map(|message| &message.items) {
            item.parts.clone().for_each(|part| sent[part] = true);
            if before.replace(item.event) != Some(item.event)
                && let Some(Value::Number(count)) = t.attr_of(item.event, attrs::IMAGES)
            {
                images = images.saturating_add(count);
            }
        }
        let heals = |event: &EventId| t.attr_of(*event, attrs::HEALS_MEDIA).is_some();
        let healed = session.sequence.iter().rposition(heals).unwrap_or(0);
        Work {
            context,
            t,
            pairs,
            sent,
            many_images: u64::try_from(images).is_ok_and(|images| images > FEW_IMAGES),
            healed: session.sequence.iter().take(healed).copied().collect(),
            diagnostics: Vec::new(),
        }
    }

    fn record(&mut self, message: &Message, event: EventId) {
        let (context, t) = (self.context, self.t);
        let parts = t.event(event).parts.clone();
        let manner = Manner {
            role: t.event(event).role,
            many_images: self.many_images,
        };
        let Ok(record) = context.record(event) else {
            return;
        };
        let spoken = record.root().get("message");
        for damage in spoken.map_or_else(Vec::new, |spoken| anthropic::judge(spoken, &manner)) {
            let part = |block: &u32| parts.at(*block as usize);
            let unsent = |block: &u32| !self.sent.get(part(block)).copied().unwrap_or(true);
            let healed = damage.code == Code::BadMedia && self.healed.contains(&event);
            let nothing = !damage.blocks.is_empty() && damage.blocks.iter().all(unsent);
            if !healed && !nothing {
                let diagnostic = self.diagnostic(message, event, damage);
                self.diagnostics.push(diagnostic);
            }
        }
    }

    fn diagnostic(&self, message: &Message, event: EventId, damage: Damage) -> Diagnostic {
        let t = self.t;
        let is_place = damage.code == Code::ForeignBlock && is_stray_result(t, event);
        // A line of an answer of which nothing is left goes, if the answer has other lines.
        let others = || message.items.iter().any(|sent| sent.event != event);
        let goes = damage.empties && t.event(event).role == Role::Assistant && others();
        let mut diagnostic = damage.diagnostic(t, event);
        if diagnostic.code == Code::MalformedRecord {
            diagnostic.effect = Effect::Hides(1);
        }
        if goes {
            diagnostic.fixes = diagnostic
                .fixes
                .into_iter()
                .map(|own| Fix {
                    actions: vec![Action::Park(event)],
                    ..own
                })
                .collect();
        }
        if is_place {
            diagnostic.fixes = vec![Fix::with_guess(vec![Action::Park(event)])];
            diagnostic.covers.extend(self.answered_astray(event));
        }
        diagnostic
    }

    /// The open calls that a result in the wrong place was to answer.
    fn answered_astray(&self, event: EventId) -> Vec<Subject> {
        let t = self.t;
        let ids: HashSet<_> = t
            .event(event)
            .parts
            .clone()
            .filter_map(|part| t.a_part(part).id)
            .collect();
        let open = self
            .pairs
            .all()
            .filter(|(_, standing)| *standing == PairStatus::Open);
        let named = open.filter(|(call, _)| t.a_part(*call).id.is_some_and(|id| ids.contains(&id)));
        named.map(|(call, _)| Subject::Open(call)).collect()
    }

    /// Calls of tools that the provider runs, without their results in the same turn, and the other way round.
    fn halves(&mut self, list: &[Message]) {
        let mut all: Vec<(PartId, Hosted)> = Vec::new();
        for turn in list.chunk_by(|a, b| a.role == b.role) {
            let hosts = |event: &EventId| self.t.part_of(*event, PartKind::Hosted).is_some();
            let mut events: Vec<EventId> = turn
                .iter()
                .flat_map(|message| &message.items)
                .map(|sent| sent.event)
                .filter(hosts)
                .collect();
            events.dedup();
            let is_model = turn
                .first()
                .is_some_and(|message| message.role == Role::Assistant);
            if !is_model || events.is_empty() {
                continue;
            }
            let last = turn.last().map(std::ptr::from_ref) == list.last().map(std::ptr::from_ref);
            all.extend(
                self.alone(&events)
                    .into_iter()
                    .filter(|(_, is)| !(last && *is == Hosted::Call)),
            );
        }
        // A call and a result of one id, in two answers.
        let id = |part: PartId| {
            self.t
                .a_part(part)
                .id
                .filter(|id| !self.t.ids.is_empty(*id))
        };
        let mut calls: HashMap<Id, PartId> = HashMap::new();
        let mut torn: HashMap<PartId, PartId> = HashMap::new();
        for (part, is) in all.iter().copied() {
            let Some(id) = id(part) else { continue };
            match is {
                Hosted::Call => _ = calls.insert(id, part),
                Hosted::Result => torn.extend(calls.remove(&id).map(|call| (call, part))),
            }
        }
        let results: HashSet<PartId> = torn.values().copied().collect();
        let left = all.into_iter().filter(|(part, _)| !results.contains(part));
        let diagnostics: Vec<Diagnostic> = left
            .map(|(part, is)| self.half(part, is, torn.get(&part).copied()))
            .collect();
        self.diagnostics.extend(diagnostics);
    }

    /// The halves of these lines that have no other one, by part.
    fn alone(&self, events: &[EventId]) -> Vec<(PartId, Hosted)> {
        let mut open: HashMap<Option<Id>, Vec<PartId>> = HashMap::new();
        let mut alone = Vec::new();
        for event in events.iter().copied() {
            let Ok(record) = self.context.record(event) else {
                continue;
            };
            let content = record.root().at(&["message", "content"]);
            let blocks = content.into_iter().flat_map(|content| content.items());
            let parts = self.t.event(event).parts.clone();
            for (part, is) in parts.zip(blocks.map(anthropic::kinds::hosted)) {
                let id = self.t.a_part(part).id;
                match is {
                    Some(Hosted::Call) => open.entry(id).or_default().push(part),
                    Some(Hosted::Result) if open.get_mut(&id).and_then(Vec::pop).is_none() => {
                        alone.push((part, Hosted::Result));
                    }
                    Some(Hosted::Result) | None => {}
                }
            }
        }
        alone.extend(
            open.into_values()
                .flatten()
                .map(|part| (part, Hosted::Call)),
        );
        alone.sort_unstable_by_key(|(part, _)| *part);
        alone
    }

    /// `result`: the other half of a call, in another answer.
    fn half(&self, part: PartId, is: Hosted, result: Option<PartId>) -> Diagnostic {
        let event = self.t.a_part(part).event;
        let (said, role) = match is {
            Hosted::Call => ("server tool call without a result", LabelRole::Call),
            Hosted::Result => ("server tool result without a call", LabelRole::Result),
        };
        let mut diagnostic = Diagnostic::new(Code::ForeignBlock, said, event);
        diagnostic.labels = vec![Label { event, role }];
        diagnostic.about = vec![Subject::Identity(part)];
        let heals = self.context.client == Client::Current;
        diagnostic.severity = Some(if heals {
            Severity::Error
        } else {
            Severity::Fatal
        });
        diagnostic.effect = if heals {
            Effect::Hides(1)
        } else {
            Effect::Refused
        };
        diagnostic.fixes = vec![Fix::with_guess(vec![Action::ParkPart(part)])];
        if let Some(result) = result {
            diagnostic.message =
                "server tool call and its result are in different responses".to_owned();
            diagnostic.labels.push(Label {
                event: self.t.a_part(result).event,
                role: LabelRole::Result,
            });
            diagnostic.about.push(Subject::Identity(result));
            diagnostic.fixes = vec![Fix::with_guess(vec![Action::Gather(vec![part, result])])];
        }
        diagnostic
    }
}

/// A line of an answer that holds nothing but results.
fn is_stray_result(t: &Transcript, event: EventId) -> bool {
    let parts = t.event(event).parts.clone();
    t.event(event).role == Role::Assistant
        && !parts.is_empty()
        && parts
            .into_iter()
            .all(|part| t.a_part(part).kind == PartKind::Result)
}
