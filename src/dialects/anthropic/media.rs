//! Images and documents that the API rejects.

use crate::dialects::picture;
use crate::dialects::piece::MemberRef;
use crate::json::alike::ObjectLayout;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::Flaws;

use super::kinds;

/// The accepted types of images.
const TYPES: &[&str] = &["image/jpeg", "image/png", "image/gif", "image/webp"];
/// The size limit for an image, in characters of base64.
const LARGEST: usize = 5 << 20;
/// The limit for each side of an image, in pixels.
const WIDEST: u32 = 8000;
/// The limit in requests with many images.
const WIDEST_OF_MANY: u32 = 2000;

/// What is wrong with an image or a document.
pub(crate) enum MediaFlaw {
    Empty,
    /// Its declared type is wrong; these changes correct it.
    Mislabeled(Vec<RecordChange>),
    /// The API rejects it, because it … .
    Rejected(&'static str),
}

/// Whether the API may reject an image or a document.
pub(super) fn flaws(block: Node<'_>) -> Flaws {
    let source = block.get("source");
    if source.is_none_or(|source| source.kind() != Kind::Object) {
        return Flaws::SHAPE;
    }
    flaw(block, true).map_or(Flaws::NONE, |_| Flaws::MEDIA)
}

/// What is wrong with an image or a document. `many_images`: the request has so many that the lower size limit applies.
pub(crate) fn flaw(block: Node<'_>, many_images: bool) -> Option<MediaFlaw> {
    let source = block.get("source")?;
    if !source.has_str("type", "base64") {
        return None;
    }
    let data = source.get("data").and_then(|data| Some((data, data.str()?)));
    let Some((member, data)) = data else {
        return Some(MediaFlaw::Rejected("has no data"));
    };
    if data.is_empty() {
        return Some(MediaFlaw::Empty);
    }
    // A program that shortened the transcript replaced the data with a word.
    if data.starts_with('[') && data.ends_with(']') {
        return None;
    }
    let pure = without_prefix(&data);
    let (real, reason) =
        if kinds::is(block, "image") { image(pure, many_images) } else { document(pure) };
    if let Some(reason) = reason {
        return Some(MediaFlaw::Rejected(reason));
    }
    // Images are large, and almost all are as they should be.
    let quoted = |text: &str| {
        let layout = ObjectLayout::of(&source.raw());
        String::from_utf8_lossy(&layout.quote(text)).into_owned()
    };
    let mut changes = Vec::new();
    if pure.len() < data.len() {
        changes.push(cut::replace(member, &quoted(pure)));
    }
    let declared = MemberRef::of(source, "media_type");
    if declared.str().as_deref() != Some(real) {
        changes.push(declared.put(&quoted(real), &["type"]));
    }
    changes.sort_by_key(|change| change.at.start);
    (!changes.is_empty()).then_some(MediaFlaw::Mislabeled(changes))
}

/// The number of pages of a document, as far as its data shows.
pub(crate) fn pages(block: Node<'_>) -> u32 {
    let source = block.get("source").filter(|source| source.has_str("type", "base64"));
    let data = source.and_then(|source| source.get("data")?.str());
    let bytes = data.and_then(|data| picture::from_base64(without_prefix(&data)));
    bytes.map_or(0, |bytes| u32::try_from(picture::pdf_pages(&bytes)).unwrap_or(u32::MAX))
}

/// The real media type of an image or a document, from the first bytes of its data in base64.
pub(crate) fn media_type(data: &str) -> Option<&'static str> {
    const ENOUGH: usize = 64;
    let data = without_prefix(data);
    let start = data.get(..data.len().min(ENOUGH) & !3)?;
    let bytes = picture::from_base64(start)?;
    picture::media_type(&bytes).or_else(|| bytes.starts_with(b"%PDF").then_some("application/pdf"))
}

/// The data after `data:…;base64,`.
fn without_prefix(data: &str) -> &str {
    match data.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
        Some((kind, encoded)) if kind.len() < 128 => encoded,
        _ => data,
    }
}

/// The real media type of an image, and why it is rejected.
fn image(data: &str, many_images: bool) -> (&'static str, Option<&'static str>) {
    let mut real = None;
    let reason = if data.len() > LARGEST {
        Some("is larger than 5 MB")
    } else if let Some(bytes) = picture::from_base64(data) {
        real = picture::media_type(&bytes).filter(|_| picture::is_whole(&bytes));
        if real.is_some() { too_wide(&bytes, many_images) } else { Some("holds no image data") }
    } else {
        Some("is not base64")
    };
    (real.unwrap_or(TYPES[0]), reason)
}

fn too_wide(bytes: &[u8], many_images: bool) -> Option<&'static str> {
    let widest = picture::size(bytes).map_or(0, |(width, height)| width.max(height));
    if widest > WIDEST {
        Some("is wider than 8000 pixels")
    } else if widest > WIDEST_OF_MANY && many_images {
        Some("is wider than 2000 pixels among more than 20 images")
    } else {
        None
    }
}

fn document(data: &str) -> (&'static str, Option<&'static str>) {
    const PDF: &str = "application/pdf";
    let Some(bytes) = picture::from_base64(data) else {
        return (PDF, Some("is not base64"));
    };
    (PDF, picture::pdf_fault(&bytes).map(picture::PdfFault::reason))
}
