//! A request must not have too many images.

use super::media::images;
use super::{Need, RequestContext, refused};
use crate::dialects::anthropic::{kinds, text_block};
use crate::json::cut::RecordChange;
use crate::json::node::Node;
use crate::targets::MostImages;
use crate::transcript::{Code, Confidence, Diagnostic, EventId, Instance, Label, LabelRole, Role};

pub(crate) const NEED: Need = Need { name: "image_count", reports: &[Code::TooManyImages], check };

/// At most this many of the oldest records with images are listed in a finding.
const MOST_NAMED: usize = 8;

/// Finds more images than allowed. The fix replaces the oldest ones.
fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let Some(most) = cx.context.target.needs.most_images else {
        return Vec::new();
    };
    let counts = cx.sent().filter(|event| !cx.request.without_media.contains(event));
    let counts = counts.map(|event| (event, images(cx.transcript(), event)));
    let counts: Vec<(EventId, u32)> = counts.filter(|(_, count)| *count > 0).collect();
    let all = counts.iter().map(|(_, count)| *count);
    let all = all.fold(0, u32::saturating_add);
    let Some((first, _)) = counts.first().filter(|_| all > most.small_window) else {
        return Vec::new();
    };
    let is_certain = all > most.any_window || has_small_window(cx, most);
    let message = if all > most.any_window {
        format!("{all} images; no model accepts more than {} in a request", most.any_window)
    } else if is_certain {
        format!("{all} images; the model accepts {} in a request", most.small_window)
    } else {
        format!(
            "{all} images; models with a context window of 200,000 tokens accept {} in a request",
            most.small_window
        )
    };
    let mut diagnostic = refused(Code::TooManyImages, &message, *first);
    if !is_certain {
        diagnostic.instance = Some(Instance::Elsewhere);
        diagnostic.confidence = Confidence::Likely;
    }
    diagnostic.labels = counts
        .iter()
        .take(MOST_NAMED)
        .map(|(event, _)| Label::new(*event, LabelRole::Record))
        .collect();
    let mut excess = (all - most.small_window) as usize;
    let mut actions = Vec::new();
    for (event, count) in &counts {
        if excess > 0 {
            actions.extend(
                cx.context
                    .change(*event, |record| described((cx.wire.message)(record), excess, most)),
            );
            excess = excess.saturating_sub(*count as usize);
        }
    }
    diagnostic.fix_with_guess(actions);
    vec![diagnostic]
}

/// Whether the newest response names a model with a small context window.
fn has_small_window(cx: &RequestContext<'_>, most: MostImages) -> bool {
    let newest =
        cx.sent().rev().find(|event| cx.transcript().event(*event).role == Role::Assistant);
    newest.and_then(|event| cx.context.record(event).ok()).is_some_and(|record| {
        let message = (cx.wire.message)(record.root());
        let model = message.string("model");
        model.is_some_and(|model| (most.has_small_window)(&model))
    })
}

/// The changes that replace the first images of a message, at most so many, with texts.
fn described(message: Node<'_>, most: usize, limit: MostImages) -> Vec<RecordChange> {
    let text = format!(
        "[image removed by transcript-doctor: a request may have {} images]",
        limit.small_window
    );
    let blocks = message.items_of("content");
    let all = blocks.flat_map(|block| std::iter::once(block).chain(block.items_of("content")));
    let images = all.filter(|block| kinds::is(*block, "image"));
    images
        .take(most)
        .map(|image| RecordChange::new(image.span(), text_block(image, &text)))
        .collect()
}
