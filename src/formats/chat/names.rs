//! Names of tools that a provider refuses.

use hashbrown::HashSet;

use crate::dialects::Piece;
use crate::formats::FormatContext;
use crate::json::cut;
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::transcript::pairs::Pairs;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, EventId, Fix, Label, LabelRole, PartId, PartKind,
    Transcript,
};

use super::diagnostics;

/// What names of tools are made of.
#[derive(Copy, Clone)]
pub(crate) struct Names {
    /// Bytes besides letters and digits.
    marks: &'static [u8],
    /// Most bytes.
    longest: usize,
}

/// Most providers.
pub(crate) const PLAIN: Names = Names {
    marks: b"_-",
    longest: 64,
};
pub(crate) const GEMINI: Names = Names {
    marks: b"_-.:",
    longest: 128,
};

/// Reads a record into the pieces that its parts were made of.
pub(crate) type Pieces = for<'a> fn(Node<'a>) -> Vec<Piece<'a>>;

impl Names {
    fn fits(self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || self.marks.contains(&byte)
    }

    fn is_good(self, name: &str) -> bool {
        !name.is_empty() && name.len() <= self.longest && name.bytes().all(|byte| self.fits(byte))
    }
}

/// Finds the calls that are sent with a name that is none.
pub(crate) fn judge(
    context: &FormatContext<'_>,
    pairs: &Pairs,
    pieces: Pieces,
    names: Names,
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let is_good = |name: &str| names.is_good(name);
    let named = t
        .parts
        .iter()
        .filter(|part| matches!(part.kind, PartKind::Call | PartKind::Result));
    let known: HashSet<&str> = named
        .map(|part| t.text(part.tool))
        .filter(|name| is_good(name))
        .collect();
    let calls = pairs
        .batches
        .iter()
        .flat_map(|batch| batch.calls.iter().copied());
    let bad = calls
        .filter(|call| t.a_part(*call).tool.is_some() && !is_good(t.text(t.a_part(*call).tool)));
    bad.map(|call| one(context, pairs, (pieces, names), call, &known))
        .collect()
}

fn one(
    context: &FormatContext<'_>,
    pairs: &Pairs,
    (pieces, names): (Pieces, Names),
    call: PartId,
    known: &HashSet<&str>,
) -> Diagnostic {
    let t = context.transcript;
    let name = t.text(t.a_part(call).tool);
    let mut diagnostic = diagnostics::of(
        t,
        Code::BadToolName,
        "a tool's name that the provider refuses",
        t.a_part(call).event,
    );
    diagnostic.labels = vec![Label {
        event: t.a_part(call).event,
        role: LabelRole::Call,
    }];
    let (to, class) = wanted(name, known, names);
    if to.is_empty() {
        return diagnostic;
    }
    // A result that carries the same name is renamed with its call.
    let own = |part: &PartId| t.a_part(*part).tool == t.a_part(call).tool;
    let parts = std::iter::once(call).chain(pairs.results(call).iter().copied().filter(own));
    let mut actions: Vec<Action> = Vec::new();
    for part in parts {
        actions.extend(renamed(context, t, pieces, part, &to));
    }
    diagnostic.fixes = vec![Fix { class, actions }];
    diagnostic
}

/// The name in the place of a bad one, and whether it is the only one possible.
fn wanted(name: &str, known: &HashSet<&str>, names: Names) -> (String, Applicability) {
    if names.is_good(name.trim()) {
        return (name.trim().to_owned(), Applicability::Safe);
    }
    let good = name
        .bytes()
        .take_while(|byte| names.fits(*byte))
        .take(names.longest)
        .count();
    let (start, rest) = name.split_at(good);
    let leaked = rest.starts_with(['"', '\'', '<', '>', '/']);
    if !start.is_empty() && (leaked || known.contains(start)) {
        return (start.to_owned(), Applicability::Safe);
    }
    let changed = name.chars().map(|c| {
        if c.is_ascii() && names.fits(c as u8) {
            c
        } else {
            '_'
        }
    });
    (changed.take(names.longest).collect(), Applicability::Unsafe)
}

fn renamed(
    context: &FormatContext<'_>,
    t: &Transcript,
    pieces: Pieces,
    part: PartId,
    to: &str,
) -> Option<Action> {
    let event: EventId = t.a_part(part).event;
    let offset = t.position(part);
    context.change(event, |root| {
        let pieces = pieces(root);
        let names = pieces
            .get(offset)
            .map(|piece| piece.names.clone())
            .unwrap_or_default();
        names
            .iter()
            .filter(|name| name.str().is_some())
            .map(|name| cut::replace(*name, &quote(to)))
            .collect()
    })
}
