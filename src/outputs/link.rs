//! Places that a terminal can open: OSC 8 hyperlinks around what is printed anyway.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::PathBuf;

use crate::report::model::FindingRecord;
use crate::report::text::Shown;

/// How links begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Links {
    /// The name of this machine, as others would reach it; "" where it is not known.
    pub host: String,
    /// The folder that names are relative to.
    pub folder: PathBuf,
}

/// A printed place with the link to its file; as it is where there are no links, or the file cannot be named.
pub(crate) fn to(
    links: Option<&Links>,
    path: &Shown,
    record: Option<&FindingRecord>,
    printed: &str,
) -> String {
    around(links.and_then(|links| links.target(path, record)).as_deref(), printed)
}

/// What is printed with a link to a target.
pub(super) fn around(target: Option<&str>, printed: &str) -> String {
    match target {
        Some(target) => format!("\u{1b}]8;;{target}\u{1b}\\{printed}\u{1b}]8;;\u{1b}\\"),
        None => printed.to_owned(),
    }
}

impl Links {
    /// `file://host/home/ana/run.jsonl`. `None`: standard input, or a name that is no UTF-8.
    pub(super) fn target(&self, path: &Shown, record: Option<&FindingRecord>) -> Option<String> {
        if !path.is_exact() || path.exact() == "-" {
            return None;
        }
        let mut file = self.folder.join(path.exact());
        // What is in an archive cannot be opened, but the archive can.
        let archive = file
            .extension()
            .and_then(OsStr::to_str)
            .is_some_and(|ending| ["zip", "eval"].contains(&&*ending.to_ascii_lowercase()));
        if let Some(below) = record.and_then(|record| record.file.as_ref()).filter(|_| !archive) {
            match below.own_path() {
                Some(own) => file = self.folder.join(own),
                None => file.push(below.name.exact()),
            }
        }
        let file = file.to_str()?.replace('\\', "/");
        let mut out = format!("file://{}", self.host);
        if !file.starts_with('/') {
            out.push('/');
        }
        // Whatever could end the link or mean something in it is written as bytes.
        for byte in file.bytes() {
            if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
                out.push(char::from(byte));
            } else {
                let _ = write!(out, "%{byte:02X}");
            }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::{record, two_results};

    fn links() -> Links {
        Links { host: "box".to_owned(), folder: "/home/ana".into() }
    }

    #[test]
    fn a_place_leads_to_its_file() {
        let to = |path: &str, record: Option<&FindingRecord>| {
            to(Some(&links()), &path.into(), record, "here")
        };
        let wanted =
            |target: &str| format!("\u{1b}]8;;file://box{target}\u{1b}\\here\u{1b}]8;;\u{1b}\\");
        assert_eq!(to("run.jsonl", None), wanted("/home/ana/run.jsonl"));
        assert_eq!(to("/x/a b#1.jsonl", None), wanted("/x/a%20b%231.jsonl"));
        assert_eq!(to("日\u{1b}\\\u{7}", None), wanted("/home/ana/%E6%97%A5%1B/%07"));
        let inside = record(61, "call", "09:48:05.911", "K", "t", "c");
        assert_eq!(to("c", Some(&inside)), wanted("/home/ana/c/events/event-00061-7f0c.json"));
        assert_eq!(to("c.zip", Some(&inside)), wanted("/home/ana/c.zip"));
        assert_eq!(to("-", two_results().records.first()), "here");
        assert_eq!(super::to(None, &"a".into(), None, "here"), "here");
    }
}
