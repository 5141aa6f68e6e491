//! The frame of a page: what browsers are told, and how it looks.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::writer::Html;

/// How pages look: the whole style sheet.
const SHEET: &str = include_str!("style.css");

/// A whole document.
pub(super) fn document(html: &mut Html, title: &str, body: impl FnOnce(&mut Html)) {
    html.tag("html", &[("lang", "en")], |html| {
        html.tag("head", &[], |html| {
            html.void("meta", &[("charset", "utf-8")]);
            html.void(
                "meta",
                &[
                    ("http-equiv", "Content-Security-Policy"),
                    ("content", &policy()),
                ],
            );
            for (name, content) in [
                ("viewport", "width=device-width, initial-scale=1"),
                ("color-scheme", "light dark"),
                ("referrer", "no-referrer"),
                ("robots", "noindex"),
                (
                    "generator",
                    concat!("transcript-doctor ", env!("CARGO_PKG_VERSION")),
                ),
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
    let hash = base64(&Sha256::digest(SHEET.as_bytes()));
    format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'")
}

/// Base64 with its padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three
            .iter()
            .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - three.len()));
        for n in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * n) & 63) as usize];
            let _ = out.write_char(if n <= three.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::picture::from_base64;

    #[test]
    fn base64_comes_back() {
        for text in [
            "",
            "M",
            "Ma",
            "Man",
            "Many \u{fb}\u{ff} hands",
            "light work.",
        ] {
            assert_eq!(
                from_base64(&base64(text.as_bytes())).as_deref(),
                Some(text.as_bytes()),
                "{text}"
            );
        }
    }

    #[test]
    fn the_style_sheet_loads_nothing() {
        for word in ["url(", "@import", "@font-face", "</"] {
            assert!(!SHEET.contains(word), "{word}");
        }
        assert!(
            policy().starts_with("default-src 'none'; style-src 'sha256-"),
            "{}",
            policy()
        );
    }
}
