//! Why a transcript was taken for a format, in one sentence.

use std::io;

use super::candidates::{FormatCandidate, candidates};
use crate::bytes::source::Source;
use crate::format::Detection;
use crate::format::head::Sample;

/// What the formats explain of the first records of a transcript, if that is known: `Taken for claude-code: it explains 10 of
/// the first 12 records, codex 2.`
///
/// # Errors
/// It cannot be read.
pub(crate) fn why(
    source: &Source,
    name: &str,
    detection: &Detection,
) -> io::Result<Option<String>> {
    let own = detection.format.name;
    if detection.detected {
        return taken_for(source, name, own).map(Some);
    }
    // Who says that each line is a conversation does not name a format with that.
    let is_named = !detection.conversations.are_rows();
    Ok(is_named.then(|| format!("Read as {own}, as asked for.")))
}

fn taken_for(source: &Source, name: &str, own: &str) -> io::Result<String> {
    let sample = Sample::of_source(source, name)?;
    let mut all = candidates(&sample, true);
    let Some(at) = all.iter().position(|candidate| candidate.name() == own) else {
        return Ok(format!("Taken for {own} by what can be read of it, although it is damaged."));
    };
    let best = all.swap_remove(at);
    let (explained, of) = best.fit.count();
    if of == 0 {
        return Ok(format!("Taken for {own} by the names of its files."));
    }
    let others = rivals(&best, &all);
    let records = if of == 1 { "its record".into() } else { format!("the first {of} records") };
    let share = if explained == of { String::new() } else { format!("{explained} of ") };
    let own = format!("Taken for {own}: it explains {share}{records}");
    Ok(match &others[..] {
        [] => format!("{own}, and no other format explains any."),
        others => format!("{own}, {}.", others.join(", ")),
    })
}

/// The others that explain some of the same records, the best first: `codex 2`.
fn rivals(best: &FormatCandidate, others: &[FormatCandidate]) -> Vec<String> {
    let of_same = others.iter().filter(|other| other.fit.place == best.fit.place);
    let mut counts: Vec<(u32, &str)> =
        of_same.map(|other| (other.fit.count().0, other.name())).collect();
    counts.retain(|(count, _)| *count > 0);
    counts.sort_by_key(|(count, name)| (std::cmp::Reverse(*count), *name));
    counts.into_iter().map(|(count, name)| format!("{name} {count}")).collect()
}
