//! Images and documents as bytes: their type and size, and whether they are complete.

use base64_simd::{STANDARD, forgiving_decode_to_vec};
use memchr::memmem;

/// The media type of an image, from its first bytes.
pub(crate) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    let webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP".as_slice());
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        _ => webp.then_some("image/webp"),
    }
}

/// The width and height of an image in pixels, if its header has them.
pub(crate) fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    match media_type(bytes)? {
        "image/png" => Some((big_endian(bytes, 16, 4)?, big_endian(bytes, 20, 4)?)),
        "image/gif" => Some((little_endian(bytes, 6, 2)?, little_endian(bytes, 8, 2)?)),
        "image/jpeg" => jpeg_size(bytes),
        _ => webp_size(bytes),
    }
}

/// The frame header among the segments of a JPEG.
fn jpeg_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        match bytes.get(at..at + 2)? {
            [0xFF, 0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF] => {
                return Some((big_endian(bytes, at + 7, 2)?, big_endian(bytes, at + 5, 2)?));
            }
            // Markers without a length, and fill bytes.
            [0xFF, 0x01 | 0xD0..=0xD8 | 0xFF] => at += 1,
            [0xFF, _] => at += 2 + usize::try_from(big_endian(bytes, at + 2, 2)?).ok()?,
            _ => at += 1,
        }
    }
}

fn webp_size(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((little_endian(bytes, 24, 3)? + 1, little_endian(bytes, 27, 3)? + 1)),
        b"VP8L" => {
            let bits = little_endian(bytes, 21, 4)?;
            Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
        }
        b"VP8 " => {
            Some((little_endian(bytes, 26, 2)? & 0x3FFF, little_endian(bytes, 28, 2)? & 0x3FFF))
        }
        _ => None,
    }
}

/// A big-endian number of up to 4 bytes.
fn big_endian(bytes: &[u8], at: usize, count: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(count)?)?;
    Some(bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

/// A little-endian number of up to 4 bytes.
fn little_endian(bytes: &[u8], at: usize, count: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(count)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

/// Whether an image is complete, as far as its container shows. A PNG must have all chunks up to its end, with image data
/// among them; other types are not checked.
pub(crate) fn is_whole(bytes: &[u8]) -> bool {
    if media_type(bytes) != Some("image/png") {
        return true;
    }
    let (mut at, mut header, mut picture) = (8, false, false);
    while let (Some(length), Some(kind)) = (big_endian(bytes, at, 4), bytes.get(at + 4..at + 8)) {
        let Some(end) =
            usize::try_from(length).ok().and_then(|length| (at + 12).checked_add(length))
        else {
            return false;
        };
        if end > bytes.len() {
            return false;
        }
        header |= kind == b"IHDR";
        picture |= kind == b"IDAT";
        if kind == b"IEND" {
            return header && picture;
        }
        at = end;
    }
    false
}

/// Decodes base64. `None`: the text is not base64. Bits after the last byte do not count, as for most decoders.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    // Also without padding and with white space, which providers reject.
    STANDARD.decode_to_vec(text).ok().or_else(|| {
        forgiving_decode_to_vec(text.as_bytes()).ok().filter(|_| {
            text.len().is_multiple_of(4) && !text.contains(|char: char| char.is_ascii_whitespace())
        })
    })
}

/// Encodes bytes in base64 with padding.
pub(crate) fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode_to_string(bytes)
}

/// The limit for the pages of a document.
const MOST_PAGES: usize = 600;

/// What is wrong with a PDF.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum PdfFault {
    NoPdf,
    NoEnd,
    Locked,
    TooLong,
}

impl PdfFault {
    /// The reason for which a provider rejects a document, after "it".
    pub(crate) fn reason(self) -> &'static str {
        match self {
            PdfFault::NoPdf => "is not a PDF",
            PdfFault::NoEnd => "is a PDF without its end",
            PdfFault::Locked => "is a locked PDF",
            PdfFault::TooLong => "has more than 600 pages",
        }
    }
}

/// Why a provider rejects a PDF; `None`: it accepts the PDF.
pub(crate) fn pdf_fault(bytes: &[u8]) -> Option<PdfFault> {
    // The end mark must be within the last bytes.
    const TAIL: usize = 2048;
    if !bytes.starts_with(b"%PDF-") {
        return Some(PdfFault::NoPdf);
    }
    if memmem::find(&bytes[bytes.len().saturating_sub(TAIL)..], b"%%EOF").is_none() {
        return Some(PdfFault::NoEnd);
    }
    if memmem::find(bytes, b"/Encrypt").is_some() {
        return Some(PdfFault::Locked);
    }
    (page_objects(bytes) > MOST_PAGES).then_some(PdfFault::TooLong)
}

/// The number of objects that are pages. A page that was changed is there twice.
fn page_objects(bytes: &[u8]) -> usize {
    let types = memmem::find_iter(bytes, b"/Type");
    let values = types.map(|at| bytes[at + 5..].trim_ascii_start());
    values.filter(|value| value.starts_with(b"/Page") && value.get(5) != Some(&b's')).count()
}

/// The number of pages of a PDF: as many as it has objects for them and says that it has. What is compressed is not counted.
pub(crate) fn pdf_pages(bytes: &[u8]) -> usize {
    let counts = memmem::find_iter(bytes, b"/Count");
    let counts = counts.filter_map(|at| {
        let number = bytes[at + 6..].trim_ascii_start();
        let end = number.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(number.len());
        std::str::from_utf8(&number[..end]).ok()?.parse().ok()
    });
    counts.max().map_or(0, |said: usize| said.min(page_objects(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mMQaPiAFTEMLQkASvNgAbCw2zUAAAAASUVORK5CYII=";

    #[test]
    fn base64_is_read_strictly() {
        assert_eq!(from_base64("TWFu").as_deref(), Some(b"Man".as_slice()));
        assert_eq!(from_base64("TWE=").as_deref(), Some(b"Ma".as_slice()));
        assert_eq!(from_base64("TQ==").as_deref(), Some(b"M".as_slice()));
        assert_eq!(from_base64("").as_deref(), Some(b"".as_slice()));
        for bad in ["TWE", "T===", "TW=u", "TW\nu", "data:image/png;base64,TWFu", "TW-_"] {
            assert_eq!(from_base64(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_png_is_whole_up_to_its_end() {
        let png = from_base64(PNG).unwrap();
        assert_eq!(
            (media_type(&png), size(&png), is_whole(&png)),
            (Some("image/png"), Some((8, 8)), true)
        );
        for length in 8..png.len() - 1 {
            assert!(!is_whole(&png[..length]), "{length}");
        }
    }

    #[test]
    fn sizes_are_in_the_headers() {
        let gif = b"GIF89a\x10\x00\x20\x00";
        assert_eq!(size(gif), Some((16, 32)));
        let jpeg = b"\xFF\xD8\xFF\xE0\x00\x04ab\xFF\xC2\x00\x11\x08\x01\x00\x02\x00";
        assert_eq!((media_type(jpeg), size(jpeg)), (Some("image/jpeg"), Some((512, 256))));
        let webp = b"RIFF\0\0\0\0WEBPVP8X\x0A\0\0\0\0\0\0\0\x0F\0\0\x1F\0\0";
        assert_eq!((media_type(webp), size(webp)), (Some("image/webp"), Some((16, 32))));
        for torn in [&jpeg[..9], &gif[..7], &webp[..20], b"\xFF\xD8\xFF"] {
            assert_eq!(size(torn), None);
        }
        assert_eq!(media_type(b"<html>"), None);
    }

    #[test]
    fn documents_are_looked_at() {
        assert_eq!(pdf_fault(b"%PDF-1.4 x %%EOF"), None);
        assert_eq!(pdf_fault(b"%PDF-1.4 x"), Some(PdfFault::NoEnd));
        assert_eq!(pdf_fault(b"%PDF-1.4 /Encrypt %%EOF"), Some(PdfFault::Locked));
        assert_eq!(pdf_fault(b"PK"), Some(PdfFault::NoPdf));
        let many = format!("%PDF-1.4 /Type /Pages {} %%EOF", "/Type /Page /x ".repeat(601));
        assert_eq!(pdf_fault(many.as_bytes()), Some(PdfFault::TooLong));
        assert_eq!(pdf_pages(many.as_bytes()), 0);
        let two = "%PDF-1.4 /Type /Pages /Count 2 /Type /Page /x /Type/Page /x /Type /Page /new";
        assert_eq!(pdf_pages(two.as_bytes()), 2);
    }
}
