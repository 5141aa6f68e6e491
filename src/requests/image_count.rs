//! A request must not have too many images and pages of documents.

use super::media::MediaCount;
use super::{Need, RequestContext, refused};
use crate::dialects::anthropic::{kinds, media, text_block};
use crate::json::cut::RecordChange;
use crate::json::node::Node;
use crate::targets::MostImages;
use crate::transcript::{Code, Confidence, Diagnostic, EventId, Instance, Label, LabelRole, Role};

pub(crate) const NEED: Need = Need { name: "image_count", reports: &[Code::TooManyImages], check };

/// At most this many of the oldest records with images are listed in a finding.
const MOST_NAMED: usize = 8;

/// Finds more images and pages than allowed: the provider adds them up. The fix replaces the oldest ones.
fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let Some(most) = cx.context.target.needs.most_images else {
        return Vec::new();
    };
    let t = cx.transcript();
    let sent = cx.sent().filter(|event| !cx.request.without_media.contains(event));
    let counts = sent.map(|event| (event, MediaCount::of(t, event)));
    let counts: Vec<(EventId, MediaCount)> =
        counts.filter(|(_, own)| own.images | own.pages > 0).collect();
    let (mut all_images, mut all_pages) = (0_u32, 0_u32);
    for (_, own) in &counts {
        all_images = all_images.saturating_add(own.images);
        all_pages = all_pages.saturating_add(own.pages);
    }
    let all = all_images.saturating_add(all_pages);
    let Some((first, _)) = counts.first().filter(|_| all > most.small_window) else {
        return Vec::new();
    };
    let what = match (all_images, all_pages) {
        (images, 0) => format!("{images} images"),
        (0, pages) => format!("{pages} pages of documents"),
        (images, pages) => format!("{images} images and {pages} pages of documents"),
    };
    // Which window a model has is not always known.
    let is_certain = all > most.any_window || has_small_window(cx, most);
    let message = if all > most.any_window {
        format!("{what}; no model accepts more than {} in a request", most.any_window)
    } else if is_certain {
        format!("{what}; the model accepts {} in a request", most.small_window)
    } else {
        format!(
            "{what}; models with a context window of 200,000 tokens accept {} in a request",
            most.small_window
        )
    };
    let mut diagnostic = refused(Code::TooManyImages, message, *first);
    if !is_certain {
        diagnostic.instance = Some(Instance::Elsewhere);
        diagnostic.confidence = Confidence::Likely;
    }
    diagnostic.labels = counts
        .iter()
        .take(MOST_NAMED)
        .map(|(event, _)| Label::new(*event, LabelRole::Record))
        .collect();
    let mut excess = all - most.small_window;
    let mut actions = Vec::new();
    for (event, _) in &counts {
        if excess > 0 {
            let message = cx.wire.message;
            actions.extend(
                cx.context.change(*event, |record| described(message(record), &mut excess, most)),
            );
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

/// The changes that replace the first images and documents of a message with texts, until there are not too many anymore.
fn described(message: Node<'_>, excess: &mut u32, limit: MostImages) -> Vec<RecordChange> {
    let blocks = message.items_of("content");
    let all = blocks.flat_map(|block| std::iter::once(block).chain(block.items_of("content")));
    let mut changes = Vec::new();
    for block in all {
        let (what, count) = if kinds::is(block, "image") {
            ("image", 1)
        } else if kinds::is(block, "document") {
            ("document", media::pages(block))
        } else {
            continue;
        };
        if *excess == 0 || count == 0 {
            continue;
        }
        *excess = excess.saturating_sub(count);
        let text = format!(
            "[{what} removed by transcript-doctor: a request may have {} images]",
            limit.small_window
        );
        changes.push(RecordChange::new(block.span(), text_block(block, &text)));
    }
    changes
}
