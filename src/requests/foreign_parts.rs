//! Blocks must be of this API, have only members that it knows, and be where it accepts them.

use hashbrown::HashSet;

use super::blocks::{Blocks, Problems};
use super::{MakeKnown, Need, RequestContext, content};
use crate::dialects::anthropic::{kinds, text_block};
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::pairs::PairStatus;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, EventId, Flaws, HabitPlaces, PartKind, Role, Subject,
};

pub(crate) const NEED: Need = Need { name: "foreign_parts", reports: &[Code::ForeignBlock], check };

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    if let Some(convert) = cx.wire.foreign {
        return cx
            .flawed(Flaws::FOREIGN)
            .map(|event| Diagnostic {
                habit: Some(HabitPlaces::Messages),
                ..convert_blocks(cx, event, convert)
            })
            .collect();
    }
    let mut found = cx.in_blocks(Flaws::FOREIGN, of_blocks);
    for diagnostic in &mut found {
        let event = diagnostic.labels[0].event;
        if cx.wire.texts.splits_messages && is_stray_result(cx, event) {
            diagnostic.fix_with_guess([Action::Remove(event)]);
            diagnostic.covers.extend(calls_of_stray_results(cx, event));
        }
    }
    found
}

/// One diagnostic for all blocks of a message.
fn convert_blocks(cx: &RequestContext<'_>, event: EventId, convert: MakeKnown) -> Diagnostic {
    let message = "a block type that this API does not know";
    let diagnostic = content(Code::ForeignBlock, message, event);
    let Ok(record) = cx.context.record(event) else {
        return diagnostic;
    };
    let (changes, applicability) = convert((cx.wire.message)(record.root()));
    cx.with_fix(diagnostic, applicability, changes)
}

fn of_blocks(blocks: &Blocks<'_>, problems: &mut Problems<'_>) {
    for (_, block) in blocks.sent().filter(|(_, block)| block.kind() == Kind::Object) {
        let mut add = |message, applicability, changes| {
            problems.add(Code::ForeignBlock, message, applicability, changes)
        };
        let kind = match kinds::placed(block, blocks.role) {
            Ok(kind) => kind,
            Err(message) => {
                add(message, Applicability::Unsafe, vec![as_text(block)]);
                continue;
            }
        };
        // Members that a block of this kind does not have. Removing empty ones loses nothing.
        let members = (0_u32..).zip(block.members());
        let foreign = members.filter(|(_, (key, _))| !kind.knows(&key.text_bytes()));
        let (empty, others): (Vec<_>, Vec<_>) =
            foreign.partition(|(_, (_, value))| is_empty(*value));
        let (safe, guess) = (Applicability::Safe, Applicability::Unsafe);
        for (members, applicability, message) in [
            (empty, safe, "a block has empty fields that the API does not know"),
            (others, guess, "a block has fields that the API does not know"),
        ] {
            if !members.is_empty() {
                let members: Vec<u32> = members.iter().map(|(at, _)| *at).collect();
                add(message, applicability, cut::remove_members(block, &members));
            }
        }
    }
}

fn is_empty(value: Node<'_>) -> bool {
    match value.kind() {
        Kind::Null => true,
        Kind::String => value.is_str(""),
        Kind::Array => value.items().next().is_none(),
        Kind::Object => value.members().next().is_none(),
        _ => false,
    }
}

/// The block as a text block: with its own text, or else with its JSON.
fn as_text(block: Node<'_>) -> RecordChange {
    let own = ["text", "thinking", "content"].iter().find_map(|key| block.string(key));
    let text = own.filter(|text| !text.trim().is_empty());
    let text = text.unwrap_or_else(|| String::from_utf8_lossy(&block.raw()).into_owned().into());
    RecordChange::new(block.span(), text_block(block, &text))
}

/// Whether a record of the model has only results.
fn is_stray_result(cx: &RequestContext<'_>, event: EventId) -> bool {
    let t = cx.transcript();
    let mut parts = t.event(event).parts.clone().peekable();
    t.event(event).role == Role::Assistant
        && parts.peek().is_some()
        && parts.all(|part| t.part(part).kind == PartKind::Result)
}

/// The open calls with the IDs of results in the wrong place.
fn calls_of_stray_results(cx: &RequestContext<'_>, event: EventId) -> Vec<Subject> {
    let t = cx.transcript();
    let parts = t.event(event).parts.clone();
    let ids: HashSet<_> = parts.filter_map(|part| t.part(part).id).collect();
    let open = cx.request.pairs.all().filter(|(_, status)| *status == PairStatus::Open);
    let named = open.filter(|(call, _)| t.part(*call).id.is_some_and(|id| ids.contains(&id)));
    named.map(|(call, _)| Subject::Open(call)).collect()
}
