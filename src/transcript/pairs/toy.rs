//! Transcripts written as words, for tests.

use super::{PairPolicy, PairStatus, Paired, Pairs, PartId, PartKind};
use crate::bytes::source::{EntryId, Span};
use crate::transcript::conversation::Transcript;
use crate::transcript::event::{Origin, Place, Role, State};
use crate::transcript::index::{EventId, Idx};
use crate::transcript::request::Sent;

/// `c1` a call with ID 1, `f1` one of a failed response, `r1` its result, `s1` a placeholder, `m` the model's text, `u` the
/// user's; `cf` a call of tool f without ID, `rf` its result; several parts of a message: `c1+2`.
pub(super) fn transcript(words: &str) -> (Transcript, Vec<Sent>) {
    let mut t = Transcript::default();
    let mut order = Vec::new();
    for (number, word) in (0_u64..).zip(words.split_whitespace()) {
        let at = Span::new(EntryId(0), number, number + 1);
        let event = t.begin(at, Place::Line(number + 1), State::Whole);
        let (letter, names) = word.split_at(1);
        let (role, kind) = match letter {
            "c" | "f" => (Role::Assistant, PartKind::Call),
            "r" | "s" => (Role::Tool, PartKind::Result),
            "m" => (Role::Assistant, PartKind::Text),
            _ => (Role::User, PartKind::Text),
        };
        (t.events[event].role, t.events[event].failed) = (role, letter == "f");
        for name in names.split('+') {
            let key = (!name.is_empty()).then(|| t.ids.intern(&format!(" {name}")));
            let mut part = t.blank_part(kind);
            if name.starts_with(|c: char| c.is_ascii_digit()) {
                (part.id, part.sent_id) = (key, key);
            } else {
                part.tool = key;
            }
            part.origin = match letter {
                "s" => Origin::Placeholder,
                _ => Origin::Real,
            };
            t.add_part(part);
        }
        order.push(Sent::new(event, role, t.event(event).parts.clone()));
    }
    (t, order)
}

/// Pairs the parts of these words.
pub(super) fn paired(policy: PairPolicy, words: &str) -> (Transcript, Pairs) {
    let (t, order) = transcript(words);
    let events: Vec<EventId> = order.iter().map(|sent| sent.event).collect();
    let paired = Paired { order: &order, ..Paired::events(&events) };
    let pairs = Pairs::find(&t, policy, &paired);
    (t, pairs)
}

/// The call of each result, as a number: `!` surplus, `x` of a failed response; `-` an orphan, `?` ambiguous.
pub(super) fn describe(
    policy: PairPolicy,
    words: &str,
    number: fn(&Transcript, PartId) -> usize,
) -> String {
    let (t, pairs) = paired(policy, words);
    let parts = t.parts.enumerated();
    let results = parts.filter(|(_, part)| part.kind == PartKind::Result);
    let described = results.map(|(result, _)| match pairs.status(result) {
        PairStatus::Answers(call) => number(&t, call).to_string(),
        PairStatus::Surplus(call) => format!("{}!", number(&t, call)),
        PairStatus::OfFailed(call) => format!("{}x", number(&t, call)),
        _ if pairs.is_ambiguous(result) => "?".to_owned(),
        _ => "-".to_owned(),
    });
    described.collect::<Vec<_>>().join(" ")
}

/// The event of a part, from 1.
pub(super) fn event(t: &Transcript, part: PartId) -> usize {
    t.part(part).event.next().index()
}
