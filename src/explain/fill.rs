//! Replaces names in braces in the texts of stories by numbers, IDs and tools of the transcript.

use crate::engine::Judged;
use crate::report::ladder;
use crate::report::redact::StringKind;
use crate::report::text::{ReportIds, Sentence, Shown};
use crate::stories::Occurrence;
use crate::transcript::{Confidence, EventId, Inclusion, Origin, PartId, Severity};

/// Shortest delay that is mentioned, in microseconds.
const AT_ONCE: i64 = 100_000;

/// Most tools of a story whose effects are described separately.
const TOOLS: usize = 5;

/// Fills in texts for a conversation, with its IDs as they are printed.
pub(super) struct TextFiller<'a> {
    pub judged: &'a Judged,
    pub ids: ReportIds,
}

impl TextFiller<'_> {
    /// The line or event number of an event.
    pub(super) fn number(&self, event: EventId) -> u64 {
        self.judged.transcript.event(event).place().number()
    }

    /// What that number counts: `line` or `event`.
    pub(super) fn unit(&self, event: EventId) -> &'static str {
        self.judged.transcript.unit(event)
    }

    /// The ID of a call.
    fn call(&self, call: PartId) -> Sentence {
        let t = &self.judged.transcript;
        match t.part(call).id {
            Some(id) => {
                Sentence::default().id(Shown::of(StringKind::Call, t.ids.get(id)), &self.ids)
            }
            None => "a tool call without an ID".into(),
        }
    }

    /// The tool of a call.
    fn tool(&self, call: PartId) -> Sentence {
        let t = &self.judged.transcript;
        match t.part(call).tool {
            Some(tool) => Sentence::default().name(Shown::of(StringKind::Name, t.ids.get(tool))),
            None => "a tool".into(),
        }
    }

    /// Fills in a text of a story. `at` is the index of the line that the text belongs to.
    pub(super) fn fill(&self, text: &str, occurrence: &Occurrence, at: Option<usize>) -> Sentence {
        let call = at.and_then(|at| occurrence.lines.get(at)?.call).or(occurrence.call);
        self.filled(text, occurrence, at, call)
    }

    /// The texts about the effects of a story, one per tool.
    pub(super) fn safety(&self, occurrence: &Occurrence) -> Vec<Sentence> {
        let calls = occurrence.call.into_iter().chain(occurrence.calls.iter().copied());
        let mut says: Vec<Sentence> = Vec::new();
        for call in calls.map(Some).chain(occurrence.call.is_none().then_some(None)) {
            let text = self.filled(occurrence.variant.safety, occurrence, None, call);
            if !text.is_empty() && !says.contains(&text) {
                says.push(text);
            }
        }
        says.truncate(TOOLS);
        says
    }

    fn filled(
        &self,
        text: &str,
        occurrence: &Occurrence,
        at: Option<usize>,
        call: Option<PartId>,
    ) -> Sentence {
        let mut out = Sentence::default();
        let mut rest = text;
        while let Some((before, after_brace)) = rest.split_once('{') {
            let (name, after) = after_brace.split_once('}').unwrap_or((after_brace, ""));
            out = out.and(before).and(match name {
                "does" => self.filled(occurrence.does, occurrence, at, call),
                "tool" => call.map_or_else(|| "a tool".into(), |call| self.tool(call)),
                "id" => call.map(|call| self.call(call)).unwrap_or_default(),
                "session" => self.session(),
                _ => self.value(name, occurrence, at).into(),
            });
            rest = after;
        }
        out.and(rest)
    }

    fn session(&self) -> Sentence {
        let session = self.judged.session.as_deref();
        session
            .map(|id| Sentence::default().name(Shown::of(StringKind::Session, id)))
            .unwrap_or_default()
    }

    /// The replacement of a name.
    fn value(&self, name: &str, occurrence: &Occurrence, at: Option<usize>) -> String {
        match name {
            "host" => occurrence.host.to_owned(),
            "unit" => {
                occurrence.lines.first().map_or("record", |line| self.unit(line.event)).to_owned()
            }
            "gap" => self.gap(occurrence),
            "sure" => match occurrence.variant.certainty {
                Confidence::Certain => String::new(),
                Confidence::Likely => " (likely)".to_owned(),
                Confidence::Guess => " (a guess)".to_owned(),
            },
            "wait" => self.wait(occurrence, at),
            "count" => occurrence.explained.len().max(occurrence.calls.len()).to_string(),
            _ => occurrence
                .event(name)
                .map(|event| self.number(event).to_string())
                .unwrap_or_default(),
        }
    }

    /// How much later than the call its result was written.
    fn gap(&self, occurrence: &Occurrence) -> String {
        let t = &self.judged.transcript;
        let call = occurrence.call.map(|call| t.part(call).event);
        let gap = self.micros(call, occurrence.event("result"));
        gap.map_or_else(|| "later".to_owned(), |micros| ladder::later(micros as f64 / 1e6))
    }

    /// `, 2.3 s later` than the line before it; empty if the times do not show it, or the delay is
    /// very short.
    fn wait(&self, occurrence: &Occurrence, at: Option<usize>) -> String {
        let lines = &occurrence.lines;
        let from = at.and_then(|at| lines.get(at.checked_sub(1)?));
        let to = at.and_then(|at| lines.get(at));
        let gap = self.micros(from.map(|line| line.event), to.map(|line| line.event));
        let gap = gap.filter(|gap| *gap >= AT_ONCE);
        gap.map(|micros| format!(", {}", ladder::later(micros as f64 / 1e6))).unwrap_or_default()
    }

    /// Microseconds from one event to another, if the times show it.
    fn micros(&self, from: Option<EventId>, to: Option<EventId>) -> Option<i64> {
        let [from, to] = [from?, to?].map(|event| self.judged.transcript.event(event).time());
        to?.checked_sub(from?).filter(|gap| *gap >= 0)
    }

    /// What the results of the call of a story lead to; empty if the next request is as it should
    /// be.
    pub(super) fn outcome(&self, occurrence: &Occurrence) -> Sentence {
        let t = &self.judged.transcript;
        let Some(call) = occurrence.call else {
            return Sentence::default();
        };
        let inclusion = |result: &PartId| self.judged.request().inclusion(t.part(*result).event);
        let (sent, rest): (Vec<PartId>, Vec<PartId>) =
            occurrence.results.iter().partition(|result| inclusion(result) == Inclusion::Sent);
        if sent.len() > 1 {
            return self.several(occurrence, call, &sent);
        }
        let origin = |result: &PartId| t.part(*result).origin;
        let real = rest.iter().find(|result| {
            origin(result) == Origin::Real && inclusion(result) == Inclusion::OffBranch
        });
        match (sent.first().filter(|stub| origin(stub) == Origin::Placeholder), real) {
            (Some(stub), Some(real)) => {
                let number = |result: &PartId| self.number(t.part(*result).event);
                Sentence::from(format!("So the placeholder {} answers ", number(stub)))
                    .and(self.call(call))
                    .and(format!(
                        ", and the real result {} is off the active branch, so the model does not \
                        see it.",
                        number(real)
                    ))
            }
            _ => Sentence::default(),
        }
    }

    /// The sentence for more than one sent result.
    fn several(&self, occurrence: &Occurrence, call: PartId, sent: &[PartId]) -> Sentence {
        let explained = occurrence.explained.iter().filter_map(|at| self.judged.findings.get(*at));
        let fatal = explained.into_iter().any(|finding| finding.severity == Severity::Fatal);
        let refused = if fatal {
            format!("{} rejects it every time", self.judged.target().title)
        } else {
            "it is not valid".to_owned()
        };
        let events: Vec<EventId> =
            sent.iter().map(|result| self.judged.transcript.part(*result).event).collect();
        let both = if sent.len() == 2 { "both " } else { "" };
        Sentence::from(format!("So {both}{} answer ", self.list(&events))).and(self.call(call)).and(
            format!(
                ". The next request then has {} results with the same ID, and {refused}.",
                sent.len(),
            ),
        )
    }

    /// `61, 63, and 65`.
    pub(super) fn list(&self, events: &[EventId]) -> String {
        let numbers: Vec<String> =
            events.iter().map(|event| self.number(*event).to_string()).collect();
        match numbers.as_slice() {
            [] => String::new(),
            [one] => one.clone(),
            [one, other] => format!("{one} and {other}"),
            [first @ .., last] => format!("{}, and {last}", first.join(", ")),
        }
    }
}
