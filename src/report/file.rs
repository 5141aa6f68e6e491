//! Files of transcripts that are folders or archives.

use std::path::{Component, Path, PathBuf};

use serde::Serialize;

use super::redact::{StringKind, redact_fields};
use super::text::Shown;

/// A file of a transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "Shown")]
pub struct RecordFile {
    /// Its path in the folder of the transcript, or in the store that several share.
    pub name: Shown,
    /// Its own path, if it is in a store.
    own: Option<Box<Shown>>,
}

redact_fields! {
    RecordFile { name, own }
}

impl RecordFile {
    /// A file in the folder of its transcript.
    pub(crate) fn inside(name: impl Into<Box<str>>) -> RecordFile {
        let name = Shown::of(StringKind::File, name);
        RecordFile { name, own: None }
    }

    /// Says that it is in the store of the transcript at `path`.
    pub(super) fn set_store_of(&mut self, path: &Path) {
        let own = store_of(path).join(self.name.exact());
        self.own = Some(Box::new(Shown::path(&own)));
    }

    /// Its own path, for programs that open it; `None` if it is in the folder of the transcript.
    pub(crate) fn own_path(&self) -> Option<&str> {
        self.own.as_deref().map(Shown::exact)
    }

    /// As the report names it: in the folder of the transcript, else its own path.
    pub(crate) fn shown(&self) -> &Shown {
        self.own.as_deref().unwrap_or(&self.name)
    }

    /// Its path, if the folder of the transcript has this one.
    pub(crate) fn below(&self, folder: &str) -> String {
        match &self.own {
            Some(own) => own.whole(),
            None => format!("{folder}/{}", self.name.whole()),
        }
    }
}

impl From<RecordFile> for Shown {
    fn from(file: RecordFile) -> Shown {
        file.own.map_or(file.name, |own| *own)
    }
}

/// The store of a transcript, which is two levels above its folder.
fn store_of(folder: &Path) -> PathBuf {
    let mut store = folder.to_path_buf();
    for _ in 0..2 {
        match store.components().next_back() {
            Some(Component::Normal(_)) => {
                store.pop();
            }
            _ => store.push(".."),
        }
    }
    store
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::redact::at_hand;

    #[test]
    fn files_of_a_store_have_paths_of_their_own() {
        for (folder, wanted) in [
            ("/h/storage/message/ses_1", "/h/storage/part/m/p.json"),
            ("storage/message/ses_1/", "storage/part/m/p.json"),
            ("message/ses_1", "part/m/p.json"),
            ("ses_1", "../part/m/p.json"),
            ("./ses_1", "./../part/m/p.json"),
            (".", "./../../part/m/p.json"),
        ] {
            let mut file = RecordFile::inside("part/m/p.json");
            assert_eq!(at_hand(file.clone()).below(folder), format!("{folder}/part/m/p.json"));
            file.set_store_of(Path::new(folder));
            let file = at_hand(file);
            assert_eq!((file.below(folder), file.shown().exact()), (wanted.to_owned(), wanted));
        }
    }
}
