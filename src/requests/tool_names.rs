//! Tool names must have the characters and the length that the provider accepts.

use hashbrown::HashSet;

use super::{Need, RequestContext, refused};
use crate::json::cut;
use crate::json::quote::quote;
use crate::targets::ToolNames;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, Fix, Flaws, Id, LabelRole, PartId, PartKind,
};

pub(crate) const NEED: Need = Need { name: "tool_names", reports: &[Code::BadToolName], check };

/// Finds calls that are sent with a bad name.
fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let t = cx.transcript();
    let names = cx.context.target.needs.tool_names;
    // A conversation has few names and many calls.
    let mut is_good = t.ids.table(None);
    let mut takes = |name: Id| *is_good[name].get_or_insert_with(|| names.takes(t.ids.get(name)));
    let batches = cx.request.pairs.batches.iter();
    let calls = batches.flat_map(|batch| batch.calls.iter().copied());
    let bad_calls: Vec<PartId> = calls
        .filter(|call| {
            let name = t.part(*call).tool;
            name.is_some_and(|name| !takes(name)) && !cx.is_rewritten(*call)
        })
        // A call without a name is reported as such.
        .filter(|call| {
            let part = t.part(*call);
            !(t.text(part.tool).is_empty() && t.flaws(part.event).has(Flaws::NO_NAME))
        })
        .collect();
    if bad_calls.is_empty() {
        return Vec::new();
    }
    let named =
        t.parts.iter().filter(|part| matches!(part.kind, PartKind::Call | PartKind::Result));
    let known: HashSet<&str> =
        named.map(|part| t.text(part.tool)).filter(|name| names.takes(name)).collect();
    bad_calls.into_iter().map(|call| report(cx, names, call, &known)).collect()
}

fn report(
    cx: &RequestContext<'_>,
    names: ToolNames,
    call: PartId,
    known: &HashSet<&str>,
) -> Diagnostic {
    let t = cx.transcript();
    let name = t.text(t.part(call).tool);
    let mut diagnostic = refused(Code::BadToolName, names.refusal(name), t.part(call).event);
    diagnostic.labels[0].role = LabelRole::Call;
    let (to, applicability) = correct(name, known, names);
    if to.is_empty() {
        return diagnostic;
    }
    let results = cx.request.pairs.results(call).iter().copied();
    // A result with the same name is renamed with its call.
    let parts =
        std::iter::once(call).chain(results.filter(|part| t.part(*part).tool == t.part(call).tool));
    let actions = parts.filter_map(|part| renamed(cx, part, &to));
    diagnostic.fixes = vec![Fix::new(applicability, actions)];
    diagnostic
}

/// The corrected name, and whether the correction is safe.
fn correct(name: &str, known: &HashSet<&str>, names: ToolNames) -> (String, Applicability) {
    if names.takes(name.trim()) {
        return (name.trim().to_owned(), Applicability::Safe);
    }
    let good = name.bytes().take_while(|byte| names.takes_byte(*byte)).take(names.longest).count();
    let (start, rest) = name.split_at(good);
    let leaked = rest.starts_with(['"', '\'', '<', '>', '/']);
    if !start.is_empty() && (leaked || known.contains(start)) {
        return (start.to_owned(), Applicability::Safe);
    }
    let changed =
        name.chars().map(|c| if c.is_ascii() && names.takes_byte(c as u8) { c } else { '_' });
    (changed.take(names.longest).collect(), Applicability::Unsafe)
}

fn renamed(cx: &RequestContext<'_>, part: PartId, to: &str) -> Option<Action> {
    let t = cx.transcript();
    let at = t.position(part);
    cx.context.change(t.part(part).event, |record| {
        let pieces = (cx.context.pieces)(record);
        let names = pieces.get(at).map(|piece| &*piece.names);
        let written = names.unwrap_or_default().iter();
        written
            .filter(|name| name.str().is_some())
            .map(|name| cut::replace(*name, &quote(to)))
            .collect()
    })
}
