//! Maps the number of a message in a text to the messages of our request.

use std::collections::BTreeSet;

use crate::engine::Judged;
use crate::rules::Finding;
use crate::targets::errors::At;
use crate::transcript::{EventId, Inclusion, LabelRole, Role};

/// A message number of the text, and its position in our request.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Mapped {
    /// As the text counts, from 0.
    pub api: u32,
    /// As our request counts, from 0.
    pub ours: u32,
}

/// A text's number, counted from 0.
pub(super) fn from_zero(at: At, index: u32) -> u32 {
    if at == At::Member { index.saturating_sub(1) } else { index }
}

/// The positions in our request that a number may mean, most likely first: the number itself; one
/// less, if the request started with a message that is not recorded; without the messages that the
/// host inserts between recorded ones; one more, if a window removed one. A path that counts from 1
/// may be quoted as one that counts from 0.
pub(super) fn candidates(judged: &Judged, at: At, index: u32) -> Vec<u32> {
    let beside = judged.detection.format.traits.sends_beside;
    numbers(at, index, &beside(&judged.transcript, judged.request()))
}

/// As [`candidates`]. `beside` are our messages, ascending, after each of which the host inserts
/// another one.
fn numbers(at: At, index: u32, beside: &[u32]) -> Vec<u32> {
    let as_is = from_zero(at, index);
    if at == At::Member {
        return vec![as_is, index];
    }
    let before = as_is.checked_sub(1);
    let [without, without_before] = [Some(as_is), before].map(|sent| {
        if beside.is_empty() {
            return None;
        }
        recorded(sent?, beside)
    });
    let all = [Some(as_is), before, without, without_before, as_is.checked_add(1)];
    let mut numbers: Vec<u32> = Vec::new();
    for number in all.into_iter().flatten() {
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    numbers
}

/// Our message with this number in a request with inserted messages; `None` if it is an inserted
/// one.
fn recorded(sent: u32, beside: &[u32]) -> Option<u32> {
    let mut before = 0_u32;
    for message in beside {
        let other = message.checked_add(before)?.checked_add(1)?;
        if other == sent {
            return None;
        }
        if other > sent {
            break;
        }
        before += 1;
    }
    sent.checked_sub(before)
}

/// The positions at which a text would place a finding.
pub(super) fn positions(judged: &Judged, finding: &Finding, at: At) -> BTreeSet<u32> {
    let request = judged.request();
    let mut out = BTreeSet::new();
    for label in &finding.labels {
        let Some(index) = request.api_index(label.event) else {
            continue;
        };
        let is_call = label.role == LabelRole::Call;
        match at {
            At::Call
                if !is_call && finding.labels.iter().any(|other| other.role == LabelRole::Call) => {
            }
            At::Results if is_call => _ = out.insert(index.saturating_add(1)),
            At::Behind if is_call => out.extend([index, after_results(judged, index)]),
            _ => _ = out.insert(index),
        }
    }
    for consequence in &finding.consequences {
        out.extend(positions(judged, consequence, at));
    }
    out
}

/// The position after the results that follow a message with a call.
fn after_results(judged: &Judged, call: u32) -> u32 {
    let messages = judged.request().messages.iter().skip(call as usize + 1);
    let results = messages.take_while(|message| message.role == Role::Tool).count() as u32;
    call.saturating_add(1).saturating_add(results)
}

/// The records of a message of our request.
pub(super) fn records(judged: &Judged, index: u32) -> Vec<EventId> {
    judged
        .transcript
        .records()
        .filter(|event| {
            judged.request().inclusion(*event) == Inclusion::Sent
                && judged.request().api_index(*event) == Some(index)
        })
        .collect()
}

/// The records of the last two messages of our request.
pub(super) fn last_two(judged: &Judged) -> Vec<EventId> {
    let last = (judged.request().messages.len() as u32).saturating_sub(1);
    let mut numbers = vec![last.saturating_sub(1), last];
    numbers.dedup();
    numbers.into_iter().flat_map(|number| records(judged, number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_tried_in_order() {
        let candidates = |at, index| numbers(at, index, &[]);
        assert_eq!(candidates(At::Call, 3), [3, 2, 4]);
        assert_eq!(candidates(At::This, 0), [0, 1]);
        assert_eq!(candidates(At::This, u32::MAX), [u32::MAX, u32::MAX - 1]);
        assert_eq!(candidates(At::Member, 2), [1, 2]);
        assert_eq!(candidates(At::Member, 0), [0, 0]);
    }

    #[test]
    fn what_is_sent_beside_is_counted() {
        // Sent: 0, another one, 1, 2, another one, 3.
        let ours: Vec<Option<u32>> = (0..6).map(|sent| recorded(sent, &[0, 2])).collect();
        assert_eq!(ours, [Some(0), None, Some(1), Some(2), None, Some(3)]);
        assert_eq!(numbers(At::This, 5, &[0, 2]), [5, 4, 3, 6]);
        assert_eq!(recorded(u32::MAX, &[u32::MAX]), None);
    }
}
