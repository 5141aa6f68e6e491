//! Chooses the provider to check a conversation against.

use serde::Serialize;

use super::Judged;
use super::options::{CheckOptions, TargetChoice};
use crate::format::{Detection, Format};
use crate::requests;
use crate::rules::fresh::MADE;
use crate::targets::{self, Serving, Target};
use crate::transcript::{PartKind, Transcript};

/// Where the choice of a target comes from.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TargetFrom {
    /// As users read it.
    #[serde(rename = "target_from")]
    pub words: &'static str,
    /// Whether the conversation is certainly for this provider. Many serve the shape of its messages.
    #[serde(rename = "target_certain")]
    pub is_certain: bool,
}

impl TargetFrom {
    /// It was named with an option.
    pub(crate) const ASKED: TargetFrom = TargetFrom::certain("--target");
    /// It was assumed, because nothing shows whose messages these are.
    pub(crate) const ASSUMED: TargetFrom = TargetFrom::guessed("assumed");
    /// The transcript has no calls, no results, and nothing else that a provider may reject.
    pub(crate) const ONLY_TEXTS: TargetFrom = TargetFrom::guessed("only texts");

    const fn certain(words: &'static str) -> TargetFrom {
        TargetFrom { words, is_certain: true }
    }

    pub(crate) const fn guessed(words: &'static str) -> TargetFrom {
        TargetFrom { words, is_certain: false }
    }

    pub(crate) const fn model(is_own: bool) -> TargetFrom {
        TargetFrom { words: "recorded model", is_certain: is_own }
    }
}

/// Whether what a provider accepts makes no difference.
fn has_only_texts(format: &Format, t: &Transcript) -> bool {
    !requests::may_reject_texts(&format.wire, t)
        && t.parts.iter().all(|part| matches!(part.kind, PartKind::Text | PartKind::Thinking))
}

/// The target to judge for, and where that choice comes from.
pub(super) fn choose_target(
    options: &CheckOptions,
    detection: &Detection,
    t: &Transcript,
) -> (TargetChoice, TargetFrom) {
    if let Some(target_choice) = options.target {
        return (target_choice, options.found_by.unwrap_or(TargetFrom::ASKED));
    }
    let format = detection.format;
    if let Some(target) = format.traits.api.and_then(targets::by_name) {
        let from = TargetFrom::certain("the only API it uses");
        return (TargetChoice::At(target), from);
    }
    let of_model = |serving: Serving| {
        let from = TargetFrom::model(serving.is_own);
        (TargetChoice::At(serving.target), from)
    };
    if let Some(serving) = detection.serving {
        return of_model(serving);
    }
    let recorded = (format.model)(t);
    if let Some(target) = recorded.as_deref().and_then(targets::by_name) {
        let from = match format.traits.shared_api {
            None => TargetFrom::certain("from the file"),
            Some(model) => of_shared_api(target, model(t)),
        };
        return (TargetChoice::At(target), from);
    }
    if let Some(serving) = recorded.as_deref().and_then(targets::serving) {
        return of_model(serving);
    }
    let mut ids = t
        .parts
        .iter()
        .filter(|part| part.kind == PartKind::Call)
        .filter_map(|part| part.sent_id)
        .map(|id| t.ids.get(id))
        .filter(|id| !id.starts_with(MADE));
    if let Some(target) = ids.find_map(targets::by_call_id) {
        let from = TargetFrom::guessed("guessed from tool call IDs");
        return (TargetChoice::At(target), from);
    }
    let why = if has_only_texts(format, t) {
        TargetFrom::ONLY_TEXTS
    } else {
        TargetFrom::guessed("default")
    };
    (TargetChoice::At(targets::ALL[0]), why)
}

/// Where the target of an API that many providers serve comes from: from the model, if its own provider serves that.
fn of_shared_api(target: &Target, model: Option<&str>) -> TargetFrom {
    let serving = model.and_then(targets::serving);
    let is_own = serving.is_some_and(|of| of.is_own && of.target.name == target.name);
    if is_own { TargetFrom::model(true) } else { TargetFrom::guessed("shape of the messages") }
}

/// The target that another caller with these options would judge the conversation for.
pub(crate) fn provider(options: &CheckOptions, judged: &Judged) -> TargetChoice {
    choose_target(options, &judged.detection, &judged.transcript).0
}
