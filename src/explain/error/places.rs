//! From the number of a message in a text to the messages of our view.

use std::collections::BTreeSet;

use crate::engine::Judged;
use crate::rules::Finding;
use crate::targets::errors::At;
use crate::transcript::{EventNo, Fate, LabelRole, Role};

/// A message of the text, and where it stands in our view.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Mapped {
    /// As the text counts it, from 0.
    pub api: u32,
    /// As our view counts it.
    pub ours: u32,
}

/// A text's number, counted from 0.
pub(super) fn from_zero(at: At, index: u32) -> u32 {
    if at == At::Member { index.saturating_sub(1) } else { index }
}

/// The positions in our view that a text's number may mean, likeliest first: as it is; a message in front that the
/// recording does not hold; a window that lost one. A path that counts from 1 may be told by one that counts from 0.
pub(super) fn candidates(at: At, index: u32) -> Vec<u32> {
    let as_is = from_zero(at, index);
    if at == At::Member {
        return vec![as_is, index];
    }
    [Some(as_is), as_is.checked_sub(1), as_is.checked_add(1)].into_iter().flatten().collect()
}

/// The positions at which a text would place a finding.
pub(super) fn positions(judged: &Judged, finding: &Finding, at: At) -> BTreeSet<u32> {
    let view = judged.view();
    let mut out = BTreeSet::new();
    for label in &finding.labels {
        let Some(index) = view.api_index(label.event) else { continue };
        let is_call = label.role == LabelRole::Call;
        match at {
            At::Call if !is_call && finding.labels.iter().any(|other| other.role == LabelRole::Call) => {}
            At::Results if is_call => _ = out.insert(index.saturating_add(1)),
            At::Behind if is_call => out.extend([index, behind(judged, index)]),
            _ => _ = out.insert(index),
        }
    }
    for consequence in &finding.consequences {
        out.extend(positions(judged, consequence, at));
    }
    out
}

/// The message behind the results that follow a call's.
fn behind(judged: &Judged, call: u32) -> u32 {
    let messages = judged.view().messages.iter().skip(call as usize + 1);
    let results = messages.take_while(|message| message.role == Role::Tool).count() as u32;
    call.saturating_add(1).saturating_add(results)
}

/// The records of a message of our view.
pub(super) fn records(judged: &Judged, index: u32) -> Vec<EventNo> {
    let sent = |event: &EventNo| {
        judged.view().fate(*event) == Fate::Sent && judged.view().api_index(*event) == Some(index)
    };
    judged.transcript.records().filter(sent).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_tried_in_order() {
        assert_eq!(candidates(At::Call, 3), [3, 2, 4]);
        assert_eq!(candidates(At::This, 0), [0, 1]);
        assert_eq!(candidates(At::This, u32::MAX), [u32::MAX, u32::MAX - 1]);
        assert_eq!(candidates(At::Member, 2), [1, 2]);
        assert_eq!(candidates(At::Member, 0), [0, 0]);
    }
}
