//! Messages of the Anthropic API: their content as pieces, and what the API refuses in it.
//!
//! [`judge`] looks at one message alone. What needs its neighbors (pairs, the first message, the number of images) is the
//! business of who knows them, and is told to it by [`Manner`].

mod block;
mod calls;
mod foreign;
pub(crate) mod hosted;
mod inside;
pub(crate) mod kinds;
mod media;
mod pieces;
mod thinking;
mod words;

use crate::json::alike::ObjectLayout;
use crate::json::cut::{self, ArrayItem, Change, arrange};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, Effect, EventId, Fix, Role, State, Subject, Transcript,
};

pub(crate) use block::look;
pub(crate) use media::media_type;
pub(crate) use pieces::{origin, pieces};
pub(crate) use thinking::thinking_flaw;

/// What stands in the place of a message's content where nothing of it is left.
pub(crate) const NO_CONTENT: &str = "(no content)";
/// What a first message says in the place of one that was lost.
pub(crate) const LOST_BEGINNING: &str = "(the beginning of this conversation was lost)";

/// What must be known of a message besides its own bytes.
#[derive(Copy, Clone)]
pub(crate) struct Manner {
    /// Who speaks: the assistant, or anybody else as the user.
    pub role: Role,
    /// The request holds more than 20 images, so that smaller ones are refused, too.
    pub many_images: bool,
}

/// Most images of a request that may be larger than the smaller of the two limits.
pub(crate) const FEW_IMAGES: u64 = 20;

/// One damage of a message's content.
#[derive(Clone, Debug)]
pub(crate) struct Damage {
    /// The code of the rule that claims it.
    pub code: Code,
    /// What is wrong, in our own words.
    pub said: &'static str,
    /// The blocks that it is about, from 0; none: the content as a whole.
    pub blocks: Vec<u32>,
    /// What may be done, least loss first: all changes or none. Changes count from the record's first byte.
    pub fixes: Vec<(Applicability, Vec<Change>)>,
    /// The treatment leaves nothing of the message, so it puts a placeholder there: its caller may park it instead.
    pub empties: bool,
}

impl Damage {
    fn new(code: Code, said: &'static str) -> Damage {
        Damage {
            code,
            said,
            blocks: Vec::new(),
            fixes: Vec::new(),
            empties: false,
        }
    }

    fn at(code: Code, said: &'static str, block: u32) -> Damage {
        Damage {
            blocks: vec![block],
            ..Damage::new(code, said)
        }
    }

    fn safe(mut self, changes: Vec<Change>) -> Damage {
        self.fixes.push((Applicability::Safe, changes));
        self
    }

    fn with_guess(mut self, changes: Vec<Change>) -> Damage {
        self.fixes.push((Applicability::Unsafe, changes));
        self
    }

    /// The fault that it is in this record, which the message was read from.
    pub(crate) fn diagnostic(self, t: &Transcript, event: EventId) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.code, self.said, event);
        diagnostic.about = vec![Subject::Content(event)];
        diagnostic.effect = Effect::Refused;
        let record = t.event(event);
        if record.state == State::Whole {
            let mend = |changes| vec![Action::mend(event, record.at, "change {}", changes)];
            let fixes = self.fixes.into_iter();
            diagnostic.fixes = fixes
                .map(|(class, changes)| Fix {
                    class,
                    actions: mend(changes),
                })
                .collect();
        }
        diagnostic
    }

    /// The same damage of several blocks is one, where what is done about each is of one class.
    fn merge(self, found: &mut Vec<Damage>) {
        let class = |damage: &Damage| damage.fixes.first().map(|(class, _)| *class);
        let same = |other: &&mut Damage| {
            (other.code, other.said, class(other), other.fixes.len())
                == (self.code, self.said, class(&self), self.fixes.len())
        };
        let Some(known) = found.iter_mut().find(same) else {
            found.push(self);
            return;
        };
        known.blocks.extend(self.blocks);
        known.empties |= self.empties;
        for ((_, changes), (_, more)) in known.fixes.iter_mut().zip(self.fixes) {
            changes.extend(more);
        }
    }
}

/// Everything that the API refuses in a message, as far as its content alone shows it.
pub(crate) fn judge(message: Node<'_>, manner: &Manner) -> Vec<Damage> {
    let Some(content) = message.get("content") else {
        let text = cut::insert_member(message, Some("role"), "content", &no_content(message));
        return vec![
            Damage::new(Code::MalformedRecord, "message without content").safe(vec![text]),
        ];
    };
    match content.kind() {
        Kind::String => Vec::new(),
        Kind::Array => blocks(content, manner),
        Kind::Null => {
            let text = cut::replace(content, &no_content(message));
            vec![Damage::new(Code::MalformedRecord, "message without content").safe(vec![text])]
        }
        // One block that stands where a list of blocks belongs.
        Kind::Object if kinds::kind(content).is_some() => {
            vec![
                Damage::new(
                    Code::MalformedRecord,
                    "message content is a block, not a list",
                )
                .safe(wrapped(content)),
            ]
        }
        _ => vec![Damage::new(
            Code::MalformedRecord,
            "message content is neither text nor a list of blocks",
        )],
    }
}

fn blocks(content: Node<'_>, manner: &Manner) -> Vec<Damage> {
    let mut found = Vec::new();
    let mut emptied = Emptied::new(content);
    for (at, block) in (0_u32..).zip(content.items()) {
        if block.kind() != Kind::Object {
            Damage::at(Code::MalformedRecord, "a block that is not an object", at)
                .merge(&mut found);
            continue;
        }
        let Some(kind) = kinds::kind(block) else {
            foreign::block(block, at).merge(&mut found);
            continue;
        };
        if let Some(damage) = foreign::place(block, kind, at, manner) {
            damage.merge(&mut found);
            continue;
        }
        foreign::members(block, kind, at)
            .into_iter()
            .for_each(|damage| damage.merge(&mut found));
        let own = match kind.name {
            "text" => words::text(block, at),
            "tool_use" | "server_tool_use" | "mcp_tool_use" => {
                calls::name(block, at).into_iter().collect()
            }
            "tool_result" => inside::result(block, at, manner),
            "thinking" | "redacted_thinking" => Vec::new(),
            "image" | "document" => media::block(block, at, manner.many_images, &mut emptied)
                .into_iter()
                .collect(),
            _ => foreign::lacking(block, kind, at),
        };
        own.into_iter().for_each(|damage| damage.merge(&mut found));
    }
    found.extend(hosted::ids(content, manner));
    found.extend(emptied.damages());
    found
}

/// Blocks that are cut from a list because nothing is in them, gathered so that the list is cut once for each damage.
struct Emptied<'a> {
    list: Node<'a>,
    /// Blocks of which one must stay; `None`: the list may become empty.
    count: Option<usize>,
    cut: Vec<(Damage, Applicability)>,
}

impl<'a> Emptied<'a> {
    fn new(list: Node<'a>) -> Emptied<'a> {
        Emptied {
            list,
            count: Some(list.items().count()),
            cut: Vec::new(),
        }
    }

    /// The list inside a result, which may be empty.
    fn inside(list: Node<'a>) -> Emptied<'a> {
        Emptied {
            list,
            count: None,
            cut: Vec::new(),
        }
    }

    /// The blocks of this damage go.
    fn cut(&mut self, damage: Damage, class: Applicability) {
        let same = |(other, own): &&mut (Damage, Applicability)| {
            (other.code, other.said, *own) == (damage.code, damage.said, class)
        };
        match self.cut.iter_mut().find(same) {
            Some((known, _)) => known.blocks.extend(damage.blocks),
            None => self.cut.push((damage, class)),
        }
    }

    fn damages(self) -> Vec<Damage> {
        let (list, count) = (self.list, self.count);
        let finish = |(mut damage, class): (Damage, Applicability)| {
            let changes = if count.is_some_and(|count| damage.blocks.len() >= count) {
                damage.empties = true;
                only_text(list, NO_CONTENT)
            } else {
                cut::remove_members(list, &damage.blocks)
            };
            damage.fixes.push((class, changes));
            damage
        };
        self.cut.into_iter().map(finish).collect()
    }
}

/// The changes after which a list holds one text block and nothing else, in the layout of its first block.
pub(crate) fn only_text(list: Node<'_>, text: &str) -> Vec<Change> {
    let block = match list.items().next() {
        Some(first) => text_block(first, text),
        None => text_block(list, text),
    };
    arrange(list, &[ArrayItem::New(block)])
}

/// A text block in the layout of this one.
pub(crate) fn text_block(like: Node<'_>, text: &str) -> Vec<u8> {
    let layout = ObjectLayout::of(&like.raw());
    layout.object(&[("type", layout.quote("text")), ("text", layout.quote(text))])
}

/// A value wrapped into a list.
fn wrapped(value: Node<'_>) -> Vec<Change> {
    let span = value.span();
    let at = |place: u32, with: &str| Change {
        at: place..place,
        with: with.as_bytes().to_vec(),
    };
    vec![at(span.start, "["), at(span.end, "]")]
}

/// The placeholder as the content of a message.
fn no_content(message: Node<'_>) -> String {
    let layout = ObjectLayout::of(&message.raw());
    String::from_utf8_lossy(&layout.quote(NO_CONTENT)).into_owned()
}

#[cfg(test)]
mod tests;
