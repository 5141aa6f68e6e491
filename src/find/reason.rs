//! Why something could not be read, in words.

use std::io;

/// Why a transcript that was found could not be opened.
#[derive(Debug, thiserror::Error)]
#[error("{}", reason(.0))]
pub struct OpenError(#[from] io::Error);

/// The reason for a path that does not exist.
pub(crate) const NOT_THERE: &str = "no such file or folder";

/// An I/O error in words.
pub(super) fn reason(error: &io::Error) -> String {
    match error.kind() {
        // Errors with a text of our own name the file in it.
        _ if error.get_ref().is_some() => in_words(&error.to_string()),
        io::ErrorKind::NotFound => NOT_THERE.to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => in_words(&error.to_string()),
    }
}

/// Removes the system's error codes from a text and lowercases the system's messages: `a.json: too
/// many open files`.
pub(crate) fn in_words(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once(" (os error ") {
        let (context, reason) =
            before.rsplit_once(": ").map_or(("", before), |(context, reason)| (context, reason));
        out.push_str(context);
        out.push_str(if context.is_empty() { "" } else { ": " });
        let mut letters = reason.chars();
        out.extend(letters.next().into_iter().flat_map(char::to_lowercase));
        out.push_str(letters.as_str());
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    out + rest
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn system_errors_lose_their_numbers() {
        for (code, wanted) in [
            (2, "no such file or folder"),
            (5, "input/output error"),
            (13, "permission denied"),
            (23, "too many open files in system"),
            (24, "too many open files"),
        ] {
            let error = io::Error::from_raw_os_error(code);
            assert_eq!(reason(&error), wanted);
            let named = io::Error::new(error.kind(), format!("events/a.json: {error}"));
            assert_ne!(reason(&named), wanted);
            assert!(reason(&named).starts_with("events/a.json: "), "{}", reason(&named));
            assert!(!reason(&named).contains("os error"), "{}", reason(&named));
        }
        assert_eq!(in_words("the file became shorter"), "the file became shorter");
        assert_eq!(
            in_words("a: Is a (b): Bad (os error 1); Bad (os error 2)"),
            "a: Is a (b): bad; Bad"
        );
    }
}
