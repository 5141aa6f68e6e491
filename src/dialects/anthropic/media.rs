//! Images and documents that the API refuses.

use super::{Damage, Emptied, text_block};
use crate::dialects::picture;
use crate::json::alike::ObjectLayout;
use crate::json::cut::{self, Change};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{Applicability, Code};

use super::kinds;

/// Types of images that are taken.
const TYPES: &[&str] = &["image/jpeg", "image/png", "image/gif", "image/webp"];
/// Most characters of an image in base64.
const LARGEST: usize = 5 << 20;
/// Longest side of an image, in pixels.
const WIDEST: u32 = 8000;
/// The same where the request holds many.
const WIDEST_OF_MANY: u32 = 2000;

/// Whether one is refused, at least among many images.
pub(super) fn is_refused(block: Node<'_>) -> bool {
    let mut emptied = Emptied::inside(block);
    self::block(block, 0, true, &mut emptied).is_some() || !emptied.cut.is_empty()
}

/// An image or a document. `many_images`: so many are in the request that smaller ones are refused.
pub(super) fn block(
    block: Node<'_>,
    at: u32,
    many_images: bool,
    emptied: &mut Emptied<'_>,
) -> Option<Damage> {
    let is_image = kinds::is(block, "image");
    let Some(source) = block
        .get("source")
        .filter(|source| source.kind() == Kind::Object)
    else {
        return Some(Damage::at(
            Code::MalformedRecord,
            "image or document without a source",
            at,
        ));
    };
    if !source.get("type").is_some_and(|kind| kind.is_str("base64")) {
        return None;
    }
    let Some((member, data)) = source
        .get("data")
        .and_then(|data| Some((data, data.str()?)))
    else {
        return Some(removed(block, at, is_image, "it has no data"));
    };
    if data.is_empty() {
        emptied.cut(
            Damage::at(Code::BadMedia, "empty image or document", at),
            Applicability::Safe,
        );
        return None;
    }
    // Whoever made the recording smaller has left a word for it.
    if data.starts_with('[') && data.ends_with(']') {
        return None;
    }
    let pure = without_prefix(&data);
    let (real, reason) = if is_image {
        image(pure, many_images)
    } else {
        document(pure)
    };
    if let Some(reason) = reason {
        return Some(removed(block, at, is_image, reason));
    }
    let mut changes = Vec::new();
    let quoted = |text: &str| {
        let quoted = ObjectLayout::of(&source.raw()).quote(text);
        String::from_utf8_lossy(&quoted).into_owned()
    };
    if pure.len() < data.len() {
        changes.push(cut::replace(member, &quoted(pure)));
    }
    match source.get("media_type") {
        Some(declared) if declared.is_str(real) => {}
        Some(declared) => changes.push(cut::replace(declared, &quoted(real))),
        None => changes.push(cut::insert_member(
            source,
            Some("type"),
            "media_type",
            &quoted(real),
        )),
    }
    changes.sort_by_key(|change| change.at.start);
    (!changes.is_empty()).then(|| {
        Damage::at(
            Code::BadMedia,
            "image or document data that does not match its declared type",
            at,
        )
        .safe(changes)
    })
}

/// What an image or a document really is, by the first bytes of its data in base64.
pub(crate) fn media_type(data: &str) -> Option<&'static str> {
    const ENOUGH: usize = 64;
    let data = without_prefix(data);
    let start = data.get(..data.len().min(ENOUGH) & !3)?;
    let bytes = picture::from_base64(start)?;
    picture::media_type(&bytes).or_else(|| bytes.starts_with(b"%PDF").then_some("application/pdf"))
}

/// The data behind `data:…;base64,`.
fn without_prefix(data: &str) -> &str {
    let behind = || data.strip_prefix("data:")?.split_once(";base64,");
    behind()
        .filter(|(kind, _)| kind.len() < 128)
        .map_or(data, |(_, data)| data)
}

/// What the image really is, and why it is refused.
fn image(data: &str, many_images: bool) -> (&'static str, Option<&'static str>) {
    let junk = |reason| (TYPES[0], Some(reason));
    if data.len() > LARGEST {
        return junk("it is larger than 5 MB");
    }
    let Some(bytes) = picture::from_base64(data) else {
        return junk("it is not base64");
    };
    let Some(real) = picture::media_type(&bytes).filter(|_| picture::is_whole(&bytes)) else {
        return junk("it is not an image");
    };
    let widest = picture::size(&bytes).map_or(0, |(width, height)| width.max(height));
    let reason = if widest > WIDEST {
        Some("it is wider than 8000 pixels")
    } else if widest > WIDEST_OF_MANY && many_images {
        Some("it is wider than 2000 pixels among more than 20 images")
    } else {
        None
    };
    (real, reason)
}

fn document(data: &str) -> (&'static str, Option<&'static str>) {
    const PDF: &str = "application/pdf";
    let Some(bytes) = picture::from_base64(data) else {
        return (PDF, Some("it is not base64"));
    };
    (PDF, picture::pdf_fault(&bytes))
}

/// The block gives way to a text that says so.
fn removed(block: Node<'_>, at: u32, is_image: bool, reason: &str) -> Damage {
    let what = if is_image { "image" } else { "document" };
    let text = text_block(
        block,
        &format!("[{what} removed by transcript-doctor: {reason}]"),
    );
    let said = if is_image {
        "image that the provider rejects"
    } else {
        "document that the provider rejects"
    };
    Damage::at(Code::BadMedia, said, at).with_guess(vec![Change {
        at: block.span(),
        with: text,
    }])
}
