//! What a rule reports, and what else it explains.

use super::{Rule, RuleContext, layer, policy};
use crate::transcript::{
    Applicability, Confidence, Effect, Fix, HabitPlaces, Id, Label, LabelRole, PartId, Severity,
    Subject,
};
use std::borrow::Cow;
use std::collections::HashSet;

/// One problem that a rule found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// When it is repaired, see [`layer`].
    pub layer: u8,
    /// How bad it is in this transcript.
    pub severity: Severity,
    pub confidence: Confidence,
    pub effect: Effect,
    /// What is wrong, without any text of the transcript.
    pub message: Cow<'static, str>,
    /// The records involved.
    pub labels: Vec<Label>,
    /// The IDs of the calls involved.
    pub calls: Vec<Id>,
    /// What it is about.
    pub about: Vec<Subject>,
    /// What else it explains.
    pub covers: Vec<Subject>,
    /// How to fix it, least loss first.
    pub fixes: Vec<Fix>,
    /// Why no repair applies a fix that it had, as the end of a sentence.
    pub refused: Option<&'static str>,
    /// If it is about how something is written: the records in which it could be. `None`: it is never a habit.
    pub habit: Option<HabitPlaces>,
    /// The results among which the user may choose, each with the results that are equal to it.
    pub choices: Vec<Vec<PartId>>,
    /// The user chose among such results, so the fix does what they want.
    pub is_chosen: bool,
    /// Who reported it knows what the host does about it, whatever it explains.
    pub(crate) is_judged: bool,
    /// Other providers with the interface of this one accept it.
    pub(crate) is_alone: bool,
    /// The findings that this one explains.
    pub consequences: Vec<Finding>,
    /// The evaluation that the message and the fixes are from, as an index.
    pub evaluation: usize,
    /// All evaluations that have this finding. The engine fills it in.
    pub seen_by: Vec<Seen>,
}

/// A finding in one of the evaluations of a conversation.
#[derive(Copy, Clone, Debug)]
pub struct Seen {
    /// The index of the evaluation.
    pub evaluation: usize,
    /// How bad it is there.
    pub severity: Severity,
    pub effect: Effect,
}

impl Finding {
    /// A certain finding with the severity that applies here. The caller fills in the rest.
    pub fn new(
        rule: &'static Rule,
        cx: &RuleContext<'_>,
        message: impl Into<Cow<'static, str>>,
    ) -> Finding {
        let is_of_tree = cx.format.traits.with_tree.contains(&rule.code);
        Finding {
            layer: if is_of_tree { layer::TREE } else { rule.layer },
            severity: policy::severity(cx, rule),
            effect: Effect::Refused,
            ..Finding::of_file(rule, message)
        }
    }

    /// A certain error that only the whole file shows, and that nothing is lost by. The caller fills in the rest.
    pub(crate) fn of_file(rule: &'static Rule, message: impl Into<Cow<'static, str>>) -> Finding {
        Finding {
            rule,
            layer: rule.layer,
            severity: Severity::Error,
            confidence: Confidence::Certain,
            effect: Effect::None,
            message: message.into(),
            labels: Vec::new(),
            calls: Vec::new(),
            about: Vec::new(),
            covers: Vec::new(),
            fixes: Vec::new(),
            habit: None,
            choices: Vec::new(),
            refused: None,
            is_chosen: false,
            is_judged: false,
            is_alone: false,
            consequences: Vec::new(),
            evaluation: 0,
            seen_by: Vec::new(),
        }
    }

    /// The applicability of the least lossy fix; `Manual` if there is no fix.
    pub fn applicability(&self) -> Applicability {
        self.fixes.iter().map(|fix| fix.applicability).min().unwrap_or(Applicability::Manual)
    }

    /// Adds a label for the record of a part, and the ID of its call.
    pub(super) fn add_part(&mut self, cx: &RuleContext<'_>, part: PartId, role: LabelRole) {
        self.labels.push(Label::of(cx.transcript, part, role));
        self.calls.extend(cx.transcript.part(part).id);
    }

    /// Keeps the first of equal IDs.
    pub(super) fn name_calls_once(&mut self) {
        let mut seen = HashSet::new();
        self.calls.retain(|id| seen.insert(*id));
    }
}
