//! Replaces images and documents by empty ones of the same kind and size, as complete or broken as
//! they were.

use crate::dialects::picture::{
    PdfFault, from_base64, is_whole, media_type, pdf_fault, pdf_pages, size, to_base64,
};

/// Shorter texts are not images.
const SHORTEST: usize = 24;

/// The replacement of a base64 text; `None` if it is not one.
pub(super) fn redacted(text: &str) -> Option<String> {
    if text.len() < SHORTEST {
        return None;
    }
    let bytes = from_base64(text)?;
    let mut other = empty(&bytes)?;
    other.resize(bytes.len(), 0);
    if !matches!(pdf_fault(&bytes), Some(PdfFault::NoPdf | PdfFault::NoEnd)) {
        let end = b"%%EOF\n";
        let at = other.len().checked_sub(end.len())?;
        other.get_mut(at..)?.copy_from_slice(end);
    }
    Some(to_base64(&other))
}

/// Adds what pages are counted by. It takes no more bytes than they took.
fn add_pages(out: &mut Vec<u8>, pages: usize) {
    if pages > 0 {
        out.extend_from_slice(format!("/Count {pages}\n").as_bytes());
        out.extend_from_slice(&b"/Type/Page\n".repeat(pages));
    }
}

/// The start of an empty file of the same kind.
fn empty(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.starts_with(b"%PDF-") {
        let mut out = b"%PDF-1.4\n".to_vec();
        match pdf_fault(bytes) {
            Some(PdfFault::Locked) => out.extend_from_slice(b"/Encrypt\n"),
            Some(PdfFault::TooLong) => out.extend_from_slice(&b"/Type /Page\n".repeat(601)),
            _ => add_pages(&mut out, pdf_pages(bytes)),
        }
        return Some(out);
    }
    let (width, height) = size(bytes).unwrap_or((0, 0));
    match media_type(bytes)? {
        "image/png" => {
            let mut out = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
            out.extend_from_slice(&width.to_be_bytes());
            out.extend_from_slice(&height.to_be_bytes());
            out.extend_from_slice(&[8, 2, 0, 0, 0, 0, 0, 0, 0]);
            if is_whole(bytes) {
                out.extend_from_slice(b"\0\0\0\0IDAT\0\0\0\0\0\0\0\0IEND\0\0\0\0");
            }
            Some(out)
        }
        "image/jpeg" => {
            let mut out = vec![0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8];
            out.extend_from_slice(height.to_be_bytes().get(2..)?);
            out.extend_from_slice(width.to_be_bytes().get(2..)?);
            Some(out)
        }
        // Their headers contain only their kind and size.
        "image/gif" => Some(bytes.get(..10)?.to_vec()),
        _ => Some(bytes.get(..30)?.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mMQaPiAFTEMLQkASvNgAbCw2zUAAAAASUVORK5CYII=";

    #[test]
    fn a_picture_keeps_its_kind_and_size() {
        let bytes = from_base64(PNG).unwrap();
        for (bytes, whole) in [(&bytes[..], true), (&bytes[..60], false)] {
            let other = from_base64(&redacted(&to_base64(bytes)).unwrap()).unwrap();
            assert_eq!(
                (other.len(), size(&other), is_whole(&other)),
                (bytes.len(), Some((8, 8)), whole)
            );
            assert!(other != bytes);
        }
        assert_eq!(to_base64(&bytes), PNG);
        let jpeg = [&[0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 5, 0, 9][..], &[1; 99]].concat();
        let other = from_base64(&redacted(&to_base64(&jpeg)).unwrap()).unwrap();
        assert_eq!((size(&other), media_type(&other)), (Some((9, 5)), Some("image/jpeg")));
        assert_eq!(redacted("hello there, this is no picture"), None);
    }

    #[test]
    fn a_document_stays_as_good_as_it_was() {
        let body = b"%PDF-1.7\nwords ".repeat(9);
        for (more, diagnostic) in [
            (&b"%%EOF"[..], None),
            (b"", Some(PdfFault::NoEnd)),
            (b"/Encrypt %%EOF", Some(PdfFault::Locked)),
        ] {
            let other = redacted(&to_base64(&[&body, more].concat())).unwrap();
            assert_eq!(pdf_fault(&from_base64(&other).unwrap()), diagnostic);
        }
    }
}
