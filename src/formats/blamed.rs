//! What only the provider's own text names: thinking that was altered looks like any other, and an image that it cannot
//! process may be one that everybody else can.

use super::FormatContext;
use crate::dialects::anthropic::{self, kinds};
use crate::json::cut::{self, Change};
use crate::json::node::Node;
use crate::transcript::{
    Action, Code, Confidence, Diagnostic, Effect, EventId, Fix, IdRange, Label, LabelRole, PartId,
    PartKind, Request, Role, Severity, Subject,
};

/// What stands in the place of an image or a document that is taken out.
const REASON: &str = "the provider refused it";
/// Candidates that a message describes.
const DESCRIBED: usize = 8;

/// What a provider refuses that no check can see.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum What {
    Thinking,
    /// Images and documents.
    Media,
}

/// A place in what is sent.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The message: its position in our view, from 0.
    pub message: u32,
    /// The block: its position among those of the message that are sent, from 0.
    pub block: u32,
    /// The block inside a result, from 0.
    pub inner: Option<u32>,
}

/// What a provider has refused, by its own text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// What it is.
    pub what: What,
    /// Where: of thinking the whole answer is meant.
    pub spots: Vec<Spot>,
    /// All that is like it behind the first of these places is meant, too.
    pub onward: bool,
    /// The text names no place, or one where nothing of that kind stands: the newest candidate is taken, or the next.
    pub guess: bool,
}

impl Blame {
    fn names(&self, spot: Spot) -> bool {
        self.spots.iter().any(|own| match self.what {
            What::Thinking => own.message == spot.message,
            What::Media => *own == spot,
        })
    }

    /// Those that are meant.
    fn choose<'a>(&self, all: &'a [Candidate]) -> Vec<&'a Candidate> {
        let first = all
            .iter()
            .position(|candidate| self.names(candidate.spot))
            .unwrap_or(all.len());
        let meant = |candidate: &&Candidate| self.onward || self.names(candidate.spot);
        all.get(first..)
            .unwrap_or_default()
            .iter()
            .filter(meant)
            .collect()
    }
}

/// How a format takes out what is blamed.
#[derive(Copy, Clone, Debug)]
pub struct Means {
    /// The message of a record.
    pub message: for<'a> fn(Node<'a>) -> Option<Node<'a>>,
    /// The step after which the host itself sends none of the thinking so far. `None`: it knows no such thing.
    pub strip: fn(&FormatContext<'_>) -> Option<Action>,
    /// The host may send messages that are not recorded, so that the numbers of a text are not ours.
    pub shifts: bool,
}

/// Something that a text may mean.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// Where it is sent.
    pub spot: Spot,
    /// The part that it is, or the result that holds it.
    part: PartId,
    /// In our own words: `image/png, 68 bytes`.
    said: String,
}

/// Everything in a view that only its provider can judge, in order.
pub(crate) fn candidates(
    context: &FormatContext<'_>,
    request: &Request,
    means: &Means,
    what: What,
) -> Vec<Candidate> {
    let t = context.transcript;
    let mut found = Vec::new();
    for (message, known) in (0_u32..).zip(&request.messages) {
        let items = known.items.start as usize..known.items.end as usize;
        let sent = request
            .order
            .get(items)
            .unwrap_or_default()
            .iter()
            .filter(|sent| !sent.summary);
        let parts = sent.flat_map(|sent| sent.parts.clone());
        for (block, part) in (0_u32..).zip(parts) {
            let spot = Spot {
                message,
                block,
                inner: None,
            };
            match (what, t.a_part(part).kind) {
                (What::Thinking, PartKind::Thinking) if known.role == Role::Assistant => {
                    found.push(Candidate {
                        spot,
                        part,
                        said: String::new(),
                    });
                }
                (What::Media, PartKind::Media | PartKind::Result) => {
                    media(context, means, spot, part, &mut found)
                }
                _ => {}
            }
        }
    }
    found
}

/// The images and documents of a block, or inside a result.
fn media(
    context: &FormatContext<'_>,
    means: &Means,
    spot: Spot,
    part: PartId,
    found: &mut Vec<Candidate>,
) {
    let t = context.transcript;
    let event = t.a_part(part).event;
    let at = t.position(part);
    let described_at = || {
        let record = context.record(event).ok()?;
        let content = (means.message)(record.root())?.get("content")?;
        let block = content.items().nth(at)?;
        if let Some(said) = described(block) {
            return Some(vec![(None, said)]);
        }
        let inner = (0_u32..).zip(block.get("content")?.items());
        Some(
            inner
                .filter_map(|(at, block)| Some((Some(at), described(block)?)))
                .collect(),
        )
    };
    let all = described_at().unwrap_or_default().into_iter();
    found.extend(all.map(|(inner, said)| Candidate {
        spot: Spot { inner, ..spot },
        part,
        said,
    }));
}

/// What an image or a document is; `None`: the block is neither.
fn described(block: Node<'_>) -> Option<String> {
    let what = ["image", "document"]
        .into_iter()
        .find(|what| kinds::is(block, what))?;
    let data = block.at(&["source", "data"]).and_then(|data| data.str());
    let Some(data) = data else {
        return Some(format!("{what} that is not in the transcript"));
    };
    let real = anthropic::media_type(&data).unwrap_or(what);
    Some(format!("{real}, {} characters", data.len()))
}

/// The finding about what is blamed.
pub(crate) fn diagnostic(
    context: &FormatContext<'_>,
    request: &Request,
    means: &Means,
    blame: &Blame,
) -> Option<Diagnostic> {
    let t = context.transcript;
    let all = candidates(context, request, means, blame.what);
    let chosen = blame.choose(&all);
    let first = chosen.first()?;
    let (code, said) = match (blame.what, blame.guess) {
        (What::Thinking, false) => (
            Code::Thinking,
            "thinking that the provider rejected".to_owned(),
        ),
        (What::Thinking, true) => (
            Code::Thinking,
            "the newest thinking: the provider does not say which it rejects".to_owned(),
        ),
        (What::Media, false) => (
            Code::BadMedia,
            format!("media that the provider rejected ({})", first.said),
        ),
        (What::Media, true) => (Code::BadMedia, listed(context, &all)),
    };
    let mut diagnostic = Diagnostic::new(code, said, t.a_part(first.part).event);
    let mut events: Vec<EventId> = chosen
        .iter()
        .map(|candidate| t.a_part(candidate.part).event)
        .collect();
    events.dedup();
    diagnostic.labels = events
        .into_iter()
        .map(|event| Label::new(event, LabelRole::Record))
        .collect();
    diagnostic.about = chosen
        .iter()
        .map(|candidate| Subject::Identity(candidate.part))
        .collect();
    diagnostic.severity = Some(Severity::Fatal);
    diagnostic.confidence = if blame.guess {
        Confidence::Guess
    } else {
        Confidence::Likely
    };
    diagnostic.effect = Effect::Refused;
    let actions = match blame.what {
        What::Thinking => match (means.strip)(context) {
            Some(strip) => vec![strip],
            None => without_thinking(context, request, means, &chosen),
        },
        What::Media => without_media(context, means, &chosen),
    };
    if !actions.is_empty() {
        diagnostic.fixes = vec![Fix::with_guess(actions)];
    }
    Some(diagnostic)
}

/// All that may be meant, the newest first.
fn listed(context: &FormatContext<'_>, all: &[Candidate]) -> String {
    let t = context.transcript;
    let one = |candidate: &Candidate| {
        let place = t.event(t.a_part(candidate.part).event).place.number();
        format!("{place} ({})", candidate.said)
    };
    let newest: Vec<String> = all.iter().rev().take(DESCRIBED).map(one).collect();
    let more = if all.len() > DESCRIBED { " …" } else { "" };
    format!(
        "the provider does not say which it rejects; the newest first: {}{more}",
        newest.join(", ")
    )
}

/// The thinking goes; an answer of nothing else says that there is no content.
fn without_thinking(
    context: &FormatContext<'_>,
    request: &Request,
    means: &Means,
    chosen: &[&Candidate],
) -> Vec<Action> {
    let t = context.transcript;
    let mut actions = Vec::new();
    for answer in chosen.chunk_by(|a, b| a.spot.message == b.spot.message) {
        let Some(message) = answer
            .first()
            .and_then(|first| request.messages.get(first.spot.message as usize))
        else {
            continue;
        };
        let items = message.items.start as usize..message.items.end as usize;
        let sent = request.order.get(items).unwrap_or_default();
        let parts: usize = sent.iter().map(|sent| sent.parts.len()).sum();
        if parts > answer.len() {
            actions.extend(
                answer
                    .iter()
                    .map(|candidate| Action::RemovePart(candidate.part)),
            );
            continue;
        }
        let mut events: Vec<EventId> = answer
            .iter()
            .map(|candidate| t.a_part(candidate.part).event)
            .collect();
        events.dedup();
        let Some((first, rest)) = events.split_first() else {
            continue;
        };
        actions.extend(context.change(*first, |root| {
            let content = (means.message)(root).and_then(|message| message.get("content"));
            content
                .map(|content| anthropic::only_text(content, anthropic::NO_CONTENT))
                .unwrap_or_default()
        }));
        actions.extend(rest.iter().map(|event| Action::Remove(*event)));
    }
    actions
}

/// A text that says so takes the place of each image or document.
fn without_media(context: &FormatContext<'_>, means: &Means, chosen: &[&Candidate]) -> Vec<Action> {
    let t = context.transcript;
    let event = |candidate: &Candidate| t.a_part(candidate.part).event;
    let mut actions = Vec::new();
    for record in chosen.chunk_by(|a, b| event(a) == event(b)) {
        let Some(own) = record.first().map(|first| event(first)) else {
            continue;
        };
        actions.extend(context.change(own, |root| {
            let Some(content) = (means.message)(root).and_then(|message| message.get("content"))
            else {
                return Vec::new();
            };
            let first = t.event(own).parts.clone();
            record
                .iter()
                .filter_map(|candidate| replaced(content, &first, candidate))
                .collect()
        }));
    }
    actions
}

fn replaced(content: Node<'_>, first: &IdRange<PartId>, candidate: &Candidate) -> Option<Change> {
    let block = content.items().nth(first.position_of(candidate.part))?;
    let block = match candidate.spot.inner {
        Some(inner) => block.get("content")?.items().nth(inner as usize)?,
        None => block,
    };
    let what = if kinds::is(block, "image") {
        "image"
    } else {
        "document"
    };
    let text = anthropic::text_block(
        block,
        &format!("[{what} removed by transcript-doctor: {REASON}]"),
    );
    Some(cut::replace(block, &String::from_utf8_lossy(&text)))
}
