//! The frame of a page: what browsers need to know, and how it looks.

use base64_simd::STANDARD;
use sha2::{Digest, Sha256};

use super::writer::Html;

/// How pages look: the whole style sheet.
const SHEET: &str = include_str!("style.css");

/// A whole document.
pub(super) fn document(html: &mut Html, title: &str, body: impl FnOnce(&mut Html)) {
    html.tag("html", &[("lang", "en")], |html| {
        html.tag("head", &[], |html| {
            html.void("meta", &[("charset", "utf-8")]);
            html.void("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy())]);
            for (name, content) in [
                ("viewport", "width=device-width, initial-scale=1"),
                ("color-scheme", "light dark"),
                ("referrer", "no-referrer"),
                ("robots", "noindex"),
                ("generator", concat!("transcript-doctor ", env!("CARGO_PKG_VERSION"))),
            ] {
                html.void("meta", &[("name", name), ("content", content)]);
            }
            html.tag("title", &[], |html| html.text(title));
            html.style(SHEET);
        });
        html.tag("body", &[], body);
    });
}

/// Nothing is loaded, run or sent; only this style sheet counts.
fn policy() -> String {
    let hash = STANDARD.encode_to_string(Sha256::digest(SHEET.as_bytes()));
    format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_sheet_loads_nothing() {
        for word in ["url(", "@import", "@font-face", "</"] {
            assert!(!SHEET.contains(word), "{word}");
        }
        assert!(policy().starts_with("default-src 'none'; style-src 'sha256-"), "{}", policy());
    }
}
