//! Thinking that the provider takes back only with what followed it.

use super::attrs;
use crate::dialects::responses;
use crate::formats::Scene;
use crate::formats::chat::faults;
use crate::transcript::{Code, EventId, Fault, Remedy, Treatment};

/// Finds thinking with an id, but without its encrypted content, that no item of the model follows.
pub(super) fn judge(scene: &Scene<'_>, sent: &[EventId]) -> Vec<Fault> {
    let t = scene.transcript;
    let mut found = Vec::new();
    let mut followed = false;
    for event in sent.iter().rev().copied() {
        if t.kind(event) != "reasoning" {
            followed = responses::is_made_by_model(t.kind(event), t.event(event).role);
            continue;
        }
        if followed || t.attr_of(event, attrs::BARE).is_none() {
            continue;
        }
        let mut fault = faults::of(t, Code::ReasoningItem, "thinking without what followed it", event);
        fault.treatments = vec![Treatment::with_guess(vec![Remedy::Park(event)])];
        found.push(fault);
    }
    found.reverse();
    found
}
