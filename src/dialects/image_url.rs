//! Images of the OpenAI dialects: a URL of the web, or a data URL with the image in base64.

use crate::json::node::Node;
use crate::json::tape::Kind;

/// Why the provider cannot take an image by its URL.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum UrlFlaw {
    Empty,
    /// It is a path, or of a scheme that the provider does not open.
    NotOfWeb,
    /// A data URL that does not say that it is an image in base64.
    NoImageType,
    /// The data is cut off, or something else than base64.
    NotBase64,
}

/// The URL of a part, if it is an image: `image_url` of Chat Completions is an object, that of Responses a string.
pub(crate) fn url_of(part: Node<'_>) -> Option<Node<'_>> {
    let image = part.get("image_url")?;
    let is_image = ["image_url", "input_image"].iter().any(|word| part.has_str("type", word));
    let url = image.get("url").unwrap_or(image);
    (is_image && url.kind() == Kind::String).then_some(url)
}

/// Whether a part is an image whose URL the provider may reject.
pub(crate) fn is_flawed(part: Node<'_>) -> bool {
    url_of(part).and_then(flaw).is_some()
}

/// What is wrong with the URL of an image.
pub(crate) fn flaw(url: Node<'_>) -> Option<UrlFlaw> {
    let text = url.str()?;
    let text = text.trim();
    // A program that shortened the transcript replaced it with a word.
    let is_mark = |text: &str| text.starts_with(['[', '<', '{']);
    if text.is_empty() {
        return Some(UrlFlaw::Empty);
    }
    let has_scheme = |scheme: &str| {
        let start = text.get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    if !has_scheme("data:") {
        let is_known = has_scheme("https://") || has_scheme("http://") || is_mark(text);
        return (!is_known).then_some(UrlFlaw::NotOfWeb);
    }
    let Some((kind, data)) = text["data:".len()..].split_once(',') else {
        return Some(UrlFlaw::NotBase64);
    };
    if is_mark(data) {
        return None;
    }
    if data.trim().is_empty() {
        return Some(UrlFlaw::Empty);
    }
    let kind = kind.strip_suffix(";base64");
    let subtype = kind.and_then(|kind| kind.strip_prefix("image/"));
    if subtype.is_none_or(str::is_empty) {
        return Some(UrlFlaw::NoImageType);
    }
    is_other(data).then_some(UrlFlaw::NotBase64)
}

/// Whether data has characters that no alphabet of base64 has, or a length that base64 cannot have.
fn is_other(data: &str) -> bool {
    if base64_simd::STANDARD.check(data.as_bytes()).is_ok() {
        return false;
    }
    let mut solid = data.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let length = solid.clone().filter(|byte| *byte != b'=').count();
    let is_base64 = solid.all(|byte| byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte));
    !is_base64 || length % 4 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::quote::quote;
    use crate::json::record::Record;

    fn flaw_of(url: &str) -> Option<UrlFlaw> {
        let record = Record::parse(quote(url).into_bytes()).unwrap();
        flaw(record.root())
    }

    #[test]
    fn urls_of_images() {
        for good in [
            "https://example.org/a.png",
            "HTTP://example.org/a.png",
            "data:image/png;base64,TWFu",
            "data:image/jpeg;base64,TW-_",
            "data:image/png;base64,TWE",
            "data:image/png;base64,[removed]",
            "<image>",
        ] {
            assert_eq!(flaw_of(good), None, "{good}");
        }
        for (bad, flaw) in [
            ("", UrlFlaw::Empty),
            ("data:image/png;base64,", UrlFlaw::Empty),
            ("/home/dev/a.png", UrlFlaw::NotOfWeb),
            ("file:///a.png", UrlFlaw::NotOfWeb),
            ("C:\\a.png", UrlFlaw::NotOfWeb),
            ("data:image;base64,TWFu", UrlFlaw::NoImageType),
            ("data:application/pdf;base64,TWFu", UrlFlaw::NoImageType),
            ("data:image/png,TWFu", UrlFlaw::NoImageType),
            ("data:image/png;base", UrlFlaw::NotBase64),
            ("data:image/png;base64,TWFu…[truncated]", UrlFlaw::NotBase64),
            ("data:image/png;base64,TWFuT", UrlFlaw::NotBase64),
        ] {
            assert_eq!(flaw_of(bad), Some(flaw), "{bad}");
        }
    }
}
