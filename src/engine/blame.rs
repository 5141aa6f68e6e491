//! What only the provider's own text names: thinking that was altered looks like any other.

use crate::formats::Scene;
use crate::transcript::{
    Confidence, Effect, Fault, Label, LabelRole, PartKind, PartNo, Remedy, Role, Severity, Subject,
    Treatment, View,
};

/// An answer whose thinking a provider has refused.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// Its position among the messages of our view, from 0.
    pub message: u32,
}

impl Blame {
    /// The thinking that is blamed, in order; none where the message is no answer, or the format cannot take thinking out.
    pub(super) fn parts(self, scene: &Scene<'_>, view: &View, takes_out: bool) -> Vec<PartNo> {
        let message =
            view.messages.get(self.message as usize).filter(|message| message.role == Role::Assistant);
        let Some(message) = message.filter(|_| takes_out) else { return Vec::new() };
        let sent =
            view.order.get(message.items.start as usize..message.items.end as usize).unwrap_or_default();
        let parts = sent.iter().filter(|sent| !sent.summary).flat_map(|sent| sent.parts.clone());
        let is_thinking = |part: &PartNo| scene.transcript.a_part(*part).kind == PartKind::Thinking;
        let (thinking, rest): (Vec<PartNo>, Vec<PartNo>) = parts.partition(is_thinking);
        // An answer of nothing else would go as a whole, and with it the order of the roles.
        if rest.is_empty() { Vec::new() } else { thinking }
    }
}

/// The finding about thinking that is blamed.
pub(super) fn fault(scene: &Scene<'_>, parts: &[PartNo]) -> Option<Fault> {
    let event = |part: &PartNo| scene.transcript.a_part(*part).event;
    let mut fault = Fault::new("TD407", "thinking that the provider has refused", event(parts.first()?));
    let mut events: Vec<_> = parts.iter().map(event).collect();
    events.dedup();
    fault.labels = events.into_iter().map(|event| Label { event, role: LabelRole::Record }).collect();
    fault.about = parts.iter().map(|part| Subject::Identity(*part)).collect();
    fault.severity = Some(Severity::Fatal);
    fault.confidence = Confidence::Likely;
    fault.effect = Effect::Refused;
    fault.treatments = vec![Treatment::with_guess(parts.iter().copied().map(Remedy::ParkPart).collect())];
    Some(fault)
}
