//! Images must be at a URL that the provider opens, or in a data URL that is whole.

use super::blocks::Problems;
use super::{Need, RequestContext};
use crate::dialects::image_url::{self, UrlFlaw};
use crate::json::alike::ObjectLayout;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::transcript::{Applicability, Code, Diagnostic, EventId, Flaws};

pub(crate) const NEED: Need = Need { name: "image_urls", reports: &[Code::BadMedia], check };

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    if !cx.context.target.needs.images_are_urls {
        return Vec::new();
    }
    cx.flawed(Flaws::MEDIA).flat_map(|event| in_record(cx, event)).collect()
}

fn in_record(cx: &RequestContext<'_>, event: EventId) -> Vec<Diagnostic> {
    let Ok(record) = cx.context.record(event) else {
        return Vec::new();
    };
    let message = (cx.wire.message)(record.root());
    let mut problems = Problems::default();
    for list in ["content", "output"].iter().filter_map(|key| message.get(key)) {
        in_list(list, &mut problems);
    }
    problems.diagnostics(cx, event)
}

fn in_list<'a>(list: Node<'a>, problems: &mut Problems<'a>) {
    let parts = (0_u32..).zip(list.items());
    let flawed = parts.filter_map(|(at, part)| {
        let flaw = image_url::flaw(image_url::url_of(part)?)?;
        Some((at, part, flaw))
    });
    let flawed: Vec<(u32, Node<'_>, UrlFlaw)> = flawed.collect();
    let empty = flawed.iter().filter(|(_, _, flaw)| *flaw == UrlFlaw::Empty);
    let empty: Vec<u32> = empty.map(|(at, ..)| *at).collect();
    // A list that would be left empty gets a text instead.
    let has_others = empty.len() < list.items().count();
    if has_others && !empty.is_empty() {
        let changes = cut::remove_members(list, &empty);
        problems.add(Code::BadMedia, message(UrlFlaw::Empty), Applicability::Safe, changes);
    }
    for (_, part, flaw) in &flawed {
        if has_others && *flaw == UrlFlaw::Empty {
            continue;
        }
        let change = RecordChange::new(part.span(), as_text(*part, *flaw));
        problems.add(Code::BadMedia, message(*flaw), Applicability::Unsafe, vec![change]);
    }
}

fn message(flaw: UrlFlaw) -> &'static str {
    match flaw {
        UrlFlaw::Empty => "image without data",
        UrlFlaw::NotOfWeb => "image with a URL that is neither of the web nor a data URL",
        UrlFlaw::NoImageType => "image with a data URL that is not of an image in base64",
        UrlFlaw::NotBase64 => "image with a data URL that is cut off or not base64",
    }
}

/// A text in place of an image, as the API of the image writes texts.
fn as_text(part: Node<'_>, flaw: UrlFlaw) -> Vec<u8> {
    let kind = if part.has_str("type", "input_image") { "input_text" } else { "text" };
    let reason = match flaw {
        UrlFlaw::Empty => "it has no data",
        UrlFlaw::NotOfWeb => "its URL is not of the web",
        UrlFlaw::NoImageType => "its data URL is not of an image",
        UrlFlaw::NotBase64 => "its data is cut off or not base64",
    };
    let text = format!("[image removed by transcript-doctor: {reason}]");
    let layout = ObjectLayout::of(&part.raw());
    layout.object(&[("type", layout.quote(kind)), ("text", layout.quote(&text))])
}
