//! Images and documents must match their declared type and must not be too large.

use super::blocks::{Blocks, Problems};
use super::{Need, RequestContext};
use crate::dialects::anthropic::media::{MediaFlaw, flaw};
use crate::dialects::anthropic::{kinds, text_block};
use crate::json::cut::RecordChange;
use crate::transcript::{
    Applicability, Code, Diagnostic, EventId, FactValue, Flaws, Inclusion, Transcript, facts,
};

pub(crate) const NEED: Need = Need { name: "media", reports: &[Code::BadMedia], check };

/// Up to this many images in a request, the larger of two size limits applies.
const FEW_IMAGES: u32 = 20;

/// What a record has of media.
#[derive(Copy, Clone, Default)]
pub(super) struct MediaCount {
    /// Images, including those inside results.
    pub images: u32,
    /// Pages of documents.
    pub pages: u32,
}

impl MediaCount {
    pub(super) fn of(t: &Transcript, event: EventId) -> MediaCount {
        match t.value_of(event, facts::MEDIA) {
            Some(FactValue::Number(count)) => {
                MediaCount { images: count as u32, pages: (count >> 32) as u32 }
            }
            _ => MediaCount::default(),
        }
    }
}

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    if cx.flawed(Flaws::MEDIA).next().is_none() {
        return Vec::new();
    }
    let t = cx.transcript();
    let events = t.events.ids();
    let sent = events.filter(|event| cx.request.inclusion(*event) == Inclusion::Sent);
    let images = sent.map(|event| MediaCount::of(t, event).images);
    let many_images = images.fold(0, u32::saturating_add) > FEW_IMAGES;
    cx.in_blocks(Flaws::MEDIA, |blocks, problems| {
        of_blocks(blocks, many_images, problems);
    })
}

fn of_blocks<'a>(blocks: &Blocks<'a>, many_images: bool, problems: &mut Problems<'a>) {
    for (at, block) in blocks.sent() {
        if kinds::placed(block, blocks.role).is_err() {
            continue;
        }
        match flaw(block, many_images) {
            None => {}
            Some(MediaFlaw::Empty) => {
                let (message, applicability) = ("empty image or document", Applicability::Safe);
                problems.cut(Code::BadMedia, message, applicability, (blocks, at));
            }
            Some(MediaFlaw::Mislabeled(changes)) => {
                let message = "image or document data that does not match its declared type";
                problems.add(Code::BadMedia, message, Applicability::Safe, changes);
            }
            Some(MediaFlaw::Rejected(reason)) => {
                let what = if kinds::is(block, "image") { "image" } else { "document" };
                let text = format!("[{what} removed by transcript-doctor: it {reason}]");
                let change = RecordChange::new(block.span(), text_block(block, &text));
                let message = format!("{what} that {reason}");
                problems.add(Code::BadMedia, message, Applicability::Unsafe, vec![change]);
            }
        }
    }
}
